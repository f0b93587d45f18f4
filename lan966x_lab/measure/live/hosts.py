"""Two hosts that know nothing of each other except what the lab carries between them.

Each host is a network namespace without a name, held open by one sleeping process, with one end of a veth
pair as its ``eth0``. The other ends stand in the namespace of this process, as AF_PACKET sockets. A namespace
lives as long as a process is in it, a veth pair as long as both its namespaces, and every process dies with
this one (PR_SET_PDEATHSIG). So nothing can be left behind, whatever ends the run: there is nothing to clean
up that the kernel does not clean up itself.

This module changes the network of the process that uses it, so only `worker` does, which runs in a private
namespace of its own.
"""

from __future__ import annotations

import ctypes
import os
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from lan966x_lab.measure.live.tools import WireError, find

ADDRESSES = ("10.96.6.1", "10.96.6.2")
OFFLOADS = ("tx", "rx", "sg", "tso", "gso", "gro")
"""Switched off: frames must be whole, at most 1514 bytes, and carry their checksums."""
ETH_P_ALL = 0x0003
SOL_PACKET, PACKET_STATISTICS, PACKET_IGNORE_OUTGOING = 263, 6, 23
PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def die_with_parent() -> None:
    """Ask the kernel to end this process when the thread that started it has ended."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass
class Hosts:
    """A context manager: both hosts, and ``sockets``, one for each, non-blocking."""

    sockets: list[socket.socket] = field(default_factory=list)
    _pids: list[int] = field(default_factory=list)
    _stack: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Hosts:
        try:
            for number, address in enumerate(ADDRESSES):
                self._build(number, address)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def start(
        self, host: int, command: Sequence[str], *, stdout: IO[bytes] | int = subprocess.DEVNULL
    ) -> subprocess.Popen[bytes]:
        """Start a program on host 0 or 1; it ends with this process at the latest."""
        inside = [find("nsenter"), "-t", str(self._pids[host]), "-n", find(command[0]), *command[1:]]
        return self._popen(inside, stdout)

    def _popen(self, command: Sequence[str], stdout: IO[bytes] | int) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.STDOUT if stdout != subprocess.DEVNULL else subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        self._stack.callback(_end, process)
        return process

    def _build(self, number: int, address: str) -> None:
        holder = self._popen([find("unshare"), "-n", find("sleep"), "infinity"], subprocess.DEVNULL)
        _wait_for_namespace(holder.pid)
        self._pids.append(holder.pid)
        here, ip = f"lan{number}", find("ip")
        peer = ["peer", "name", "eth0", "netns", str(holder.pid)]
        _run(ip, "link", "add", here, "type", "veth", *peer)
        inside = (find("nsenter"), "-t", str(holder.pid), "-n")
        off = [word for name in OFFLOADS for word in (name, "off")]
        for prefix, name in ((inside, "eth0"), ((), here)):
            if Path("/proc/net/if_inet6").exists():  # IPv6 would send frames that nobody asked for
                _run(*prefix, ip, "link", "set", name, "addrgenmode", "none")
            _run(*prefix, find("ethtool"), "-K", name, *off)
            _run(*prefix, ip, "link", "set", name, "up")
        _run(*inside, ip, "link", "set", "lo", "up")
        _run(*inside, ip, "address", "add", f"{address}/24", "dev", "eth0")
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self._stack.callback(wire.close)
        wire.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)  # what the lab itself sends is not for it
        wire.bind((here, ETH_P_ALL))
        wire.setblocking(False)
        self.sockets.append(wire)

    def drops(self) -> list[int]:
        """Frames of each host that found the lab's socket full, since the last call."""
        raw = [wire.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8) for wire in self.sockets]
        return [int.from_bytes(words[4:], "little") for words in raw]


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise WireError(f"`{' '.join(command)}` failed: {done.stderr.strip() or done.stdout.strip()}")


def _wait_for_namespace(pid: int) -> None:
    own = os.readlink("/proc/self/ns/net")
    for _ in range(500):
        try:
            if os.readlink(f"/proc/{pid}/ns/net") != own:
                return
        except OSError:
            break
        time.sleep(0.01)
    raise WireError("a network namespace could not be made: run as root, or allow user namespaces")


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
