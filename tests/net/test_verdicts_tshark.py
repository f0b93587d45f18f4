"""The verdicts against Wireshark's, for every frame of the captures and for the edge cases.

What tshark said of the captures is stored in ``data/tshark_verdicts.csv``, one line for each run of frames
with the same answer; where tshark is installed, it is asked again, about the edge cases as well. Write the
file anew with ``python tests/net/test_verdicts_tshark.py``.
"""

import csv
import shutil
import subprocess
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
from edge_frames import EDGES

from lan966x_lab import data_path
from lan966x_lab.net import captures, frames, verdicts

STORED = Path(__file__).parent / "data" / "tshark_verdicts.csv"
CAPTURES = sorted(path.name for path in data_path("captures").glob("*.pcap"))
FIELDS = {"ipv4": "ip", "tcp": "tcp", "udp": "udp", "icmp": "icmp", "icmpv6": "icmpv6"}
STATUS = {"": "", "0": "bad", "1": "good", "2": "unverified", "3": "not present", "4": "illegal"}
# What tshark calls a verdict of ours. It knows no partial sums, and gives nothing where it finds no header.
AGREE = {
    "right": {"good"},
    "wrong": {"bad", "illegal"},
    "partial": {"bad"},
    "absent": {"not present"},
    "not_checkable": {"unverified", ""},
}
# Edge cases where tshark and we part ways, each with the reason.
DIFFERENT = {
    ("tcp4 cut off", "tcp"): "tshark takes the end of a frame for the end of its packet",
    ("ipv4 length below header", "ipv4"): "tshark gives up before it adds up",
    ("tcp header length 16", "tcp"): "tshark gives up before it adds up; the sum does not need that field",
    ("udp4 none, length 100", "udp"): "tshark looks for a checksum before it looks at the length",
    ("routing type 9", "udp"): "tshark assumes that an unknown type leads nowhere else",
    ("ip in ip", "tcp"): "tshark looks into the tunnel",
    ("icmp error with a wrong datagram in it", "udp"): "tshark looks into the quoted packet",
}
OPTIONS = [
    "ip.check_checksum:TRUE", "tcp.check_checksum:TRUE", "udp.check_checksum:TRUE",
    "ip.defragment:FALSE", "ipv6.defragment:FALSE",  # a frame at a time, as we do
]  # fmt: skip

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def ask_tshark(path: Path) -> list[dict[str, str]]:
    """For each frame the status of each checksum: the first of its kind, so the outermost."""
    command = ["tshark", "-r", str(path), "-T", "fields", "-E", "separator=,", "-E", "occurrence=f"]
    command += [word for option in OPTIONS for word in ("-o", option)]
    command += [word for field in FIELDS.values() for word in ("-e", f"{field}.checksum.status")]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [dict(zip(FIELDS, map(STATUS.__getitem__, line.split(",")), strict=True)) for line in lines]


@cache
def ours(name: str) -> list[dict[str, str]]:
    parsed = [frames.parse(frame) for frame in captures.read(data_path("captures", name)).frames]
    return [
        {header: check.verdict.value for header, check in found.items()}
        for found in verdicts.check_batch(parsed)
    ]


def agree(verdict: str | None, status: str) -> bool:
    return status in AGREE[verdict] if verdict else status == ""


def stored() -> dict[str, list[dict[str, str]]]:
    answers: dict[str, list[dict[str, str]]] = {}
    with STORED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            answers.setdefault(row["file"], []).extend(
                [{header: row[header] for header in FIELDS}] * int(row["frames"])
            )
    return answers


def write_stored() -> None:
    with STORED.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["file", "frames", *FIELDS])
        for name in CAPTURES:
            for answer, run in groupby(ask_tshark(data_path("captures", name))):
                writer.writerow([name, len(list(run)), *answer.values()])


@pytest.mark.parametrize("name", CAPTURES)
def test_stored_answers(name: str) -> None:
    for number, (own, other) in enumerate(zip(ours(name), stored()[name], strict=True), 1):
        for header, status in other.items():
            assert agree(own.get(header), status), f"frame {number}: {own} to us, {other} to tshark"


def test_every_capture_is_stored() -> None:
    assert sorted(stored()) == CAPTURES
    assert len(CAPTURES) == 9


@needs_tshark
@pytest.mark.parametrize("name", CAPTURES)
def test_tshark_says_what_is_stored(name: str) -> None:
    assert ask_tshark(data_path("captures", name)) == stored()[name]


@needs_tshark
def test_edge_cases(tmp_path: Path) -> None:
    edges = [edge for edge in EDGES if edge.frame]  # tshark skips a frame without bytes
    path = tmp_path / "edges.pcap"
    captures.write(path, [edge.frame for edge in edges], [0] * len(edges))
    theirs = ask_tshark(path)
    differences = {
        (edge.name, header)
        for edge, other in zip(edges, theirs, strict=True)
        for header, status in other.items()
        if not agree(edge.verdicts.get(header), status)
    }
    assert differences == set(DIFFERENT)


if __name__ == "__main__":
    write_stored()
