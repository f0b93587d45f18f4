"""Gains put together, against numbers worked out by hand, and against a machine that really saves them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.measure.model.adding import Overlap, gain, header_overlap, put_together
from lan966x_lab.measure.model.datapath import header_lines, recording


def test_two_patches_that_save_different_quarters_of_a_frame():
    """100 ns, less 25 ns each: 4/3 times as fast alone, twice as fast together."""
    ways = put_together({"a": 4 / 3, "b": 4 / 3}, Overlap({"a": 10, "b": 10}, 20))
    assert ways == pytest.approx(
        {
            "percentages added": 5 / 3,
            "rates multiplied": 16 / 9,
            "saved times added": 2,
            "saved times added, shared lines once": 2,
        }
    )


def test_two_patches_that_save_the_same_quarter():
    ways = put_together({"a": 4 / 3, "b": 4 / 3}, Overlap({"a": 10, "b": 10}, 10))
    assert ways["saved times added, shared lines once"] == pytest.approx(4 / 3)


@given(st.lists(st.floats(0.01, 0.2), min_size=1, max_size=4))
def test_saved_times_are_right_where_the_work_is_different(shares: list[float]):
    gains = {str(n): 1 / (1 - share) for n, share in enumerate(shares)}
    ways = put_together(gains, Overlap({}, 0))
    assert ways["saved times added"] == pytest.approx(1 / (1 - sum(shares)))
    assert ways["saved times added, shared lines once"] == ways["saved times added"]


def test_the_header_patches_are_after_the_same_lines():
    overlap = header_overlap("000/2 v2", "002")
    before = sum(header_lines(()).values())
    assert overlap.alone["002"] == before - sum(header_lines(["002"]).values())
    assert 0 < overlap.twice < min(overlap.alone.values())
    assert header_overlap("002").twice == 0


def test_a_recorded_gain():
    one = recording(["002"]).comparison("tcp")
    ratios = sorted(on / off for off, on in zip(one.mbit["off"].values, one.mbit["on"].values, strict=True))
    assert ratios[0] <= gain(one) <= ratios[-1]


def test_what_cannot_be_put_together_is_refused():
    with pytest.raises(ValueError, match="no gain for 002: there is one for 003"):
        put_together({"003": 1.0}, Overlap({"002": 3}, 3))
    with pytest.raises(ValueError, match=r"add up to 1\.00 of a frame's time"):
        put_together({"a": 2.0, "b": 2.0}, Overlap({}, 0))
