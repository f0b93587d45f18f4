"""A receive ring under load: how ring size, burst, budget and CPU time decide what is dropped."""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

from lan966x_lab.measure.counted.ringsim import Load, bursts, simulate

from ..palette import EDGE, HAIRLINE, INK, MUTED, TONES
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, number

__all__ = ["LoadExplorer"]

BLUE, ORANGE, GREEN, _, _, WINE = TONES
FRAMES = 10_000
POLL_NS, IRQ_NS = 1_500, 4_000
"""Assumed: what a poll costs besides its frames, and how long an interrupt takes to be answered."""
RINGS = (8, 16, 32, 64, 128, 256, 512)
_SWEEP = 2_500  # frames for each of these rings, in whole bursts
_SHOWN = 300  # frames in the picture of the ring, or two bursts where these have more
_LEFT, _RIGHT, _TOP, _FLOOR = 62, WIDTH - 24, 60, 214


class _Setting(NamedTuple):
    ring: int
    burst: int
    budget: int
    mbps: int
    cost_ns: int

    def run(
        self,
        frames: int,
        *,
        ring: int | None = None,
        watch: Callable[[int, int, int], object] | None = None,
    ) -> Load:
        return simulate(
            bursts(frames, burst=self.burst, load_mbps=self.mbps),
            ring=ring or self.ring,
            budget=self.budget,
            cost_ns=self.cost_ns,
            poll_ns=POLL_NS,
            irq_ns=IRQ_NS,
            watch=watch,
        )


class LoadExplorer(Explorer):
    """Frames come in bursts: see the ring fill and drain, and what is lost.

    The traits to drive it: ``ring``, ``burst``, ``budget``, ``mbps`` and ``cost`` (µs of CPU time for each
    frame).
    """

    def __init__(
        self, ring: int = 64, burst: int = 200, budget: int = 64, mbps: int = 400, cost: int = 20
    ) -> None:
        self.ring = number("Slots in the ring", ring, 1, 512)
        self.burst = number("Frames in a burst", burst, 1, 512)
        self.budget = number("Budget", budget, 1, 256, tip="frames that one poll may take")
        self.mbps = number("Mean load, Mbit/s", mbps, 10, 1000, step=10)
        self.cost = number("CPU time for a frame, µs", cost, 1, 100)
        super().__init__("A ring under load", [[self.ring, self.burst, self.budget], [self.mbps, self.cost]])

    def draw(self) -> Picture:
        """The first bursts against time, the counters of 10,000 frames, and the loss for other rings."""
        setting = _Setting(
            self.ring.value, self.burst.value, self.budget.value, self.mbps.value, self.cost.value * 1000
        )
        load = setting.run(FRAMES)
        some = max(1, _SWEEP // setting.burst) * setting.burst
        others = {ring: setting.run(some, ring=ring).loss for ring in RINGS} | (
            {setting.ring: load.loss} if setting.ring in RINGS else {}
        )
        svg = Svg(WIDTH, 434, "frames waiting in the ring, and what is lost")
        _draw_fill(svg, setting)
        _draw_counters(svg, load)
        _draw_others(svg, others)
        return Picture(svg, _sentence(setting, load, others))


def _sentence(setting: _Setting, load: Load, others: dict[int, float]) -> str:
    enough = next((ring for ring, loss in others.items() if not loss), None)
    advice = f"Of the rings below, {enough} slots are enough" if enough else "No ring below is large enough"
    busy = 1 - load.idle_ns / max(1, load.end_ns)
    return (
        f"{setting.ring} slots, bursts of {setting.burst}, budget {setting.budget}, {setting.mbps} Mbit/s, "
        f"{setting.cost_ns // 1000} µs a frame: {load.dropped:,} of {FRAMES:,} frames are lost "
        f"({_percent(load.loss)}), at most {load.peak} wait, the CPU is busy {100 * busy:.0f} % of the time. "
        f"{advice}."
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _draw_fill(svg: Svg, setting: _Setting) -> None:
    """How many frames wait, against time; a tick on the top edge for each frame that is lost."""
    seen: list[tuple[int, int, int]] = []
    count = max(2, ceil(_SHOWN / setting.burst)) * setting.burst
    peak = setting.run(count, watch=lambda *change: seen.append(change)).peak
    span = seen[-1][0] + setting.cost_ns
    if 2 * setting.burst >= _SHOWN:  # long bursts with long pauses: look at the first ones
        first = bursts(setting.burst, burst=setting.burst, load_mbps=setting.mbps)[-1]
        span = min(span, 3 * max(first, setting.cost_ns * setting.burst))
    most = setting.ring if 6 * peak >= setting.ring else 2 * peak
    across, up = (_RIGHT - _LEFT) / span, (_FLOOR - _TOP) / most
    svg.text(20, 30, "Frames that wait in the ring", size=15, bold=True)
    points: list[tuple[float, float]] = [(_LEFT, _FLOOR)]
    lost = 0
    for time, waiting, dropped in seen:
        x = _LEFT + time * across
        if x > _RIGHT:
            break
        points += [(x, points[-1][1]), (x, _FLOOR - waiting * up)]
        if dropped > lost:
            svg.line(x, _TOP - 12, x, _TOP - 4, stroke=WINE.strong)
            lost = dropped
    svg.polyline([*points, (_RIGHT, points[-1][1])], stroke=BLUE.strong, thick=1.5)
    svg.line(_LEFT, _FLOOR, _RIGHT, _FLOOR, stroke=EDGE)
    svg.text(_LEFT - 8, _FLOOR + 4, 0, size=12, anchor="end")
    svg.text(_LEFT - 8, _TOP + 4, most, size=12, anchor="end")
    if most == setting.ring:
        svg.line(_LEFT, _TOP, _RIGHT, _TOP, stroke=ORANGE.strong, thick=1.5, dash="6 4")
        svg.text(_LEFT + 4, _TOP + 16, "ring full", size=12, fill=ORANGE.strong)
    note = f"lost in this window: {lost}" if lost else "nothing is lost in this window"
    svg.text(_RIGHT, 30, note, anchor="end", size=12, fill=WINE.strong if lost else MUTED, bold=bool(lost))
    pitch_ns = next(n * 10**p for p in range(3, 12) for n in (1, 2, 5) if span <= 6 * n * 10**p)
    for time in range(0, span + 1, pitch_ns):
        x = _LEFT + time * across
        svg.line(x, _FLOOR, x, _FLOOR + 4, stroke=EDGE)
        anchor = "middle" if x < _RIGHT - 16 else "end"
        svg.text(x, _FLOOR + 18, f"{time / 1e6:g} ms", size=11, anchor=anchor, fill=MUTED)


def _draw_counters(svg: Svg, load: Load) -> None:
    y = 262
    svg.text(20, y, f"{FRAMES:,} frames, counted", bold=True)
    rows = (
        ("handed up", f"{load.delivered:,}"),
        ("lost", f"{load.dropped:,}"),
        ("interrupts", f"{load.interrupts:,}"),
        ("polls", f"{load.polls:,}"),
        ("of these, whole budget used", f"{load.exhausted:,}"),
        ("mean time until the stack is done", f"{load.mean_wait_ns / 1000:,.0f} µs"),
    )
    for place, (name, value) in enumerate(rows):
        at, bad = y + 24 + 20 * place, name == "lost" and load.dropped > 0
        svg.text(20, at, name, size=12.5)
        svg.text(330, at, value, size=12.5, anchor="end", bold=True, fill=WINE.strong if bad else INK)
    wire_ns = bursts(1, burst=1, load_mbps=1000)[0]
    svg.text(20, y + 148, f"in a burst a frame comes every {wire_ns / 1000:.1f} µs", size=11, fill=MUTED)
    assumed = f"assumed: {IRQ_NS / 1000:g} µs to answer an interrupt, {POLL_NS / 1000:g} µs for a poll"
    svg.text(20, y + 162, assumed, size=11, fill=MUTED)


def _draw_others(svg: Svg, others: dict[int, float]) -> None:
    left, floor, high, pitch = 400, 388, 92, 57
    svg.text(left - 10, 262, "The same load with other rings: share that is lost", bold=True)
    most = max(0.05, *others.values())
    for place, (ring, loss) in enumerate(others.items()):
        x = left + pitch * place
        tall = high * loss / most
        if loss:
            svg.rect(x, floor - tall, 40, tall, fill=WINE.soft, stroke=WINE.strong)
        else:
            svg.line(x, floor, x + 40, floor, stroke=GREEN.strong, thick=4)
        svg.text(x + 20, floor - tall - 6, _percent(loss) if loss else "none", size=12, anchor="middle")
        svg.text(x + 20, floor + 18, ring, size=12, anchor="middle", fill=MUTED)
    svg.line(left - 8, floor, left + pitch * len(others), floor, stroke=HAIRLINE)
    svg.text(left - 14, floor + 18, "slots", size=12, anchor="end", fill=MUTED)
