"""``lan966x-lab wire``: a real stream through the lab's driver, patches off and on."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lan966x_lab import notebook_files
from lan966x_lab.measure import live
from lan966x_lab.measure.live.recording import change_percent, is_clear, mbit

__all__ = ["run_wire"]

ALL = "all"


def run_wire(options: argparse.Namespace) -> int:
    """Run, print, and return 0; 1 when something on the wire failed, 2 when it could not begin.

    Args:
        options: ``patch`` (names, or "all"), ``seconds``, ``rounds``, ``path`` (None: what the patch is
            about), ``gro``, ``udp`` (payloads), ``no_tcp``, ``ping``, ``ptp``, ``full_model``,
            ``access_time``, ``save``.
    """
    patches = tuple(dict.fromkeys(live.EVERYTHING if ALL in options.patch else options.patch))
    try:
        plan = live.Plan(
            patches=patches,
            path=options.path or live.thread_path(patches),
            gro=options.gro,
            seconds=options.seconds,
            rounds=options.rounds,
            tcp=not options.no_tcp,
            udp=tuple(options.udp),
            ping=10 * options.ping,
            ptp_seconds=15 * options.ptp,
            lane=not options.full_model,
            access_time=options.access_time,
        )
    except ValueError as error:
        return _fail(str(error))
    if options.save and (reason := _unsavable(options.save.resolve())):
        return _fail(f"--save: {reason}")
    if reason := live.missing(plan.programs):
        return _fail(reason)
    print(_introduction(plan), flush=True)
    try:
        recording = live.measure(plan, _Progress())
    except live.WireError as error:
        return _fail(str(error), status=1)
    except KeyboardInterrupt:
        return _fail("interrupted; the wire is taken down, nothing is left.", status=130)
    print(summary(recording))
    if options.save:
        recording.save(options.save)
        print(f"Recorded in {options.save}")
    return 0


def _unsavable(file: Path) -> str:
    """Why no recording can be written there: asked before the run, which may take minutes."""
    if file.is_dir():
        return f"{file} is a folder: name a file in it"
    if file.exists() and not file.is_file():
        return f"{file} is no ordinary file: name a new one"
    if not file.parent.is_dir():
        return f"there is no folder {file.parent}: make it, or name another file"
    if problem := notebook_files.unwritable(file.parent):
        return f"cannot write in {file.parent} ({problem}): name a file in another folder"
    return ""


def _introduction(plan: live.Plan) -> str:
    model = "express lane (tested equal to the register model)" if plan.lane else "full register model"
    waits = (
        f"waits {plan.access_time:g} x what its register accesses cost in the model "
        "(read 200 ns, write 100 ns, clock 270 ns: our calibration), and "
        if plan.access_time
        else ""
    )
    return (
        f"off: none of the patches; on: {', '.join(plan.patches)}. Path {plan.path}, {model}.\n"
        f"What a frame costs here: the lab {waits}runs the driver's Python on this computer.\n"
        "Mbit/s of this computer, in this minute: compare off with on, not with the mails."
    )


class _Progress:
    """One line per run; on a terminal the rate of the moment as well."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()

    def __call__(self, event: Mapping[str, Any]) -> None:
        if event["event"] == "progress":
            if self._live:
                name = f"{event['workload']:>9} {event['side']:>3} {event['turn']:>3}"
                print(f"\r{name}  … {event['mbit']:7.1f} Mbit/s ", end="", file=sys.stderr, flush=True)
            return
        if self._live:
            print("\r" + " " * 48, end="\r", file=sys.stderr, flush=True)
        if event["event"] == "run":
            name = f"{event['workload']:>9} {event['side']:>3} {event['turn']:>3}"
            print(f"{name}    {mbit(event):7.1f} Mbit/s", flush=True)


def summary(recording: live.Recording) -> str:
    """The result as text: rates with their spread, counted work beside them, ping, ptp4l."""
    lines = []
    for each in recording.comparisons:
        lines.append(f"\n{each.workload}: median [quartiles] of {len(each.mbit['on'].values)} rounds")
        for side in ("off", "on"):
            rate, cpu, work = each.mbit[side], each.cpu_us[side], each.per_frame[side]
            lines.append(
                f"  {side:>3}  {rate.median:7.1f} [{rate.spread[0]:.1f}..{rate.spread[1]:.1f}] Mbit/s   "
                f"timed here {cpu.median:.0f} µs CPU a frame   counted a frame: "
                f"{work['register reads'] + work['register writes']:.1f} accesses, "
                f"{work['clock reads']:.1f} clock reads, "
                f"{work['header bytes loaded'] + work['header bytes stored']:.1f} header bytes"
            )
        for what, sides, unit in (("rate", each.mbit, "Mbit/s"), ("CPU time", each.cpu_us, "µs a frame")):
            verdict = "more than the spread" if is_clear(sides) else "NOT more than the spread"
            if len(sides["on"].values) == 1:
                verdict = "of one round, which says nothing about the spread"
            lines.append(
                f"  {what}: {sides['on'].median - sides['off'].median:+.1f} {unit} with the patches, "
                f"{change_percent(sides):+.1f} % (median of the rounds), {verdict}"
            )
    roads: dict[str, int] = {"express": 0, "full": 0}
    for run in recording.runs:
        for road, n in run["roads"].items():
            roads[road] += n
    lines.append(f"\nframes on the express lane {roads['express']}, through the full model {roads['full']}")
    if recording.ping:
        lines.append(f"ping: {recording.ping_loss_percent:g} % lost")
    if recording.ptp:
        offsets = sorted(abs(offset) for _, offset, _ in recording.ptp_offsets)
        state = "reached" if recording.ptp_reached_slave else "did NOT reach"
        middle = f"median |offset| {offsets[len(offsets) // 2] / 1e3:.1f} µs" if offsets else "no offset"
        lines.append(
            f"ptp4l: the slave {state} SLAVE; {middle} of {len(offsets)} (software time stamps; both hosts "
            "share one clock, so the offset is the error of the measurement). "
            f"The driver stamped: {json.dumps(recording.ptp['hardware'])}"
        )
    lines.append(recording.machine)
    return "\n".join(lines)


def _fail(message: str, *, status: int = 2) -> int:
    print(f"lan966x-lab wire: {message}", file=sys.stderr)
    return status
