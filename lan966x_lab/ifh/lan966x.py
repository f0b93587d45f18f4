"""The LAN966x header: 28 bytes in front of every frame that crosses the CPU port.

Source of positions and widths: ``lan966x_ifh.h`` of the Linux tree (commit 0604aa87b098); an independent
implementation, ``ifh-mas`` of Microchip's easyframes (commit 46c16050c095), agrees. What the driver does with
a field: ``lan966x_main.c`` (commit 03c601927b67), PDU_TYPE since commit 57ee9584fd86.

The header file says that fields which mean something on extraction only should be cleared on injection. They
stand in both layouts, so that each direction accounts for its bits; their ``doc`` begins with "extraction
only". LEN alone exists on extraction only: on
injection its bits are BYPASS, MASQ, MASQ_PORT and eight reserved bits. Bits 15..0 and 140..136 are reserved.
"""

from lan966x_lab.ifh.fields import Field
from lan966x_lab.ifh.layout import Layout

__all__ = ["RX", "TX"]

NBYTES = 28

_INJECTION = (
    Field("BYPASS", 191, 1, "1: skip the analyzer and send to DSTS as given"),
    Field("MASQ", 190, 1, "1: masquerade as a frame that came in on MASQ_PORT"),
    Field("MASQ_PORT", 186, 4, "the port to masquerade as"),
)

_EXTRACTION = (Field("LEN", 178, 14, "length of the frame in bytes, frame check sequence included"),)

_BOTH = (
    Field(
        "TIMESTAMP", 192, 32, "extraction: arrival time, ns << 2; injection: id of the timestamp asked for"
    ),
    Field("WRDMODE", 176, 2, "what the rewriter writes: 0 full, 1 EtherType, 2 LLCT optimised, 3 LLCT"),
    Field("RTAG48", 175, 1, "redundancy tag of 48 bits"),
    Field("HAS_RED_TAG", 174, 1, "the frame has a redundancy tag"),
    Field("CUTTHRU", 173, 1, "extraction only, 0 on injection: the frame was cut through"),
    Field("REW_CMD", 163, 10, "command to the rewriter; the PTP operations live here"),
    Field("REW_OAM", 162, 1, "the rewriter treats the frame as OAM"),
    Field("PDU_TYPE", 158, 4, "kind of protocol data unit: where the rewriter finds what it changes"),
    Field("FCS_UPD", 157, 1, "update the frame check sequence"),
    Field("DSCP", 151, 6, "differentiated services code point"),
    Field("DP", 150, 1, "drop precedence"),
    Field("RTE_INB_UPDATE", 149, 1, "real-time engine: inbound update"),
    Field("POP_CNT", 147, 2, "number of VLAN tags to pop"),
    Field("ETYPE_OFS", 145, 2, "number of tags in front of the EtherType"),
    Field("SRCPORT", 141, 4, "extraction only, 0 on injection: the port that the frame came in on"),
    Field("SEQ_NUM", 120, 16, "sequence number of the redundancy tag"),
    Field("TCI", 103, 17, "VLAN tag: tag type, priority (PCP), drop eligible (DEI), VLAN id"),
    Field("QOS_CLASS", 100, 3, "quality-of-service class, which selects the queue"),
    Field("CPUQ", 92, 8, "bitmap of CPU extraction queues"),
    Field("LEARN_FLAGS", 90, 2, "extraction only, 0 on injection: what the analyzer learned"),
    Field("SFLOW_ID", 86, 4, "sFlow sampler"),
    Field("ACL_HIT", 85, 1, "extraction only, 0 on injection: an access rule matched"),
    Field("ACL_IDX", 79, 6, "extraction only, 0 on injection: which access rule matched"),
    Field("ISDX", 71, 8, "ingress service index"),
    Field("DSTS", 62, 9, "bitmap of destination ports; bit 8 is the CPU port"),
    Field("FLOOD", 60, 2, "extraction only, 0 on injection: the frame was flooded"),
    Field("SEQ_OP", 58, 2, "what to do with the redundancy tag"),
    Field("IPV", 55, 3, "internal priority value"),
    Field("AFI", 54, 1, "automatic frame injection"),
    Field("AGED", 52, 2, "extraction only, 0 on injection: the frame aged"),
    Field("RTP_ID", 42, 10, "real-time protocol stream"),
    Field("RTP_SUBID", 41, 1, "part of that stream"),
    Field("PN_DATA_STATUS", 33, 8, "PROFINET data status"),
    Field("PN_TRANSF_STATUS_ZERO", 32, 1, "PROFINET transfer status is zero"),
    Field("PN_CC", 16, 16, "PROFINET cycle counter"),
)

#: Injection: what the CPU puts in front of a frame that it sends.
TX = Layout("LAN966X.tx", NBYTES, _INJECTION + _BOTH)

#: Extraction: what the switch puts in front of a frame that it gives to the CPU.
RX = Layout("LAN966X.rx", NBYTES, _EXTRACTION + _BOTH)
