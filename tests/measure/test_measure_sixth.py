"""The sixth patch against an oracle that knows when frames arrived and when the clock was read."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab.measure.counted.sixth import (
    BUDGET,
    REPAIRS,
    SECOND,
    WIRE_NS,
    Poll,
    after_the_last,
    each_frame,
    never_borrow,
    once_more_if_larger,
    once_per_poll,
    run,
    saved_ns,
    waiting,
)
from lan966x_lab.measure.model import costmodel

MEANWHILE = Poll(5 * SECOND, (5 * SECOND - 1_000, 5 * SECOND + 10_000))
BEFORE_THE_SECOND = Poll(8 * SECOND + 3_000, (8 * SECOND - 2_000, 8 * SECOND + 1_000))
IN_MID_POLL = Poll(8 * SECOND - 5_000, (8 * SECOND - 9_000, 8 * SECOND + 3_000))


@st.composite
def polls(draw: st.DrawFn) -> Poll:
    near = draw(st.sampled_from((1, 7, 1 << 20)))
    begin = near * SECOND + draw(st.integers(-60_000, 60_000))
    arrivals = [begin - draw(st.integers(0, 20_000))]
    for gap in draw(st.lists(st.integers(WIRE_NS, 30_000), max_size=6)):
        arrivals.append(arrivals[-1] + gap)
    return Poll(begin, tuple(arrivals))


@settings(max_examples=60)
@given(polls())
def test_the_driver_as_it_is_and_the_repair_are_always_right(poll: Poll):
    for way in (each_frame, after_the_last):
        assert run(way, poll).is_right


@settings(max_examples=60)
@given(polls())
def test_the_patch_is_wrong_by_a_second_for_frames_that_came_after_the_reading(poll: Poll):
    outcome = run(once_per_poll, poll)
    (reading,) = outcome.readings
    for arrived, error in zip(outcome.arrived, outcome.errors_ns, strict=True):
        if arrived != reading:
            assert error == (-SECOND if arrived > reading else 0)


def test_a_second_that_ends_before_the_poll_is_innocent():
    assert run(once_per_poll, BEFORE_THE_SECOND).is_right
    assert run(once_per_poll, MEANWHILE).errors_ns == (0, -SECOND)


def test_the_tempting_repairs_fail_where_they_should():
    assert run(once_more_if_larger, MEANWHILE).is_right
    assert run(once_more_if_larger, IN_MID_POLL).errors_ns == (0, -SECOND)
    assert run(never_borrow, BEFORE_THE_SECOND).errors_ns == (SECOND, 0)
    assert set(REPAIRS.values()) == {each_frame, after_the_last, once_more_if_larger, never_borrow}


@pytest.mark.parametrize("frames", [1, 2, 8, BUDGET])
def test_one_reading_of_five_accesses_is_left(frames: int):
    before, after = run(each_frame, waiting(frames)), run(once_per_poll, waiting(frames))
    assert (before.accesses, len(before.readings)) == (5 * frames, frames)
    assert (after.accesses, len(after.readings)) == (5, 1)
    assert before.is_right
    assert after.is_right
    assert len(before.times) == frames


def test_frames_that_come_after_the_poll_are_not_taken():
    late = Poll(5 * SECOND, (5 * SECOND - 1_000, 6 * SECOND))
    assert run(each_frame, late).times == (5 * SECOND - 1_000,)


def test_what_is_saved_is_a_share_of_the_clock():
    clock = costmodel.fit().parameter("lan966x fdma rx", "time of day").ns
    assert (saved_ns(1).low, saved_ns(1).high) == (0, 0)
    assert saved_ns(8) == clock.scaled(7).scaled(1 / 8)


@pytest.mark.parametrize(
    ("begin", "arrivals", "said"),
    [
        (5, (1, 2), "frames arrive 1 ns after each other; at 1 Gbit/s it is 672 ns or more"),
        (5000, (4000, 1000), "frames arrive -3000 ns after each other"),
        (5, (6,), "the first one arrives before begin_ns"),
        (SECOND, (1,), "more than half a second"),
        (5, (), "0 frames: a poll takes 1 to 64"),
        (10**6, tuple(1000 * n for n in range(65)), "65 frames"),
        (5.0, (1,), "5.0 is no time"),
        (5, ("1",), "'1' is no time"),
        (True, (1,), "True is no time"),
        (5, (-1,), "-1 is no time"),
    ],
)
def test_polls_that_cannot_be_are_refused(begin, arrivals, said: str):
    with pytest.raises(ValueError, match=said):
        Poll(begin, arrivals)
