"""The Ethernet DMA of the Broadcom BCM4908: the smallest descriptor ring that still has everything.

A descriptor is two little-endian words. ``ctl`` holds the length, whose turn it is (OWN: the device's), where
a frame starts and ends, and WRAP in the last descriptor of the ring; ``addr`` is the buffer. The channel
stops at a descriptor that it does not own, and looks again only when CH_CFG.ENABLE is written: a driver that
forgets this stalls.

Source: drivers/net/ethernet/broadcom/bcm4908_enet.h (L@4c9f4865f460) and bcm4908_enet.c, before the patch
(L@073350da0aa2); the patch is L@3a1cc23a75ab.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntFlag

from lan966x_lab.hw import fcs
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma
from lan966x_lab.hw.registers import Door
from lan966x_lab.hw.ring import DescriptorRing, Interrupt, RxEngine, TxEngine

WORDS = "<II"
"""A descriptor: ctl, addr."""
OWNER = 0
"""The word with OWN."""
RING = 200
"""Descriptors of each ring in the driver."""
ETH_ZLEN = 60
LENGTH_SHIFT = 16
LENGTH_MASK = 0x0FFF_0000
MAX_LENGTH = LENGTH_MASK >> LENGTH_SHIFT
"""Bytes of the longest piece that a descriptor can describe: 4095."""


class Ctl(IntFlag):
    """Bits of ``ctl`` besides the length in bits 27..16.

    The engine here looks at OWN, EOP, SOP and WRAP; the driver sets APPEND_CRC as well, and no other.
    """

    USEFPM = 0x8000_0000
    MULTICAST = 0x4000_0000
    OWN = 0x8000
    EOP = 0x4000
    SOP = 0x2000
    WRAP = 0x1000
    PRIO = 0x0C00
    """Two bits: the priority."""
    APPEND_BRCM_TAG = 0x0200
    APPEND_CRC = 0x0100


CFG_ENABLE = 1
INT_DONE = 2


def length_of(ctl: int) -> int:
    """The length in ``ctl``: of the buffer when the driver gives it, of the data when it comes back."""
    return (ctl & LENGTH_MASK) >> LENGTH_SHIFT


class _Channel:
    """What both directions share: ownership and the way round the ring."""

    ring: DescriptorRing

    def owned(self, index: int) -> bool:
        """OWN is set."""
        return bool(self.ring.read(index)[0] & Ctl.OWN)

    def successor(self, index: int) -> int:
        """The next descriptor; behind WRAP the first."""
        return 0 if self.ring.read(index)[0] & Ctl.WRAP else index + 1


class RxChannel(_Channel, RxEngine):
    """Receive; a frame comes with its FCS."""

    def room(self, index: int) -> int:
        """The buffer length that the driver wrote."""
        return length_of(self.ring.read(index)[0])

    def fill(self, index: int, piece: memoryview, first: bool, last: bool, total: int) -> None:
        """Length and SOP/EOP in, OWN off."""
        ctl, address = self.ring.read(index)
        self.dma.device_write(address, piece)
        flags = ctl & Ctl.WRAP | Ctl.SOP * first | Ctl.EOP * last
        self.ring.write(index, len(piece) << LENGTH_SHIFT | flags, address)


class TxChannel(_Channel, TxEngine):
    """Transmit; the device appends the FCS, which `wire` does not show."""

    def fetch(self, index: int) -> tuple[bytes, bool]:
        """The buffer, and whether EOP is set."""
        ctl, address = self.ring.read(index)
        return self.dma.device_read(address, length_of(ctl)), bool(ctl & Ctl.EOP)

    def done(self, index: int) -> None:
        """OWN off."""
        ctl, address = self.ring.read(index)
        self.ring.write(index, ctl & ~Ctl.OWN, address)


class Bcm4908:
    """Both channels behind their registers.

    Register names carry the channel: ``CH_CFG[rx]``. Writing BASE_DESC_PTR loads the ring and starts at its
    first descriptor.

    Args:
        wire: takes the frames that are sent.
        coalesce: frames and ns for the receive interrupt, see `Interrupt`.
        auto_send: False leaves given frames in the ring until `tx.run` is called, as a slow link does.
    """

    def __init__(
        self,
        dma: Dma,
        clock: Clock,
        door: Door,
        wire: Callable[[bytes], None] = lambda frame: None,
        *,
        coalesce: tuple[int, int] = (1, 0),
        auto_send: bool = True,
    ) -> None:
        self.dma, self.door, self.auto_send = dma, door, auto_send
        self.rx_irq = Interrupt(clock, frames=coalesce[0], delay_ns=coalesce[1])
        self.tx_irq = Interrupt()
        self.rx = RxChannel(dma, self.rx_irq)
        self.tx = TxChannel(dma, self.tx_irq, wire)
        self._channel("rx", self.rx, self.rx_irq)
        self._channel("tx", self.tx, self.tx_irq)

    def receive(self, frame: bytes) -> bool:
        """A frame (without FCS) arrives; False when it is lost. Its sender pads it to 60 bytes."""
        padded = frame.ljust(ETH_ZLEN, b"\0")
        return self.rx.receive(padded + fcs.fcs(padded))

    def _channel(self, name: str, channel: RxChannel | TxChannel, irq: Interrupt) -> None:
        def config(value: int) -> None:
            if not value & CFG_ENABLE:
                channel.stop()
                return
            channel.doorbell()
            if isinstance(channel, TxChannel) and self.auto_send:
                channel.run()

        def base(address: int) -> None:
            channel.stop()
            channel.ring = DescriptorRing.at(self.dma, address, WORDS, owner=OWNER)
            channel.position = 0

        self.door.add(f"CH_CFG[{name}]", write=config)
        self.door.add(f"BASE_DESC_PTR[{name}]", write=base)
        self.door.add(
            f"CH_INT_STAT[{name}]",
            read=lambda: INT_DONE * irq.status,
            write=lambda value: irq.acknowledge() if value & INT_DONE else None,
        )
        self.door.add(
            f"CH_INT_MASK[{name}]", write=lambda value: irq.enable() if value & INT_DONE else irq.disable()
        )
