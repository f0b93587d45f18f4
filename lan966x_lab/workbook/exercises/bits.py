"""The exercise of notebook 01: read a field out of a header by hand."""

from typing import Any

from lan966x_lab import ifh

from ..checks import Check, Step

DIRTY = bytes(range(0xA0, 0xBC))
STAMPED = ifh.LAN966X.rx.encode(TIMESTAMP=0x8000_0001, LEN=0x3FFF)
OCELOT = bytes(range(0x5A, 0x6A))


def _step(did: str, header: bytes, pos: int, width: int, *, edge: bool = False) -> Step:
    """The header's integer is the oracle; the mistakes are the ways in which it is usually misread."""
    word, mask = int.from_bytes(header, "big"), (1 << width) - 1
    mistakes: list[tuple[Any, str]] = [
        (word >> pos, f"this still has the bits above the field; keep the lowest {width} of them."),
        (word & mask << pos, f"the field still stands at bit {pos}; shift it down."),
        (
            int.from_bytes(header, "little") >> pos & mask,
            "this reads the last byte as the highest; byte 0 is the highest.",
        ),
        (
            lambda seen: seen < 0,
            "a field is never negative; its highest bit is worth as much as it is in any number.",
        ),
    ]
    if len(header) != ifh.LAN966X.rx.nbytes:
        long = int.from_bytes(header.ljust(ifh.LAN966X.rx.nbytes, b"\0"), "big") >> pos & mask
        mistakes.append((long, "this header has another length; count from its own last byte."))
    if pos // 8 != (pos + width - 1) // 8:
        lowest = header[len(header) - 1 - pos // 8] >> pos % 8 & mask
        mistakes.append((lowest, "these are the bits of one byte; the field goes on in the byte before it."))
    return Step(
        word >> pos & mask,
        (header, pos, width),
        did=f"get_field(header, {pos}, {width}): {did}",
        edge=edge,
        mistakes=mistakes,
    )


def _of(did: str, header: bytes, field: ifh.Field, *, edge: bool = False) -> Step:
    return _step(f"{field.name}, {did}", header, field.pos, field.width, edge=edge)


_RX = ifh.LAN966X.rx
get_field_check = Check(
    "get_field",
    [
        _of("inside one byte", DIRTY, _RX["QOS_CLASS"]),
        _of("across two bytes", DIRTY, _RX["DSTS"]),
        _of("across three bytes", DIRTY, _RX["TCI"]),
        _of("with bit 31 of the field set", STAMPED, _RX["TIMESTAMP"]),
        _of("all ones", STAMPED, _RX["LEN"]),
        _step("the lowest bit of the header", DIRTY[::-1], 0, 1, edge=True),
        _step("the whole header as one field", DIRTY, 0, 8 * len(DIRTY), edge=True),
        _of("of an Ocelot header, which has 16 bytes", OCELOT, ifh.OCELOT.rx["WLEN"], edge=True),
    ],
    hint="turn the bytes into one number, shift it down, and keep the lowest width bits.",
)
