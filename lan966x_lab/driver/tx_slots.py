"""What a driver remembers beside a transmit ring: which frame stands in which descriptor, and its mapping.

A descriptor holds a bus address and no more, so the driver keeps the skb in a slot with the same number. From
`push` to `pop` the frame is the device's: it stays mapped, and nobody may free it. What `pop` unmaps is what
`push` mapped, whatever happens to the skb's length meanwhile.

The words of a descriptor, and how it says "done", are each device's own; the driver writes and reads them.

>>> from lan966x_lab.driver.skb import skb_from_frame
>>> dma = Dma()
>>> slots = TxSlots(dma, DescriptorRing.allocate(dma, "<II", 2))
>>> _ = slots.push(skb_from_frame(b"first")), slots.push(skb_from_frame(b"second"))
>>> slots.is_full, slots.head, dma.live
(True, 0, 2)
>>> bytes(slots.pop())
b'first'
>>> slots.used, slots.tail, dma.live
(1, 1, 1)
"""

from __future__ import annotations

from typing import NamedTuple

from lan966x_lab.driver.skb import Skb
from lan966x_lab.hw.memory import Direction, Dma, OwnershipError
from lan966x_lab.hw.ring import DescriptorRing


class Sent(NamedTuple):
    """A frame that the device has: `length` bytes of `skb`, mapped at `bus`."""

    skb: Skb
    bus: int
    length: int


class TxSlots:
    """One slot for each descriptor of `ring`.

    Attributes:
        frames: the frame in each slot, or None.
        head: the slot that the next frame takes.
        tail: the slot of the oldest frame, which the device finishes first.
        used: how many frames there are. With `head` at `tail` the ring is empty or full; this tells which.
    """

    def __init__(self, dma: Dma, ring: DescriptorRing) -> None:
        self.dma, self.ring = dma, ring
        self.frames: list[Sent | None] = [None] * ring.length
        self.head = self.tail = self.used = 0

    @property
    def is_full(self) -> bool:
        """Whether there is no slot for another frame."""
        return self.used == self.ring.length

    def push(self, skb: Skb) -> int | None:
        """Map the bytes of `skb` and keep it in the slot at `head`; returns their bus address.

        None: they cannot be mapped. Nothing has changed, and the skb is still the caller's.

        Raises:
            OwnershipError: the ring is full.
        """
        if self.is_full:
            raise OwnershipError(f"push: all {self.used} slots hold frames; look at is_full first")
        bus = self.dma.map_single(skb.view(), Direction.TO_DEVICE)
        if bus is not None:
            self.frames[self.head] = Sent(skb, bus, len(skb))
            self.head = self.ring.next(self.head)
            self.used += 1
        return bus

    def pop(self) -> Skb:
        """The oldest frame, unmapped: its skb is the caller's again.

        Raises:
            OwnershipError: there is none.
        """
        sent = self.frames[self.tail]
        if sent is None:
            raise OwnershipError("the driver finds an empty slot where it expects a frame")
        self.dma.unmap_single(sent.bus, sent.length, Direction.TO_DEVICE)
        self.frames[self.tail] = None
        self.tail = self.ring.next(self.tail)
        self.used -= 1
        return sent.skb
