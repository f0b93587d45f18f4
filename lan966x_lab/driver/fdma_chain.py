"""How DCBs are given to a channel of the FDMA engine that may be walking them already.

The engine goes from DCB to DCB along ``nextptr``, and stops at the one whose ``nextptr`` is invalid: the last
of the chain. The driver appends behind that one. A channel that nobody has activated yet does not walk; its
chain can be made in peace.

The kernel's driver sets the bits of ACTIVATE and RELOAD by read-modify-write, and so does the lab's: one read
that the CPU waits for, once for each DCB that is given back. The read tells nothing, because the mask covers
the bits of all channels; the driver of the sibling chip Sparx5 writes without it.

Sources: lan966x_fdma.c (L@01a70754327b), drivers/net/ethernet/microchip/sparx5/sparx5_fdma.c.
"""

from __future__ import annotations

from lan966x_lab.hw.fdma import INVALID_DATA, NEXTPTR, ChCfg
from lan966x_lab.hw.registers import Door
from lan966x_lab.hw.ring import DescriptorRing

CONFIG = ChCfg.INTR_DB_EOF_ONLY.put(1) | ChCfg.DCB_DB_CNT.put(1) | ChCfg.MEM.put(1)
CHANNELS = 0xFF
"""The bits of all channels in a register that has one for each."""


class Chain:
    """The chain of one channel.

    Attributes:
        tail: the last DCB; None while there is none.
        is_active: whether the channel was activated with it.
    """

    def __init__(self, door: Door, channel: int, dcbs: DescriptorRing) -> None:
        self.door, self.channel, self.dcbs = door, channel, dcbs
        self.tail: int | None = None
        self.is_active = False

    def append(self, index: int, info: int, bus: int, status: int) -> None:
        """Write DCB `index` and make it the last of the chain.

        Of the old tail only ``nextptr`` is written: the engine may be writing DONE into it at that moment.
        RELOAD follows at once: an engine that has stopped behind the old tail will look at the ``nextptr`` of
        that DCB, and arming it again before that would write a 1 over the way on.
        """
        self.dcbs.write(index, INVALID_DATA, info, bus, status)
        if self.tail is not None:
            self.dcbs.write_word(self.tail, NEXTPTR, self.dcbs.address_of(index))
        self.tail = index
        if self.is_active:
            self.door.modify("FDMA_CH_RELOAD", 1 << self.channel, CHANNELS)

    def activate(self) -> None:
        """Let the engine begin at DCB 0, with one DB in each, and an interrupt for whole frames only."""
        self.door.write(f"FDMA_DCB_LLP[{self.channel}]", self.dcbs.address & 0xFFFFFFFF)
        self.door.write(f"FDMA_DCB_LLP1[{self.channel}]", self.dcbs.address >> 32)
        self.door.write(f"FDMA_CH_CFG[{self.channel}]", CONFIG)
        self.door.modify("FDMA_CH_ACTIVATE", 1 << self.channel, CHANNELS)
        self.is_active = True
