"""The exercise of notebook 04: wait for a device, with a time limit, without a false time-out."""

from typing import Any

from ..checks import Check, Step

LOOK_NS, CLOCK_NS = 200, 270
TOO_MANY = 2_000


class Device:
    """Something to wait for, and the clock beside it; both are counted, and both take their time.

    Args:
        ready_at_ns: from when on `look` says True.
        interrupt_behind: behind which look (from 1) the CPU is taken away; 0 for never.
        interrupt_ns: for how long.
    """

    def __init__(self, ready_at_ns: int, interrupt_behind: int = 0, interrupt_ns: int = 0) -> None:
        self.ready_at_ns, self.interrupt_behind, self.interrupt_ns = (
            ready_at_ns,
            interrupt_behind,
            interrupt_ns,
        )
        self.looks = self.clock_reads = self._now_ns = 0

    def __repr__(self) -> str:
        return "device"

    def look(self) -> bool:
        """Read the status register: is the device ready?

        Raises:
            RuntimeError: you have looked so often that you would never stop.
        """
        self.looks += 1
        self._now_ns += LOOK_NS
        ready = self._now_ns >= self.ready_at_ns
        if self.looks > TOO_MANY:
            raise RuntimeError(f"{TOO_MANY} looks and no end: compare the clock with the limit")
        if self.looks == self.interrupt_behind:
            self._now_ns += self.interrupt_ns
        return ready

    def now_ns(self) -> int:
        """Read the clock."""
        self.clock_reads += 1
        self._now_ns += CLOCK_NS
        return self._now_ns


def _seen(result: Any, args: tuple[Any, ...]) -> Any:
    """The answer, and whether the clock was asked at all."""
    return result, args[0].clock_reads


def _answer(result: Any, args: tuple[Any, ...]) -> Any:
    return result


NEVER = 10**18
_LIMIT = 100_000

wait_ready_check = Check(
    "wait_ready",
    [
        Step(
            (True, 0),
            (Device(0), _LIMIT),
            did="a device that is ready at once; saw the answer, and how often you read the clock",
            look=_seen,
            changes=(0,),
            mistakes=[
                (
                    lambda seen: seen[0] is True and seen[1] > 0,
                    "you read the clock before you look. In most cases nobody needs it.",
                ),
            ],
        ),
        Step(
            True,
            (Device(30_000), _LIMIT),
            did="a device that is ready after 30 µs; the limit is 100 µs",
            look=_answer,
            changes=(0,),
        ),
        Step(
            False,
            (Device(NEVER), _LIMIT),
            did="a device that never gets ready; the limit is 100 µs",
            look=_answer,
            changes=(0,),
        ),
        Step(
            True,
            (Device(60_000, 20, 120_000), _LIMIT),
            did="ready after 60 µs, and an interrupt of 120 µs between a look and the clock",
            look=_answer,
            changes=(0,),
            edge=True,
            mistakes=[(False, "your last look is older than your clock. Look once more before you give up.")],
        ),
        Step(
            False,
            (Device(NEVER, 20, 120_000), _LIMIT),
            did="never ready, and the same interrupt",
            look=_answer,
            changes=(0,),
            edge=True,
        ),
    ],
    hint="Return True when the device is ready, False when the time is over.",
)
