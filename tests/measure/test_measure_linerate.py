from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.measure.interval import Interval, printed
from lan966x_lab.measure.linerate import frame_bytes, frame_ns, goodput, line_rate, wire_bytes


def test_a_full_tcp_segment():
    assert frame_bytes(1448) == 1514
    assert wire_bytes(1448) == 1538
    assert line_rate(1448) == Fraction(1448 * 1000, 1538)
    assert round(float(line_rate(1448)), 2) == 941.48


def test_other_frames():
    assert frame_bytes(1460, "udp") == 1502
    assert wire_bytes(700, "udp") == 766
    assert frame_bytes(0, "udp") == 60  # padded
    assert (
        wire_bytes(18, "udp") == wire_bytes(0, "udp") == 84
    )  # the shortest frame takes 84 bytes of link time
    assert frame_bytes(19, "udp") == 61
    assert float(line_rate(1448, link_mbit=100)) == pytest.approx(94.148, abs=1e-3)


def test_goodput_and_time_per_frame():
    assert goodput(Decimal("1"), 1) == Fraction(8_388_608, 10**6)
    assert round(float(goodput(563, Decimal("10.00"))), 1) == 472.3
    assert round(frame_ns(472, 1448)) == 24_542
    assert frame_ns(line_rate(1448), 1448) == 1538 * 8  # 8 ns per byte at 1 Gbit/s


def test_wrong_calls():
    with pytest.raises(ValueError, match="payload is -1 bytes; it has to be 0 or more"):
        frame_bytes(-1)
    with pytest.raises(ValueError, match="transport 'sctp' is unknown; known are tcp, udp"):
        wire_bytes(10, "sctp")


@pytest.mark.parametrize(
    ("figure", "low", "high"),
    [
        ("31", "30.5", "31.5"),
        ("16.4", "16.35", "16.45"),
        ("941.09", "941.085", "941.095"),
        ("45.0", "44.95", "45.05"),
        ("~70", "63", "77"),
        ("2.5..5", "2.5", "5"),
        ("-3.7", "-3.75", "-3.65"),
    ],
)
def test_printed_figures(figure, low, high):
    assert printed(figure) == Interval(Fraction(low), Fraction(high))


def test_more_than():
    interval = printed(">100")
    assert 100 in interval
    assert 10**12 in interval
    assert 99 not in interval
    assert f"{interval:.0f}" == "[100, inf]"


@pytest.mark.parametrize("figure", ["", "x", "~", ">", "1..", "5..2", "nan", "inf", "1..2..3", "1/0"])
def test_not_a_printed_figure(figure):
    with pytest.raises(ValueError, match="is not a printed figure like"):
        printed(figure)


def test_refusals():
    with pytest.raises(ValueError, match="an interval goes upwards, not from 2 to 1"):
        Interval(Fraction(2), Fraction(1))
    with pytest.raises(ValueError, match="only intervals of positive numbers"):
        printed("1") / Interval(Fraction(0), Fraction(1))


positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000)
pairs = st.tuples(positive, positive)


@given(pairs, pairs, st.fractions(0, 1), st.fractions(0, 1), st.fractions(-50, 50))
def test_the_result_holds_for_every_number_inside(one, other, s, t, factor):
    """An independent oracle: pick a point in each interval; the operation on points lies in the result."""
    a, b = Interval(*sorted(one)), Interval(*sorted(other))
    x, y = a.low + s * (a.high - a.low), b.low + t * (b.high - b.low)
    assert x - y in a - b
    assert x / y in a / b
    assert factor * x + 3 in a.scaled(factor, 3)
    assert a.meets(b) == (max(a.low, b.low) <= min(a.high, b.high))
