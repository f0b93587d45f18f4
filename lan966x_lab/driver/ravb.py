"""The ravb driver: receive with or without the checksum unit (seed 004), transmit, and the switch between
them.

What the patch adds is `complete` and the switch: ``Options.rx_checksum_offload``, which `set_rx_checksum`
turns as ``ethtool`` does. `protocol` is the same step for GbEth.

Three things differ from the published patch on purpose. The feature is switched only after the frames that
wait in the ring were taken: they still carry what the old setting appended. ``rx_bytes`` counts the bytes of
frames, not those of the checksum unit, so that the counter means the same with the offload on and off. And a
frame in several pieces is put together before anybody looks for its last bytes: they may straddle two
buffers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from lan966x_lab.driver.netdev import MAX_MTU, MIN_MTU, checked_budget, must_be_open
from lan966x_lab.driver.options import Options, checked
from lan966x_lab.driver.skb import (
    ETH_FCS_LEN,
    ETH_HLEN,
    ETH_ZLEN,
    NET_IP_ALIGN,
    NET_SKB_PAD,
    SHARED_INFO,
    VLAN_HLEN,
    IpSummed,
    Skb,
    SkbSlab,
    alloc_skb,
    build_skb,
    eth_type_trans,
    skb_data_align,
)
from lan966x_lab.driver.stack import checksum_help
from lan966x_lab.driver.tx_slots import TxSlots
from lan966x_lab.hw import ravb as hw
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.memory import Direction, FragCache, Fragment, Memory
from lan966x_lab.hw.ring import DescriptorRing

HEADROOM = NET_SKB_PAD + NET_IP_ALIGN


def complete(skb: Skb) -> None:
    """Take the sum that the R-Car unit appended: CHECKSUM_COMPLETE. Called after `eth_type_trans`.

    The bytes are read as a little-endian word, as the kernel does; `Skb.csum` is in network order, so they
    change places.
    """
    if len(skb) < 2:
        return
    native = int.from_bytes(skb.view()[-2:], "little")
    skb.csum = (native & 0xFF) << 8 | native >> 8
    skb.ip_summed = IpSummed.COMPLETE
    skb.trim(len(skb) - 2)


def protocol(skb: Skb) -> None:
    """Take the two status words of the GbEth unit: CHECKSUM_UNNECESSARY where the transport checksum was
    covered.

    The word for the IP header is ignored, as it has been upstream since 2024: the stack verifies that header
    anyway.
    """
    if len(skb) < 4:
        return
    transport = skb.view()[-2:]
    if not any(transport):
        skb.ip_summed = IpSummed.UNNECESSARY
    skb.trim(len(skb) - 4)


TAKE: dict[hw.Unit, tuple[Callable[[Skb], None], int]] = {
    hw.complete_sum: (complete, 2),
    hw.protocol_status: (protocol, 4),
}
"""How the driver takes what a unit appends, and how many bytes that is."""


@dataclass(frozen=True, slots=True)
class RxSlot:
    """A posted buffer, and where the device sees it."""

    fragment: Fragment
    bus: int


@dataclass(slots=True)
class RavbStats:
    """Counters. Every received frame is in exactly one of the first four."""

    rx_packets: int = 0
    rx_errors: int = 0
    """The MAC reported an error: bad FCS, too long."""
    rx_length_errors: int = 0
    """Shorter than an Ethernet header."""
    rx_dropped: int = 0
    """No memory."""
    rx_bytes: int = 0
    rx_copied: int = 0
    """Bytes of frames in several pieces, copied together."""
    tx_packets: int = 0
    tx_bytes: int = 0
    tx_busy: int = 0
    tx_dropped: int = 0


class RavbDriver:
    """Driver of one `hw.Ravb`.

    Args:
        receive: takes every received skb and owns it (`stack.Stack.receive`).
        options: `rx_checksum_offload` is looked at: whether the unit is on.
        mtu: largest IP packet in bytes; sets the frame limit RFLR to mtu + 14 + 4 + 4.
        buffer: bytes of a receive buffer (at most 3712: one page); a frame that is longer takes several.
    """

    def __init__(
        self,
        device: hw.Ravb,
        memory: Memory,
        receive: Callable[[Skb], object],
        *,
        options: Options | None = None,
        mtu: int = 1500,
        buffer: int = 1538,
        rx_ring: int = 64,
        tx_ring: int = 64,
        slab: SkbSlab | None = None,
    ) -> None:
        largest = 4096 - SHARED_INFO - HEADROOM
        if not 1 <= buffer <= largest:
            raise ValueError(f"buffer of {buffer} bytes: the allowed range is 1..{largest} (one page)")
        self.device, self.dma, self.door = device, device.dma, device.door
        self.frags = FragCache(memory)
        self.receive = receive
        self.mtu, self.buffer = whole("mtu", mtu, MIN_MTU, MAX_MTU, "in bytes of the IP packet"), buffer
        self.rx_size, self.tx_size = rx_ring, tx_ring
        self._options = checked(Options() if options is None else options)
        self.slab = slab or SkbSlab()
        self.take, self.appended = TAKE[device.unit]
        self.stats = RavbStats()
        self.is_open = False

    @property
    def frame_limit(self) -> int:
        """RFLR: the longest frame, FCS and one tag included."""
        return self.mtu + ETH_HLEN + VLAN_HLEN + ETH_FCS_LEN

    # Open and close

    def open(self) -> bool:
        """Build the rings and start; False (and nothing left behind) when memory is short."""
        if self.is_open:
            raise RuntimeError("open: the interface is already open; close it first")
        self.table = DescriptorRing.allocate(self.dma, hw.TX_WORDS, hw.QUEUES)
        self.rx = DescriptorRing.allocate(self.dma, hw.RX_WORDS, self.rx_size, links=1, owner=hw.OWNER)
        self.tx = DescriptorRing.allocate(self.dma, hw.TX_WORDS, self.tx_size, links=1, owner=hw.OWNER)
        self.rx_slots: list[RxSlot] = []
        self.tx_slots = TxSlots(self.dma, self.tx)
        self.rx_next = 0
        self.partial: Skb | None = None
        for index in range(self.rx_size):
            slot = self._new_slot()
            if slot is None:
                self._free_rings()
                return False
            self.rx_slots.append(slot)
            self._arm(index, slot)
        for index in range(self.tx_size):
            self.tx.write(index, 0, 0, hw.Dt.EEMPTY, 0)
        self.rx.write(self.rx_size, 0, 0, hw.Dt.LINKFIX, self.rx.address, 0, 0, 0, 0)
        self.tx.write(self.tx_size, 0, 0, hw.Dt.LINKFIX, self.tx.address)
        self.table.write(hw.RX_QUEUE, 0, 0, hw.Dt.LINKFIX, self.rx.address)
        self.table.write(hw.TX_QUEUE, 0, 0, hw.Dt.LINKFIX, self.tx.address)
        self.is_open = True
        mode = hw.Ecmr.ZPF | hw.Ecmr.DM | hw.Ecmr.TE | hw.Ecmr.RE
        self.door.write("DBAT", self.table.address)
        self.door.write("CCC", hw.CCC_OPERATION)
        self.door.write("RFLR", self.frame_limit)
        self.door.write("ECMR", mode | (hw.Ecmr.RCSC if self.options.rx_checksum_offload else 0))
        self.door.write("RIC0", 1)
        return True

    def close(self) -> None:
        """Stop and give everything back, frames under way included."""
        must_be_open(self.is_open, "close")
        self.door.write("RIC0", 0)
        self.door.write("ECMR", 0)
        self.door.write("CCC", 0)
        self._free_rings()
        self.is_open = False

    def _free_rings(self) -> None:
        for slot in self.rx_slots:
            self.dma.unmap_single(slot.bus, self.buffer, Direction.FROM_DEVICE, sync=False)
            slot.fragment.free()
        while self.tx_slots.used:
            self.tx_slots.pop().free()
            self.stats.tx_dropped += 1
        if self.partial is not None:
            self.partial.free()
            self.partial = None
        self.frags.drain()
        for ring in (self.table, self.rx, self.tx):
            self.dma.free_coherent(ring.address)

    # The feature switch

    @property
    def options(self) -> Options:
        """The switches; assign new ones at any time."""
        return self._options

    @options.setter
    def options(self, options: Options) -> None:
        enable = checked(options).rx_checksum_offload
        if self.is_open and enable != self._options.rx_checksum_offload:
            running = hw.Ecmr.TE | hw.Ecmr.RE
            self.door.modify("ECMR", 0, running)
            while self.poll(self.rx_size):
                pass
            self.door.modify("ECMR", hw.Ecmr.RCSC if enable else 0, hw.Ecmr.RCSC)
            self.door.modify("ECMR", running, running)
            self.door.write("TCCR", hw.TCCR_TSRQ0)
        self._options = options

    def set_rx_checksum(self, enable: bool) -> None:
        """``ethtool -K eth0 rx on|off``, with receive and transmit stopped around it."""
        self.options = replace(self.options, rx_checksum_offload=enable)

    # Receive

    def interrupt(self) -> None:
        """The handler: acknowledge, and mask until the poll is complete."""
        self.door.write("RIS0", 0)
        self.door.write("RIC0", 0)

    def poll(self, budget: int) -> int:
        """NAPI poll: clean transmit, hand up to `budget` received frames to the stack; returns how many.

        A dropped frame counts as work. Fewer than `budget` means that the ring is empty: the interrupt is
        open again.

        Raises:
            ValueError: a negative budget.
        """
        must_be_open(self.is_open, "poll")
        checked_budget(budget)
        self._clean_tx()
        done = 0
        while done < budget:
            words = self.rx.read(self.rx_next)
            if words[2] & hw.DT_MASK == hw.Dt.FEMPTY:
                break
            done += self._piece(self.rx_next, words)
            self.rx_next = self.rx.next(self.rx_next)
        if done < budget:
            self.door.write("RIC0", 1)
        return done

    def _piece(self, index: int, words: tuple[int, ...]) -> int:
        """Take one filled descriptor; returns 1 when it ended a frame."""
        size, msc, kind = words[0] & hw.DS, words[1], words[2] & hw.DT_MASK
        if kind == hw.Dt.FSINGLE:
            skb = self._whole(index, size)
        else:
            self._collect(index, size, is_first=kind == hw.Dt.FSTART)
            if kind != hw.Dt.FEND:
                return 0
            skb, self.partial = self.partial, None
        if msc & ~hw.MSC_MC:
            self.stats.rx_errors += 1
        elif skb is None:
            self.stats.rx_dropped += 1
        elif len(skb) < ETH_HLEN:
            self.stats.rx_length_errors += 1
        else:
            skb.hwtstamp = (words[6] << 32 | words[5]) * 10**9 + words[4]
            self._up(skb)
            return 1
        if skb is not None:
            skb.free()
        return 1

    def _up(self, skb: Skb) -> None:
        eth_type_trans(skb)
        if self.options.rx_checksum_offload:
            self.take(skb)
        self.stats.rx_packets += 1
        self.stats.rx_bytes += ETH_HLEN + len(skb)
        self.receive(skb)

    def _whole(self, index: int, size: int) -> Skb | None:
        """The skb of a frame in one piece; without a replacement its buffer stays and the frame is lost."""
        slot, fresh = self.rx_slots[index], self._new_slot()
        if fresh is None:
            self._arm(index, slot)
            return None
        self.dma.unmap_single(slot.bus, self.buffer, Direction.FROM_DEVICE)
        self.rx_slots[index] = fresh
        self._arm(index, fresh)
        skb = self.slab.take(lambda: build_skb(slot.fragment.view))
        if skb is None:
            slot.fragment.free()
            return None
        skb.release = slot.fragment.free
        skb.reserve(HEADROOM)
        skb.put(size)
        return skb

    def _collect(self, index: int, size: int, *, is_first: bool) -> None:
        """Append one piece to the frame that is being put together; its buffer goes back to the device."""
        slot = self.rx_slots[index]
        if is_first:
            room = self.frame_limit + self.appended
            self.partial = self.slab.take(lambda: alloc_skb(room, HEADROOM))
        if self.partial is not None and size > self.partial.tailroom:  # the MAC says "too long" at the end
            self.partial.free()
            self.partial = None
        if self.partial is not None:
            self.dma.sync_single_for_cpu(slot.bus, size)
            self.partial.put_data(slot.fragment.view[HEADROOM : HEADROOM + size])
            self.stats.rx_copied += size
        self._arm(index, slot)

    def _new_slot(self) -> RxSlot | None:
        fragment = self.frags.alloc(skb_data_align(HEADROOM + self.buffer) + SHARED_INFO)
        if fragment is None:
            return None
        bus = self.dma.map_single(fragment.view[HEADROOM : HEADROOM + self.buffer], Direction.FROM_DEVICE)
        if bus is None:
            fragment.free()
            return None
        return RxSlot(fragment, bus)

    def _arm(self, index: int, slot: RxSlot) -> None:
        self.rx.write(index, self.buffer, 0, hw.Dt.FEMPTY, slot.bus, 0, 0, 0, 0)

    # Transmit

    def xmit(self, skb: Skb) -> bool:
        """Send one frame. False means "busy": the ring is full and the caller keeps the skb.

        A frame of more bytes than a descriptor can say (4095) is dropped. After an exception (a checksum
        field outside the frame) the caller keeps the skb, and nothing was taken.
        """
        must_be_open(self.is_open, "xmit")
        if len(skb) > hw.DS:
            self.stats.tx_dropped += 1
            skb.free()
            return True
        if self.tx_slots.is_full:
            self._clean_tx()
        if self.tx_slots.is_full:
            self.stats.tx_busy += 1
            return False
        checksum_help(skb)  # this MAC fills in no checksum
        skb.pad_to(ETH_ZLEN)
        index, bus = self.tx_slots.head, self.tx_slots.push(skb)
        if bus is None:
            self.stats.tx_dropped += 1
            skb.free()
            return True
        self.tx.write(index, len(skb), 0, hw.Dt.FSINGLE, bus)
        self.door.write("TCCR", hw.TCCR_TSRQ0)
        return True

    def _clean_tx(self) -> None:
        while self.tx_slots.used and self.tx.read(self.tx_slots.tail)[2] & hw.DT_MASK == hw.Dt.FEMPTY:
            skb = self.tx_slots.pop()
            self.stats.tx_packets += 1
            self.stats.tx_bytes += len(skb)
            skb.free()
