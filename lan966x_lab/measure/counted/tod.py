"""Reading the time of day, and completing the time of a frame with it: near the edge of a second, too late,
and with the two mistakes that are easy to make.
"""

from __future__ import annotations

from typing import NamedTuple

from lan966x_lab.driver.phc import TOD_ACC_PIN, Phc
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.phc import SECOND, PtpClock
from lan966x_lab.hw.registers import Access, Costs, Door

__all__ = [
    "DRIVER",
    "REGISTERS",
    "RULES",
    "Latched",
    "Look",
    "Readout",
    "Rule",
    "Stamp",
    "latch",
    "readout",
    "stamp",
]

PIN = f"PTP_PIN_CFG[{TOD_ACC_PIN}]"
SEC_MSB, SEC_LSB, NSEC = (f"PTP_TOD_{part}[{TOD_ACC_PIN}]" for part in ("SEC_MSB", "SEC_LSB", "NSEC"))
REGISTERS = (PIN, SEC_MSB, SEC_LSB, NSEC)
"""What a reading touches."""


class Look(NamedTuple):
    """One access of a reading, and what the running clock says when it ends (ns)."""

    access: Access
    clock_ns: int


class Latched(NamedTuple):
    """The time of day after SAVE: what the registers hold, and the time in ns that the driver reads."""

    seconds: int
    raw_ns: int  # 30 bits
    time_ns: int

    @property
    def signed_ns(self) -> int:
        """The nanoseconds with their sign: shortly before a second they are -16 to -1."""
        return self.raw_ns - (1 << 30) if self.raw_ns >= SECOND else self.raw_ns


def _read(door: Door) -> Latched:
    """The driver reads the time of day; what the registers hold is looked at from the device's side."""
    time_ns = Phc(door).gettime()
    return Latched(door.peek(SEC_MSB) << 32 | door.peek(SEC_LSB), door.peek(NSEC), time_ns)


def latch(time_ns: int) -> Latched:
    """The time of day, saved at `time_ns` sharp."""
    door = Door(Clock(), Costs(0, 0, 0))
    PtpClock(door).domains[0].load(time_ns)
    return _read(door)


class Readout(NamedTuple):
    """The accesses of one reading, with what the running clock says when each ends, and the outcome."""

    looks: list[Look]
    saved: Latched


def readout(begin_ns: int) -> Readout:
    """The driver reads the time of day from when the clock says `begin_ns`; access times count from there."""
    door = Door(Clock())
    domain = PtpClock(door).domains[0]
    Phc(door).start()
    domain.load(begin_ns)
    start_ns = door.clock.now_ns
    door.trace = []
    saved = _read(door)
    passed = [access._replace(time_ns=access.time_ns - start_ns) for access in door.trace]
    return Readout([Look(access, begin_ns + access.time_ns) for access in passed], saved)


class Rule(NamedTuple):
    """Whether a rule minds the slightly negative reading, and whether it borrows a second."""

    corrects: bool
    borrows: bool


DRIVER = "as the driver does"
RULES = {
    DRIVER: Rule(corrects=True, borrows=True),
    "never borrow": Rule(corrects=True, borrows=False),
    "take the registers as they read": Rule(corrects=False, borrows=True),
}
"""How to complete the time of a frame: the right way (``driver.phc``), and two mistakes."""


class Stamp(NamedTuple):
    """The time given to a frame that arrived at `arrival_ns`, with the clock read at `read_ns` (ns).

    `seconds` and `ns` are the time of day that the rule goes by; `borrowed` if it took one of the seconds.
    """

    arrival_ns: int
    read_ns: int
    saved: Latched
    seconds: int
    ns: int
    borrowed: bool

    @property
    def frame_ns(self) -> int:
        """What the frame's header says: the nanosecond within the second of arrival."""
        return self.arrival_ns % SECOND

    @property
    def given_ns(self) -> int:
        """The full time that the frame is given."""
        return (self.seconds - self.borrowed) * SECOND + self.frame_ns

    @property
    def error_ns(self) -> int:
        """0 if that is right, more than 0 if it is too late."""
        return self.given_ns - self.arrival_ns


def stamp(arrival_ns: int, read_ns: int, rule: str = DRIVER) -> Stamp:
    """Complete the time of a frame by one of the `RULES`.

    Raises:
        ValueError: the clock is read before the frame arrives.
    """
    if read_ns < arrival_ns:
        raise ValueError(f"read_ns is {read_ns}: the frame arrives at {arrival_ns} ns, read then or later")
    corrects, borrows = RULES[rule]
    saved = latch(read_ns)
    seconds, ns = divmod(saved.time_ns, SECOND) if corrects else (saved.seconds, saved.raw_ns)
    return Stamp(arrival_ns, read_ns, saved, seconds, ns, borrows and ns < arrival_ns % SECOND)
