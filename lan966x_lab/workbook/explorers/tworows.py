"""Two printed rows on one graph: is there one saving per frame that both of them allow?"""

from collections.abc import Iterable
from typing import NamedTuple

from lan966x_lab.measure import claims
from lan966x_lab.measure.interval import Bound, Interval
from lan966x_lab.measure.model.twofigures import Row, TwoRows

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, choice, number, switch

__all__ = ["LABELS", "TwoRowsExplorer", "printed_rows"]

LABELS = {"as printed": False, "of the small frames exchanged": True}
MOVED, FITS, MISSES = palette.TONES[1], palette.TONES[2], palette.TONES[5]

LOW, HIGH = -20_000, 40_000  # ns that can be tried
LEFT, RIGHT, TOP, BOTTOM = 56, 462, 62, 404  # of the graph
NS_TOP, NS_BOTTOM = 410_000, 264_000
PAYLOADS = 1660
PANEL = 496  # left edge of the panel beside it


class Try(NamedTuple):
    """A saving that was tried, and whether each row allows it."""

    saving: int
    big: bool
    small: bool


def printed_rows() -> TwoRows:
    """The two rows as they were first printed."""
    return TwoRows(*(Row.of(claims.get(name)) for name in ("002-big", "002-small")))


class TwoRowsExplorer(Explorer):
    """Time per frame against payload, with the rounding of every figure; you try a saving per frame.

    The traits to drive it: ``saving`` (ns), ``labels`` (a value of ``LABELS``), ``all`` (show the answer).
    """

    def __init__(self, saving: int = 0, exchanged: bool = False, show_all: bool = False) -> None:
        self.labels = choice("Labels", LABELS, exchanged)
        self.saving = number("Saving per frame, ns", saving, LOW, HIGH, step=500)
        self.all = switch("Show all that fit", show_all, tip="draw the whole range that each row allows")
        self._tried: dict[bool, dict[int, Try]] = {False: {}, True: {}}
        super().__init__("One saving for both rows", [self.labels, self.saving, self.all])

    def draw(self) -> Picture:
        """The graph, and beside it what was tried so far."""
        rows, saving = printed_rows(), self.saving.value
        rows = rows.exchanged() if self.labels.value else rows
        tried = self._tried[self.labels.value]
        tried[saving] = Try(saving, saving in rows.big.saving, saving in rows.small.saving)
        svg = Svg(WIDTH, 446, "time per frame against payload")
        svg.text(20, 28, "Time per frame, µs", size=15, bold=True)
        svg.text(WIDTH - 20, 28, "reported", size=12, anchor="end", fill=palette.EVIDENCE["reported"].strong)
        _axes(svg, rows)
        _line(svg, rows, 0)
        _line(svg, rows, saving)
        for row in (rows.big, rows.small):
            _row(svg, row, saving)
        _legend(svg)
        _panel(svg, rows, tried.values(), saving, show_all=self.all.value)
        return Picture(svg, self._sentence(rows, saving))

    def _sentence(self, rows: TwoRows, saving: int) -> str:
        found = "; ".join(_found(row, saving) for row in (rows.big, rows.small))
        said = f"Labels {self.labels.label}, {_us(saving)} µs saved: {found}."
        return f"{said} {_all_that_fit(rows)}" if self.all.value else said


def _found(row: Row, saving: int) -> str:
    at = f"at {row.payload:,} bytes the times"
    if saving in row.saving:
        return f"{at} meet"
    too_much = saving > row.saving.high
    apart = saving - row.saving.high if too_much else row.saving.low - saving
    far = "less than 0.1" if apart < 100 else _us(apart)  # never "0.0 µs apart"
    return f"{at} stay {far} µs apart, save {'less' if too_much else 'more'}"


def _all_that_fit(rows: TwoRows) -> str:
    if rows.common is None:
        ranges = f"{_range(rows.big.saving)} and {_range(rows.small.saving)}"
        return f"No saving fits both rows: {ranges} do not meet."
    return f"Both rows allow {_range(rows.common)}."


def _us(ns: Bound) -> str:
    return f"{float(ns) / 1000:.1f}".replace("-", "−")


def _range(interval: Interval) -> str:
    return f"{_us(interval.low)} to {_us(interval.high)} µs"


def _x(payload: float) -> float:
    return LEFT + (RIGHT - LEFT) * payload / PAYLOADS


def _y(ns: Bound) -> float:
    return TOP + (BOTTOM - TOP) * (NS_TOP - float(ns)) / (NS_TOP - NS_BOTTOM)


def _axes(svg: Svg, rows: TwoRows) -> None:
    for us in range(280, 401, 20):
        y = _y(1000 * us)
        svg.line(LEFT, y, RIGHT, y, stroke=palette.HAIRLINE)
        svg.text(LEFT - 8, y + 4, us, size=12, anchor="end", fill=palette.MUTED)
    svg.line(LEFT, TOP, LEFT, BOTTOM)
    svg.line(LEFT, BOTTOM, RIGHT, BOTTOM)
    for payload in (0, rows.small.payload, rows.big.payload):
        svg.line(_x(payload), BOTTOM, _x(payload), BOTTOM + 5)
        svg.text(_x(payload), BOTTOM + 19, f"{payload:,}", size=12, anchor="middle", fill=palette.MUTED)
    svg.text(
        (LEFT + RIGHT) / 2, BOTTOM + 35, "bytes of payload", size=12, anchor="middle", fill=palette.MUTED
    )
    note = f"begins at {NS_BOTTOM // 1000} µs, not at 0"
    svg.text(RIGHT - 4, BOTTOM - 8, note, size=11, anchor="end", fill=palette.MUTED)


def _line(svg: Svg, rows: TwoRows, saving: int) -> None:
    """T = F + b * L through the middles of the two times without the template, moved down by the saving."""
    big, small = (_middle(row.before) - saving for row in (rows.big, rows.small))
    slope = (big - small) / (rows.big.payload - rows.small.payload)
    start, end = (_y(small + slope * (at - rows.small.payload)) for at in (0, PAYLOADS))
    tone = MOVED if saving else palette.BEFORE
    svg.circle(LEFT, start, 3, fill=tone.strong)
    svg.text(LEFT + 8, start - 6, "F", size=12, fill=tone.strong, bold=True)
    svg.line(LEFT, start, RIGHT, end, stroke=tone.strong, thick=1.5, dash="5 4" if saving else "")


def _middle(interval: Interval) -> float:
    return float(interval.low + interval.high) / 2


def _row(svg: Svg, row: Row, saving: int) -> None:
    """Three columns at this payload: without the template, the same less the saving, with the template."""
    x, moved, fits = _x(row.payload), row.before.scaled(1, -saving), saving in row.saving
    _bar(svg, x - 27, row.before, palette.BEFORE, "")
    _bar(svg, x, moved, MOVED, "4 3")
    _bar(svg, x + 27, row.after, palette.AFTER, "")
    if fits:
        top, bottom = _y(min(moved.high, row.after.high)), _y(max(moved.low, row.after.low))
        svg.rect(x - 11, top, 49, max(2.0, bottom - top), stroke=FITS.strong, thick=2.5, radius=2)
    mark, tone = ("✓ meet", FITS) if fits else ("✗ apart", MISSES)
    lowest = max(_y(end.low) for end in (row.before, moved, row.after))
    svg.text(x + 6, min(lowest + 22, BOTTOM - 8), mark, size=12, anchor="middle", fill=tone.strong, bold=True)


def _bar(svg: Svg, x: float, times: Interval, tone: palette.Tone, dash: str) -> None:
    """An interval of times as a bar with caps."""
    top, bottom = _y(times.high), _y(times.low)
    fill = tone.soft if dash else tone.strong
    svg.rect(x - 7, top, 14, max(3.0, bottom - top), fill=fill, stroke=tone.strong, thick=1.5, dash=dash)
    for y in (top, max(bottom, top + 3)):
        svg.line(x - 10, y, x + 10, y, stroke=tone.strong, thick=1.5)


def _legend(svg: Svg) -> None:
    x = 176.0
    for name, tone, dash in (
        ("without template", palette.BEFORE, ""),
        ("less the saving", MOVED, "3 2"),
        ("with", palette.AFTER, ""),
    ):
        svg.rect(x, 40, 11, 11, fill=tone.soft if dash else tone.strong, stroke=tone.strong, dash=dash)
        svg.text(x + 16, 50, name, size=11.5, fill=palette.MUTED)
        x += 32 + 6.7 * len(name)


def _at(saving: Bound) -> float:
    """Where a saving stands on the panel's axis."""
    return PANEL + 90 + (WIDTH - PANEL - 120) * (float(saving) - LOW) / (HIGH - LOW)


def _panel(svg: Svg, rows: TwoRows, tried: Iterable[Try], saving: int, *, show_all: bool) -> None:
    """What was tried, a mark for each, per row and for both; with ``show_all`` the ranges that fit."""
    svg.text(PANEL, TOP + 16, "Which savings fit? What you tried:", bold=True)
    top, bottom, muted = TOP + 30, TOP + 290, palette.MUTED
    for ns in range(LOW, HIGH + 1, 10_000):
        svg.line(_at(ns), top, _at(ns), bottom, stroke=palette.EDGE if ns == 0 else palette.HAIRLINE)
        label = f"{ns // 1000}".replace("-", "−")
        svg.text(_at(ns), bottom + 16, label, size=12, anchor="middle", fill=muted)
    svg.text(_at((LOW + HIGH) / 2), bottom + 34, "µs saved per frame", size=12, anchor="middle", fill=muted)
    svg.line(_at(saving), top, _at(saving), bottom + 3, stroke=MOVED.strong, thick=1.5, dash="5 4")
    tried = list(tried)
    for y, name, allowed, marks in (
        (top + 36, f"{rows.big.payload:,} bytes", rows.big.saving, [(t.saving, t.big) for t in tried]),
        (top + 122, f"{rows.small.payload:,} bytes", rows.small.saving, [(t.saving, t.small) for t in tried]),
        (top + 208, "both", rows.common, [(t.saving, t.big and t.small) for t in tried]),
    ):
        svg.text(PANEL, y + 5, name)
        if show_all and allowed is not None:
            left, right = _at(allowed.low), _at(allowed.high)
            svg.rect(left, y - 13, right - left, 26, fill=FITS.soft, stroke=FITS.strong)
            middle = (left + right) / 2
            svg.rect(middle - 52, y + 17, 104, 15, fill=palette.PANEL)
            svg.text(middle, y + 28, _range(allowed), size=11, anchor="middle", fill=FITS.strong)
        elif show_all:
            svg.text(_at(10_000), y + 28, "no saving fits", size=12, anchor="middle", fill=MISSES.strong)
        for ns, fits in marks:
            _mark(svg, _at(ns), y, fits=fits)


def _mark(svg: Svg, x: float, y: float, *, fits: bool) -> None:
    """A disc for a saving that fits, a cross for one that does not."""
    if fits:
        svg.circle(x, y, 4.5, fill=FITS.strong)
        return
    for slope in (-4, 4):
        svg.line(x - 4, y - slope, x + 4, y + slope, stroke=MISSES.strong, thick=1.8)
