"""The checks of notebook 03 on right answers and on plausible wrong ones, with the sentence each gets."""

import pytest

from lan966x_lab.driver.phc import SECOND
from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.exercises.clock import full_time_check, too_late_check


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (..., Rung.NOT_DEFINED, "Next: raise the delay in the explorer"),
        (SECOND, Rung.RIGHT, "right"),
        (SECOND - 1, Rung.WRONG, "Why: this is early enough"),
        (0, Rung.WRONG, "Saw: 'right'"),
        (SECOND + 1, Rung.WRONG, "Why: a shorter delay is too long already."),
        (3 * SECOND, Rung.WRONG, "Why: a shorter delay is too long already."),
        (1e9, Rung.WRONG, "no whole number of nanoseconds from 0 on: 1000000000.0"),
        (-1, Rung.WRONG, "no whole number of nanoseconds from 0 on: -1"),
        (True, Rung.WRONG, "no whole number of nanoseconds from 0 on: True"),
    ],
)
def test_too_late(answer, rung, said):
    verdict = too_late_check({"__name__": "notebook", "too_late": answer})
    assert verdict.rung is rung
    assert said in verdict.text()
    assert "1,000,000,000" not in verdict.text()
    assert answer == 1e9 or str(SECOND) not in verdict.text(), "the check must not give the answer away"


def right(seconds, ns, frame_ns):
    return (seconds - (ns < frame_ns)) * SECOND + frame_ns


def never_borrows(seconds, ns, frame_ns):
    return seconds * SECOND + frame_ns


def always_borrows(seconds, ns, frame_ns):
    return (seconds - 1) * SECOND + frame_ns


def borrows_when_equal(seconds, ns, frame_ns):
    return (seconds - (ns <= frame_ns)) * SECOND + frame_ns


def compares_the_wrong_way(seconds, ns, frame_ns):
    return (seconds - (ns > frame_ns)) * SECOND + frame_ns


def takes_the_nearest_second(seconds, ns, frame_ns):
    same = seconds * SECOND + frame_ns
    return min((same - SECOND, same, same + SECOND), key=lambda time: abs(time - seconds * SECOND - ns))


def returns_the_reading(seconds, ns, frame_ns):
    return seconds * SECOND + ns


def in_seconds(seconds, ns, frame_ns):
    return right(seconds, ns, frame_ns) / SECOND


def as_a_float(seconds, ns, frame_ns):
    return float(right(seconds, ns, frame_ns))


def loses_the_upper_bits(seconds, ns, frame_ns):
    return right(seconds & 0xFFFFFFFF, ns, frame_ns)


def half_a_second(seconds, ns, frame_ns):
    return (seconds - (frame_ns - ns > SECOND // 2)) * SECOND + frame_ns


def returns_nothing(seconds, ns, frame_ns):
    right(seconds, ns, frame_ns)


def not_started(seconds, ns, frame_ns):
    raise NotImplementedError("compare")


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (right, Rung.RIGHT, "Visible checks passed (8)."),
        (not_started, Rung.NOT_STARTED, "It says: compare"),
        (never_borrows, Rung.WRONG, "Why: that is almost a second after the reading; borrow a second."),
        (always_borrows, Rung.WRONG, "Why: the second has not changed since; do not borrow."),
        (compares_the_wrong_way, Rung.WRONG, "Why: the second has not changed since; do not borrow."),
        (borrows_when_equal, Rung.ALMOST, "Why: the second has not changed since; do not borrow."),
        (takes_the_nearest_second, Rung.WRONG, "Why: a frame cannot come from the future."),
        (
            half_a_second,
            Rung.WRONG,
            "Why: that is after the reading, and a frame cannot come from the future.",
        ),
        (returns_the_reading, Rung.WRONG, "Why: that is the time of the reading"),
        (in_seconds, Rung.WRONG, "Why: it is in seconds; count in whole nanoseconds."),
        (as_a_float, Rung.WRONG, "Why: it is a float, and an int is asked for."),
        (loses_the_upper_bits, Rung.ALMOST, "Why: the upper bits of the seconds are gone."),
        (returns_nothing, Rung.WRONG, "Why: the function returned nothing"),
    ],
)
def test_full_time(answer, rung, said):
    verdict = full_time_check(answer)
    assert said in verdict.text(), verdict.text()
    assert verdict.rung is rung
