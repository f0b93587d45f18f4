"""The two ideas as they were published, faults included, so that you can catch them. Nothing else uses these.

Both were written anew, with C's integer types named (``cint``). ``bit_loop_v1`` is the idea of seed 000;
``byte_shift_v2`` is the one that was merged (Linux commit fd7627833ddf). Their faults:

===============================  ===========  =============  =================================================
fault                            bit_loop_v1  byte_shift_v2  seen with
===============================  ===========  =============  =================================================
get copies bit 31 upwards        yes          yes            TIMESTAMP = 0x80000000 (cured by 99676a576641)
set never clears                 yes          yes            DSTS = 0x1ff, then DSTS = 0: still 0x1ff
set spills into the neighbour    no           yes            QOS_CLASS = 8 sets bit 103, which belongs to TCI
set touches the byte before [0]  no           yes            TIMESTAMP: index -1
===============================  ===========  =============  =================================================

Neither checks anything. In C, index -1 is the byte before the header; in Python it is the last byte. Both are
ORed with 0 there, so nobody noticed.
"""

from collections.abc import Mapping
from types import MappingProxyType

from lan966x_lab.ifh.arguments import Header, for_reading, for_writing
from lan966x_lab.ifh.cint import s32, u8, u32, u64
from lan966x_lab.ifh.codecs import Codec
from lan966x_lab.ifh.fields import Field

__all__ = ["PUBLISHED"]


def bit_loop_v1_set(header: bytearray, field: Field, value: int) -> None:
    """Test every bit of the value, a ``size_t``; a 1 goes into the header, a 0 leaves it as it was."""
    value = u32(value)
    for index in reversed(field.bytes_in(len(header))):
        first = 8 * (len(header) - 1 - index)
        byte = header[index]
        for bit in range(max(first, field.pos), min(first + 7, field.top) + 1):
            if value & u32(1 << (bit - field.pos)):
                byte |= 1 << (bit - first)
        header[index] = byte


def bit_loop_v1_get(header: Header, field: Field) -> int:
    """Test every bit of the field; collect them in a ``u64``, each shifted up as an ``int``."""
    value = 0
    for index in reversed(field.bytes_in(len(header))):
        first = 8 * (len(header) - 1 - index)
        byte = header[index]
        for bit in range(max(first, field.pos), min(first + 7, field.top) + 1):
            if byte & (1 << (bit - first)):
                value = u64(value | s32(1 << (bit - field.pos)))
    return value


def byte_shift_v2_set(header: bytearray, field: Field, value: int) -> None:
    """OR eight bits of the value, a ``size_t``, into the two bytes that they can reach; go on."""
    for i in range(0, field.width, 8):
        index, place = len(header) - 1 - (field.pos + i) // 8, (field.pos + i) % 8
        eight = u8(u32(value) >> i)
        header[index] |= u8(eight << place)
        header[index - 1] |= eight >> (8 - place)


PUBLISHED: Mapping[str, Codec] = MappingProxyType(
    {
        name: Codec(name, idea, for_writing(set), for_reading(get))
        for name, idea, set, get in (
            ("bit_loop_v1", "one test for every bit, as posted", bit_loop_v1_set, bit_loop_v1_get),
            ("byte_shift_v2", "one shift for every byte, as merged", byte_shift_v2_set, bit_loop_v1_get),
        )
    }
)
