"""Octets in any kind of buffer mean the same to all of ``net``; what is none is refused by name."""

import array
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lan966x_lab.net import batch, captures, checksum, frames, ptp

MAC = "02:00:00:00:00:02", "02:00:00:00:00:01"
DATA = bytes(range(0xC8, 0xF8))  # 48 bytes: whole words, and sums that overflow in 8 bits
EVENT = frames.ethernet(*MAC, 0x88F7, frames.ptp(ptp.MessageType.SYNC, sequence=0xFEFF))


def with_gaps(data: bytes) -> np.ndarray:
    room = np.zeros(2 * len(data), np.uint8)
    room[::2] = np.frombuffer(data, np.uint8)
    return room[::2]


KINDS: dict[str, Callable[[bytes], Any]] = {
    "bytearray": bytearray,
    "memoryview": memoryview,
    "memoryview of words": lambda data: memoryview(data).cast("I"),
    "memoryview backwards": lambda data: memoryview(data[::-1])[::-1],
    "array": lambda data: array.array("H", data),
    "numpy bytes": lambda data: np.frombuffer(data, np.uint8),
    "numpy words": lambda data: np.frombuffer(data, np.uint16),
    "numpy table": lambda data: np.frombuffer(data, np.uint8).reshape(-1, 4),
    "numpy with gaps": with_gaps,
}

#: What takes octets, each as a function of one piece of data whose length is a multiple of 4.
TAKERS: dict[str, Callable[[Any], Any]] = {
    "ones_sum": checksum.ones_sum,
    "internet_checksum": checksum.internet_checksum,
    "udp_checksum": checksum.udp_checksum,
    "word_by_word": lambda data: list(checksum.word_by_word(data)),
    **{f"way, {name}": way for name, way in checksum.WAYS.items()},
    "stack": lambda data: [part.tolist() for part in batch.stack([data, DATA])],
    "classify": ptp.classify,
    "locate": ptp.locate,
    "ptp.parse": ptp.parse,
    "parse_message": ptp.parse_message,
    "frames.parse": frames.parse,
    "fcs": frames.fcs,
    "ethernet": lambda data: frames.ethernet(*MAC, 0x88B5, data),
    "ipv4": lambda data: frames.ipv4("10.0.0.1", "10.0.0.2", 17, data),
    "ipv6": lambda data: frames.ipv6("fe80::1", "fe80::2", 6, data),
    "ipv6 extension": lambda data: frames.ipv6("fe80::1", "fe80::2", 59, b"", extensions=[(60, data)]),
    "udp": lambda data: frames.udp(1, 2, data),
    "tcp": lambda data: frames.tcp(1, 2, data),
    "icmp": lambda data: frames.icmp(8, payload=data),
    "ptp body": lambda data: frames.ptp(ptp.MessageType.SYNC, body=data, tlvs=data),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("taker", TAKERS)
def test_the_kind_of_buffer_makes_no_difference(taker: str, kind: str) -> None:
    for data in (DATA, EVENT):
        assert TAKERS[taker](KINDS[kind](data)) == TAKERS[taker](data)


@pytest.mark.parametrize("kind", KINDS)
def test_addresses_options_and_packets(kind: str) -> None:
    make = KINDS[kind]
    here, there = bytes(range(4)), bytes(range(0xF0, 0xF4))
    assert checksum.pseudo_header_sum(make(here), make(there), 17, 8) == checksum.pseudo_header_sum(
        here, there, 17, 8
    )
    assert frames.ipv4(make(here), make(there), 99, b"", options=make(bytes(8))) == frames.ipv4(
        here, there, 99, b"", options=bytes(8)
    )
    packet = frames.ipv4(here, there, 99, DATA)
    assert frames.fragments(make(packet), 40) == frames.fragments(packet, 40)
    assert frames.icmp(8, rest=make(here)) == frames.icmp(8, rest=here)
    assert frames.tcp(1, 2, options=make(bytes(8))) == frames.tcp(1, 2, options=bytes(8))


def test_a_hardware_address_in_any_buffer() -> None:
    mac = bytes.fromhex("020000000001")
    for address in (mac, bytearray(mac), np.frombuffer(mac, np.uint8), memoryview(mac).cast("H")):
        assert frames.ethernet(address, address, 0x88B5)[:12] == 2 * mac
    with pytest.raises(TypeError, match=r"not 6 \(int\)"):
        frames.ethernet(6, mac, 0x88B5)  # type: ignore[arg-type]


def test_a_word_that_is_no_integer_is_refused_in_full() -> None:
    with pytest.raises(
        TypeError, match=r"source_port is 1\.5 \(float\): allowed 0 to 65535; give a whole number"
    ):
        frames.udp(1.5, 2)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"message_type is 17: allowed 0 to 15"):
        frames.ptp(17)  # type: ignore[arg-type]
    tag = frames.Vlan(np.uint8(5), np.uint8(7))  # type: ignore[arg-type]
    assert frames.ethernet(*MAC, 0x88B5, tags=[tag])[14:16] == b"\xe0\x05"


@pytest.mark.parametrize("wrong", ["00ff", [1, 2], 7, None, np.array([None, 1])], ids=type)
@pytest.mark.parametrize("taker", TAKERS)
def test_what_is_no_buffer_is_refused_by_name(taker: str, wrong: object) -> None:
    kind = type(wrong).__name__
    if taker == "ptp body" and wrong is None:
        return  # the body that the type wants
    with pytest.raises(TypeError, match=rf"bytes-like .* \({kind}\); make bytes of it"):
        TAKERS[taker](wrong)


@pytest.mark.parametrize(
    ("given", "times", "said"),
    [
        (
            [DATA],
            [1.5],
            r"the time of frame 1 is 1\.5 \(float\): allowed 0 to \d+ ns since 1970; give a whole number$",
        ),
        ([DATA, DATA], [1, "2"], r"the time of frame 2 is '2' \(str\): allowed 0 to"),
        (["a"], [1], r"frame 1: a bytes-like object is needed .* not 'a' \(str\); make bytes of it"),
        ([DATA, 7], [1, 2], r"frame 2: a bytes-like object is needed .* not 7 \(int\)"),
    ],
)
def test_a_capture_says_which_frame_is_none(tmp_path, given, times, said) -> None:
    path = tmp_path / "new.pcap"
    with pytest.raises(TypeError, match=said):
        captures.write(path, given, times)
    assert not path.exists()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: checksum.ones_sum(b"", 1.5), r"start is 1\.5 \(float\): allowed 0 or more; give"),
        (lambda: checksum.fold("1"), r"a sum of words is '1' \(str\)"),
        (lambda: checksum.combine(1, None, 2), r"right is None \(NoneType\): allowed 0 to 0xffff"),
        (lambda: checksum.remove(1, 2, 3.0), r"offset is 3\.0 \(float\)"),
        (lambda: checksum.update(0, b"", 1), r"old is b'' \(bytes\)"),
        (lambda: checksum.pseudo_header_sum(bytes(4), bytes(4), 17, 8.5), r"length is 8\.5 \(float\)"),
        (lambda: frames.parse(b"", 1.5), r"fcs_length is 1\.5 \(float\).* 0 or more, mostly 0 or 4"),
        (lambda: frames.fragments(b"E", "x"), r"mtu is 'x' \(str\).* 28 or more"),
    ],
)
def test_what_is_no_integer_is_refused_in_full(call, said) -> None:
    with pytest.raises(TypeError, match=said):
        call()


def test_a_negative_start_is_refused_even_where_the_data_outweighs_it() -> None:
    with pytest.raises(ValueError, match="start is -5: allowed 0 or more"):
        checksum.ones_sum(b"\0\x0a", -5)
