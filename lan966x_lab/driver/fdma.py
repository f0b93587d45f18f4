"""The FDMA path of the LAN966x driver: descriptors instead of words.

Transmit puts 28 bytes of header before the frame and 4 bytes for the FCS behind it, in the skb itself, and
gives it to the device; the skb comes back when the device has read it. Receive hands up pages of a ring
(`driver.fdma_rx`), and posts a new one for each.

The rules that later fixes of the real driver teach (facts in the commit messages named):

* A new page is there before the old one goes up; without one the frame is lost and the old page armed again.
* The CPU sync covers what the device wrote, from where it wrote it; after `build_skb` nothing is synced any
  more (L@fc57062f98b0).
* SRCPORT is checked before it is used as an index (L@13a9d08c2962).
* A change of the MTU builds the new ring before it frees the old one (L@59c3d55a946c).
* The interrupt stays masked from the handler until a poll that used less than its budget.
"""

from __future__ import annotations

import errno
from collections import Counter
from typing import TYPE_CHECKING

from lan966x_lab import ifh
from lan966x_lab.driver.fdma_chain import CHANNELS, Chain
from lan966x_lab.driver.fdma_rx import XDP_PACKET_HEADROOM, RxRing, RxSlot, page_order
from lan966x_lab.driver.headers import IFH_LEN_BYTES, RX, CountedHeader
from lan966x_lab.driver.manual_rx import flush_group
from lan966x_lab.driver.netdev import Port, TxResult
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.polling import read_poll_timeout
from lan966x_lab.driver.skb import ETH_FCS_LEN, ETH_HLEN, ETH_ZLEN, Skb, SkbSlab
from lan966x_lab.driver.tx_slots import TxSlots
from lan966x_lab.hw.fdma import (
    DCB_MAX,
    DCB_WORDS,
    INJ_CHANNEL,
    OWNER,
    XTR_CHANNEL,
    Errors,
    Info,
    PortCtrl,
    Status,
)
from lan966x_lab.hw.lan966x_regs import NUM_PHYS_PORTS, GrpCfg
from lan966x_lab.hw.memory import Memory
from lan966x_lab.hw.ring import DescriptorRing

if TYPE_CHECKING:
    from lan966x_lab.driver.lan966x import Driver

XTR_BIT, INJ_BIT = 1 << XTR_CHANNEL, 1 << INJ_CHANNEL
DRAIN_NS = 1000
CAUSES = {"tx_read": Errors.INJ_RD, "rx_write": Errors.CH_WR}
"""Bus errors by their counter."""


class FdmaPath:
    """A `netdev.Path` through the FDMA engine.

    Args:
        size: DCBs of each ring.

    Attributes:
        memory, slab: where pages and structures come from; their ``fails`` can order failures.
        errors: bus errors that the engine reported, ``tx_read`` and ``rx_write``.
    """

    def __init__(self, driver: Driver, options: Options, *, size: int = DCB_MAX) -> None:
        if not 2 <= size <= DCB_MAX:
            raise ValueError(f"ring of {size} DCBs: the allowed range is 2..{DCB_MAX}")
        self._driver, self.options, self.size = driver, options, size
        self.door, self.dma = driver.door, driver.chip.fdma.dma
        self.memory = Memory()
        self.slab = SkbSlab(fails=driver.allocation_fails)
        self.scheduled = False
        self.errors: Counter[str] = Counter()
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
        self.tx = DescriptorRing.allocate(self.dma, DCB_WORDS, self.size, owner=OWNER)
        self.tx_slots = TxSlots(self.dma, self.tx)
        self.tx_chain = Chain(self.door, INJ_CHANNEL, self.tx)
        for group in ("QS_XTR_GRP_CFG[0]", "QS_INJ_GRP_CFG[0]"):
            self.door.write(group, GrpCfg.MODE.put(GrpCfg.FDMA))
        flush_group(self.door, 0)
        self.door.write("FDMA_PORT_CTRL[0]", 0)
        self.rx = ring
        ring.chain.activate()
        self.door.write("FDMA_INTR_DB_ENA", CHANNELS)

    def stop(self) -> None:
        """Let what is in flight come to its end, then give everything back.

        What arrives meanwhile waits in the extraction group, for the path that starts next.
        """
        self.door.write("QS_XTR_GRP_CFG[0]", GrpCfg.BYTE_SWAP.mask)
        while self.tx_slots.used:
            self.door.delay(DRAIN_NS)
            self._clean_tx()
        ring = self._drain_rx()
        self.door.write("FDMA_INTR_DB_ENA", 0)
        self._disable(XTR_BIT | INJ_BIT)
        self.door.write("FDMA_PORT_CTRL[0]", PortCtrl.XTR_STOP.mask | PortCtrl.INJ_STOP.mask)
        ring.free()
        self.dma.free_coherent(self.tx.address)
        self.rx = None
        self.scheduled = False

    def resize(self, max_len: int) -> bool:
        """Frames of up to `max_len` bytes with FCS may come. False: no memory, and nothing has changed.

        The first drain takes what waits in the switch, where there may be frames that the new pages are too
        small for. Then the port is stopped before the channel is, and drained once more: a frame that the
        engine put into the old ring meanwhile would go with it. What comes from then on waits in the switch.
        """
        if self.rx is None or self.rx.pool.order == page_order(max_len):
            return True
        fresh = self._new_rx(max_len)
        if fresh is None:
            return False
        self.door.write("FDMA_INTR_DB_ENA", 0)
        self._drain_rx()
        self.door.write("FDMA_PORT_CTRL[0]", PortCtrl.XTR_STOP.mask)
        old = self._drain_rx()
        self._disable(XTR_BIT)
        self.rx = fresh
        fresh.chain.activate()
        self.door.write("FDMA_PORT_CTRL[0]", 0)
        old.free()
        self.door.write("FDMA_INTR_DB_ENA", CHANNELS)
        return True

    # ---- transmit ----

    def transmit(self, port: Port, skb: Skb, header: bytes) -> TxResult:
        """Put the frame into the ring; BUSY stops the port's queue until `poll` has found room again.

        Raises:
            OSError: ENOMEM, the frame cannot be mapped.
        """
        if self.tx_slots.is_full:
            self._clean_tx()
        if self.tx_slots.is_full:
            port.stopped = True
            return TxResult.BUSY
        skb.expand(IFH_LEN_BYTES, max(0, ETH_ZLEN - len(skb)) + ETH_FCS_LEN)
        data, tail = skb.data, skb.tail
        skb.put(max(0, ETH_ZLEN - len(skb)))[:] = bytes(max(0, ETH_ZLEN - len(skb)))
        skb.push(IFH_LEN_BYTES)[:] = header
        skb.put(ETH_FCS_LEN)[:] = bytes(ETH_FCS_LEN)
        length = len(skb)
        index, bus = self.tx_slots.head, self.tx_slots.push(skb)
        skb.data, skb.tail = data, tail  # taps and timestamps look at the frame alone
        if bus is None:
            raise OSError(errno.ENOMEM, "the frame cannot be mapped for the device: it is dropped")
        skb.get()
        flags = Status.SOF.mask | Status.EOF.mask | Status.INTR.mask
        self.tx_chain.append(index, Info.DATAL.put(length), bus, flags | Status.BLOCKL.put(length))
        if not self.tx_chain.is_active:
            self.tx_chain.activate()
        return TxResult.OK

    def _clean_tx(self) -> None:
        """Take back what was sent, and wake the queues."""
        while self.tx_slots.used and self.tx.read(self.tx_slots.tail)[3] & Status.DONE.mask:
            self.tx_slots.pop().free()
            for port in self._driver.ports:
                port.stopped = False

    # ---- receive ----

    def interrupt(self) -> bool:
        """The handler: mask, acknowledge, schedule. Whether a poll is due."""
        if self._driver.chip.fdma.asserted:
            self.scheduled = True  # before the mask closes: whatever happens below, a poll opens it again
            pending = self.door.read("FDMA_INTR_DB")
            self.door.write("FDMA_INTR_DB_ENA", 0)
            if pending:
                self.door.write("FDMA_INTR_DB", pending)
            else:
                self._clear_errors()
        return self.scheduled

    def _clear_errors(self) -> None:
        """Count a bus error, clear it, and let the receive channel go on.

        The kernel's driver asks for errors in every interrupt, warns and clears. Here they are asked for only
        when FDMA_INTR_DB does not say why the line is up: an interrupt costs one read less. RELOAD is ours: a
        channel that got no DBs would stand still for ever.
        """
        channels, causes = self.door.read("FDMA_INTR_ERR"), self.door.read("FDMA_ERRORS")
        self.errors.update(name for name, bits in CAUSES.items() if bits.get(causes))
        self.door.write("FDMA_INTR_ERR", channels)
        self.door.write("FDMA_ERRORS", causes)
        if channels & XTR_BIT:
            self.door.modify("FDMA_CH_RELOAD", XTR_BIT, CHANNELS)

    def poll(self, budget: int) -> int:
        """NAPI: clean transmit, receive up to `budget` frames, open the interrupt again if that was all.

        What GRO holds goes up first: the next interrupt belongs to new frames (C17).
        """
        self._clean_tx()
        done = self._receive(budget)
        if done < budget:
            self._driver.gro.flush()
            self.door.write("FDMA_INTR_DB_ENA", CHANNELS)
            self.scheduled = False
        return done

    def _receive(self, budget: int) -> int:
        ring, done = self.rx, 0
        assert ring is not None
        while done < budget:
            status = ring.dcbs.read(ring.next)[3]
            if not status & Status.DONE.mask:
                break
            index, ring.next = ring.next, ring.dcbs.next(ring.next)
            done += 1
            self._frame(ring, index, status)
        return done

    def _frame(self, ring: RxRing, index: int, status: int) -> None:
        """One DCB that is done; it is appended to the chain again whatever happens."""
        driver, slot = self._driver, ring.slots[index]
        is_counted = ring.in_bad_frame and not status & Status.SOF.mask
        ring.in_bad_frame = not status & Status.EOF.mask
        if is_counted:  # a frame in several pieces is one lost frame
            ring.arm(index)
            return
        ticket = driver.ledger.enter("rx")
        length = Status.BLOCKL.get(status)
        self.dma.sync_single_for_cpu(slot.page.bus_address + XDP_PACKET_HEADROOM, length)
        port, timestamp, reason = self._check(slot, status)
        fresh = None if reason else ring.new_slot(late=self.options.late_skb)
        if fresh is None:
            driver.drop(ticket, reason or "no_memory")
            ring.arm(index)
            return
        ring.slots[index] = fresh
        try:
            ring.arm(index)
        except BaseException:
            slot.free()
            driver.drop(ticket, "error")
            raise
        skb = slot.skb or ring.build(slot.page)
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

    def _new_rx(self, max_len: int) -> RxRing | None:
        """A filled ring for frames of up to `max_len` bytes with FCS; None when memory is short."""
        ring = RxRing(self.door, self.dma, self.memory, self.slab, max_len, self.size)
        return ring if ring.fill(late=self.options.late_skb) else None

    def _drain_rx(self) -> RxRing:
        while self._receive(self.size):
            pass
        assert self.rx is not None
        return self.rx

    def _disable(self, mask: int) -> None:
        self.door.write("FDMA_CH_DISABLE", mask)
        read_poll_timeout(self.door, "FDMA_CH_ACTIVE", lambda active: not active & mask)
        self.door.write("FDMA_CH_DB_DISCARD", mask)
