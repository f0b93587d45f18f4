"""Two printed rows, one saving. Expected figures: a pocket calculator, from the mails' own numbers."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lan966x_lab.measure import claims
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.model.twofigures import Row, TwoRows

BIG, SMALL = (Row.of(claims.get(name)) for name in ("002-big", "002-small"))
PRINTED = TwoRows(BIG, SMALL)


def ends(interval: Interval, digits: int = 1) -> tuple[float, float]:
    return round(float(interval.low), digits), round(float(interval.high), digits)


def test_times_of_the_printed_rates():
    assert ends(BIG.before, 0) == (370_794, 382_951)  # 8000 * 1460 / 31.5, / 30.5
    assert ends(BIG.after, 0) == (348_657, 359_385)
    assert ends(SMALL.before, 0) == (340_426, 342_508)  # 8000 * 700 / 16.45, / 16.35
    assert ends(SMALL.after, 0) == (353_312, 355_556)
    assert (BIG.payload, SMALL.payload) == (1460, 700)


def test_as_printed_no_saving_fits_both():
    assert ends(BIG.saving, 0) == (11_409, 34_294)
    assert ends(SMALL.saving, 0) == (-15_130, -10_805)
    assert PRINTED.common is None


def test_exchanged_there_is_one():
    exchanged = PRINTED.exchanged()
    assert exchanged.big == BIG
    assert ends(exchanged.small.saving, 0) == (10_805, 15_130)
    assert exchanged.common is not None
    assert ends(exchanged.common, 0) == (11_409, 15_130)
    assert exchanged.exchanged() == PRINTED


def test_the_correction_of_the_mail_is_the_exchange():
    assert Row.of(claims.get("002-small-corrected")) == SMALL.exchanged()


def test_gain_and_share_that_the_common_saving_leaves():
    exchanged = PRINTED.exchanged()
    common = exchanged.common
    assert common is not None
    assert ends(exchanged.big.gain_percent(common), 2) == (3.17, 4.25)  # 11.409/359.385, 15.130/355.664
    assert ends(exchanged.small.gain_percent(common), 2) == (3.33, 4.44)
    assert ends(exchanged.big.share_percent(common), 2) == (3.08, 4.08)
    assert ends(exchanged.small.share_percent(common), 2) == (3.22, 4.26)


def test_the_line_through_both_times():
    assert ends(PRINTED.per_byte("before"), 2) == (37.22, 55.95)
    assert ends(PRINTED.per_byte("after"), 2) == (-9.08, 7.99)  # as if payload cost nothing
    exchanged = PRINTED.exchanged()
    assert ends(exchanged.per_byte("before"), 2) == (20.05, 39.0)
    assert ends(exchanged.per_byte("after"), 2) == (8.09, 24.95)
    assert ends(exchanged.per_frame("before"), 0) == (326_014, 341_520)


def test_a_line_knows_two_sides():
    with pytest.raises(KeyError):
        PRINTED.per_byte("swapped")


def test_only_a_goodput_makes_a_row():
    with pytest.raises(ValueError, match="only Mbit/s"):
        Row.of(claims.get("004-samples"))


def rate(ns: Fraction, payload: int, digits: int) -> Decimal:
    """The goodput as a mail would print it."""
    mbit = 8000 * payload / ns
    return Decimal(round(mbit * 10**digits)).scaleb(-digits)


@given(
    st.integers(50_000, 400_000),
    st.integers(0, 60),
    st.integers(-20_000, 40_000),
    st.integers(200, 700),
    st.integers(800, 1460),
    st.integers(0, 2),
    st.integers(0, 2),
)
def test_the_true_saving_is_always_among_the_possible_ones(
    per_frame, per_byte, saving, small, big, fine, coarse
):
    def row(payload: int, digits: int) -> Row:
        before = Fraction(per_frame + per_byte * payload)
        figures = {"before": rate(before, payload, digits), "after": rate(before - saving, payload, digits)}
        assume(all(f > 1 for f in figures.values()))
        return Row.of(replace(claims.get("002-big"), payload=payload, **figures))

    rows = TwoRows(row(big, coarse), row(small, fine))
    assert rows.common is not None
    assert saving in rows.common
    assert per_byte in rows.per_byte("before")
    assert per_frame in rows.per_frame("before")
    percent = Fraction(100 * saving) / (per_frame + per_byte * big - saving)
    assert percent in rows.big.gain_percent(Interval(Fraction(saving), Fraction(saving)))
    assert percent in rows.big.gain_percent(rows.common)
