"""A sixth patch, invented for this book: read the time of day once per poll. To be reviewed by the reader.

With PTP in use every frame of the port has its time completed, and the clock is read for each
(``driver.ptp``). The sixth patch reads it once, when a poll begins. Both ways run here against the lab's
chip: its clock, its registers, its counters. *Counted*: register accesses.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType

from lan966x_lab.driver.phc import SECOND, Phc, full_time
from lan966x_lab.hw.lan966x import Lan966x
from lan966x_lab.hw.registers import Access, Door
from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import tod
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.model import costmodel
from lan966x_lab.measure.model.costpaths import CLOCK

__all__ = [
    "BUDGET",
    "REPAIRS",
    "Outcome",
    "Poll",
    "Ring",
    "each_frame",
    "once_per_poll",
    "run",
    "saved_ns",
    "waiting",
]

BUDGET = 64
WIRE_NS = 672
"""The shortest time between two frames at 1 Gbit/s: 60 + 24 bytes."""
_, WORK_NS = claims.get("000-rx").per_frame_ns()
"""What else the driver does for a frame: the time per frame of seed 000 once the clock is skipped."""


class Ring:
    """Received frames that wait for the driver; more arrive while it works.

    Args:
        arrivals_ns: in ns of virtual time, ascending.
        begin_ns: the chip's clock minus virtual time.
    """

    def __init__(self, door: Door, arrivals_ns: Sequence[int], begin_ns: int) -> None:
        self.taken: list[int] = []
        self._door, self._arrivals, self._begin_ns = door, arrivals_ns, begin_ns

    def take(self, budget: int) -> Iterator[int]:
        """What the headers of up to `budget` frames say: the nanosecond of arrival, without the second."""
        for arrival in self._arrivals[:budget]:
            if arrival > self._door.clock.now_ns:
                return
            self.taken.append(self._begin_ns + arrival)
            yield self.taken[-1] % SECOND
            self._door.delay(WORK_NS)


# ---- the code under review ----


def each_frame(phc: Phc, ring: Ring) -> list[int]:
    """The driver as it is: a reading for every frame."""
    return [full_time(phc.gettime(), frame_ns) for frame_ns in ring.take(BUDGET)]


def once_per_poll(phc: Phc, ring: Ring) -> list[int]:
    """The sixth patch: one reading for all frames of a poll."""
    now_ns = phc.gettime()
    return [full_time(now_ns, frame_ns) for frame_ns in ring.take(BUDGET)]


# ---- what a reviewer may ask for ----


def after_the_last(phc: Phc, ring: Ring) -> list[int]:
    """One reading again, but when the last frame has been taken."""
    frames = list(ring.take(BUDGET))
    now_ns = phc.gettime() if frames else 0
    return [full_time(now_ns, frame_ns) for frame_ns in frames]


def once_more_if_larger(phc: Phc, ring: Ring) -> list[int]:
    """One reading, and another one whenever a frame's nanosecond is larger than the last reading's."""
    now_ns, times = phc.gettime(), []
    for frame_ns in ring.take(BUDGET):
        if frame_ns > now_ns % SECOND:
            now_ns = phc.gettime()
        times.append(full_time(now_ns, frame_ns))
    return times


def never_borrow(phc: Phc, ring: Ring) -> list[int]:
    """One reading, and its second for every frame."""
    now_ns = phc.gettime()
    return [now_ns - now_ns % SECOND + frame_ns for frame_ns in ring.take(BUDGET)]


Way = Callable[[Phc, Ring], list[int]]

REPAIRS: Mapping[str, Way] = MappingProxyType(
    {
        "read for each frame, as before": each_frame,
        "read after the last frame": after_the_last,
        "read again when the frame's nanosecond is larger": once_more_if_larger,
        "never borrow a second": never_borrow,
    }
)


# ---- running it ----


@dataclass(frozen=True)
class Poll:
    """A poll of the driver, in ns of the chip's clock: when it begins, and when frames arrive.

    Raises:
        ValueError: no wire and no interrupt make such a poll; the message says why.
    """

    begin_ns: int
    arrivals_ns: tuple[int, ...]

    def __post_init__(self) -> None:
        for ns in (self.begin_ns, *self.arrivals_ns):
            if type(ns) is not int or not 0 <= ns < SECOND << 32:
                raise ValueError(f"{ns!r} is no time: whole nanoseconds from 0 on, below 2^32 seconds")
        if not 1 <= len(self.arrivals_ns) <= BUDGET:
            raise ValueError(f"{len(self.arrivals_ns)} frames: a poll takes 1 to {BUDGET}")
        if self.arrivals_ns[0] > self.begin_ns:
            raise ValueError("a poll begins because a frame is there: the first one arrives before begin_ns")
        if self.begin_ns - self.arrivals_ns[0] > SECOND // 2:
            raise ValueError("the first frame has waited for more than half a second: no driver is so late")
        for one, other in zip(self.arrivals_ns, self.arrivals_ns[1:], strict=False):
            if other - one < WIRE_NS:
                raise ValueError(
                    f"frames arrive {other - one} ns after each other; at 1 Gbit/s it is {WIRE_NS} ns or more"
                )


@dataclass(frozen=True)
class Outcome:
    """What became of a poll.

    Attributes:
        times: that the frames got, in ns.
        arrived: when they had arrived, in ns; of the frames that this poll took.
        readings: when the clock was read (its SAVE), in ns.
        accesses: register reads and writes.
    """

    times: tuple[int, ...]
    arrived: tuple[int, ...]
    readings: tuple[int, ...]
    accesses: int

    @cached_property
    def errors_ns(self) -> tuple[int, ...]:
        """By how much each time is off; all 0 when the way is right."""
        return tuple(given - at for given, at in zip(self.times, self.arrived, strict=True))

    @property
    def is_right(self) -> bool:
        """Whether every frame got its time."""
        return not any(self.errors_ns)


def run(way: Way, poll: Poll) -> Outcome:
    """Let one of the ways take the frames of a poll, against a fresh chip."""
    chip = Lan966x()
    door, phc = chip.door, Phc(chip.door)
    phc.start()
    door.clock.run_until(door.clock.now_ns + SECOND)  # so that frames can have come before the poll
    chip.ptp.domains[0].load(poll.begin_ns)
    begin_ns = poll.begin_ns - door.clock.now_ns
    ring = Ring(door, [at - begin_ns for at in poll.arrivals_ns], begin_ns)
    before = door.reads.total() + door.writes.total()
    trace: list[Access] = []
    door.trace = trace
    times = way(phc, ring)
    readings = (begin_ns + each.time_ns for each in trace if (each.kind, each.name) == ("W", tod.PIN))
    accesses = door.reads.total() + door.writes.total() - before
    return Outcome(tuple(times), tuple(ring.taken), tuple(readings), accesses)


def waiting(frames: int, begin_ns: int = 5 * SECOND + 400_000_000) -> Poll:
    """A poll whose frames have all arrived when it begins."""
    first = begin_ns - 1000 - frames * WIRE_NS
    return Poll(begin_ns, tuple(first + WIRE_NS * index for index in range(frames)))


def saved_ns(frames: int) -> Interval:
    """What the sixth patch saves per frame in a poll of so many, computed from the figures of 000/1, in ns.

    One reading stays for the whole poll, so the last of `frames` readings is not saved.
    """
    clock = costmodel.fit().parameter("lan966x fdma rx", CLOCK).ns
    return clock.scaled(Fraction(frames - 1, frames))
