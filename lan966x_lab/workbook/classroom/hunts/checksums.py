"""Bug hunt, checksums: the Internet checksum, sums of pieces, and the sum that a device appends.

Right versions first, faulty ones below, second right versions at the end. Source of the arithmetic: RFC 1071
and RFC 1624.
"""

from collections.abc import Sequence

from .hunt import Hunt, Mutant, Subject

__all__ = ["appended_sum", "combine", "hunt", "ones_sum", "remove", "segment", "udp_field", "update"]


def ones_sum(data: bytes) -> int:
    """The one's-complement sum of ``data``, as 16-bit words, high byte first: 0 to 0xffff, not inverted.

    Each carry out of 16 bits is added at the low end, until there is none. An odd last byte is the high byte
    of a word whose low byte is 0.
    """
    total = sum(data[0::2]) << 8
    total += sum(data[1::2])
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def combine(left: int, right: int, left_length: int) -> int:
    """The ``ones_sum`` of two pieces, the one behind the other.

    ``left`` and ``right`` are the sums that each piece has alone. ``left_length`` is in bytes, even or odd. A
    sum of 0 and one of 0xffff mean the same, and either may be returned.
    """
    if left_length % 2:
        right = _swapped(right)
    return _added(left, right)


def remove(total: int, tail: int, offset: int) -> int:
    """The ``ones_sum`` that remains when a tail is cut off.

    ``total`` is the sum of everything, ``tail`` the sum of the tail alone, ``offset`` how many bytes remain,
    even or odd. A sum of 0 and one of 0xffff mean the same, and either may be returned.
    """
    if offset % 2:
        tail = _swapped(tail)
    return _added(total, 0xFFFF - tail)


def update(checksum: int, old: int, new: int) -> int:
    """The checksum field of a header in which the word ``old`` is replaced by ``new``.

    The result is the field that computing afresh would give: the inverted ``ones_sum``. No header is all
    zeros, so its sum is never 0.
    """
    return 0xFFFF - _added(_added(0xFFFF - checksum, 0xFFFF - old), new)


def udp_field(total: int) -> int:
    """What a UDP sender writes into the checksum field when the ``ones_sum`` is ``total``: the inverted sum.

    0 in this field means "no checksum". So where the inverted sum is 0, 0xffff is written.
    """
    return 0xFFFF - total or 0xFFFF


def segment(packet: bytes) -> bytes:
    """What an IPv4 packet carries: everything behind its header.

    The low four bits of byte 0 are the length of the header, in words of four bytes. Bytes 2 and 3 are the
    length of header and content together. Whatever lies behind that is padding of the Ethernet frame.
    """
    begin = 4 * (packet[0] & 15)
    end = int.from_bytes(packet[2:4], "big")
    return packet[begin:end]


def appended_sum(pieces: Sequence[bytes]) -> int:
    """The sum that the device has written behind a frame: its last two bytes, low byte first.

    The frame lies in one buffer or in several, in order; each holds two bytes or more.
    """
    return int.from_bytes(pieces[-1][-2:], "little")


def _added(one: int, other: int) -> int:
    total = one + other
    return (total & 0xFFFF) + (total >> 16)


def _swapped(word: int) -> int:
    return (word & 0xFF) << 8 | word >> 8


# Faulty versions


def _ones_sum_e6(data: bytes) -> int:
    total = sum(data[0::2]) << 8
    total += sum(data[1::2])
    total = (total & 0xFFFF) + (total >> 16)
    return total & 0xFFFF


def _combine_e2(left: int, right: int, left_length: int) -> int:
    return _added(left, right)


def _remove_e1(total: int, tail: int, offset: int) -> int:
    return _added(total, 0xFFFF - tail)


def _update_e7(checksum: int, old: int, new: int) -> int:
    return _added(_added(checksum, old), 0xFFFF - new)


def _udp_field_e8(total: int) -> int:
    return 0xFFFF - total


def _segment_e4(packet: bytes) -> bytes:
    begin = 4 * (packet[0] & 15)
    end = len(packet)
    return packet[begin:end]


def _appended_sum_e10(pieces: Sequence[bytes]) -> int:
    return int.from_bytes(pieces[0][-2:], "little")


# The same, written another way: 16-bit one's-complement addition is addition modulo 0xffff


def _modulo(number: int) -> int:
    """The one's-complement sum that a number stands for; 0 only for 0 itself."""
    return (number - 1) % 0xFFFF + 1 if number else 0


def _ones_sum_again(data: bytes) -> int:
    return _modulo(int.from_bytes(data + bytes(len(data) % 2), "big"))


def _combine_again(left: int, right: int, left_length: int) -> int:
    return _modulo(left + right * (256 if left_length % 2 else 1))


def _remove_again(total: int, tail: int, offset: int) -> int:
    return _modulo(total + 0xFFFF - _modulo(tail * (256 if offset % 2 else 1)))


def _update_again(checksum: int, old: int, new: int) -> int:
    return 0xFFFF - _modulo(2 * 0xFFFF - checksum - old + new)


def _udp_field_again(total: int) -> int:
    return total ^ 0xFFFF if total != 0xFFFF else total


def _segment_again(packet: bytes) -> bytes:
    padding = len(packet) - (packet[2] << 8 | packet[3])
    return bytes(packet[packet[0] % 16 * 4 : len(packet) - padding])


def _appended_sum_again(pieces: Sequence[bytes]) -> int:
    low, high = b"".join(pieces)[-2:]
    return high << 8 | low


_EASYFRAMES = "https://github.com/microchip-ung/easyframes"
_LINUX = "https://git.kernel.org/torvalds/c/"
_TREE = "https://git.kernel.org/pub/scm/linux/kernel/git/torvalds/linux.git/tree"

hunt = Hunt(
    "test_checksums",
    "checksums",
    [
        Subject(
            ones_sum,
            _ones_sum_again,
            [
                Mutant(
                    "E6",
                    _ones_sum_e6,
                    "Adding the carry can carry again. One addition is enough almost always, which is why "
                    "nobody notices. We met it in Microchip's test tool.",
                    "one checksum in many thousands is wrong by one.",
                    "easyframes 8aabbebd1dd3",
                    f"{_EASYFRAMES}/commit/8aabbebd1dd30394b14f32e6175d68fa115b3613",
                ),
            ],
        ),
        Subject(
            combine,
            _combine_again,
            [
                Mutant(
                    "E2",
                    _combine_e2,
                    "Behind a piece of odd length, high and low bytes change places. RIOT summed a packet's "
                    "pieces as if each began at an even place.",
                    "packets in several pieces have a wrong sum, some of them.",
                    "RIOT issue 3201",
                    "https://github.com/RIOT-OS/RIOT/issues/3201",
                ),
            ],
        ),
        Subject(
            remove,
            _remove_again,
            [
                Mutant(
                    "E1",
                    _remove_e1,
                    "The same with a tail that is cut off, such as the Ethernet checksum: in the kernel, a "
                    "frame of odd length seemed damaged when the device had summed the tail, too.",
                    'the kernel logs "hw csum failure" for good frames, but not for all.',
                    'Linux, "net: fix pskb_trim_rcsum_slow() with odd trim offset"',
                    "https://git.kernel.org/stable/c/ecec0f763b121f9fa0c51218915276c728bb3a37",
                ),
            ],
        ),
        Subject(
            update,
            _update_again,
            [
                Mutant(
                    "E7",
                    _update_e7,
                    "The formula of an older RFC. It gives 0xffff where computing afresh gives 0.",
                    "a router that changes one word makes a right header wrong, very rarely.",
                    "RFC 1624, equations 2 and 3",
                    "https://www.rfc-editor.org/rfc/rfc1624",
                ),
            ],
        ),
        Subject(
            udp_field,
            _udp_field_again,
            [
                Mutant(
                    "E8",
                    _udp_field_e8,
                    "A checksum of 0 is sent as it is. The receiver reads that nobody has computed one, and "
                    "checks nothing. Linux has a name for the value that must be sent instead, "
                    "CSUM_MANGLED_0.",
                    "one datagram in 65,536 travels unprotected.",
                    "checksum.h, which has it right",
                    f"{_TREE}/include/net/checksum.h",
                ),
            ],
        ),
        Subject(
            segment,
            _segment_again,
            [
                Mutant(
                    "E4",
                    _segment_e4,
                    "Ethernet fills short frames up. Who sums the filling, too, finds every short TCP "
                    "segment damaged.",
                    "short packets fail their checksum, and long ones do not.",
                    "dataplane issue 1778",
                    "https://github.com/githedgehog/dataplane/issues/1778",
                ),
            ],
        ),
        Subject(
            appended_sum,
            _appended_sum_again,
            [
                Mutant(
                    "E10",
                    _appended_sum_e10,
                    "A long frame takes several descriptors, and its sum lies at the end of the last. The "
                    "driver looked into another buffer: a ping of 7 kB set off a warning. A sibling of this "
                    "fault counted the bytes of the last piece only.",
                    "jumbo frames fail their checksum; frames of usual size are right.",
                    "the sibling, Linux 2e36c9fbc476",
                    f"{_LINUX}2e36c9fbc476f95a1b19e3fa0a2cdf408475ff56",
                ),
            ],
        ),
    ],
)
