"""Four ways to put a value into a header and to take it out again. They agree on every header.

Each codec is a pair of plain functions: ``set(header, field, value)`` replaces the field and nothing else;
``get(header, field)`` reads it. The header's length is that of the buffer. Bit ``j`` stands in byte
``len(header) - 1 - j // 8``, where it is worth ``1 << j % 8``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lan966x_lab.ifh import packing
from lan966x_lab.ifh.arguments import AnyBuffer, Header, Writable, for_reading, for_writing
from lan966x_lab.ifh.fields import Field

__all__ = ["CODECS", "Codec"]


@dataclass(frozen=True, slots=True)
class Codec:
    """One idea of how to reach a field, as a pair of functions.

    The header of a member of ``CODECS`` may be any buffer, a numpy array too; its length counts in bytes.
    ``set`` and ``get`` of the members of ``CODECS`` raise ``FieldRangeError`` for a value that does not fit,
    ``HeaderSizeError`` for a header that ends before the field, ``TypeError`` for a value that is not an
    integer or a header that is no buffer; the header is then as it was.
    """

    name: str
    idea: str
    set: Callable[[Writable, Field, int], None]
    get: Callable[[AnyBuffer, Field], int]


def packing_set(header: bytearray, field: Field, value: int) -> None:
    """Let the general routine do it: it walks over the bytes and works out each one's share."""
    field.bytes_in(len(header))
    packing.pack(header, field.check(value), field.top, field.pos)


def packing_get(header: Header, field: Field) -> int:
    """Let the general routine do it."""
    field.bytes_in(len(header))
    return packing.unpack(header, field.top, field.pos)


def bit_loop_set(header: bytearray, field: Field, value: int) -> None:
    """Test every bit of the value; load and store each byte once, lowest first."""
    indexes, value = field.bytes_in(len(header)), field.check(value)
    for index in reversed(indexes):
        first = 8 * (len(header) - 1 - index)
        byte = header[index]
        for bit in range(max(first, field.pos), min(first + 7, field.top) + 1):
            if value & (1 << (bit - field.pos)):
                byte |= 1 << (bit - first)
            else:
                byte &= ~(1 << (bit - first))
        header[index] = byte


def bit_loop_get(header: Header, field: Field) -> int:
    """Test every bit of the field; load each byte once, lowest first."""
    value = 0
    for index in reversed(field.bytes_in(len(header))):
        first = 8 * (len(header) - 1 - index)
        byte = header[index]
        for bit in range(max(first, field.pos), min(first + 7, field.top) + 1):
            if byte & (1 << (bit - first)):
                value |= 1 << (bit - field.pos)
    return value


def byte_shift_set(header: bytearray, field: Field, value: int) -> None:
    """Shift the value to where it belongs, then put it down a byte at a time, lowest first."""
    indexes, value = field.bytes_in(len(header)), field.check(value)
    value <<= field.pos % 8
    mask = field.maximum << field.pos % 8
    for index in reversed(indexes):
        header[index] = (header[index] & ~mask) | (value & 0xFF)
        value >>= 8
        mask >>= 8


def byte_shift_get(header: Header, field: Field) -> int:
    """Gather the bytes that hold the field, then shift and mask once."""
    value = 0
    for index in field.bytes_in(len(header)):
        value = (value << 8) | header[index]
    return (value >> field.pos % 8) & field.maximum


def whole_int_set(header: bytearray, field: Field, value: int) -> None:
    """Take the whole header for the one integer that it is."""
    field.bytes_in(len(header))
    word = int.from_bytes(header, "big")
    word = (word & ~field.mask) | (field.check(value) << field.pos)
    header[:] = word.to_bytes(len(header), "big")


def whole_int_get(header: Header, field: Field) -> int:
    """Take the whole header for the one integer that it is."""
    field.bytes_in(len(header))
    return (int.from_bytes(header, "big") >> field.pos) & field.maximum


CODECS: Mapping[str, Codec] = MappingProxyType(
    {
        name: Codec(name, idea, for_writing(set), for_reading(get))
        for name, idea, set, get in (
            ("packing", "one routine for every bit order, called at run time", packing_set, packing_get),
            ("bit_loop", "one test for every bit", bit_loop_set, bit_loop_get),
            ("byte_shift", "one shift and mask for every byte", byte_shift_set, byte_shift_get),
            ("whole_int", "one shift and mask for the whole header", whole_int_set, whole_int_get),
        )
    }
)
