"""The exercise of notebook 06, a poll that keeps NAPI's promise, and the test bench for two drivers."""

import re
from collections.abc import Callable
from typing import Any

from lan966x_lab.driver.bcm4908 import Bcm4908Driver
from lan966x_lab.driver.bcm4908_published import PublishedBcm4908Driver
from lan966x_lab.measure.counted.ringscript import Outcome, play

from ..checks import Check, Step
from ..tables import Table, table

__all__ = ["BAD", "TinyRing", "poll_check", "try_both"]

BAD = "damaged"
_PATIENCE = 1000
_UNMAPPED = re.compile(r"unmapped with (\d+) bytes.*mapped with (\d+) bytes")


class TinyRing:
    """A receive ring as a poll sees it; the frames that wait in it are words.

    >>> ring = TinyRing("a", BAD)
    >>> while ring.waiting():
    ...     print(ring.take())
    a
    None
    >>> ring.complete()
    >>> ring.report(2)
    {'returned': 2, 'handed up': '', 'completed': 1, 'left': ''}

    Args:
        frames: what waits, first come first; ``BAD`` is a damaged frame.
        later: frames that arrive while the first one is handed up.
    """

    def __init__(self, *frames: str, later: tuple[str, ...] = ()) -> None:
        self._frames, self._later = list(frames), later
        self._handed: list[str] = []
        self._completed = self._asked = 0

    def waiting(self) -> bool:
        """Whether the next slot holds a frame: the device has taken its OWN bit away."""
        self._asked += 1
        if self._asked > _PATIENCE:
            raise RuntimeError(f"the poll asked {_PATIENCE} times and took nothing: it would never end")
        return bool(self._frames)

    def take(self) -> str | None:
        """The next frame, its slot refilled and given to the device; None for a damaged one."""
        if not self._frames:
            raise LookupError("take() from an empty ring: that slot is the device's; ask waiting() first")
        self._asked = 0
        frame = self._frames.pop(0)
        return None if frame == BAD else frame

    def up(self, frame: str) -> None:
        """Hand a frame to the stack."""
        if not isinstance(frame, str):
            raise TypeError(f"up({frame!r}): the stack cannot do anything with that, it wants a frame")
        self._handed.append(frame)
        self._frames += self._later
        self._later = ()

    def complete(self) -> None:
        """``napi_complete_done``, and open the interrupt: nobody polls until a new frame arrives."""
        self._completed += 1

    def report(self, returned: Any) -> dict[str, Any]:
        """What happened: what the poll returned, what went up, how often it completed, what is left."""
        return _report(returned, " ".join(self._handed), self._completed, " ".join(self._frames))

    def __repr__(self) -> str:
        return f"TinyRing({', '.join(self._frames)})"


def _report(returned: Any, up: str, completed: int, left: str) -> dict[str, Any]:
    return {"returned": returned, "handed up": up, "completed": completed, "left": left}


def _step(
    did: str,
    ring: TinyRing,
    budget: int,
    want: dict[str, Any],
    *mistakes: tuple[dict[str, Any] | Callable[[dict[str, Any]], bool], str],
    edge: bool = False,
) -> Step:
    known = (*mistakes, (lambda seen: seen["returned"] is None, "return how many frames you took."))
    return Step(
        want,
        (ring, budget),
        did=f"poll(ring, {budget}): {did}",
        look=lambda returned, args: args[0].report(returned),
        changes=(0,),
        edge=edge,
        mistakes=known,
    )


poll_check = Check(
    "poll",
    [
        _step(
            "three frames wait",
            TinyRing("a", "b", "c"),
            8,
            _report(3, "a b c", 1, ""),
            (
                _report(0, "a b c", 1, ""),
                "return how many frames you took. (The driver of this notebook once returned 0, too.)",
            ),
            (
                _report(3, "a b c", 0, ""),
                "fewer than the budget were taken, so the ring is empty: complete, or no interrupt comes.",
            ),
        ),
        _step(
            "the second of three frames is damaged",
            TinyRing("a", BAD, "c"),
            8,
            _report(3, "a c", 1, ""),
            (
                _report(1, "a", 1, "c"),
                "a bad frame ends your poll as if the ring were empty: c waits until another frame comes.",
            ),
            (_report(2, "a c", 1, ""), "taking a bad frame is work, too: count it."),
        ),
        _step(
            "four frames wait, and the budget is three",
            TinyRing("a", "b", "c", "d"),
            3,
            _report(3, "a b c", 0, "d"),
            (_report(4, "a b c d", 0, ""), "that is more than the budget; others wait for the CPU."),
            (
                _report(3, "a b c", 1, "d"),
                "the whole budget was used, so NAPI will poll again; who completes now leaves d to chance.",
            ),
        ),
        _step("nothing waits", TinyRing(), 8, _report(0, "", 1, "")),
        _step(
            "three frames wait, and the budget is three",
            TinyRing("a", "b", "c"),
            3,
            _report(3, "a b c", 0, ""),
            (
                _report(3, "a b c", 1, ""),
                "the ring is empty, but you return the whole budget: NAPI takes that for 'poll me again'.",
            ),
            edge=True,
        ),
        _step(
            "three damaged frames, and the budget is two",
            TinyRing(BAD, BAD, BAD),
            2,
            _report(2, "", 0, BAD),
            (_report(0, "", 1, ""), "bad frames use the budget up like good ones."),
            edge=True,
        ),
        _step(
            "a second frame arrives while the first one is handed up",
            TinyRing("a", later=("b",)),
            8,
            _report(2, "a b", 1, ""),
            (
                _report(1, "a", 1, "b"),
                "ask the ring before every frame: what you counted at the start is old.",
            ),
            edge=True,
        ),
        _step(
            "one frame waits, and the budget is none",
            TinyRing("a"),
            0,
            _report(0, "", 0, "a"),
            (
                _report(0, "", 1, "a"),
                "budget 0 asks for the transmit side only; such a call must not complete.",
            ),
            (lambda seen: seen["left"] != "a", "a budget of 0 means: take nothing."),
            edge=True,
        ),
    ],
    hint="as long as there is budget and a frame waits: take it, hand it up if it is good, count it.",
)


def try_both(script: str, *, ring: int = 8) -> Table:
    """What a script of events leaves behind with the published driver and with ours.

    Args:
        script: letters of ``ringscript.EVENTS``, spaces do not count.
        ring: slots of each ring.
    """
    rows = [
        [name, *_cells(play(script, cls=cls, ring=ring).outcome)]
        for name, cls in (("published", PublishedBcm4908Driver), ("ours", Bcm4908Driver))
    ]
    heads = ["driver", "up", "bad", "missed", "stuck", "leaked", "verdict"]
    return table(rows, heads, f"'{script}' with {ring} slots")


def _cells(outcome: Outcome) -> list[object]:
    faults = {"frames stuck": outcome.stuck, "mapping leaked": outcome.leaked, _short(outcome.complaint): 1}
    verdict = ", ".join(name for name, count in faults.items() if name and count) or "sound"
    return [outcome.up, outcome.bad, outcome.missed, outcome.stuck, outcome.leaked, verdict]


def _short(complaint: str) -> str:
    """Two lengths are what a reader needs of an unmap that was refused, not the address."""
    found = _UNMAPPED.search(complaint)
    if found is None:
        return complaint
    given, mapped = (f"{int(length):,}" for length in found.groups())
    return f"unmapped with {given} bytes, mapped with {mapped}"
