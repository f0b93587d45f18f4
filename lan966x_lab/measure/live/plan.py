"""What to run on the live wire: the two sides that are compared, and the programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from lan966x_lab.driver import PATCHES, Options

EVERYTHING = ("000/1", "000/2 v2", "001", "002", "003")
"""Every patch that the driver of this chip can have. 004 belongs to another device (ravb)."""
TCP, SIDES = "tcp", ("off", "on")
MAX_PAYLOAD = 1472
"""Of UDP over IPv4 in a frame of 1500 bytes of payload, which the lab does not fragment."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One comparison.

    Attributes:
        patches: keys of `driver.PATCHES`; the side "on" has them all, the side "off" none.
        path: of both sides, ``"manual"`` or ``"fdma"``.
        gro: of both sides.
        seconds: of one iperf3 run.
        rounds: how often each side runs; they take turns.
        tcp: whether to run iperf3 with TCP.
        udp: iperf3 with UDP and these payloads in bytes.
        offered: frames a second that a UDP sender offers; more than the lab can carry.
        ping: how many echo requests to send first (0: none).
        ptp_seconds: how long ptp4l runs afterwards (0: not at all).
        lane: whether plain frames take the express lane; False is the full register model.
        access_time: real ns waited for each virtual ns of register access (see `relay`).
    """

    patches: tuple[str, ...] = EVERYTHING
    path: str = "fdma"
    gro: bool = False
    seconds: int = 3
    rounds: int = 5
    tcp: bool = True
    udp: tuple[int, ...] = ()
    offered: int = 20_000
    ping: int = 0
    ptp_seconds: int = 0
    lane: bool = True
    access_time: float = 1.0

    def __post_init__(self) -> None:
        for patch in self.patches:
            if patch not in EVERYTHING and patch != "000/2":
                known = ", ".join(key for key in PATCHES if key != "004")
                other = " 004 is a change of another device (driver.ravb)." if patch == "004" else ""
                raise ValueError(f"patch {patch!r}: the wire knows {known}.{other}")
        for name, low, high in (
            ("seconds", 1, 3600),
            ("rounds", 1, 1000),
            ("ping", 0, 1000),
            ("ptp_seconds", 0, 3600),
            ("offered", 1, 1_000_000),
            ("access_time", 0, 1000),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(f"{name} is {value}: allowed {low}..{high}")
        for payload in self.udp:
            if not 16 <= payload <= MAX_PAYLOAD:
                raise ValueError(f"UDP payload {payload}: allowed 16..{MAX_PAYLOAD} bytes")
        if not self.programs:
            raise ValueError("nothing is left to run: leave TCP in, or ask for UDP, ping or ptp4l")
        self.options("off")

    def options(self, side: str) -> Options:
        """The driver's switches on the side "off" or "on"."""
        base = replace(Options(), path=self.path, gro=self.gro)
        return base.patched(*self.patches) if side == "on" else base

    @property
    def workloads(self) -> tuple[str, ...]:
        """The names of what is compared: ``tcp``, ``udp 1460``, …"""
        return (TCP,) * self.tcp + tuple(f"udp {payload}" for payload in self.udp)

    @property
    def programs(self) -> tuple[str, ...]:
        """What has to be installed for it."""
        wanted = {"iperf3": self.workloads, "ping": self.ping, "ptp4l": self.ptp_seconds}
        return tuple(program for program, is_wanted in wanted.items() if is_wanted)

    def to_json(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Plan:
        """The reverse."""
        return cls(**{**fields, "patches": tuple(fields["patches"]), "udp": tuple(fields["udp"])})


def thread_path(patches: tuple[str, ...]) -> str:
    """The path that a patch is about: 001 changes manual injection only, the others show best on FDMA."""
    return "manual" if set(patches) == {"001"} else "fdma"
