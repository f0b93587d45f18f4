"""The receive checksum unit of the Renesas Ethernet AVB MAC (ravb), and that of its sibling GbEth.

Two answers to one question. The R-Car unit knows no protocol: it appends the 16-bit one's-complement sum of
everything after the 14-byte Ethernet header, little-endian, not inverted, and leaves the judgement to the
stack. The GbEth unit (RZ/G2L) judges by itself: it appends two status words, 0x0000 where a checksum is right
and 0xffff where it is wrong or of a kind that the unit does not know; the word for the IP header is always
0xffff for IPv6.

Both append in the receive buffer, behind the last byte of the frame (which comes without FCS), and only while
``ECMR_RCSC`` is set.

Sources: ravb.h and ravb_main.c of Linux; commits 4d86d3818627 (R-Car) and c2da9408579d (GbEth).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, IntFlag

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma
from lan966x_lab.hw.registers import Door
from lan966x_lab.hw.ring import DescriptorRing, Interrupt, RxEngine, TxEngine
from lan966x_lab.net import checksum

ETH_HLEN = 14
ETH_FCS_LEN = 4


class Ecmr(IntFlag):
    """Bits of the MAC mode register ECMR."""

    DM = 0x0000_0002
    """Full duplex."""
    TE = 0x0000_0020
    """Transmit enable."""
    RE = 0x0000_0040
    """Receive enable."""
    ZPF = 0x0008_0000
    """PAUSE frames with time 0 are sent."""
    RCSC = 0x0080_0000
    """The receive checksum unit appends its result."""


class Dt(IntEnum):
    """Descriptor types, bits 7..4 of ``die_dt``: whose turn it is, and which piece of a frame this is."""

    EEMPTY = 0x30
    FMID = 0x40
    FSTART = 0x50
    FEND = 0x60
    FSINGLE = 0x70
    LINKFIX = 0x90
    FEMPTY = 0xC0


DT_MASK = 0xF0
DS = 0x0FFF
"""Size bits of a descriptor: of the buffer while it is empty, of the piece once it is filled."""
MSC_CRC = 0x01
"""MAC status: the frame check sequence was wrong."""
MSC_RTLF = 0x08
"""MAC status: the frame was longer than RFLR allows."""
MSC_MC = 0x80
"""MAC status: a multicast frame, no error."""
CCC_OPERATION = 2
TCCR_TSRQ0 = 1

RX_WORDS = "<HBBIIIHH"
"""Extended receive descriptor: ds_cc, msc, die_dt, dptr, ts_n, ts_sl, ts_sh, reserved (20 bytes)."""
TX_WORDS = "<HBBI"
"""Transmit descriptor, and entry of the base table: ds, -, die_dt, dptr (8 bytes)."""
OWNER = 2
"""In both: the word with the descriptor type."""
TX_QUEUE, RX_QUEUE, QUEUES = 0, 4, 22
"""Entries of the descriptor base address table: transmit queue 0, receive queue 0, all."""

Unit = Callable[[bytes], bytes]
"""What a checksum unit appends to a frame (Ethernet header to last byte, no FCS)."""


def complete_sum(frame: bytes) -> bytes:
    """The R-Car unit: the sum of everything after the Ethernet header (2 bytes).

    The unit adds little-endian words and stores the sum little-endian, which is what a little-endian kernel
    computes itself. A one's-complement sum turns round with its words (RFC 1071 section 2B): these two bytes
    are at the same time the network-order sum stored big-endian.
    """
    return checksum.ones_sum(memoryview(frame)[ETH_HLEN:]).to_bytes(2, "big")


def sum_without_padding(frame: bytes) -> bytes:
    """A faulty unit: its sum ends with the IP packet, before the pad (mlx4, L@29dded89e80e)."""
    if frame[12:14] == b"\x08\x00":
        frame = frame[: ETH_HLEN + int.from_bytes(frame[16:18], "big")]
    return complete_sum(frame)


def protocol_status(frame: bytes) -> bytes:
    """The GbEth unit: status of the IPv4 header, status of the transport checksum (2 + 2 bytes).

    It knows IPv4 and IPv6 without tags, options, extension headers and fragments, and in them TCP, UDP and
    ICMP.
    """
    ip = memoryview(frame)[ETH_HLEN:]
    header_ok = transport_ok = False
    if frame[12:14] == b"\x08\x00" and len(ip) >= 20 and ip[0] == 0x45:
        header_ok = checksum.ones_sum(ip[:20]) == 0xFFFF
        total = int.from_bytes(ip[2:4], "big")
        if not int.from_bytes(ip[6:8], "big") & 0x3FFF and 20 <= total <= len(ip):
            transport_ok = _transport_ok(ip[12:16], ip[16:20], ip[9], ip[20:total], {1})
    elif frame[12:14] == b"\x86\xdd" and len(ip) >= 40:
        total = 40 + int.from_bytes(ip[4:6], "big")
        if total <= len(ip):
            transport_ok = _transport_ok(ip[8:24], ip[24:40], ip[6], ip[40:total], set())
    return b"".join(b"\x00\x00" if ok else b"\xff\xff" for ok in (header_ok, transport_ok))


_FIELD = {1: 2, 6: 16, 17: 6, 58: 2}
"""Where the checksum stands: ICMP, TCP, UDP, ICMPv6."""


def _transport_ok(
    source: memoryview, destination: memoryview, protocol: int, segment: memoryview, plain: set[int]
) -> bool:
    at = _FIELD.get(protocol)
    if at is None or len(segment) < at + 2:
        return False
    if protocol == 17:
        length = int.from_bytes(segment[4:6], "big")
        if not 8 <= length <= len(segment) or not any(segment[6:8]):  # no checksum: nothing was verified
            return False
        segment = segment[:length]
    start = 0
    if protocol not in plain:
        start = checksum.pseudo_header_sum(bytes(source), bytes(destination), protocol, len(segment))
    return checksum.ones_sum(segment, start) == 0xFFFF


class RavbRx(RxEngine):
    """Receive queue 0."""

    ring: DescriptorRing

    def __init__(self, dma: Dma, irq: Interrupt, clock: Clock) -> None:
        super().__init__(dma, irq)
        self.clock = clock
        self.msc = 0

    def owned(self, index: int) -> bool:
        """An empty descriptor is the device's."""
        return self.ring.read(index)[2] & DT_MASK == Dt.FEMPTY

    def room(self, index: int) -> int:
        """The size that the driver wrote."""
        return self.ring.read(index)[0] & DS

    def successor(self, index: int) -> int:
        """The next descriptor; a LINKFIX leads back to the start."""
        words = self.ring.read(index + 1)
        return self.ring.index_of(words[3]) if words[2] & DT_MASK == Dt.LINKFIX else index + 1

    def fill(self, index: int, piece: memoryview, first: bool, last: bool, total: int) -> None:
        """Size, status and time; the type, which changes the owner, says which piece this is."""
        dptr = self.ring.read(index)[3]
        self.dma.device_write(dptr, piece)
        seconds, ns = divmod(self.clock.now_ns, 10**9)
        kind = (Dt.FMID, Dt.FEND, Dt.FSTART, Dt.FSINGLE)[2 * first + last]
        msc = self.msc if last else 0
        self.ring.write(index, len(piece), msc, kind, dptr, ns, seconds & 0xFFFFFFFF, seconds >> 32, 0)


class RavbTx(TxEngine):
    """Transmit queue 0."""

    ring: DescriptorRing

    def owned(self, index: int) -> bool:
        """A descriptor with frame data is the device's."""
        return self.ring.read(index)[2] & DT_MASK in (Dt.FSTART, Dt.FMID, Dt.FEND, Dt.FSINGLE)

    def successor(self, index: int) -> int:
        """The next descriptor; a LINKFIX leads back to the start."""
        words = self.ring.read(index + 1)
        return self.ring.index_of(words[3]) if words[2] & DT_MASK == Dt.LINKFIX else index + 1

    def fetch(self, index: int) -> tuple[bytes, bool]:
        """The piece, and whether it ends a frame."""
        size, _, kind, dptr = self.ring.read(index)
        return self.dma.device_read(dptr, size & DS), kind & DT_MASK in (Dt.FEND, Dt.FSINGLE)

    def done(self, index: int) -> None:
        """Empty again."""
        size, tag, _, dptr = self.ring.read(index)
        self.ring.write(index, size, tag, Dt.FEMPTY, dptr)


class Ravb:
    """MAC and DMA of one ravb interface; the CPU reaches it through `door` only.

    Args:
        unit: what the checksum unit appends: `complete_sum` (R-Car) or `protocol_status` (GbEth).
        wire: takes the frames that are sent.

    Attributes:
        disabled: frames that arrived while ECMR.RE was off: lost.
    """

    def __init__(
        self,
        dma: Dma,
        clock: Clock,
        door: Door,
        unit: Unit = complete_sum,
        wire: Callable[[bytes], None] = lambda frame: None,
    ) -> None:
        self.dma, self.unit, self.door = dma, unit, door
        self.rx_irq, self.tx_irq = Interrupt(), Interrupt()
        self.rx = RavbRx(dma, self.rx_irq, clock)
        self.tx = RavbTx(dma, self.tx_irq, wire)
        self.disabled = 0
        door.add("CCC", write=self._operate)
        door.add("DBAT")
        door.add("ECMR")
        door.add("RFLR")
        door.add("TCCR", write=self._send)
        self._interrupt("RIC0", "RIS0", self.rx_irq)
        self._interrupt("TIC", "TIS", self.tx_irq)

    def receive(self, frame: bytes, *, bad_fcs: bool = False) -> bool:
        """A frame arrives (without FCS); False when it is lost."""
        mode = self.door.peek("ECMR")
        if not mode & Ecmr.RE:
            self.disabled += 1
            return False
        self.rx.msc = MSC_CRC * bad_fcs | MSC_MC * (frame[:1] != b"" and frame[0] & 1)
        if len(frame) + ETH_FCS_LEN > self.door.peek("RFLR"):
            self.rx.msc |= MSC_RTLF
        self.rx.doorbell()  # this engine looks at its descriptor again for every frame
        return self.rx.receive(frame + self.unit(frame) if mode & Ecmr.RCSC else frame)

    def _interrupt(self, mask: str, status: str, irq: Interrupt) -> None:
        self.door.add(mask, write=lambda value: irq.enable() if value & 1 else irq.disable())
        self.door.add(
            status,
            read=lambda: int(irq.status),
            write=lambda value: None if value & 1 else irq.acknowledge(),
        )

    def _operate(self, value: int) -> None:
        if value != CCC_OPERATION:
            self.rx.stop()
            self.tx.stop()
            return
        table = DescriptorRing.at(self.dma, self.door.peek("DBAT"), TX_WORDS)
        self.rx.ring = DescriptorRing.at(self.dma, table.read(RX_QUEUE)[3], RX_WORDS, owner=OWNER)
        self.tx.ring = DescriptorRing.at(self.dma, table.read(TX_QUEUE)[3], TX_WORDS, owner=OWNER)
        self.rx.position = self.tx.position = 0

    def _send(self, value: int) -> None:
        if value & TCCR_TSRQ0 and self.door.peek("ECMR") & Ecmr.TE:
            self.tx.doorbell()
            self.tx.run()
