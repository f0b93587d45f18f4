"""``parse`` against Wireshark's dissector, for each PTP frame of the captures and each message type made.

The rows that tshark gave are stored in ``data/tshark_ptp.csv``; where tshark is installed, it is asked again.
Write the file anew with ``python tests/net/test_ptp_tshark.py``.
"""

import csv
import shutil
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ptp_support import BODIES, all_captures, capture, ipv4, ipv6, l2, message, udp

from lan966x_lab import data_path
from lan966x_lab.net import captures, ptp

STORED = Path(__file__).parent / "data" / "tshark_ptp.csv"
MADE = [
    envelope(message(kind, body))
    for kind, body in BODIES.items()
    for envelope in (l2, lambda data: ipv4(udp(data)), lambda data: ipv6(udp(data + b"\0\0")))
]
TIMES = ("an.origintimestamp", "sdr.origintimestamp", "fu.preciseorigintimestamp", "dr.receivetimestamp",
         "pdrq.origintimestamp", "pdrs.requestreceipttimestamp", "pdfu.responseorigintimestamp")  # fmt: skip
# Our name of a number: tshark's names for it, of which one message has at most one.
FIELDS = {
    "message_type": ["messagetype"],
    "version": ["versionptp"],
    "minor_version": ["minorversionptp"],
    "length": ["messagelength"],
    "domain": ["domainnumber"],
    "flags": ["flags"],
    "correction_ns": ["correction.ns"],
    "correction_subns": ["correction.subns"],
    "type_specific": ["messagetypespecific"],
    "clock": ["clockidentity"],
    "port": ["sourceportid"],
    "sequence": ["sequenceid"],
    "control": ["controlfield"],
    "log_interval": ["logmessageperiod"],
    "seconds": [f"{name}.seconds" for name in TIMES],
    "nanoseconds": [f"{name}.nanoseconds" for name in TIMES],
    "other_clock": ["dr.requestingsourceportidentity", "pdrs.requestingportidentity",
                    "pdfu.requestingportidentity", "sig.targetportidentity", "mm.targetportidentity"],
    "other_port": ["dr.requestingsourceportid", "pdrs.requestingsourceportid", "pdfu.requestingsourceportid",
                   "sig.targetportid", "mm.targetportid"],
    "current_utc_offset": ["an.origincurrentutcoffset"],
    "grandmaster_priority1": ["an.priority1"],
    "grandmaster_clock_class": ["an.grandmasterclockclass"],
    "grandmaster_clock_accuracy": ["an.grandmasterclockaccuracy"],
    "grandmaster_clock_variance": ["an.grandmasterclockvariance"],
    "grandmaster_priority2": ["an.priority2"],
    "grandmaster_identity": ["an.grandmasterclockidentity"],
    "steps_removed": ["an.localstepsremoved"],
    "time_source": ["timesource"],
    "starting_boundary_hops": ["mm.startingboundaryhops"],
    "boundary_hops": ["mm.boundaryhops"],
    "action": ["mm.action"],
    "tlv_type": ["sig.tlv.tlvType", "mm.tlvType"],
}  # fmt: skip
COLUMNS = ["capture", "frame", *FIELDS]
Row = Mapping[str, object]


def from_tshark(name: str, path: Path) -> list[Row]:
    """What tshark says, a row for each PTP frame."""
    wanted = [f"ptp.v2.{field}" for fields in FIELDS.values() for field in fields]
    command = ["tshark", "-n", "-r", str(path), "-Y", "ptp", "-T", "fields", "-e", "frame.number"]
    done = subprocess.run(
        [*command, *(part for field in wanted for part in ("-e", field))],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    rows: list[Row] = []
    for line in done.stdout.splitlines():
        frame, *values = line.split("\t")
        given = dict(zip(wanted, values, strict=True))
        cells = {
            column: "".join(given[f"ptp.v2.{field}"] for field in fields) for column, fields in FIELDS.items()
        }
        rows.append({"capture": name, "frame": frame} | cells)
    return rows


def from_us(name: str, frames: list[bytes]) -> list[Row]:
    """The same row from ``parse``."""
    rows: list[Row] = []
    for number, frame in enumerate(frames, 1):
        found = ptp.parse(frame)
        if found is None:
            continue
        assert found.truncated is None
        assert found.source_port_identity is not None
        assert found.correction is not None
        nanoseconds, fraction = divmod(found.correction, 1 << 16)
        values = {
            **{column: getattr(found, column) for column in FIELDS if hasattr(found, column)},
            **{name: value for name, value in found.body.items() if isinstance(value, int)},
            "correction_ns": nanoseconds,
            "correction_subns": Fraction(fraction, 1 << 16),
            "clock": found.source_port_identity.clock_identity,
            "port": found.source_port_identity.port,
        }
        for value in found.body.values():
            if isinstance(value, ptp.Timestamp):
                values |= {"seconds": value.seconds, "nanoseconds": value.nanoseconds}
            elif isinstance(value, ptp.PortIdentity):
                values |= {"other_clock": value.clock_identity, "other_port": value.port}
        if found.tlvs:
            values["tlv_type"] = found.tlvs[0].type
        rows.append({"capture": name, "frame": number} | values)
    return rows


def numbers(row: Row) -> dict[str, Any]:
    """The filled cells as numbers, however they are written."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        text = str(value)
        if name == "capture":
            cells[name] = text
        elif text:
            cells[name] = int(text, 16) if text.startswith("0x") else Fraction(text)
    cells["correction_ns"] %= 1 << 64  # tshark 4.0 prints a negative one without its sign
    return cells


@cache
def stored() -> list[Row]:
    with STORED.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="session")
def made_capture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_made(tmp_path_factory.mktemp("made"))


def write_made(folder: Path) -> Path:
    captures.write(folder / "made.pcap", MADE, range(len(MADE)))
    return folder / "made.pcap"


CAPTURES = [name for name in all_captures() if name.startswith("ptp")]


@pytest.mark.parametrize("name", [*CAPTURES, "made"])
def test_agrees_with_the_stored_rows(name: str) -> None:
    want = [numbers(row) for row in stored() if row["capture"] == name]
    got = [numbers(row) for row in from_us(name, MADE if name == "made" else list(capture(name)))]
    assert len(want) == {"made": 30}.get(name, len(got)) > 20
    assert got == want


@pytest.mark.parametrize("name", [*CAPTURES, "made"])
def test_tshark_still_says_so(name: str, made_capture: Path) -> None:
    if not shutil.which("tshark"):
        pytest.skip("tshark is not installed")
    path = made_capture if name == "made" else data_path("captures", name)
    want = [numbers(row) for row in stored() if row["capture"] == name]
    assert [numbers(row) for row in from_tshark(name, path)] == want


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder, STORED.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for name in CAPTURES:
            writer.writerows(from_tshark(name, data_path("captures", name)))
        writer.writerows(from_tshark("made", write_made(Path(folder))))
    sys.stdout.write(f"{STORED.name}: {sum(1 for _ in STORED.open()) - 1} rows\n")
