"""A process that has imported everything, and forks for each job: the imports cost their time once.

``serve`` is the loop inside, ``Warm`` the handle outside. The two talk in lines: an order as JSON goes in,
the status of the child that did it comes out. Whoever stops a job ends the whole process group; the next job
starts a new one.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .jail import die_with_parent

__all__ = ["DISK", "Ended", "Warm", "serve"]

DISK = 256 << 20
"""Bytes that a job's folder may have before it is stopped."""


@dataclass(frozen=True)
class Ended:
    """How a job ended: by itself with a status (``why`` is "" then), or stopped, and why."""

    status: int
    why: str


class Warm:
    """One such process, for one job at a time; it is started when the first job comes.

    Args:
        command: a program that calls ``serve``.
        variables: the environment in which it is started.
    """

    def __init__(self, command: Sequence[str], variables: Mapping[str, str]) -> None:
        self._command, self._variables = list(command), dict(variables)
        self._process: subprocess.Popen[bytes] | None = None

    def run(
        self,
        job: Path,
        variables: Mapping[str, str],
        folder: Path,
        log: Path,
        seconds: float,
        cancelled: threading.Event,
    ) -> Ended:
        """Do one job to its end, or stop it and all that it started.

        Args:
            job: what ``serve`` hands to its function.
            variables: the job's environment.
            folder: where it starts, and what is measured while it runs.
            log: where its output goes.
            seconds: after that it is stopped.
            cancelled: stop it as soon as this is set.
        """
        order = {"job": str(job), "variables": dict(variables), "folder": str(folder), "log": str(log)}
        end, why = time.monotonic() + seconds, ""
        try:
            process = self._started()
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(order).encode() + b"\n")
            while not why:
                if select.select([process.stdout], [], [], 0.05)[0]:
                    reply = process.stdout.readline()
                    return Ended(int(reply) if reply else process.wait(), "")
                if cancelled.is_set():
                    why = "it was interrupted"
                elif time.monotonic() > end:
                    why = f"it did not end within {seconds:g} s"
                elif _size(folder) > DISK:
                    why = f"it wrote more than the {DISK >> 20} MiB that are allowed"
        except BaseException:
            self.close()
            raise
        self.close()
        return Ended(-signal.SIGKILL, why)

    def close(self) -> None:
        """Kill the process and its group; doing it twice is no mistake.

        A kernel has a group of its own. On Linux it dies with its parent (see ``jail``); elsewhere ipykernel
        looks every second whether its parent still lives.
        """
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._process = subprocess.Popen(
            self._command,
            env=self._variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            bufsize=0,
        )
        return self._process


def serve(do: Callable[[str], int]) -> None:
    """Read orders until there are no more; do each in a child, and print its status."""
    die_with_parent()
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            os._exit(_child(do, order))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _child(do: Callable[[str], int], order: Mapping[str, str]) -> int:
    """The child's whole life; it never returns into the loop."""
    die_with_parent()
    with open(order["log"], "wb", buffering=0) as log, open(os.devnull, "rb") as nothing:
        for source, number in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(source.fileno(), number)
    os.environ.clear()
    os.environ.update(order["variables"])  # type: ignore[arg-type]
    tempfile.tempdir = None  # it depends on the environment
    os.chdir(order["folder"])
    try:
        status = do(order["job"])
    except BaseException:  # to the log, as an interpreter does at its end
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def _size(folder: Path) -> int:
    total = 0
    for root, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(root, name)).st_blocks * 512
            except OSError:  # it has gone meanwhile
                continue
    return total
