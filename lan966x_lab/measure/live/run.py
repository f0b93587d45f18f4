"""Start the live wire in a process of its own, follow it, and make a recording of what it reports."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from lan966x_lab import __version__
from lan966x_lab.measure.live.plan import Plan
from lan966x_lab.measure.live.recording import Recording
from lan966x_lab.measure.live.tools import MissingError, WireError, find, missing, private_network
from lan966x_lab.measure.timed import timing

Progress = Callable[[Mapping[str, Any]], None]
_ENDING_SECONDS = 5


def measure(plan: Plan, progress: Progress = lambda event: None) -> Recording:
    """Run `plan` on this computer; `progress` is given every event of the worker (see `worker`).

    Nothing is left behind, whatever happens: see `hosts`.

    Raises:
        MissingError: Linux, a program, or the permission is missing; the message says which.
        WireError: something on the wire failed.
    """
    if reason := missing(plan.programs):
        raise MissingError(reason)
    runs: list[Mapping[str, Any]] = []
    found: dict[str, Mapping[str, Any]] = {}
    date = datetime.now(UTC).isoformat(timespec="seconds")
    with closing(_events(plan)) as events:
        for event in events:
            kind = event.pop("event")
            if kind == "error":
                raise WireError(event["text"])
            if kind == "run":
                runs.append(event)
            elif kind in ("ping", "ptp"):
                found[kind] = event
            progress({"event": kind, **event})
    return Recording(
        date,
        timing.machine(),
        _versions(plan),
        plan,
        tuple(runs),
        found.get("ping"),
        found.get("ptp"),
    )


def _events(plan: Plan) -> Generator[dict[str, Any], None, None]:
    command = [*private_network(), sys.executable, "-m", "lan966x_lab.measure.live.worker"]
    worker = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    is_done = False
    try:
        worker.stdin.write(json.dumps(plan.to_json()) + "\n")
        worker.stdin.flush()
        for line in worker.stdout:
            event = json.loads(line)
            is_done = event["event"] in ("done", "error")
            yield event
        if not is_done:
            raise WireError(
                f"the process that is the wire ended with status {worker.wait()} before its work was done; "
                "what it said stands above"
            )
    finally:
        worker.stdin.close()  # it takes this as the order to end
        try:
            worker.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            worker.kill()
            worker.wait()
        worker.stdout.close()


def _versions(plan: Plan) -> dict[str, str]:
    asked = {"iperf3": "--version", "ptp4l": "-v", "ping": "-V", "ip": "-V"}
    found = {"lan966x_lab": __version__, "kernel": platform.release(), "python": platform.python_version()}
    for program in (*plan.programs, "ip"):
        said = subprocess.run(
            [find(program), asked[program]], capture_output=True, text=True, check=False, env=os.environ
        )
        found[program] = (said.stdout or said.stderr).splitlines()[0].strip()
    return found
