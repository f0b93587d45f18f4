"""The frame DMA of the LAN966x: chains of descriptors instead of a word at a time.

A DCB (data control block) is four little-endian 64-bit words: ``nextptr``, ``info``, and one DB (data block)
of ``dataptr`` and ``status``. The hardware could take 15 DBs; the driver uses one. The DCBs of a channel form
a chain: the engine follows ``nextptr`` and stops behind the DCB where it is 1. To append, the driver writes
the new DCB's address over that 1 and then RELOAD, because the engine may have stopped there already.

Extraction (channel 6) delivers header, frame and FCS; what finds no DCB waits in the packet memory of the
switch. Injection (channel 0) takes header, frame and four bytes in the place of the FCS. The engine moves one
byte in `byte_ns`; that number is ours. Errors that the hardware would report in FDMA_ERRORS (an address
outside memory) raise `OwnershipError` here.

Source: drivers/net/ethernet/microchip/fdma/fdma_api.h (L@ff09bc366fc4), lan966x_fdma.c (L@01a70754327b).
"""

from __future__ import annotations

from collections import deque

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.fcs import FCS_LEN
from lan966x_lab.hw.lan966x_regs import BUFFER_MEMORY, GrpCfg
from lan966x_lab.hw.memory import Dma
from lan966x_lab.hw.registers import Bits, Door
from lan966x_lab.hw.ring import DescriptorRing, Engine, Interrupt, RxEngine, TxEngine
from lan966x_lab.hw.switch import Switch

DCB_WORDS = "<QQQQ"
"""nextptr, info, dataptr, status (32 bytes)."""
NEXTPTR, OWNER = 0, 3
"""The word that leads on, and the word with DONE."""
DCB_MAX = 512
INVALID_DATA = 0x1
"""``nextptr`` of the last DCB of a chain."""
XTR_CHANNEL, INJ_CHANNEL = 6, 0


class Info:
    """The ``info`` word of a DCB."""

    DATAL = Bits(15, 0)
    """Bytes of the buffer."""
    TOKEN = Bits(17, 17)
    INTR = Bits(18, 18)
    SW = Bits(31, 24)


class Status:
    """The ``status`` word of a DB."""

    BLOCKL = Bits(15, 0)
    """Bytes of data."""
    SOF = Bits(16, 16)
    EOF = Bits(17, 17)
    INTR = Bits(18, 18)
    """The driver asks for an interrupt when this DB is done."""
    DONE = Bits(19, 19)
    BLOCKO = Bits(31, 20)
    """Where in the buffer the data start."""


class PortCtrl:
    """FDMA_PORT_CTRL[0]. Both directions are stopped after reset."""

    INJ_STOP = Bits(4, 4)
    XTR_STOP = Bits(2, 2)


_END = -1  # the position of an engine behind the end of its chain


class _Chain(Engine):
    """What both channels share: a position in a chain that ends and grows."""

    ring: DescriptorRing
    last: int

    def load(self, address: int) -> None:
        """Start at the DCB at `address`; the others lie behind it."""
        self.ring = DescriptorRing.at(self.dma, address, DCB_WORDS, owner=OWNER)
        self.position = 0

    def doorbell(self) -> None:
        """RELOAD: if the chain had ended, look whether something was appended."""
        if self.position == _END:
            self.position = self.successor(self.last)
        super().doorbell()

    def owned(self, index: int) -> bool:
        """A DCB that is not done."""
        return index != _END and not self.ring.read(index)[3] & Status.DONE.mask

    def successor(self, index: int) -> int:
        """Where ``nextptr`` points."""
        self.last = index
        nextptr = self.ring.read(index)[0]
        return _END if nextptr == INVALID_DATA else self.ring.index_of(nextptr)

    def signal(self, index: int) -> None:
        """Interrupt, if the DB asks for it."""
        if self.ring.read(index)[3] & Status.INTR.mask:
            self.irq.event()


class Extraction(_Chain, RxEngine):
    """The channel from the switch to memory."""

    def room(self, index: int) -> int:
        """DATAL."""
        return Info.DATAL.get(self.ring.read(index)[1])

    def fill(self, index: int, piece: memoryview, first: bool, last: bool, total: int) -> None:
        """BLOCKL, SOF, EOF and DONE."""
        nextptr, info, dataptr, status = self.ring.read(index)
        self.dma.device_write(dataptr, piece)
        flags = Status.SOF.mask * first | Status.EOF.mask * last | Status.DONE.mask
        self.ring.write(index, nextptr, info, dataptr, status & Status.INTR.mask | flags | len(piece))


class Injection(_Chain, TxEngine):
    """The channel from memory to the switch."""

    def fetch(self, index: int) -> tuple[bytes, bool]:
        """BLOCKL bytes from BLOCKO on, and EOF."""
        _, _, dataptr, status = self.ring.read(index)
        data = self.dma.device_read(dataptr + Status.BLOCKO.get(status), Status.BLOCKL.get(status))
        return data, bool(status & Status.EOF.mask)

    def done(self, index: int) -> None:
        """DONE."""
        nextptr, info, dataptr, status = self.ring.read(index)
        self.ring.write(index, nextptr, info, dataptr, status | Status.DONE.mask)


class Fdma:
    """Both channels behind their registers. It takes the CPU port over where ``QS_XTR_GRP_CFG[0]`` says FDMA.

    Attributes:
        queue: packets for the CPU that wait for a DCB, in `BUFFER_MEMORY` bytes of packet memory.
        byte_ns: how long an injected byte takes.
    """

    def __init__(self, door: Door, switch: Switch, *, byte_ns: int = 1) -> None:
        self.door, self.switch, self.byte_ns = door, switch, byte_ns
        self.clock: Clock = door.clock
        self.dma = Dma()
        self.queue: deque[bytes] = deque()
        self.irqs = {channel: Interrupt() for channel in (XTR_CHANNEL, INJ_CHANNEL)}
        self.xtr = Extraction(self.dma, self.irqs[XTR_CHANNEL])
        self.inj = Injection(self.dma, self.irqs[INJ_CHANNEL], self._inject)
        self._channels: dict[int, Extraction | Injection] = {XTR_CHANNEL: self.xtr, INJ_CHANNEL: self.inj}
        self._queued_bytes = 0
        self._manual, switch.to_cpu = switch.to_cpu, self._offer
        self._moving = False
        for channel in self._channels:
            door.add(f"FDMA_DCB_LLP[{channel}]")
            door.add(f"FDMA_DCB_LLP1[{channel}]")
            door.add(f"FDMA_CH_CFG[{channel}]")
        stopped = PortCtrl.INJ_STOP.mask | PortCtrl.XTR_STOP.mask
        door.add("FDMA_PORT_CTRL[0]", value=stopped, write=lambda value: self._move())
        door.add("FDMA_CH_ACTIVATE", write=self._activate)
        door.add("FDMA_CH_RELOAD", write=self._reload)
        door.add("FDMA_CH_DISABLE", write=self._disable)
        door.add("FDMA_CH_ACTIVE", read=self._active)
        door.add("FDMA_INTR_DB", read=self._pending, write=self._acknowledge)
        door.add("FDMA_INTR_DB_ENA", write=self._enable)

    @property
    def asserted(self) -> bool:
        """The interrupt line."""
        return any(irq.asserted for irq in self.irqs.values())

    # ---- the switch's side ----

    def _offer(self, packet: bytes) -> bool:
        is_ours = GrpCfg.MODE.get(self.door.peek("QS_XTR_GRP_CFG[0]")) == GrpCfg.FDMA
        if not is_ours or self.door.peek("QS_XTR_FLUSH") & 1:  # a flush takes what arrives in either mode
            return self._manual(packet)
        if self._queued_bytes + len(packet) > BUFFER_MEMORY:
            return False
        self.queue.append(packet)
        self._queued_bytes += len(packet)
        self._extract()
        return True

    def _extract(self) -> None:
        stopped = self._stopped(PortCtrl.XTR_STOP)
        while not stopped and self.queue and self.xtr.has_room(len(self.queue[0])):
            packet = self.queue.popleft()
            self._queued_bytes -= len(packet)
            self.xtr.receive(packet)

    def _inject(self, packet: bytes) -> None:
        self.switch.inject(packet[:-FCS_LEN])

    def _start_moving(self) -> None:
        if self._moving or self._stopped(PortCtrl.INJ_STOP) or not self.inj.running:
            return
        if self.inj.owned(self.inj.position):
            self._moving = True
            size = Status.BLOCKL.get(self.inj.ring.read(self.inj.position)[3])
            self.clock.after(size * self.byte_ns, self._moved)

    def _moved(self) -> None:
        self._moving = False
        self.inj.run(limit=1)
        self._start_moving()

    def _stopped(self, bit: Bits) -> bool:
        return bool(self.door.peek("FDMA_PORT_CTRL[0]") & bit.mask)

    def _move(self) -> None:
        self._extract()
        self._start_moving()

    # ---- the CPU's side ----

    def _each(self, mask: int) -> list[int]:
        return [channel for channel in self._channels if mask >> channel & 1]

    def _activate(self, mask: int) -> None:
        for channel in self._each(mask):
            low, high = (self.door.peek(f"FDMA_DCB_{name}[{channel}]") for name in ("LLP", "LLP1"))
            self._channels[channel].load(high << 32 | low)
        self._reload(mask)

    def _reload(self, mask: int) -> None:
        for channel in self._each(mask):
            self._channels[channel].doorbell()
        self._move()

    def _disable(self, mask: int) -> None:
        for channel in self._each(mask):
            self._channels[channel].stop()

    def _active(self) -> int:
        return sum(channel.running << number for number, channel in self._channels.items())

    def _pending(self) -> int:
        return sum(irq.status << channel for channel, irq in self.irqs.items())

    def _acknowledge(self, mask: int) -> None:
        for channel in self._each(mask):
            self.irqs[channel].acknowledge()

    def _enable(self, mask: int) -> None:
        for channel, irq in self.irqs.items():
            irq.enable() if mask >> channel & 1 else irq.disable()
