"""Capture files: every container that the lab reads, laid out by hand, and every way to be no capture."""

import gzip
import os
import shutil
import struct
import subprocess
from contextlib import suppress
from io import BytesIO
from itertools import accumulate
from pathlib import Path

import dpkt
import pytest
from capture_files import (
    FRAMES,
    TIMES,
    block,
    enhanced,
    interface,
    option,
    pcap,
    pcap_pieces,
    pcapng_pieces,
    section,
)
from edge_frames import short
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab import GET_BACK, DamagedDataError, data_path
from lan966x_lab.net.captures import CaptureError, Reader, Record, read, recorded, write


def records(data: bytes) -> list[Record]:
    reader = Reader(BytesIO(data), "made.pcap")
    found = list(reader)
    assert reader.truncated is None
    return found


PIECES = {
    "pcap, little-endian, µs": pcap_pieces(),
    "pcap, big-endian, µs": pcap_pieces(">"),
    "pcap, little-endian, ns": pcap_pieces("<", 0xA1B23C4D, 1),
    "pcap, big-endian, ns": pcap_pieces(">", 0xA1B23C4D, 1),
    "pcapng, little-endian": pcapng_pieces(),
    "pcapng, big-endian": pcapng_pieces(">"),
}
CONTAINERS = {name: b"".join(pieces) for name, pieces in PIECES.items()}
PCAPNG = CONTAINERS["pcapng, little-endian"]


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(container: str, tmp_path: Path) -> None:
    path = tmp_path / "made.pcap"
    path.write_bytes(CONTAINERS[container])
    capture = read(path)
    assert capture.frames == FRAMES
    assert capture.times_ns == TIMES
    assert capture.wire_lengths == [len(frame) for frame in FRAMES]
    assert capture.fcs_lengths == [0] * 5
    assert capture.container == container
    assert capture.truncated is None
    assert all(type(time_ns) is int for time_ns in capture.times_ns)


def test_modified_pcap_with_longer_record_headers() -> None:
    found = records(pcap("<", 0xA1B2CD34, extra=bytes(8)))
    assert [record.frame for record in found] == FRAMES


def test_limit(tmp_path: Path) -> None:
    path = tmp_path / "made.pcap"
    path.write_bytes(pcap()[:-1])
    assert read(path, limit=2).frames == FRAMES[:2]
    assert read(path, limit=0).frames == []
    assert read(path, limit=2).truncated is None  # not read so far


def test_no_frames() -> None:
    for header in (pcap()[:24], section(), section() + interface()):
        assert records(header) == []


def test_snapped_frames_tell_their_length() -> None:
    data = pcap()[:24] + struct.pack("<IIII", 1, 2, 60, 1514) + bytes(60)
    assert records(data) == [Record(bytes(60), 1_000_002_000, 1514)]
    data = section() + interface() + enhanced("<", 0, 7, bytes(60), wire=1514)
    assert records(data) == [Record(bytes(60), 7_000, 1514)]


def test_frame_check_sequences_are_told() -> None:
    assert {r.fcs_length for r in records(pcap(link_type=0x2400_0001))} == {4}  # 2 words of 16 bits
    assert {r.fcs_length for r in records(pcap(link_type=0x2000_0001))} == {
        0
    }  # without bit 26 it says nothing
    data = section() + interface("<", 1, 0, (13, b"\x20")) + enhanced("<", 0, 7, bytes(64))
    assert [r.fcs_length for r in records(data)] == [4]
    for kept, left in ((64, 4), (62, 2), (60, 0), (40, 0)):  # what was not kept is the end, and so the FCS
        data = section() + interface("<", 1, 0, (13, b"\x20")) + enhanced("<", 0, 7, bytes(kept), wire=64)
        assert [r.fcs_length for r in records(data)] == [left]


# ---- pcapng: interfaces and clocks


@pytest.mark.parametrize(
    ("options", "ticks", "time_ns"),
    [
        ((), 1_700_000_000_123_456, 1_700_000_000_123_456_000),
        (((9, b"\x09"),), 1_700_000_000_123_456_789, 1_700_000_000_123_456_789),
        (((9, b"\x00"),), 1_700_000_000, 1_700_000_000_000_000_000),
        (((9, b"\x0c"),), 1_700_000_000_123_456_789, 1_700_000_000_123_456),  # ps: whole ns, rounded down
        (((9, b"\x8a"),), 1_700_000_000 * 1024 + 1, 1_700_000_000_000_976_562),  # 1/1024 s
        (((9, b"\x09"), (14, struct.pack("<q", 1_600_000_000))), 7, 1_600_000_000_000_000_007),
        (((14, struct.pack("<q", -5)),), 6_000_001, 1_000_001_000),
        (((1, b"a comment \xff"), (2, b"eth0"), (9, b"\x09")), 7, 7),
        (((0, b""), (9, b"\x09")), 7, 7_000),  # nothing counts after the end of the options
        (((9, b"\x09\x09"), (14, b"\0"), (13, b"")), 7, 7_000),  # options of a wrong length say nothing
    ],
    ids=short,
)
def test_interface_clocks(options: tuple[tuple[int, bytes], ...], ticks: int, time_ns: int) -> None:
    data = section() + interface("<", 1, 0, *options) + enhanced("<", 0, ticks, bytes(60))
    assert records(data) == [Record(bytes(60), time_ns, 60)]


def test_sections_and_interfaces_of_their_own() -> None:
    """Two interfaces with two clocks, unknown blocks between, then a section in the other byte order."""
    data = (
        section("<")
        + interface("<")
        + interface("<", 1, 0, (9, b"\x09"))
        + block("<", 4, b"names")  # a block the lab does not need
        + enhanced("<", 1, 5, FRAMES[0], tail=option("<", 1, b"a comment"))
        + enhanced("<", 0, 5, FRAMES[1])
        + section(">")
        + block(">", 0x80000001, bytes(3))
        + interface(">", 1, 0, (9, b"\x03"))
        + enhanced(">", 0, 5, FRAMES[2])
    )
    assert [(r.frame, r.time_ns) for r in records(data)] == [
        (FRAMES[0], 5),
        (FRAMES[1], 5_000),
        (FRAMES[2], 5_000_000),
    ]


def test_simple_and_obsolete_packet_blocks() -> None:
    simple = block("<", 3, struct.pack("<I", 61) + FRAMES[0])
    assert records(section() + interface() + simple) == [Record(FRAMES[0], 0, 61)]
    snapped = block("<", 3, struct.pack("<I", 1514) + bytes(40))
    assert records(section() + interface("<", 1, 40) + snapped) == [Record(bytes(40), 0, 1514)]
    old = block("<", 2, struct.pack("<HHIIII", 0, 9, 0, 77, 62, 62) + FRAMES[1])
    assert records(section() + interface() + old) == [Record(FRAMES[1], 77_000, 62)]


# ---- what is cut off or damaged


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_file_cut_anywhere_gives_the_frames_before(container: str) -> None:
    pieces, data = PIECES[container], CONTAINERS[container]
    first_frame = len(pieces) - len(FRAMES)
    ends = list(accumulate(map(len, pieces)))
    for length in range(len(data)):
        if length < ends[0]:
            with pytest.raises(CaptureError, match=r"^cut\.pcap: "):
                Reader(BytesIO(data[:length]), "cut.pcap")
            continue
        reader = Reader(BytesIO(data[:length]), "cut.pcap")
        frames = [record.frame for record in reader]
        whole = sum(end <= length for end in ends)
        assert frames == FRAMES[: max(0, whole - first_frame)]
        if length in ends:  # between two pieces nobody can see a cut
            assert reader.truncated is None
        else:
            found = f"cut.pcap is cut off or damaged after frame {len(frames)}: at byte "
            assert (reader.truncated or "").startswith(found)


def test_a_cut_says_where(tmp_path: Path) -> None:
    path = tmp_path / "cut.pcap"
    path.write_bytes(pcap()[:-1])
    assert read(path).truncated == (
        f"{path} is cut off or damaged after frame 4: at byte 354 stand 64 of 65 bytes of a frame"
    )


@pytest.mark.parametrize(
    ("tail", "why"),
    [
        (struct.pack("<IIII", 1, 2, 262145, 60), "claims 262145 bytes, the limit is 262144"),
        (struct.pack("<IIII", 1, 2, 60, 60), "the file ends, where 60 bytes of a frame should stand"),
    ],
    ids=short,
)
def test_damaged_pcap(tail: bytes, why: str) -> None:
    reader = Reader(BytesIO(pcap() + tail), "made.pcap")
    assert [record.frame for record in reader] == FRAMES
    assert why in (reader.truncated or "")


@pytest.mark.parametrize(
    ("tail", "why"),
    [
        (struct.pack("<II", 6, 8), "claims 8 bytes, not 12..16777216"),
        (struct.pack("<II", 6, 1 << 25), "claims 33554432 bytes, not 12..16777216"),
        (struct.pack("<III", 5, 12, 16), "begins with the length 12 and ends with 16"),
        (block("<", 6, bytes(8)), "a block of 20 bytes cannot be of type EnhancedPacketBlock"),
        (block("<", 3, b""), "a block of 12 bytes cannot be of type SimplePacketBlock"),
        (block("<", 1, bytes(4)), "a block of 16 bytes cannot be of type InterfaceDescriptionBlock"),
        (enhanced("<", 1, 5, bytes(60)), "a frame belongs to interface 1, and 1 are described"),
        (
            block("<", 6, struct.pack("<IIIII", 0, 0, 0, 61, 61) + bytes(60)),
            "a block of 92 bytes claims a frame of 61",
        ),
        (block("<", 0x0A0D0D0A, struct.pack("<IHHq", 7, 1, 0, -1)), "has the byte-order mark 07 00 00 00"),
        (section() + enhanced("<", 0, 5, bytes(60)), "a frame belongs to interface 0, and 0 are described"),
    ],
    ids=short,
)
def test_damaged_pcapng(tail: bytes, why: str) -> None:
    reader = Reader(BytesIO(PCAPNG + tail), "made.pcapng")
    assert [record.frame for record in reader] == FRAMES
    assert why in (reader.truncated or "")


# ---- what is no capture


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "the file is empty; record it again"),
        (b"\xd4\xc3\xb2", "neither pcap nor pcapng: it begins with the bytes d4 c3 b2; save frames with"),
        (
            b"frames, perhaps",
            "neither pcap nor pcapng: it begins with the bytes 66 72 61 6d 65 73 2c 20; save",
        ),
        (gzip.compress(pcap()), "not a capture but gzip data; unpack it with gunzip first"),
        (b"PK\x03\x04 and so on", "not a capture but a zip archive"),
        (pcap()[:20], "cut off or damaged at its start: at byte 4 stand 16 of 20 bytes of the file header"),
        (
            b"\x0a\x0d\x0d\x0a" + bytes(40),
            "cut off or damaged at its start: the section at byte 0 has the byte-order",
        ),
        (
            pcap(link_type=113),
            "the file has link type 113 (LINUX_SLL), and the lab reads Ethernet (1) only; record",
        ),
        (pcap(link_type=999), "link type 999 (unknown)"),
    ],
    ids=short,
)
def test_no_capture(data: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "some.file"
    path.write_bytes(data)
    with pytest.raises(CaptureError) as caught:
        read(path)
    assert isinstance(caught.value, ValueError)
    assert str(caught.value).startswith(f"{path}: ")
    assert why in str(caught.value)


def test_an_interface_that_is_not_ethernet_matters_when_a_frame_is_its() -> None:
    two = section() + interface("<", 1) + interface("<", 127) + enhanced("<", 0, 1, FRAMES[0])
    assert len(records(two)) == 1
    with pytest.raises(CaptureError, match=r"interface 1 has link type 127 \(IEEE802_11_RADIO\)"):
        records(two + enhanced("<", 1, 1, FRAMES[0]))


@given(
    data=st.sampled_from(sorted(CONTAINERS.values())),
    changes=st.lists(st.tuples(st.integers(0), st.integers(0, 255))),
)
@settings(max_examples=300)
def test_damage_is_told_or_does_not_matter(data: bytes, changes: list[tuple[int, int]]) -> None:
    damaged = bytearray(data)
    for at, value in changes:
        damaged[at % len(data)] = value
    with suppress(CaptureError):
        for record in Reader(BytesIO(bytes(damaged)), "made.pcap"):
            assert len(record.frame) <= len(data)


@pytest.mark.timeout(30)
def test_many_options_are_read_in_linear_time() -> None:
    """A reader that copies the rest of the block for each option would move 200 GB here."""
    options = ((2, b""),) * 300_000
    assert len(records(section() + interface("<", 1, 0, *options) + enhanced("<", 0, 1, FRAMES[0]))) == 1


# ---- writing


@given(
    frames=st.lists(st.binary(max_size=80), max_size=5),
    data=st.data(),
)
def test_written_is_read_again(
    frames: list[bytes], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    times = data.draw(
        st.lists(st.integers(0, (10**9 << 32) - 1), min_size=len(frames), max_size=len(frames)), label="times"
    )
    path = tmp_path_factory.getbasetemp() / "written.pcap"
    write(path, frames, times)
    capture = read(path)
    assert (capture.frames, capture.times_ns, capture.truncated) == (frames, times, None)
    assert capture.container.endswith("-endian, ns")


def test_what_is_written_other_readers_read(tmp_path: Path) -> None:
    path = tmp_path / "written.pcap"
    write(path, [memoryview(frame) for frame in FRAMES], TIMES)
    with path.open("rb") as stream:
        assert [frame for _, frame in dpkt.pcap.Reader(stream)] == FRAMES
    if shutil.which("tshark"):
        command = ["tshark", "-r", str(path), "-T", "fields", "-e", "frame.time_epoch", "-e", "frame.len"]
        lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert lines[1::2] == [str(len(frame)) for frame in FRAMES]
        assert [int(text.replace(".", "")) for text in lines[::2]] == TIMES


@pytest.mark.skipif(shutil.which("editcap") is None, reason="editcap (of Wireshark) is not installed")
@pytest.mark.parametrize("form", ["pcapng", "nsecpcap", "pcap", "modpcap"])
def test_what_wireshark_writes(form: str, tmp_path: Path) -> None:
    made, other = tmp_path / "made.pcap", tmp_path / "other"
    write(made, FRAMES, TIMES)
    subprocess.run(["editcap", "-F", form, made, other], check=True, capture_output=True)
    capture = read(other)
    assert (capture.frames, capture.times_ns) == (FRAMES, TIMES)


@pytest.mark.parametrize(
    ("frames", "times", "why"),
    [
        ([bytes(60)], [], "1 frames need as many times, not 0"),
        ([bytes(60)], [-1], "the time of frame 1 is -1: allowed 0 to"),
        (
            [bytes(60), bytes(60)],
            [0, 10**9 << 32],
            "the time of frame 2 is 4294967296000000000: allowed 0 to",
        ),
        ([bytes(262145)], [0], "frame 1 has 262145 bytes, and a record holds at most 262144"),
    ],
)
def test_write_refuses_and_writes_nothing(
    frames: list[bytes], times: list[int], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "old.pcap"
    path.write_bytes(b"old")
    with pytest.raises(ValueError, match=why):
        write(path, frames, times)
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize(("frame", "time"), [(bytes(60), 1.5), (bytes(60), "1"), ("frame", 1)])
def test_write_takes_bytes_and_integers_only(frame: object, time: object, tmp_path: Path) -> None:
    path = tmp_path / "old.pcap"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write(path, [frame], [time])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.pcap"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(dpkt.pcap.Writer, "writepkt_time", full)
    with pytest.raises(OSError, match="No space left"):
        write(path, FRAMES, TIMES)
    assert [item.name for item in tmp_path.iterdir()] == ["old.pcap"]
    assert path.read_bytes() == b"old"


def test_write_goes_through_a_symbolic_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.pcap", tmp_path / "link.pcap"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write(link, FRAMES, TIMES)
    assert link.is_symlink()
    assert read(target).frames == FRAMES


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "missing.pcap")
    with pytest.raises(IsADirectoryError):
        read(tmp_path)


# ---- the captures of the lab


@pytest.mark.parametrize(
    ("length", "why"),
    [
        (-1, "damaged: it is cut off or damaged after frame"),
        (20, "damaged: cut off or damaged at its start"),
        (0, "damaged: .*empty"),
    ],
)
def test_a_damaged_capture_of_the_lab_is_said_with_the_way_to_get_it_back(
    length: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ping-odd.pcap"
    whole = data_path("captures", path.name).read_bytes()
    monkeypatch.setattr("lan966x_lab.net.captures.data_path", lambda *parts: tmp_path.joinpath(*parts[1:]))
    path.write_bytes(whole)
    assert recorded("ping-odd") == read(path)
    path.write_bytes(whole[:length])
    with pytest.raises(DamagedDataError, match=why) as error:
        recorded("ping-odd")
    assert str(error.value).endswith(GET_BACK)


def test_a_missing_capture_of_the_lab_is_said() -> None:
    with pytest.raises(FileNotFoundError, match=r"no-such\.pcap is missing"):
        recorded("no-such")


@pytest.mark.parametrize("path", sorted(data_path("captures").glob("*.pcap")), ids=lambda path: path.stem)
def test_the_captures_as_dpkt_reads_them(path: Path) -> None:
    capture = read(os.fspath(path))
    with path.open("rb") as stream:
        theirs = list(dpkt.pcap.Reader(stream))
    assert capture.frames == [frame for _, frame in theirs]
    assert capture.times_ns == [1000 * round(1_000_000 * seconds) for seconds, _ in theirs]
    assert capture.truncated is None
