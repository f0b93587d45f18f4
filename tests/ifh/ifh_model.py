"""What the ifh tests compare with: tables written the other way round, and headers as plain integers."""

from hypothesis import strategies as st

from lan966x_lab import ifh

LAYOUTS = (*ifh.LAN966X, *ifh.OCELOT)

# What the real tables do not have: three bytes at the end, a field wider than a word, a field of 64 bits.
ODD = ifh.Layout(
    "ODD",
    20,
    [ifh.Field("END", 2, 17), ifh.Field("LONG", 21, 43), ifh.Field("WHOLE", 64, 64), ifh.Field("A", 158, 1)],
)

# Names and widths from the most significant bit on, "-" for reserved bits: the form in which easyframes lists
# them. Positions follow from the widths, so nothing here repeats the package's tables.
_LAN966X_AFTER_LEN = """
    WRDMODE 2, RTAG48 1, HAS_RED_TAG 1, CUTTHRU 1, REW_CMD 10, REW_OAM 1, PDU_TYPE 4, FCS_UPD 1, DSCP 6, DP 1,
    RTE_INB_UPDATE 1, POP_CNT 2, ETYPE_OFS 2, SRCPORT 4, - 5, SEQ_NUM 16, TCI 17, QOS_CLASS 3, CPUQ 8,
    LEARN_FLAGS 2, SFLOW_ID 4, ACL_HIT 1, ACL_IDX 6, ISDX 8, DSTS 9, FLOOD 2, SEQ_OP 2, IPV 3, AFI 1, AGED 2,
    RTP_ID 10, RTP_SUBID 1, PN_DATA_STATUS 8, PN_TRANSF_STATUS_ZERO 1, PN_CC 16, - 16"""
_OCELOT_TX_AFTER_REW = """
    REW_VAL 32, - 17, DEST 12, - 9, SRC_PORT 4, - 2, TFRM_TIMER 4, - 6, DP 1, POP_CNT 2, CPUQ 8, QOS 3,
    TAG_TYPE 1, TCI 16"""
VIEWS = [
    (ifh.LAN966X.tx, "TIMESTAMP 32, BYPASS 1, MASQ 1, MASQ_PORT 4, - 8," + _LAN966X_AFTER_LEN),
    (ifh.LAN966X.rx, "TIMESTAMP 32, LEN 14," + _LAN966X_AFTER_LEN),
    (ifh.OCELOT.tx, "BYPASS 1, MASQ 1, MASQ_PORT 4, - 5," + _OCELOT_TX_AFTER_REW),
    (ifh.OCELOT.tx, "BYPASS 1, REW_MAC 1, REW_OP 9," + _OCELOT_TX_AFTER_REW),
    (
        ifh.OCELOT.rx,
        "- 1, REW_MAC 1, REW_OP 9, REW_VAL 32, LLEN 6, WLEN 8, - 14, ISDX 10, SRC_PORT 4, ACL_ID 6, - 1, "
        "SFLOW 4, ACL_HIT 1, DP 1, LRN 2, CPUQ 8, QOS 3, TAG_TYPE 1, TCI 16",
    ),
]


def widths(view: str) -> list[tuple[str, int]]:
    """The fields of a view, most significant first, as (name or "-", width)."""
    return [(name, int(width)) for name, width in (item.split() for item in view.split(","))]


def model_set(header: bytes, pos: int, width: int, value: int) -> bytes:
    """The header as one integer: clear the field's bits, add the value."""
    whole = int.from_bytes(header, "big")
    old = whole // 2**pos % 2**width
    return (whole + (value - old) * 2**pos).to_bytes(len(header), "big")


def model_get(header: bytes, pos: int, width: int) -> int:
    return int.from_bytes(header, "big") // 2**pos % 2**width


def values_of(field: ifh.Field) -> st.SearchStrategy[int]:
    """Any value of the field; its limits and its single bits often."""
    edges = [0, field.maximum, 1 << field.width - 1]
    return st.sampled_from(edges) | st.integers(0, field.maximum)


@st.composite
def places(draw: st.DrawFn) -> tuple[ifh.Field, bytes, int]:
    """A field (of a layout, or anywhere in a buffer of any length), a used header, a value that fits."""
    if draw(st.booleans()):
        layout = draw(st.sampled_from(LAYOUTS))
        field, nbytes = draw(st.sampled_from(layout.fields)), layout.nbytes
    else:
        nbytes = draw(st.integers(1, 40))
        pos = draw(st.integers(0, 8 * nbytes - 1))
        field = ifh.Field("ANY", pos, draw(st.integers(1, min(64, 8 * nbytes - pos))))
    header = draw(st.binary(min_size=nbytes, max_size=nbytes))
    return field, header, draw(values_of(field))


@st.composite
def assignments(draw: st.DrawFn) -> tuple[ifh.Layout, dict[str, int]]:
    """A layout and values for some of its fields, no two of which share bits."""
    layout = draw(st.sampled_from((*LAYOUTS, ODD)))
    given: dict[str, int] = {}
    for field in draw(st.lists(st.sampled_from(layout.fields), unique=True)):
        if not any(field.overlaps(layout[name]) for name in given):
            given[field.name] = draw(values_of(field))
    return layout, given
