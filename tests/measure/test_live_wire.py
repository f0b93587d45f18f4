"""A short live wire: real programs through the lab, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lan966x_lab.measure import live

REASON = live.missing()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON or "everything is there")


@pytest.fixture(scope="module")
def events() -> list[Mapping[str, Any]]:
    return []


@pytest.fixture(scope="module")
def recording(events: list[Mapping[str, Any]]) -> live.Recording:
    """One round of everything, once for all tests of this file."""
    interfaces = os.listdir("/sys/class/net")
    plan = live.Plan(seconds=1, rounds=1, udp=(700,), ping=5, ptp_seconds=8)
    found = live.measure(plan, events.append)
    assert os.listdir("/sys/class/net") == interfaces
    return found


def parts(recording: live.Recording) -> list[Mapping[str, Any]]:
    assert recording.ping is not None
    assert recording.ptp is not None
    return [*recording.runs, recording.ping, recording.ptp]


def test_ping_loses_nothing(recording: live.Recording) -> None:
    assert recording.ping_loss_percent == 0


def test_tcp_and_udp_arrive_on_both_sides(recording: live.Recording) -> None:
    assert [(run["workload"], run["side"]) for run in recording.runs] == [
        ("tcp", "off"),
        ("tcp", "on"),
        ("udp 700", "off"),
        ("udp 700", "on"),
    ]
    for comparison in recording.comparisons:
        for side in ("off", "on"):
            assert comparison.mbit[side].median > 0.5


def test_frames_are_conserved(recording: live.Recording) -> None:
    """What the lab read, its driver sent; what the driver received, the lab passed on."""
    for part in parts(recording):
        traffic, ledger = part["traffic"], part["ledger"]
        read = sum(side["read"] for side in traffic)
        assert read == sum(part["roads"].values()) == sum(n for end, n in ledger.items() if end[:2] == "tx")
        assert read == ledger["tx sent"] == ledger["rx delivered"]
        for side in traffic:
            assert side["read"] == side["delivered"] == side["sent"] + side["refused"]
            assert 0 <= side["sent_bytes"] - side["read_bytes"] <= 18 * side["read"]  # padding to 60 of 42


def test_bytes_of_iperf3_agree_with_those_of_the_lab(recording: live.Recording) -> None:
    for run in recording.runs:
        end, there = run["iperf3"]["end"], run["traffic"][0]
        assert 0 < end["sum_received"]["bytes"] <= there["sent_bytes"]
        if run["workload"] != "tcp":  # every datagram was read or found the lab's socket full
            assert end["sum_sent"]["packets"] <= there["read"] + run["socket_full"][0]


def test_the_patches_save_counted_work_for_every_frame(recording: live.Recording) -> None:
    for comparison in recording.comparisons:
        off, on = (comparison.per_frame[side] for side in ("off", "on"))
        assert off["register reads"] - on["register reads"] == pytest.approx(4, abs=0.1)  # the time of day
        assert off["register writes"] - on["register writes"] == pytest.approx(1, abs=0.1)


def test_plain_frames_take_the_lane_and_the_runs_say_so(recording: live.Recording) -> None:
    for run in recording.runs:
        assert run["roads"]["full"] <= 2
        assert run["roads"]["express"] > 100


def test_ptp4l_reaches_its_slave_state_and_its_frames_are_stamped(recording: live.Recording) -> None:
    assert recording.ptp_reached_slave
    assert len(recording.ptp_offsets) > 5
    assert recording.ptp is not None
    assert recording.ptp["timestamping"] == "software"
    assert recording.ptp["hardware"]["tx_stamped"] > 10
    assert recording.ptp["hardware"]["received with a time"] > 10


def test_progress_is_live_and_a_recording_survives_its_file(
    recording: live.Recording, events: list[Mapping[str, Any]], tmp_path: Path
) -> None:
    kinds = {event["event"] for event in events}
    assert {"progress", "run", "ping", "ptp", "done"} <= kinds
    recording.save(tmp_path / "x.json")
    again = live.load(tmp_path / "x.json")
    assert again.comparisons == recording.comparisons
    assert again.plan == recording.plan
    assert os.uname().nodename not in again.runs[0]["iperf3"]["start"]


# ---- nothing is left, whatever ends the run ----


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def of_session(session: int) -> list[str]:
    """The processes of a session that live, with their names."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = path.read_text().rpartition(")")
        except OSError:
            continue
        fields = rest.split()
        if fields[0] != "Z" and int(fields[3]) == session:
            found.append(name)
    return found


@pytest.mark.parametrize("how", ["Ctrl-C", "command killed", "command terminated", "wire killed"])
def test_nothing_is_left(how: str) -> None:
    interfaces = os.listdir("/sys/class/net")
    command = [sys.executable, "-m", "lan966x_lab", "wire", "--seconds", "60", "--rounds", "1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        session = wait_for_stream(process.pid)
        assert os.listdir("/sys/class/net") == interfaces
        victim, number = {
            "Ctrl-C": (process.pid, signal.SIGINT),
            "command killed": (process.pid, signal.SIGKILL),
            "command terminated": (process.pid, signal.SIGTERM),
            "wire killed": (session, signal.SIGKILL),
        }[how]
        os.kill(victim, number)
        _, errors = process.communicate(timeout=30)
        deadline = time.monotonic() + 15
        while (left := of_session(session)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert left == []
    finally:
        process.kill()
        process.wait()
    assert os.listdir("/sys/class/net") == interfaces
    if how == "Ctrl-C":
        assert process.returncode == 130
        assert "interrupted" in errors
    if how == "wire killed":
        assert process.returncode == 1
        assert "before its work was done" in errors


def wait_for_stream(pid: int) -> int:
    """The process that is the wire, once both hosts, a server and a client run."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for worker in children(pid):
            if sum("iperf3" in name for name in of_session(worker)) == 2:
                return worker
        time.sleep(0.05)
    raise AssertionError("no stream after 60 s")
