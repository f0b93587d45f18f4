"""For the PTP tests: a maker of frames, and a second classifier that works in another way.

The second classifier is a machine for classic BPF, the language in which the kernel's classifier is written,
with a program assembled from the published conditions. A load past the end ends the program with 0, as there.
"""

import struct
from functools import cache
from typing import NamedTuple

import dpkt

from lan966x_lab import data_path
from lan966x_lab.net import captures

MACS = bytes.fromhex("011b19000000 020000000001")
C_TAG, S_TAG = bytes.fromhex("81000001"), bytes.fromhex("88a80002")


@cache
def capture(name: str) -> tuple[bytes, ...]:
    return tuple(captures.read(data_path("captures", name)).frames)


@cache
def all_captures() -> dict[str, tuple[bytes, ...]]:
    return {path.name: capture(path.name) for path in sorted(data_path("captures").glob("*.pcap"))}


def header(kind: int, length: int, **changes: int) -> bytes:
    values = {
        "major_sdo": 0, "version": 0x12, "domain": 24, "minor_sdo": 0, "flags": 0x0200,
        "correction": -(3 << 15),
        "type_specific": 0, "clock": 0x020000FFFE000001, "port": 1, "sequence": 4660, "control": 0,
        "log_interval": -3,
    } | changes  # fmt: skip
    return struct.pack(
        ">BBHBBHqIQHHBb", values["major_sdo"] << 4 | kind, values["version"], length, values["domain"],
        values["minor_sdo"], values["flags"], values["correction"], values["type_specific"], values["clock"],
        values["port"], values["sequence"], values["control"], values["log_interval"],
    )  # fmt: skip


def message(kind: int, body: bytes, **changes: int) -> bytes:
    return header(kind, 34 + len(body), **changes) + body


def timestamp(seconds: int, nanoseconds: int) -> bytes:
    return seconds.to_bytes(6, "big") + nanoseconds.to_bytes(4, "big")


def port_identity(clock: int, port: int) -> bytes:
    return struct.pack(">QH", clock, port)


def tlv(kind: int, value: bytes) -> bytes:
    return struct.pack(">HH", kind, len(value)) + value


TIME = timestamp((1 << 40) + 7, 999_999_999)
PORT = port_identity(0x00B0AEFFFE01F00D, 513)
ANNOUNCE = TIME + struct.pack(">hxBBBHBQHB", -37, 128, 6, 0x21, 0x4E5D, 129, 0x0102030405060708, 3, 0x20)
BODIES = {
    0x0: TIME, 0x1: TIME, 0x2: TIME + bytes(10), 0x3: TIME + PORT,
    0x8: TIME, 0x9: TIME + PORT, 0xA: TIME + PORT,
    0xB: ANNOUNCE, 0xC: PORT + tlv(4, bytes(range(6))), 0xD: PORT + bytes([3, 2, 1, 0]) + tlv(1, b"\x20\x00"),
}  # fmt: skip


def l2(payload: bytes, tags: bytes = b"") -> bytes:
    return MACS + tags + b"\x88\xf7" + payload


def udp(payload: bytes, port: int = 319, source: int = 319) -> bytes:
    return struct.pack(">HHHH", source, port, 8 + len(payload), 0) + payload


def ipv4(
    payload: bytes, tags: bytes = b"", options: bytes = b"", fragment: int = 0, protocol: int = 17
) -> bytes:
    words = 5 + len(options) // 4
    length = 4 * words + len(payload)
    fixed = struct.pack(
        ">BBHHHBBH4s4s", 0x40 | words, 0, length, 1, fragment, 1, protocol, 0, b"\x0a\0\0\1", b"\xe0\0\1\x81"
    )
    fixed = fixed[:10] + struct.pack(">H", dpkt.dpkt.in_cksum(fixed + options)) + fixed[12:]
    return MACS + tags + b"\x08\x00" + fixed + options + payload


def ipv6(payload: bytes, tags: bytes = b"", next_header: int = 17) -> bytes:
    addresses = bytes.fromhex("fe80" + 13 * "00" + "01" + "ff0e" + 12 * "00" + "0181")
    return (
        MACS
        + tags
        + b"\x86\xdd"
        + struct.pack(">IHBB", 6 << 28, len(payload), next_header, 1)
        + addresses
        + payload
    )


SYNC = message(0, TIME)


class Made(NamedTuple):
    """A frame, and what the kernel and the reader of messages should see in it."""

    frame: bytes
    kernel: int
    sequence: int | None


MADE = {
    "L2": Made(l2(SYNC), 0x42, 4660),
    "L2, one tag": Made(l2(SYNC, C_TAG), 0xC2, 4660),
    "L2, two tags": Made(l2(SYNC, S_TAG + C_TAG), 0, 4660),
    "L2, two 0x8100 tags": Made(l2(SYNC, C_TAG + C_TAG), 0, 4660),
    "L2, three tags": Made(l2(SYNC, C_TAG * 3), 0, None),
    "L2, service tag": Made(l2(SYNC, S_TAG), 0, 4660),
    "L2, general": Made(l2(message(8, TIME)), 0, 4660),
    "L2, general, tagged": Made(l2(message(0xB, ANNOUNCE), C_TAG), 0, 4660),
    "L2, version 1": Made(l2(message(0, TIME, version=0x01)), 0x41, None),
    "L2, version 2.0": Made(l2(message(0, TIME, version=0x02)), 0x42, 4660),
    "L2, version 0": Made(l2(message(0, TIME, version=0xF0)), 0x40, None),
    "L2, version 15": Made(l2(message(0, TIME, version=0x1F)), 0x4F, None),
    "L2, major SDO id": Made(l2(message(2, TIME + bytes(10), major_sdo=1)), 0x42, 4660),
    "L2, reserved event type": Made(l2(message(5, b"")), 0x42, 4660),
    "IPv4": Made(ipv4(udp(SYNC)), 0x12, 4660),
    "IPv4, one tag": Made(ipv4(udp(SYNC), C_TAG), 0x92, 4660),
    "IPv4, service tag": Made(ipv4(udp(SYNC), S_TAG), 0, 4660),
    "IPv4, options": Made(ipv4(udp(SYNC), options=b"\x94\x04\0\0" + bytes(36)), 0x12, 4660),
    "IPv4, options, one tag": Made(ipv4(udp(SYNC), C_TAG, options=b"\x94\x04\0\0"), 0x92, 4660),
    "IPv4, don't fragment": Made(ipv4(udp(SYNC), fragment=0x4000), 0x12, 4660),
    "IPv4, first fragment": Made(ipv4(udp(SYNC), fragment=0x2000), 0x12, 4660),
    "IPv4, later fragment": Made(ipv4(udp(SYNC), fragment=0x0001), 0, None),
    "IPv4, far fragment": Made(ipv4(udp(SYNC), fragment=0x1F00), 0, None),
    "IPv4, port 320": Made(ipv4(udp(message(8, TIME), 320)), 0, 4660),
    "IPv4, event message on port 320": Made(ipv4(udp(SYNC, 320)), 0, 4660),
    "IPv4, general message on port 319": Made(ipv4(udp(message(8, TIME))), 0x12, 4660),
    "IPv4, source port 319 only": Made(ipv4(udp(SYNC, 1319)), 0, None),
    "IPv4, source port 1319": Made(ipv4(udp(SYNC, 319, 1319)), 0x12, 4660),
    "IPv4, TCP": Made(ipv4(udp(SYNC), protocol=6), 0, None),
    "IPv4, padded": Made(ipv4(udp(message(5, b""))) + b"\xee" * 40, 0x12, 4660),
    "IPv6": Made(ipv6(udp(SYNC + b"\0\0")), 0x22, 4660),
    "IPv6, one tag": Made(ipv6(udp(SYNC + b"\0\0"), C_TAG), 0xA2, 4660),
    "IPv6, port 320": Made(ipv6(udp(message(9, TIME + PORT), 320)), 0, 4660),
    "IPv6, hop-by-hop": Made(ipv6(b"\x11\0\5\2\0\0\1\0" + udp(SYNC), next_header=0), 0, 4660),
    "IPv6, two extension headers": Made(
        ipv6(b"\x3c\0\5\2\0\0\1\0" + b"\x11\1" + b"\1\14" + bytes(12) + udp(SYNC), next_header=0), 0, 4660
    ),
    "IPv6, first fragment": Made(ipv6(b"\x11\0\0\1" + bytes(4) + udp(SYNC), next_header=44), 0, 4660),
    "IPv6, later fragment": Made(ipv6(b"\x11\0\0\x08" + bytes(4) + udp(SYNC), next_header=44), 0, None),
    "IPv6, TCP": Made(ipv6(udp(SYNC), next_header=6), 0, None),
    "ARP": Made(MACS + b"\x08\x06" + SYNC, 0, None),
    "802.3 length": Made(MACS + b"\x00\x2c" + SYNC, 0, None),
    "empty": Made(b"", 0, None),
    "addresses only": Made(MACS, 0, None),
}  # fmt: skip


def _l2(at: int, bits: int) -> list[tuple[object, ...]]:
    return [("ldb", at), ("jset", 0x08, "drop"), ("ldh", at), ("and", 0x0F), ("or", bits), ("ret",)]


def _ipv4(tag: int, bits: int) -> list[tuple[object, ...]]:
    return [
        ("ldb", 23 + tag), ("jne", 17, "drop"), ("ldh", 20 + tag), ("jset", 0x1FFF, "drop"),
        ("ldx", 14 + tag), ("ldhx", 16 + tag), ("jne", 319, "drop"),
        ("ldhx", 22 + tag), ("and", 0x0F), ("or", bits), ("ret",),
    ]  # fmt: skip


def _ipv6(tag: int, bits: int) -> list[tuple[object, ...]]:
    return [
        ("ldb", 20 + tag), ("jne", 17, "drop"), ("ldh", 56 + tag), ("jne", 319, "drop"),
        ("ldh", 62 + tag), ("and", 0x0F), ("or", bits), ("ret",),
    ]  # fmt: skip


PROGRAM: list[tuple[object, ...]] = [
    ("ldh", 12),
    ("jne", 0x0800, "v6"), *_ipv4(0, 0x10), ("label", "v6"),
    ("jne", 0x86DD, "tagged"), *_ipv6(0, 0x20), ("label", "tagged"),
    ("jne", 0x8100, "l2"), ("ldh", 16),
    ("jne", 0x88F7, "tagged v4"), *_l2(18, 0xC0), ("label", "tagged v4"),
    ("jne", 0x0800, "tagged v6"), *_ipv4(4, 0x90), ("label", "tagged v6"),
    ("jne", 0x86DD, "drop"), *_ipv6(4, 0xA0), ("label", "l2"),
    ("jne", 0x88F7, "drop"), *_l2(14, 0x40),
    ("label", "drop"), ("and", 0), ("ret",),
]  # fmt: skip
LABELS = {operation[1]: at for at, operation in enumerate(PROGRAM) if operation[0] == "label"}


def bpf_classify(frame: bytes) -> int:
    """Run PROGRAM on a frame: accumulator a, index register x, a load past the end returns 0."""
    a = x = at = 0
    while True:
        name, *operands = PROGRAM[at]
        at += 1
        match name, operands:
            case (("ldb" | "ldh" | "ldhx" | "ldx"), [int(offset)]):
                first = offset + (x if name == "ldhx" else 0)
                size = 1 if name in ("ldb", "ldx") else 2
                if first + size > len(frame):
                    return 0
                value = int.from_bytes(frame[first : first + size], "big")
                a, x = (a, 4 * (value & 0x0F)) if name == "ldx" else (value, x)
            case "jne", [value, label]:
                at = at if a == value else LABELS[label]
            case "jset", [int(mask), label]:
                at = LABELS[label] if a & mask else at
            case "and", [int(mask)]:
                a &= mask
            case "or", [int(mask)]:
                a |= mask
            case "ret", []:
                return a
            case "label", _:
                pass
            case _:
                raise AssertionError(f"no such operation: {name} {operands}")
