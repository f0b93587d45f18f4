"""``lan966x-lab inspect``: the captures' README, lines for people, JSON for programs, hex, refusals."""

import argparse
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from capture_files import enhanced, interface, pcap, section
from edge_frames import EDGES, MAC, TCP4, UDP4, short

from lan966x_lab import cli_inspect, data_path
from lan966x_lab.cli import main
from lan966x_lab.net import build, captures, frames, ptp, report, verdicts
from lan966x_lab.net.captures import Record

CAPTURES = sorted(path.name for path in data_path("captures").glob("*.pcap"))
README = data_path("captures", "README.md").read_text(encoding="utf-8")
KEYS = ["index", "time_ns", "length", "layers", "ptp", "checksums", "notes"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def inspect_json(name: str, capsys: pytest.CaptureFixture[str], *options: str) -> list[dict[str, Any]]:
    assert main(["inspect", str(data_path("captures", name)), "--json", *options]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return [json.loads(line) for line in out.splitlines()]


def pipe_in(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


# ---- the captures and their README


def described(name: str) -> str:
    (row,) = (line for line in README.splitlines() if line.startswith(f"| {name} |"))
    return row.split("|")[3]


@pytest.mark.parametrize("name", CAPTURES)
def test_json_is_what_the_parts_say(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    capture = captures.read(data_path("captures", name))
    found = inspect_json(name, capsys)
    assert [entry["index"] for entry in found] == list(range(1, len(capture.frames) + 1))
    assert [entry["time_ns"] for entry in found] == capture.times_ns
    assert [entry["length"] for entry in found] == [len(frame) for frame in capture.frames]
    for entry, octets in zip(found, capture.frames, strict=True):
        frame = frames.parse(octets)
        assert list(entry) == KEYS
        assert entry["layers"] == list(frame.layers)
        checks = verdicts.check(frame)
        assert entry["checksums"] == {header: check.verdict.value for header, check in checks.items()}
        message = ptp.parse(octets)
        assert (entry["ptp"] is None) == (message is None)
        if message is not None:
            assert isinstance(message.message_type, ptp.MessageType)
            assert entry["ptp"]["class"] == ptp.classify(octets)
            assert entry["ptp"]["type"] == message.message_type.name
            assert entry["ptp"]["sequence"] == message.sequence


@pytest.mark.parametrize("name", [name for name in CAPTURES if name.startswith("ptp")])
def test_ptp_counts_of_the_readme(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = [entry["ptp"] for entry in inspect_json(name, capsys) if entry["ptp"]]
    counts = Counter(message["type"] for message in found)
    promised = {kind.upper(): int(count) for kind, count in re.findall(r"([A-Z]\w+) (\d+)", described(name))}
    if promised:
        assert counts == promised
    else:
        (total,) = re.findall(r"(\d+) messages", described(name))
        assert len(found) == int(total)
    class_of_events = {"l2": 0x42, "udp4": 0x12, "udp6": 0x22}[name.split("-")[1]]
    for message in found:
        event = ptp.MessageType[message["type"]] < ptp.MessageType.FOLLOW_UP
        assert message["class"] == (class_of_events if event else 0)
        assert message["truncated"] is None


@pytest.mark.parametrize(
    ("name", "layer", "count", "checksums"),
    [
        ("iperf3-tcp4-csum-ok.pcap", "tcp", 300, {("ipv4", "right"): 300, ("tcp", "right"): 300}),
        ("iperf3-tcp6-csum-ok.pcap", "tcp", 300, {("tcp", "right"): 300}),
        ("iperf3-tcp4-csum-partial.pcap", "tcp", 200, {("ipv4", "right"): 200, ("tcp", "partial"): 200}),
        (
            "iperf3-udp4-701.pcap",
            "udp",
            181,
            {("ipv4", "right"): 208, ("tcp", "right"): 27, ("udp", "right"): 181},
        ),
        (
            "ping-odd.pcap",
            "icmp",
            22,
            {
                ("ipv4", "right"): 26,
                ("icmp", "right"): 20,
                ("icmp", "not_checkable"): 6,
                ("icmpv6", "right"): 18,
                ("icmpv6", "not_checkable"): 4,
            },
        ),
    ],
)
def test_counts_of_the_readme(
    name: str,
    layer: str,
    count: int,
    checksums: dict[tuple[str, str], int],
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = inspect_json(name, capsys)
    assert sum(layer in entry["layers"] for entry in found) == count
    assert str(count) in described(name)
    assert Counter(pair for entry in found for pair in entry["checksums"].items()) == checksums
    lengths = Counter(entry["length"] for entry in found)
    for number, length in re.findall(r"(\d+) of them (\d+) bytes", described(name)):
        assert lengths[int(length)] == int(number)


def test_the_readme_tells_of_every_capture() -> None:
    assert len(CAPTURES) == 9
    assert all(described(name).strip() for name in CAPTURES)


# ---- lines and totals


def test_lines_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(data_path("captures", "ptp-udp6-e2e.pcap")), "--limit", "10"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert (
        out[0]
        == "frame       time/s  bytes  layers                           checksums                 notes"
    )
    assert out[1] == (
        "    1     0.000000     62  ethernet ipv4                    ipv4 right"
        "                IP protocol 2, which the lab does not read; its checksum, if any, is not checkable"
    )
    assert out[9] == (
        "    9     1.602550    108  ethernet ipv6 udp ptp            udp right"
        "                 SYNC #0, class 0x22"
    )
    assert "\n".join(out[11:]) == (
        "\n"
        "10 frames, 1026 bytes, 1.602585 s from 2026-11-30 13:18:01 UTC\n"
        "       5  ethernet ipv6 hop_by_hop icmpv6\n"
        "       3  ethernet ipv6 udp ptp\n"
        "       1  ethernet ipv4\n"
        "       1  ethernet ipv6 icmpv6\n"
        "\n"
        "     PTP  message                 class\n"
        "       1  ANNOUNCE                0x00 none\n"
        "       1  SYNC                    0x22 PTP v2 over IPv6\n"
        "       1  FOLLOW_UP               0x00 none\n"
        "\n"
        "checksum   right\n"
        "    ipv4       1\n"
        "  icmpv6       6\n"
        "     udp       3"
    )


def entry_of(octets: bytes, **record: Any) -> report.Entry:
    (entry,) = report.entries([Record(octets, **{"time_ns": 0, "wire_length": len(octets), **record})])
    return entry


@pytest.mark.parametrize(
    ("octets", "record", "end"),
    [
        (UDP4, {}, "ipv4 right, udp right"),
        (UDP4[:-1], {"wire_length": len(UDP4)},
         "ipv4 right, udp not checkable  cut off: 18 of 19 bytes that IP carries; 52 bytes captured"),
        (TCP4[:-1] + b"!", {}, "ipv4 right, tcp wrong     tcp: "),
        (TCP4.ljust(80, b" "), {}, "ipv4 right, tcp right     padding is not zero"),
        (TCP4 + b"FCS!", {"fcs_length": 4}, "ipv4 right, tcp right"),
        (build.ethernet(*MAC, 0x88F7, b"\0\1"), {}, "not version 2, class 0x41"),
        (build.ethernet(*MAC, 0x88F7, b"\7\2"), {}, "reserved 0x7 #0, class 0x42; truncated at octet "),
        (build.ethernet(*MAC, 0x88F7, b"\0\2", minimum=0), {},
         "SYNC, class 0x42; truncated at octet 2, in length; PTP header cut off: 2 of 4 bytes"),
        (b"", {}, "Ethernet header cut off: 0 of 14 bytes"),
    ],
    ids=short,
)  # fmt: skip
def test_what_is_unusual_is_noted(octets: bytes, record: dict[str, int], end: str) -> None:
    line = report.as_line(entry_of(octets, **record))
    assert line.endswith(end) if line[-1] == end[-1] else end in line


def test_repeated_layers_are_counted() -> None:
    tags = [frames.Vlan(n) for n in range(12)]
    line = report.as_line(entry_of(build.ethernet(*MAC, 0x88CC, tags=tags)))
    assert "ethernet 12xvlan " in line


def test_json_of_a_class_without_a_message() -> None:
    entry = report.as_json(entry_of(build.ethernet(*MAC, 0x88F7, b"\0\1")))
    assert entry["ptp"] == {"class": 0x41, "type": None, "sequence": None}


@pytest.mark.parametrize("protocol", [4, 47, 132])
def test_an_upper_layer_that_the_lab_does_not_read_is_not_checkable(protocol: int) -> None:
    """IP in IP, GRE, SCTP: no key of ``checksums`` stands for them, so a note says it, and why."""
    packets = (
        (0x0800, build.ipv4("10.0.0.1", "10.0.0.2", protocol, bytes(20)), {"ipv4": "right"}),
        (0x86DD, build.ipv6("fe80::1", "fe80::2", protocol, bytes(20)), {}),
    )
    for ethertype, packet, checksums in packets:
        entry = entry_of(build.ethernet(*MAC, ethertype, packet))
        assert report.as_json(entry)["checksums"] == checksums
        assert report.as_json(entry)["notes"] == [
            f"IP protocol {protocol}, which the lab does not read",
            "its checksum, if any, is not checkable",
        ]
        assert report.as_line(entry).endswith("; its checksum, if any, is not checkable")


def test_json_says_why_a_checksum_is_not_checkable() -> None:
    fragment = build.ethernet(
        *MAC, 0x0800, build.ipv4("10.0.0.1", "10.0.0.2", 6, TCP4[34:], more_fragments=True)
    )
    assert report.as_json(entry_of(fragment))["notes"] == [
        "tcp: a fragment; the checksum covers the whole datagram"
    ]
    nothing = build.ethernet(*MAC, 0x86DD, build.ipv6("fe80::1", "fe80::2", 59, b""))
    assert report.as_json(entry_of(nothing))["notes"] == []


def test_time_text() -> None:
    times = (0, 1_000, 1_000_000_001, -1_500_000_000, 10**18)
    assert [report.time_text(ns) for ns in times] == [
        "0.000000", "0.000001", "1.000000", "-1.500000", "1000000000.000000",
    ]  # fmt: skip
    assert [report.time_text(ns, 9) for ns in times] == [
        "0.000000000", "0.000001000", "1.000000001", "-1.500000000", "1000000000.000000000",
    ]  # fmt: skip


MICRO, NANO = interface(), interface("<", 1, 0, (9, b"\x09"))


@pytest.mark.parametrize(
    ("octets", "second"),
    [
        (pcap(), "0.001001"),
        (pcap(magic=0xA1B23C4D, tick_ns=1), "0.001001000"),  # whole microseconds, and all nine decimals
        (section() + MICRO + enhanced("<", 0, 1, UDP4) + enhanced("<", 0, 3, UDP4), "0.000002"),
        (section() + NANO + enhanced("<", 0, 1, UDP4) + enhanced("<", 0, 1001, UDP4), "0.000001000"),
        (section() + MICRO + enhanced("<", 0, 1, UDP4) + NANO + enhanced("<", 1, 1001, UDP4), "0.000000001"),
    ],
    ids=["pcap", "pcap, ns", "pcapng", "pcapng, ns", "pcapng, both"],
)
def test_one_resolution_per_capture(
    octets: bytes, second: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "some.pcap"
    path.write_bytes(octets)
    assert main(["inspect", str(path), "--limit", "2"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in out[1:3]] == [f"{0:.{len(second) - 2}f}", second]
    assert f", {second} s from " in out[4]


def test_totals_of_every_verdict() -> None:
    totals = report.Totals()
    for entry in report.entries(Record(edge.frame, 0, len(edge.frame)) for edge in EDGES):
        totals.add(entry)
    text = totals.text()
    assert "checksum   right   wrong   partial   absent   not checkable" in text
    for verdict in ("wrong", "partial", "absent", "not checkable"):
        assert f"\n{verdict}: " in text
    assert "       2  nothing read\n" in text
    expected = Counter(pair for edge in EDGES for pair in edge.verdicts.items())
    counted = {
        (name, verdict.value): count
        for name, counts in totals.checksums.items()
        for verdict, count in counts.items()
    }
    assert counted == expected


def test_totals_of_nothing_and_of_times_beyond_the_calendar() -> None:
    totals = report.Totals()
    assert totals.text() == "0 frames, 0 bytes"
    totals.add(entry_of(UDP4, time_ns=10**30))
    assert totals.text().startswith(
        "1 frame, 53 bytes, 0.000000 s from 1000000000000000000000.000000 s after 1970"
    )


def test_batches_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [Record(edge.frame, number, len(edge.frame)) for number, edge in enumerate(EDGES)]
    whole = list(report.entries(records))
    monkeypatch.setattr(report, "_BATCH", 7)
    assert list(report.entries(records)) == whole
    assert [entry.number for entry in whole] == list(range(1, len(EDGES) + 1))


# ---- hex on standard input


def dump(form: str) -> str:
    """The frame as a hexdump, sixteen bytes a line."""
    return "\n".join(
        form.format(
            offset=offset,
            octets=row.hex(" "),
            words=row.hex(" ", -2),
            characters="".join(chr(octet) if 32 <= octet < 127 else "." for octet in row),
        )
        for offset, row in ((i, UDP4[i : i + 16]) for i in range(0, len(UDP4), 16))
    )


SPELLINGS = {
    "plain": UDP4.hex(),
    "upper case": UDP4.hex().upper(),
    "blanks": UDP4.hex(" "),
    "colons": UDP4.hex(":"),
    "words": UDP4.hex(" ", 2),
    "dots": UDP4.hex(".", 2),
    "0x before each": " ".join(f"0x{octet:02x}" for octet in UDP4),
    "a C array": ", ".join(f"0x{octet:02X}" for octet in UDP4),
    "one 0x": "0x" + UDP4.hex(),
    "lines": "\n".join(UDP4[i : i + 16].hex(" ") for i in range(0, len(UDP4), 16)) + "\n\n",
    "tcpdump -xx": dump("\t0x{offset:04x}:  {words}"),
    "tcpdump -XX": dump("\t0x{offset:04x}:  {words:<39}  {characters}"),
    "xxd": dump("{offset:08x}: {words:<39}  {characters}"),
    "Wireshark": dump("{offset:04x}   {octets}\r"),
    "tshark -x": dump("{offset:04x}  {octets:<47}   {characters}"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("arguments", [[], ["-"]])
def test_hex(
    spelling: str,
    arguments: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pipe_in(monkeypatch, SPELLINGS[spelling].encode())
    assert main(["inspect", "--json", *arguments]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out), err) == (
        {
            "index": 1,
            "time_ns": 0,
            "length": len(UDP4),
            "layers": ["ethernet", "ipv4", "udp"],
            "ptp": None,
            "checksums": {"ipv4": "right", "udp": "right"},
            "notes": [],
        },
        "",
    )


def test_hex_for_people_has_no_totals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe_in(monkeypatch, UDP4.hex().encode())
    assert main(["inspect"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_group_that_looks_like_an_offset_is_data_unless_it_is_the_offset() -> None:
    assert cli_inspect.frame_from_hex("0000 5e00") == bytes.fromhex("00005e00")
    assert cli_inspect.frame_from_hex("0010  5e00") == bytes.fromhex("00105e00")
    assert cli_inspect.frame_from_hex("0000  5e00\n0002  01") == bytes.fromhex("5e0001")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no hex digits; pipe the bytes of a frame, or name a capture file"),
        (b" \n0x\n", "no hex digits"),
        (b"02 00 zz", "'zz' in line 1 is not whole bytes of hex digits; give two digits a byte"),
        (b"02\n0", "'0' in line 2 is not whole bytes"),
        (b"0200 E..(", "'E' in line 1"),
        ("02 0€".encode(), "line 1"),
        (b"\xd4\xc3\xb2\xa1\0\0", "binary data, not hex; to read a piped capture, name /dev/stdin"),
        (b"00" * (1 << 20) + b"00", "more than the hex of one frame"),
    ],
    ids=short,
)
def test_what_is_no_hex(
    data: bytes, why: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe_in(monkeypatch, data)
    assert main(["inspect"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("lan966x-lab: standard input: ")
    assert why in err


def test_a_terminal_is_no_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal())
    assert main(["inspect"]) == 2
    assert "name a capture file, or pipe the hex of a frame" in capsys.readouterr().err


# ---- files that are none, or not whole


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "No such file or directory"),
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: path.touch(), "the file is empty"),
        (lambda path: path.write_text("hello"), "neither pcap nor pcapng"),
    ],
)
def test_no_capture(make: Any, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "given"
    make(path)
    assert main(["inspect", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert str(path) in err
    assert why in err
    assert err.count("\n") == 1


def test_no_permission(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr("builtins.open", refuse)
        assert main(["inspect", "secret.pcap"]) == 2
    assert capsys.readouterr().err == "lan966x-lab: cannot read secret.pcap: Permission denied\n"


def test_a_refused_interface_comes_late_but_clearly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mixed.pcapng"
    mine, other = enhanced("<", 0, 0, UDP4), enhanced("<", 1, 0, UDP4)
    path.write_bytes(section() + interface() + interface("<", 113) + mine + other)
    assert main(["inspect", str(path)]) == 2
    assert "interface 1 has link type 113" in capsys.readouterr().err


def test_a_cut_off_file_gives_its_frames_and_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.pcap"
    path.write_bytes(data_path("captures", "ping-odd.pcap").read_bytes()[:-1])
    assert main(["inspect", str(path), "--json"]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 47
    assert err.startswith(f"lan966x-lab: {path} is cut off or damaged after frame 47: at byte ")


@pytest.mark.parametrize("limit", ["1", "47", "48", "1000"])
def test_limit(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(inspect_json("ping-odd.pcap", capsys, "--limit", limit)) == min(48, int(limit))


@pytest.mark.parametrize("limit", ["0", "-3"])
def test_no_limit(limit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", "no.pcap", f"--limit={limit}"]) == 2
    assert f"--limit {limit}: the number of frames must be 1 or more" in capsys.readouterr().err


# ---- pipes and terminals


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "lan966x_lab", "inspect", *arguments]


@pytest.mark.parametrize("option", [[], ["--json"], ["--limit=1"]])
def test_nobody_reads_any_more(option: list[str]) -> None:
    """A reader like ``head`` that goes away ends the command without a word, however early it goes."""
    path = str(data_path("captures", "ptp-l2-p2p.pcap"))
    reading, writing = os.pipe()
    os.close(reading)
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(
        command(path, *option), stdout=writing, stderr=subprocess.PIPE, check=False, env=buffered
    )
    os.close(writing)
    assert done.stderr == b""


def test_a_piped_capture() -> None:
    data = data_path("captures", "ping-odd.pcap").read_bytes()
    done = subprocess.run(command("/dev/stdin", "--json"), input=data, capture_output=True, check=True)
    assert len(done.stdout.splitlines()) == 48


@pytest.mark.parametrize(
    ("large", "stdout_is_terminal", "shown"), [(0, False, True), (0, True, False), (1 << 30, False, False)]
)
def test_progress(large: int, stdout_is_terminal: bool, shown: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar for a large file, on standard error, and not between the lines on the same terminal."""
    out, err = Terminal() if stdout_is_terminal else io.StringIO(), Terminal()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    monkeypatch.setattr(cli_inspect, "_LARGE", large)
    path = str(data_path("captures", "ping-odd.pcap"))
    options = argparse.Namespace(file=path, limit=None, json=True)
    assert cli_inspect.run_inspect(options) == 0
    assert len(out.getvalue().splitlines()) == 48
    assert ("%" in err.getvalue()) == shown
