"""The bcm4908 driver: who allocates the ``sk_buff``, and when (seed 003).

Both policies post the same 1920-byte page fragment (1600 of data, 320 of shared info, two to a page). They
differ in one place. *Early*: the structure is built when the fragment is posted, and lies unused for a whole
turn of the ring, 200 structures long. *Late* (the patch): only the fragment is posted; `build_skb` runs when
the frame is there.

The rules of the receive loop, each of which was broken once in this driver or a sibling:

* The replacement is allocated first. Without one the old buffer goes back to the device and the frame is
  lost: the ring never shrinks.
* A bad frame costs its own descriptor only: its buffer stays mapped and goes back. It counts as work, and the
  loop goes on.
* What is unmapped is what was mapped: `DMA_SIZE` bytes, on every path.
* After work the channel is enabled again: it stops when it finds no descriptor.
* An index wraps in one place, `DescriptorRing.next`; the interface opens with every index at 0, as the device
  does.

`driver.bcm4908_published` has the same driver with the defects of the first version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lan966x_lab.driver.gro import Gro
from lan966x_lab.driver.netdev import checked_budget, must_be_open
from lan966x_lab.driver.options import Options, checked
from lan966x_lab.driver.skb import (
    ETH_FCS_LEN,
    ETH_HLEN,
    ETH_ZLEN,
    NET_IP_ALIGN,
    NET_SKB_PAD,
    SHARED_INFO,
    VLAN_HLEN,
    Skb,
    SkbSlab,
    alloc_skb,
    build_skb,
    eth_type_trans,
    skb_data_align,
)
from lan966x_lab.driver.stack import checksum_help
from lan966x_lab.driver.tx_slots import TxSlots
from lan966x_lab.hw import bcm4908 as hw
from lan966x_lab.hw.bcm4908 import Ctl
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.memory import Direction, FragCache, Fragment, Memory
from lan966x_lab.hw.ring import DescriptorRing

MTU_MAX = 1500
BRCM_TAG = 6
DMA_SIZE = ETH_HLEN + BRCM_TAG + VLAN_HLEN + MTU_MAX + ETH_FCS_LEN + 4
"""Bytes that the device may write: 1532."""
DMA_OFFSET = NET_SKB_PAD + NET_IP_ALIGN
BUFFER = DMA_OFFSET + DMA_SIZE
"""Bytes of data: 1596."""
BUFFER_ALLOC = skb_data_align(BUFFER) + SHARED_INFO
"""Bytes of a fragment: 1600 + 320."""


@dataclass(slots=True, eq=False)
class RxSlot:
    """A posted buffer; `skb` is there already with the early policy."""

    fragment: Fragment
    bus: int
    skb: Skb | None


@dataclass(slots=True)
class Bcm4908Stats:
    """Counters. Every frame that the device received ends in one of the first three."""

    rx_packets: int = 0
    rx_errors: int = 0
    """Shorter than 60 bytes, or not in one piece."""
    rx_no_memory: int = 0
    """No replacement buffer, or no structure."""
    rx_bytes: int = 0
    rx_copied: int = 0
    """Frames that were copied out of their buffer (copybreak)."""
    skb_age: int = 0
    """Sum over frames: how many structures were zeroed between this one and its use."""
    polls: int = 0
    tx_packets: int = 0
    tx_bytes: int = 0
    tx_dropped: int = 0
    tx_busy: int = 0


class Bcm4908Driver:
    """Driver of one `hw.Bcm4908`.

    Args:
        receive: takes every skb (`stack.Stack.receive`) and owns it.
        options: `late_skb` and `gro` are looked at.
        copybreak: frames of up to this many bytes are copied to a small skb, and their buffer stays (0:
            never).
        slab: where structures come from. ``SkbSlab(bulk=16)`` and `copybreak` are the thread's further ideas.
        on_step: is told what happens to the buffer of a slot: ``alloc``, ``build``, ``arm``, ``unmap``,
            ``copy``, ``up``, ``drop``.
    """

    def __init__(
        self,
        device: hw.Bcm4908,
        memory: Memory,
        receive: Callable[[Skb], object],
        *,
        options: Options | None = None,
        copybreak: int = 0,
        slab: SkbSlab | None = None,
        rx_ring: int = hw.RING,
        tx_ring: int = hw.RING,
        on_step: Callable[[str, int], None] = lambda step, index: None,
    ) -> None:
        self.device, self.dma, self.door = device, device.dma, device.door
        self.frags = FragCache(memory)
        self.options = Options() if options is None else options
        self.gro = Gro(receive)
        self.receive = receive
        self.copybreak = whole("copybreak", copybreak, 0, advice="0 copies no frame")
        self.slab = slab or SkbSlab()
        self.rx_size, self.tx_size = rx_ring, tx_ring
        self.stats = Bcm4908Stats()
        self.on_step = on_step
        self.is_open = False
        self.queue_stopped = False

    @property
    def options(self) -> Options:
        """The switches; assign new ones at any time."""
        return self._options

    @options.setter
    def options(self, options: Options) -> None:
        self._options = checked(options)

    # Open and close

    def open(self) -> bool:
        """Build the rings and start; False (and nothing left behind) when memory is short."""
        if self.is_open:
            raise RuntimeError("open: the interface is already open; close it first")
        self.rx = DescriptorRing.allocate(self.dma, hw.WORDS, self.rx_size, owner=hw.OWNER)
        self.tx = DescriptorRing.allocate(self.dma, hw.WORDS, self.tx_size, owner=hw.OWNER)
        self.rx_slots: list[RxSlot] = []
        self.tx_slots = TxSlots(self.dma, self.tx)
        self.rx_next = 0
        self.in_bad_frame = False
        for index in range(self.rx_size):
            slot = self._new_slot(index)
            if slot is None:
                self._free_rings()
                return False
            self.rx_slots.append(slot)
            self._arm(index, slot)
        self.queue_stopped = False
        self.is_open = True
        self.door.write("BASE_DESC_PTR[rx]", self.rx.address)
        self.door.write("BASE_DESC_PTR[tx]", self.tx.address)
        self.door.write("CH_INT_STAT[rx]", hw.INT_DONE)
        self.door.write("CH_INT_MASK[rx]", hw.INT_DONE)
        self.door.write("CH_CFG[rx]", hw.CFG_ENABLE)
        return True

    def close(self) -> None:
        """Stop and give everything back, frames under way included."""
        must_be_open(self.is_open, "close")
        self.door.write("CH_INT_MASK[rx]", 0)
        self.door.write("CH_INT_MASK[tx]", 0)
        self.door.write("CH_CFG[rx]", 0)
        self.door.write("CH_CFG[tx]", 0)
        self.gro.flush()
        self._free_rings()
        self.is_open = False

    def _free_rings(self) -> None:
        for slot in self.rx_slots:
            self.dma.unmap_single(slot.bus, DMA_SIZE, Direction.FROM_DEVICE, sync=False)
            slot.skb.free() if slot.skb is not None else slot.fragment.free()
        while self.tx_slots.used:
            self.tx_slots.pop().free()
            self.stats.tx_dropped += 1
        self.frags.drain()
        self.dma.free_coherent(self.rx.address)
        self.dma.free_coherent(self.tx.address)

    # Receive

    def interrupt(self) -> None:
        """The handler: acknowledge, and mask until the poll is complete."""
        self.door.write("CH_INT_STAT[rx]", hw.INT_DONE)
        self.door.write("CH_INT_MASK[rx]", 0)
        if self.queue_stopped:
            self.door.write("CH_INT_STAT[tx]", hw.INT_DONE)
            self.door.write("CH_INT_MASK[tx]", 0)

    def poll(self, budget: int) -> int:
        """NAPI poll: clean transmit, take up to `budget` descriptors; returns how many.

        Fewer than `budget` means that the ring is empty: the interrupt is open again.

        Raises:
            ValueError: a negative budget.
        """
        must_be_open(self.is_open, "poll")
        checked_budget(budget)
        self.stats.polls += 1
        self._clean_tx()
        done = 0
        while done < budget:
            ctl = self.rx.read(self.rx_next)[0]
            if ctl & Ctl.OWN:
                break
            skb = self._take(self.rx_next, ctl)
            if skb is not None:
                self.on_step("up", self.rx_next)
                self._up(skb)
            self.rx_next = self.rx.next(self.rx_next)
            done += 1
        if done:
            self.door.write("CH_CFG[rx]", hw.CFG_ENABLE)
        if done < budget:
            self.gro.flush()
            self._unmask()
        return done

    def _unmask(self) -> None:
        self.door.write("CH_INT_MASK[rx]", hw.INT_DONE)
        if self.queue_stopped:
            self.door.write("CH_INT_MASK[tx]", hw.INT_DONE)

    def _take(self, index: int, ctl: int) -> Skb | None:
        """The frame of one descriptor, which is armed again in any case; None when the frame is lost."""
        slot = self.rx_slots[index]
        length = hw.length_of(ctl) - ETH_FCS_LEN
        if length < ETH_ZLEN - ETH_FCS_LEN or not ctl & Ctl.SOP or not ctl & Ctl.EOP:
            if ctl & Ctl.SOP or not self.in_bad_frame:  # a frame in several pieces is one lost frame
                self.stats.rx_errors += 1
            self.in_bad_frame = not ctl & Ctl.EOP
            self.on_step("drop", index)
            self._arm(index, slot)
            return None
        self.in_bad_frame = False
        if length <= self.copybreak:
            skb = self._copy(index, slot, length)
        else:
            fresh = self._new_slot(index)
            if fresh is not None:
                self.rx_slots[index] = fresh
                skb = self._keep(index, slot, length)
                slot = fresh
            else:
                skb = None
        self._arm(index, slot)
        if skb is None:
            self.on_step("drop", index)
            self.stats.rx_no_memory += 1
        return skb

    def _keep(self, index: int, slot: RxSlot, length: int) -> Skb | None:
        """The skb that owns the buffer from now on."""
        self.on_step("unmap", index)
        self.dma.unmap_single(slot.bus, DMA_SIZE, Direction.FROM_DEVICE)
        skb = slot.skb or self._build(index, slot.fragment)
        if skb is None:
            slot.fragment.free()
            return None
        self.stats.skb_age += self.slab.age(skb)
        skb.put(length)
        return skb

    def _copy(self, index: int, slot: RxSlot, length: int) -> Skb | None:
        """A small skb with a copy of the frame; the buffer stays where it is."""
        self.on_step("copy", index)
        skb = self.slab.take(lambda: alloc_skb(length))
        if skb is None:
            return None
        self.dma.sync_single_for_cpu(slot.bus, length)
        skb.put_data(slot.fragment.view[DMA_OFFSET : DMA_OFFSET + length])
        self.stats.rx_copied += 1
        return skb

    def _up(self, skb: Skb) -> None:
        self.stats.rx_packets += 1
        self.stats.rx_bytes += len(skb)
        eth_type_trans(skb)
        if self.options.gro:
            self.gro.receive(skb)
        else:
            self.receive(skb)

    def _new_slot(self, index: int) -> RxSlot | None:
        self.on_step("alloc", index)
        fragment = self.frags.alloc(BUFFER_ALLOC)
        if fragment is None:
            return None
        bus = self.dma.map_single(fragment.view[DMA_OFFSET:BUFFER], Direction.FROM_DEVICE)
        if bus is None:
            fragment.free()
            return None
        if self.options.late_skb:
            return RxSlot(fragment, bus, None)
        skb = self._build(index, fragment)
        if skb is None:
            self.dma.unmap_single(bus, DMA_SIZE, Direction.FROM_DEVICE, sync=False)
            fragment.free()
            return None
        return RxSlot(fragment, bus, skb)

    def _build(self, index: int, fragment: Fragment) -> Skb | None:
        self.on_step("build", index)
        skb = self.slab.take(lambda: build_skb(fragment.view))
        if skb is not None:
            skb.release = fragment.free
            skb.reserve(DMA_OFFSET)
        return skb

    def _arm(self, index: int, slot: RxSlot) -> None:
        self.on_step("arm", index)
        wrap = Ctl.WRAP if index == self.rx_size - 1 else 0
        self.rx.write(index, DMA_SIZE << hw.LENGTH_SHIFT | Ctl.OWN | wrap, slot.bus)

    # Transmit

    def xmit(self, skb: Skb) -> bool:
        """Send one frame. False means "busy": the queue is stopped and the caller keeps the skb.

        A frame of more bytes than a descriptor can say (4095) is dropped. After an exception (a checksum
        field outside the frame) the caller keeps the skb, and nothing was taken.

        The transmit interrupt is open only while the queue is stopped: nothing else would wake it on a link
        that carries nothing the other way. It is acknowledged before the look at the ring, so that what is
        sent after the look comes through (C5).
        """
        must_be_open(self.is_open, "xmit")
        if len(skb) > hw.MAX_LENGTH:
            self.stats.tx_dropped += 1
            skb.free()
            return True
        if self.tx_slots.is_full:
            self.door.write("CH_INT_STAT[tx]", hw.INT_DONE)
            self._clean_tx()
        if self.tx_slots.is_full:
            self.queue_stopped = True
            self.door.write("CH_INT_MASK[tx]", hw.INT_DONE)
            self.stats.tx_busy += 1
            return False
        checksum_help(skb)
        skb.pad_to(ETH_ZLEN)
        index, bus = self.tx_slots.head, self.tx_slots.push(skb)
        if bus is None:
            self.stats.tx_dropped += 1
            skb.free()
            return True
        wrap = Ctl.WRAP if index == self.tx_size - 1 else 0
        flags = Ctl.OWN | Ctl.SOP | Ctl.EOP | Ctl.APPEND_CRC | wrap
        self.tx.write(index, len(skb) << hw.LENGTH_SHIFT | flags, bus)
        self.door.write("CH_CFG[tx]", hw.CFG_ENABLE)
        return True

    def _clean_tx(self) -> None:
        while self.tx_slots.used and not self.tx.read(self.tx_slots.tail)[0] & Ctl.OWN:
            skb = self.tx_slots.pop()
            self.stats.tx_packets += 1
            self.stats.tx_bytes += len(skb)
            skb.free()
            if self.queue_stopped:
                self.queue_stopped = False
                self.door.write("CH_INT_MASK[tx]", 0)
