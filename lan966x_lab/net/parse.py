"""Read an Ethernet frame: its headers, what they carry, and what is only padding.

``parse`` takes any bytes. A frame that is cut off, malformed, or of a kind that the lab does not read gives
what can be read up to there, and ``Frame.stopped`` says where and why. Nothing that a frame says makes it
raise, and its time grows with the frame's length only. ``build`` goes the other way.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

from lan966x_lab.net import ptp
from lan966x_lab.net.batch import BytesLike, as_bytes, integer
from lan966x_lab.net.headers import (
    EXTENSIONS,
    LONGEST_LENGTH,
    TAGS,
    TRANSPORTS,
    Arp,
    Ethernet,
    EtherType,
    Extension,
    Icmp,
    IPv4,
    IPv6,
    Network,
    Protocol,
    Tcp,
    Transport,
    Udp,
    Upper,
    Vlan,
)

__all__ = ["Frame", "Stop", "parse"]


class Stop(NamedTuple):
    """Where reading ended before everything was read, as an offset in the frame, and why."""

    offset: int
    reason: str

    def __str__(self) -> str:
        return f"byte {self.offset}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Frame:
    """What ``parse`` read. A part that is not there, or could not be read, is ``None``."""

    octets: bytes = field(repr=False)
    layers: tuple[str, ...]  # the headers in their order: ("ethernet", "vlan", "ipv4", "udp", "ptp")
    ethernet: Ethernet | None
    network: Network | None
    upper: Upper | None
    transport: Transport | None
    ptp: ptp.PtpMessage | None
    payload: bytes  # what the innermost header that was read carries
    padding: bytes  # what the frame holds behind the packet, without the FCS
    fcs: bytes
    stopped: Stop | None  # None: everything was read


def parse(frame: BytesLike, fcs_length: int = 0) -> Frame:
    """Read a frame that starts with the destination address.

    Args:
        frame: any bytes-like object of any length.
        fcs_length: bytes of frame check sequence at its end; captures mostly have none.

    Raises:
        ValueError: ``fcs_length`` is negative.
        TypeError: it is no integer, or the frame is not bytes-like.
    """
    fcs_length = integer("fcs_length", fcs_length, "0 or more, mostly 0 or 4")
    if fcs_length < 0:
        raise ValueError(f"fcs_length is {fcs_length}: allowed 0 or more, mostly 0 or 4")
    walk = _Walk(as_bytes(frame), fcs_length)
    walk.read_ethernet()
    return walk.result()


class _Walk:
    """One way through a frame, from the outside in: each method reads one header and goes on to the next."""

    def __init__(self, octets: bytes, fcs_length: int) -> None:
        self.octets = octets
        self.end = max(0, len(octets) - fcs_length)  # of what was captured
        self.at = 0  # the next byte to read
        self.stop = self.end  # of the innermost payload
        self.packet_stop = self.end  # of the packet: padding follows
        self.layers: list[str] = []
        self.ethernet: Ethernet | None = None
        self.network: Network | None = None
        self.upper: Upper | None = None
        self.transport: Transport | None = None
        self.stopped: Stop | None = None

    def result(self) -> Frame:
        message = ptp.parse(self.octets[: self.end])
        if message is not None:
            self.layers.append("ptp")
        return Frame(
            octets=self.octets,
            layers=tuple(self.layers),
            ethernet=self.ethernet,
            network=self.network,
            upper=self.upper,
            transport=self.transport,
            ptp=message,
            payload=self.octets[self.at : self.stop],
            padding=self.octets[self.packet_stop : self.end],
            fcs=self.octets[self.end :],
            stopped=self.stopped,
        )

    def halt(self, reason: str) -> None:
        """Note where reading ends; the first reason counts."""
        self.stopped = self.stopped or Stop(self.at, reason)

    def lacks(self, count: int, header: str) -> bool:
        """Whether fewer than ``count`` bytes are left for a header; then reading ends."""
        left = self.stop - self.at
        if left < count:
            self.halt(f"{header} cut off: {left} of {count} bytes")
        return left < count

    def limit(self, stop: int) -> None:
        """The packet ends here, says its header; a frame that was cut off ends before."""
        self.stop = self.packet_stop = min(stop, self.end)

    # -- link layer

    def read_ethernet(self) -> None:
        if self.lacks(14, "Ethernet header"):
            return
        octets, at, tags = self.octets, 12, []
        ethertype = octets[12] << 8 | octets[13]
        while ethertype in TAGS:
            if self.end - at < 6:
                self.at = at
                self.halt(f"VLAN tag cut off: {self.end - at} of 6 bytes")
                break
            tci = octets[at + 2] << 8 | octets[at + 3]
            tags.append(Vlan(tci & 0xFFF, tci >> 13, bool(tci & 0x1000), ethertype))
            at += 4
            ethertype = octets[at] << 8 | octets[at + 1]
        self.ethernet = Ethernet(octets[:6], octets[6:12], tuple(tags), ethertype)
        self.layers += ["ethernet", *["vlan"] * len(tags)]
        self.at = at + 2
        if self.stopped is None:
            self.read_network(ethertype)

    def read_network(self, ethertype: int) -> None:
        if ethertype == EtherType.IPV4:
            self.read_ipv4()
        elif ethertype == EtherType.IPV6:
            self.read_ipv6()
        elif ethertype == EtherType.ARP:
            self.read_arp()
        elif ethertype == EtherType.PTP:
            self.limit_ptp()
        elif ethertype <= LONGEST_LENGTH:
            self.limit(self.at + ethertype)
            self.halt(f"an IEEE 802.3 frame of {ethertype} bytes, which the lab does not read")
        else:
            self.halt(f"EtherType {ethertype:#06x}, which the lab does not read")

    def limit_ptp(self) -> None:
        """A PTP message over Ethernet ends where its own length says; ``ptp.parse`` reads it."""
        if self.lacks(4, "PTP header"):
            return
        length = self.octets[self.at + 2] << 8 | self.octets[self.at + 3]
        if length >= 4:
            self.limit(self.at + length)

    def read_arp(self) -> None:
        if self.lacks(28, "ARP packet"):
            return
        head = self.octets[self.at : self.at + 6]
        if head != b"\x00\x01\x08\x00\x06\x04":
            self.halt(f"ARP for other addresses than Ethernet and IPv4 ({head.hex(' ')})")
            return
        self.network = Arp(*struct.unpack_from(">H6s4s6s4s", self.octets, self.at + 6))
        self.layers.append("arp")
        self.at += 28
        self.limit(self.at)

    # -- network layer

    def read_ipv4(self) -> None:
        if self.lacks(20, "IPv4 header"):
            return
        start, octets = self.at, self.octets
        first, tos, total, ident, flags, ttl, protocol, checksum, source, destination = _IPV4.unpack_from(
            octets, start
        )
        header_length = 4 * (first & 0x0F)
        if first >> 4 != 4:
            self.halt(f"IP version {first >> 4} where EtherType says 4")
            return
        if header_length < 20:
            self.halt(f"IPv4 header length {header_length}, at least 20 bytes are needed")
            return
        more, offset = bool(flags & 0x2000), 8 * (flags & 0x1FFF)
        options = octets[start + 20 : min(start + header_length, self.end)]
        self.network = IPv4(
            start, header_length, tos, total, ident, bool(flags & 0x4000), more, offset,
            ttl, protocol, checksum, source, destination, options,
        )  # fmt: skip
        self.layers.append("ipv4")
        if self.lacks(header_length, "IPv4 options"):
            self.at = self.end
            return
        self.at += header_length
        if total and total < header_length:
            self.halt(f"IPv4 total length {total}, the header alone has {header_length} bytes")
            return
        # Total length 0: the sender's hardware was to fill it in (TSO). The frame's end is all there is.
        stop = start + total if total else self.end
        self.read_upper(Upper(protocol, self.at, stop, source, destination, more or offset > 0), offset)

    def read_ipv6(self) -> None:
        if self.lacks(40, "IPv6 header"):
            return
        start, octets = self.at, self.octets
        first, length, next_header, hop_limit, source, destination = _IPV6.unpack_from(octets, start)
        if first >> 28 != 6:
            self.halt(f"IP version {first >> 28} where EtherType says 6")
            return
        self.at += 40
        stop = self.at + (length or self.jumbo_length(next_header))
        self.limit(stop)
        kind, extensions, offset, fragment = next_header, [], 0, False
        home, goal = source, destination
        while kind in EXTENSIONS and not offset:
            extension = self.extension(kind)
            if extension is None:
                break
            extensions.append(extension)
            body = octets[self.at : self.at + extension.length]
            if kind == Protocol.FRAGMENT:
                offset = (body[2] << 8 | body[3]) & 0xFFF8
                fragment |= offset > 0 or bool(body[3] & 1)
            elif kind == Protocol.ROUTING:
                goal = _last_stop(body, goal)
            elif kind == Protocol.DESTINATION_OPTIONS:
                home = _option(body, _HOME_ADDRESS, 16) or home
            kind = body[0]
            self.at += extension.length
        self.network = IPv6(
            start, first >> 20 & 0xFF, first & 0xFFFFF, length, next_header, hop_limit,
            source, destination, tuple(extensions),
        )  # fmt: skip
        self.layers += ["ipv6", *(EXTENSIONS[Protocol(extension.kind)] for extension in extensions)]
        if self.stopped is None:
            self.read_upper(Upper(kind, self.at, stop, home, goal, fragment), offset)

    def jumbo_length(self, next_header: int) -> int:
        """The payload length of a jumbogram, from its hop-by-hop header (RFC 2675); 0 if this is none."""
        if next_header != Protocol.HOP_BY_HOP or self.end - self.at < 8:
            return 0
        body = self.octets[self.at : min(self.end, self.at + 8 * (self.octets[self.at + 1] + 1))]
        return int.from_bytes(_option(body, _JUMBO, 4))

    def extension(self, kind: int) -> Extension | None:
        header = f"IPv6 {EXTENSIONS[Protocol(kind)].replace('_', '-')} header"
        if self.lacks(8, header):
            return None
        units = self.octets[self.at + 1]
        if kind == Protocol.FRAGMENT:
            length = 8
        elif kind == Protocol.AUTHENTICATION:
            length = 4 * (units + 2)
        else:
            length = 8 * (units + 1)
        return None if self.lacks(length, header) else Extension(kind, self.at, length)

    # -- transport layer

    def read_upper(self, upper: Upper, offset: int) -> None:
        self.upper = upper
        self.limit(upper.stop)
        kind = TRANSPORTS.get((len(upper.source), upper.protocol))
        if offset:
            self.halt(f"a later fragment: the datagram from byte {offset} on")
        elif kind is not None and not self.lacks(kind.header_length, f"{kind.name} header"):
            self.layers.append(kind.name)
            _READERS[kind.name](self, upper)
        elif upper.protocol != Protocol.NO_NEXT_HEADER:
            self.halt(f"IP protocol {upper.protocol}, which the lab does not read")
        if upper.stop > self.end and self.stopped is None:
            there, claimed = self.end - upper.start, upper.stop - upper.start
            self.stopped = Stop(self.end, f"cut off: {there} of {claimed} bytes that IP carries")

    def read_udp(self, upper: Upper) -> None:
        udp = Udp(*struct.unpack_from(">4H", self.octets, self.at))
        self.transport = udp
        carried = upper.stop - self.at
        length = udp.datagram_length(carried, first_fragment=upper.fragment)
        if length is None:
            self.halt(f"UDP length {udp.length}, IP carries {carried} bytes")
        else:
            self.stop = min(self.stop, self.at + length)
        self.at += 8

    def read_tcp(self, _: Upper) -> None:
        start, octets = self.at, self.octets
        source_port, destination_port, sequence, acknowledgement, offset, flags, window, checksum, urgent = (
            _TCP.unpack_from(octets, start)
        )
        header_length = offset >> 4 << 2
        options = octets[start + 20 : min(start + header_length, self.stop)]
        self.transport = Tcp(
            source_port, destination_port, sequence, acknowledgement, header_length, flags,
            window, checksum, urgent, options,
        )  # fmt: skip
        if header_length < 20:
            self.halt(f"TCP header length {header_length}, at least 20 bytes are needed")
        elif not self.lacks(header_length, "TCP options"):
            self.at += header_length

    def read_icmp(self, _: Upper) -> None:
        self.transport = Icmp(*struct.unpack_from(">BBH4s", self.octets, self.at))
        self.at += 8


_IPV4 = struct.Struct(">BBHHHBBH4s4s")
_IPV6 = struct.Struct(">IHBB16s16s")
_TCP = struct.Struct(">HHIIBBHHH")
_JUMBO = 0xC2  # hop-by-hop option, RFC 2675
_HOME_ADDRESS = 0xC9  # destination option, RFC 6275: the pseudo-header counts it as the source
_READERS = {"tcp": _Walk.read_tcp, "udp": _Walk.read_udp, "icmp": _Walk.read_icmp, "icmpv6": _Walk.read_icmp}


def _option(body: bytes, wanted: int, length: int) -> bytes:
    """The value of an option in a hop-by-hop or destination header, if it has this length; else b""."""
    at = 2
    while at + 2 <= len(body):
        if body[at] == 0:  # Pad1, one byte
            at += 1
            continue
        value = body[at + 2 : at + 2 + body[at + 1]]
        if body[at] == wanted and len(value) == length:
            return value
        at += 2 + body[at + 1]
    return b""


def _last_stop(routing: bytes, destination: bytes | None) -> bytes | None:
    """Where a packet with this routing header ends its way, which is what its pseudo-header counts.

    Types 0 (RFC 2460) and 2 (RFC 6275) list the last stop last, type 4 (RFC 8754) lists it first. In other
    types it cannot be told: None.
    """
    kind, segments_left = routing[2], routing[3]
    if segments_left == 0:
        return destination
    if len(routing) < 24 or kind not in (0, 2, 4):
        return None
    return routing[8:24] if kind == 4 else routing[-16:]
