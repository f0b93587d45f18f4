"""The headers of a frame as Python values, and the numbers that name them: tables, no behaviour.

The headers follow RFC 791 (IPv4), RFC 8200 (IPv6), RFC 768 (UDP), RFC 9293 (TCP), RFC 792 and RFC 4443
(ICMP), RFC 826 (ARP) and IEEE 802.1Q (VLAN tags). ``frames`` reads them, ``build`` writes them.
"""

from __future__ import annotations

from enum import IntEnum
from ipaddress import ip_address
from typing import NamedTuple, TypeAlias

__all__ = [
    "EXTENSIONS",
    "LONGEST_LENGTH",
    "TAGS",
    "TCP_FLAGS",
    "TRANSPORTS",
    "Arp",
    "EtherType",
    "Ethernet",
    "Extension",
    "IPv4",
    "IPv6",
    "Icmp",
    "Network",
    "Protocol",
    "Tcp",
    "Transport",
    "TransportKind",
    "Udp",
    "Upper",
    "Vlan",
    "address_text",
]


class EtherType(IntEnum):
    """What an Ethernet frame carries."""

    IPV4 = 0x0800
    ARP = 0x0806
    VLAN = 0x8100  # customer tag, IEEE 802.1Q
    IPV6 = 0x86DD
    SERVICE_VLAN = 0x88A8  # service tag, IEEE 802.1ad
    PTP = 0x88F7


class Protocol(IntEnum):
    """What IP carries; in IPv6 also the kinds of extension headers."""

    HOP_BY_HOP = 0
    ICMP = 1
    TCP = 6
    UDP = 17
    ROUTING = 43
    FRAGMENT = 44
    AUTHENTICATION = 51
    ICMPV6 = 58
    NO_NEXT_HEADER = 59
    DESTINATION_OPTIONS = 60
    MOBILITY = 135


class TransportKind(NamedTuple):
    """What the lab knows of a transport header."""

    name: str
    header_length: int  # bytes, without options
    checksum_at: int  # offset in the header
    pseudo_header: bool = True  # the checksum covers addresses, protocol and length as well


TAGS = (EtherType.VLAN, EtherType.SERVICE_VLAN)
LONGEST_LENGTH = 1500  # up to here the EtherType field is the length of an IEEE 802.3 frame
EXTENSIONS = {
    Protocol.HOP_BY_HOP: "hop_by_hop",
    Protocol.ROUTING: "routing",
    Protocol.FRAGMENT: "fragment",
    Protocol.AUTHENTICATION: "authentication",
    Protocol.DESTINATION_OPTIONS: "destination_options",
    Protocol.MOBILITY: "mobility",
}
TRANSPORTS: dict[tuple[int, int], TransportKind] = {  # by length of the addresses and protocol
    (4, Protocol.TCP): TransportKind("tcp", 20, 16),
    (16, Protocol.TCP): TransportKind("tcp", 20, 16),
    (4, Protocol.UDP): TransportKind("udp", 8, 6),
    (16, Protocol.UDP): TransportKind("udp", 8, 6),
    (4, Protocol.ICMP): TransportKind("icmp", 8, 2, pseudo_header=False),
    (16, Protocol.ICMPV6): TransportKind("icmpv6", 8, 2),
}
TCP_FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR")  # from bit 0 up


class Vlan(NamedTuple):
    """A VLAN tag."""

    vid: int
    priority: int = 0
    drop_eligible: bool = False
    tpid: int = EtherType.VLAN  # or SERVICE_VLAN


class Ethernet(NamedTuple):
    """The Ethernet header with its VLAN tags, the outer one first."""

    destination: bytes
    source: bytes
    tags: tuple[Vlan, ...]
    ethertype: int  # behind the tags; up to 1500 it is a length (IEEE 802.3)


class Arp(NamedTuple):
    """An ARP packet for IPv4 over Ethernet."""

    operation: int  # 1 request, 2 reply
    sender_mac: bytes
    sender_ip: bytes
    target_mac: bytes
    target_ip: bytes


class IPv4(NamedTuple):
    """An IPv4 header. Offsets and lengths are in bytes."""

    start: int
    header_length: int  # options included
    tos: int
    total_length: int  # 0 in a frame that the sender's hardware was still to cut into segments (TSO)
    identification: int
    dont_fragment: bool
    more_fragments: bool
    fragment_offset: int
    ttl: int
    protocol: int
    checksum: int
    source: bytes
    destination: bytes
    options: bytes


class Extension(NamedTuple):
    """An IPv6 extension header; ``start`` and ``length`` in bytes."""

    kind: int
    start: int
    length: int


class IPv6(NamedTuple):
    """An IPv6 header with its extension headers."""

    start: int
    traffic_class: int
    flow_label: int
    payload_length: int  # 0 in a jumbogram, whose length stands in the hop-by-hop header
    next_header: int
    hop_limit: int
    source: bytes
    destination: bytes
    extensions: tuple[Extension, ...]


class Upper(NamedTuple):
    """What the IP packet carries, as IP says it: the ground for lengths and pseudo-headers."""

    protocol: int
    start: int
    stop: int  # may lie behind the end of a frame that was cut off
    source: bytes  # of the pseudo-header: the home address, where an option gives one
    destination: bytes | None  # of the pseudo-header: the last stop of a route; None where it cannot be told
    fragment: bool  # one piece of a larger datagram


class Udp(NamedTuple):
    """A UDP header."""

    source_port: int
    destination_port: int
    length: int
    checksum: int

    def datagram_length(self, carried: int, *, first_fragment: bool = False) -> int | None:
        """Bytes of header and payload, where IP carries ``carried`` bytes; None if the field cannot be true.

        In a jumbogram the field is 0, and the datagram takes all that IP carries (RFC 2675). The first of
        several fragments carries less than the field says.
        """
        length = carried if self.length == 0 and carried > 0xFFFF else self.length
        fits = length >= 8 and (first_fragment or length <= carried)
        return length if fits else None


class Tcp(NamedTuple):
    """A TCP header."""

    source_port: int
    destination_port: int
    sequence: int
    acknowledgement: int
    header_length: int  # bytes, options included
    flags: int  # 8 bits, named by TCP_FLAGS
    window: int
    checksum: int
    urgent: int
    options: bytes


class Icmp(NamedTuple):
    """An ICMP or ICMPv6 header; the frame's ``layers`` tell which."""

    type: int
    code: int
    checksum: int
    rest: bytes  # what the type says: for an echo identification and sequence, 2 bytes each


Network: TypeAlias = Arp | IPv4 | IPv6
Transport: TypeAlias = Udp | Tcp | Icmp


def address_text(address: bytes) -> str:
    """An address for people: 6 bytes as MAC, 4 as IPv4, 16 as IPv6.

    Raises:
        ValueError: another length.
    """
    return address.hex(":") if len(address) == 6 else str(ip_address(address))
