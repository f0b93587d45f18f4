"""The relay between two sockets that need no network, and what a computer may lack for the real one."""

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from lan966x_lab import cli, data_path
from lan966x_lab.driver import Options
from lan966x_lab.measure import live
from lan966x_lab.measure.live import tools
from lan966x_lab.measure.live.express import ExpressBoard
from lan966x_lab.measure.live.relay import Relay
from lan966x_lab.net import captures

Hosts = tuple[list[socket.socket], list[socket.socket]]
FRAMES = captures.read(data_path("captures", "ping-odd.pcap")).frames[:20]


@pytest.fixture
def hosts() -> Iterator[tuple[list[socket.socket], list[socket.socket]]]:
    """Datagram sockets: those of the hosts, and those of the lab."""
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
    for pair in pairs:
        for end in pair:
            end.setblocking(False)
    yield [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for pair in pairs:
        for end in pair:
            end.close()


def carry(relay: Relay, frames: int) -> None:
    turns = 0

    def until() -> bool:
        nonlocal turns
        turns += 1
        return turns > 200 or sum(side.read for side in relay.traffic) >= frames

    relay.run(until)


def drain(wire: socket.socket) -> list[bytes]:
    found = []
    while True:
        try:
            found.append(wire.recv(1 << 14))
        except BlockingIOError:
            return found


def padded(frame: bytes) -> bytes:
    return frame.ljust(60, b"\0")


def test_what_one_host_sends_the_other_gets(
    hosts: Hosts,
) -> None:
    (a, b), lab = hosts
    relay = Relay(ExpressBoard(Options()), lab, access_time=0)
    for frame in FRAMES[:5]:
        a.send(frame)
    b.send(FRAMES[5])
    carry(relay, 6)
    assert drain(b) == [padded(frame) for frame in FRAMES[:5]]
    assert drain(a) == [padded(FRAMES[5])]
    there, back = relay.traffic
    assert (there.read, there.delivered, there.sent, there.refused) == (5, 5, 5, 0)
    assert (back.read, back.delivered, back.sent, back.refused) == (1, 1, 1, 0)
    assert there.read_bytes == sum(map(len, FRAMES[:5]))
    assert there.sent_bytes == sum(len(padded(frame)) for frame in FRAMES[:5])
    relay.board.ledger.check_settled()


def test_a_host_that_takes_nothing_loses_frames_into_a_counter(
    hosts: Hosts,
) -> None:
    (a, b), lab = hosts
    b.close()
    for frame in FRAMES[:3]:
        a.send(frame)
    relay = Relay(ExpressBoard(Options()), [lab[0], lab[1]], access_time=0)
    carry(relay, 3)
    assert (relay.traffic[0].delivered, relay.traffic[0].sent, relay.traffic[0].refused) == (3, 0, 3)


def test_the_wait_is_what_the_accesses_cost(
    hosts: Hosts,
) -> None:
    (a, _), lab = hosts
    relay = Relay(ExpressBoard(Options()), lab, access_time=2.0)
    before = relay.access_ns()
    a.send(FRAMES[0].ljust(1514, b"x"))
    carry(relay, 1)
    assert (
        relay.waited_ns == 2 * (relay.access_ns() - before) > 2 * 378 * 570
    )  # each word: status, clock, write


# ---- what is missing ----


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tools, "_SEARCH", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    return tmp_path


def install(folder: Path, program: str, script: str = "exit 0") -> None:
    path = folder / program
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_missing_programs_are_named_with_the_line_that_installs_them(bin_folder: Path) -> None:
    for program in (*tools.ALWAYS, "ping"):
        if program != "ethtool":
            install(bin_folder, program)
    text = live.missing(("iperf3", "ping"))
    assert "ethtool, iperf3" in text
    assert text.endswith("sudo apt-get install ethtool iperf3")
    with pytest.raises(live.MissingError, match="iperf3"):
        tools.find("iperf3")


def test_a_refused_namespace_is_told_with_the_reason_and_the_remedy(bin_folder: Path) -> None:
    for program in tools.ALWAYS:
        install(bin_folder, program)
    install(bin_folder, "unshare", "echo 'unshare failed: Operation not permitted' >&2; exit 1")
    text = live.missing(())
    assert "Operation not permitted" in text
    assert "root" in text
    install(bin_folder, "unshare")
    assert live.missing(()) == ""


def test_another_system_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    assert "needs Linux" in live.missing()
    assert "darwin" in live.missing()


def test_the_command_says_what_is_missing_and_ends_with_2(
    bin_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["wire"]) == 2
    assert "sudo apt-get install iproute2" in capsys.readouterr().err
    with pytest.raises(live.MissingError):
        live.measure(live.Plan(ping=1))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--patch", "004"], "another device"),
        (["--patch", "nothing"], "the wire knows"),
        (["--seconds", "0"], "seconds is 0"),
        (["--rounds", "0"], "rounds is 0"),
        (["--udp", "1473"], "UDP payload 1473"),
        (["--access-time", "-1"], "access_time is -1"),
        (["--save", "no-such-folder/x.json"], "there is no folder"),
        (["--save", "."], "is a folder: name a file in it"),
        (["--save", os.devnull], "is no ordinary file: name a new one"),
        (["--no-tcp"], "nothing is left to run"),
    ],
)
def test_wrong_calls_are_refused_before_anything_happens(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["wire", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_place_where_nothing_can_be_saved_is_refused_before_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lan966x_lab.notebook_files.unwritable", lambda folder: "Read-only file system")
    assert cli.main(["wire", "--save", str(tmp_path / "x.json")]) == 2
    assert f"cannot write in {tmp_path} (Read-only file system)" in capsys.readouterr().err


def test_plans() -> None:
    plan = live.Plan(("001",), path=live.thread_path(("001",)), udp=(700,))
    assert plan.path == "manual"
    assert live.thread_path(live.EVERYTHING) == "fdma"
    assert plan.options("off") == Options()
    assert plan.options("on") == Options(check_fifo_first=True)
    assert plan.workloads == ("tcp", "udp 700")
    assert plan.programs == ("iperf3",)
    assert live.Plan.from_json(plan.to_json()) == plan
