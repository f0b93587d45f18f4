"""PTP (IEEE 1588): which frames are event messages, and what a message says.

``classify`` answers the question that a network driver asks for every frame: does this one need a timestamp?
Its values are those of the kernel's ``ptp_classify_raw`` (include/linux/ptp_classify.h). ``parse`` reads the
message itself, event or general, wherever the frame's own structure puts it. Times and corrections are
integers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from lan966x_lab.net import batch
from lan966x_lab.net.batch import BytesLike, as_bytes

__all__ = [
    "IPV4",
    "IPV6",
    "L2",
    "NONE",
    "PMASK",
    "PTP_EV_PORT",
    "PTP_GEN_BIT",
    "PTP_GEN_PORT",
    "V1",
    "V2",
    "VLAN",
    "VMASK",
    "MessageType",
    "PortIdentity",
    "PtpMessage",
    "Timestamp",
    "Tlv",
    "classify",
    "classify_batch",
    "describe",
    "locate",
    "parse",
    "parse_message",
]

# The kernel's class: version | transport | VLAN.
NONE = 0x00
V1 = 0x01
V2 = 0x02
VMASK = 0x0F
IPV4 = 0x10
IPV6 = 0x20
L2 = 0x40
PMASK = 0x70
VLAN = 0x80

PTP_EV_PORT = 319
_EV_PORT_HIGH, _EV_PORT_LOW = divmod(PTP_EV_PORT, 256)
PTP_GEN_PORT = 320
PTP_GEN_BIT = 0x08  # of the message type: set in general messages, which need no timestamp

_ETH_P_IP = 0x0800
_ETH_P_8021Q = 0x8100
_ETH_P_IPV6 = 0x86DD
_ETH_P_8021AD = 0x88A8
_ETH_P_1588 = 0x88F7
_IPPROTO_UDP = 17
_IPPROTO_FRAGMENT = 44
_IPV6_OPTIONS = (0, 43, 60)  # hop-by-hop, routing, destination: all start with (next header, length)

_REACH = 84  # octets that a class may need: Ethernet, the longest IPv4 header, UDP, version (14 + 60 + 8 + 2)

_TRANSPORTS = {IPV4: "IPv4", IPV6: "IPv6", L2: "Ethernet"}


class MessageType(IntEnum):
    """The low nibble of a message's first octet; 0 to 3 are event messages. Other values are reserved."""

    SYNC = 0x0
    DELAY_REQ = 0x1
    PDELAY_REQ = 0x2
    PDELAY_RESP = 0x3
    FOLLOW_UP = 0x8
    DELAY_RESP = 0x9
    PDELAY_RESP_FOLLOW_UP = 0xA
    ANNOUNCE = 0xB
    SIGNALING = 0xC
    MANAGEMENT = 0xD


class Timestamp(NamedTuple):
    """A point in time as PTP sends it: 48 bits of seconds, 32 bits of nanoseconds."""

    seconds: int
    nanoseconds: int


class PortIdentity(NamedTuple):
    """A port: the 64-bit identity of its clock and its 16-bit number there."""

    clock_identity: int
    port: int


class Tlv(NamedTuple):
    """An extension of a message: 16-bit type and the value as it stands."""

    type: int
    value: bytes


Value: TypeAlias = int | Timestamp | PortIdentity
_Field: TypeAlias = tuple[str, int, Callable[[bytes], Value] | None]  # name, octets, how to read (None: skip)


@dataclass(frozen=True, slots=True, kw_only=True)
class PtpMessage:
    """A PTP version 2 message. What the data ended before is ``None`` or not in ``body``."""

    message_type: int  # a MessageType, or the plain number where it is reserved
    version: int  # always 2
    minor_version: int  # 1 from version 2.1 on
    length: int | None = None  # octets, as the message says
    domain: int | None = None
    sdo_id: int | None = None  # 12 bits: major (the first nibble) and minor
    flags: int | None = None  # 16 bits; 0x0200 is the two-step flag
    correction: int | None = None  # in units of 2**-16 ns, signed
    type_specific: int | None = None
    source_port_identity: PortIdentity | None = None
    sequence: int | None = None
    control: int | None = None  # version 1's message type; senders of 2.1 leave it 0
    log_interval: int | None = None  # log2 of seconds, signed; 0x7f: not given
    body: Mapping[str, Value]  # the fields of this message type, named as in the standard
    tlvs: tuple[Tlv, ...] = ()
    truncated: str | None = None  # "truncated at octet 20 of 34, in source_port_identity"


def classify(frame: BytesLike) -> int:
    """The kernel's PTP class of an Ethernet frame: a version, a transport and perhaps ``VLAN``; or ``NONE``.

    Only event messages have a class: UDP destination port 319, or EtherType 0x88F7 with bit 3 of the message
    type clear. The traps are the kernel's own: one 802.1Q tag (0x8100) and no other; no IPv6 extension
    header; no later IPv4 fragment; the version is the low nibble of the message's second octet, whatever it
    says.
    """
    octets = frame if type(frame) is bytes else as_bytes(frame)
    try:
        ethertype, vlan = octets[12] << 8 | octets[13], 0
        if ethertype == _ETH_P_8021Q:
            octets = octets[4:]  # a tag moves every offset by 4
            ethertype, vlan = octets[12] << 8 | octets[13], VLAN
        if ethertype == _ETH_P_IP:
            if octets[23] != _IPPROTO_UDP or octets[21] or octets[20] & 0x1F:
                return NONE
            transport, port = IPV4 | vlan, 16 + 4 * (octets[14] & 0x0F)
        elif ethertype == _ETH_P_IPV6:
            if octets[20] != _IPPROTO_UDP:
                return NONE
            transport, port = IPV6 | vlan, 56
        elif ethertype == _ETH_P_1588 and not octets[14] & PTP_GEN_BIT:
            return octets[15] & VMASK | L2 | vlan
        else:
            return NONE
        if octets[port] != _EV_PORT_HIGH or octets[port + 1] != _EV_PORT_LOW:
            return NONE
        return octets[port + 7] & VMASK | transport
    except IndexError:  # a load past the end of the frame: no class
        return NONE


def classify_batch(frames: batch.Frames, lengths: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """``classify`` of every frame of a batch: (N, W) uint8 and N lengths in, N classes out.

    Pays from some hundred frames on. No octet past a frame's length makes a class.

    Raises:
        TypeError: the frames are not uint8, or the lengths are not integers.
        ValueError: shapes that do not fit, or a length outside 0..W.
    """
    ends = batch.check(frames, lengths)
    heads = frames[:, : 4 + _REACH]
    if heads.shape[1] < 4 + _REACH:  # so that every column below exists; the ends still say what counts
        heads = np.pad(heads, ((0, 0), (0, 4 + _REACH - heads.shape[1])))
    classes, ethertypes = _classify_untagged(heads, ends)
    tagged = np.flatnonzero(ethertypes == _ETH_P_8021Q)
    if tagged.size:
        found, _ = _classify_untagged(heads[tagged, 4:], ends[tagged] - 4)  # a tag moves every offset by 4
        classes[tagged] = np.where(found, found | VLAN, NONE)
    return classes


def _classify_untagged(
    heads: batch.Frames, ends: batch.Lengths
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]:
    """The classes of frames as if there were no tags, and the EtherTypes (0 where a frame is too short).

    Whole columns first: they sort out most frames. Then only the rows that are left. The version is the last
    octet that a class needs, so a frame that reaches to it holds all the others.
    """
    classes = np.zeros(len(heads), np.uint8)
    ethertypes = _half(heads, slice(None), 12)
    ethertypes[ends <= 15] = 0  # the shortest frame with a class has 16 octets

    rows = np.flatnonzero(ethertypes == _ETH_P_1588)
    rows = rows[heads[rows, 14] & PTP_GEN_BIT == 0]
    classes[rows] = heads[rows, 15] & VMASK | L2

    rows = np.flatnonzero((ethertypes == _ETH_P_IPV6) & (heads[:, 20] == _IPPROTO_UDP))
    rows = rows[(ends[rows] > 63) & (_half(heads, rows, 56) == PTP_EV_PORT)]
    classes[rows] = heads[rows, 63] & VMASK | IPV6

    rows = np.flatnonzero((ethertypes == _ETH_P_IP) & (heads[:, 23] == _IPPROTO_UDP))
    rows = rows[_half(heads, rows, 20) & 0x1FFF == 0]
    port = 16 + 4 * (heads[rows, 14] & 0x0F).astype(np.intp)
    event = (ends[rows] > port + 7) & (_half(heads, rows, port) == PTP_EV_PORT)
    classes[rows[event]] = heads[rows, port + 7][event] & VMASK | IPV4
    return classes, ethertypes


def _half(heads: batch.Frames, rows: Any, at: Any) -> npt.NDArray[np.uint16]:
    """The 16-bit word at an offset, in network order: one offset for all rows, or one for each."""
    word: npt.NDArray[np.uint16] = heads[rows, at].astype(np.uint16) << 8 | heads[rows, at + 1]
    return word


def describe(class_value: int) -> str:
    """A class in words: ``PTP v2 over IPv4, VLAN-tagged``.

    Raises:
        ValueError: no frame has this class.
    """
    if class_value == NONE:
        return "no PTP event message"
    transport = _TRANSPORTS.get(class_value & PMASK)
    if transport is None or class_value & ~(VMASK | PMASK | VLAN):
        raise ValueError(
            f"{class_value:#x} is no PTP class; a class is NONE or a version (0..15) "
            "| one of IPV4, IPV6, L2 | perhaps VLAN"
        )
    return f"PTP v{class_value & VMASK} over {transport}" + (", VLAN-tagged" if class_value & VLAN else "")


def locate(frame: BytesLike) -> tuple[int, int] | None:
    """Where the PTP message stands in an Ethernet frame, as (first octet, end); None if there is none.

    Looks further than the kernel does: event and general messages, up to two VLAN tags (0x8100, 0x88A8),
    IPv4 options, IPv6 extension headers. A UDP message ends with its datagram: Ethernet padding after it
    is outside.
    """
    octets = as_bytes(frame)
    at = 12
    try:
        ethertype = octets[at] << 8 | octets[at + 1]
        for _ in range(2):
            if ethertype in (_ETH_P_8021Q, _ETH_P_8021AD):
                at += 4
                ethertype = octets[at] << 8 | octets[at + 1]
        at += 2
        if ethertype == _ETH_P_1588:
            return at, len(octets)
        if ethertype == _ETH_P_IP:
            udp = _after_ipv4(octets, at)
        elif ethertype == _ETH_P_IPV6:
            udp = _after_ipv6(octets, at)
        else:
            return None
        if udp is None or octets[udp + 2] << 8 | octets[udp + 3] not in (PTP_EV_PORT, PTP_GEN_PORT):
            return None
        end = min(len(octets), udp + (octets[udp + 4] << 8 | octets[udp + 5]))
        return (udp + 8, end) if end >= udp + 8 else None
    except IndexError:  # cut before it could be seen what it is
        return None


def _after_ipv4(octets: bytes, ip: int) -> int | None:
    """Where UDP starts; None if this is no IPv4, not UDP, or a later fragment."""
    if octets[ip] >> 4 != 4 or octets[ip] & 0x0F < 5 or octets[ip + 9] != _IPPROTO_UDP:
        return None
    if octets[ip + 6] & 0x1F or octets[ip + 7]:
        return None
    return ip + 4 * (octets[ip] & 0x0F)


def _after_ipv6(octets: bytes, ip: int) -> int | None:
    """Where UDP starts; None if this is no IPv6, not UDP, or a later fragment."""
    if octets[ip] >> 4 != 6:
        return None
    kind, at = octets[ip + 6], ip + 40
    while kind != _IPPROTO_UDP:
        if kind in _IPV6_OPTIONS:
            size = 8 * (octets[at + 1] + 1)
        elif kind == _IPPROTO_FRAGMENT and not octets[at + 2] and not octets[at + 3] & 0xF8:
            size = 8
        else:
            return None
        kind, at = octets[at], at + size
    return at


def parse(frame: BytesLike) -> PtpMessage | None:
    """The PTP version 2 message in an Ethernet frame, or None if the frame carries none.

    Never raises on what a frame says. A message that is cut off is read as far as it goes, and ``truncated``
    tells where it ends; with fewer than two octets of it there is no version and so no message.
    A frame without a class (a general message, a second tag) may well parse.
    """
    octets = as_bytes(frame)
    found = locate(octets)
    return None if found is None else parse_message(octets[slice(*found)])


def parse_message(data: BytesLike) -> PtpMessage | None:
    """``parse`` for a message that is already out of its frame: the octets after UDP or the EtherType.

    The message ends where its own length says, if that comes first: UDP over IPv6 adds two octets.
    """
    octets = as_bytes(data)
    if len(octets) < 2 or octets[1] & VMASK != V2:
        return None
    kind, end = octets[0] & 0x0F, len(octets)
    header, at, missing = _read(octets, 2, end, _HEADER)
    body: dict[str, Any] = {}
    tlvs: list[Tlv] = []
    if missing is None:
        end = min(end, header["length"])
        body, at, missing = _read(octets, at, end, _BODIES.get(kind, ()))
    if missing is None:
        tlvs, at = _read_tlvs(octets, at, end)
        missing = None if at == header["length"] else "TLVs"
    if "sdo_id" in header:
        header["sdo_id"] |= octets[0] >> 4 << 8
    return PtpMessage(
        message_type=MessageType(kind) if kind in _BODIES else kind,
        version=octets[1] & VMASK,
        minor_version=octets[1] >> 4,
        **header,
        body=body,
        tlvs=tuple(tlvs),
        truncated=missing and f"truncated at octet {end}, in {missing}",
    )


def _read(
    octets: bytes, at: int, end: int, fields: tuple[_Field, ...]
) -> tuple[dict[str, Any], int, str | None]:
    """Read fields one after the other: their values, where reading stopped, and the field that was cut."""
    values: dict[str, Any] = {}
    for name, size, convert in fields:
        if at + size > end:
            return values, at, name
        if convert is not None:
            values[name] = convert(octets[at : at + size])
        at += size
    return values, at, None


def _read_tlvs(octets: bytes, at: int, end: int) -> tuple[list[Tlv], int]:
    """The whole TLVs, and where they stop: at the end, or before one that is cut."""
    tlvs = []
    while at + 4 <= end:
        kind, value = _unsigned(octets[at : at + 2]), at + 4
        after = value + _unsigned(octets[at + 2 : value])
        if after > end:
            break
        tlvs.append(Tlv(kind, octets[value:after]))
        at = after
    return tlvs, at


def _unsigned(octets: bytes) -> int:
    return int.from_bytes(octets, "big")


def _signed(octets: bytes) -> int:
    return int.from_bytes(octets, "big", signed=True)


def _timestamp(octets: bytes) -> Timestamp:
    return Timestamp(_unsigned(octets[:6]), _unsigned(octets[6:]))


def _port_identity(octets: bytes) -> PortIdentity:
    return PortIdentity(_unsigned(octets[:8]), _unsigned(octets[8:]))


# The messages as tables, in the order on the wire: IEEE 1588-2008 clause 13; 1588-2019 for what 2.1 renamed.
_HEADER: tuple[_Field, ...] = (  # from octet 2 on; the two octets before are nibbles
    ("length", 2, _unsigned),
    ("domain", 1, _unsigned),
    ("sdo_id", 1, _unsigned),  # the minor part
    ("flags", 2, _unsigned),
    ("correction", 8, _signed),
    ("type_specific", 4, _unsigned),
    ("source_port_identity", 10, _port_identity),
    ("sequence", 2, _unsigned),
    ("control", 1, _unsigned),
    ("log_interval", 1, _signed),
)
_ORIGIN: tuple[_Field, ...] = (("origin_timestamp", 10, _timestamp),)
_REQUESTING: _Field = ("requesting_port_identity", 10, _port_identity)
_TARGET: _Field = ("target_port_identity", 10, _port_identity)
_BODIES: Mapping[int, tuple[_Field, ...]] = {
    MessageType.SYNC: _ORIGIN,
    MessageType.DELAY_REQ: _ORIGIN,
    MessageType.PDELAY_REQ: (*_ORIGIN, ("reserved", 10, None)),
    MessageType.PDELAY_RESP: (("request_receipt_timestamp", 10, _timestamp), _REQUESTING),
    MessageType.FOLLOW_UP: (("precise_origin_timestamp", 10, _timestamp),),
    MessageType.DELAY_RESP: (("receive_timestamp", 10, _timestamp), _REQUESTING),
    MessageType.PDELAY_RESP_FOLLOW_UP: (("response_origin_timestamp", 10, _timestamp), _REQUESTING),
    MessageType.ANNOUNCE: (
        *_ORIGIN,
        ("current_utc_offset", 2, _signed),
        ("reserved", 1, None),
        ("grandmaster_priority1", 1, _unsigned),
        ("grandmaster_clock_class", 1, _unsigned),
        ("grandmaster_clock_accuracy", 1, _unsigned),
        ("grandmaster_clock_variance", 2, _unsigned),
        ("grandmaster_priority2", 1, _unsigned),
        ("grandmaster_identity", 8, _unsigned),
        ("steps_removed", 2, _unsigned),
        ("time_source", 1, _unsigned),
    ),
    MessageType.SIGNALING: (_TARGET,),
    MessageType.MANAGEMENT: (
        _TARGET,
        ("starting_boundary_hops", 1, _unsigned),
        ("boundary_hops", 1, _unsigned),
        ("action", 1, _unsigned),
        ("reserved", 1, None),
    ),
}
