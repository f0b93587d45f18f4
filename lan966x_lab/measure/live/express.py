"""A board with an express lane, for streams that the full register model is too slow for.

The lane carries a plain frame (no VLAN tag, no transmit time) from one port to the port that it is wired to
without a queue of events: one sum of register accesses for each of the lab's steps, instead of one call for
each access. What the patches change stays the driver's own code: header codec and template
(`driver.headers`), time of day (`driver.phc`, through the real registers), skb, GRO. Every other frame, and
every frame while something is under way or a fault is ordered, takes the full road of `Board`.

Both roads write into the same counters. After any frame, bytes, receive times, virtual time, register counts,
header work, port, switch and ledger counters are those of the full road: tests compare them on the captures.
The lane leaves out what has no counter there: descriptors and pages are not moved around the ring.
"""

from __future__ import annotations

from typing import Any

from lan966x_lab import ifh
from lan966x_lab.driver import Board, Options, headers, run
from lan966x_lab.driver.headers import IFH_LEN_BYTES, CountedHeader
from lan966x_lab.driver.skb import (
    ETH_FCS_LEN,
    ETH_HLEN,
    ETH_ZLEN,
    SHARED_INFO,
    alloc_skb,
    build_skb,
    skb_from_frame,
)
from lan966x_lab.hw import extraction
from lan966x_lab.hw.fcs import FCS_LEN, fcs
from lan966x_lab.hw.injection import InjectionGroup
from lan966x_lab.hw.phc import SECOND

TX, RX = ifh.LAN966X.tx, ifh.LAN966X.rx
_SKB_HEADROOM = 256
_MARKER = b"\x80\x00\x00"
"""What every word that looks like a marker of the extraction group begins with."""


class ExpressBoard(Board):
    """A `Board` whose port 0 is wired to port 1, for the live wire; takes no other wires.

    Args:
        lane: False sends every frame over the full road.

    Attributes:
        express: how many frames took the lane.
        full: how many took the full road.
    """

    def __init__(self, options: Options | None = None, *, lane: bool = True) -> None:
        super().__init__(options)
        self.wire(0, 1)
        self.lane = lane
        self.express = self.full = 0
        # One FIFO word leaves while the next is being written: a frame that is alone never waits.
        costs = self.chip.door.costs
        assert self._fifo.word_ns < costs.read_ns + costs.write_ns

    @property
    def _fifo(self) -> InjectionGroup:
        return self.chip.injection[0]

    def forward(self, frame: bytes, source: int) -> None:
        """Send `frame` through port `source` and let time pass until it was received at the other port."""
        if self.lane and self._is_plain(frame, source):
            self.express += 1
            self._lane(frame, source)
        else:
            self.full += 1
            self.send(frame, source)
            run(self)

    def send_stamped(self, frame: bytes, source: int) -> None:
        """The same on the full road, asking for the transmit time."""
        self.full += 1
        self.send(frame, source, stamp=True)
        run(self)

    def _is_plain(self, frame: bytes, source: int) -> bool:
        chip, driver = self.chip, self.driver
        wire = chip.ports[source].wire
        return (
            ETH_HLEN <= len(frame) <= driver.ports[source].max_len - ETH_FCS_LEN
            and len(frame) <= driver.ports[1 - source].max_len - ETH_FCS_LEN
            and chip.clock.next_ns is None
            and chip.door.trace is None
            and not driver.failing_allocations
            and (driver.options.path == "manual" or driver.path.tx_chain.is_active)  # type: ignore[attr-defined]
            and wire is not None
            and not (wire.log is not None or wire._faults)
            and not (chip.switch.wrong_len or chip.switch.wrong_srcport)
            and not (chip.extraction[0]._orders or self._fifo._lose or self._fifo.pauses is not None)
            and not (self._fifo._held_from or chip.fdma.is_failing)
        )

    # ---- the lane ----

    def _charge(self, reads: dict[str, int], writes: dict[str, int], ktime: int = 0) -> None:
        """Register accesses of one step: counted, and paid for in virtual time."""
        door, costs = self.chip.door, self.chip.door.costs
        ns = ktime * costs.ktime_ns
        for name, n in reads.items():
            door.reads[name] += n
            ns += n * costs.read_ns
        for name, n in writes.items():
            door.writes[name] += n
            ns += n * costs.write_ns
        door.ktime_reads += ktime
        self.clock.advance(ns)

    def _lane(self, frame: bytes, source: int) -> None:
        manual = self.options.path == "manual"
        header = self._transmit_header(frame, source)
        data = frame.ljust(ETH_ZLEN, b"\0")
        if manual:
            self._inject(len(frame))
        else:
            self._give_descriptor(len(data))
        packet = self._switch(header, data)
        self._receive_manual(packet) if manual else self._receive_fdma(packet)

    def _transmit_header(self, frame: bytes, source: int) -> bytes:
        """``ndo_start_xmit`` up to the header: skb → IFH, by the driver's own codec or template."""
        driver, ledger = self.driver, self.ledger
        port = driver.ports[source]
        skb = skb_from_frame(frame)
        ledger.entered["tx"] += 1
        ledger.taken["skb"] += 1
        values = port.template.fixed | {"QOS_CLASS": 0, "IPV": 0, "TCI": 0}
        header = headers.build(driver.options, port.template, values)
        driver.work["header_loads"] += header.loads
        driver.work["header_stores"] += header.stores
        port.stats["tx_packets"] += 1
        port.stats["tx_bytes"] += len(skb)
        skb.free()
        ledger.given["skb"] += 1
        ledger.ended["tx", "sent"] += 1
        return header.uncounted()

    def _inject(self, length: int) -> None:
        """The words of header and frame into the FIFO; time stands where the last has left it."""
        words = (IFH_LEN_BYTES + max(ETH_ZLEN, length + -length % 4)) // 4
        self._charge(
            {"QS_INJ_STATUS": 1 + words},
            {"QS_INJ_CTRL[0]": 2, "QS_INJ_WR[0]": words + 1},
            0 if self.options.check_fifo_first else words,
        )
        self._fifo.frames["delivered"] += 1
        self._fifo._busy_until = self.clock.now_ns + self._fifo.word_ns
        self.clock.run_until(self._fifo._busy_until)

    def _give_descriptor(self, length: int) -> None:
        """One DCB and its doorbell; time stands at the moment when the device has read the frame."""
        self._charge({"FDMA_CH_RELOAD": 1}, {"FDMA_CH_RELOAD": 1})
        self.clock.advance((IFH_LEN_BYTES + length + ETH_FCS_LEN) * self.chip.fdma.byte_ns)

    def _switch(self, header: bytes, frame: bytes) -> bytes:
        """Injection header → port → wire → port → extraction header; returns the packet for the CPU."""
        chip = self.chip
        destination = (int.from_bytes(header, "big") >> TX["DSTS"].pos) & TX["DSTS"].maximum
        out = chip.ports[destination.bit_length() - 1]
        into = chip.ports[1 - out.number]
        time_ns, duration_ns = out._line.reserve(len(frame) + FCS_LEN)
        self.clock.run_until(time_ns)
        stamp_ns = chip.ptp.domains[0].now_ns % SECOND
        if self.options.path == "fdma":  # meanwhile the CPU takes the descriptor back
            self._charge({"FDMA_INTR_DB": 1}, {"FDMA_INTR_DB_ENA": 2, "FDMA_INTR_DB": 1})
        self.clock.run_until(time_ns + duration_ns)
        chip.switch.counters["injected"] += 1
        out.counters["tx"] += 1
        into.counters["rx"] += 1
        chip.switch.counters["to_cpu"] += 1
        value = stamp_ns << RX["TIMESTAMP"].pos + 2 | (len(frame) + FCS_LEN) << RX["LEN"].pos
        value |= into.number << RX["SRCPORT"].pos
        return value.to_bytes(RX.nbytes, "big") + frame + fcs(frame)

    def _receive_manual(self, packet: bytes) -> None:
        """Words of QS_XTR_RD → IFH → skb, by the driver's own codec."""
        driver = self.driver
        words = len(packet) // 4 + bool(len(packet) % 4) + 1
        if _MARKER in packet:  # some data words may look like a marker: let the model count the escapes
            words = len(extraction.encode(packet).words)
        self.chip.extraction[0].frames["offered"] += 1
        self._charge({"QS_XTR_DATA_PRESENT": 1, "QS_XTR_RD[0]": words}, {})
        ticket = self.ledger.enter("rx")
        header = CountedHeader(packet[:IFH_LEN_BYTES])
        port, length, timestamp = headers.read(driver.options, header)
        driver.work["header_loads"] += header.loads
        skb = alloc_skb(length - ETH_FCS_LEN)
        skb.put_data(packet[IFH_LEN_BYTES : IFH_LEN_BYTES + length - ETH_FCS_LEN])
        driver.work["copied_bytes"] += length - ETH_FCS_LEN
        driver.deliver(port, skb, timestamp, ticket)
        driver.gro.flush()
        self._charge({"QS_XTR_DATA_PRESENT": 1}, {})

    def _receive_fdma(self, packet: bytes) -> None:
        """A filled buffer → IFH → skb around it, by the driver's own codec."""
        driver = self.driver
        reads, writes = {"FDMA_INTR_DB": 1}, {"FDMA_INTR_DB_ENA": 1, "FDMA_INTR_DB": 1}
        self._charge(reads | {"FDMA_CH_RELOAD": 1}, writes | {"FDMA_CH_RELOAD": 1})
        ticket = self.ledger.enter("rx")
        buffer = bytearray(_SKB_HEADROOM + len(packet) + SHARED_INFO)
        buffer[_SKB_HEADROOM : _SKB_HEADROOM + len(packet)] = packet
        header = CountedHeader(packet[:IFH_LEN_BYTES])
        get = ifh.CODECS[driver.options.ifh_codec].get
        port, timestamp = get(header, RX["SRCPORT"]), get(header, RX["TIMESTAMP"])
        driver.work["header_loads"] += header.loads
        skb = build_skb(buffer)
        skb.reserve(_SKB_HEADROOM)
        skb.put(len(packet))
        skb.pull(IFH_LEN_BYTES)
        skb.trim(len(skb) - ETH_FCS_LEN)
        driver.deliver(port, skb, timestamp, ticket)
        driver.gro.flush()
        self._charge({}, {"FDMA_INTR_DB_ENA": 1})


def counters(board: Board) -> dict[str, Any]:
    """Everything that a board counted, for a comparison of two roads."""
    chip, driver = board.chip, board.driver
    return {
        "now_ns": board.clock.now_ns,
        "reads": +chip.door.reads,
        "writes": +chip.door.writes,
        "ktime": chip.door.ktime_reads,
        "work": +driver.work,
        "ports": [+port.stats for port in driver.ports],
        "wires": [+port.counters for port in chip.ports],
        "switch": +chip.switch.counters,
        "ptp": +driver.ptp.stats,
        "gro": (driver.gro.segments, driver.gro.packets, driver.gro.bytes_summed),
        "rx_dropped": +driver.rx_dropped,
        "entered": +board.ledger.entered,
        "ended": +board.ledger.ended,
        "taken": +board.ledger.taken,
        "given": +board.ledger.given,
    }
