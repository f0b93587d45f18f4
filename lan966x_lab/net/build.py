"""Build frames: small functions that put a header before a payload, to be nested from the outside in.

    packet = ipv4("10.0.0.1", "10.0.0.2", Protocol.UDP, udp(4000, 5000, b"hello"))
    frame = ethernet("02:00:00:00:00:02", "02:00:00:00:00:01", EtherType.IPV4, packet)

Lengths are filled in on the way. IP fills in the checksum of what it carries, because only IP knows the
addresses. Payloads, options and addresses may be any bytes-like objects. ``parse`` goes the other way;
``frames`` offers both.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address
from typing import Literal, TypeAlias

from lan966x_lab.net import checksum
from lan966x_lab.net.batch import BytesLike, as_bytes, integer
from lan966x_lab.net.headers import TRANSPORTS, Protocol, Vlan
from lan966x_lab.net.ptp import MessageType

__all__ = [
    "Address",
    "Fill",
    "arp",
    "ethernet",
    "fcs",
    "fragments",
    "icmp",
    "ipv4",
    "ipv6",
    "ptp",
    "tcp",
    "udp",
]

Address: TypeAlias = str | BytesLike  # in words or as it stands in the frame
Fill: TypeAlias = Literal["right", "partial", "zero"]
"""What stands in the checksum field of a transport header.

``right``: the checksum. ``partial``: the folded sum of the pseudo-header, as Linux leaves it for hardware
that completes it (CHECKSUM_PARTIAL). ``zero``: nothing; in UDP over IPv4 that says "no checksum".
"""

PTP_BODY_LENGTHS = {  # bytes behind the header, without TLVs; IEEE 1588-2008 clause 13
    MessageType.SYNC: 10,
    MessageType.DELAY_REQ: 10,
    MessageType.PDELAY_REQ: 20,
    MessageType.PDELAY_RESP: 20,
    MessageType.FOLLOW_UP: 10,
    MessageType.DELAY_RESP: 20,
    MessageType.PDELAY_RESP_FOLLOW_UP: 20,
    MessageType.ANNOUNCE: 30,
    MessageType.SIGNALING: 10,
    MessageType.MANAGEMENT: 14,
}


def ethernet(
    destination: Address,
    source: Address,
    ethertype: int,
    payload: BytesLike = b"",
    *,
    tags: Sequence[Vlan] = (),
    minimum: int = 60,
    pad: BytesLike = b"\0",
) -> bytes:
    """An Ethernet frame without FCS, padded with the byte ``pad`` to a ``minimum`` length; tags outer first.

    Raises:
        ValueError: an address or a number that does not fit.
    """
    head = _mac(destination) + _mac(source)
    for tag in tags:
        tci = _fit("priority", tag.priority, 3) << 13 | tag.drop_eligible << 12 | _fit("vid", tag.vid, 12)
        head += _word("tpid", tag.tpid) + _word("tci", tci)
    return (head + _word("ethertype", ethertype) + as_bytes(payload)).ljust(minimum, as_bytes(pad))


def fcs(frame: BytesLike) -> bytes:
    """The frame check sequence to append: CRC-32, 4 bytes, as Ethernet sends them."""
    return zlib.crc32(as_bytes(frame)).to_bytes(4, "little")


def arp(
    operation: int, sender_mac: Address, sender_ip: Address, target_mac: Address, target_ip: Address
) -> bytes:
    """An ARP packet for IPv4 over Ethernet; operation 1 asks, 2 answers."""
    return (
        b"\x00\x01\x08\x00\x06\x04"
        + _word("operation", operation)
        + _mac(sender_mac)
        + _ip(sender_ip, 4)
        + _mac(target_mac)
        + _ip(target_ip, 4)
    )


def ipv4(
    source: Address,
    destination: Address,
    protocol: int,
    payload: BytesLike,
    *,
    fill_checksum: Fill = "right",
    tos: int = 0,
    identification: int = 0,
    dont_fragment: bool = False,
    more_fragments: bool = False,
    fragment_offset: int = 0,
    ttl: int = 64,
    options: BytesLike = b"",
) -> bytes:
    """An IPv4 packet with a right header checksum.

    A payload that starts with a TCP, UDP or ICMP header gets its checksum filled in, unless the packet is a
    fragment. ICMP has no pseudo-header: there ``partial`` is 0. ``fragment_offset`` counts bytes.

    Raises:
        ValueError: an address or a number that does not fit, a payload shorter than its header.
    """
    here, there = _ip(source, 4), _ip(destination, 4)
    payload, options = as_bytes(payload), as_bytes(options)
    if len(options) % 4 or len(options) > 40:
        raise ValueError(f"IPv4 options must be 0, 4, 8 .. 40 bytes long, not {len(options)}")
    if fragment_offset % 8:
        raise ValueError(f"fragment_offset {fragment_offset} must be a multiple of 8 bytes")
    _fit("fragment_offset", fragment_offset, 16)
    if not (more_fragments or fragment_offset):
        payload = _filled(here, there, protocol, payload, fill_checksum)
    header_length = 20 + len(options)
    header = (
        bytes([0x40 | header_length // 4, _fit("tos", tos, 8)])
        + _word("total length", header_length + len(payload))
        + _word("identification", identification)
        + _word("fragment field", dont_fragment << 14 | more_fragments << 13 | fragment_offset // 8)
        + bytes([_fit("ttl", ttl, 8), _fit("protocol", protocol, 8)])
    )
    total = checksum.ones_sum(header + here + there + options)
    return header + _word("checksum", total ^ 0xFFFF) + here + there + options + payload


def fragments(packet: BytesLike, mtu: int) -> list[bytes]:
    """Cut an IPv4 packet without options into packets of at most ``mtu`` bytes, as a router does (RFC 791).

    Raises:
        ValueError: the packet has options, or is no IPv4 packet; the mtu is below 28.
    """
    packet, mtu = as_bytes(packet), integer("mtu", mtu, "28 or more")
    if packet[:1] != b"\x45":
        raise ValueError(
            f"an IPv4 packet without options starts with 45, not with {packet[:1].hex() or 'nothing'}"
        )
    step = (mtu - 20) // 8 * 8
    if step < 8:
        raise ValueError(f"mtu is {mtu}: allowed 28 or more; less carries no fragment")
    payload = packet[20:]
    if len(packet) <= mtu:
        return [packet]
    return [
        ipv4(
            packet[12:16],
            packet[16:20],
            packet[9],
            payload[offset : offset + step],
            tos=packet[1],
            identification=int.from_bytes(packet[4:6], "big"),
            more_fragments=offset + step < len(payload),
            fragment_offset=offset,
            ttl=packet[8],
        )
        for offset in range(0, len(payload), step)
    ]


def ipv6(
    source: Address,
    destination: Address,
    next_header: int,
    payload: BytesLike,
    *,
    fill_checksum: Fill = "right",
    extensions: Sequence[tuple[int, BytesLike]] = (),
    last_stop: Address | None = None,
    traffic_class: int = 0,
    flow_label: int = 0,
    hop_limit: int = 64,
) -> bytes:
    """An IPv6 packet. A payload that starts with a TCP, UDP or ICMPv6 header gets its checksum filled in.

    Args:
        source: 16 bytes, or in words.
        destination: where the packet goes next.
        next_header: the kind of the payload; the header's own field names the first extension, if any.
        payload: what follows the extension headers.
        fill_checksum: how, see ``Fill``; in a fragment nothing is filled in.
        extensions: (kind, header) pairs in order; a header is a multiple of 4 bytes, and its first byte, the
            kind of what follows, is filled in.
        last_stop: the destination that the pseudo-header counts, where a routing header leads on; else the
            destination.
        traffic_class: 8 bits.
        flow_label: 20 bits.
        hop_limit: 8 bits.

    Raises:
        ValueError: an address or a number that does not fit, a payload shorter than its header.
    """
    here, there = _ip(source, 16), _ip(destination, 16)
    goal = there if last_stop is None else _ip(last_stop, 16)
    payload = as_bytes(payload)
    headers = [(kind, as_bytes(header)) for kind, header in extensions]
    if not any(kind == Protocol.FRAGMENT and header[2:4] != b"\0\0" for kind, header in headers):
        payload = _filled(here, goal, next_header, payload, fill_checksum)
    following = next_header
    for kind, header in reversed(headers):
        if len(header) < 8 or len(header) % 4:
            raise ValueError(f"an extension header has 8, 12, 16 .. bytes, not {len(header)}")
        payload = bytes([_fit("next_header", following, 8)]) + header[1:] + payload
        following = kind
    first = 6 << 28 | _fit("traffic_class", traffic_class, 8) << 20 | _fit("flow_label", flow_label, 20)
    return (
        first.to_bytes(4, "big")
        + _word("payload length", len(payload))
        + bytes([_fit("next_header", following, 8), _fit("hop_limit", hop_limit, 8)])
        + here
        + there
        + payload
    )


def udp(source_port: int, destination_port: int, payload: BytesLike = b"") -> bytes:
    """A UDP datagram; its checksum is 0 until IP fills it in."""
    payload = as_bytes(payload)
    words = {
        "source_port": source_port,
        "destination_port": destination_port,
        "length": 8 + len(payload),
        "checksum": 0,
    }
    return b"".join(_word(name, value) for name, value in words.items()) + payload


def tcp(
    source_port: int,
    destination_port: int,
    payload: BytesLike = b"",
    *,
    sequence: int = 0,
    acknowledgement: int = 0,
    flags: int = 0x10,
    window: int = 0xFFFF,
    urgent: int = 0,
    options: BytesLike = b"",
) -> bytes:
    """A TCP segment, by default with ACK set; its checksum is 0 until IP fills it in.

    ``frames.TCP_FLAGS`` names the flags.
    """
    options = as_bytes(options)
    if len(options) % 4 or len(options) > 40:
        raise ValueError(f"TCP options must be 0, 4, 8 .. 40 bytes long, not {len(options)}")
    return (
        _word("source_port", source_port)
        + _word("destination_port", destination_port)
        + _fit("sequence", sequence, 32).to_bytes(4, "big")
        + _fit("acknowledgement", acknowledgement, 32).to_bytes(4, "big")
        + bytes([(20 + len(options)) // 4 << 4, _fit("flags", flags, 8)])
        + _word("window", window)
        + b"\0\0"
        + _word("urgent", urgent)
        + options
        + as_bytes(payload)
    )


def icmp(kind: int, code: int = 0, rest: BytesLike = bytes(4), payload: BytesLike = b"") -> bytes:
    """An ICMP or ICMPv6 message; its checksum is 0 until IP fills it in.

    ``rest``: 4 bytes whose meaning depends on the type; in an echo they are identification and sequence.
    """
    rest = as_bytes(rest)
    if len(rest) != 4:
        raise ValueError(f"the rest of an ICMP header has 4 bytes, not {len(rest)}")
    return bytes([_fit("kind", kind, 8), _fit("code", code, 8), 0, 0]) + rest + as_bytes(payload)


def ptp(
    message_type: MessageType,
    sequence: int = 0,
    body: BytesLike | None = None,
    *,
    tlvs: BytesLike = b"",
    minor_version: int = 0,
    sdo_id: int = 0,
    domain: int = 0,
    flags: int = 0,
    correction: int = 0,
    clock_identity: int = 0,
    port: int = 1,
    control: int = 0,
    log_interval: int = 0,
) -> bytes:
    """A PTP version 2 message; the body, if not given, is zero and as long as the type wants.

    A reserved type wants none.

    ``correction`` is in units of 2**-16 ns and signed. ``control`` is 0 as version 2.1 sends it.
    """
    body = bytes(PTP_BODY_LENGTHS.get(message_type, 0)) if body is None else as_bytes(body)
    tlvs = as_bytes(tlvs)
    return (
        bytes(
            [
                _fit("sdo_id", sdo_id, 12) >> 8 << 4 | _fit("message_type", message_type, 4),
                _fit("minor_version", minor_version, 4) << 4 | 2,
            ]
        )
        + _word("message length", 34 + len(body) + len(tlvs))
        + bytes([_fit("domain", domain, 8), sdo_id & 0xFF])
        + _word("flags", flags)
        + (_fit("correction", correction, 64, signed=True) & 0xFFFF_FFFF_FFFF_FFFF).to_bytes(8, "big")
        + bytes(4)
        + _fit("clock_identity", clock_identity, 64).to_bytes(8, "big")
        + _word("port", port)
        + _word("sequence", sequence)
        + bytes([_fit("control", control, 8), _fit("log_interval", log_interval, 8, signed=True) & 0xFF])
        + body
        + tlvs
    )


def _filled(source: bytes, destination: bytes, protocol: int, payload: bytes, fill: Fill) -> bytes:
    """The payload with its checksum, if it is of a protocol that has one."""
    if fill not in ("right", "partial", "zero"):
        raise ValueError(f"fill_checksum must be right, partial or zero, not {fill!r}")
    kind = TRANSPORTS.get((len(source), protocol))
    if kind is None:
        return payload
    if len(payload) < kind.header_length:
        raise ValueError(f"a {kind.name} header has {kind.header_length} bytes, the payload {len(payload)}")
    before, after = payload[: kind.checksum_at], payload[kind.checksum_at + 2 :]
    pseudo_sum = 0
    if kind.pseudo_header:
        pseudo_sum = checksum.pseudo_header_sum(source, destination, protocol, len(payload))
    if fill == "right":
        compute = checksum.udp_checksum if kind.name == "udp" else checksum.internet_checksum
        value = compute(before + b"\0\0" + after, pseudo_sum)
    else:
        value = pseudo_sum if fill == "partial" else 0
    return before + _word("checksum", value) + after


def _fit(name: str, value: int, bits: int, *, signed: bool = False) -> int:
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    allowed = f"{low} to {high}"
    number = integer(name, value, allowed)
    if not low <= number <= high:
        raise ValueError(f"{name} is {number}: allowed {allowed}")
    return number


def _word(name: str, value: int) -> bytes:
    return _fit(name, value, 16).to_bytes(2, "big")


def _mac(address: Address) -> bytes:
    try:
        octets = bytes.fromhex(address.replace(":", "")) if isinstance(address, str) else as_bytes(address)
    except ValueError:
        octets = b""
    if len(octets) != 6:
        raise ValueError(f"{address!r} is no Ethernet address; write 02:00:00:00:00:01, or give 6 bytes")
    return octets


def _ip(address: Address, length: int) -> bytes:
    if isinstance(address, str):
        return (IPv4Address if length == 4 else IPv6Address)(address).packed
    octets = as_bytes(address)
    if len(octets) != length:
        raise ValueError(f"{address!r} is no address of {length} bytes")
    return octets
