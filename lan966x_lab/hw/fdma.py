"""The frame DMA of the LAN966x: chains of descriptors instead of a word at a time.

A DCB (data control block) is four little-endian 64-bit words: ``nextptr``, ``info``, and one DB (data block)
of ``dataptr`` and ``status``. The kernel's header gives 15 DBs as the most, FDMA_CH_CFG can say up to 3; the
driver uses one. The DCBs of a channel form a chain: the engine follows ``nextptr`` and stops behind the DCB
where it is 1. To append, the driver writes the new DCB's address over that 1 and then RELOAD, because the
engine may have stopped there already.

Extraction (channel 6) delivers header, frame and FCS; what finds no DCB waits in the packet memory of the
switch. Injection (channel 0) takes header, frame and four bytes in the place of the FCS. The engine moves one
byte in `byte_ns`; that number is ours.

A channel is activated with FDMA_CH_CFG written before: one DB to a DCB, injection port 0, working memory
behind the bus (MEM); INTR_DB_EOF_ONLY keeps the DBs in the middle of a frame from interrupting. What reset
leaves in the register is three DBs, as on the sibling LAN969x; what the engine does then is not modelled, nor
are more DBs than one: activation is refused. FDMA_CH_DB_DISCARD throws away the DBs that a disabled channel
holds; a channel that still holds some must not be activated anew, because it would begin with the old ones.
FDMA_CH_ACTIVATE and FDMA_CH_RELOAD read as 0: their bits clear themselves when the engine has looked, and
here it looks at once.

A bus error is reported in FDMA_INTR_ERR (one bit for each channel) and its cause in FDMA_ERRORS; both are
cleared by writing ones. Two can be ordered. A frame that cannot be read (ERR_INJ_RD) is dropped, and its DB
comes back done. A frame that cannot be written (ERR_CH_WR) is lost (OURS), and the channel gets no DBs until
the error is cleared. The other causes (a DCB that cannot be read, buffers out of step, an illegal DATAL: on
the LAN969x one that is no multiple of 128) and the masks of error interrupts are left out: the driver does
not tell causes apart. A driver's own mistake, an address where nothing is mapped, raises `OwnershipError`.

Sources: drivers/net/ethernet/microchip/fdma/fdma_api.h (L@ff09bc366fc4), lan966x_fdma.c (L@01a70754327b).
They name INTR_ERR, ERRORS and DB_DISCARD and no more; what the bits mean is from the vendor's register
description of the LAN969x (vtss_laguna_regs_fdma.h), whose FDMA_CH_CFG is the same in bits 4 to 0.
"""

from __future__ import annotations

from collections import Counter, deque

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.fcs import FCS_LEN
from lan966x_lab.hw.lan966x_regs import BUFFER_MEMORY, GrpCfg
from lan966x_lab.hw.memory import Dma
from lan966x_lab.hw.registers import Bits, Door, RegisterError
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


class ChCfg:
    """FDMA_CH_CFG[channel]."""

    INTR_DB_EOF_ONLY = Bits(4, 4)
    INJ_PORT = Bits(3, 3)
    DCB_DB_CNT = Bits(2, 1)
    """DBs of a DCB, 1 to 3."""
    MEM = Bits(0, 0)


class Errors:
    """FDMA_ERRORS: why a bit in FDMA_INTR_ERR is set."""

    INJ_RD = Bits(15, 10)
    """A frame to be injected could not be read; one bit for each port."""
    CH_WR = Bits(7, 0)
    """A write to memory failed; one bit for each channel."""


class PortCtrl:
    """FDMA_PORT_CTRL[0]. Both directions are stopped after reset."""

    INJ_STOP = Bits(4, 4)
    XTR_STOP = Bits(2, 2)


_END = -1  # the position of an engine behind the end of its chain


class _Chain(Engine):
    """What both channels share: a position in a chain that ends and grows."""

    ring: DescriptorRing
    last: int
    eof_only = True

    @property
    def holds_dbs(self) -> bool:
        """Whether there are DBs that the channel has taken and not used."""
        return hasattr(self, "ring") and self.owned(self.position)

    def discard(self) -> None:
        """Forget them, and the way to those behind: the channel starts again with `load` alone."""
        if hasattr(self, "ring"):
            del self.ring
        self.position = _END

    def load(self, address: int) -> None:
        """Start at the DCB at `address`; the others lie behind it."""
        self.ring = DescriptorRing.at(self.dma, address, DCB_WORDS, owner=OWNER)
        self.position = 0

    def doorbell(self) -> None:
        """RELOAD: if the chain had ended, look whether something was appended."""
        super().doorbell()
        if self.position == _END:
            self.position = self.successor(self.last)

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
        if not last and not self.eof_only:
            self.signal(index)


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
        lost: frames that a bus error cost, by direction (``tx``, ``rx``).
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
        self.lost: Counter[str] = Counter()
        self._failing: Counter[int] = Counter()
        self._errors = self._channel_errors = 0
        self._queued_bytes = 0
        self._manual, switch.to_cpu = switch.to_cpu, self._offer
        self._moving = False
        for channel in self._channels:
            door.add(f"FDMA_DCB_LLP[{channel}]")
            door.add(f"FDMA_DCB_LLP1[{channel}]")
            door.add(f"FDMA_CH_CFG[{channel}]", value=ChCfg.DCB_DB_CNT.put(3))
        stopped = PortCtrl.INJ_STOP.mask | PortCtrl.XTR_STOP.mask
        door.add("FDMA_PORT_CTRL[0]", value=stopped, write=lambda value: self._move())
        door.add("FDMA_CH_ACTIVATE", read=lambda: 0, write=self._activate)
        door.add("FDMA_CH_RELOAD", read=lambda: 0, write=self._reload)
        door.add("FDMA_CH_DISABLE", write=self._disable)
        door.add("FDMA_CH_DB_DISCARD", write=self._discard)
        door.add("FDMA_CH_ACTIVE", read=self._active)
        door.add("FDMA_INTR_DB", read=self._pending, write=self._acknowledge)
        door.add("FDMA_INTR_DB_ENA", write=self._enable)
        door.add("FDMA_INTR_ERR", read=lambda: self._channel_errors, write=self._clear_channels)
        door.add("FDMA_ERRORS", read=lambda: self._errors, write=self._clear_causes)

    @property
    def asserted(self) -> bool:
        """The interrupt line. An error has no mask of its own here."""
        return any(irq.asserted for irq in self.irqs.values()) or self._channel_errors != 0

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
            if self._fails(XTR_CHANNEL, Errors.CH_WR.put(1 << XTR_CHANNEL)):
                self.lost["rx"] += 1
                self.xtr.stop()
                return
            self.xtr.receive(packet)

    def _inject(self, packet: bytes) -> None:
        if self._fails(INJ_CHANNEL, Errors.INJ_RD.put(1)):
            self.lost["tx"] += 1
            return
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

    # ---- errors ----

    def fail_next(self, channel: int) -> None:
        """Order a bus error for the next frame of a channel (`XTR_CHANNEL`, `INJ_CHANNEL`).

        Raises:
            ValueError: no such channel.
        """
        if channel not in self._channels:
            raise ValueError(f"channel is {channel!r}: choose one of {', '.join(map(str, self._channels))}")
        self._failing[channel] += 1

    @property
    def is_failing(self) -> bool:
        """Whether a bus error is ordered, or was not cleared yet."""
        return self._failing.total() > 0 or self._channel_errors != 0

    def _fails(self, channel: int, cause: int) -> bool:
        if not self._failing[channel]:
            return False
        self._failing[channel] -= 1
        self._channel_errors |= 1 << channel
        self._errors |= cause
        return True

    def _clear_channels(self, mask: int) -> None:
        self._channel_errors &= ~mask

    def _clear_causes(self, mask: int) -> None:
        self._errors &= ~mask

    # ---- the CPU's side ----

    def _each(self, mask: int) -> list[int]:
        return [channel for channel in self._channels if mask >> channel & 1]

    def _activate(self, mask: int) -> None:
        for channel in self._each(mask):
            engine = self._channels[channel]
            engine.eof_only = self._eof_only(channel)
            if engine.holds_dbs:
                raise RegisterError(
                    f"channel {channel} is activated while it holds DBs: disable it, then write "
                    f"FDMA_CH_DB_DISCARD <- {1 << channel:#x}"
                )
            low, high = (self.door.peek(f"FDMA_DCB_{name}[{channel}]") for name in ("LLP", "LLP1"))
            engine.load(high << 32 | low)
        self._reload(mask)

    def _eof_only(self, channel: int) -> bool:
        """What FDMA_CH_CFG says about interrupts, if the model can do all that it says."""
        name = f"FDMA_CH_CFG[{channel}]"
        value = self.door.peek(name)
        modelled = ChCfg.DCB_DB_CNT.put(1) | ChCfg.MEM.put(1)
        if value & ~ChCfg.INTR_DB_EOF_ONLY.mask != modelled:
            raise RegisterError(
                f"channel {channel} is activated with {name} = {value:#x}: write it first: DCB_DB_CNT 1, "
                f"MEM 1 and INJ_PORT 0 ({modelled:#x}, or {modelled | ChCfg.INTR_DB_EOF_ONLY.mask:#x})"
            )
        return bool(ChCfg.INTR_DB_EOF_ONLY.get(value))

    def _reload(self, mask: int) -> None:
        for channel in self._each(mask & ~Errors.CH_WR.get(self._errors)):
            self._channels[channel].doorbell()
        self._move()

    def _disable(self, mask: int) -> None:
        for channel in self._each(mask):
            self._channels[channel].stop()

    def _discard(self, mask: int) -> None:
        for channel in self._each(mask):
            engine = self._channels[channel]
            if engine.running:
                raise RegisterError(
                    f"FDMA_CH_DB_DISCARD while channel {channel} is active: disable it, "
                    "and wait until FDMA_CH_ACTIVE says so"
                )
            engine.discard()

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
