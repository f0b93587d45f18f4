"""Capture files: frames and their times out of pcap and pcapng files, and back into pcap.

The containers are dpkt's: magic numbers, headers, block types. Its readers are not used: they give the time
as a float, and a float cannot hold the nanoseconds since 1970. Here time is an integer throughout.

Formats: the IETF drafts draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from dpkt import pcap, pcapng

from lan966x_lab import DamagedDataError, data_path, files
from lan966x_lab.net.batch import BytesLike, as_bytes, integer

__all__ = ["Capture", "CaptureError", "Reader", "Record", "read", "recorded", "write"]

SECOND = 10**9
LONGEST_FRAME = 1 << 18  # libpcap's own limit; a longer record is damage, not data
LONGEST_BLOCK = 1 << 24  # Wireshark's own limit

ENDIAN = {"<": "little-endian", ">": "big-endian"}
LINK_TYPES = {n: name.removeprefix("DLT_") for name, n in vars(pcap).items() if name.startswith("DLT_")}
FOREIGN = {
    b"\x1f\x8b": "not a capture but gzip data; unpack it with gunzip first",
    b"\x28\xb5\x2f\xfd": "not a capture but zstd data; unpack it with zstd -d first",
    b"\xfd7zXZ": "not a capture but xz data; unpack it with unxz first",
    b"PK\x03\x04": "not a capture but a zip archive; unpack it first",
}


class CaptureError(ValueError):
    """A file that cannot be read as a capture; the message names the file, what was found, the next step."""


class Record(NamedTuple):
    """One frame of a capture."""

    frame: bytes
    time_ns: int  # since 1970, UTC; 0 where the container carries no time (a Simple Packet Block)
    wire_length: int  # bytes on the wire; more than ``len(frame)`` where the capture kept only the start
    fcs_length: int = 0  # bytes of FCS at the end of the frame, where the container says so


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture in memory. The four lists run in parallel, one entry a frame, in the file's order."""

    frames: list[bytes]
    times_ns: list[int]
    wire_lengths: list[int]
    fcs_lengths: list[int]
    container: str  # for people: "pcap, little-endian, ns"
    truncated: str | None  # None, or where and why reading ended before the file's proper end


class Reader:
    """The ``Record``s of a capture, one after the other, in constant memory.

    A file that ends early gives every frame before the cut; from then on ``truncated`` says where and why.

    Raises:
        CaptureError: the stream is empty, no capture, cut inside its header, or not of Ethernet frames. (A
            pcapng file tells that only on iteration: every interface has a link type of its own.)
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.truncated: str | None = None
        self._source = _Source(stream, name)
        magic = stream.read(4)
        number = int.from_bytes(magic, "big")
        if len(magic) == 4 and number in pcap.MAGIC_TO_PKT_HDR:
            opener = _pcap
        elif number == pcapng.PCAPNG_BT_SHB:
            opener = _pcapng
        else:
            raise self._source.error(_foreign(magic + stream.read(12)))
        try:
            self.container, self._records = opener(self._source, magic)
        except _CutError as cut:
            raise self._source.error(f"cut off or damaged at its start: {cut}; record it again") from None

    @property
    def decimals(self) -> int:
        """Decimals of a second that the times have: 6, or 9 where a clock so far counts finer than µs."""
        return self._source.decimals

    @property
    def position(self) -> int:
        """Bytes of the stream read so far."""
        return self._source.offset

    def __iter__(self) -> Iterator[Record]:
        count = 0
        try:
            for record in self._records:
                count += 1
                yield record
        except _CutError as cut:
            self.truncated = f"{self._source.name} is cut off or damaged after frame {count}: {cut}"


def read(path: str | os.PathLike[str], limit: int | None = None) -> Capture:
    """Read a pcap or pcapng file of Ethernet frames, at most ``limit`` frames of it.

    Raises:
        CaptureError: what ``Reader`` raises.
        OSError: the file cannot be opened.
    """
    with open(path, "rb") as stream:
        reader = Reader(stream, os.fspath(path))
        records = list(islice(reader, limit))
    return Capture(
        frames=[record.frame for record in records],
        times_ns=[record.time_ns for record in records],
        wire_lengths=[record.wire_length for record in records],
        fcs_lengths=[record.fcs_length for record in records],
        container=reader.container,
        truncated=reader.truncated,
    )


def recorded(name: str) -> Capture:
    """A recording of the lab, ``data/captures/NAME.pcap``: all of it.

    Raises:
        FileNotFoundError: it is missing.
        DamagedDataError: it is no capture, or only a part of one.
    """
    path = data_path("captures", f"{name}.pcap")
    try:
        capture = read(path)
    except CaptureError as error:
        raise DamagedDataError(path, str(error).removeprefix(f"{path}: ")) from None
    if capture.truncated:
        raise DamagedDataError(path, capture.truncated.replace(str(path), "it", 1))
    return capture


def write(path: str | os.PathLike[str], frames: Sequence[BytesLike], times_ns: Sequence[int]) -> None:
    """Write a nanosecond pcap file. Who reads ``path`` sees the old file or the whole new one, never a half.

    Raises:
        ValueError: the lists differ in length, a frame is longer than 262144 bytes, or a time is not within
            what the format holds (32 bits of seconds).
        TypeError: a frame is not bytes-like, or a time is not an integer.
        files.WriteError: the file cannot be written.
        Nothing is written then.
    """
    if len(frames) != len(times_ns):
        raise ValueError(f"{len(frames)} frames need as many times, not {len(times_ns)}")
    whole = BytesIO()
    writer = pcap.Writer(whole, snaplen=LONGEST_FRAME, nano=True)
    for number, (frame, time_ns) in enumerate(zip(frames, times_ns, strict=True), 1):
        writer.writepkt_time(_octets(number, frame), Decimal(_time_ns(number, time_ns)).scaleb(-9))
    files.write(Path(path), whole.getvalue())


def _octets(number: int, frame: BytesLike) -> bytes:
    """A frame that a record can hold."""
    try:
        octets = as_bytes(frame)
    except TypeError as error:
        raise TypeError(f"frame {number}: {error}") from None
    if len(octets) > LONGEST_FRAME:
        raise ValueError(
            f"frame {number} has {len(octets)} bytes, and a record holds at most {LONGEST_FRAME}"
        )
    return octets


def _time_ns(number: int, time_ns: int) -> int:
    """A time that a record can hold."""
    last_ns = (SECOND << 32) - 1
    name, allowed = f"the time of frame {number}", f"0 to {last_ns} ns since 1970"
    time_ns = integer(name, time_ns, allowed)
    if not 0 <= time_ns <= last_ns:
        raise ValueError(f"{name} is {time_ns}: allowed {allowed}")
    return time_ns


class _CutError(Exception):
    """The file ends, or stops making sense, in the middle of something."""


class _Source:
    """A stream that knows its name and how far it was read."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        self.offset = 4  # behind the magic number
        self.decimals = 6
        self._stream = stream

    def take(self, count: int, what: str) -> bytes:
        """The next ``count`` bytes, which are ``what``; b"" at the end of the file.

        Raises:
            _CutError: the file ends inside them.
        """
        data = self._stream.read(count)
        if data and len(data) < count:
            raise _CutError(f"at byte {self.offset} stand {len(data)} of {count} bytes of {what}")
        self.offset += len(data)
        return data

    def need(self, count: int, what: str) -> bytes:
        """The next ``count`` bytes, where the file must not end."""
        data = self.take(count, what)
        if len(data) < count:
            raise _CutError(
                f"at byte {self.offset} the file ends, where {count} bytes of {what} should stand"
            )
        return data

    def error(self, found: str) -> CaptureError:
        return CaptureError(f"{self.name}: {found}")

    def require_ethernet(self, link_type: int, whose: str) -> None:
        if link_type != pcap.DLT_EN10MB:
            name = LINK_TYPES.get(link_type, "unknown")
            raise self.error(
                f"{whose} has link type {link_type} ({name}), and the lab reads Ethernet (1) only; "
                "record on an Ethernet interface, not on `any` or a tunnel"
            )


def _foreign(start: bytes) -> str:
    if not start:
        return "the file is empty; record it again, for example with `tcpdump -w`"
    return next(
        (found for magic, found in FOREIGN.items() if start.startswith(magic)),
        f"neither pcap nor pcapng: it begins with the bytes {start[:8].hex(' ')}; "
        "save frames with `tcpdump -w` or from Wireshark, or pipe the hex of one frame instead",
    )


def _record(frame: bytes, time_ns: int, wire_length: int, fcs_length: int) -> Record:
    """A frame whose end was not kept has lost its FCS first."""
    lost = max(0, wire_length - len(frame))
    return Record(frame, time_ns, wire_length, max(0, fcs_length - lost))


# ---- classic pcap: a file header, then records


def _pcap(source: _Source, magic: bytes) -> tuple[str, Iterator[Record]]:
    number = int.from_bytes(magic, "big")
    layout = struct.Struct(pcap.MAGIC_TO_PKT_HDR[number].__hdr_fmt__)
    order = "<" if layout.format.startswith("<") else ">"
    nano = number in (pcap.TCPDUMP_MAGIC_NANO, pcap.PMUDPCT_MAGIC_NANO)
    source.decimals = 9 if nano else 6
    file_header = pcap.LEFileHdr if order == "<" else pcap.FileHdr
    header = file_header(magic + source.need(file_header.__hdr_len__ - 4, "the file header"))
    # The link type has 16 bits. Above them bit 26 says that bits 28 to 31 count the FCS in 16-bit words.
    source.require_ethernet(header.linktype & 0xFFFF, "the file")
    fcs_length = 2 * (header.linktype >> 28) if header.linktype & 1 << 26 else 0
    container = f"pcap, {ENDIAN[order]}, {'ns' if nano else 'µs'}"
    return container, _pcap_records(source, layout, 1 if nano else 1000, fcs_length)


def _pcap_records(source: _Source, layout: struct.Struct, tick_ns: int, fcs_length: int) -> Iterator[Record]:
    while header := source.take(layout.size, "a record header"):
        seconds, ticks, captured, wire_length, *_ = layout.unpack(header)
        if captured > LONGEST_FRAME:
            at = source.offset - layout.size
            raise _CutError(f"the record at byte {at} claims {captured} bytes, the limit is {LONGEST_FRAME}")
        frame = source.need(captured, "a frame")
        yield _record(frame, seconds * SECOND + ticks * tick_ns, wire_length, fcs_length)


# ---- pcapng: blocks; a section header sets the byte order, interface descriptions set link type and clock


class _Interface(NamedTuple):
    link_type: int
    snap_length: int  # 0 is no limit
    ticks_per_second: int = 10**6
    offset_s: int = 0
    fcs_length: int = 0

    def time_ns(self, ticks: int) -> int:
        return ticks * SECOND // self.ticks_per_second + self.offset_s * SECOND


def _pcapng(source: _Source, magic: bytes) -> tuple[str, Iterator[Record]]:
    order, _, _ = _block(source, "", magic)
    return f"pcapng, {ENDIAN[order]}", _pcapng_records(source, order)


def _pcapng_records(source: _Source, order: str) -> Iterator[Record]:
    interfaces: list[_Interface] = []
    while kind_octets := source.take(4, "a block type"):
        order, kind, block = _block(source, order, kind_octets)
        if kind == pcapng.PCAPNG_BT_SHB:
            interfaces = []
        elif kind == pcapng.PCAPNG_BT_IDB:
            interfaces.append(_interface(order, block))
            if interfaces[-1].ticks_per_second > 10**6:
                source.decimals = 9
        elif kind == pcapng.PCAPNG_BT_SPB:
            yield _simple_packet(source, order, block, interfaces)
        elif kind in _PACKETS:
            yield _packet(source, order, _PACKETS[kind], block, interfaces)


def _block(source: _Source, order: str, kind_octets: bytes) -> tuple[str, int, bytes]:
    """The byte order from here on, the block's type, and the block whole as it stands in the file."""
    start = source.offset - 4
    head = kind_octets + source.need(4, "a block length")
    if int.from_bytes(kind_octets, "big") == pcapng.PCAPNG_BT_SHB:  # the same number in both byte orders
        mark = source.need(4, "a byte-order mark")
        head += mark
        orders = {pcapng.BYTE_ORDER_MAGIC: ">", pcapng.BYTE_ORDER_MAGIC_LE: "<"}
        if int.from_bytes(mark, "big") not in orders:
            raise _CutError(f"the section at byte {start} has the byte-order mark {mark.hex(' ')}")
        order = orders[int.from_bytes(mark, "big")]
    kind, length = struct.unpack_from(order + "II", head)
    if not len(head) + 4 <= length <= LONGEST_BLOCK:
        raise _CutError(f"the block at byte {start} claims {length} bytes, not 12..{LONGEST_BLOCK}")
    block = head + source.need(length - len(head), "a block")
    again = struct.unpack_from(order + "I", block, length - 4)[0]
    if again != length:
        raise _CutError(f"the block at byte {start} begins with the length {length} and ends with {again}")
    return order, kind, block


def _fields(order: str, block_class: type[pcapng._PcapngBlock], block: bytes) -> tuple[int, ...]:
    """The fixed fields at the start of a block, without the second length that dpkt counts among them."""
    layout = struct.Struct(order + block_class.__hdr_fmt__[1:-1])
    if len(block) < layout.size + 4:
        raise _CutError(f"a block of {len(block)} bytes cannot be of type {block_class.__name__}")
    return layout.unpack_from(block)


def _interface(order: str, block: bytes) -> _Interface:
    _, _, link_type, _, snap_length = _fields(order, pcapng.InterfaceDescriptionBlock, block)
    interface = _Interface(link_type, snap_length)
    at, end = 16, len(block) - 4
    while at + 4 <= end:
        code, length = struct.unpack_from(order + "HH", block, at)
        value = block[at + 4 : min(at + 4 + length, end)]
        at += 4 + (length + 3) // 4 * 4
        if code == pcapng.PCAPNG_OPT_ENDOFOPT:
            break
        if code == pcapng.PCAPNG_OPT_IF_TSRESOL and len(value) == 1:
            base = 2 if value[0] & 0x80 else 10
            interface = interface._replace(ticks_per_second=base ** (value[0] & 0x7F))
        elif code == pcapng.PCAPNG_OPT_IF_TSOFFSET and len(value) == 8:
            interface = interface._replace(offset_s=struct.unpack(order + "q", value)[0])
        elif code == pcapng.PCAPNG_OPT_IF_FCSLEN and len(value) == 1:
            interface = interface._replace(fcs_length=value[0] // 8)  # the option counts bits
    return interface


_PACKETS = {
    pcapng.PCAPNG_BT_EPB: pcapng.EnhancedPacketBlock,
    pcapng.PCAPNG_BT_PB: pcapng.PacketBlock,
}


def _packet(
    source: _Source,
    order: str,
    block_class: type[pcapng.EnhancedPacketBlock],
    block: bytes,
    interfaces: list[_Interface],
) -> Record:
    _, _, number, *_, high, low, captured, wire_length = _fields(order, block_class, block)
    interface = _of_ethernet(source, number, interfaces)
    frame = _frame(block, block_class.__hdr_len__ - 4, captured)
    return _record(frame, interface.time_ns(high << 32 | low), wire_length, interface.fcs_length)


def _simple_packet(source: _Source, order: str, block: bytes, interfaces: list[_Interface]) -> Record:
    """A block of interface 0 without a time: the length on the wire, then the frame. dpkt has no class."""
    interface = _of_ethernet(source, 0, interfaces)
    if len(block) < 16:
        raise _CutError(f"a block of {len(block)} bytes cannot be of type SimplePacketBlock")
    wire_length = struct.unpack_from(order + "I", block, 8)[0]
    frame = _frame(block, 12, min(wire_length, interface.snap_length or wire_length))
    return _record(frame, 0, wire_length, interface.fcs_length)


def _of_ethernet(source: _Source, number: int, interfaces: list[_Interface]) -> _Interface:
    if number >= len(interfaces):
        raise _CutError(f"a frame belongs to interface {number}, and {len(interfaces)} are described")
    source.require_ethernet(interfaces[number].link_type, f"interface {number}")
    return interfaces[number]


def _frame(block: bytes, start: int, captured: int) -> bytes:
    if start + captured > len(block) - 4:
        raise _CutError(f"a block of {len(block)} bytes claims a frame of {captured}")
    return block[start : start + captured]
