"""The receive ring of the FDMA path: a page from a pool in each DCB, with room for a whole frame.

A page goes up inside an skb and comes back to the pool when that is freed. All pages of a ring have one size,
that of the longest frame with FCS, two tags, header, headroom and shared info (L@872ad758f9b7); for another
size the driver makes another ring.
"""

from __future__ import annotations

from dataclasses import dataclass

from lan966x_lab.driver.fdma_chain import Chain
from lan966x_lab.driver.headers import IFH_LEN_BYTES
from lan966x_lab.driver.skb import SHARED_INFO, VLAN_HLEN, Skb, SkbSlab, build_skb
from lan966x_lab.hw.fdma import DCB_WORDS, OWNER, XTR_CHANNEL, Info, Status
from lan966x_lab.hw.memory import PAGE_SIZE, Dma, Memory, PagePool, PoolPage
from lan966x_lab.hw.registers import Door
from lan966x_lab.hw.ring import DescriptorRing

XDP_PACKET_HEADROOM = 256


def page_order(max_len: int) -> int:
    """The order of the pages for frames of up to `max_len` bytes with FCS.

    >>> [page_order(length) for length in (1518, 3484, 3485, 9018)]
    [0, 0, 1, 2]
    """
    size = max_len + IFH_LEN_BYTES + SHARED_INFO + 2 * VLAN_HLEN + XDP_PACKET_HEADROOM
    return max(0, -(-size // PAGE_SIZE) - 1).bit_length()


@dataclass(slots=True, eq=False)
class RxSlot:
    """A posted page; `skb` is there already with the early policy (``late_skb`` off)."""

    page: PoolPage
    skb: Skb | None

    def free(self) -> None:
        """Give the page back, with the skb around it if there is one."""
        self.skb.free() if self.skb is not None else self.page.recycle()


class RxRing:
    """Pool, DCBs and slots of one page size; `fill` it before use.

    Args:
        slab: where structures come from.
        max_len: bytes of the longest frame, FCS included.
        size: DCBs.

    Attributes:
        next: the DCB that the driver looks at next.
        in_bad_frame: more of a frame that was dropped may follow.
    """

    def __init__(self, door: Door, dma: Dma, memory: Memory, slab: SkbSlab, max_len: int, size: int) -> None:
        self.dma, self.slab = dma, slab
        self.pool = PagePool(memory, dma, page_order(max_len), size)
        self.dcbs = DescriptorRing.allocate(dma, DCB_WORDS, size, owner=OWNER)
        self.chain = Chain(door, XTR_CHANNEL, self.dcbs)
        self.slots: list[RxSlot] = []
        self.next = 0
        self.in_bad_frame = False

    def fill(self, *, late: bool) -> bool:
        """Post a page in every DCB. False: no memory, and nothing is left behind."""
        for index in range(self.dcbs.length):
            slot = self.new_slot(late=late)
            if slot is None:
                self.free()
                return False
            self.slots.append(slot)
            self.arm(index)
        return True

    def free(self) -> None:
        """Give everything back. Pages that the stack has follow when their skbs are freed."""
        for slot in self.slots:
            slot.free()
        self.pool.destroy()
        self.dma.free_coherent(self.dcbs.address)

    def new_slot(self, *, late: bool) -> RxSlot | None:
        """A page, in an skb already unless `late`; None when memory is short."""
        page = self.pool.alloc()
        if page is None:
            return None
        if late:
            return RxSlot(page, None)
        skb = self.build(page)
        if skb is None:
            page.recycle()
            return None
        return RxSlot(page, skb)

    def build(self, page: PoolPage) -> Skb | None:
        """An empty skb around `page`; None when memory is short, and the page is still the caller's."""
        skb = self.slab.take(lambda: build_skb(page.page.data))
        if skb is not None:
            skb.release = page.recycle
            skb.reserve(XDP_PACKET_HEADROOM)
        return skb

    def arm(self, index: int) -> None:
        """Give the page in slot `index` to the device, as the last of the chain."""
        room = Info.DATAL.put(self.pool.length - XDP_PACKET_HEADROOM - SHARED_INFO)
        bus = self.slots[index].page.bus_address + XDP_PACKET_HEADROOM
        self.chain.append(index, room, bus, Status.INTR.mask)
