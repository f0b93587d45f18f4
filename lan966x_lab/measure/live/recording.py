"""Recordings of live runs: written once, read and computed again by everyone else.

A recording is one JSON file: what ran, where, when, with which versions, and for every run the JSON of iperf3
as it came (the name of the computer is taken out) beside what the lab counted. No result is stored: rates,
medians and spreads are computed from the raw bytes and seconds each time.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from lan966x_lab import DamagedDataError, data_path, files
from lan966x_lab.measure.live.plan import SIDES, Plan

FORMAT = 1
RECORDED = ("000-1", "000-2-v2", "000-2", "001", "002-udp", "002", "003", "everything-sizes", "everything")
"""The recordings of ``data/live``: named one by one, so that none can be missing without a word."""


def mbit(run: Mapping[str, Any]) -> float:
    """What the receiver got, in Mbit/s of payload, from the raw bytes and seconds of iperf3."""
    received = run["iperf3"]["end"]["sum_received"]
    return float(received["bytes"] * 8 / received["seconds"] / 1e6)


def cpu_us_per_frame(run: Mapping[str, Any]) -> float:
    """CPU time of the lab's process for one frame, in µs: Python, the kernel for it, and the waiting."""
    return float(run["cpu_ns"] / max(1, sum(side["read"] for side in run["traffic"])) / 1e3)


@dataclass(frozen=True, slots=True)
class Side:
    """The runs of one side: median, and the spread (the quartiles; the whole range below four runs)."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle."""
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """Half of the runs lie between these (all of them when there are fewer than four)."""
        if len(self.values) < 4:
            return min(self.values), max(self.values)
        low, _, high = quantiles(self.values, n=4, method="inclusive")
        return low, high


def change_percent(sides: Mapping[str, Side]) -> float:
    """How much more "on" is than "off": the median over the rounds, each round compared with itself."""
    rounds = zip(sides["off"].values, sides["on"].values, strict=True)
    return median((on / off - 1) * 100 for off, on in rounds)


def is_clear(sides: Mapping[str, Side]) -> bool:
    """Whether the medians are further apart than the wider of the two spreads is wide.

    One round says nothing about spread: it is never clear.
    """
    off, on = (sides[side] for side in SIDES)
    width = max(high - low for low, high in (off.spread, on.spread))
    return len(off.values) > 1 and abs(on.median - off.median) > width


@dataclass(frozen=True, slots=True)
class Comparison:
    """One workload, off against on. ``per_frame`` is counted work for each frame that passed, by side."""

    workload: str
    mbit: Mapping[str, Side]
    cpu_us: Mapping[str, Side]
    per_frame: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Recording:
    """A live run. ``runs``, ``ping`` and ``ptp`` are what the worker reported; see `worker`."""

    date: str
    machine: str
    versions: Mapping[str, str]
    plan: Plan
    runs: tuple[Mapping[str, Any], ...]
    ping: Mapping[str, Any] | None = None
    ptp: Mapping[str, Any] | None = None

    def comparison(self, workload: str) -> Comparison:
        """The rounds of one workload that are complete on both sides.

        Raises:
            ValueError: there is none.
        """
        by_side = {
            side: {
                run["turn"]: run for run in self.runs if (run["workload"], run["side"]) == (workload, side)
            }
            for side in SIDES
        }
        turns = sorted(by_side["off"].keys() & by_side["on"].keys())
        if not turns:
            raise ValueError(
                f"no complete round of {workload!r}: recorded are {', '.join(self.plan.workloads)}"
            )
        runs = {side: [by_side[side][turn] for turn in turns] for side in SIDES}

        def each(figure: Callable[[Mapping[str, Any]], float]) -> dict[str, Side]:
            return {side: Side(tuple(map(figure, runs[side]))) for side in SIDES}

        return Comparison(
            workload, each(mbit), each(cpu_us_per_frame), {side: _per_frame(runs[side]) for side in SIDES}
        )

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """One for each workload."""
        return tuple(self.comparison(workload) for workload in self.plan.workloads)

    @property
    def ping_loss_percent(self) -> float:
        """Echo requests without a reply."""
        if self.ping is None:
            return math.nan
        found = re.search(r"([\d.]+)% packet loss", self.ping["text"])
        return float(found.group(1)) if found else math.nan

    @property
    def ptp_offsets(self) -> list[tuple[float, int, int]]:
        """(seconds since the first, offset from the master in ns, path delay in ns), as the slave says."""
        points = self.ptp["points"] if self.ptp else []
        return [(t - points[0][0], offset, delay) for t, offset, delay in points]

    @property
    def ptp_reached_slave(self) -> bool:
        """Whether the slave's port came to the state SLAVE."""
        return self.ptp is not None and any(new == "SLAVE" for _, _, new in self.ptp["states"]["slave"])

    def to_json(self) -> dict[str, Any]:
        """As the file has it."""
        return {
            "format": FORMAT,
            "date": self.date,
            "machine": self.machine,
            "versions": dict(self.versions),
            "plan": self.plan.to_json(),
            "runs": list(self.runs),
            "ping": self.ping,
            "ptp": self.ptp,
        }

    def save(self, path: Path) -> None:
        """Write the file; an existing one is replaced only when the new one is whole.

        Raises:
            files.WriteError: nothing was written, and what was there before still is.
        """
        files.write(path, f"{json.dumps(self.to_json(), separators=(',', ':'))}\n".encode())


def load(path: Path) -> Recording:
    """Read a recording.

    Raises:
        ValueError: it is none, or one of another format.
    """
    if (found := _read(path)) is None:
        raise ValueError(
            f"{path.name} is no recording of format {FORMAT}: `lan966x-lab wire --save` makes one"
        )
    return found


def recordings() -> dict[str, Recording]:
    """The recordings that come with the lab, by name; all of them, since pictures join several.

    Raises:
        FileNotFoundError: one is missing.
        DamagedDataError: one is no recording.
    """
    found = {}
    for name in RECORDED:
        path = data_path("live", f"{name}.json")
        if (one := _read(path)) is None:
            raise DamagedDataError(path, f"it is no recording of format {FORMAT}")
        found[name] = one
    return found


def _read(path: Path) -> Recording | None:
    """The recording in a file, or None when it holds something else, or a part of one."""
    try:
        raw = json.loads(path.read_bytes())
        if raw["format"] != FORMAT:
            return None
        fields = {name: raw[name] for name in ("date", "machine", "versions", "ping", "ptp")}
        return Recording(plan=Plan.from_json(raw["plan"]), runs=tuple(raw["runs"]), **fields)
    except (KeyError, TypeError, ValueError):  # no JSON, no text, or other fields
        return None


def _per_frame(runs: list[Mapping[str, Any]]) -> dict[str, float]:
    frames = max(1, sum(side["read"] for run in runs for side in run["traffic"]))
    return {name: sum(run["work"][name] for run in runs) / frames for name in runs[0]["work"]}
