"""The general routine: any range of bits, any buffer length, any of eight bit orders.

It does what the kernel's ``lib/packing.c`` does. You number bits *logically*: bit 0 is the lowest bit of the
lowest byte, as if the buffer were one big-endian integer. Three quirks then say where a logical bit stands
*physically*; they combine freely. The bytes form groups of four, counted from the lowest; when the length is
no multiple of four, the most significant group is the short one.

===================  =================================================================
quirk                what it does to the big-endian order
===================  =================================================================
MSB_ON_THE_RIGHT     reverses the eight bits inside every byte
LITTLE_ENDIAN        reverses the bytes inside every group
LSW32_IS_FIRST       reverses the order of the groups
===================  =================================================================

A short group is reversed within its own length, so each of the eight orders gives every logical bit a place
of its own, at every length. The kernel agrees, with one exception: for ``LITTLE_ENDIAN`` without
``LSW32_IS_FIRST`` and a length that is no multiple of four, its arithmetic, as we read it, points before the
buffer, and its documentation (``core-api/packing.rst``, commit 08c51f5bddc8) prints a third order. Here the
one rule holds throughout.

Where the kernel answers -EINVAL, and -ERANGE for more than 64 bits, you get a ``BitRangeError``; where it
once answered -ERANGE for a value too large (it warns and truncates now), a ``ValueTooWideError``.
"""

from enum import STRICT, IntFlag

from lan966x_lab.ifh.arguments import AnyBuffer, Writable, packs_any_buffer, unpacks_any_buffer

__all__ = ["NO_QUIRKS", "BitRangeError", "Quirk", "ValueTooWideError", "pack", "unpack"]


class Quirk(IntFlag, boundary=STRICT):
    """How a buffer's physical bit order differs from big-endian."""

    MSB_ON_THE_RIGHT = 1
    LITTLE_ENDIAN = 2
    LSW32_IS_FIRST = 4


NO_QUIRKS = Quirk(0)


class BitRangeError(ValueError):
    """A wrong call: the buffer has no such range of bits, the range has more than 64, or no such quirk."""


class ValueTooWideError(ValueError):
    """A right call, but the value does not fit its range of bits."""


class _Orders(dict[Quirk, tuple[bool, bool, bool]]):
    """For each combination of quirks: bits reversed, bytes reversed, groups reversed."""

    def __missing__(self, quirks: object) -> tuple[bool, bool, bool]:
        raise BitRangeError(f"quirks is {quirks!r}: combine members of packing.Quirk, or leave it out.")


_ORDERS = _Orders({Quirk(bits): (bool(bits & 1), bool(bits & 2), bool(bits & 4)) for bits in range(8)})

#: Every byte with its bits in reverse order.
_MIRROR = tuple(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@packs_any_buffer
def pack(buffer: Writable, value: int, start_bit: int, end_bit: int, quirks: Quirk = NO_QUIRKS) -> None:
    """Write ``value`` to the logical bits ``start_bit`` down to ``end_bit`` of the buffer, and nothing else.

    >>> buffer = bytearray(8)
    >>> pack(buffer, 0xCAFE, 23, 8)
    >>> buffer.hex()
    '0000000000cafe00'
    >>> pack(buffer, 0, 63, 0)
    >>> pack(buffer, 0xCAFE, 23, 8, Quirk.LITTLE_ENDIAN | Quirk.LSW32_IS_FIRST)
    >>> buffer.hex()
    '00feca0000000000'

    Raises:
        BitRangeError: start below end, a bit outside the buffer, or more than 64 bits.
        ValueTooWideError: the value is negative or has more bits than the range.
        TypeError: the value or a bit is not an integer, or the buffer is none that can be written.
    """
    _check_range(len(buffer), start_bit, end_bit)
    width = start_bit - end_bit + 1
    if not 0 <= value < 1 << width:
        raise ValueTooWideError(
            f"{value} does not fit bits {start_bit} to {end_bit}, which take 0 to {(1 << width) - 1}. "
            "Give a value in that range."
        )
    mirrored, little_endian, lsw32_first = _ORDERS[quirks]
    for box in range(end_bit // 8, start_bit // 8 + 1):
        first = 8 * box
        low, high = max(first, end_bit), min(first + 7, start_bit)
        mask = (2 << (high - first)) - (1 << (low - first))
        bits = (value >> (low - end_bit) << (low - first)) & mask
        if mirrored:
            bits, mask = _MIRROR[bits], _MIRROR[mask]
        address = _address(box, len(buffer), little_endian, lsw32_first)
        buffer[address] = (buffer[address] & ~mask) | bits


@unpacks_any_buffer
def unpack(buffer: AnyBuffer, start_bit: int, end_bit: int, quirks: Quirk = NO_QUIRKS) -> int:
    """The value of the logical bits ``start_bit`` down to ``end_bit`` of the buffer.

    >>> unpack(bytes.fromhex("0000000000cafe00"), 23, 8) == 0xCAFE
    True

    Raises:
        BitRangeError: start below end, a bit outside the buffer, or more than 64 bits.
        TypeError: a bit is not an integer, or the buffer is none.
    """
    _check_range(len(buffer), start_bit, end_bit)
    mirrored, little_endian, lsw32_first = _ORDERS[quirks]
    value = 0
    for box in range(end_bit // 8, start_bit // 8 + 1):
        first = 8 * box
        low, high = max(first, end_bit), min(first + 7, start_bit)
        mask = (2 << (high - first)) - (1 << (low - first))
        byte = buffer[_address(box, len(buffer), little_endian, lsw32_first)]
        if mirrored:
            byte = _MIRROR[byte]
        value |= (byte & mask) >> (low - first) << (low - end_bit)
    return value


def _check_range(nbytes: int, start_bit: int, end_bit: int) -> None:
    if not 0 <= end_bit <= start_bit < 8 * nbytes:
        raise BitRangeError(
            f"bits {start_bit} to {end_bit} of a buffer of {nbytes} bytes: start_bit is the higher one, "
            f"end_bit the lower one, and both are in 0 to {8 * nbytes - 1}."
        )
    if start_bit - end_bit >= 64:
        raise BitRangeError(
            f"bits {start_bit} to {end_bit} are {start_bit - end_bit + 1} bits, and one call takes 1 to 64. "
            "Split the range."
        )


def _address(box: int, nbytes: int, little_endian: bool, lsw32_first: bool) -> int:
    """Where a box (a logical byte; the lowest is 0) stands in the buffer."""
    group, rank = divmod(box, 4)
    size = min(4, nbytes - 4 * group)
    start = 4 * group if lsw32_first else nbytes - 4 * group - size
    return start + (rank if little_endian else size - 1 - rank)
