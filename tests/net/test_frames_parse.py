"""Frames taken apart: where parts begin and end, where reading stops and why; scapy as second opinion."""

from typing import Any

import pytest
from edge_frames import (
    DATA,
    ECHO4,
    ECHO6,
    EDGES,
    HERE4,
    MAC,
    TCP4,
    TCP6,
    THERE4,
    UDP4,
    UDP6,
    four,
    put,
    short,
    six,
)

from lan966x_lab import data_path
from lan966x_lab.net import build, captures, frames, ptp
from lan966x_lab.net.build import ethernet, ipv4, tcp, udp
from lan966x_lab.net.frames import EtherType, Protocol, Stop, Vlan, address_text, parse

BY_NAME = {edge.name: edge.frame for edge in EDGES}
HOP_BY_HOP = (Protocol.HOP_BY_HOP, bytes([0, 0, 5, 2, 0, 0, 1, 0]))  # with the router alert that MLD sends


# Our names of numbers, and scapy's.
PORTS = {"source_port": "sport", "destination_port": "dport", "checksum": "chksum"}
SCAPY = {
    "IP": {
        "tos": "tos",
        "total_length": "len",
        "identification": "id",
        "ttl": "ttl",
        "protocol": "proto",
        "checksum": "chksum",
    },
    "IPv6": {
        "traffic_class": "tc",
        "flow_label": "fl",
        "payload_length": "plen",
        "next_header": "nh",
        "hop_limit": "hlim",
    },
    "TCP": {**PORTS, "sequence": "seq", "acknowledgement": "ack", "window": "window", "urgent": "urgptr"},
    "UDP": {**PORTS, "length": "len"},
    "ICMP": {"type": "type", "code": "code", "checksum": "chksum"},
}


def capture_frames() -> list[bytes]:
    paths = sorted(data_path("captures").glob("*.pcap"))
    return [frame for path in paths for frame in captures.read(path).frames]


@pytest.mark.parametrize(
    ("frame", "layers"),
    [
        (UDP4, ("ethernet", "ipv4", "udp")),
        (TCP6, ("ethernet", "ipv6", "tcp")),
        (ECHO4, ("ethernet", "ipv4", "icmp")),
        (ECHO6, ("ethernet", "ipv6", "icmpv6")),
        (BY_NAME["one tag"], ("ethernet", "vlan", "ipv4", "tcp")),
        (BY_NAME["two tags"], ("ethernet", "vlan", "vlan", "ipv6", "udp")),
        (BY_NAME["arp"], ("ethernet", "arp")),
        (BY_NAME["ptp"], ("ethernet", "ptp")),
        (BY_NAME["lldp"], ("ethernet",)),
        (BY_NAME["igmp"], ("ethernet", "ipv4")),
        (BY_NAME["routing type 0"], ("ethernet", "ipv6", "routing", "tcp")),
        (BY_NAME["ipv6 later fragment"], ("ethernet", "ipv6", "fragment")),
        (BY_NAME["ipv6 atomic fragment"], ("ethernet", "ipv6", "fragment", "udp")),
        (six(58, build.icmp(143), extensions=[HOP_BY_HOP]), ("ethernet", "ipv6", "hop_by_hop", "icmpv6")),
        (four(17, udp(1, 320, build.ptp(ptp.MessageType.FOLLOW_UP))), ("ethernet", "ipv4", "udp", "ptp")),
        (b"", ()),
    ],
    ids=short,
)
def test_layers(frame: bytes, layers: tuple[str, ...]) -> None:
    assert parse(frame).layers == layers


def test_an_ipv4_header_in_full() -> None:
    frame = parse(four(4, DATA, tos=1, identification=2, dont_fragment=True, ttl=3, options=b"\1" * 4))
    assert frame.network == frames.IPv4(
        start=14,
        header_length=24,
        tos=1,
        total_length=24 + len(DATA),
        identification=2,
        dont_fragment=True,
        more_fragments=False,
        fragment_offset=0,
        ttl=3,
        protocol=4,
        checksum=int.from_bytes(frame.octets[24:26], "big"),
        source=bytes([10, 0, 0, 1]),
        destination=bytes([10, 0, 0, 2]),
        options=b"\1" * 4,
    )
    assert frame.upper == frames.Upper(
        4, 38, 38 + len(DATA), bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]), fragment=False
    )
    assert frame.payload == DATA


def test_icmp_and_arp_in_full() -> None:
    assert parse(ECHO4).transport == frames.Icmp(8, 0, int.from_bytes(ECHO4[36:38], "big"), b"\0\7\0\1")
    mac, ip = bytes.fromhex("020000000001"), bytes([10, 0, 0, 1])
    assert parse(BY_NAME["arp"]).network == frames.Arp(1, mac, ip, bytes(6), bytes([10, 0, 0, 2]))


@pytest.mark.parametrize(
    ("frame", "payload", "padding"),
    [
        (UDP4 + b"pad", DATA, b"pad"),
        (UDP6 + b"pad", DATA, b"pad"),
        (TCP4.ljust(80, b" "), DATA, b" " * (80 - len(TCP4))),
        (four(6, tcp(1, 2)).ljust(60, b"\x55"), b"", b"\x55" * 6),
        (BY_NAME["arp"], b"", bytes(18)),
        (BY_NAME["ptp"], build.ptp(ptp.MessageType.SYNC), bytes(2)),
        (ethernet(*MAC, 3, b"abc"), b"abc", bytes(43)),
        (put(UDP4, 38, b"\0\x0a") + b"pad", DATA[:2], b"pad"),  # UDP ends before IP does: no Ethernet padding
        (BY_NAME["tso, total length 0"], DATA, b""),
        (ethernet(*MAC, 0x88CC, b"unknown", minimum=0), b"unknown", b""),
        (BY_NAME["later fragment"], bytes(40), b""),
    ],
    ids=short,
)
def test_padding_is_no_payload(frame: bytes, payload: bytes, padding: bytes) -> None:
    parsed = parse(frame)
    assert (parsed.payload, parsed.padding, parsed.fcs) == (payload, padding, b"")
    with_fcs = parse(frame + b"FCS!", fcs_length=4)
    assert (with_fcs.payload, with_fcs.padding, with_fcs.fcs) == (payload, padding, b"FCS!")
    assert with_fcs.stopped == parsed.stopped


def test_everything_is_an_fcs_where_it_must_be() -> None:
    assert parse(b"abc", fcs_length=4) == frames.Frame(
        b"abc",
        (),
        None,
        None,
        None,
        None,
        None,
        b"",
        b"",
        b"abc",
        Stop(0, "Ethernet header cut off: 0 of 14 bytes"),
    )
    with pytest.raises(ValueError, match="fcs_length is -1"):
        parse(b"", -1)


@pytest.mark.parametrize(
    ("frame", "stop"),
    [
        (UDP4, None),
        (BY_NAME["no next header"], None),
        (BY_NAME["ptp"], None),
        (UDP4[:13], Stop(0, "Ethernet header cut off: 13 of 14 bytes")),
        (BY_NAME["two tags"][:17], Stop(12, "VLAN tag cut off: 5 of 6 bytes")),
        (UDP4[:33], Stop(14, "IPv4 header cut off: 19 of 20 bytes")),
        (put(UDP4, 14, b"\x65"), Stop(14, "IP version 6 where EtherType says 4")),
        (put(UDP6, 14, b"\x45"), Stop(14, "IP version 4 where EtherType says 6")),
        (put(UDP4, 14, b"\x44"), Stop(14, "IPv4 header length 16, at least 20 bytes are needed")),
        (four(4, b"", options=bytes(8))[:-1], Stop(14, "IPv4 options cut off: 27 of 28 bytes")),
        (
            BY_NAME["ipv4 length below header"],
            Stop(34, "IPv4 total length 10, the header alone has 20 bytes"),
        ),
        (UDP4[:41], Stop(34, "udp header cut off: 7 of 8 bytes")),
        (UDP4[:-1], Stop(len(UDP4) - 1, "cut off: 18 of 19 bytes that IP carries")),
        (BY_NAME["udp length above ip"], Stop(34, "UDP length 100, IP carries 19 bytes")),
        (BY_NAME["udp length 5"], Stop(34, "UDP length 5, IP carries 19 bytes")),
        (put(TCP4, 46, b"\x40"), Stop(34, "TCP header length 16, at least 20 bytes are needed")),
        (put(TCP4, 46, b"\xf0"), Stop(34, "TCP options cut off: 31 of 60 bytes")),
        (BY_NAME["later fragment"], Stop(34, "a later fragment: the datagram from byte 1480 on")),
        (BY_NAME["ipv6 later fragment"], Stop(62, "a later fragment: the datagram from byte 64 on")),
        (BY_NAME["first fragment"], None),
        (BY_NAME["igmp"], Stop(34, "IP protocol 2, which the lab does not read")),
        (UDP6[:53], Stop(14, "IPv6 header cut off: 39 of 40 bytes")),
        (BY_NAME["lldp"], Stop(14, "EtherType 0x88cc, which the lab does not read")),
        (BY_NAME["ieee 802.3"], Stop(14, "an IEEE 802.3 frame of 39 bytes, which the lab does not read")),
        (BY_NAME["arp"][:41], Stop(14, "ARP packet cut off: 27 of 28 bytes")),
        (
            put(BY_NAME["arp"], 14, b"\0\6"),
            Stop(14, "ARP for other addresses than Ethernet and IPv4 (00 06 08 00 06 04)"),
        ),
        (BY_NAME["ptp"][:17], Stop(14, "PTP header cut off: 3 of 4 bytes")),
        (
            six(58, build.icmp(143), extensions=[HOP_BY_HOP])[:61],
            Stop(54, "IPv6 hop-by-hop header cut off: 7 of 8 bytes"),
        ),
        (
            BY_NAME["routing type 0"][:77],
            Stop(54, "IPv6 routing header cut off: 23 of 24 bytes"),
        ),
        (
            put(BY_NAME["home address"], 55, b"\xff"),
            Stop(54, f"IPv6 destination-options header cut off: {24 + 20 + 11} of 2048 bytes"),
        ),
    ],
    ids=short,
)
def test_where_and_why_reading_stops(frame: bytes, stop: Stop | None) -> None:
    assert parse(frame).stopped == stop


def test_a_stop_reads_as_a_sentence() -> None:
    assert str(parse(UDP4[:33]).stopped) == "byte 14: IPv4 header cut off: 19 of 20 bytes"


def test_what_was_read_before_the_stop_is_there() -> None:
    cut = parse(TCP4[:60])
    whole = parse(TCP4)
    assert (cut.ethernet, cut.network, cut.transport) == (whole.ethernet, whole.network, whole.transport)
    assert cut.payload == DATA[:6]
    bogus = parse(put(TCP4, 46, b"\x40"))
    assert isinstance(bogus.transport, frames.Tcp)
    assert bogus.transport.header_length == 16
    half = parse(four(4, b"", options=b"\1" * 8)[:38])
    assert isinstance(half.network, frames.IPv4)
    assert half.network.options == b"\1" * 4


def test_any_number_of_tags() -> None:
    tags = [Vlan(n) for n in range(5)]
    frame = parse(ethernet(*MAC, EtherType.IPV4, UDP4[14:], tags=tags))
    assert frame.ethernet is not None
    assert frame.ethernet.tags == tuple(tags)
    assert frame.layers == ("ethernet", *["vlan"] * 5, "ipv4", "udp")
    assert frame.ptp is None


def test_extension_headers() -> None:
    authentication = (Protocol.AUTHENTICATION, bytes([0, 4, *bytes(22)]))  # counts in 4 bytes, less 2
    frame = parse(six(17, udp(1, 2, DATA), extensions=[HOP_BY_HOP, authentication]))
    assert isinstance(frame.network, frames.IPv6)
    assert frame.network.extensions == (frames.Extension(0, 54, 8), frames.Extension(51, 62, 24))
    assert frame.layers == ("ethernet", "ipv6", "hop_by_hop", "authentication", "udp")
    assert frame.payload == DATA


def test_a_jumbogram() -> None:
    frame = parse(BY_NAME["jumbogram"])
    assert frame.upper is not None
    assert frame.upper.stop - frame.upper.start == 70_000
    assert len(frame.payload) == 70_000 - 20
    assert frames.Udp(1, 2, 0, 0).datagram_length(70_000) == 70_000
    assert frames.Udp(1, 2, 0, 0).datagram_length(0xFFFF) is None


def test_bytes_like_input() -> None:
    assert parse(bytearray(UDP4)) == parse(memoryview(UDP4)) == parse(UDP4)


def test_the_repr_does_not_print_the_frame_twice() -> None:
    assert "octets" not in repr(parse(UDP4))


@pytest.mark.parametrize(
    ("address", "text"),
    [
        (bytes(range(6)), "00:01:02:03:04:05"),
        (bytes([10, 0, 0, 1]), "10.0.0.1"),
        (bytes([0xFD, *bytes(14), 1]), "fd00::1"),
    ],
)
def test_address_text(address: bytes, text: str) -> None:
    assert address_text(address) == text


def test_address_text_refuses_other_lengths() -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        address_text(bytes(5))


def test_ptp_is_what_ptp_parse_says() -> None:
    for frame in capture_frames():
        parsed = parse(frame)
        assert parsed.ptp == ptp.parse(frame)
        assert ("ptp" in parsed.layers) == (parsed.ptp is not None)


def test_capture_frames_as_scapy_reads_them() -> None:
    scapy = pytest.importorskip("scapy.all")
    inet6 = pytest.importorskip("scapy.layers.inet6")
    compared = 0
    for octets in capture_frames():
        frame, theirs = parse(octets), scapy.Ether(octets)
        for header, kind in (
            (frame.network, "IP"),
            (frame.network, "IPv6"),
            (frame.transport, "TCP"),
            (frame.transport, "UDP"),
            (frame.transport, "ICMP"),
        ):
            names = SCAPY[kind]
            if getattr(scapy, kind) in theirs:
                other: Any = theirs[getattr(scapy, kind)]
                assert {name: getattr(header, name) for name in names} == {
                    name: int(getattr(other, field)) for name, field in names.items()
                }
                compared += 1
        if scapy.TCP in theirs and isinstance(frame.transport, frames.Tcp):
            assert frame.transport.flags == int(theirs[scapy.TCP].flags)
            assert frame.payload == bytes(theirs[scapy.TCP].payload)
        if inet6.IPv6ExtHdrFragment in theirs:
            assert isinstance(frame.network, frames.IPv6)
            assert [extension.kind for extension in frame.network.extensions] == [Protocol.FRAGMENT]
    assert compared > 2500


def test_the_example_of_the_documentation() -> None:
    packet = ipv4(HERE4, THERE4, Protocol.UDP, udp(4000, 5000, b"hello"))
    frame = parse(ethernet("02:00:00:00:00:02", "02:00:00:00:00:01", EtherType.IPV4, packet))
    assert isinstance(frame.transport, frames.Udp)
    assert (frame.transport.destination_port, frame.payload, len(frame.padding)) == (5000, b"hello", 13)
