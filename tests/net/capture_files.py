"""Capture files laid out by hand, after the drafts of pcap and pcapng."""

import struct
from typing import Any

FRAMES = [
    bytes([n]) * 60 + bytes(n) for n in range(1, 6)
]  # lengths 61 to 65: with and without pcapng padding
TIMES = [1_700_000_000_123_456_000 + n * 1_001_000 for n in range(5)]  # whole microseconds


def pcap_pieces(
    order: str = "<", magic: int = 0xA1B2C3D4, tick_ns: int = 1000, link_type: int = 1, extra: bytes = b""
) -> list[bytes]:
    """The file header, then a piece for each frame."""
    pieces = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, link_type)]
    for frame, time_ns in zip(FRAMES, TIMES, strict=True):
        seconds, ns = divmod(time_ns, 10**9)
        head = struct.pack(order + "IIII", seconds, ns // tick_ns, len(frame), len(frame))
        pieces.append(head + extra + frame)
    return pieces


def pcap(*arguments: Any, **named: Any) -> bytes:
    return b"".join(pcap_pieces(*arguments, **named))


def block(order: str, kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", 12 + len(body))
    return struct.pack(order + "I", kind) + length + body + length


def section(order: str = "<") -> bytes:
    return block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))


def option(order: str, code: int, value: bytes) -> bytes:
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def interface(order: str = "<", link_type: int = 1, snap: int = 0, *options: tuple[int, bytes]) -> bytes:
    listed = b"".join(option(order, *each) for each in options) + bytes(4 * bool(options))
    return block(order, 1, struct.pack(order + "HHI", link_type, 0, snap) + listed)


def enhanced(
    order: str, number: int, ticks: int, frame: bytes, wire: int | None = None, tail: bytes = b""
) -> bytes:
    head = struct.pack(
        order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), wire or len(frame)
    )
    return block(order, 6, head + frame + bytes(-len(frame) % 4) + tail)


def pcapng_pieces(order: str = "<") -> list[bytes]:
    """The section header, the interface, then a piece for each frame."""
    packets = [enhanced(order, 0, t // 1000, frame) for frame, t in zip(FRAMES, TIMES, strict=True)]
    return [section(order), interface(order), *packets]
