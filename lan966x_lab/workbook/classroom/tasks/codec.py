"""Exercise 01, "Write a field codec": what each step does, what should be seen, and what usually goes wrong.

The makers of steps (``locate_step``, ``get_step``, …) serve the visible checks here and the hidden tests in
the teacher's notebook. Right is what ``ifh.CODECS["packing"]``, the general routine, makes of the same bytes.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lan966x_lab import ifh
from lan966x_lab import workbook as wb
from lan966x_lab.hw.fcs import fcs
from lan966x_lab.measure.counted.replay import extraction_headers
from lan966x_lab.measure.counted.trace import CountingHeader
from lan966x_lab.net import captures

__all__ = [
    "DIRTY",
    "FIELDS",
    "ONES",
    "arrived",
    "get_field_check",
    "get_in_byte_check",
    "get_step",
    "in_byte_step",
    "lean_get_check",
    "lean_step",
    "locate_check",
    "locate_step",
    "read_header_check",
    "read_step",
    "set_field_check",
    "set_step",
]

RX = ifh.LAN966X.rx
ORACLE = ifh.CODECS["packing"]
ONES = b"\xff" * 28
DIRTY = bytes.fromhex("4def799a94d2ed9e7ff15dd6ef00dcf402536b56a72b23781cafdbf0")
"""A header without order. The mistakes below give other values in it, so each gets its own sentence."""
FIELDS = {field.name: (field.pos, field.width) for field in RX.fields}
"""The table of the exercise: the name of each field, the position of its lowest bit, its width."""

Mistakes = Sequence[tuple[Any, str]]


@cache
def arrived(capture: str, port: int = 3) -> tuple[bytes, ...]:
    """What the modelled chip hands to the CPU when a recording comes in on ``port``: IFH, frame, FCS."""
    recording = captures.recorded(capture)
    headers = extraction_headers({port: recording})
    padded = [frame.ljust(60, b"\0") for frame in recording.frames]
    return tuple(h.tobytes() + f + fcs(f) for h, f in zip(headers, padded, strict=True))


# ---- 1: where is a bit? ----


def locate_step(bit: int, nbytes: int, *, edge: bool = False) -> wb.Step:
    """Ask for the place of one bit."""
    index, place = nbytes - 1 - bit // 8, bit % 8
    mistakes: Mistakes = [
        (
            (bit // 8, place),
            "this counts bytes from the low end; byte 0 is the one that leads.",
        ),
        ((index + 1, place), "one byte too far: the last byte has the number nbytes - 1."),
        ((index, 7 - place), "place 0 is the lowest bit of its byte, the one that is worth 1."),
        ((place, index), "the two are exchanged: first the byte, then the place in it."),
        ((index, 1 << place), "that is what the bit is worth; its place is asked for, 0 to 7."),
        (lambda seen: _has_float(seen), "a quotient with / is a float; whole numbers need //."),
    ]
    return wb.Step((index, place), (bit, nbytes), edge=edge, mistakes=mistakes)


def _has_float(seen: Any) -> bool:
    return isinstance(seen, tuple | list) and any(isinstance(part, float) for part in seen)


locate_check = wb.Check(
    "locate",
    [
        locate_step(0, 28),
        locate_step(223, 28),
        locate_step(62, 28),
        locate_step(127, 16),
        locate_step(8, 28),
        locate_step(7, 1, edge=True),
    ],
    hint="how many whole bytes stand behind the bit, and which number has the last byte?",
)


# ---- 2 and 3: get ----


def _field(pos: int, width: int) -> ifh.Field:
    return ifh.Field("", pos, width)


def _get_mistakes(header: bytes, pos: int, width: int) -> Mistakes:
    """The usual ways to misread a field, each with what it gives for these bytes."""
    size, mask = len(header), (1 << width) - 1
    low, high = size - 1 - pos // 8, size - 1 - (pos + width - 1) // 8
    above = f"this still has the bits above the field; keep the lowest {width} of them."
    short = header[max(low - (width + 7) // 8 + 1, 0) : low + 1]
    return [
        (int.from_bytes(header, "big") >> pos, above),
        (header[low] >> pos % 8 if low == high else None, above),
        (
            int.from_bytes(header[high : low + 1], "big") & mask,
            "this keeps the right number of bits from the wrong place; shift down by pos % 8 first.",
        ),
        (
            int.from_bytes(header, "big") >> pos & width,
            "a mask of width ones is (1 << width) - 1; the width itself is no mask.",
        ),
        (
            int.from_bytes(header, "big") >> pos & (1 << width),
            "(1 << width) is the bit above the field; the mask is one less.",
        ),
        (
            int.from_bytes(short, "big") >> pos % 8 & mask,
            "a byte is missing at the top: count bytes from the field's lowest bit to its highest, "
            "since the width alone does not tell how many byte edges it crosses.",
        ),
        (
            header[low] >> pos % 8 & mask,
            "these are the bits of one byte; the field goes on in the byte before it.",
        ),
        (
            header[high] >> pos % 8 & mask,
            "these are the bits of one byte, the highest; the field goes on in the bytes behind it.",
        ),
        (
            int.from_bytes(header[high : low + 1], "little") >> pos % 8 & mask,
            "the bytes are joined in the wrong order; the one that comes first counts most.",
        ),
        (
            int.from_bytes(header, "little") >> pos & mask,
            "this counts bytes from the front; bit 0 is in the last byte.",
        ),
    ]


def _get(name: str, header: bytes, pos: int, width: int, did: str, *, edge: bool) -> wb.Step:
    return wb.Step(
        ORACLE.get(header, _field(pos, width)),
        (header, pos, width),
        did=f"{name}(header, {pos}, {width}): {did}",
        edge=edge,
        mistakes=_get_mistakes(header, pos, width),
    )


def in_byte_step(did: str, header: bytes, pos: int, width: int, *, edge: bool = False) -> wb.Step:
    """Read a field that does not leave its byte."""
    return _get("get_in_byte", header, pos, width, did, edge=edge)


def get_step(did: str, header: bytes, pos: int, width: int, *, edge: bool = False) -> wb.Step:
    """Read a field, wherever it lies."""
    return _get("get_field", header, pos, width, did, edge=edge)


get_in_byte_check = wb.Check(
    "get_in_byte",
    [
        in_byte_step("QOS_CLASS of a header of zeros", bytes(28), *FIELDS["QOS_CLASS"]),
        in_byte_step("QOS_CLASS of a dirty header", DIRTY, *FIELDS["QOS_CLASS"]),
        in_byte_step("POP_CNT of a dirty header", DIRTY, *FIELDS["POP_CNT"]),
        in_byte_step("AFI, one bit, of a header of ones", ONES, *FIELDS["AFI"]),
        in_byte_step("a whole byte", DIRTY, 96, 8, edge=True),
        in_byte_step("CPUQ's upper half, of an Ocelot header of 16 bytes", DIRTY[:16], 24, 4, edge=True),
    ],
    hint="use locate to find the byte of the lowest bit, shift it down, and keep width bits.",
)

get_field_check = wb.Check(
    "get_field",
    [
        get_step("QOS_CLASS, inside one byte", DIRTY, *FIELDS["QOS_CLASS"]),
        get_step("DSTS, across two bytes", DIRTY, *FIELDS["DSTS"]),
        get_step("IPV, three bits across the edge of a byte", DIRTY, *FIELDS["IPV"]),
        get_step("TCI, 17 bits in three bytes", DIRTY, *FIELDS["TCI"]),
        get_step("LEN of a header of ones", ONES, *FIELDS["LEN"]),
        get_step("TIMESTAMP, four whole bytes at the very front", DIRTY, *FIELDS["TIMESTAMP"]),
        get_step("the lowest bit of a header", b"\0" * 27 + b"\xa5", 0, 1, edge=True),
        get_step("REW_VAL of an Ocelot header, 32 bits in five bytes", DIRTY[:16], 85, 32, edge=True),
    ],
    hint="join the bytes from the field's highest to its lowest bit, then shift and mask once.",
)


# ---- 4: set ----


def set_step(did: str, header: bytes, pos: int, width: int, value: int, *, edge: bool = False) -> wb.Step:
    """Put a value into a field whose bits are 0; the bits around it may be anything."""
    field = _field(pos, width)
    before = bytearray(header)
    ORACLE.set(before, field, 0)
    after = bytearray(before)
    ORACLE.set(after, field, value)
    word, size = int.from_bytes(before, "big"), len(header)
    low, high = size - 1 - pos // 8, size - 1 - (pos + width - 1) // 8
    one_byte = bytearray(before)
    one_byte[low] |= value << pos % 8 & 0xFF
    assigned = bytearray(before)
    assigned[high : low + 1] = (value << pos % 8).to_bytes(low + 1 - high, "big")
    turned = bytearray(before)
    for index, octet in zip(range(high, low + 1), assigned[high : low + 1][::-1], strict=True):
        turned[index] |= octet
    unshifted = bytearray(before)
    for index, octet in zip(range(low, high - 1, -1), value.to_bytes(low + 1 - high, "little"), strict=True):
        unshifted[index] |= octet
    from_front = (word | value << (8 * size - pos - width)) & (1 << 8 * size) - 1
    mistakes: list[tuple[Any, str]] = [
        (bytes(before), "nothing has changed; work on the header that you are given, it is a bytearray."),
        (bytes(assigned), "the field is right, but its neighbours in the same bytes are gone; OR it in."),
        (bytes(one_byte), "only the lowest byte got its bits; go on in the byte before it."),
        (
            bytes(turned),
            "the bytes are in the wrong order; the lowest bits belong into the last byte.",
        ),
        (bytes(unshifted), "the value begins at bit 0 of its byte; shift it up by pos % 8 first."),
        (from_front.to_bytes(size, "big"), "this counts bits from the front; bit 0 is the header's lowest."),
    ]
    return wb.Step(
        bytes(after),
        (before, pos, width, value),
        did=f"set_field(header, {pos}, {width}, {value:#x}): {did}",
        look=lambda _, args: bytes(args[0]),
        changes=(0,),
        edge=edge,
        mistakes=mistakes,
    )


set_field_check = wb.Check(
    "set_field",
    [
        set_step("QOS_CLASS in a header of zeros", bytes(28), *FIELDS["QOS_CLASS"], 5),
        set_step("QOS_CLASS between dirty neighbours", DIRTY, *FIELDS["QOS_CLASS"], 5),
        set_step("DSTS, across two bytes", bytes(28), *FIELDS["DSTS"], 0x155),
        set_step("DSTS between neighbours of ones", ONES, *FIELDS["DSTS"], 0x0AA),
        set_step("TCI, 17 bits in three bytes", DIRTY, *FIELDS["TCI"], 0x10ABC),
        set_step("TIMESTAMP, four whole bytes at the very front", DIRTY, *FIELDS["TIMESTAMP"], 0x01234567),
        set_step("32 bits in five bytes of an Ocelot header", DIRTY[:16], 85, 32, 0x89ABCDEF, edge=True),
    ],
    hint="shift the value up by pos % 8, then hand it out a byte at a time, the lowest byte first.",
)


# ---- 5: a header from a real frame ----


def read_step(
    did: str, received: bytes, fields: Mapping[str, tuple[int, int]], *, edge: bool = False
) -> wb.Step:
    """Read some fields of what the CPU received."""
    header = received[: RX.nbytes]
    want = {name: ORACLE.get(header, _field(*place)) for name, place in fields.items()}
    long = {name: ORACLE.get(received, _field(*place)) for name, place in fields.items()}
    rest = received[RX.nbytes :]
    behind = {
        name: ORACLE.get(rest[: RX.nbytes].ljust(28, b"\0"), _field(*place)) for name, place in fields.items()
    }
    mistakes: list[tuple[Any, str]] = [
        (
            long,
            "bit 0 is the last one of the header, not of all that was received; cut out the first 28 bytes.",
        ),
        (behind, "that is the frame; the header stands in front of it."),
        (
            lambda seen: isinstance(seen, dict) and seen.keys() != want.keys(),
            "the names are not those of the table that was given.",
        ),
        (list(want.values()), "the values are right; return them under their names, in a dict."),
    ]
    args = (received, dict(fields))
    return wb.Step(want, args, did=f"read_header(received, fields): {did}", edge=edge, mistakes=mistakes)


def _some(*names: str) -> dict[str, tuple[int, int]]:
    return {name: FIELDS[name] for name in names}


def _read_visible() -> list[wb.Step]:
    first, *_, last = arrived("ptp-l2-e2e")
    return [
        read_step("SRCPORT and LEN of a recorded PTP message", first, _some("SRCPORT", "LEN")),
        read_step("TIMESTAMP of the last one", last, _some("TIMESTAMP")),
        read_step("the header alone, without a frame", first[:28], _some("LEN"), edge=True),
        read_step("no fields at all", first, {}, edge=True),
    ]


def read_header_check(answer: Any) -> wb.Verdict:
    """The visible check of ``read_header``; the chip runs once, when it is asked for."""
    hint = "the header is the first 28 bytes; call get_field for each row of the table."
    return wb.Check("read_header", _read_visible(), hint=hint)(answer)


# ---- the extension ----


def lean_step(did: str, header: bytes, pos: int, width: int, *, edge: bool = False) -> wb.Step:
    """Read a field of a header that counts: each byte of the field once, no other."""
    field = _field(pos, width)
    want = (ORACLE.get(header, field), list(field.bytes_in(len(header))))

    def look(result: Any, args: tuple[Any, ...]) -> tuple[Any, list[int]]:
        return result, sorted(args[0].loaded)

    mistakes: Mistakes = [
        (
            lambda seen: seen[0] == want[0] and len(set(seen[1])) < len(seen[1]),
            "a byte is read more than once; keep what you have read.",
        ),
        (
            lambda seen: seen[0] == want[0] and set(seen[1]) > set(want[1]),
            "the value is right, and bytes were read that hold nothing of the field.",
        ),
    ]
    return wb.Step(
        want,
        (CountingHeader(header), pos, width),
        did=f"lean_get(header, {pos}, {width}): {did}; the value, and the bytes that were read",
        look=look,
        edge=edge,
        mistakes=mistakes,
    )


lean_get_check = wb.Check(
    "lean_get",
    [
        lean_step("AFI", DIRTY, *FIELDS["AFI"]),
        lean_step("TCI", DIRTY, *FIELDS["TCI"]),
        lean_step("TIMESTAMP", DIRTY, *FIELDS["TIMESTAMP"]),
        lean_step("REW_VAL of an Ocelot header", DIRTY[:16], 85, 32),
    ],
    hint="a loop over the field's bytes, highest first; header[i] once in each turn.",
)
