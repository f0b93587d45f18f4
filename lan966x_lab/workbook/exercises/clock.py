"""The exercises of notebook 03: when a reading comes too late, and a frame's full time."""

from typing import Any

from lan966x_lab.hw.phc import SECOND
from lan966x_lab.measure.counted import tod

from ..checks import Check, Step

ARRIVALS = (0, 250_000_000, 999_999_999)
"""Frames that the first exercise tries, in ns of second 99."""


def comes_out(later: object) -> str:
    """``"right"`` if every frame's time is, when the clock is read so many ns later; else ``"wrong"``."""
    if not isinstance(later, int) or isinstance(later, bool) or later < 0:
        return f"no whole number of nanoseconds from 0 on: {later!r}"
    arrivals = [99 * SECOND + ns for ns in ARRIVALS]
    errors = {tod.stamp(arrival, arrival + later).error_ns for arrival in arrivals}
    return "wrong" if any(errors) else "right"


def _around(too_late: Any, _: tuple[Any, ...]) -> str:
    now = comes_out(too_late)
    if now not in ("right", "wrong") or too_late == 0:
        return now
    return f"{comes_out(too_late - 1)}, then {now}"


too_late_check = Check(
    "too_late",
    [
        Step(
            "right, then wrong",
            None,
            did="read the clock too_late − 1 ns, then too_late ns after three frames had arrived",
            look=_around,
            mistakes=[
                ("right, then right", "this is early enough; the first delay that is too long is longer."),
                ("wrong, then wrong", "a shorter delay is too long already."),
                ("wrong, then right", "the delay before is too long; look there."),
            ],
        )
    ],
    hint="raise the delay in the explorer until the ring shows a cross, then look for the edge.",
)


def _time(
    did: str, seconds: int, ns: int, frame_ns: int, *mistakes: tuple[Any, str], edge: bool = False
) -> Step:
    want = (seconds - (ns < frame_ns)) * SECOND + frame_ns
    return Step(
        want,
        (seconds, ns, frame_ns),
        did=f"full_time({seconds}, {ns}, {frame_ns}): {did}",
        edge=edge,
        mistakes=(
            (want / SECOND, "it is in seconds; count in whole nanoseconds."),
            *mistakes,
        ),
    )


_SAME = "the second has not changed since; do not borrow."
_READING = "that is the time of the reading; the frame's own nanosecond comes from its header."

full_time_check = Check(
    "full_time",
    [
        _time(
            "read a little later in the same second",
            100,
            500,
            400,
            (100 * SECOND + 500, _READING),
            (99 * SECOND + 400, _SAME),
        ),
        _time(
            "the second changed between arrival and reading",
            100,
            5,
            999_999_998,
            (100 * SECOND + 999_999_998, "that is almost a second after the reading; borrow a second."),
        ),
        _time(
            "read much later, in the same second",
            100,
            900_000_000,
            100_000_000,
            (101 * SECOND + 100_000_000, "a frame cannot come from the future."),
            (99 * SECOND + 100_000_000, _SAME),
        ),
        _time(
            "read much later, in the next second",
            100,
            300_000_000,
            400_000_000,
            (
                100 * SECOND + 400_000_000,
                "that is after the reading, and a frame cannot come from the future.",
            ),
        ),
        _time("read in the very nanosecond of arrival", 100, 7, 7, (99 * SECOND + 7, _SAME), edge=True),
        _time("both at the first nanosecond", 100, 0, 0, (99 * SECOND, _SAME), edge=True),
        _time("read one nanosecond before the frame's, so a second later", 100, 6, 7, edge=True),
        _time(
            "a second that needs more than 32 bits",
            (1 << 32) + 5,
            1,
            0,
            (5 * SECOND, "the upper bits of the seconds are gone."),
            edge=True,
        ),
    ],
    hint="compare the two nanoseconds: which of them comes first, if a frame cannot come from the future?",
)
