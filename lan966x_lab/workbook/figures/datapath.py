"""The pieces of the datapath explorer: a frame's time, rates and gains by frame size, the key to both."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.live import Side
from lan966x_lab.measure.model.datapath import LONGEST, SIZES, TOGETHER, WAITING, Part, View

from ..palette import AFTER, BEFORE, EDGE, EVIDENCE, HAIRLINE, INK, MUTED, PANEL, SLATE, TONES, Tone
from ..svg import WIDTH, Svg, text_width

__all__ = ["DEVICES", "draw_gains", "draw_key", "draw_rates", "draw_time", "times", "us"]

_BLUE, _ORANGE, _GREEN, _PLUM, _CYAN, _WINE = TONES
DEVICES: Mapping[str, str] = {
    "lan966x fdma rx": "LAN966x, DMA, receive",
    "lan966x fdma tx": "LAN966x, DMA, transmit",
    "lan966x manual tx": "LAN966x, word by word, transmit",
    "ocelot fdma tx": "Ocelot, DMA, transmit",
    "bcm4908 forward": "BCM4908, forwarding",
    "ravb rx": "R-Car (ravb), receive",
}
"""The paths of the cost model in words."""
_PART_TONES: Mapping[str, Tone] = {TOGETHER: SLATE, "fixed": SLATE, "per byte": _CYAN, "per word": _CYAN}


def us(band: Interval) -> str:
    """A band of ns in µs, as one number where both ends print alike."""
    low, high = (f"{float(end) / 1000:,.1f}" for end in (band.low, band.high))
    return f"{low} µs" if low == high else f"{low}–{high} µs"


def times(band: Interval) -> str:
    """A band of ratios."""
    low, high = (f"{float(end):.2f}" for end in (band.low, band.high))
    return f"× {low}" if low == high else f"× {low}–{high}"


# ---- where the nanoseconds go ----


def draw_time(svg: Svg, y: int, view: View, frame: int) -> None:
    """Two stacked bars, all patches off and some on, and what each part is; 138 pixels high."""
    left, right = 118, WIDTH - 150
    sides = {"patches off": view.before, "as switched": view}
    parts = {name: side.parts(frame) for name, side in sides.items()}
    whole = max(sum(part.ns for part in some) for some in parts.values())
    scale = (right - left) / whole
    svg.text(20, y, f"Where the nanoseconds of one frame go: {frame:,} bytes", size=15, bold=True)
    note = "computed from reported: one set of costs that fits"
    svg.text(WIDTH - 20, y, note, size=12, anchor="end", fill=EVIDENCE["reported"].strong)
    names = [part.name for part in parts["patches off"]]
    if WAITING not in names and any(part.name == WAITING for part in parts["as switched"]):
        names.append(WAITING)
    tones = _tones(names)
    for row, (name, side) in enumerate(sides.items()):
        top, x = y + 14 + 34 * row, float(left)
        svg.text(left - 12, top + 18, name, anchor="end", bold=row == 1, size=12)
        for part in parts[name]:
            tone, wide = tones[part.name], part.ns * scale
            idle = part.name == WAITING
            svg.rect(
                x,
                top,
                max(0.5, wide),
                26,
                fill=PANEL if idle else tone.soft,
                stroke=tone.strong,
                dash="4 3" if idle else "",
                title=f"{part.name}: {us(part.band)}",
            )
            note = f"{part.ns / 1000:,.1f}"
            if wide > text_width(note, 12) + 6:
                svg.text(x + wide / 2, top + 18, note, size=12, anchor="middle")
            x += wide
        svg.text(x + 8, top + 18, us(side.frame_ns(frame)), bold=True)
    left_over = {part.name for part in parts["as switched"]}
    _part_key(svg, y + 98, [(name, tones[name], name not in left_over) for name in names], parts)


def _tones(names: Iterable[str]) -> dict[str, Tone]:
    """Features get the strong tones in turn; what every frame pays stays quiet."""
    features = iter((_ORANGE, _PLUM, _WINE, _GREEN))
    return {name: _PART_TONES.get(name) or (SLATE if name == WAITING else next(features)) for name in names}


def _part_key(
    svg: Svg, y: int, rows: Sequence[tuple[str, Tone, bool]], parts: Mapping[str, Sequence[Part]]
) -> None:
    bands = {part.name: part.band for some in parts.values() for part in some}
    for index, (name, tone, gone) in enumerate(rows):
        x, line = 118 + 350 * (index % 2), y + 20 * (index // 2)
        svg.rect(x, line - 10, 12, 12, fill=PANEL if name == WAITING else tone.soft, stroke=tone.strong)
        words = f"{name}: {us(bands[name])}" + (", taken away" if gone else "")
        svg.text(x + 18, line, words, size=12, fill=MUTED if not gone else INK, bold=gone, fit=326)


# ---- rates and gains by frame size ----


class Plot:
    """Frame length to the right, linear; something else upwards."""

    def __init__(self, left: int, right: int, top: int, bottom: int, low: float, high: float) -> None:
        self.left, self.right, self.top, self.bottom, self.low, self.high = (
            left,
            right,
            top,
            bottom,
            low,
            high,
        )

    def x(self, frame: float) -> float:
        """Where a frame of so many bytes stands."""
        return self.left + (self.right - self.left) * frame / 1550

    def y(self, value: float) -> float:
        """Where a value stands; what lies outside, at the edge."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.bottom - (self.bottom - self.top) * share

    def frame(self, svg: Svg, marks: Mapping[float, str], frame: int, *, sizes: bool) -> None:
        """Grid lines with labels, the axis, and the chosen frame size."""
        for value, label in marks.items():
            svg.line(self.left, self.y(value), self.right, self.y(value), stroke=HAIRLINE)
            svg.text(self.left - 8, self.y(value) + 4, label, size=11, anchor="end", fill=MUTED)
        svg.line(self.left, self.bottom, self.right, self.bottom, stroke=EDGE)
        for size in (64, 256, 512, 1024, LONGEST):
            svg.line(self.x(size), self.bottom, self.x(size), self.bottom + 4, stroke=EDGE)
            if sizes:
                svg.text(self.x(size), self.bottom + 17, f"{size:,}", size=11, anchor="middle", fill=MUTED)
        svg.line(self.x(frame), self.top, self.x(frame), self.bottom, stroke=INK, dash="4 3")

    def band(self, svg: Svg, bands: Sequence[tuple[int, Interval]], tone: Tone, dash: str = "") -> None:
        """An area between the low and the high ends, with its two edges."""
        low = [(self.x(size), self.y(float(band.low))) for size, band in bands]
        high = [(self.x(size), self.y(float(band.high))) for size, band in bands]
        outline = " L".join(f"{x:.1f} {y:.1f}" for x, y in (*low, *reversed(high)))
        with svg.group(opacity=0.75):
            svg.path(f"M{outline} Z", fill=tone.soft)
        for edge in (low, high):
            svg.polyline(edge, stroke=tone.strong, thick=1.3, dash=dash)

    def square(self, svg: Svg, frame: float, value: float, tone: Tone, *, filled: bool) -> None:
        """A mark of the live wire."""
        x, y = self.x(frame), self.y(value)
        svg.rect(x - 4, y - 4, 8, 8, fill=tone.strong if filled else PANEL, stroke=tone.strong, thick=1.5)

    def dot(self, svg: Svg, frame: float, value: float, tone: Tone, *, filled: bool) -> None:
        """A mark of a published figure."""
        fill = tone.strong if filled else PANEL
        svg.circle(self.x(frame), self.y(value), 4.5, fill=fill, stroke=tone.strong, thick=1.5)


REPORTED, TIMED = EVIDENCE["reported"], EVIDENCE["timed here"]
_BOUNDS = (62, 556)
_KEY = 584


def draw_rates(svg: Svg, y: int, view: View, frame: int) -> None:
    """Throughput against frame size: line rate, the model's bands, published points, the live wire."""
    off = [(size, view.before.goodput(size)) for size in SIZES]
    on = [(size, view.goodput(size)) for size in SIZES]
    seen = [value for live in view.live for side in live.sides.values() for value in (side.median,)]
    highest = max([float(band.high) for _, band in (*off, *on)] + [p.mbit for p in view.published] + seen)
    step = next(n for n in (10, 25, 50, 100, 250) if highest * 1.06 <= 4 * n)
    plot = Plot(*_BOUNDS, y + 20, y + 206, 0, 4 * step)
    svg.text(20, y, "Throughput, Mbit/s of payload", size=13, bold=True)
    plot.frame(svg, {step * n: f"{step * n:,}" for n in range(5)}, frame, sizes=False)
    plot.band(svg, off, BEFORE, "5 3")
    plot.band(svg, on, AFTER)
    if (fastest := view.line_rate(LONGEST)) <= plot.high:
        line = [(plot.x(size), plot.y(view.line_rate(size))) for size in SIZES]
        svg.polyline(line, stroke=_GREEN.strong, thick=1.5, dash="2 3")
    else:
        note = f"line rate: {fastest:,.0f} at {LONGEST:,} bytes, far above"
        svg.text(plot.left + 8, plot.top + 12, note, size=11, fill=_GREEN.strong)
    for point in sorted(
        view.published, key=lambda point: point.features == view.features
    ):  # filled ones on top
        plot.dot(svg, point.frame, point.mbit, REPORTED, filled=point.features == view.features)
    for live in view.live:
        for name, side in live.sides.items():
            plot.square(svg, live.frame, side.median, TIMED, filled=name == "on")


def draw_gains(svg: Svg, y: int, view: View, frame: int) -> None:
    """How many times as fast as without patches, against frame size: here everything may be compared."""
    model = [(size, view.gain(size)) for size in SIZES]
    tops = [median(live.gains) for live in view.live] + [gain for _, gain in view.published_gains]
    low_ends = [float(band.low) for _, band in model]
    high = next((n for n in (1.2, 1.5, 2, 3) if 1.08 * max(*tops, *low_ends, 1) <= n), 3)
    plot = Plot(*_BOUNDS, y + 16, y + 112, 0.95 if high < 2 else 0.9, high)
    svg.text(20, y, "Gain: times as fast as with all patches off", size=13, bold=True)
    step = (high - 1) / 2
    plot.frame(svg, {1: "1", 1 + step: f"{1 + step:g}", high: f"{high:g}"}, frame, sizes=True)
    plot.band(svg, model, AFTER)
    if any(float(band.high) > high for _, band in model):
        worst = max(float(band.high) for _, band in model)
        note = f"↑ the band goes up to × {worst:.1f}"
        svg.text(plot.right, y, note, size=11, anchor="end", fill=AFTER.strong)
    for size, gain in view.published_gains:
        plot.dot(svg, size, gain, REPORTED, filled=True)
    for live in view.live:
        low, high_end = Side(live.gains).spread
        svg.line(plot.x(live.frame), plot.y(low), plot.x(live.frame), plot.y(high_end), stroke=INK, thick=1.5)
        plot.square(svg, live.frame, median(live.gains), TIMED, filled=True)
    svg.text(
        (plot.left + plot.right) / 2,
        plot.bottom + 33,
        "bytes of a frame, without FCS",
        size=11,
        anchor="middle",
        fill=MUTED,
    )


def draw_key(svg: Svg, y: int, view: View) -> None:
    """What the marks of both plots are, with date and computer of the recordings."""
    x = _KEY
    rows: list[tuple[Callable[[int], None], str, str]] = [
        (
            lambda at: svg.line(x, at, x + 24, at, stroke=_GREEN.strong, thick=1.5, dash="2 3"),
            "line rate",
            MUTED,
        ),
        (lambda at: _area(svg, at, BEFORE, "5 3"), "model, patches off", MUTED),
        (lambda at: _area(svg, at, AFTER, ""), "model, as switched", MUTED),
        (
            lambda at: svg.circle(x + 12, at, 4.5, fill=REPORTED.strong, stroke=REPORTED.strong),
            "published, as switched",
            REPORTED.strong,
        ),
        (
            lambda at: svg.circle(x + 12, at, 4.5, fill=PANEL, stroke=REPORTED.strong, thick=1.5),
            "published, other patches",
            REPORTED.strong,
        ),
    ]
    if view.live:
        rows += [
            (
                lambda at: svg.rect(x + 8, at - 4, 8, 8, fill=TIMED.strong),
                "live wire, patches on",
                TIMED.strong,
            ),
            (
                lambda at: svg.rect(x + 8, at - 4, 8, 8, fill=PANEL, stroke=TIMED.strong, thick=1.5),
                "live wire, patches off",
                TIMED.strong,
            ),
        ]
    for index, (mark, words, fill) in enumerate(rows):
        at = y + 19 * index
        mark(at)
        svg.text(x + 34, at + 4, words, size=12, fill=fill)
    at = y + 19 * len(rows) + 4
    for line in _live_note(view):
        svg.text(x, at, line, size=11, fill=MUTED, fit=WIDTH - x - 16)
        at += 15


def _area(svg: Svg, at: int, tone: Tone, dash: str) -> None:
    svg.rect(_KEY, at - 5, 24, 10, fill=tone.soft)
    for edge in (at - 5, at + 5):
        svg.line(_KEY, edge, _KEY + 24, edge, stroke=tone.strong, thick=1.3, dash=dash)


def _live_note(view: View) -> list[str]:
    if not view.live:
        return ["Nobody recorded these patches", "on the live wire of this path."]
    machines = {live.recording.machine.split(",")[0].replace("(R)", "") for live in view.live}
    dates = {live.recording.date[:10] for live in view.live}
    sizes = Counter(live.frame for live in view.live)
    traffic = {"TCP" if size == LONGEST else "UDP" for size in sizes}  # payloads of 1,448, and up to 1,460
    both = f"TCP at {LONGEST:,} bytes, elsewhere UDP"
    again = [f"{size:,}" for size, count in sizes.items() if count > 1]
    return [
        both if len(traffic) == 2 else traffic.pop(),
        f"recorded {', '.join(sorted(dates))}" + (f", {', '.join(again)} twice" if again else ""),
        *sorted(machines),
        "Python: compare its ratios only",
    ]
