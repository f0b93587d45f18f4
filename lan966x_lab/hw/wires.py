"""Wires, and what stands at their ends: front ports of a switch, or a `Capture`.

What travels is the frame with its FCS. Its time is that of the start-of-frame delimiter: that is what a PTP
clock stamps, at either end. A wire can be told to damage or lose the next frame, and keeps a log if asked to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.fcs import FCS_LEN, fcs, is_intact
from lan966x_lab.hw.limits import whole

PREAMBLE = 8
GAP = 12
"""Bytes before a frame (preamble and delimiter) and behind it."""


class Endpoint(Protocol):
    """One end of a wire."""

    wire: Wire | None
    speed_mbps: int

    def arrive(self, data: bytes, duration_ns: int) -> None:
        """The delimiter of a frame is here now; its last byte comes in `duration_ns`."""


class OnWire(NamedTuple):
    """A frame as a wire saw it, without FCS. `time_ns`: when its delimiter reached `to`."""

    time_ns: int
    to: Endpoint
    frame: bytes


class WireError(ValueError):
    """Two ends that do not fit together."""


class Wire:
    """Joins two ends; `delay_ns` is the way from one to the other.

    Attributes:
        log: None, or the list that gets an `OnWire` for every frame that arrives, damaged or not.
    """

    def __init__(self, clock: Clock, a: Endpoint, b: Endpoint, delay_ns: int = 0) -> None:
        if a is b or a.wire or b.wire:
            raise WireError("an end has a wire already, or both ends are one: unplug() first")
        if a.speed_mbps != b.speed_mbps:
            raise WireError(
                f"one end runs at {a.speed_mbps} Mbit/s, the other at {b.speed_mbps}: set them equal"
            )
        self.clock, self.a, self.b, self.delay_ns = clock, a, b, whole("delay_ns", delay_ns, 0)
        self.log: list[OnWire] | None = None
        self._faults: list[Callable[[bytes], bytes | None]] = []
        a.wire = b.wire = self

    def unplug(self) -> None:
        """Take the wire away; what is on it still arrives."""
        self.a.wire = self.b.wire = None

    def carry(self, sender: Endpoint, data: bytes, duration_ns: int) -> None:
        """A frame's delimiter leaves `sender` now."""
        to = self.b if sender is self.a else self.a
        damaged = self._faults.pop(0)(data) if self._faults else data
        if damaged is None:
            return
        if self.delay_ns:
            self.clock.after(self.delay_ns, partial(self._arrive, to, damaged, duration_ns))
        else:
            self._arrive(to, damaged, duration_ns)

    def _arrive(self, to: Endpoint, data: bytes, duration_ns: int) -> None:
        if self.log is not None:
            self.log.append(OnWire(self.clock.now_ns, to, data[:-FCS_LEN]))
        to.arrive(data, duration_ns)

    # ---- what can be ordered, each for the next frame ----

    def lose_next(self) -> None:
        """The next frame gets lost."""
        self._faults.append(lambda data: None)

    def flip_bit(self, bit: int) -> None:
        """One bit of the next frame arrives wrong: bit `bit` % 8 of byte `bit` // 8, modulo its length."""
        whole("bit", bit, 0)

        def flip(data: bytes) -> bytes:
            out = bytearray(data)
            out[bit // 8 % len(out)] ^= 1 << bit % 8
            return bytes(out)

        self._faults.append(flip)


class Line:
    """The transmitting side of an end: one frame after the other, at the line's speed."""

    def __init__(self, clock: Clock, speed_mbps: int) -> None:
        self.clock, self.speed_mbps = clock, whole("speed_mbps", speed_mbps, 1)
        self._free_at = 0

    def time_of(self, nbytes: int) -> int:
        """ns on the line, rounded down."""
        return nbytes * 8000 // self.speed_mbps

    def reserve(self, nbytes: int) -> tuple[int, int]:
        """The next free slot for a frame of `nbytes` with FCS: when its delimiter has passed, how long it
        takes.
        """
        start = max(self.clock.now_ns, self._free_at) + self.time_of(PREAMBLE)
        duration = self.time_of(nbytes)
        self._free_at = start + duration + self.time_of(GAP)
        return start, duration


class Capture:
    """The end of a wire where frames are recorded, and from where recorded frames can be sent.

    Attributes:
        frames: (time in ns, frame without FCS) of every intact frame that arrived; the time is the
            delimiter's.
        damaged: how many arrived with a wrong FCS.
    """

    def __init__(self, clock: Clock, speed_mbps: int = 1000) -> None:
        self.clock, self.speed_mbps = clock, speed_mbps
        self.wire: Wire | None = None
        self.frames: list[tuple[int, bytes]] = []
        self.damaged = 0
        self._line = Line(clock, speed_mbps)

    def arrive(self, data: bytes, duration_ns: int) -> None:
        """Record a frame."""
        if is_intact(data):
            self.frames.append((self.clock.now_ns, data[:-FCS_LEN]))
        else:
            self.damaged += 1

    def send(self, frame: bytes, at_ns: int | None = None) -> int:
        """Send `frame` (padded to 60 bytes) when the line is free, not before `at_ns`.

        Returns the time at which its delimiter leaves. With `at_ns` in the future the frame waits for it.
        """
        data = frame.ljust(60, b"\0")
        data += fcs(data)
        if at_ns is not None and at_ns > self.clock.now_ns:
            self._line._free_at = max(self._line._free_at, at_ns - self._line.time_of(PREAMBLE))
        time_ns, duration_ns = self._line.reserve(len(data))
        self.clock.at(time_ns, partial(self._depart, data, duration_ns))
        return time_ns

    def _depart(self, data: bytes, duration_ns: int) -> None:
        if self.wire is not None:
            self.wire.carry(self, data, duration_ns)
