"""Where everything stands when a header is drawn bit by bit: rows, cells, names, colours.

A row is a word of 32 bits. It knows its cells, grouped by the field that owns them, and its names. Above the
cells stand those of their owners, moved apart where they are wider than their bits; below the cells further
names of the same bits, of fields that share them in this direction or in the other one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, pairwise
from typing import NamedTuple

from lan966x_lab import ifh
from lan966x_lab.ifh.ruler import lanes

from ..palette import SLATE, Tone, tone
from ..svg import WIDTH, text_width

__all__ = [
    "DIRECTION",
    "OTHER",
    "Name",
    "Row",
    "Run",
    "idle_fields",
    "owned",
    "reserved_spans",
    "rows",
    "tone_of",
]

CELL, BYTE_GAP, LEFT = 19, 3, 78
RIGHT = LEFT + 32 * CELL + 3 * BYTE_GAP
ABOVE, UNDER, BELOW = 20, 6, 16  # heights: the names over the cells, room for an arrow, each line of names
NAME = 10.5  # font size

OTHER: Mapping[ifh.Layout, ifh.Layout] = {
    layout: other for chip in (ifh.LAN966X, ifh.OCELOT) for layout, other in (chip, chip[::-1])
}
"""For each layout, the one of the same chip in the other direction."""
DIRECTION: Mapping[ifh.Layout, str] = {
    layout: word
    for chip in (ifh.LAN966X, ifh.OCELOT)
    for layout, word in zip(chip, ("injection", "extraction"), strict=True)
}


class Run(NamedTuple):
    """Neighbouring bits that have the same owner; None owns the reserved bits."""

    field: ifh.Field | None
    top: int
    pos: int

    @property
    def name(self) -> str:
        """The field's name, with dots where it goes on in another word."""
        if self.field is None:
            return "reserved"
        return "…" * (self.field.top > self.top) + self.field.name + "…" * (self.field.pos < self.pos)

    @property
    def left(self) -> int:
        """The left edge of its cells."""
        return left_of(self.top)

    @property
    def right(self) -> int:
        """Their right edge."""
        return left_of(self.pos) + CELL


class Name(NamedTuple):
    """The name of a run, and where its centre stands."""

    run: Run
    x: float
    width: float


class Row(NamedTuple):
    """A word: its highest bit, the names above its cells in their order, and the lines of names below."""

    top: int
    above: Sequence[Name]
    below: Sequence[Sequence[Name]]

    @property
    def height(self) -> int:
        """From the names above to the next row."""
        return ABOVE + CELL + UNDER + BELOW * len(self.below)


def left_of(bit: int) -> int:
    """The left edge of a bit's cell."""
    place = 31 - bit % 32
    return LEFT + CELL * place + BYTE_GAP * (place // 8)


@cache
def rows(layout: ifh.Layout) -> Sequence[Row]:
    """The words of a header, first on the wire first."""
    second = [field for _, field in layout.overlaps]
    second += [field for field in OTHER[layout].fields if field not in layout.fields]
    found = []
    for top in range(8 * layout.nbytes - 1, 0, -32):
        above = _names(owned(layout, range(top, top - 32, -1)), 10)
        lines = ([run for field in lane for run in part(field, top)] for lane in lanes(second))
        found.append(Row(top, above, [_names(line, LEFT + 4) for line in lines if line]))
    return found


def owned(layout: ifh.Layout, bits: Iterable[int]) -> list[Run]:
    """The runs of neighbouring bits that have the same first owner."""
    groups = groupby(bits, key=lambda bit: next(iter(layout.owners(bit)), None))
    return [Run(field, run[0], run[-1]) for field, run in ((field, list(group)) for field, group in groups)]


def part(field: ifh.Field, top: int) -> Iterator[Run]:
    """The part of a field in the word whose highest bit is ``top``, if it has one there."""
    first, last = min(field.top, top), max(field.pos, top - 31)
    if first >= last:
        yield Run(field, first, last)


@cache
def reserved(layout: ifh.Layout) -> Sequence[Run]:
    """The bits that no field owns, highest first."""
    return [run for run in owned(layout, range(8 * layout.nbytes - 1, -1, -1)) if run.field is None]


def reserved_spans(layout: ifh.Layout) -> str:
    """The same in words.

    >>> reserved_spans(ifh.OCELOT.rx)
    '127, 70–57, 36'
    """
    return ", ".join(f"{r.top}–{r.pos}" if r.top > r.pos else f"{r.top}" for r in reserved(layout))


@cache
def idle_fields(layout: ifh.Layout) -> Sequence[ifh.Field]:
    """The fields that an injection layout has, although they mean something on extraction only.

    >>> [field.name for field in idle_fields(ifh.LAN966X.tx)][:2], idle_fields(ifh.LAN966X.rx)
    (['CUTTHRU', 'SRCPORT'], ())
    """
    if DIRECTION[layout] != "injection":
        return ()
    return tuple(field for field in layout.fields if field.doc.startswith("extraction only"))


def tone_of(layout: ifh.Layout, field: ifh.Field | None) -> Tone:
    """A field's colour. It keeps it in the other direction, and no neighbour has the same."""
    return SLATE if field is None else _tones(layout)[field]


@cache
def _tones(layout: ifh.Layout) -> Mapping[ifh.Field, Tone]:
    fields = {*layout.fields, *OTHER[layout].fields}
    ordered = sorted(fields, key=lambda field: (-field.top, -field.pos, field.name))
    return {field: tone(index) for index, field in enumerate(ordered)}


def _names(runs: Sequence[Run], low: float) -> list[Name]:
    """The names of runs, each as near to its bits as the others allow, none left of ``low``."""
    widths = [text_width(run.name, NAME) + 7 for run in runs]
    centres = spread([(run.left + run.right) / 2 for run in runs], widths, low, WIDTH - 10)
    return list(map(Name, runs, centres, widths))


def spread(centres: Sequence[float], widths: Sequence[float], low: float, high: float) -> list[float]:
    """Where labels go that would overlap: as near to where they belong as order and bounds allow.

    Least squares: labels that collide become a block around the mean of what its members want.

    >>> spread([10, 12, 90], [20, 20, 20], 0, 100)
    [10.0, 30.0, 90.0]
    """
    starts = [0.0]
    for one, other in pairwise(widths):
        starts.append(starts[-1] + (one + other) / 2)
    blocks: list[list[float]] = []
    for centre, start in zip(centres, starts, strict=True):
        blocks.append([centre - start])
        while len(blocks) > 1 and _mean(blocks[-2]) > _mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    moves = [_mean(block) for block in blocks for _ in block]
    least, most = low + widths[0] / 2, high - widths[-1] / 2 - starts[-1]
    return [start + min(max(move, least), most) for start, move in zip(starts, moves, strict=True)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
