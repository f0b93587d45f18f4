"""Seed 001 in pictures: one word's injection as a timeline, and where the first look helps or hurts."""

from typing import NamedTuple

from lan966x_lab.driver import Options
from lan966x_lab.hw.registers import Access, Costs
from lan966x_lab.measure.counted import fifo

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, number

BEFORE, AFTER = Options(), Options(check_fifo_first=True)
SIDES = {"timed poll at once": BEFORE, "look first": AFTER}
CURVE = range(0, 101, 10)


class Kind(NamedTuple):
    """A kind of step: its word for the legend, and its tone."""

    word: str
    tone: palette.Tone


KINDS = {
    "K": Kind("read the CPU's clock", palette.TONES[1]),
    "R": Kind("look at the status register", palette.TONES[0]),
    "W": Kind("write the word", palette.TONES[2]),
    "D": Kind("wait 10 µs", palette.SLATE),
}
_LEFT, _RIGHT = 24, WIDTH - 24


def word_timeline() -> Picture:
    """The accesses for one word, with the FIFO ready and not, on both sides; from the driver's own trace."""
    traces = {
        (side, ready): fifo.one_word(options, ready=ready)
        for ready in (True, False)
        for side, options in SIDES.items()
    }
    svg = Svg(WIDTH, 316, "What the CPU does for one word, with and without the first look")
    svg.text(_LEFT, 30, "What the CPU does for one word", bold=True, size=15)
    x = _LEFT
    for kind in KINDS.values():
        svg.rect(x, 44, 13, 13, fill=kind.tone.soft, stroke=kind.tone.strong)
        svg.text(x + 19, 55, kind.word, size=12)
        x += 34 + 7 * len(kind.word)
    y = 92
    for ready in (True, False):
        svg.text(_LEFT, y - 8, "the FIFO is ready" if ready else "the FIFO says no at first", bold=True)
        for side in SIDES:
            _draw_trace(svg, y, side, traces[side, ready])
            y += 44
        y += 34
    took = {key: trace[-1].time_ns for key, trace in traces.items()}
    fast, slow = SIDES
    return Picture(
        svg,
        f"With the FIFO ready, a word takes {took[slow, True]} ns when the driver looks first and "
        f"{took[fast, True]} ns when it starts the timed poll at once. When the FIFO says no, looking first "
        f"takes {took[slow, False] - took[fast, False]} ns longer.",
    )


def _draw_trace(svg: Svg, y: int, side: str, trace: tuple[Access, ...]) -> None:
    """One row of boxes; a wait is cut short and marked so."""
    x, scale, wait = 172.0, 0.26, 90.0
    svg.text(_LEFT, y + 21, side, size=12.5)
    last = 0
    for access in trace:
        tone = KINDS[access.kind].tone
        ns = access.time_ns - last
        width = wait if access.kind == "D" else ns * scale
        svg.rect(x, y, width, 32, fill=tone.soft, stroke=tone.strong)
        svg.text(x + width / 2, y + 14, access.kind, size=12, anchor="middle", bold=True)
        svg.text(
            x + width / 2, y + 27, "10 µs" if access.kind == "D" else str(ns), size=10.5, anchor="middle"
        )
        if access.kind == "D":
            for shift in (-4, 3):
                svg.line(x + 12 + shift, y + 36, x + 20 + shift, y - 4, stroke=palette.EDGE, thick=1.5)
        x += width + 2
        last = access.time_ns
    svg.text(x + 8, y + 21, f"{last:,} ns", size=12.5, bold=True)


class FifoExplorer(Explorer):
    """How often is the FIFO ready, what do clock and register cost: does the first look help?

    The traits to drive it: ``ready`` (percent of the words), ``ktime`` and ``read`` (ns).
    """

    def __init__(self, ready: int = 99, ktime: int = Costs().ktime_ns, read: int = Costs().read_ns) -> None:
        self.ready = number("FIFO is ready, % of words", ready, 0, 100)
        self.ktime = number("Clock read, ns", ktime, 0, 1000, step=10)
        self.read = number("Register read, ns", read, 10, 1000, step=10)
        super().__init__("Where the first look helps", [self.ready, self.ktime, self.read])

    def draw(self) -> Picture:
        """Two bars for the chosen readiness, and the gain for every readiness."""
        costs = Costs(read_ns=self.read.value, ktime_ns=self.ktime.value)
        ready = self.ready.value
        sides = {name: fifo.inject(options, ready) for name, options in SIDES.items()}
        gain = _gain_ns(ready, costs)
        even = fifo.break_even_percent(costs)
        svg = Svg(
            WIDTH, 356, "Time for one frame with and without the first look, and the gain for any readiness"
        )
        _draw_bars(svg, sides, costs)
        _draw_curve(svg, costs, ready, gain)
        return Picture(svg, _sentence(ready, sides, costs, gain, even))


def _gain_ns(ready: int, costs: Costs) -> int:
    return fifo.inject(BEFORE, ready).ns(costs) - fifo.inject(AFTER, ready).ns(costs)


def _shares(injection: fifo.Injection, costs: Costs) -> dict[str, int]:
    """The time of a frame by kind of step, in ns."""
    return {
        "W": injection.work.writes.total() * costs.write_ns,
        "R": injection.work.reads.total() * costs.read_ns,
        "K": injection.work.ktime_reads * costs.ktime_ns,
        "D": injection.delay_ns,
    }


def _draw_bars(svg: Svg, sides: dict[str, fifo.Injection], costs: Costs) -> None:
    svg.text(_LEFT, 30, "One frame of 1,514 bytes, µs of CPU time", bold=True)
    longest = max(injection.ns(costs) for injection in sides.values())
    left, width = 152, WIDTH - 152 - 110
    for row, (name, injection) in enumerate(sides.items()):
        y = 44 + 40 * row
        svg.text(_LEFT, y + 20, name, size=12.5)
        x = float(left)
        for kind, ns in _shares(injection, costs).items():
            share = width * ns / longest
            if share:
                svg.rect(x, y, share, 30, fill=KINDS[kind].tone.soft, stroke=KINDS[kind].tone.strong)
            if share > 40:
                svg.text(x + share / 2, y + 19, f"{kind} {ns / 1000:.0f}", size=12, anchor="middle")
            x += share
        svg.text(x + 8, y + 20, f"{injection.ns(costs) / 1000:.1f} µs", bold=True)
    svg.text(left, 138, "W: write registers · R: read registers · K: read the clock · D: wait", size=11.5)


def _draw_curve(svg: Svg, costs: Costs, ready: int, gain: int) -> None:
    """The gain over the readiness, with the line of no gain and the chosen point."""
    top, bottom, left, right = 178, 312, 92, _RIGHT - 120
    points = [(percent, _gain_ns(percent, costs)) for percent in CURVE]
    high = max(*(ns for _, ns in points), gain, 1000)
    low = min(*(ns for _, ns in points), gain, 0)

    def place(percent: int, ns: int) -> tuple[float, float]:
        return left + (right - left) * percent / 100, bottom - (bottom - top) * (ns - low) / (high - low)

    svg.text(_LEFT, 166, "Gain of the first look, µs a frame, by how often the FIFO is ready", bold=True)
    zero = place(0, 0)[1]
    svg.line(left, zero, right, zero, stroke=palette.EDGE, thick=1.5)
    svg.text(left - 8, zero + 4, "0", size=12, anchor="end")
    for value in (high, low):
        y = place(0, value)[1]
        if value and abs(y - zero) > 14:
            svg.text(left - 8, y + 4, _signed(value, 0), size=12, anchor="end")
    for percent in (0, 25, 50, 75, 100):
        x = place(percent, 0)[0]
        svg.line(x, bottom, x, bottom + 5)
        svg.text(x, bottom + 19, f"{percent} %", size=12, anchor="middle")
    svg.polyline([place(*point) for point in points], stroke=palette.TONES[0].strong, thick=2.5)
    x, y = place(ready, gain)
    svg.line(x, bottom, x, y, stroke=palette.TONES[1].strong, thick=1.5, dash="4 3")
    svg.circle(x, y, 6, fill=palette.TONES[1].strong, stroke=palette.PANEL, thick=2)
    svg.text(_RIGHT, top + 14, f"at {ready} %:", size=12.5, anchor="end")
    svg.text(_RIGHT, top + 34, f"{_signed(gain, 1)} µs", size=15, anchor="end", bold=True)
    svg.text(_RIGHT, top + 54, _verdict(gain), size=12.5, anchor="end")
    if zero - top > 26:
        svg.text(left + 8, top + 10, "above 0 it helps", size=11.5, fill=palette.MUTED)
    if bottom - zero > 18:
        svg.text(right - 16, bottom - 6, "below 0 it hurts", size=11.5, anchor="end", fill=palette.MUTED)


def _signed(ns: int, digits: int) -> str:
    """µs with a sign, and a proper minus."""
    return f"{ns / 1000:+.{digits}f}".replace("-", "−")


def _verdict(gain: int) -> str:
    return "it helps" if gain > 0 else "it hurts" if gain < 0 else "it is neutral"


def _sentence(ready: int, sides: dict[str, fifo.Injection], costs: Costs, gain: int, even: int | None) -> str:
    before, after = sides.values()
    refused = f"the FIFO refuses {before.refused} of {before.asked} words at first"
    times = (
        f"{before.ns(costs) / 1000:.1f} µs without the first look and {after.ns(costs) / 1000:.1f} µs with it"
    )
    if even is None:
        mark = "With a clock that costs nothing, the first look never pays."
    else:
        mark = f"With these costs it pays from about {even} % on."
    return f"At {ready} %, {refused}. The frame takes {times}: {_verdict(gain)}. {mark}"
