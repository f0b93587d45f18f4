"""Frames at the edges of the rules, each with the verdicts that a receiver must come to.

``test_verdicts`` asserts them; ``test_verdicts_tshark`` asks tshark about the same frames.
"""

import struct
from ipaddress import ip_address
from typing import Any, NamedTuple

from lan966x_lab.net import build
from lan966x_lab.net.build import ethernet, icmp, ipv4, ipv6, tcp, udp
from lan966x_lab.net.frames import EtherType, Protocol, Vlan

MAC = ("02:00:00:00:00:02", "02:00:00:00:00:01")
HERE4, THERE4 = "10.0.0.1", "10.0.0.2"
HERE6, THERE6, LAST6 = "fd00::1", "fd00::2", "fd00::9"
DATA = b"hello world"  # an odd length
TCP, UDP, ICMP, ICMPV6 = Protocol.TCP, Protocol.UDP, Protocol.ICMP, Protocol.ICMPV6


class Edge(NamedTuple):
    name: str
    frame: bytes
    verdicts: dict[str, str]


def short(value: object) -> str | None:
    """For the name of a test: bytes as their number."""
    return f"{len(value)} bytes" if isinstance(value, bytes) else None


def four(protocol: int, payload: bytes, **options: Any) -> bytes:
    """An unpadded IPv4 frame."""
    return ethernet(*MAC, EtherType.IPV4, ipv4(HERE4, THERE4, protocol, payload, **options), minimum=0)


def six(protocol: int, payload: bytes, **options: Any) -> bytes:
    """An unpadded IPv6 frame."""
    return ethernet(*MAC, EtherType.IPV6, ipv6(HERE6, THERE6, protocol, payload, **options), minimum=0)


def put(frame: bytes, offset: int, octets: bytes) -> bytes:
    """The frame with some bytes replaced."""
    return frame[:offset] + octets + frame[offset + len(octets) :]


def routing(kind: int, segments_left: int, *stops: str) -> tuple[int, bytes]:
    addresses = b"".join(ip_address(stop).packed for stop in stops)
    head = bytes([0, len(addresses) // 8, kind, segments_left, len(stops) - 1 if kind == 4 else 0, 0, 0, 0])
    return Protocol.ROUTING, head + addresses


def home_address(home: str) -> tuple[int, bytes]:
    """A destination-options header with the home address option, padded (RFC 6275)."""
    option = bytes([0xC9, 16]) + ip_address(home).packed
    return Protocol.DESTINATION_OPTIONS, bytes([0, 2]) + bytes([1, 2, 0, 0]) + option


def fragment6(offset: int, more: bool) -> tuple[int, bytes]:
    return Protocol.FRAGMENT, struct.pack(">BBHI", 0, 0, offset | more, 7)


def from_home(home: str) -> bytes:
    """A segment whose pseudo-header counts the home address as its source."""
    segment = ipv6(home, THERE6, TCP, tcp(1000, 2000, DATA))[40:]
    frame = six(TCP, segment, extensions=[home_address(home)])
    return frame[: -len(segment)] + segment


def jumbogram(length: int) -> bytes:
    segment = tcp(1000, 2000, bytes(length - 20))
    hop_by_hop = bytes([TCP, 0, 0xC2, 4]) + (8 + length).to_bytes(4, "big")
    pseudo = ip_address(HERE6).packed + ip_address(THERE6).packed + struct.pack(">II", length, TCP)
    summed = sum(struct.unpack(f">{len(pseudo + segment) // 2}H", pseudo + segment))
    while summed > 0xFFFF:
        summed = (summed & 0xFFFF) + (summed >> 16)
    segment = put(segment, 16, (summed ^ 0xFFFF).to_bytes(2, "big"))
    packet = put(ipv6(HERE6, THERE6, 0, hop_by_hop), 4, b"\0\0") + segment
    return ethernet(*MAC, EtherType.IPV6, packet)


def total_length(frame: bytes, length: int) -> bytes:
    """The frame with another IPv4 total length, its header checksum right."""
    header = put(put(frame[14:34], 2, length.to_bytes(2, "big")), 10, b"\0\0")
    total = sum(struct.unpack(">10H", header))
    total = (total & 0xFFFF) + (total >> 16)
    return put(frame, 14, put(header, 10, (total + (total >> 16) & 0xFFFF ^ 0xFFFF).to_bytes(2, "big")))


UDP4 = four(UDP, udp(1000, 2000, DATA))
UDP6 = six(UDP, udp(1000, 2000, DATA))
TCP4 = four(TCP, tcp(1000, 2000, DATA))
TCP6 = six(TCP, tcp(1000, 2000, DATA))
ECHO4 = four(ICMP, icmp(8, rest=b"\0\7\0\1", payload=DATA))
ECHO6 = six(ICMPV6, icmp(128, rest=b"\0\7\0\1", payload=DATA))
FROM_HOME = from_home(LAST6)
ACK4 = four(TCP, tcp(1000, 2000))  # 54 bytes: needs six bytes of padding


def wrong_byte(frame: bytes) -> bytes:
    """The last byte flipped."""
    return put(frame, len(frame) - 1, bytes([frame[-1] ^ 1]))


def udp_that_sums_to_zero() -> bytes:
    """A datagram whose computed checksum is 0, so that 0xffff goes out."""
    plain = udp(1000, 2000, b"\0\0")
    checksum = int.from_bytes(four(UDP, plain)[40:42], "big")
    return four(UDP, udp(1000, 2000, checksum.to_bytes(2, "big")))


def udp_with_surplus() -> bytes:
    """A right datagram, and four bytes behind it that belong to IP and not to UDP."""
    datagram = UDP4[34:]
    return four(UDP, datagram + b"more")[:34] + datagram + b"more"


EDGES = [
    Edge("udp4", UDP4, {"ipv4": "right", "udp": "right"}),
    Edge("udp6", UDP6, {"udp": "right"}),
    Edge("tcp4", TCP4, {"ipv4": "right", "tcp": "right"}),
    Edge("tcp6", TCP6, {"tcp": "right"}),
    Edge("icmp", ECHO4, {"ipv4": "right", "icmp": "right"}),
    Edge("icmpv6", ECHO6, {"icmpv6": "right"}),
    Edge("udp4 wrong", wrong_byte(UDP4), {"ipv4": "right", "udp": "wrong"}),
    Edge("udp6 wrong", wrong_byte(UDP6), {"udp": "wrong"}),
    Edge("tcp4 wrong", wrong_byte(TCP4), {"ipv4": "right", "tcp": "wrong"}),
    Edge("tcp6 wrong", wrong_byte(TCP6), {"tcp": "wrong"}),
    Edge("icmp wrong", wrong_byte(ECHO4), {"ipv4": "right", "icmp": "wrong"}),
    Edge("icmpv6 wrong", wrong_byte(ECHO6), {"icmpv6": "wrong"}),
    Edge("ipv4 header wrong", put(TCP4, 22, b"\x3f"), {"ipv4": "wrong", "tcp": "right"}),
    Edge(
        "udp4 partial",
        four(UDP, udp(1000, 2000, DATA), fill_checksum="partial"),
        {"ipv4": "right", "udp": "partial"},
    ),
    Edge(
        "tcp4 partial",
        four(TCP, tcp(1000, 2000, DATA), fill_checksum="partial"),
        {"ipv4": "right", "tcp": "partial"},
    ),
    Edge("tcp6 partial", six(TCP, tcp(1000, 2000, DATA), fill_checksum="partial"), {"tcp": "partial"}),
    Edge("udp6 partial", six(UDP, udp(1000, 2000, DATA), fill_checksum="partial"), {"udp": "partial"}),
    Edge(
        "icmpv6 partial", six(ICMPV6, icmp(128, payload=DATA), fill_checksum="partial"), {"icmpv6": "partial"}
    ),
    Edge(
        "tcp4 zero", four(TCP, tcp(1000, 2000, DATA), fill_checksum="zero"), {"ipv4": "right", "tcp": "wrong"}
    ),
    Edge(
        "icmp zero",
        four(ICMP, icmp(8, payload=DATA), fill_checksum="zero"),
        {"ipv4": "right", "icmp": "wrong"},
    ),
    Edge("icmp all zero", four(ICMP, bytes(9), fill_checksum="zero"), {"ipv4": "right", "icmp": "wrong"}),
    Edge(
        "udp4 none",
        four(UDP, udp(1000, 2000, DATA), fill_checksum="zero"),
        {"ipv4": "right", "udp": "absent"},
    ),
    Edge("udp6 none", six(UDP, udp(1000, 2000, DATA), fill_checksum="zero"), {"udp": "wrong"}),
    Edge("udp4 0xffff for zero", udp_that_sums_to_zero(), {"ipv4": "right", "udp": "right"}),
    Edge("udp4 empty", four(UDP, udp(1000, 2000)), {"ipv4": "right", "udp": "right"}),
    Edge("ipv4 options", four(UDP, udp(1, 2, DATA), options=b"\1" * 8), {"ipv4": "right", "udp": "right"}),
    Edge("tcp options", four(TCP, tcp(1, 2, DATA, options=b"\1" * 12)), {"ipv4": "right", "tcp": "right"}),
    # Padding is no payload: blanks show in a sum, 0x55 six times and zeros do not.
    *(
        Edge(f"tcp4 padded {pad!r}", ACK4.ljust(60, pad), {"ipv4": "right", "tcp": "right"})
        for pad in (b"\0", b" ", b"\x55")
    ),
    Edge("udp4 padded", UDP4.ljust(60, b" "), {"ipv4": "right", "udp": "right"}),
    Edge("icmp padded", ECHO4.ljust(60, b" "), {"ipv4": "right", "icmp": "right"}),
    Edge(
        "one tag",
        ethernet(*MAC, EtherType.IPV4, TCP4[14:], tags=[Vlan(5, priority=3)]),
        {"ipv4": "right", "tcp": "right"},
    ),
    Edge(
        "two tags",
        ethernet(*MAC, EtherType.IPV6, UDP6[14:], tags=[Vlan(5, tpid=EtherType.SERVICE_VLAN), Vlan(6)]),
        {"udp": "right"},
    ),
    Edge(
        "first fragment",
        four(UDP, UDP4[34:], more_fragments=True),
        {"ipv4": "right", "udp": "not_checkable"},
    ),
    Edge(
        "later fragment",
        four(TCP, bytes(40), fragment_offset=1480),
        {"ipv4": "right", "tcp": "not_checkable"},
    ),
    Edge(
        "first fragment without checksum",
        four(UDP, udp(1000, 2000, DATA), more_fragments=True),
        {"ipv4": "right", "udp": "absent"},
    ),
    Edge(
        "ipv6 first fragment",
        six(UDP, UDP6[54:], extensions=[fragment6(0, True)]),
        {"udp": "not_checkable"},
    ),
    Edge(
        "ipv6 later fragment",
        six(UDP, bytes(32), extensions=[fragment6(64, False)]),
        {"udp": "not_checkable"},
    ),
    Edge(
        "ipv6 atomic fragment", six(UDP, udp(1, 2, DATA), extensions=[fragment6(0, False)]), {"udp": "right"}
    ),
    Edge(
        "routing type 0",
        six(TCP, tcp(1, 2, DATA), extensions=[routing(0, 1, LAST6)], last_stop=LAST6),
        {"tcp": "right"},
    ),
    Edge("routing used up", six(TCP, tcp(1, 2, DATA), extensions=[routing(0, 0, LAST6)]), {"tcp": "right"}),
    Edge(
        "routing type 2",
        six(TCP, tcp(1, 2, DATA), extensions=[routing(2, 1, LAST6)], last_stop=LAST6),
        {"tcp": "right"},
    ),
    Edge(
        "segment routing",
        six(UDP, udp(1, 2, DATA), extensions=[routing(4, 1, LAST6, THERE6)], last_stop=LAST6),
        {"udp": "right"},
    ),
    Edge(
        "routing type 9",
        six(UDP, udp(1, 2, DATA), extensions=[routing(9, 1, LAST6)]),
        {"udp": "not_checkable"},
    ),
    Edge("home address", FROM_HOME, {"tcp": "right"}),
    Edge("udp shorter than ip", udp_with_surplus(), {"ipv4": "right", "udp": "right"}),
    Edge("jumbogram", jumbogram(70_000), {"tcp": "right"}),
    Edge("udp length below ip", put(UDP4, 38, b"\0\x0a"), {"ipv4": "right", "udp": "wrong"}),
    Edge("udp length above ip", put(UDP4, 38, b"\0\x64"), {"ipv4": "right", "udp": "not_checkable"}),
    Edge("udp length 5", put(UDP4, 38, b"\0\x05"), {"ipv4": "right", "udp": "not_checkable"}),
    Edge("udp length 0", put(UDP4, 38, b"\0\0"), {"ipv4": "right", "udp": "not_checkable"}),
    # Without a checksum, too, a length that cannot be true comes first: there may be no such datagram.
    *(
        Edge(
            f"udp4 none, length {length}",
            put(UDP4, 38, length.to_bytes(2, "big") + b"\0\0"),
            {"ipv4": "right", "udp": "not_checkable"},
        )
        for length in (0, 7, 100)
    ),
    Edge("udp6 none, length 7", put(UDP6, 58, b"\0\7\0\0"), {"udp": "not_checkable"}),
    Edge("udp4 none, length below ip", put(UDP4, 38, b"\0\x0a\0\0"), {"ipv4": "right", "udp": "absent"}),
    Edge(
        "first fragment without checksum, length 7",
        four(UDP, put(udp(1000, 2000, DATA), 4, b"\0\7"), more_fragments=True),
        {"ipv4": "right", "udp": "not_checkable"},
    ),
    Edge("tcp4 cut off", TCP4[:-1], {"ipv4": "right", "tcp": "not_checkable"}),
    Edge("udp4 cut off", UDP4[:-1], {"ipv4": "right", "udp": "not_checkable"}),
    Edge("ipv4 length below header", total_length(TCP4, 10), {"ipv4": "right"}),
    Edge("ipv4 header length 16", put(TCP4, 14, b"\x44"), {"ipv4": "not_checkable"}),
    Edge("ipv4 version 5", put(TCP4, 14, b"\x55"), {"ipv4": "not_checkable"}),
    Edge("ipv4 header cut off", TCP4[:33], {"ipv4": "not_checkable"}),
    Edge("tcp header cut off", TCP4[:50], {"ipv4": "right", "tcp": "not_checkable"}),
    Edge("tcp header length 16", put(TCP4, 46, b"\x40"), {"ipv4": "right", "tcp": "wrong"}),
    Edge("tcp in 12 bytes of ip", total_length(TCP4, 32), {"ipv4": "right", "tcp": "not_checkable"}),
    Edge("tso, total length 0", total_length(TCP4, 0), {"ipv4": "right", "tcp": "right"}),
    Edge(
        "ip in ip",
        four(4, ipv4("10.0.0.3", "10.0.0.4", TCP, tcp(1, 2, DATA))),
        {"ipv4": "right"},
    ),
    Edge(
        "icmp error with a wrong datagram in it",
        four(ICMP, icmp(3, 1, payload=wrong_byte(UDP4)[14:])),
        {"ipv4": "right", "icmp": "right"},
    ),
    Edge("igmp", four(2, bytes(8)), {"ipv4": "right"}),
    Edge("no next header", six(Protocol.NO_NEXT_HEADER, b""), {}),
    Edge("arp", ethernet(*MAC, EtherType.ARP, build.arp(1, MAC[1], HERE4, bytes(6), THERE4)), {}),
    Edge("lldp", ethernet(*MAC, 0x88CC, bytes(46)), {}),
    Edge("ieee 802.3", ethernet(*MAC, 39, bytes(46)), {}),
    Edge("ptp", ethernet(*MAC, EtherType.PTP, build.ptp(0)), {}),
    Edge("runt", bytes(5), {}),
    Edge("nothing", b"", {}),
]
