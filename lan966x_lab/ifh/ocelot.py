"""The Ocelot (VSC7514) header: 16 bytes, the header that the LAN966x's grew out of.

Source: the tables in ``include/linux/dsa/ocelot.h`` of the Linux tree (commit 2555693dd85c); ``ifh-oc1`` and
``efh-oc1`` of Microchip's easyframes agree.

On injection some bits have two readings, and BYPASS selects one: with BYPASS 0 the analyzer takes MASQ and
MASQ_PORT; with BYPASS 1 the rewriter takes REW_MAC and REW_OP from the same bits. A two-step timestamp is
asked for with REW_OP = 3 | id << 3. On extraction the frame's length is 60 * WLEN + LLEN - 80 bytes.

DEST has 12 bits, as in later kernels; earlier ones gave it 13 on Felix (68..56) and 11 on Seville (67..57).
"""

from lan966x_lab.ifh.fields import Field
from lan966x_lab.ifh.layout import Layout

__all__ = ["RX", "TX"]

NBYTES = 16

_INJECTION = (
    Field("BYPASS", 127, 1, "1: skip the analyzer and send to DEST as given"),
    Field("MASQ", 126, 1, "with BYPASS 0: masquerade as a frame that came in on MASQ_PORT"),
    Field("MASQ_PORT", 122, 4, "with BYPASS 0: the port to masquerade as"),
    Field("DEST", 56, 12, "bitmap of destination ports"),
    Field("TFRM_TIMER", 37, 4, "timer that repeats the frame"),
    Field("POP_CNT", 28, 2, "number of VLAN tags to pop"),
)

_EXTRACTION = (
    Field("LLEN", 79, 6, "bytes in the last cell of the frame: length = 60 * WLEN + LLEN - 80"),
    Field("WLEN", 71, 8, "cells of the frame: length = 60 * WLEN + LLEN - 80"),
    Field("ISDX", 47, 10, "ingress service index"),
    Field("ACL_ID", 37, 6, "which access rule matched"),
    Field("SFLOW", 32, 4, "sFlow sampler"),
    Field("ACL_HIT", 31, 1, "an access rule matched"),
    Field("LRN", 28, 2, "what the analyzer learned"),
)

_BOTH = (
    Field("REW_MAC", 126, 1, "the rewriter changes the source MAC address (injection: with BYPASS 1)"),
    Field("REW_OP", 117, 9, "operation of the rewriter (injection: with BYPASS 1)"),
    Field("REW_VAL", 85, 32, "value for the rewriter; on extraction the arrival time"),
    Field("SRC_PORT", 43, 4, "the port that the frame came in on, as a number, not as a bitmap"),
    Field("DP", 30, 1, "drop precedence"),
    Field("CPUQ", 20, 8, "bitmap of CPU extraction queues"),
    Field("QOS", 17, 3, "quality-of-service class"),
    Field("TAG_TYPE", 16, 1, "0: customer tag (0x8100), 1: service tag (0x88a8)"),
    Field("TCI", 0, 16, "VLAN tag: priority (PCP), drop eligible (DEI), VLAN id"),
)

#: Injection: what the CPU puts in front of a frame that it sends.
TX = Layout("OCELOT.tx", NBYTES, _INJECTION + _BOTH)

#: Extraction: what the switch puts in front of a frame that it gives to the CPU.
RX = Layout("OCELOT.rx", NBYTES, _EXTRACTION + _BOTH)
