"""A header drawn bit by bit: every cell a bit, every field with its name and its colour.

What many cells have in common is one shape, so that a header is about 250 shapes and not a thousand: what a
browser has to do decides how fast an explorer answers.
"""

from collections.abc import Iterable
from typing import NamedTuple

from lan966x_lab import ifh

from ..palette import EDGE, INK, MUTED, PANEL, SLATE
from ..svg import WIDTH, Number, Svg, number, text_width
from .bitrows import (
    ABOVE,
    BELOW,
    CELL,
    DIRECTION,
    LEFT,
    NAME,
    OTHER,
    RIGHT,
    UNDER,
    Name,
    Row,
    idle_fields,
    left_of,
    part,
    rows,
    tone_of,
)

__all__ = ["Mark", "draw_grid", "draw_legend", "grid_height"]

HEAD = 24  # height of the column heads


class Mark(NamedTuple):
    """What to point out: a field (None for all reserved bits), one bit, and a mask of bits that changed."""

    field: ifh.Field | None
    bit: int
    changed: int = 0


def grid_height(layout: ifh.Layout) -> int:
    """The height of :func:`draw_grid` in pixels."""
    return HEAD + sum(row.height for row in rows(layout))


def draw_grid(svg: Svg, y: int, layout: ifh.Layout, header: bytes, mark: Mark) -> None:
    """Draw ``header`` from ``y`` on downwards, over the whole width."""
    _draw_head(svg, y)
    y += HEAD
    for row, first in zip(rows(layout), range(0, layout.nbytes, 4), strict=True):
        octets = header[first : first + 4]
        word, changed = int.from_bytes(octets, "big"), mark.changed >> (row.top - 31) & 0xFFFF_FFFF
        top = y + ABOVE
        _draw_names(svg, y, layout, row, mark)
        _draw_bits(svg, top, layout, row, word)
        _draw_mark(svg, top, row, mark, word, changed)
        _draw_edges(svg, top, row, octets, first, changed)
        for index, line in enumerate(row.below):
            _draw_below(svg, top + CELL + UNDER + BELOW * index, layout, line, mark)
        y += row.height


def draw_legend(svg: Svg, y: int, layout: ifh.Layout) -> None:
    """What the signs of the grid mean, on the right of one line of text at ``y``."""
    x = WIDTH - 14.0
    names = ("changed", "this bit", "chosen", "reserved") + ("extraction only",) * bool(idle_fields(layout))
    for name in names:
        x -= text_width(name, 11)
        svg.text(x, y, name, size=11, fill=MUTED)
        x -= 18
        if name == "chosen":
            svg.rect(x, y - 11, 13, 13, stroke=INK, thick=2.5)
        elif name == "this bit":
            svg.path(_arrow(x + 8, y - 8), fill=INK)
        elif name == "changed":
            svg.line(x + 2, y + 1, x + 13, y + 1, stroke=INK, thick=2)
        else:
            svg.rect(x, y - 11, 13, 13, fill=SLATE.soft, stroke=EDGE, thick=0.6)
            sign = _corners if name == "reserved" else _strike
            svg.path(sign([x], y - 11, 13), stroke=EDGE, thick=1.2)
        x -= 14


def _draw_head(svg: Svg, y: int) -> None:
    """Over the columns: the byte of the row, and the bit of the byte."""
    svg.text(14, y + 18, "bytes", size=11, fill=MUTED)
    svg.text(WIDTH - 14, y + 18, "in hex", size=11, anchor="end", fill=MUTED)
    for byte, name in enumerate(("first byte of the row", "second byte", "third byte", "fourth byte")):
        svg.text(left_of(31 - 8 * byte) + 4 * CELL, y + 8, name, size=11, anchor="middle", fill=MUTED)
    places = [left_of(bit) + 6.5 for bit in range(31, -1, -1)]
    svg.spaced(places, y + 21, "76543210" * 4, size=10, fill=MUTED)


def _draw_names(svg: Svg, y: int, layout: ifh.Layout, row: Row, mark: Mark) -> None:
    """The names above the cells, each with a bar over its bits and a line to it."""
    for run, x, width in row.above:
        chosen = run.field == mark.field
        colour = INK if chosen else tone_of(layout, run.field).strong
        svg.rect(run.left + 1, y + ABOVE - 4, run.right - run.left - 2, 3, fill=colour)
        line = f"M{number(x)} {y + 13}L{number((run.left + run.right) / 2)} {y + ABOVE - 3}"
        svg.path(line, stroke=colour, thick=2 if chosen else 1)
        if chosen:
            svg.rect(x - width / 2 + 1, y, width - 2, 14, fill=INK, radius=3)
        svg.text(x, y + 11, run.name, size=NAME, anchor="middle", fill=PANEL if chosen else colour)


def _draw_bits(svg: Svg, y: int, layout: ifh.Layout, row: Row, word: int) -> None:
    """The cells: a 1 is filled, a reserved bit has two corners cut off, one of the other direction is struck
    through.
    """
    zeros, ones, unowned, idle = [], [], [], []
    for run, *_ in row.above:
        tone = tone_of(layout, run.field)
        bits = range(run.top, run.pos - 1, -1)
        on = [bit for bit in bits if word >> bit % 32 & 1]
        svg.rect(run.left, y, run.right - run.left, CELL, fill=tone.soft)
        if on:
            svg.path("".join(f"M{left_of(bit)} {y}h{CELL}v{CELL}h-{CELL}z" for bit in on), fill=tone.strong)
        ones += on
        zeros += [bit for bit in bits if bit not in on]
        unowned += [] if run.field else list(bits)
        idle += list(bits) if run.field in idle_fields(layout) else []
    for byte in range(4):
        x = left_of(31 - 8 * byte)
        lines = "".join(f"M{x + CELL * place} {y}v{CELL}" for place in range(9))
        svg.path(f"{lines}M{x} {y}h{8 * CELL}M{x} {y + CELL}h{8 * CELL}", stroke=EDGE, thick=0.6)
    for marked, sign in ((unowned, _corners), (idle, _strike)):
        if marked:
            svg.path(sign(map(left_of, marked), y, CELL), stroke=EDGE, thick=1.2)
    for places, digit, ink in ((zeros, "0", INK), (ones, "1", PANEL)):
        xs = [left_of(bit) + 5.7 for bit in places]
        svg.spaced(xs, y + 14, digit * len(xs), size=12, fill=ink, bold=digit == "1")


def _draw_mark(svg: Svg, y: int, row: Row, mark: Mark, word: int, changed: int) -> None:
    """A frame around the chosen bits, a line in the changed ones, an arrow under the one bit."""
    unowned = (name.run for name in row.above if name.run.field is None)
    for run in unowned if mark.field is None else part(mark.field, row.top):
        svg.rect(run.left, y, run.right - run.left, CELL, stroke=INK, thick=2.5)
    for bits, ink in ((changed & ~word, INK), (changed & word, PANEL)):
        if bits:
            lines = (f"M{left_of(bit) + 4} {y + 16.5}h{CELL - 8}" for bit in range(32) if bits >> bit & 1)
            svg.path("".join(lines), stroke=ink, thick=2)
    if row.top - 31 <= mark.bit <= row.top:
        svg.path(_arrow(left_of(mark.bit) + CELL / 2, y + CELL - 1), fill=INK)


def _draw_edges(svg: Svg, y: int, row: Row, octets: bytes, first: int, changed: int) -> None:
    """Left of the word its bytes, right of it the same in hex, and its highest and lowest bit."""
    svg.text(14, y + 14, f"{first}–{first + 3}", size=12, bold=True)
    svg.text(LEFT - 4, y + 14, row.top, size=9.5, anchor="end", fill=MUTED)
    svg.text(RIGHT + 4, y + 14, row.top - 31, size=9.5, fill=MUTED)
    for index, octet in enumerate(octets):
        x, other = WIDTH - 14 - 20 * (3 - index), changed >> 8 * (3 - index) & 0xFF
        svg.text(x, y + 14, f"{octet:02x}", size=12.5, anchor="end", mono=True, bold=bool(other))
        if other:
            svg.line(x - 15, y + 17.5, x, y + 17.5, stroke=INK, thick=2)


def _draw_below(svg: Svg, y: int, layout: ifh.Layout, line: Iterable[Name], mark: Mark) -> None:
    """Further names of the same bits; dashed brackets for those of the other direction."""
    here = False
    for run, x, _ in line:
        here = run.field in layout.fields
        chosen = run.field == mark.field
        colour = INK if chosen else tone_of(layout, run.field).strong
        bracket = f"M{run.left + 1} {y - 4}v4H{run.right - 1}v-4"
        svg.path(bracket, stroke=colour, thick=2 if chosen else 1.2, dash="" if here else "3 2")
        svg.text(x, y + 12, run.name, size=NAME, anchor="middle", fill=colour, bold=chosen)
    svg.text(14, y + 12, "or" if here else f"on {DIRECTION[OTHER[layout]]}", size=10, fill=MUTED)


def _corners(lefts: Iterable[Number], y: Number, size: int) -> str:
    """The sign of reserved bits, in cells that begin at ``lefts``."""
    return "".join(f"M{number(x + 1)} {y + 6}l5 -5M{number(x + size - 1)} {y + size - 6}l-5 5" for x in lefts)


def _strike(lefts: Iterable[Number], y: Number, size: int) -> str:
    """The sign of bits that mean something in the other direction only."""
    return "".join(f"M{number(x)} {number(y + size / 2)}h{size}" for x in lefts)


def _arrow(x: float, y: Number) -> str:
    return f"M{number(x)} {y}l5 7h-10z"
