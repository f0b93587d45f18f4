"""The Internet checksum: one number, many ways to add it up.

The sum of a packet is the one's-complement sum of its 16-bit big-endian words; an odd last byte stands on the
left of a zero byte (RFC 1071). That is arithmetic modulo 0xffff, and everything here rests on one remark:
65536 leaves the remainder 1, so the packet read as ONE big integer has the same remainder as the sum of its
words.

A *sum* is not inverted; a *checksum* is the sum inverted, as headers carry it. Modulo 0xffff the numbers 0 and
0xffff are the same zero. An adder with end-around carry keeps them apart, and so does this module: a sum is 0
only where everything added is zero; every other multiple of 0xffff is 0xffff.
"""

from __future__ import annotations

import operator

from lan966x_lab.net.batch import BytesLike, as_bytes

__all__ = ["fold", "internet_checksum", "ones_sum"]


def fold(total: int) -> int:
    """Fold a sum of any size into 16 bits: carries come back in at the low end, as often as it takes.

    Raises:
        ValueError: the total is negative.
    """
    if total < 0:
        raise ValueError(f"a sum of words is 0 or more, not {total}")
    return total % 0xFFFF or (0xFFFF if total else 0)


def ones_sum(data: BytesLike, start: int = 0) -> int:
    """The folded one's-complement sum of ``data`` added to ``start``: 0..0xffff, network order, not inverted.

    Args:
        data: any bytes-like object of any length; an odd one counts as padded with a zero byte on the right.
        start: what to add to: a sum, folded or not, of words that come before (an even number of bytes).

    Raises:
        TypeError: ``data`` is not bytes-like, or ``start`` is not an integer.
        ValueError: ``start`` is negative.
    """
    octets = as_bytes(data)
    return fold((int.from_bytes(octets, "big") << 8 * (len(octets) & 1)) + operator.index(start))


def internet_checksum(data: BytesLike) -> int:
    """The Internet checksum of ``data``: the inverted sum. Over data that carries its right checksum it is 0."""
    return ones_sum(data) ^ 0xFFFF
