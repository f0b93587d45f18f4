"""The process that is the live wire: ``unshare -n python -m lan966x_lab.measure.live.worker``.

It reads a plan (one line of JSON) from standard input and writes events, one JSON object a line, to standard
output. It ends when its work is done, when its standard input is closed, and when its parent ends.
"""

from __future__ import annotations

import gc
import json
import os
import re
import select
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from lan966x_lab.driver import RxFilter, TxType
from lan966x_lab.measure.counted import work
from lan966x_lab.measure.live.express import ExpressBoard
from lan966x_lab.measure.live.hosts import ADDRESSES, Hosts, die_with_parent
from lan966x_lab.measure.live.plan import SIDES, TCP, Plan
from lan966x_lab.measure.live.relay import Relay
from lan966x_lab.measure.live.tools import WireError, find

TCP_WINDOW = "96K"
"""Less than the lab's sockets hold, so that a full queue slows the sender down and loses nothing."""
GRACE = 10
"""Seconds that a program may take longer than it was asked to run."""
AS_PTP = ["setpriv", "--bounding-set=-sys_time"]
"""Both hosts share the clock of this computer: nobody may steer it, the offset is measured and no more."""
PTP4L = """[global]
first_step_threshold 0
pi_proportional_const 0.7
pi_integral_const 0.3
time_stamping software
network_transport L2
logSyncInterval -3
logMinDelayReqInterval -3
logAnnounceInterval -1
summary_interval -3
verbose 1
use_syslog 0
"""
_OFFSET = re.compile(r"\[(\d+\.\d+)\].*master offset\s+(-?\d+) .*path delay\s+(-?\d+)")
_STATE = re.compile(r"\[(\d+\.\d+)\].*port 1.*: (\w+) to (\w+) on")


class Ended(Exception):  # noqa: N818 - nothing is wrong
    """Whoever wanted this run has gone."""


def emit(event: str, **fields: Any) -> None:
    """Tell the parent."""
    print(json.dumps({"event": event, **fields}), flush=True)


def check_parent() -> None:
    """Raises: Ended, when standard input was closed."""
    if select.select([0], [], [], 0)[0] and not os.read(0, 1):
        raise Ended


class Wire:
    """Runs programs on two hosts while the relay works."""

    def __init__(self, plan: Plan, hosts: Hosts) -> None:
        self.plan, self.hosts = plan, hosts

    def relay(self, side: str, *, stamp_ptp: bool = False) -> Relay:
        """A fresh board with the switches of a side. What waits in the sockets is thrown away."""
        for wire in self.hosts.sockets:
            try:
                while wire.recv(1):
                    pass
            except BlockingIOError:
                pass
        self.hosts.drops()
        board = ExpressBoard(self.plan.options(side), lane=self.plan.lane)
        return Relay(board, self.hosts.sockets, self.plan.access_time, stamp_ptp)

    def until_ended(
        self, relay: Relay, process: subprocess.Popen[bytes], seconds: float, label: dict[str, Any]
    ) -> None:
        """Relay until the program ends.

        Raises:
            WireError: it does not.
        """
        end = time.monotonic() + seconds + GRACE
        spoke, seen = time.monotonic(), 0

        def ended() -> bool:
            check_parent()
            if time.monotonic() > end:
                raise WireError(
                    f"{label} did not end in {seconds + GRACE} s: try again, or give it more time"
                )
            return process.poll() is not None

        def tick() -> None:
            nonlocal spoke, seen
            now = time.monotonic()
            if now - spoke >= 0.5:
                total = sum(side.sent_bytes for side in relay.traffic)
                emit("progress", **label, mbit=round((total - seen) * 8 / (now - spoke) / 1e6, 1))
                spoke, seen = now, total

        relay.run(ended, tick)

    def iperf3(self, workload: str, side: str, turn: int) -> None:
        """One run of iperf3 from host 0 to host 1."""
        plan = self.plan
        with tempfile.TemporaryFile() as heard, tempfile.TemporaryFile() as said:
            server = self.hosts.start(1, ["iperf3", "-s", "-1", "--forceflush"], stdout=heard)
            _wait_for(heard, b"listening", server)
            command = ["iperf3", "-c", ADDRESSES[1], "-J", "-t", str(plan.seconds)]
            if workload == TCP:
                command += ["-w", TCP_WINDOW]
            else:
                payload = int(workload.split()[1])
                command += ["-u", "-b", str(8 * payload * plan.offered), "-l", str(payload)]
            relay = self.relay(side)
            client = self.hosts.start(0, command, stdout=said)
            self.until_ended(relay, client, plan.seconds, _label(workload, side, turn))
            server.kill()
            server.wait()
            raw = _json(said, "iperf3")
        emit("run", workload=workload, side=side, turn=turn, iperf3=raw, **self.counted(relay))

    def counted(self, relay: Relay) -> dict[str, Any]:
        """What the lab counted; the books are checked first."""
        board = relay.board
        board.ledger.check()
        done = work.so_far(board)
        return {
            "traffic": [asdict(side) for side in relay.traffic],
            "socket_full": self.hosts.drops(),
            "roads": {"express": board.express, "full": board.full},
            "work": {**done.totals(), "virtual ns": done.ns, "access ns": relay.access_ns()},
            "waited_ns": relay.waited_ns,
            "cpu_ns": relay.cpu_ns,
            "ledger": {f"{flow} {end}": n for (flow, end), n in board.ledger.ended.items()},
        }

    def ping(self) -> None:
        """Echo requests from host 0 to host 1."""
        relay = self.relay("on")
        with tempfile.TemporaryFile() as said:
            count = str(self.plan.ping)
            process = self.hosts.start(0, ["ping", "-c", count, "-i", "0.2", ADDRESSES[1]], stdout=said)
            self.until_ended(relay, process, self.plan.ping * 0.2, _label("ping"))
            emit("ping", text=_text(said), **self.counted(relay))

    def ptp4l(self) -> None:
        """A master on host 0, a slave on host 1; the ports' receive filters ask for times of PTP frames."""
        seconds = self.plan.ptp_seconds
        relay = self.relay("on", stamp_ptp=True)
        for port in (0, 1):
            relay.board.hwtstamp(port, TxType.ON, RxFilter.PTP_V2_EVENT)
        with tempfile.TemporaryDirectory(prefix="lan966x-lab-") as folder, ExitStack() as stack:
            logs: list[IO[bytes]] = []
            for host, role in ((0, "priority1 10"), (1, "slaveOnly 1")):
                config = Path(folder, f"{host}.cfg")
                config.write_text(f"{PTP4L}{role}\nuds_address {folder}/{host}.socket\n", encoding="utf-8")
                logs.append(stack.enter_context(tempfile.TemporaryFile()))
                command = [*AS_PTP, find("ptp4l"), "-f", str(config), "-i", "eth0", "-m"]
                self.hosts.start(host, command, stdout=logs[host])
            timer = self.hosts.start(0, ["sleep", str(seconds)])
            self.until_ended(relay, timer, seconds, _label("ptp4l"))
            master, slave = (_text(log) for log in logs)
        emit(
            "ptp",
            timestamping="software",
            points=[[float(t), int(offset), int(delay)] for t, offset, delay in _OFFSET.findall(slave)],
            states={"master": _STATE.findall(master), "slave": _STATE.findall(slave)},
            hardware={
                "received with a time": relay.timed,
                **relay.board.driver.ptp.stats,
            },
            **self.counted(relay),
        )


def _label(workload: str, side: str = "on", turn: int = 1) -> dict[str, Any]:
    return {"workload": workload, "side": side, "turn": turn}


def _wait_for(log: IO[bytes], word: bytes, process: subprocess.Popen[bytes]) -> None:
    for _ in range(500):
        if word in os.pread(log.fileno(), 4096, 0):
            return
        if process.poll() is not None:
            break
        time.sleep(0.01)
    raise WireError(f"iperf3 did not start: {_text(log)}")


def _text(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read().decode(errors="replace")


def _json(log: IO[bytes], program: str) -> dict[str, Any]:
    text = _text(log)
    try:
        raw: dict[str, Any] = json.loads(text[text.find("{") :])  # warnings may stand before it
    except ValueError:
        raise WireError(f"{program} printed no JSON: {text[:200]!r}") from None
    if "error" in raw:
        raise WireError(f"{program}: {raw['error']}")
    raw["start"].pop("system_info", None)  # the name of this computer
    return raw


def perform(plan: Plan) -> None:
    """Everything that the plan asks for, in order."""
    with Hosts() as hosts:
        wire = Wire(plan, hosts)
        if plan.ping:
            wire.ping()
        for turn in range(1, plan.rounds + 1):
            for workload in plan.workloads:
                # Who comes first changes every round: a drift of the machine then meets both alike.
                for side in SIDES if turn % 2 else SIDES[::-1]:
                    wire.iperf3(workload, side, turn)
        if plan.ptp_seconds:
            wire.ptp4l()


def main() -> int:
    """Run; 0 done, 1 after an event that says what went wrong."""
    die_with_parent()
    line = sys.stdin.readline()
    if not line:  # the parent has ended already
        return 1
    gc.freeze()  # what is there stays: collections look only at what a frame leaves behind
    try:
        perform(Plan.from_json(json.loads(line)))
    except Ended:
        return 1
    except WireError as error:
        emit("error", text=str(error))
        return 1
    emit("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
