"""Frames for the checksum tests, built with nothing but `struct`, and slow sums to compare with."""

import struct


def slow_sum(data: bytes) -> int:
    """The textbook loop: big-endian words, an odd byte on the left, carries added back."""
    total = 0
    for i in range(0, len(data) - 1, 2):
        total += data[i] << 8 | data[i + 1]
    if len(data) % 2:
        total += data[-1] << 8
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ipv4(
    payload: bytes, protocol: int, *, pad: bytes = b"", fragment: int = 0, vlans: tuple[int, ...] = ()
) -> bytes:
    """An Ethernet frame with an IPv4 packet, tags before it, `pad` behind it."""
    header = struct.pack(
        "!BBHHHBBH4s4s",
        0x45,
        0,
        20 + len(payload),
        7,
        fragment,
        64,
        protocol,
        0,
        b"\x0a\0\0\1",
        b"\x0a\0\0\2",
    )
    header = header[:10] + struct.pack("!H", slow_sum(header) ^ 0xFFFF) + header[12:]
    tags = b"".join(struct.pack("!HH", 0x8100, tci) for tci in vlans)
    return b"\x02\0\0\0\0\2\x02\0\0\0\0\1" + tags + b"\x08\0" + header + payload + pad


def ipv6(payload: bytes, protocol: int, *, options: bytes = b"", pad: bytes = b"") -> bytes:
    """An Ethernet frame with an IPv6 packet; `options` is a chain that ends in `protocol`."""
    first = 60 if options else protocol
    header = struct.pack("!IHBB", 6 << 28, len(options) + len(payload), first, 64)
    return b"\x02\0\0\0\0\2\x02\0\0\0\0\1\x86\xdd" + header + SOURCE6 + DESTINATION6 + options + payload + pad


SOURCE6, DESTINATION6 = bytes(range(16)), bytes(range(16, 32))


def pseudo(protocol: int, length: int, six: bool = False) -> bytes:
    """The pseudo-header of `ipv4` and `ipv6`."""
    addresses = SOURCE6 + DESTINATION6 if six else b"\x0a\0\0\1\x0a\0\0\2"
    return addresses + struct.pack("!II", length, protocol)


def udp(data: bytes, six: bool = False) -> bytes:
    """A UDP segment with the right checksum."""
    head = struct.pack("!HHHH", 1234, 4321, 8 + len(data), 0)
    value = slow_sum(pseudo(17, 8 + len(data), six) + head + data) ^ 0xFFFF or 0xFFFF
    return head[:6] + struct.pack("!H", value) + data


def tcp(data: bytes, six: bool = False) -> bytes:
    """A TCP segment with the right checksum."""
    head = struct.pack("!HHIIBBHHH", 1234, 4321, 1, 1, 0x50, 0x10, 512, 0, 0)
    value = slow_sum(pseudo(6, 20 + len(data), six) + head + data) ^ 0xFFFF
    return head[:16] + struct.pack("!H", value) + head[18:] + data


def icmp(data: bytes) -> bytes:
    """An ICMP echo request with the right checksum."""
    head = struct.pack("!BBHHH", 8, 0, 0, 1, 1)
    return head[:2] + struct.pack("!H", slow_sum(head + data) ^ 0xFFFF) + head[4:] + data
