"""The FDMA path of the LAN966x driver: descriptors instead of words.

Transmit puts 28 bytes of header before the frame and 4 bytes for the FCS behind it, in the skb itself, and
gives it to the device; the skb comes back when the device has read it. Receive keeps a ring of pages from a
page pool; a page goes up inside an skb and comes back to the pool when that is freed.

The rules that later fixes of the real driver teach (facts in the commit messages named):

* A new page is there before the old one goes up; without one the frame is lost and the old page armed again.
* The CPU sync covers what the device wrote, from where it wrote it; after `build_skb` nothing is synced any
  more (L@fc57062f98b0).
* SRCPORT is checked before it is used as an index (L@13a9d08c2962).
* Pages are sized for the longest frame with FCS, two tags, header, headroom and shared info (L@872ad758f9b7).
* A change of the MTU builds the new ring before it frees the old one (L@59c3d55a946c).
* The interrupt stays masked from the handler until a poll that used less than its budget.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lan966x_lab import ifh
from lan966x_lab.driver.headers import IFH_LEN_BYTES, RX, CountedHeader
from lan966x_lab.driver.manual_rx import flush_group
from lan966x_lab.driver.netdev import Port, TxResult
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.polling import read_poll_timeout
from lan966x_lab.driver.skb import (
    ETH_FCS_LEN,
    ETH_HLEN,
    ETH_ZLEN,
    SHARED_INFO,
    VLAN_HLEN,
    Skb,
    SkbSlab,
    build_skb,
)
from lan966x_lab.hw.fdma import (
    DCB_MAX,
    DCB_WORDS,
    INJ_CHANNEL,
    INVALID_DATA,
    XTR_CHANNEL,
    Info,
    PortCtrl,
    Status,
)
from lan966x_lab.hw.lan966x_regs import NUM_PHYS_PORTS, GrpCfg
from lan966x_lab.hw.memory import PAGE_SIZE, Direction, Memory, PagePool, PoolPage
from lan966x_lab.hw.ring import DescriptorRing

if TYPE_CHECKING:
    from lan966x_lab.driver.lan966x import Driver

XDP_PACKET_HEADROOM = 256
XTR_BIT, INJ_BIT = 1 << XTR_CHANNEL, 1 << INJ_CHANNEL
CHANNELS = 0xFF
"""The interrupts of all channels."""
DRAIN_NS = 1000


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


@dataclass(slots=True, eq=False)
class RxRing:
    """Pool, descriptors and slots of one page size.

    `tail` is the last DCB of the chain; `in_bad_frame`: more of a frame that was dropped may follow.
    """

    pool: PagePool
    dcbs: DescriptorRing
    slots: list[RxSlot]
    next: int = 0
    tail: int = 0
    in_bad_frame: bool = False


class FdmaPath:
    """A `netdev.Path` through the FDMA engine.

    Args:
        size: DCBs of each ring.

    Attributes:
        memory, slab: where pages and structures come from; their ``fails`` can order failures.
    """

    def __init__(self, driver: Driver, options: Options, *, size: int = DCB_MAX) -> None:
        if not 2 <= size <= DCB_MAX:
            raise ValueError(f"ring of {size} DCBs: the allowed range is 2..{DCB_MAX}")
        self._driver, self.options, self.size = driver, options, size
        self.door, self.dma = driver.door, driver.chip.fdma.dma
        self.memory = Memory()
        self.slab = SkbSlab(fails=driver.allocation_fails)
        self.scheduled = False
        self.rx: RxRing | None = None

    # ---- start and stop ----

    def start(self) -> None:
        """Build both rings and take the CPU port over; what waited for another path is flushed.

        Raises:
            OSError: ENOMEM; nothing is left behind.
        """
        ring = self._new_rx(self._driver.max_len)
        if ring is None:
            raise OSError(errno.ENOMEM, "no memory for the receive ring: free some, or use the manual path")
        self.tx = DescriptorRing.allocate(self.dma, DCB_WORDS, self.size)
        self.tx_slots: list[tuple[Skb, int, int] | None] = [None] * self.size
        self.tx_head = self.tx_tail = self.tx_used = 0
        self.is_tx_active = False
        for group in ("QS_XTR_GRP_CFG[0]", "QS_INJ_GRP_CFG[0]"):
            self.door.write(group, GrpCfg.MODE.put(GrpCfg.FDMA))
        flush_group(self.door, 0)
        self.door.write("FDMA_PORT_CTRL[0]", 0)
        self._activate_rx(ring)
        self.door.write("FDMA_INTR_DB_ENA", CHANNELS)

    def stop(self) -> None:
        """Let what is in flight come to its end, then give everything back.

        What arrives meanwhile waits in the extraction group, for the path that starts next.
        """
        self.door.write("QS_XTR_GRP_CFG[0]", GrpCfg.BYTE_SWAP.mask)
        while self.tx_used:
            self.door.delay(DRAIN_NS)
            self._clean_tx()
        ring = self._drain_rx()
        self.door.write("FDMA_INTR_DB_ENA", 0)
        self._disable(XTR_BIT | INJ_BIT)
        self.door.write("FDMA_PORT_CTRL[0]", PortCtrl.XTR_STOP.mask | PortCtrl.INJ_STOP.mask)
        self._free_rx(ring)
        self.dma.free_coherent(self.tx.address)
        self.rx = None
        self.scheduled = False

    def resize(self, max_len: int) -> bool:
        """Frames of up to `max_len` bytes with FCS may come. False: no memory, and nothing has changed.

        The first drain takes what waits in the switch, where there may be frames that the new pages are too
        small for. Then the port is stopped before the channel is, and drained once more: a frame that the
        engine put into the old ring meanwhile would go with it. What comes from then on waits in the switch.
        """
        if self.rx is None or self._fits(self.rx, max_len):
            return True
        fresh = self._new_rx(max_len)
        if fresh is None:
            return False
        self.door.write("FDMA_INTR_DB_ENA", 0)
        self._drain_rx()
        self.door.write("FDMA_PORT_CTRL[0]", PortCtrl.XTR_STOP.mask)
        old = self._drain_rx()
        self._disable(XTR_BIT)
        self._activate_rx(fresh)
        self.door.write("FDMA_PORT_CTRL[0]", 0)
        self._free_rx(old)
        self.door.write("FDMA_INTR_DB_ENA", CHANNELS)
        return True

    @staticmethod
    def _fits(ring: RxRing, max_len: int) -> bool:
        return ring.pool.order == page_order(max_len)

    # ---- transmit ----

    def transmit(self, port: Port, skb: Skb, header: bytes) -> TxResult:
        """Put the frame into the ring; BUSY stops the port's queue until `poll` has found room again.

        Raises:
            OSError: ENOMEM, the frame cannot be mapped.
        """
        if self.tx_used == self.size:
            self._clean_tx()
        if self.tx_used == self.size:
            port.stopped = True
            return TxResult.BUSY
        skb.expand(IFH_LEN_BYTES, max(0, ETH_ZLEN - len(skb)) + ETH_FCS_LEN)
        data, tail = skb.data, skb.tail
        skb.put(max(0, ETH_ZLEN - len(skb)))[:] = bytes(max(0, ETH_ZLEN - len(skb)))
        skb.push(IFH_LEN_BYTES)[:] = header
        skb.put(ETH_FCS_LEN)[:] = bytes(ETH_FCS_LEN)
        length = len(skb)
        bus = self.dma.map_single(skb.view(), Direction.TO_DEVICE)
        skb.data, skb.tail = data, tail  # taps and timestamps look at the frame alone
        if bus is None:
            raise OSError(errno.ENOMEM, "the frame cannot be mapped for the device: it is dropped")
        self._append_tx(skb.get(), bus, length)
        return TxResult.OK

    def _append_tx(self, skb: Skb, bus: int, length: int) -> None:
        index = self.tx_head
        flags = Status.SOF.mask | Status.EOF.mask | Status.INTR.mask
        self.tx.write(index, INVALID_DATA, Info.DATAL.put(length), bus, flags | Status.BLOCKL.put(length))
        self.tx_slots[index] = skb, bus, length
        self.tx_head = self.tx.next(index)
        self.tx_used += 1
        if not self.is_tx_active:
            self.is_tx_active = True
            self._activate(INJ_CHANNEL, self.tx)
            return
        self._link(self.tx, (index - 1) % self.size, index)
        self.door.write("FDMA_CH_RELOAD", INJ_BIT)

    def _clean_tx(self) -> None:
        """Take back what was sent, and wake the queues."""
        while self.tx_used and self.tx.read(self.tx_tail)[3] & Status.DONE.mask:
            slot = self.tx_slots[self.tx_tail]
            assert slot is not None
            skb, bus, length = slot
            self.dma.unmap_single(bus, length, Direction.TO_DEVICE)
            skb.free()
            self.tx_slots[self.tx_tail] = None
            self.tx_tail = self.tx.next(self.tx_tail)
            self.tx_used -= 1
            for port in self._driver.ports:
                port.stopped = False

    # ---- receive ----

    def interrupt(self) -> bool:
        """The handler: mask, acknowledge, schedule. Whether a poll is due."""
        if self._driver.chip.fdma.asserted:
            pending = self.door.read("FDMA_INTR_DB")
            self.door.write("FDMA_INTR_DB_ENA", 0)
            self.door.write("FDMA_INTR_DB", pending)
            self.scheduled = True
        return self.scheduled

    def poll(self, budget: int) -> int:
        """NAPI: clean transmit, receive up to `budget` frames, open the interrupt again if that was all.

        What GRO holds goes up first: the next interrupt belongs to new frames (C17).
        """
        self._clean_tx()
        done = self._receive(budget)
        if done < budget:
            self._driver.gro.flush()
            self.scheduled = False
            self.door.write("FDMA_INTR_DB_ENA", CHANNELS)
        return done

    def _receive(self, budget: int) -> int:
        ring, done = self.rx, 0
        assert ring is not None
        while done < budget:
            status = ring.dcbs.read(ring.next)[3]
            if not status & Status.DONE.mask:
                break
            self._frame(ring, ring.next, status)
            ring.next = ring.dcbs.next(ring.next)
            done += 1
        return done

    def _frame(self, ring: RxRing, index: int, status: int) -> None:
        """One DCB that is done; it is appended to the chain again whatever happens."""
        driver, slot = self._driver, ring.slots[index]
        is_counted = ring.in_bad_frame and not status & Status.SOF.mask
        ring.in_bad_frame = not status & Status.EOF.mask
        if is_counted:  # a frame in several pieces is one lost frame
            self._append_rx(ring, index)
            return
        ticket = driver.ledger.enter("rx")
        length = Status.BLOCKL.get(status)
        self.dma.sync_single_for_cpu(slot.page.bus_address + XDP_PACKET_HEADROOM, length)
        port, timestamp, reason = self._check(slot, status)
        fresh = None if reason else self._new_slot(ring.pool)
        if fresh is None:
            self._append_rx(ring, index)
            driver.drop(ticket, reason or "no_memory")
            return
        ring.slots[index] = fresh
        self._append_rx(ring, index)
        skb = slot.skb or self._build(slot.page)
        if skb is None:
            slot.page.recycle()
            driver.drop(ticket, "no_memory")
            return
        skb.put(length)
        skb.pull(IFH_LEN_BYTES)
        skb.trim(len(skb) - ETH_FCS_LEN)
        driver.deliver(port, skb, timestamp, ticket)

    def _check(self, slot: RxSlot, status: int) -> tuple[int, int, str]:
        """Port and timestamp of a frame, and why it must be dropped, or ""."""
        if not status & Status.SOF.mask or not status & Status.EOF.mask:
            return 0, 0, "too_long"  # in several pieces: longer than any port may receive
        if Status.BLOCKL.get(status) < IFH_LEN_BYTES + ETH_HLEN + ETH_FCS_LEN:
            return 0, 0, "too_short"
        start = XDP_PACKET_HEADROOM
        header = CountedHeader(slot.page.page.data[start : start + IFH_LEN_BYTES])
        get = ifh.CODECS[self.options.ifh_codec].get
        port, timestamp = get(header, RX["SRCPORT"]), get(header, RX["TIMESTAMP"])
        self._driver.work["header_loads"] += header.loads
        return port, timestamp, "" if port < NUM_PHYS_PORTS else "bad_src_port"

    # ---- buffers and chains ----

    def _new_rx(self, max_len: int) -> RxRing | None:
        """An armed ring for frames of up to `max_len` bytes. None: no memory, and nothing is left behind."""
        pool = PagePool(self.memory, self.dma, page_order(max_len), self.size)
        ring = RxRing(pool, DescriptorRing.allocate(self.dma, DCB_WORDS, self.size), [], tail=self.size - 1)
        for index in range(self.size):
            slot = self._new_slot(pool)
            if slot is None:
                self._free_rx(ring)
                return None
            ring.slots.append(slot)
            self._write_rx(ring, index)
            if index:
                self._link(ring.dcbs, index - 1, index)
        return ring

    def _free_rx(self, ring: RxRing) -> None:
        for slot in ring.slots:
            self._free_slot(slot)
        ring.pool.destroy()
        self.dma.free_coherent(ring.dcbs.address)

    def _new_slot(self, pool: PagePool) -> RxSlot | None:
        page = pool.alloc()
        if page is None:
            return None
        if self.options.late_skb:
            return RxSlot(page, None)
        skb = self._build(page)
        if skb is None:
            page.recycle()
            return None
        return RxSlot(page, skb)

    @staticmethod
    def _free_slot(slot: RxSlot) -> None:
        slot.skb.free() if slot.skb is not None else slot.page.recycle()

    def _build(self, page: PoolPage) -> Skb | None:
        skb = self.slab.take(lambda: build_skb(page.page.data))
        if skb is not None:
            skb.release = page.recycle
            skb.reserve(XDP_PACKET_HEADROOM)
        return skb

    def _write_rx(self, ring: RxRing, index: int) -> None:
        page = ring.slots[index].page
        room = Info.DATAL.put(ring.pool.length - XDP_PACKET_HEADROOM - SHARED_INFO)
        bus = page.bus_address + XDP_PACKET_HEADROOM
        ring.dcbs.write(index, INVALID_DATA, room, bus, Status.INTR.mask)

    def _append_rx(self, ring: RxRing, index: int) -> None:
        """Arm a DCB as the last of the chain.

        RELOAD follows at once: an engine that has stopped behind the old tail will look at the ``nextptr`` of
        that DCB, and arming it again before that would write a 1 over the way on.
        """
        self._write_rx(ring, index)
        self._link(ring.dcbs, ring.tail, index)
        ring.tail = index
        self.door.write("FDMA_CH_RELOAD", XTR_BIT)

    @staticmethod
    def _link(dcbs: DescriptorRing, last: int, index: int) -> None:
        _, info, dataptr, status = dcbs.read(last)
        dcbs.write(last, dcbs.address_of(index), info, dataptr, status)

    def _activate(self, channel: int, dcbs: DescriptorRing) -> None:
        self.door.write(f"FDMA_DCB_LLP[{channel}]", dcbs.address & 0xFFFFFFFF)
        self.door.write(f"FDMA_DCB_LLP1[{channel}]", dcbs.address >> 32)
        self.door.write("FDMA_CH_ACTIVATE", 1 << channel)

    def _disable(self, mask: int) -> None:
        self.door.write("FDMA_CH_DISABLE", mask)
        read_poll_timeout(self.door, "FDMA_CH_ACTIVE", lambda active: not active & mask)

    def _activate_rx(self, ring: RxRing) -> None:
        self.rx = ring
        self._activate(XTR_CHANNEL, ring.dcbs)

    def _drain_rx(self) -> RxRing:
        while self._receive(self.size):
            pass
        assert self.rx is not None
        return self.rx
