"""What waiting for the injection FIFO costs: counted for any readiness, then priced for any costs.

The driver asks before each word whether the FIFO takes it (seed 001). How often the answer is no is decided
by dice with a fixed seed; how often the driver then looks at register and clock is counted while it runs.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from lan966x_lab.driver import Board, Options
from lan966x_lab.hw.registers import Access, Costs
from lan966x_lab.measure.counted.work import Work, so_far

NOT_READY_NS = 5_000
"""How long the FIFO says no: longer than the first looks, over when the driver has waited its 10 µs."""


@dataclass(frozen=True, slots=True)
class Injection:
    """The work of injecting one frame.

    Attributes:
        asked: for how many words the driver asked.
        refused: for how many of them the FIFO said no at first.
        work: what was counted, with the costs of the lab.
        delay_ns: the part of ``work.ns`` that passed in waits of 10 µs.
    """

    asked: int
    refused: int
    work: Work
    delay_ns: int

    def ns(self, costs: Costs) -> int:
        """The time of the frame if a register access and a clock read cost this much."""
        return (
            self.work.reads.total() * costs.read_ns
            + self.work.writes.total() * costs.write_ns
            + self.work.ktime_reads * costs.ktime_ns
            + self.delay_ns
        )


@cache
def inject(options: Options, ready_percent: int, nbytes: int = 1514, seed: int = 1) -> Injection:
    """Inject one frame of `nbytes` (no FCS) while the FIFO is ready for about `ready_percent` % of the words.

    The first word always finds it ready.

    Raises:
        ValueError: `ready_percent` is not in 0..100.
    """
    if not 0 <= ready_percent <= 100:
        raise ValueError(f"ready_percent is {ready_percent}: give 0 to 100")
    dice = random.Random(seed)
    pauses: list[int] = []

    def pause() -> int:
        pauses.append(0 if dice.random() * 100 < ready_percent else NOT_READY_NS)
        return pauses[-1]

    board = Board(options, keep=False)
    door, group = board.chip.door, board.chip.injection[0]
    group.pauses = iter(pause, None)
    start, delayed = so_far(board), door.delay_ns
    board.send(bytes(nbytes))
    refused = sum(map(bool, pauses[:-1]))  # nobody asks behind the last word
    return Injection(len(pauses), refused, so_far(board) - start, door.delay_ns - delayed)


def break_even_percent(costs: Costs) -> int | None:
    """From which readiness on the first look saves time; None if it never does.

    A first look that is answered "ready" saves one clock read; one that is refused costs one register read
    more. So it pays where ``ready * ktime > refused * read``.
    """
    both = costs.ktime_ns + costs.read_ns
    return None if not costs.ktime_ns else -(-100 * costs.read_ns // both)


def one_word(options: Options, *, ready: bool) -> tuple[Access, ...]:
    """The accesses for one word in the middle of a frame, each with the time since the word before it.

    The FIFO is `ready` for it, or says no for `NOT_READY_NS`.
    """
    board = Board(options, keep=False)
    door = board.chip.door
    board.chip.injection[0].pauses = iter([0] * 9 + ([] if ready else [NOT_READY_NS]))
    door.trace = []
    board.send(bytes(60))
    ends = [at for at, access in enumerate(door.trace) if access.name == "QS_INJ_WR[0]"]
    start = door.trace[ends[9]].time_ns
    return tuple(
        access._replace(time_ns=access.time_ns - start) for access in door.trace[ends[9] + 1 : ends[10] + 1]
    )
