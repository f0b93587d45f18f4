"""The static pictures of notebook 06: an skb in its buffer, lives of structures, misses, a 2 × 2 table."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, Self

from lan966x_lab.driver.skb import SHARED_INFO, SK_BUFF, Skb
from lan966x_lab.measure.claims import Claim

from ..palette import AFTER, BEFORE, EDGE, EVIDENCE, HAIRLINE, INK, MUTED, PANEL, SLATE, TONES
from ..pictures import Picture
from ..svg import WIDTH, Svg, text_width
from ..tables import Table, table

__all__ = ["Stage", "buffer_stages", "four_speeds", "lives_of_structures", "miss_curves", "speeds_table"]

_BLUE, _ORANGE, _GREEN, _PLUM, _CYAN, _WINE = TONES
_LEFT, _RIGHT = 24, WIDTH - 24
_CURVES = ((SLATE, "", 7), (_ORANGE, "10 5", 3), (_CYAN, "", 7), (_WINE, "3 6", 3))
"""Curves may lie on each other: a broad one and a dashed one on it stay apart."""


class Stage(NamedTuple):
    """An skb after an operation: its positions, as offsets into the buffer."""

    did: str
    data: int
    tail: int
    end: int

    @classmethod
    def of(cls, did: str, skb: Skb) -> Self:
        """The positions of `skb` now."""
        return cls(did, skb.data, skb.tail, skb.end)


def buffer_stages(stages: Sequence[Stage]) -> Picture:
    """One buffer after each operation, with the parts that the four positions make."""
    total = stages[0].end + SHARED_INFO
    left = 190
    scale = (_RIGHT - left) / total
    svg = Svg(WIDTH, 118 + 62 * len(stages), "a buffer and the four positions of its skb")
    svg.text(20, 30, "One buffer, one structure, four positions", size=15, bold=True)
    x: float = left
    for name, tone in (("headroom, tailroom", None), ("the frame", _BLUE), ("shared info", _PLUM)):
        svg.rect(x, 44, 13, 13, fill=tone.soft if tone else PANEL, stroke=tone.strong if tone else EDGE)
        svg.text(x + 20, 55, name, size=12)
        x += 44 + text_width(name, 12)
    for row, stage in enumerate(stages):
        y = 84 + 62 * row
        svg.text(left - 14, y + 18, stage.did, anchor="end", mono=True, size=12.5, fit=left - 20)
        edges = [0, stage.data, stage.tail, stage.end, total]
        for part, (start, stop) in enumerate(pairwise(edges)):
            tone = {1: _BLUE, 3: _PLUM}.get(part)
            if stop > start:
                at, wide = left + start * scale, (stop - start) * scale
                fill, edge = (tone.soft, tone.strong) if tone else (PANEL, EDGE)
                svg.rect(at, y, wide, 26, fill=fill, stroke=edge)
                if wide > text_width(f"{stop - start:,}", 12):
                    svg.text(at + wide / 2, y + 18, f"{stop - start:,}", anchor="middle", size=12)
        _positions(svg, y + 26, left, scale, stage)
    svg.text(
        20,
        svg.height - 16,
        f"Bytes. The structure itself, {SK_BUFF} bytes, lies elsewhere and points here.",
        size=12,
        fill=MUTED,
    )
    last = stages[-1]
    return Picture(
        svg,
        f"After {stages[0].did} data and tail stand at the head of a buffer of {total:,} bytes, "
        f"{SHARED_INFO} of them shared info behind the end. At last {last.tail - last.data:,} bytes are "
        f"the frame, with {last.data} bytes of headroom and {last.end - last.tail} of tailroom.",
    )


def _positions(svg: Svg, y: float, left: float, scale: float, stage: Stage) -> None:
    """The names of the positions below the bar, each at its mark or as near as the one before it allows."""
    at = 0.0
    for name, offset in (("head", 0), ("data", stage.data), ("tail", stage.tail), ("end", stage.end)):
        x = left + offset * scale
        svg.line(x, y, x, y + 7, stroke=INK, thick=1.5)
        at = max(x - 3, at)
        svg.text(at, y + 19, name, size=11, mono=True)
        at += text_width(name, 11, mono=True) + 7


def lives_of_structures(lives: Mapping[str, Sequence[tuple[int, int]]], *, every: int) -> Picture:
    """From when to when a structure exists unused, for some structures of each policy.

    Args:
        lives: policy → (made, used) in frames handed up, from ``cache.lives``.
        every: one structure of so many is drawn.
    """
    last = max(used for pairs in lives.values() for _, used in pairs)
    left = 150
    scale = (_RIGHT - left - 10) / max(1, last)
    rows = {name: pairs[::every] for name, pairs in lives.items()}
    height = 110 + sum(14 * len(pairs) + 18 for pairs in rows.values())
    svg = Svg(WIDTH, height, "when structures are made and when they are used")
    title = f"One structure of every {every}, a row each: from its making to its use"
    svg.text(20, 30, title, size=15, bold=True)
    svg.text(_RIGHT, 30, "counted", size=12, anchor="end", fill=EVIDENCE["counted"].strong, bold=True)
    for mark in range(0, last + 1, 100):
        x = left + mark * scale
        svg.line(x, 48, x, height - 54, stroke=HAIRLINE)
        svg.text(x, height - 38, mark, size=11, anchor="middle", fill=MUTED)
    svg.text(20, height - 38, "frames handed up", size=11, fill=MUTED, fit=left - 30)
    y = 62
    for tone, (name, pairs) in zip((BEFORE, AFTER), rows.items(), strict=True):
        svg.text(left - 14, y + 11, name, anchor="end", bold=True)
        for made, used in pairs:
            start, stop = left + made * scale, left + used * scale
            svg.line(start, y + 6, stop, y + 6, stroke=tone.strong, thick=2)
            svg.rect(start - 5, y + 1, 10, 10, fill=PANEL, stroke=tone.strong, thick=1.5, radius=5)
            svg.rect(stop - 3, y + 3, 6, 6, fill=tone.strong)
            y += 14
        y += 18
    svg.rect(left - 5, height - 23, 10, 10, fill=PANEL, stroke=INK, thick=1.5, radius=5)
    svg.text(left + 12, height - 14, "made: zeroed, and so in the cache", size=12)
    svg.rect(left + 257, height - 21, 6, 6, fill=INK)
    svg.text(left + 272, height - 14, "used: filled in and handed up", size=12)
    said = "; ".join(f"{name}: {_between(pairs)}" for name, pairs in lives.items())
    return Picture(svg, f"Frames that are handed up between the making of a structure and its use. {said}.")


def _between(pairs: Sequence[tuple[int, int]]) -> str:
    waits = [used - made for made, used in pairs]
    return f"always {waits[0]}" if len(set(waits)) == 1 else f"from {min(waits)} to {max(waits)}"


def miss_curves(curves: Mapping[str, Mapping[int, float]]) -> Picture:
    """Lines of an skb that miss the cache, for each frame, against the size of the cache.

    Args:
        curves: name → {cache size in KiB: misses per frame}, at most four, all with the same sizes.
    """
    left, right, top, floor = 62, WIDTH - 200, 62, 250
    sizes = list(next(iter(curves.values())))
    most = max(value for curve in curves.values() for value in curve.values())
    across, up = (right - left) / (len(sizes) - 1), (floor - top) / (most + 1)
    svg = Svg(WIDTH, 312, "misses for each frame against the size of the cache")
    svg.text(20, 30, "Lines of the skb that miss the cache, for each frame", size=15, bold=True)
    svg.text(
        _RIGHT, 30, "counted in a model", size=12, anchor="end", fill=EVIDENCE["counted"].strong, bold=True
    )
    for place, size in enumerate(sizes):
        x = left + across * place
        svg.line(x, top - 8, x, floor, stroke=HAIRLINE)
        svg.text(x, floor + 18, f"{size:,}", size=11, anchor="middle", fill=MUTED)
    svg.text((left + right) / 2, floor + 40, "size of the cache, KiB", size=12, anchor="middle")
    for value in range(round(most) + 1):
        svg.text(left - 10, floor - value * up + 4, value, size=11, anchor="end", fill=MUTED)
    for row, ((name, curve), (tone, dash, thick)) in enumerate(zip(curves.items(), _CURVES, strict=False)):
        points = [(left + across * place, floor - curve[size] * up) for place, size in enumerate(sizes)]
        y = top + 10 + 26 * row
        for line in (points, [(right + 24, y), (right + 60, y)]):
            svg.polyline(line, stroke=tone.strong, thick=thick, dash=dash)
        svg.text(right + 68, y + 4, name, size=12)
    svg.line(left, floor, right, floor, stroke=EDGE)
    said = "; ".join(f"{name} {_steps(curve)}" for name, curve in curves.items())
    return Picture(svg, f"Misses of each frame's skb, by the size of the cache: {said}.")


def _steps(curve: Mapping[int, float]) -> str:
    """Where a falling curve falls: ``6 up to 64 KiB, 1 from 128 KiB``."""
    sizes = list(curve)
    runs: list[list[int]] = [[sizes[0]]]
    for size in sizes[1:]:
        if round(curve[size], 1) == round(curve[runs[-1][-1]], 1):
            runs[-1].append(size)
        else:
            runs.append([size])
    if len(runs) == 1:
        return f"{curve[sizes[0]]:g} at any size"
    return ", ".join(
        f"{curve[run[0]]:g} {'up to' if index == 0 else 'from'} {run[-1] if index == 0 else run[0]} KiB"
        for index, run in enumerate(runs)
    )


def speeds_table(netif: Claim, gro: Claim) -> Table:
    """The four figures as the mail prints them, and what they come to; before = early, after = late."""
    claims = (netif, gro)
    rows = [
        ["early, Mbit/s", *(str(claim.before) for claim in claims)],
        ["late, Mbit/s", *(str(claim.after) for claim in claims)],
        ["gain, %", *(f"{claim.gain_percent:+.1f}" for claim in claims)],
        ["saved per frame, ns", *(str(claim.saved_ns()) for claim in claims)],
        ["the same, as rounding allows", *(f"{claim.saving_ns():.0f}" for claim in claims)],
    ]
    return table(rows, ["skb built", "without GRO", "with GRO"], netif.text)


def four_speeds(netif: Claim, gro: Claim, elsewhere: Sequence[Claim]) -> Picture:
    """The four figures of a 2 × 2 table as times per frame, and how far speeds moved for no good reason.

    Args:
        netif, gro: before = early, after = late, without and with GRO.
        elsewhere: what changes to code that never ran did to another router.
    """
    columns = {"without GRO": netif, "with GRO": gro}
    times = {name: claim.per_frame_ns() for name, claim in columns.items()}
    base = times["without GRO"][0]
    moves = [round(base * (1 / (1 + float(claim.gain_percent) / 100) - 1)) for claim in elsewhere]
    low = min(base + min(moves), *(min(pair) for pair in times.values())) - 60
    high = max(base + max(moves), *(max(pair) for pair in times.values())) + 60
    top, floor = 70, 312
    up = (floor - top) / (high - low)
    xs = dict(zip(columns, (190, 400), strict=True))

    def y(ns: float) -> float:
        return floor - (ns - low) * up

    svg = Svg(WIDTH, 366, "time for a frame, early and late, without and with GRO")
    svg.text(20, 30, "Time from frame to frame, µs", size=15, bold=True)
    svg.text(_RIGHT, 30, "reported", size=12, anchor="end", fill=EVIDENCE["reported"].strong, bold=True)
    for mark in range(-(-low // 200) * 200, high, 200):
        svg.line(84, y(mark), _RIGHT, y(mark), stroke=HAIRLINE)
        svg.text(74, y(mark) + 4, f"{mark / 1000:.1f}", size=11, anchor="end", fill=MUTED)
    for side, (name, tone) in enumerate((("early", BEFORE), ("late", AFTER))):
        points = [(xs[column], y(times[column][side])) for column in columns]
        svg.polyline(points, stroke=tone.strong, thick=2.5)
        for column, (x, at) in zip(columns, points, strict=True):
            interval = columns[column].interval(("before", "after")[side])
            rate = columns[column].both()[side]
            # the height of the mark is what rounding leaves open
            rounding = times[column][side] * float((interval.high - interval.low) / 2) / float(rate)
            tall = max(6.0, 2 * rounding * up)
            svg.rect(x - 6, at - tall / 2, 12, tall, fill=tone.strong, radius=2)
            anchor, shift = ("end", -14) if column == "without GRO" else ("start", 14)
            svg.text(x + shift, at + 4, f"{name} {rate}", size=12, anchor=anchor, bold=True)
    parallel = times["without GRO"][1] + times["with GRO"][0] - times["without GRO"][0]
    svg.rect(xs["with GRO"] - 6, y(parallel) - 6, 12, 12, stroke=AFTER.strong, thick=1.5, dash="3 2")
    svg.text(xs["with GRO"] + 14, y(parallel) + 4, "late, if both effects added up", size=12)
    for column, x in xs.items():
        svg.text(x, floor + 24, column, anchor="middle", bold=True)
    x = 640
    svg.line(x, y(base + min(moves)), x, y(base + max(moves)), stroke=_WINE.strong, thick=3)
    for claim, move in zip(elsewhere, moves, strict=True):
        svg.line(x - 9, y(base + move), x + 9, y(base + move), stroke=_WINE.strong, thick=3)
        percent = f"{claim.gain_percent:+.1f} %".replace("-", "−")
        svg.text(x + 16, y(base + move) + 4, percent, size=12, fill=_WINE.strong, bold=True)
    svg.rect(x - 5, y(base) - 5, 10, 10, fill=PANEL, stroke=_WINE.strong, thick=2, radius=5)
    svg.text(x, floor + 24, "code that never runs, another router", anchor="middle", bold=True)
    svg.text(_LEFT, floor + 44, f"Figures beside the marks: {netif.unit}.", size=12, fill=MUTED)
    gap = gro.saved_ns() - netif.saved_ns()
    return Picture(
        svg,
        f"The late skb saves {netif.saved_ns()} ns without GRO and {gro.saved_ns()} ns with it, so the two "
        f"lines are not parallel: {gap} ns apart. The bar shows what changes to code that never ran did to "
        f"another router of the same author, at this scale: from −{-min(moves)} to +{max(moves)} ns.",
    )
