"""Frames put together: bytes decided by hand, scapy as second opinion, and what goes in comes out again."""

import struct
from typing import Any

import pytest
from edge_frames import HERE4, HERE6, MAC, THERE4, THERE6
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.net import build, frames, ptp, verdicts
from lan966x_lab.net.build import arp, ethernet, fcs, fragments, icmp, ipv4, ipv6, tcp, udp
from lan966x_lab.net.frames import EtherType, Protocol, Vlan
from lan966x_lab.net.ptp import MessageType

words = st.integers(0, 0xFFFF)
octet = st.integers(0, 0xFF)
payloads = st.binary(max_size=40)


def options(most: int = 40) -> st.SearchStrategy[bytes]:
    return st.binary(max_size=most).map(lambda data: data[: len(data) // 4 * 4])


def test_a_frame_byte_by_byte() -> None:
    frame = ethernet("ff:ff:ff:ff:ff:ff", MAC[1], EtherType.ARP, arp(1, MAC[1], HERE4, bytes(6), THERE4))
    assert frame.hex() == (
        "ffffffffffff" "020000000001" "0806" "0001" "0800" "06" "04" "0001"
        "020000000001" "0a000001" "000000000000" "0a000002" + "00" * 18
    )  # fmt: skip


def test_tags_stand_outer_first() -> None:
    tags = [Vlan(5, priority=7, drop_eligible=True, tpid=EtherType.SERVICE_VLAN), Vlan(6)]
    assert ethernet(bytes(6), bytes(6), 0x1234, tags=tags)[12:22].hex() == "88a8f005810000061234"


def test_padding() -> None:
    assert len(ethernet(*MAC, 0x1234)) == 60
    assert ethernet(*MAC, 0x1234, b"x", pad=b"\x55")[14:] == b"x" + b"\x55" * 45
    assert len(ethernet(*MAC, 0x1234, minimum=0)) == 14
    assert len(ethernet(*MAC, 0x1234, bytes(100))) == 114


def test_fcs_is_the_one_on_the_wire() -> None:
    """A CRC-32 over a frame with its FCS leaves the residue that every Ethernet receiver looks for."""
    frame = ethernet(*MAC, 0x1234)
    assert fcs(frame + fcs(frame)) == (0x2144DF1C).to_bytes(4, "little")
    assert fcs(b"123456789") == (0xCBF43926).to_bytes(4, "little")  # the check value of CRC-32


@pytest.mark.parametrize(
    ("fill", "pack", "protocol", "expected"),
    [
        ("partial", "4", Protocol.UDP, 0x0A00 + 1 + 0x0A00 + 2 + 17 + 8),
        ("partial", "4", Protocol.ICMP, 0),
        ("zero", "4", Protocol.UDP, 0),
        ("partial", "6", Protocol.TCP, 2 * 0xFD00 - 0xFFFF + 1 + 2 + 6 + 20),
        ("zero", "6", Protocol.TCP, 0),
    ],
)
def test_fill_checksum(fill: build.Fill, pack: str, protocol: int, expected: int) -> None:
    transport = {Protocol.UDP: udp(1, 2), Protocol.TCP: tcp(1, 2), Protocol.ICMP: icmp(8)}[Protocol(protocol)]
    kind = frames.TRANSPORTS[(4 if pack == "4" else 16, protocol)]
    if pack == "4":
        packet = ipv4(HERE4, THERE4, protocol, transport, fill_checksum=fill)
    else:
        packet = ipv6(HERE6, THERE6, protocol, transport, fill_checksum=fill)
    at = len(packet) - len(transport) + kind.checksum_at
    assert int.from_bytes(packet[at : at + 2], "big") == expected


def test_other_payloads_stay_as_they_are() -> None:
    assert ipv4(HERE4, THERE4, 50, b"short")[20:] == b"short"
    assert ipv6(HERE6, THERE6, 50, b"short")[40:] == b"short"
    assert ipv4(HERE4, THERE4, Protocol.TCP, b"piece", fragment_offset=8)[20:] == b"piece"
    extension = (Protocol.FRAGMENT, struct.pack(">BBHI", 0, 0, 8, 7))
    assert ipv6(HERE6, THERE6, Protocol.TCP, b"piece", extensions=[extension])[48:] == b"piece"


@given(payload=st.binary(max_size=300), mtu=st.integers(28, 200))
def test_fragments_are_the_datagram_again(payload: bytes, mtu: int) -> None:
    packet = ipv4(HERE4, THERE4, Protocol.UDP, udp(1, 2, payload), identification=7, ttl=3, tos=9)
    pieces = [frames.parse(ethernet(*MAC, EtherType.IPV4, piece)) for piece in fragments(packet, mtu)]
    joined = bytearray(len(packet) - 20)
    for frame in pieces:
        ip = frame.network
        assert isinstance(ip, frames.IPv4)
        assert (ip.identification, ip.ttl, ip.tos) == (7, 3, 9)
        assert ip.total_length <= mtu
        assert verdicts.check(frame)["ipv4"].verdict is verdicts.Verdict.RIGHT
        start = ip.start + ip.header_length
        piece = frame.octets[start : ip.start + ip.total_length]
        joined[ip.fragment_offset : ip.fragment_offset + len(piece)] = piece
        assert ip.more_fragments == (frame is not pieces[-1])
    assert joined == packet[20:]


@given(st.data())
def test_ipv4_and_its_payloads_are_parsed_again(data: st.DataObject) -> None:
    draw = data.draw
    header = {
        "tos": draw(octet),
        "identification": draw(words),
        "dont_fragment": draw(st.booleans()),
        "ttl": draw(octet),
        "options": draw(options()),
    }
    source, destination = draw(st.binary(min_size=4, max_size=4)), draw(st.binary(min_size=4, max_size=4))
    payload, ports = draw(payloads), (draw(words), draw(words))
    tags = tuple(
        Vlan(*draw(st.tuples(st.integers(0, 4095), st.integers(0, 7), st.booleans())))
        for _ in range(draw(st.integers(0, 2)))
    )
    packet = ipv4(source, destination, Protocol.UDP, udp(*ports, payload), **header)
    frame = frames.parse(ethernet(*MAC, EtherType.IPV4, packet, tags=tags))
    assert frame.stopped is None
    assert frame.ethernet == frames.Ethernet(
        bytes.fromhex("020000000002"), bytes.fromhex("020000000001"), tags, 0x0800
    )
    assert frame.layers[: 3 + len(tags)] == ("ethernet", *["vlan"] * len(tags), "ipv4", "udp")
    ip = frame.network
    assert isinstance(ip, frames.IPv4)
    assert {name: getattr(ip, name) for name in header} == header
    assert (ip.source, ip.destination, ip.protocol) == (source, destination, 17)
    assert isinstance(frame.transport, frames.Udp)
    assert (frame.transport.source_port, frame.transport.destination_port) == ports
    assert frame.payload == payload
    assert frame.padding == bytes(max(0, 60 - 14 - 4 * len(tags) - len(packet)))


@given(st.data())
def test_ipv6_and_tcp_are_parsed_again(data: st.DataObject) -> None:
    draw = data.draw
    header = {
        "traffic_class": draw(octet),
        "flow_label": draw(st.integers(0, 0xFFFFF)),
        "hop_limit": draw(octet),
    }
    segment = {
        "sequence": draw(st.integers(0, 0xFFFF_FFFF)),
        "acknowledgement": draw(st.integers(0, 0xFFFF_FFFF)),
        "flags": draw(octet),
        "window": draw(words),
        "urgent": draw(words),
        "options": draw(options()),
    }
    payload = draw(payloads)
    kinds = draw(st.lists(st.sampled_from([0, 60, 135]), max_size=3))
    extensions = [(kind, bytes([0, 0, 1, 4, 0, 0, 0, 0])) for kind in kinds]
    packet = ipv6(HERE6, THERE6, Protocol.TCP, tcp(1, 2, payload, **segment), extensions=extensions, **header)
    frame = frames.parse(ethernet(*MAC, EtherType.IPV6, packet))
    ip, transport = frame.network, frame.transport
    assert isinstance(ip, frames.IPv6)
    assert isinstance(transport, frames.Tcp)
    assert {name: getattr(ip, name) for name in header} == header
    assert {name: getattr(transport, name) for name in segment} == segment
    assert [(extension.kind, extension.length) for extension in ip.extensions] == [
        (kind, 8) for kind in kinds
    ]
    assert frame.payload == payload
    assert verdicts.check(frame)["tcp"].verdict is verdicts.Verdict.RIGHT


@given(st.sampled_from(MessageType), st.data())
def test_ptp_is_parsed_again(kind: MessageType, data: st.DataObject) -> None:
    draw = data.draw
    fields: dict[str, Any] = {
        "domain": draw(octet),
        "sdo_id": draw(st.integers(0, 0xFFF)),
        "flags": draw(words),
        "correction": draw(st.integers(-(1 << 63), (1 << 63) - 1)),
        "minor_version": draw(st.integers(0, 15)),
        "control": draw(octet),
        "log_interval": draw(st.integers(-128, 127)),
    }
    sequence, clock, port = draw(words), draw(st.integers(0, (1 << 64) - 1)), draw(words)
    message = build.ptp(kind, sequence, tlvs=b"\0\3\0\2ab", clock_identity=clock, port=port, **fields)
    for frame in (
        ethernet(*MAC, EtherType.PTP, message),
        ethernet(*MAC, EtherType.IPV4, ipv4(HERE4, THERE4, Protocol.UDP, udp(319, 320, message))),
    ):
        parsed = frames.parse(frame)
        found = parsed.ptp
        assert found is not None
        assert parsed.layers[-1] == "ptp"
        assert parsed.payload == message
        assert (found.message_type, found.sequence, found.truncated) == (kind, sequence, None)
        assert found.source_port_identity == ptp.PortIdentity(clock, port)
        assert {name: getattr(found, name) for name in fields} == fields
        assert found.tlvs == (ptp.Tlv(3, b"ab"),)


def test_scapy_builds_the_same() -> None:
    scapy = pytest.importorskip("scapy.all")
    inet6 = pytest.importorskip("scapy.layers.inet6")
    head = scapy.Ether(dst=MAC[0], src=MAC[1])
    four, six = scapy.IP(src=HERE4, dst=THERE4), scapy.IPv6(src=HERE6, dst=THERE6)
    push = scapy.TCP(sport=1, dport=2, flags="PA", window=100)
    options = inet6.IPv6ExtHdrDestOpt(options=[inet6.PadN(optdata=bytes(4))])
    pairs = [
        (
            ipv4(HERE4, THERE4, 17, udp(53, 54, b"odd"), identification=1),
            four / scapy.UDP(sport=53, dport=54) / b"odd",
        ),
        (
            ipv4(
                HERE4,
                THERE4,
                6,
                tcp(1, 2, b"x", flags=0x18, window=100),
                identification=1,
                dont_fragment=True,
            ),
            scapy.IP(src=HERE4, dst=THERE4, flags="DF") / push / b"x",
        ),
        (
            ipv4(HERE4, THERE4, 1, icmp(8, 0, b"\0\7\0\1", b"ping"), identification=1),
            four / scapy.ICMP(type=8, id=7, seq=1) / b"ping",
        ),
        (
            ipv6(HERE6, THERE6, 58, icmp(128, 0, b"\0\7\0\1", b"ping")),
            six / inet6.ICMPv6EchoRequest(id=7, seq=1, data=b"ping"),
        ),
        (
            ipv6(HERE6, THERE6, 17, udp(53, 54), extensions=[(60, bytes([0, 0, 1, 4, 0, 0, 0, 0]))]),
            six / options / scapy.UDP(sport=53, dport=54),
        ),
    ]
    for ours, theirs in pairs:
        ethertype = EtherType.IPV4 if ours[0] >> 4 == 4 else EtherType.IPV6
        assert ethernet(*MAC, ethertype, ours, minimum=0) == bytes(head / theirs)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: ethernet("02:00", MAC[1], 0x800), "'02:00' is no Ethernet address"),
        (lambda: ethernet("wrong", MAC[1], 0x800), "'wrong' is no Ethernet address"),
        (lambda: ethernet(bytes(5), MAC[1], 0x800), "is no Ethernet address"),
        (lambda: ethernet(*MAC, 65536), r"ethertype is 65536: allowed 0 to 65535"),
        (lambda: ethernet(*MAC, 0, tags=[Vlan(4096)]), r"vid is 4096: allowed 0 to 4095"),
        (lambda: ethernet(*MAC, 0, tags=[Vlan(1, 8)]), r"priority is 8: allowed 0 to 7"),
        (lambda: ethernet(*MAC, 0, tags=[Vlan(1, tpid=-1)]), "tpid is -1"),
        (lambda: ipv4("10.0.0", THERE4, 6, b""), "10.0.0"),
        (lambda: ipv4(bytes(5), THERE4, 6, b""), "is no address of 4 bytes"),
        (lambda: ipv4(HERE4, THERE4, 256, b""), "protocol is 256"),
        (lambda: ipv4(HERE4, THERE4, 6, b"short"), "a tcp header has 20 bytes, the payload 5"),
        (lambda: ipv4(HERE4, THERE4, 4, b"", ttl=300), "ttl is 300"),
        (lambda: ipv4(HERE4, THERE4, 4, b"", options=b"abc"), r"0, 4, 8 \.\. 40 bytes long, not 3"),
        (lambda: ipv4(HERE4, THERE4, 4, b"", options=bytes(44)), r"0, 4, 8 \.\. 40 bytes long, not 44"),
        (lambda: ipv4(HERE4, THERE4, 4, b"", fragment_offset=7), "fragment_offset 7 must be a multiple of 8"),
        (lambda: ipv4(HERE4, THERE4, 4, b"", fragment_offset=1 << 16), "fragment_offset is 65536"),
        (lambda: ipv4(HERE4, THERE4, 4, bytes(65516)), "total length is 65536"),
        (
            lambda: ipv4(HERE4, THERE4, 17, udp(1, 2), fill_checksum="half"),
            "right, partial or zero, not 'half'",
        ),
        (lambda: ipv6(HERE6, THERE6, 17, udp(1, 2), flow_label=1 << 20), "flow_label is 1048576"),
        (lambda: ipv6(HERE6, THERE6, 4, bytes(65536)), "payload length is 65536"),
        (lambda: ipv6(HERE6, THERE6, 4, b"", extensions=[(0, bytes(7))]), r"has 8, 12, 16 \.\. bytes, not 7"),
        (lambda: udp(1, 65536), "destination_port is 65536"),
        (lambda: udp(1, 2, bytes(65528)), "length is 65536"),
        (lambda: tcp(1, 2, sequence=1 << 32), "sequence is 4294967296"),
        (lambda: tcp(1, 2, options=b"abc"), r"TCP options must be 0, 4, 8 \.\. 40 bytes long, not 3"),
        (lambda: icmp(8, rest=b""), "the rest of an ICMP header has 4 bytes, not 0"),
        (lambda: build.ptp(MessageType.SYNC, correction=1 << 63), "correction is 9223372036854775808"),
        (lambda: build.ptp(MessageType.SYNC, log_interval=128), r"128: allowed -128 to 127"),
        (lambda: fragments(b"\x46" + bytes(23), 100), "starts with 45, not with 46"),
        (lambda: fragments(b"", 100), "not with nothing"),
        (lambda: fragments(ipv4(HERE4, THERE4, 4, b""), 27), "mtu is 27: allowed 28 or more"),
    ],
)
def test_refusals(call: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        call()
