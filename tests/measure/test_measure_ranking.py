"""The patches ranked for three workloads: by the figures, and by counts."""

from fractions import Fraction

import pytest

from lan966x_lab.hw.registers import Costs
from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import header_gain
from lan966x_lab.measure.model.costpaths import PATHS
from lan966x_lab.measure.model.ranking import (
    MEASURED_ON,
    ON_BOARD,
    WORKLOADS,
    Counted,
    Prices,
    Tally,
    Workload,
)
from lan966x_lab.net import ptp

BULK, SHORT, PTP = WORKLOADS.values()


def order(rows) -> list[str]:
    return [row.patch for row in rows]


def test_the_workloads_are_what_they_are_called():
    assert {len(frame) for frame in BULK.frames()} == {1514}
    assert {len(frame) for frame in SHORT.frames()} == {60}
    assert {len(frame) for frame in PTP.frames()} == {PTP.frame}
    assert all(ptp.classify(frame) != ptp.NONE for frame in PTP.frames())
    assert [workload.timed for workload in (BULK, SHORT, PTP)] == [False, False, True]


def test_every_patch_is_on_a_path_that_knows_it():
    assert all(patch in PATHS[path].patches for patch, path in MEASURED_ON.items())
    assert set(MEASURED_ON) == {*ON_BOARD, "004"}


def test_full_frames_in_the_order_of_the_figures():
    rows = BULK.reported()
    assert order(rows) == ["001", "000/2 v2", "000/1", "002", "003", "004"]
    gains = {row.patch: row.gain for row in rows}
    for patch, claim in (("001", "001-sender"), ("000/1", "000-rx"), ("003", "003-netif")):
        one = claims.get(claim)
        assert gains[patch].meets(one.interval("after") / one.interval("before"))
    assert gains["004"].low == 1
    assert gains["004"].high < 1.001  # the wire is full either way


def test_short_frames_change_the_order_and_widen_the_bands():
    bulk, short = ({row.patch: row.gain for row in workload.reported()} for workload in (BULK, SHORT))
    assert order(SHORT.reported())[0] == "000/2 v2"
    assert short["001"].high < bulk["001"].low  # fewer words
    for patch in ("000/1", "000/2 v2"):
        assert short[patch].high > 5
        assert bulk[patch].high - bulk[patch].low < Fraction(1, 100)
    assert {row.patch: row.frame for row in SHORT.reported()}["002"] == 60
    assert {row.patch: row.frame for row in SHORT.reported()}["001"] == 66


def test_the_gate_gains_nothing_where_every_frame_needs_its_time():
    gate = {row.patch: row for row in PTP.reported()}["000/1"]
    assert (gate.gain.low, gate.gain.high) == (1, 1)
    assert order(PTP.reported())[-1] == "000/1"
    for path in ("manual", "fdma"):
        counted = {row.patch: row for row in PTP.counted(path)}["000/1"]
        assert counted.before == counted.after
        assert {row.patch: row for row in BULK.counted(path)}["000/1"].saved_ns() > 0


def test_counts_of_full_frames():
    rows = {row.patch: row for row in BULK.counted("manual")}
    saved = {
        patch: (
            row.before.accesses - row.after.accesses,
            row.before.clock_reads - row.after.clock_reads,
            (row.before.lines - row.after.lines) > 0,
        )
        for patch, row in rows.items()
    }
    assert saved == {
        "001": (0, 386, False),
        "000/1": (5, 0, False),
        "000/2 v2": (0, 0, True),
        "002": (0, 0, True),
        "003": (0, 0, False),
    }
    assert order(BULK.counted("manual"))[0] == "001"
    assert {row.patch: row for row in BULK.counted("fdma")}["001"].saved_ns() == 0


@pytest.mark.parametrize("path", ["manual", "fdma"])
@pytest.mark.parametrize("workload", WORKLOADS.values(), ids=lambda workload: workload.name)
def test_all_together_save_less_than_the_sum_of_the_singles(workload, path: str):
    singles, together = workload.counted(path), workload.together(path)
    assert (
        max(row.saved_ns() for row in singles) <= together.saved_ns() < sum(row.saved_ns() for row in singles)
    )
    assert 0 < together.percent() < 100


def test_prices_are_the_labs_calibration_and_the_mails_line():
    tally = Tally(Fraction(3), Fraction(2), Fraction(1), 10)
    price = header_gain.price()
    expected = 3 * Costs().read_ns + 2 * Costs().write_ns + Costs().ktime_ns + 10 * price.ns / price.lines
    assert Prices().of(tally) == pytest.approx(expected)
    assert Prices(read=Fraction(1), write=Fraction(1), clock=Fraction(1), line=Fraction(0)).of(tally) == 6


def test_the_order_turns_with_the_prices():
    slow = Prices(read=Fraction(400), write=Fraction(200), clock=Fraction(540))
    rows = BULK.counted("fdma")
    assert order(rows)[:3] == ["002", "000/2 v2", "000/1"]
    assert order(sorted(rows, key=lambda row: -row.saved_ns(slow)))[0] == "000/1"


def test_a_share_is_of_the_work_before():
    nothing, some = (
        Tally(Fraction(0), Fraction(0), Fraction(0), 0),
        Tally(Fraction(4), Fraction(0), Fraction(0), 0),
    )
    assert Counted("x", some, nothing).percent() == 100
    assert Counted("x", some, some).percent() == 0


def test_a_workload_of_your_own():
    mine = Workload("mine", 100, lambda: [bytes(100)] * 3)
    saved = {row.patch: row.before.clock_reads - row.after.clock_reads for row in mine.counted("manual")}
    assert saved["001"] == 7 + 25  # a header of 7 words, 100 bytes
    assert {row.frame for row in mine.reported()} == {100}
