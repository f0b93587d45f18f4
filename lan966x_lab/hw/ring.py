"""What every descriptor ring has in common; the three engines of the lab add only their own words.

A descriptor says where a buffer is, how long it is and whose turn it is. The driver fills descriptors and
gives them to the device, the device completes them in order and gives them back. Each side keeps its own
position; neither may pass the other. When the device meets a descriptor that it does not own it stops, and
only a doorbell makes it look again. An interrupt says "something was completed", never how much.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable

from lan966x_lab.hw.clock import Clock, Event
from lan966x_lab.hw.memory import Dma


class DescriptorRing:
    """`length` descriptors of one shape in coherent memory, and the only place where an index wraps.

    Args:
        words: the descriptor as a `struct` format, for example ``"<II"``.
    """

    def __init__(self, view: memoryview, address: int, words: str, length: int) -> None:
        self.view, self.address, self.length = view, address, length
        self._struct = struct.Struct(words)
        self.stride = self._struct.size

    @classmethod
    def allocate(cls, dma: Dma, words: str, length: int, *, links: int = 0) -> DescriptorRing:
        """The driver's side: fresh zeroed descriptors, and `links` more behind them that no index reaches."""
        if length < 1:
            raise ValueError(f"a ring of {length} descriptors: at least 1")
        view, address = dma.alloc_coherent(struct.calcsize(words) * (length + links))
        return cls(view, address, words, length)

    @classmethod
    def at(cls, dma: Dma, address: int, words: str) -> DescriptorRing:
        """The device's side: the descriptors at `address`, to the end of the memory that the driver took."""
        view = dma.coherent(address)
        return cls(view, address, words, len(view) // struct.calcsize(words))

    def read(self, index: int) -> tuple[int, ...]:
        """One snapshot of all words of a descriptor."""
        return self._struct.unpack_from(self.view, index * self.stride)

    def write(self, index: int, *words: int) -> None:
        """All words of a descriptor."""
        self._struct.pack_into(self.view, index * self.stride, *words)

    def next(self, index: int) -> int:
        """The index after `index`."""
        return (index + 1) % self.length

    def address_of(self, index: int) -> int:
        """The bus address of a descriptor."""
        return self.address + index * self.stride

    def index_of(self, address: int) -> int:
        """Which descriptor stands at a bus address.

        Raises:
            ValueError: no descriptor of this ring starts there.
        """
        index, rest = divmod(address - self.address, self.stride)
        if rest or not 0 <= index < self.length:
            raise ValueError(
                f"no descriptor at {address:#x}: the ring is {self.length} x {self.stride} bytes"
            )
        return index


class Interrupt:
    """A latched status bit behind a mask, with coalescing. The CPU looks at `asserted`.

    Args:
        clock: needed for `delay_ns` only.
        frames: latch after this many events ...
        delay_ns: ... or this long after the first event that was not reported.
    """

    def __init__(self, clock: Clock | None = None, *, frames: int = 1, delay_ns: int = 0) -> None:
        if frames < 1 or delay_ns < 0:
            raise ValueError(f"coalescing of {frames} frames, {delay_ns} ns: 1 frame, 0 ns or more")
        if frames > 1 and (delay_ns == 0 or clock is None):
            raise ValueError(
                f"coalescing of {frames} frames never reports the last ones: give a clock and a delay"
            )
        self.clock, self.frames, self.delay_ns = clock, frames, delay_ns
        self.enabled = False
        self.status = False
        self.raised = 0
        self._unreported = 0
        self._timer: Event | None = None

    @property
    def asserted(self) -> bool:
        """Whether the CPU is being interrupted."""
        return self.status and self.enabled

    def event(self) -> None:
        """The device completed something."""
        self._unreported += 1
        if self._unreported >= self.frames:
            self._latch()
        elif self._timer is None and self.clock is not None:
            self._timer = self.clock.after(self.delay_ns, self._latch)

    def enable(self) -> None:
        """Open the mask; what was latched behind it comes through now."""
        self._set(enabled=True, status=self.status)

    def disable(self) -> None:
        """Close the mask."""
        self._set(enabled=False, status=self.status)

    def acknowledge(self) -> None:
        """Clear the latched status."""
        self._set(enabled=self.enabled, status=False)

    def _latch(self) -> None:
        self._unreported = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._set(enabled=self.enabled, status=True)

    def _set(self, *, enabled: bool, status: bool) -> None:
        was = self.asserted
        self.enabled, self.status = enabled, status
        self.raised += self.asserted and not was


class Engine(ABC):
    """The device's side of one ring: a position that moves over descriptors the device owns."""

    def __init__(self, dma: Dma, irq: Interrupt) -> None:
        self.dma, self.irq = dma, irq
        self.position = 0
        self.running = False

    def doorbell(self) -> None:
        """Look again: the driver has given descriptors."""
        self.running = True

    def stop(self) -> None:
        """Touch no descriptor until the next doorbell."""
        self.running = False

    def signal(self, index: int) -> None:
        """A frame that ends in this descriptor was completed."""
        self.irq.event()

    @abstractmethod
    def owned(self, index: int) -> bool:
        """Whether the device may use this descriptor."""

    @abstractmethod
    def successor(self, index: int) -> int:
        """The descriptor after this one."""


class RxEngine(Engine):
    """Puts frames into the buffers of a ring, in several pieces where a frame is larger than a buffer."""

    def __init__(self, dma: Dma, irq: Interrupt) -> None:
        super().__init__(dma, irq)
        self.received = 0
        self.missed = 0

    @abstractmethod
    def room(self, index: int) -> int:
        """Bytes that the buffer of this descriptor takes."""

    @abstractmethod
    def fill(self, index: int, piece: memoryview, first: bool, last: bool, total: int) -> None:
        """Write `piece` of a frame of `total` bytes to the buffer and give the descriptor back."""

    def receive(self, frame: bytes | bytearray) -> bool:
        """Take one frame from the wire; False when no descriptor was free: the frame is lost and `missed`."""
        plan = self._plan(len(frame))
        if plan is None:
            self.missed += 1
            return False
        view, start = memoryview(frame), 0
        for index, size in plan:
            self.fill(index, view[start : start + size], start == 0, start + size == len(frame), len(frame))
            start += size
        self.position = self.successor(plan[-1][0])
        self.received += 1
        self.signal(plan[-1][0])
        return True

    def has_room(self, size: int) -> bool:
        """Whether a frame of `size` bytes would be taken now."""
        return self._plan(size) is not None

    def _plan(self, size: int) -> list[tuple[int, int]] | None:
        """The descriptors that a frame would fill, and how far; the engine stops where it owns none."""
        plan: list[tuple[int, int]] = []
        index = self.position
        while self.running:
            if not self.owned(index) or any(index == used for used, _ in plan):
                self.running = False
                break
            plan.append((index, min(self.room(index), size)))
            size -= plan[-1][1]
            if size == 0:
                return plan
            index = self.successor(index)
        return None


class TxEngine(Engine):
    """Sends what the driver gives; `wire` takes each whole frame."""

    def __init__(self, dma: Dma, irq: Interrupt, wire: Callable[[bytes], None]) -> None:
        super().__init__(dma, irq)
        self.wire = wire
        self.sent = 0

    @abstractmethod
    def fetch(self, index: int) -> tuple[bytes, bool]:
        """The buffer of this descriptor, and whether it ends a frame."""

    @abstractmethod
    def done(self, index: int) -> None:
        """Give the descriptor back."""

    def run(self, limit: int | None = None) -> int:
        """Send frames until the ring has no more, or `limit` were sent; returns how many."""
        count = 0
        while self.running and (limit is None or count < limit):
            if not self.owned(self.position):
                self.running = False
                break
            pieces: list[int] = []
            frame = b""
            index, last = self.position, False
            while not last and self.owned(index) and index not in pieces:
                piece, last = self.fetch(index)
                frame += piece
                pieces.append(index)
                index = self.successor(index)
            if not last:  # the driver has not given the end of this frame yet
                self.running = False
                break
            for at in pieces:
                self.done(at)
            self.position = index
            self.sent += 1
            count += 1
            self.wire(frame)
            self.signal(pieces[-1])
        return count
