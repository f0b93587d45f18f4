"""What every descriptor ring has in common; the three engines of the lab add only their own words.

A descriptor says where a buffer is, how long it is and whose turn it is. The driver fills descriptors and
gives them to the device, the device completes them in order and gives them back. Each side keeps its own
position; neither may pass the other. When the device meets a descriptor that it does not own it stops, and
only a doorbell makes it look again. An interrupt says "something was completed", never how much.

A descriptor has several words, and the other side may look or write between two of them. So one word, the
`owner`, says whose turn it is, and it crosses last when a descriptor is given and first when one is looked
at: the other words belong to it (the kernel's ``dma_wmb`` and ``dma_rmb`` stand at that place). Nothing can
come in between here unless a test or a notebook orders it: `DescriptorRing.interrupt_next`. The engines keep
the second half of the rule: one fetches a descriptor's words again after it has seen that it owns it, so that
what it fetched before is never used, unless `DescriptorRing.fetch_early` orders that.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Callable

from lan966x_lab.hw.clock import Clock, Event
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.memory import Dma
from lan966x_lab.hw.registers import RegisterError


class DescriptorRing:
    """`length` descriptors of one shape in coherent memory, and the only place where an index wraps.

    Args:
        words: the descriptor as a `struct` format, little-endian, one letter for each word: ``"<II"``.
        owner: the word that says whose turn it is. None: this side knows no order, and words cross in the
            order of memory.
    """

    def __init__(
        self, view: memoryview, address: int, words: str, length: int, owner: int | None = None
    ) -> None:
        self.view, self.address, self.length, self.owner = view, address, length, owner
        self._struct = struct.Struct(words)
        self.stride = self._struct.size
        self._there = len(view) // self.stride
        self._kinds = ["<" + kind for kind in words[1:]]
        self._offsets = [struct.calcsize(words[: 1 + word]) for word in range(len(self._kinds))]
        self._meanwhile: Callable[[], object] | None = None
        self._skip = 0
        self._early: dict[int, dict[int, int]] = {}

    @classmethod
    def allocate(
        cls, dma: Dma, words: str, length: int, *, links: int = 0, owner: int | None = None
    ) -> DescriptorRing:
        """The driver's side: fresh zeroed descriptors, and `links` more behind them that no index reaches."""
        if length < 1:
            raise ValueError(f"a ring of {length} descriptors: at least 1")
        view, address = dma.alloc_coherent(struct.calcsize(words) * (length + links))
        return cls(view, address, words, length, owner)

    @classmethod
    def at(cls, dma: Dma, address: int, words: str, *, owner: int | None = None) -> DescriptorRing:
        """The device's side: the descriptors at `address`, to the end of the memory that the driver took."""
        view = dma.coherent(address)
        return cls(view, address, words, len(view) // struct.calcsize(words), owner)

    def read(self, index: int) -> tuple[int, ...]:
        """All words of a descriptor; the `owner` was read before the others.

        Raises:
            IndexError: there is no such descriptor.
        """
        if not 0 <= index < self._there:
            raise self._no(index)
        if self._meanwhile is not None:
            return self._read_torn(index)
        words = self._struct.unpack_from(self.view, index * self.stride)
        if self._early and (early := self._early.get(index)):
            return tuple(early.get(word, value) for word, value in enumerate(words))
        return words

    def write(self, index: int, *words: int) -> None:
        """All words of a descriptor; the `owner` is written after the others.

        Raises:
            IndexError: there is no such descriptor.
            ValueError: too few or too many words, or one that does not fit its place.
        """
        if not 0 <= index < self._there:
            raise self._no(index)
        try:
            packed = self._struct.pack(*words)
        except struct.error as error:
            raise ValueError(f"descriptor {index} <- {words}: {self._struct.format} {error}") from None
        self._early.pop(index, None)
        if self._meanwhile is not None:
            self._write_torn(index, words)
            return
        start = index * self.stride
        self.view[start : start + self.stride] = packed

    def write_word(self, index: int, word: int, value: int) -> None:
        """One word alone. The others may be the device's just now: to read and write them all would undo what
        it does in between.

        Raises:
            IndexError: there is no such descriptor.
        """
        if not 0 <= index < self._there:
            raise self._no(index)
        if self._meanwhile is not None:
            self._let_in()
        self._put(index, word, value)

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

    # ---- what can be ordered ----

    def interrupt_next(self, action: Callable[[], object], *, skip: int = 0) -> None:
        """Let the other side in: `action` happens in the middle of this side's next access, after `skip`
        others.

        The middle of a read is behind its first word; that of a write is before its last word where the
        `owner` is known, else behind the first. A `write_word` it comes before.
        """
        self._meanwhile, self._skip = action, whole("skip", skip, 0)

    def fetch_early(self, index: int, word: int) -> None:
        """This side has fetched a word of descriptor `index` already, and works with what it got.

        Until it writes the descriptor, or is told to look again (`forget`: every doorbell does).
        """
        self._early.setdefault(index, {})[word] = self.read(index)[word]

    def forget(self) -> None:
        """What was fetched early is fetched again."""
        self._early.clear()

    def _let_in(self) -> bool:
        """Whether it is time for what was ordered; then it has happened."""
        if self._skip:
            self._skip -= 1
            return False
        action, self._meanwhile = self._meanwhile, None
        assert action is not None
        action()
        return True

    def _read_torn(self, index: int) -> tuple[int, ...]:
        first, start = self.owner or 0, index * self.stride
        before = self._struct.unpack_from(self.view, start)[first]
        self._let_in()
        words = self._struct.unpack_from(self.view, start)
        return (*words[:first], before, *words[first + 1 :])

    def _write_torn(self, index: int, words: tuple[int, ...]) -> None:
        """What of a write has crossed before the other side gets in stays as that side leaves it."""
        crossed = {0} if self.owner is None else set(range(len(words))) - {self.owner}
        for word in crossed:
            self._put(index, word, words[word])
        self._let_in()
        for word in set(range(len(words))) - crossed:
            self._put(index, word, words[word])

    def _put(self, index: int, word: int, value: int) -> None:
        struct.pack_into(self._kinds[word], self.view, index * self.stride + self._offsets[word], value)

    def _no(self, index: int) -> IndexError:
        return IndexError(f"there is no descriptor {index}: the ring has 0 to {self._there - 1}")


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

    ring: DescriptorRing

    def __init__(self, dma: Dma, irq: Interrupt) -> None:
        self.dma, self.irq = dma, irq
        self.position = 0
        self.running = False

    def doorbell(self) -> None:
        """Look again: the driver has given descriptors.

        Raises:
            RegisterError: there is no ring yet.
        """
        if not hasattr(self, "ring"):
            raise RegisterError("a doorbell, but no ring: write its address first")
        self.ring.forget()
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
