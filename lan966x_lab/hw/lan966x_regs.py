"""The LAN966x registers that the lab models: fields, markers, constants. A table, no behaviour.

Source: drivers/net/ethernet/microchip/lan966x/lan966x_regs.h and lan966x_main.h (L@03c601927b67). ``ABORT``
in QS_INJ_CTRL is known from the sibling chips (Ocelot, Sparx5), where it stands at the same bit.
"""

from enum import IntEnum

from lan966x_lab.hw.registers import Bits

NUM_PHYS_PORTS = 8
CPU_PORT = 8
NUM_GROUPS = 2
"""Injection and extraction groups: one bit each in the status fields."""
BUFFER_MEMORY = 160 * 1024
"""Bytes of packet memory."""
BUFFER_MIN_SZ = 60
"""The shortest frame, without FCS, that may be injected."""
PGID_SRC = 80
"""``ANA_PGID[PGID_SRC + p]``: the ports that a frame from port `p` may reach."""


class GrpCfg:
    """QS_INJ_GRP_CFG[g], QS_XTR_GRP_CFG[g]."""

    MODE = Bits(3, 2)
    BYTE_SWAP = Bits(0, 0)
    MANUAL = 1
    FDMA = 2


class InjCtrl:
    """QS_INJ_CTRL[g]."""

    GAP_SIZE = Bits(24, 21)
    ABORT = Bits(20, 20)
    EOF = Bits(19, 19)
    SOF = Bits(18, 18)
    VLD_BYTES = Bits(17, 16)


class InjStatus:
    """QS_INJ_STATUS: one bit per group inside each field."""

    WMARK_REACHED = Bits(5, 4)
    FIFO_RDY = Bits(3, 2)


class Marker(IntEnum):
    """What QS_XTR_RD says instead of data, as a little-endian CPU reads it with BYTE_SWAP set.

    An EOF marker tells in its first two digits how many bytes of the word that follows are unused.
    """

    EOF_0 = 0x00000080
    EOF_1 = 0x01000080
    EOF_2 = 0x02000080
    EOF_3 = 0x03000080
    PRUNED = 0x04000080
    ABORT = 0x05000080
    ESCAPE = 0x06000080
    NOT_READY = 0x07000080


MARKERS = frozenset(int(marker) for marker in Marker)
END_MARKERS = frozenset(
    int(m) for m in (Marker.EOF_0, Marker.EOF_1, Marker.EOF_2, Marker.EOF_3, Marker.PRUNED)
)


class PinCfg:
    """PTP_PIN_CFG[pin]."""

    ACTION = Bits(29, 27)
    SYNC = Bits(26, 25)
    DOM = Bits(17, 16)


class PinAction(IntEnum):
    """PTP_PIN_CFG ACTION."""

    IDLE = 0
    LOAD = 1
    SAVE = 2
    CLOCK = 3
    DELTA = 4
    TOD = 5


class DomCfg:
    """PTP_DOM_CFG: one bit per clock domain inside each field."""

    ENA = Bits(11, 9)
    CLKCFG_DIS = Bits(2, 0)


TOD_NSEC = Bits(29, 0)


class TwoStepCtrl:
    """PTP_TWOSTEP_CTRL."""

    NXT = Bits(11, 11)
    VLD = Bits(10, 10)
    STAMP_TX = Bits(9, 9)
    PORT = Bits(8, 1)
    OVFL = Bits(0, 0)


STAMP_NSEC = Bits(31, 2)


class RewOp(IntEnum):
    """IFH field REW_CMD."""

    NOOP = 0
    ONE_STEP_PTP = 3
    TWO_STEP_PTP = 4


class PduType(IntEnum):
    """IFH field PDU_TYPE, as far as PTP needs it (L@57ee9584fd86)."""

    NONE = 0
    IPV4 = 7
    IPV6 = 8
