"""The bench of exercise 06: a receive ring between a device and a driver that somebody still has to write.

Ring, descriptor words, memory and device are the lab's own (``hw.ring``, ``hw.bcm4908``, ``hw.memory``). The
bench adds three things: it refuses what would spoil memory, with a sentence instead of a corrupted frame; it
knows of each buffer where it is; and it ends a loop that gets nowhere.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lan966x_lab import workbook as wb
from lan966x_lab.hw.bcm4908 import LENGTH_SHIFT, WORDS, Ctl, RxChannel, length_of
from lan966x_lab.hw.memory import Direction, Dma
from lan966x_lab.hw.ring import DescriptorRing, Interrupt
from lan966x_lab.workbook import palette

__all__ = ["SIZE", "Nic", "RingError", "ledger_table", "napi", "ring_picture"]

SIZE = 1600
"""Bytes of every buffer."""
_PATIENCE = 10_000
_FEWEST = 60


class RingError(RuntimeError):
    """The driver did something that would spoil memory or never end; the message says what and why."""


@dataclass(eq=False)
class _Buffer:
    """A buffer, and what is known of it."""

    octets: bytearray = field(repr=False)
    at_the_stack: bool = False
    freed: bool = False


class Ring(DescriptorRing):
    """The descriptors, guarded: the driver may read all of them and write what keeps memory whole."""

    def __init__(self, nic: Nic, view: memoryview, address: int, slots: int) -> None:
        super().__init__(view, address, WORDS, slots)
        self._nic = nic

    def __repr__(self) -> str:
        return "ring"

    def read(self, index: int) -> tuple[int, ...]:
        """One descriptor: (ctl, address).

        Raises:
            RingError: there is no such slot, or you have read for long and got nowhere.
        """
        self._slot(index)
        self._nic.patience("you read descriptors and get nowhere: stop at a slot whose OWN bit is set")
        return super().read(index)

    def write(self, index: int, *words: int) -> None:
        """One descriptor: ctl, address.

        Raises:
            RingError: the device would run past the ring, or write where it must not.
        """
        self._slot(index)
        ctl, address = words
        if not isinstance(address, int):
            raise RingError(f"slot {index} was given the address {address!r}: alloc() had no buffer for you")
        if ctl & Ctl.OWN:
            self._guard(index, ctl, address)
        self._nic.progress()
        super().write(index, ctl, address)

    def _slot(self, index: int) -> None:
        if not 0 <= index < self.length:
            raise RingError(f"there is no slot {index}: the last one is {self.length - 1}, then comes 0")

    def _guard(self, index: int, ctl: int, address: int) -> None:
        last = index == self.length - 1
        if bool(ctl & Ctl.WRAP) != last:
            what = "is the last one and has no WRAP" if last else "has WRAP and is not the last one"
            raise RingError(f"slot {index} {what}: the device would not go round the ring as you do")
        if length_of(ctl) != SIZE:
            raise RingError(
                f"slot {index} says {length_of(ctl)} bytes, its buffer has {SIZE}: long frames come in pieces"
            )
        buffer = self._nic.buffers.get(address)
        if buffer is None or buffer.freed:
            raise RingError(f"slot {index} was given {address:#x}: no buffer is there")
        if buffer.at_the_stack:
            raise RingError(f"slot {index} was given a buffer that the stack has: a frame would land in it")
        for other in range(self.length):
            other_ctl, other_address = super().read(other)
            if other != index and other_address == address and other_ctl:
                raise RingError(
                    f"slot {index} was given the buffer of slot {other}: two frames would land in it"
                )


class Nic:
    """A network interface: its ring, its device, and what the kernel lends to a driver.

    Attributes:
        ring: the descriptors.
        at: the driver's position: the slot whose turn it is.
        started_at: where it was at first.
        dropped: frames that the driver gave up.
        completed: how often NAPI was completed.
        device: the engine; ``device.running`` is false once it has met a slot that is not its own.

    Args:
        frames: letters, one for each frame that has arrived already.
        slots: of the ring.
        armed: every slot has a buffer and is the device's; else the ring is all zero.
        at: where driver and device stand.
        fails: for each allocation from now on, whether it fails; then none does.
        later: frames that arrive while the first one is handed up.
    """

    def __init__(
        self,
        frames: str = "",
        *,
        slots: int = 4,
        armed: bool = True,
        at: int = 0,
        fails: Iterable[int] = (),
        later: str = "",
    ) -> None:
        self._made_with: dict[str, Any] = {
            "frames": frames,
            "slots": slots,
            "armed": armed,
            "at": at,
            "fails": list(fails),
            "later": later,
        }
        self._dma, self.irq = Dma(), Interrupt()
        view, address = self._dma.alloc_coherent(slots * struct.calcsize(WORDS))
        self.ring = Ring(self, view, address, slots)
        self.device = RxChannel(self._dma, self.irq)
        self.device.ring = DescriptorRing.at(self._dma, address, WORDS)
        self.buffers: dict[int, _Buffer] = {}
        self.stack: list[bytes] = []
        self.at = self.device.position = self.started_at = at
        self.completed = self.dropped = self.arrived = self._idle = 0
        self._fails, self._later = [], ""
        if armed:
            for index in range(slots):
                wrap = Ctl.WRAP if index == slots - 1 else 0
                self.device.ring.write(index, SIZE << LENGTH_SHIFT | Ctl.OWN | wrap, self._lend())
            self.device.doorbell()
        self.arrive(frames)
        self._fails, self._later = list(self._made_with["fails"]), later

    def __deepcopy__(self, memo: Any) -> Nic:
        """Another one, made in the same way: a check works on a fresh one each time."""
        return Nic(**self._made_with)

    def __repr__(self) -> str:
        return "nic"

    # ---- what a driver calls

    def alloc(self) -> int | None:
        """A fresh buffer of ``SIZE`` bytes, lent to the device: its address. None when memory is short."""
        self.patience("you ask for buffers and get none: whoever polls must not wait for memory")
        if self._fails and self._fails.pop(0):
            return None
        return self._lend()

    def _lend(self) -> int:
        octets = bytearray(SIZE)
        address = self._dma.map_single(octets, Direction.FROM_DEVICE)
        assert address is not None
        self.buffers[address] = _Buffer(octets)
        return address

    def up(self, address: int, length: int) -> None:
        """Hand a frame to the stack, and its buffer with it; the stack gives the buffer back itself.

        Raises:
            RingError: the stack has it already, the device may still write to it, or no frame is in it.
        """
        self.progress()
        buffer = self._own(address, "up")
        for index in range(self.ring.length):
            ctl, there = DescriptorRing.read(self.ring, index)
            if there == address and ctl & Ctl.OWN:
                raise RingError(
                    f"up: the device owns that buffer, in slot {index}: it holds no frame for you"
                )
        self._one_came("up")
        self._dma.unmap_single(address, SIZE, Direction.FROM_DEVICE)
        buffer.at_the_stack = True
        self.stack.append(bytes(buffer.octets[:length]))
        later, self._later = self._later, ""
        self.arrive(later)

    def drop(self) -> None:
        """Count a frame that is lost because memory is short."""
        self.progress()
        self._one_came("drop")
        self.dropped += 1

    def _one_came(self, who: str) -> None:
        if len(self.stack) + self.dropped >= self.device.received:
            raise RingError(f"{who}: every frame that came is taken, that slot has none: look at OWN first")

    def free(self, address: int) -> None:
        """Give a buffer back that nobody needs any more.

        Raises:
            RingError: it was given back already, or the stack has it.
        """
        self.progress()
        buffer = self._own(address, "free")
        self._dma.unmap_single(address, SIZE, Direction.FROM_DEVICE, sync=False)
        buffer.freed = True

    def doorbell(self) -> None:
        """Let the device look at the ring again."""
        self.device.doorbell()

    def complete(self) -> None:
        """``napi_complete_done``, and open the interrupt: nobody polls until the next frame arrives."""
        self.completed += 1
        self.irq.enable()

    def _own(self, address: int, who: str) -> _Buffer:
        buffer = self.buffers.get(address)
        if buffer is None:
            raise RingError(f"{who}({address!r}): no buffer is there; the address stands in the descriptor")
        if buffer.at_the_stack or buffer.freed:
            whose = "the stack has it already" if buffer.at_the_stack else "it was given back already"
            raise RingError(f"{who}: that buffer is not yours, {whose}")
        return buffer

    # ---- what happens outside the driver

    def arrive(self, letters: str) -> None:
        """One frame for each letter; a capital letter is a long one."""
        for letter in letters:
            size = SIZE if letter.isupper() else _FEWEST + ord(letter) % 32
            self.arrived += 1
            self.device.receive(letter.encode() * size)

    def progress(self) -> None:
        """The driver got on."""
        self._idle = 0

    def patience(self, why: str) -> None:
        """One step without getting on.

        Raises:
            RingError: that were too many.
        """
        self._idle += 1
        if self._idle > _PATIENCE:
            raise RingError(f"{_PATIENCE:,} steps and no end: {why}")

    # ---- what is left

    @property
    def up_letters(self) -> str:
        """The frames that the stack has, in order; a damaged one is a question mark."""
        return "".join(self._letter(octets) for octets in self.stack)

    @staticmethod
    def _letter(octets: bytes) -> str:
        letter = chr(octets[0]) if octets else "?"
        whole = SIZE if letter.isupper() else _FEWEST + ord(letter) % 32
        return letter if octets == letter.encode() * whole else "?"

    @property
    def waiting(self) -> int:
        """Frames in the ring that nobody has taken."""
        ctls = [DescriptorRing.read(self.ring, index)[0] for index in range(self.ring.length)]
        return sum(bool(ctl & Ctl.EOP) and not ctl & Ctl.OWN for ctl in ctls)

    def ledger(self) -> dict[str, int]:
        """Where every frame and every buffer is. Nothing is ever in two places, and nothing in none."""
        here = Counter(
            address
            for ctl, address in (DescriptorRing.read(self.ring, index) for index in range(self.ring.length))
            if ctl
        )
        out = {address for address, buffer in self.buffers.items() if buffer.at_the_stack or buffer.freed}
        return {
            "arrived": self.arrived,
            "up": len(self.stack),
            "dropped": self.dropped,
            "missed": self.device.missed,
            "waiting": self.waiting,
            "lost buffers": sum(address not in here and address not in out for address in self.buffers),
            "empty slots": self.ring.length - len(here),
        }


def napi(poll: Callable[[Nic, int], Any], nic: Nic, budget: int) -> int:
    """What the kernel does: after an interrupt it polls until the driver completes; returns how often.

    Raises:
        RingError: the driver breaks NAPI's promise.
    """
    polls = 0
    while nic.irq.asserted:
        nic.irq.disable()
        nic.irq.acknowledge()
        before, work = nic.completed, budget
        while nic.completed == before:
            taken = len(nic.stack) + nic.dropped
            work = poll(nic, budget)
            polls += 1
            taken = len(nic.stack) + nic.dropped - taken
            if work != taken:
                raise RingError(
                    f"poll took {taken} frames and returned {work!r}: NAPI believes what it returns"
                )
            if work > budget:
                raise RingError(f"poll took {work} frames with a budget of {budget}")
            done = nic.completed != before
            if done == (work == budget):
                what = "completed" if done else "did not complete"
                raise RingError(
                    f"poll returned {work} of {budget} and {what}: below the budget and only there"
                )
    return polls


def ledger_table(namespace: Mapping[str, Any], name: str = "poll") -> wb.Table:
    """What three busy stretches leave behind when your ``poll`` receives."""
    rows: list[list[object]] = []
    stretches = {
        "two at a time": ("ab cd ef gh", ()),
        "five at once, then two": ("abcde fg", ()),
        "memory short for three": ("abcd efgh", (0, 1, 1, 0, 1)),
    }
    heads = list(Nic().ledger())
    for did, (bursts, fails) in stretches.items():
        nic = Nic(fails=fails)
        nic.irq.enable()
        try:
            for burst in bursts.split():
                nic.arrive(burst)
                napi(namespace[name], nic, 3)
        except (KeyError, NotImplementedError):
            rows.append([did, "not started", *["—"] * (len(heads) - 1)])
        except Exception as error:  # whatever the learner's code raises belongs into the table
            rows.append([did, type(error).__name__, *["—"] * (len(heads) - 1)])
        else:
            rows.append([did, *nic.ledger().values()])
    return wb.table(rows, ["what came", *heads], "The ledger of four slots, budget 3")


# ---- the picture

_DEVICE, _FRAME, _DRIVER = palette.TONES[0], palette.TONES[1], palette.TONES[2]


def ring_picture(nic: Nic) -> wb.Picture:
    """The slots in a row, whose turn each is, and where driver and device stand."""
    slots = nic.ring.length
    left, top, pitch = 24.0, 92, (wb.WIDTH - 48) / slots
    svg = wb.Svg(wb.WIDTH, 206, "a receive ring, slot by slot")
    svg.text(left, 30, f"A receive ring of {slots} slots", size=15, bold=True)
    for x, tone, word in (
        (300, _DEVICE, "OWN: the device's, an empty buffer"),
        (560.0, _FRAME, "yours, with a frame"),
    ):
        svg.rect(x, 20, 12, 12, fill=tone.soft, stroke=tone.strong)
        svg.text(x + 18, 31, word, size=12)
    frames = []
    for index in range(slots):
        ctl, _ = DescriptorRing.read(nic.ring, index)
        x, own = left + index * pitch, bool(ctl & Ctl.OWN)
        tone = _DEVICE if own else _FRAME
        svg.rect(x + 3, top, pitch - 6, 62, fill=tone.soft, stroke=tone.strong, thick=2)
        svg.text(x + pitch / 2, top + 22, f"slot {index}", anchor="middle", bold=True)
        word = "OWN" if own else f"frame, {length_of(ctl)} B"
        svg.text(x + pitch / 2, top + 40, word, size=11.5, anchor="middle")
        if ctl & Ctl.WRAP or index == slots - 1:
            svg.text(x + pitch / 2, top + 55, "WRAP", size=11.5, anchor="middle", fill=palette.MUTED)
        if not own:
            frames.append(index)
    for name, index, y in (
        ("the device writes here next", nic.device.position, 78),
        ("nic.at: you read here next", nic.at, 190),
    ):
        x = left + (index + 0.5) * pitch
        tone = _DEVICE if y < top else _DRIVER
        svg.line(
            x,
            y - 6 if y < top else y - 16,
            x,
            top - 2 if y < top else top + 66,
            stroke=tone.strong,
            thick=2,
            arrow=True,
        )
        anchor = "start" if index < slots / 2 else "end"
        svg.text(
            x + (8 if anchor == "start" else -8), y, name, size=12, anchor=anchor, fill=tone.strong, bold=True
        )
    full = (
        f"slots {frames[0]} to {frames[-1]} hold frames"
        if len(frames) > 1
        else f"{len(frames)} slots hold a frame"
    )
    return wb.Picture(
        svg,
        f"Of {slots} slots, {full}. The driver reads slot {nic.at} next, the device writes slot "
        f"{nic.device.position} next, and behind slot {slots - 1}, which has WRAP, comes slot 0.",
    )
