"""The frame check sequence: CRC-32 over the frame, sent least significant byte first (IEEE 802.3, 3.2.9)."""

import zlib

FCS_LEN = 4


def fcs(frame: bytes) -> bytes:
    """The 4 bytes that follow `frame` on the wire.

    >>> fcs(b"123456789").hex()
    '2639f4cb'
    """
    return zlib.crc32(frame).to_bytes(FCS_LEN, "little")


def is_intact(frame_with_fcs: bytes) -> bool:
    """Whether the last four bytes are the FCS of what precedes them."""
    return fcs(frame_with_fcs[:-FCS_LEN]) == frame_with_fcs[-FCS_LEN:]
