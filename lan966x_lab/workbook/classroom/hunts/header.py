"""Bug hunt, header bits: two helpers that read and write a field, and two headers made with them.

Right versions first, faulty ones below, second right versions at the end. A faulty version is right except
for its fault.
"""

from .hunt import Hunt, Mutant, Subject
from .lab import refuses

__all__ = ["get_field", "hunt", "ocelot_header", "set_field", "sync_header"]


def get_field(header: bytes, pos: int, width: int) -> int:
    """The field of ``width`` bits whose lowest bit is bit ``pos`` of ``header``, as a number from 0 up.

    A header is one big number, most significant byte first: bit 0 is the lowest bit of its last byte.

    Raises:
        ValueError: a bit of the field lies outside the header.
    """
    _inside(header, pos, width)
    value = 0
    for i in range(width):
        if header[-1 - (pos + i) // 8] >> (pos + i) % 8 & 1:
            value |= 1 << i
    return value


def set_field(header: bytearray, pos: int, width: int, value: int) -> None:
    """Make ``value`` the value of a field, whatever it was before; no other bit of ``header`` changes.

    Raises:
        ValueError: a bit of the field lies outside the header, or the value is negative or needs more than
            ``width`` bits; the header is as it was.
    """
    _inside(header, pos, width)
    _fits(value, width)
    mask, bits = (1 << width) - 1 << pos % 8, value << pos % 8
    for index in range(len(header) - 1 - pos // 8, len(header) - 2 - (pos + width - 1) // 8, -1):
        header[index] = header[index] & ~mask | bits & 0xFF
        mask, bits = mask >> 8, bits >> 8


def ocelot_header(front_ports: int) -> bytes:
    """The 16 bytes before a frame that the CPU sends through an Ocelot switch with 1 to 15 front ports.

    BYPASS (bit 127) is 1. SRC_PORT (4 bits from bit 43) is the number of the port that the frame comes from.
    That is the CPU port. Ports are numbered from 0, first the front ports, then the CPU port. The rest is 0.
    """
    header = bytearray(16)
    set_field(header, 127, 1, 1)
    set_field(header, 43, 4, front_ports)
    return bytes(header)


def sync_header(port: int, transport: str) -> bytes:
    """The 28 bytes before a PTP Sync that a LAN966x is to stamp while it leaves through ``port``, 0 to 7.

    BYPASS (bit 191) is 1. DSTS (9 bits from bit 62) has the port's own bit. REW_CMD (10 bits from bit 163) is
    3, "write the time into the frame". PDU_TYPE (4 bits from bit 158) says where in the frame that is: 0 when
    ``transport`` is "L2", 7 for "IPv4", 8 for "IPv6". The rest is 0.
    """
    header = bytearray(28)
    set_field(header, 191, 1, 1)
    set_field(header, 62, 9, 1 << port)
    set_field(header, 163, 10, 3)
    set_field(header, 158, 4, {"L2": 0, "IPv4": 7, "IPv6": 8}[transport])
    return bytes(header)


def _inside(header: bytes | bytearray, pos: int, width: int) -> None:
    if not (pos >= 0 and width >= 1 and pos + width <= 8 * len(header)):
        raise ValueError(f"bits {pos} to {pos + width - 1}: the header has bits 0 to {8 * len(header) - 1}")


def _fits(value: int, width: int) -> None:
    if not 0 <= value < 1 << width:
        raise ValueError(f"value {value}: {width} bits hold 0 to {(1 << width) - 1}")


# Faulty versions


def _get_field_a1(header: bytes, pos: int, width: int) -> int:
    _inside(header, pos, width)
    value = 0
    for i in range(width):
        if header[-1 - (pos + i) // 8] >> (pos + i) % 8 & 1:
            value |= _c_int(1 << i)
    return value


def _get_field_a2(header: bytes, pos: int, width: int) -> int:
    _inside(header, pos, width)
    value = 0
    for i in range(width):
        if header[-1 - (pos + i) // 8] >> (pos + i) % 8 & 1:
            value |= _c_int(1 << i)
    return value & (1 << width + 1) - 1


def _c_int(value: int) -> int:
    """What C makes of an ``int`` of 32 bits when it is combined with an unsigned number of 64 bits."""
    low = value & 0xFFFF_FFFF
    return low | 0xFFFF_FFFF_0000_0000 if low >> 31 else low


def _set_field_a3(header: bytearray, pos: int, width: int, value: int) -> None:
    _inside(header, pos, width)
    _fits(value, width)
    mask, bits = (1 << width) - 1 << pos % 8, value << pos % 8
    for index in range(len(header) - 1 - pos // 8, len(header) - 2 - (pos + width - 1) // 8, -1):
        header[index] = header[index] | bits & 0xFF
        mask, bits = mask >> 8, bits >> 8


def _set_field_a4(header: bytearray, pos: int, width: int, value: int) -> None:
    _inside(header, pos, width)
    mask, bits = (1 << width) - 1 << pos % 8, value << pos % 8
    for index in range(len(header) - 1 - pos // 8, len(header) - 2 - (pos + width - 1) // 8, -1):
        header[index] = header[index] & ~mask | bits & 0xFF
        mask, bits = mask >> 8, bits >> 8


def _ocelot_header_a6(front_ports: int) -> bytes:
    header = bytearray(16)
    set_field(header, 127, 1, 1)
    set_field(header, 43, 4, 1 << front_ports & 0xF)
    return bytes(header)


def _sync_header_a7(port: int, transport: str) -> bytes:
    header = bytearray(28)
    set_field(header, 191, 1, 1)
    set_field(header, 62, 9, 1 << port)
    set_field(header, 163, 10, 3)
    return bytes(header)


def _set_field_a8(header: bytearray, pos: int, width: int, value: int) -> None:
    _fits(value, width)
    mask, bits = (1 << width) - 1 << pos % 8, value << pos % 8
    for index in range(len(header) - 1 - pos // 8, len(header) - 2 - (pos + width - 1) // 8, -1):
        header[index] = header[index] & ~mask | bits & 0xFF
        mask, bits = mask >> 8, bits >> 8


# The same, written another way


def _get_field_again(header: bytes | bytearray, pos: int, width: int) -> int:
    if pos < 0 or width < 1 or pos + width > 8 * len(header):
        raise ValueError("no such bits")
    return int.from_bytes(header, "big") >> pos & (1 << width) - 1


def _set_field_again(header: bytearray, pos: int, width: int, value: int) -> None:
    old = _get_field_again(header, pos, width)
    if value < 0 or value >> width:
        raise ValueError("does not fit")
    whole = int.from_bytes(header, "big") ^ (old ^ value) << pos
    header[:] = whole.to_bytes(len(header), "big")


def _ocelot_header_again(front_ports: int) -> bytes:
    return (1 << 127 | front_ports << 43).to_bytes(16, "big")


def _sync_header_again(port: int, transport: str) -> bytes:
    kind = ("L2", None, None, None, None, None, None, "IPv4", "IPv6").index(transport)
    return (1 << 191 | 1 << 62 + port | 3 << 163 | kind << 158).to_bytes(28, "big")


_LINUX = "https://git.kernel.org/torvalds/c/"

hunt = Hunt(
    "test_header",
    "header bits",
    [
        Subject(
            get_field,
            _get_field_again,
            [
                Mutant(
                    "A1",
                    _get_field_a1,
                    "Compiled C takes 1 << 31 for a negative int. It went into a 64-bit value and brought 32 "
                    "ones along: every time of arrival with the top bit set came back as more than a hundred "
                    "years. The driver dated such frames more than two seconds late.",
                    "some frames get a time that lies far beyond any second; most are fine.",
                    "Linux 99676a576641",
                    f"{_LINUX}99676a5766412f3936c55b9d18565d248e5463ee",
                ),
                Mutant(
                    "A2",
                    _get_field_a2,
                    "The first attempt to mend A1 cut the result with a mask that was one bit too wide. "
                    "Where a long has 64 bits, the time was still more than a second; where it has 32, as "
                    "on that CPU, C does not define the mask. Reviewers asked for another way, and got it.",
                    "the mend for A1 made the error smaller, and left it there.",
                    "the commit that was merged instead",
                    f"{_LINUX}99676a5766412f3936c55b9d18565d248e5463ee",
                ),
            ],
        ),
        Subject(
            set_field,
            _set_field_again,
            [
                Mutant(
                    "A3",
                    _set_field_a3,
                    "The helper only sets bits. The driver zeroes each header first, so nothing is wrong on "
                    "the wire; the helper's second user would find the old value mixed into the new one. By "
                    "our reading; not confirmed upstream.",
                    "a header that is used a second time sends frames to old and new ports at once.",
                    "Linux fd7627833ddf",
                    f"{_LINUX}fd7627833ddf1d845dcc0edb14bff97ddbb1272e",
                ),
                Mutant(
                    "A4",
                    _set_field_a4,
                    "A value that is too large runs over into the next field: priority 8 becomes VLAN 1. The "
                    "same helper as in A3; the library that it replaced refuses such a value.",
                    "a priority that does not exist changes the VLAN of the frame.",
                    "Linux fd7627833ddf",
                    f"{_LINUX}fd7627833ddf1d845dcc0edb14bff97ddbb1272e",
                ),
                Mutant(
                    "A8",
                    _set_field_a8,
                    "Linux's packing library took bit numbers beyond the end of the buffer. Here, too, a "
                    "field that does not exist lands in bytes that belong to others.",
                    "a wrong field number in a table damages other fields, and nobody complains.",
                    "Linux 8b3e26677bc6",
                    f"{_LINUX}8b3e26677bc6",
                ),
            ],
        ),
        Subject(
            ocelot_header,
            _ocelot_header_again,
            [
                Mutant(
                    "A6",
                    _ocelot_header_a6,
                    "A mask with the port's bit was written into a field that wants the port's number. It "
                    "did not fit, and was cut to 0, for years, until the packing library began to warn.",
                    "the switch takes the CPU's frames for frames of another port.",
                    "Linux 2d5df3a680ff",
                    f"{_LINUX}2d5df3a680ffdaf606baa10636bdb1daf757832e",
                ),
            ],
        ),
        Subject(
            sync_header,
            _sync_header_again,
            [
                Mutant(
                    "A7",
                    _sync_header_a7,
                    "PDU_TYPE stayed 0. So the time was written where it belongs in a bare Ethernet frame, "
                    "and that is in the middle of the IP header when there is one.",
                    "time messages over IP leave the switch malformed.",
                    "Linux 57ee9584fd86",
                    f"{_LINUX}57ee9584fd8606deef66d7b65fa4dcf94f6843aa",
                ),
            ],
        ),
    ],
    tools={"refuses": refuses},
)
