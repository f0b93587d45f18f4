"""What ``parse`` reads from messages made octet by octet, whole and cut."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ptp_support import (
    BODIES,
    C_TAG,
    MADE,
    PORT,
    S_TAG,
    SYNC,
    TIME,
    Made,
    all_captures,
    ipv4,
    ipv6,
    l2,
    message,
    port_identity,
    timestamp,
    tlv,
    udp,
)

from lan966x_lab.net import ptp
from lan966x_lab.net.ptp import MessageType, PortIdentity, Timestamp, Tlv

ENVELOPES = {
    "Ethernet": lambda data: l2(data),
    "Ethernet, two tags": lambda data: l2(data, S_TAG + C_TAG),
    "Ethernet, padded": lambda data: l2(data).ljust(200, b"\xee"),
    "IPv4": lambda data: ipv4(udp(data)),
    "IPv4, general port, options, tag": lambda data: ipv4(udp(data, 320), C_TAG, bytes(4)),
    "IPv6": lambda data: ipv6(udp(data + b"\0\0")),
    "IPv6, general port, extension header": lambda data: ipv6(
        b"\x11" + bytes(7) + udp(data, 320), next_header=0
    ),
}
THEN = Timestamp((1 << 40) + 7, 999_999_999)
SOMEONE = PortIdentity(0x00B0AEFFFE01F00D, 513)
WANT = {  # type: (body, TLVs) of the messages in BODIES
    MessageType.SYNC: ({"origin_timestamp": THEN}, ()),
    MessageType.DELAY_REQ: ({"origin_timestamp": THEN}, ()),
    MessageType.PDELAY_REQ: ({"origin_timestamp": THEN}, ()),
    MessageType.PDELAY_RESP: (
        {"request_receipt_timestamp": THEN, "requesting_port_identity": SOMEONE},
        (),
    ),
    MessageType.FOLLOW_UP: ({"precise_origin_timestamp": THEN}, ()),
    MessageType.DELAY_RESP: ({"receive_timestamp": THEN, "requesting_port_identity": SOMEONE}, ()),
    MessageType.PDELAY_RESP_FOLLOW_UP: (
        {"response_origin_timestamp": THEN, "requesting_port_identity": SOMEONE},
        (),
    ),
    MessageType.ANNOUNCE: (
        {
            "origin_timestamp": THEN,
            "current_utc_offset": -37,
            "grandmaster_priority1": 128,
            "grandmaster_clock_class": 6,
            "grandmaster_clock_accuracy": 0x21,
            "grandmaster_clock_variance": 0x4E5D,
            "grandmaster_priority2": 129,
            "grandmaster_identity": 0x0102030405060708,
            "steps_removed": 3,
            "time_source": 0x20,
        },
        (),
    ),
    MessageType.SIGNALING: ({"target_port_identity": SOMEONE}, (Tlv(4, bytes(range(6))),)),
    MessageType.MANAGEMENT: (
        {"target_port_identity": SOMEONE, "starting_boundary_hops": 3, "boundary_hops": 2, "action": 1},
        (Tlv(1, b"\x20\x00"),),
    ),
}
# Where the standard puts the header's fields: name, first octet, octets (of the minor part for sdo_id).
OFFSETS = [
    ("length", 2, 2), ("domain", 4, 1), ("sdo_id", 5, 1), ("flags", 6, 2), ("correction", 8, 8),
    ("type_specific", 16, 4), ("source_port_identity", 20, 10), ("sequence", 30, 2), ("control", 32, 1),
    ("log_interval", 33, 1),
]  # fmt: skip


def parsed(frame: bytes) -> ptp.PtpMessage:
    found = ptp.parse(frame)
    assert found is not None
    return found


class TestWholeMessages:
    @pytest.mark.parametrize("envelope", ENVELOPES)
    @pytest.mark.parametrize("kind", MessageType)
    def test_every_type_in_every_envelope(self, kind: MessageType, envelope: str) -> None:
        data = message(kind, BODIES[kind])
        found = parsed(ENVELOPES[envelope](data))
        assert found.message_type is kind
        assert (found.body, found.tlvs) == WANT[kind]
        assert found.truncated is None
        assert found == ptp.parse_message(data)
        assert (found.version, found.minor_version, found.length) == (2, 1, len(data))
        assert (found.sequence, found.correction, found.log_interval) == (4660, -(3 << 15), -3)

    @given(st.data())
    def test_every_value_of_the_header(self, data: st.DataObject) -> None:
        kind = data.draw(st.integers(0, 15))
        bits = {
            "major_sdo": 4, "domain": 8, "minor_sdo": 8, "flags": 16, "type_specific": 32, "clock": 64,
            "port": 16, "sequence": 16, "control": 8,
        }  # fmt: skip
        values = {name: data.draw(st.integers(0, (1 << width) - 1), name) for name, width in bits.items()}
        values["correction"] = data.draw(st.integers(-(1 << 63), (1 << 63) - 1))
        values["log_interval"] = data.draw(st.integers(-128, 127))
        minor = data.draw(st.integers(0, 15))
        found = parsed(l2(message(kind, BODIES.get(kind, b""), version=minor << 4 | 2, **values)))
        assert (found.message_type, found.minor_version) == (kind, minor)
        assert found.sdo_id == values["major_sdo"] << 8 | values["minor_sdo"]
        assert found.source_port_identity == (values["clock"], values["port"])
        for name in ("domain", "flags", "type_specific", "sequence", "control", "correction", "log_interval"):
            assert getattr(found, name) == values[name]
        assert found.truncated is None

    @given(st.integers(0, (1 << 48) - 1), st.integers(0, (1 << 32) - 1), st.integers(0, (1 << 64) - 1))
    def test_every_value_of_a_time_and_a_port(self, seconds: int, nanoseconds: int, clock: int) -> None:
        body = timestamp(seconds, nanoseconds) + port_identity(clock, seconds & 0xFFFF)
        assert parsed(l2(message(9, body))).body == {
            "receive_timestamp": (seconds, nanoseconds),
            "requesting_port_identity": (clock, seconds & 0xFFFF),
        }

    @pytest.mark.parametrize("control", range(7))
    def test_the_control_byte_never_decides_the_type(self, control: int) -> None:
        for kind in MessageType:
            assert parsed(l2(message(kind, BODIES[kind], control=control))).message_type is kind

    def test_a_reserved_type_is_a_plain_number(self) -> None:
        found = parsed(l2(message(7, tlv(9, b"xy"))))
        assert found.message_type == 7
        assert not isinstance(found.message_type, MessageType)
        assert (found.body, found.tlvs, found.truncated) == ({}, (Tlv(9, b"xy"),), None)

    def test_extensions_follow_any_body(self) -> None:
        extensions = tlv(3, b"\x00\x80\xc2" + bytes(25)) + tlv(0x2004, b"") + tlv(8, b"\0\1")
        found = parsed(l2(message(8, TIME + extensions) + bytes(6)))
        assert found.tlvs == (Tlv(3, b"\x00\x80\xc2" + bytes(25)), Tlv(0x2004, b""), Tlv(8, b"\0\1"))
        assert found.truncated is None

    @pytest.mark.parametrize("made", MADE.values(), ids=MADE)
    def test_where_a_message_is_found_and_where_not(self, made: Made) -> None:
        found = ptp.parse(made.frame)
        assert (found and found.sequence) == made.sequence

    def test_any_bytes_like_object(self) -> None:
        frame = ipv4(udp(SYNC))
        for same in (bytearray(frame), memoryview(frame), np.frombuffer(frame, np.uint8)):
            assert ptp.parse(same) == ptp.parse(frame)


class TestLocate:
    def test_the_octets_of_the_datagram_and_no_padding(self) -> None:
        for name, envelope in ENVELOPES.items():
            frame = envelope(SYNC) + b"\xee" * 9
            start, end = ptp.locate(frame) or (0, 0)
            kept = frame[start:end]
            assert kept.startswith(SYNC)
            if name.startswith("Ethernet"):
                assert end == len(frame)  # there, only the message itself knows its length
            else:
                assert len(kept) == len(SYNC) + 2 * (name == "IPv6")

    @pytest.mark.parametrize(
        "frame",
        [
            ipv4(udp(SYNC)).replace(b"\x08\x00\x45", b"\x08\x00\x55"),  # IP version 5
            ipv4(udp(SYNC)).replace(b"\x08\x00\x45", b"\x08\x00\x44"),  # a header of 16 bytes
            ipv6(udp(SYNC)).replace(b"\x86\xdd\x60", b"\x86\xdd\x40"),
            ipv6(b"\x11" + bytes(7) + udp(SYNC), next_header=51),  # an authentication header is not skipped
            ipv6(b"", next_header=0) + b"\x00\xff" * 2000,  # a chain that never ends
        ],
    )
    def test_finds_nothing_in_broken_headers(self, frame: bytes) -> None:
        assert ptp.locate(frame) is None
        assert ptp.parse(frame) is None


class TestCutMessages:
    @pytest.mark.parametrize("kind", MessageType)
    def test_every_cut_says_where_and_keeps_what_came_before(self, kind: MessageType) -> None:
        data = message(kind, BODIES[kind])
        whole = parsed(l2(data))
        assert ptp.parse(l2(b"")) is None
        assert ptp.parse(l2(data[:1])) is None
        for n in range(2, len(data)):
            found = parsed(l2(data[:n]))
            assert found.truncated is not None
            assert found.truncated.startswith(f"truncated at octet {n}, in ")
            assert found.message_type is kind
            for name, at, size in OFFSETS:
                there = at + size <= n
                assert getattr(found, name) == (getattr(whole, name) if there else None)
                if at <= n < at + size:
                    assert found.truncated == f"truncated at octet {n}, in {name}"
            assert found.body.items() <= whole.body.items()
            assert found.tlvs == ()

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (SYNC[:40], "truncated at octet 40, in origin_timestamp"),
            (message(9, TIME + PORT)[:44], "truncated at octet 44, in requesting_port_identity"),
            (message(2, TIME + bytes(10))[:50], "truncated at octet 50, in reserved"),
            (message(0xC, PORT + tlv(4, b"six"))[:50], "truncated at octet 50, in TLVs"),
            (message(0xC, PORT + tlv(4, b"six"))[:46], "truncated at octet 46, in TLVs"),
            (message(0xC, PORT + tlv(4, b"six"))[:44], "truncated at octet 44, in TLVs"),
            (message(8, TIME + tlv(3, b"") + b"\0\3"), "truncated at octet 50, in TLVs"),
            (message(0, b"") + TIME, "truncated at octet 34, in origin_timestamp"),  # its own length says 34
            (message(0, b"")[:2] + b"\0\0" + SYNC[4:], "truncated at octet 0, in origin_timestamp"),
            (message(6, b"")[:2] + b"\0\x09" + SYNC[4:], "truncated at octet 9, in TLVs"),
        ],
    )
    def test_the_words(self, data: bytes, words: str) -> None:
        assert parsed(l2(data)).truncated == words

    def test_a_datagram_that_ends_inside_the_message(self) -> None:
        frame = ipv4(udp(SYNC)).replace((8 + len(SYNC)).to_bytes(2, "big") + b"\0\0", b"\0\x1c\0\0")
        assert parsed(frame).truncated == "truncated at octet 20, in source_port_identity"


def test_the_counts_of_the_captures() -> None:
    counts = {
        name: Counter(found.message_type.name for found in map(ptp.parse, frames) if found)
        for name, frames in all_captures().items()
        if name.startswith("ptp")
    }
    assert counts == {
        "ptp-l2-e2e.pcap": {"SYNC": 37, "FOLLOW_UP": 37, "DELAY_REQ": 26, "DELAY_RESP": 26, "ANNOUNCE": 19},
        "ptp-l2-p2p.pcap": {
            "SYNC": 37, "FOLLOW_UP": 37, "PDELAY_REQ": 82, "PDELAY_RESP": 82, "PDELAY_RESP_FOLLOW_UP": 82,
            "ANNOUNCE": 19,
        },
        "ptp-udp4-e2e.pcap": {"SYNC": 36, "FOLLOW_UP": 36, "DELAY_REQ": 33, "DELAY_RESP": 33, "ANNOUNCE": 19},
        "ptp-udp6-e2e.pcap": {"SYNC": 37, "FOLLOW_UP": 37, "DELAY_REQ": 29, "DELAY_RESP": 29, "ANNOUNCE": 19},
    }  # fmt: skip
