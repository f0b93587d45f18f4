"""Ethernet frames, both ways: ``parse`` takes one apart, the builders put one together.

    packet = ipv4("10.0.0.1", "10.0.0.2", Protocol.UDP, udp(4000, 5000, b"hello"))
    frame = ethernet("02:00:00:00:00:02", "02:00:00:00:00:01", EtherType.IPV4, packet)
    parse(frame).transport

This is the door; the work is done in ``net.parse`` and ``net.build``, on the values of ``net.headers``.
"""

from lan966x_lab.net.build import (
    Address,
    Fill,
    arp,
    ethernet,
    fcs,
    fragments,
    icmp,
    ipv4,
    ipv6,
    ptp,
    tcp,
    udp,
)
from lan966x_lab.net.headers import (
    TCP_FLAGS,
    TRANSPORTS,
    Arp,
    Ethernet,
    EtherType,
    Extension,
    Icmp,
    IPv4,
    IPv6,
    Protocol,
    Tcp,
    TransportKind,
    Udp,
    Upper,
    Vlan,
    address_text,
)
from lan966x_lab.net.parse import Frame, Stop, parse

__all__ = [
    "TCP_FLAGS",
    "TRANSPORTS",
    "Address",
    "Arp",
    "EtherType",
    "Ethernet",
    "Extension",
    "Fill",
    "Frame",
    "IPv4",
    "IPv6",
    "Icmp",
    "Protocol",
    "Stop",
    "Tcp",
    "TransportKind",
    "Udp",
    "Upper",
    "Vlan",
    "address_text",
    "arp",
    "ethernet",
    "fcs",
    "fragments",
    "icmp",
    "ipv4",
    "ipv6",
    "parse",
    "ptp",
    "tcp",
    "udp",
]
