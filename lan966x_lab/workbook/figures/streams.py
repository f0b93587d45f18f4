"""What real programs saw through the lab: a TCP stream, patch off and on, and the offset of ptp4l."""

from collections.abc import Mapping, Sequence
from statistics import median

from lan966x_lab.measure.live import Comparison, Recording
from lan966x_lab.measure.live.recording import change_percent

from ..palette import AFTER, BEFORE, EDGE, EVIDENCE, HAIRLINE, INK, MUTED, PANEL, SLATE, Tone
from ..pictures import Picture
from ..svg import WIDTH, Svg

__all__ = ["offsets_picture", "streams_picture"]

TIMED = EVIDENCE["timed here"]


def streams_picture(singles: Mapping[str, Comparison], together: Comparison | None, note: str) -> Picture:
    """A real TCP stream through the lab, off and on, each patch alone and all of them: rates and ratios.

    Args:
        singles: by patch, from recordings with this patch alone.
        together: of the recording with all of them; None leaves its place open.
        note: where and when.

    Raises:
        ValueError: there is nothing to show.
    """
    if not singles:
        raise ValueError("no recording to show: give at least one comparison")
    rows: list[tuple[str, Comparison | None]] = [*singles.items(), ("all patches", together)]
    svg = Svg(WIDTH, 92 + 46 * len(rows), "a TCP stream through the lab's driver")
    svg.text(20, 30, "One TCP stream through the lab's driver, Mbit/s", size=15, bold=True)
    svg.text(WIDTH - 20, 30, "timed here, recorded", size=12, anchor="end", fill=TIMED.strong, bold=True)
    for x, tone, words in ((20, BEFORE, "patch off"), (120, AFTER, "patch on")):
        svg.rect(x, 44, 12, 12, fill=tone.strong)
        svg.text(x + 18, 55, words, size=12, fill=MUTED)
    svg.line(222, 50, 246, 50, stroke=INK, thick=2)
    svg.text(254, 55, "half of the runs", size=12, fill=MUTED)
    left, right = 124, WIDTH - 170
    known = [one for _, one in rows if one is not None]
    scale = (right - left) / max(side.spread[1] for one in known for side in one.mbit.values())
    said = []
    for index, (name, one) in enumerate(rows):
        y = 70 + 46 * index
        svg.text(left - 12, y + 24, name, anchor="end", bold=True)
        if one is None:
            svg.rect(left, y + 2, right - left, 36, fill=PANEL, stroke=EDGE, dash="5 4")
            svg.text((left + right) / 2, y + 25, "together: your prediction", anchor="middle", fill=MUTED)
            continue
        for tone, side, dy in ((BEFORE, one.mbit["off"], 2), (AFTER, one.mbit["on"], 21)):
            svg.rect(left, y + dy, side.median * scale, 17, fill=tone.strong)
            low, high = (left + end * scale for end in side.spread)
            svg.line(low, y + dy + 8.5, high, y + dy + 8.5, stroke=PANEL, thick=4)
            svg.line(low, y + dy + 8.5, high, y + dy + 8.5, stroke=INK, thick=2)
            svg.text(max(high, left + side.median * scale) + 8, y + dy + 13, f"{side.median:.0f}", size=12)
        change = change_percent(one.mbit)
        svg.text(WIDTH - 20, y + 26, _percent(change), size=15, anchor="end", bold=True)
        said.append(f"{name} {_percent(change)}")
    svg.text(20, svg.height - 10, note, size=11, fill=MUTED, fit=WIDTH - 40)
    return Picture(
        svg, f"A TCP stream through the lab, patch on against off, recorded: {', '.join(said)}; {note}."
    )


def _percent(value: float) -> str:
    return f"{value:+.1f} %".replace("-", "−")


def offsets_picture(recording: Recording) -> Picture:
    """What the slave of ptp4l says of its offset from the master, over the time of the recording.

    Raises:
        ValueError: the recording has no run of ptp4l.
    """
    points = recording.ptp_offsets
    if not points or recording.ptp is None:
        raise ValueError("this recording has no run of ptp4l: take one whose plan has ptp_seconds")
    how, span = recording.ptp["timestamping"], points[-1][0] or 1.0
    offsets = [(t, offset / 1000) for t, offset, _ in points]
    delays = [(t, delay / 1000) for t, _, delay in points]
    svg = Svg(WIDTH, 396, "the offset that ptp4l reports, over time")
    svg.text(20, 28, "ptp4l through the lab: what the slave reports", size=15, bold=True)
    svg.text(WIDTH - 20, 28, "timed here, recorded", size=12, anchor="end", fill=TIMED.strong, bold=True)
    svg.text(
        20, 47, f"{how} time stamps: the lab's Python is part of the path they measure", size=12, fill=MUTED
    )
    _track(svg, 84, 224, "offset from the master, µs", offsets, span, TIMED)
    _track(svg, 262, 340, "path delay, µs", delays, span, SLATE)
    for second in range(0, int(span) + 1, max(1, int(span) // 6)):
        svg.text(_across(second, span), 358, f"{second} s", size=11, anchor="middle", fill=MUTED)
    where = f"recorded {recording.date[:10]}, {recording.machine}"
    svg.text(20, 384, where, size=11, fill=MUTED, fit=WIDTH - 40)
    middle = median(value for _, value in offsets)
    near = median(abs(value - middle) for _, value in offsets)
    delay = median(value for _, value in delays)
    sentence = (
        f"Over {span:.0f} seconds the slave reports {len(points)} offsets: {middle:,.1f} µs in the middle, "
        f"half of them within {near:,.1f} µs of that, and a path delay of {delay:,.0f} µs. The time stamps "
        f"are {how} ones, so the lab's Python is part of the path; {where}."
    )
    return Picture(svg, sentence.replace(" -", " −"))


def _across(seconds: float, span: float) -> float:
    return 72 + (WIDTH - 102) * seconds / span


def _track(
    svg: Svg, top: int, bottom: int, name: str, points: Sequence[tuple[float, float]], span: float, tone: Tone
) -> None:
    """Values over time, with zero on the axis."""
    low, high = (end(0.0, *(value for _, value in points)) for end in (min, max))
    scale = (bottom - top) / ((high - low) or 1)
    svg.text(20, top - 10, name, size=13, bold=True)
    for value in _ticks(low, high):
        y = bottom - (value - low) * scale
        svg.line(72, y, WIDTH - 30, y, stroke=EDGE if value == 0 else HAIRLINE)
        label = f"{value:,.0f}".replace("-", "−")
        svg.text(64, y + 4, label, size=11, anchor="end", fill=MUTED)
    spots = [(_across(t, span), bottom - (value - low) * scale) for t, value in points]
    svg.polyline(spots, stroke=tone.strong, thick=1.2)
    for x, y in spots:
        svg.circle(x, y, 2.2, fill=tone.strong)


def _ticks(low: float, high: float) -> list[float]:
    """Round values from low to high, zero among them."""
    size = high - low or 1
    step = next(n * 10**p for p in range(-3, 9) for n in (1, 2, 5) if size / (n * 10**p) <= 5)
    return [step * n for n in range(int(-(-low // step)), int(high // step) + 1)]
