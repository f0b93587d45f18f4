"""What a hunt shows: the specification before it, the board during it, the faults after it."""

import ast
import difflib
import inspect
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Any

from ...checks import Rung
from ...palette import EDGE, MUTED, PANEL, SLATE, TONES
from ...pictures import Picture
from ...sources import Source, source
from ...svg import WIDTH, Svg, clean
from ...twin import Twin
from .hunt import Catch, Hunt, Mutant

__all__ = ["Faults", "hunt_board", "specification"]

_GREEN, _ORANGE = TONES[2], TONES[1]
_LEFT, _CELL, _ROW = 150, 82, 46


def specification(hunt: Hunt) -> Source:
    """What the lab of this hunt promises: signatures and docstrings, and none of the code behind them."""
    groups = {"what you test": hunt.right.values(), "what helps you": filter(callable, hunt.tools.values())}
    panels = [(f"lab: {title}", "\n\n".join(map(_promise, things))) for title, things in groups.items()]
    return Source([panel for panel in panels if panel[1]])


def hunt_board(catches: Sequence[Catch]) -> Picture:
    """Families below each other, the faults of each side by side: caught, missed, or no test yet."""
    svg = Svg(WIDTH, 100 + _ROW * len(catches), "faults that tests caught and missed")
    svg.text(20, 30, "Faults caught", size=15, bold=True)
    for x, name, kind in (
        (_LEFT, "caught", True),
        (_LEFT + 110, "missed", False),
        (_LEFT + 220, "no test", None),
    ):
        _cell(svg, x, 46, 26, 20, "", kind)
        svg.text(x + 34, 61, name, size=12, fill=MUTED)
    for row, catch in enumerate(catches):
        y = 84 + _ROW * row
        svg.text(20, y + 23, catch.family, bold=True, fit=_LEFT - 30)
        for column, (case, hit) in enumerate(catch.cases):
            tested = catch.rung not in (Rung.NOT_DEFINED, Rung.NOT_STARTED)
            _cell(svg, _LEFT + _CELL * column, y, _CELL - 8, 36, case, hit if tested else None)
        svg.text(WIDTH - 20, y + 23, f"{catch.passed} of {catch.total}", anchor="end")
    caught, total = (sum(getattr(catch, what) for catch in catches) for what in ("passed", "total"))
    each = ", ".join(f"{catch.family} {catch.passed} of {catch.total}" for catch in catches)
    return Picture(svg, f"{caught} of {total} faults are caught: {each}.")


class Faults(Twin):
    """What each fault of a hunt was, in the real driver and in our own code."""

    def __init__(self, hunt: Hunt) -> None:
        self.hunt = hunt

    def html(self) -> str:
        """Folded twice, so that nobody reads a fault by accident."""
        folds = "".join(
            f'<details style="margin:4px 0"><summary>{mutant.case}, {clean(name)}</summary>'
            f"<div>{clean(mutant.story)} Source: "
            f'<a href="{clean(mutant.url)}" target="_blank" rel="noopener">{clean(mutant.source)}</a>.</div>'
            f"{change.html()}</details>"
            for name, mutant, change in self._entries()
        )
        return (
            f'<details style="margin:4px 0"><summary>What the {len(self.hunt.mutants)} faults were: '
            f'open this after your hunt</summary><div style="margin:4px 0 4px 16px">{folds}</div></details>'
        )

    def text(self) -> str:
        """Every fault with its source, and what changes from right to faulty."""
        return "\n\n".join(
            f"{mutant.case}, {name}: {mutant.story} Source: {mutant.source}, {mutant.url}\n{change.text()}"
            for name, mutant, change in self._entries()
        )

    def _entries(self) -> Iterator[tuple[str, Mutant, Source]]:
        for name, mutant in self.hunt.mutants:
            right, faulty = self.hunt.right[name], mutant.faulty
            if isinstance(right, type):  # a class: the one method in which they differ
                ((method, faulty),) = ((key, thing) for key, thing in vars(faulty).items() if callable(thing))
                right, name = vars(right)[method], f"{name}.{method}"
            yield name, mutant, Source([("from right (-) to faulty (+)", _change(right, faulty))])


def _change(right: Any, faulty: Any) -> str:
    """The lines of both, unchanged ones once, without docstrings and under one name."""
    (_, before), (_, after) = source(right, faulty, docstrings=False).panels
    after = after.replace(f"def {faulty.__name__}(", f"def {right.__name__}(", 1)
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(line for line in lines if not line.startswith("?"))


def _promise(thing: Any) -> str:
    """The source of a function or a class, without what stands behind its signatures and docstrings."""
    lines, node = _parsed(thing)
    if isinstance(node, ast.FunctionDef):
        return "\n".join(_head(lines, node))
    kept = [f"class {node.name}:", *lines[node.lineno : node.body[0].end_lineno]]
    for base in thing.__mro__[:-1]:
        lines, node = _parsed(base)
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and (
                not part.name.startswith("_") or (part.name == "__init__" and base is thing)
            ):
                kept += ["", *_head(lines, part)]
    return "\n".join(kept)


def _parsed(thing: Any) -> tuple[list[str], ast.FunctionDef | ast.ClassDef]:
    text = dedent(inspect.getsource(thing))
    (node,) = ast.parse(text).body
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    return text.splitlines(), node


def _head(lines: Sequence[str], function: ast.FunctionDef) -> list[str]:
    """The lines of a function up to the end of its docstring."""
    first = function.body[0]
    end = first.end_lineno if ast.get_docstring(function) else first.lineno - 1
    return list(lines[function.lineno - 1 : end])


def _cell(svg: Svg, x: float, y: float, width: float, height: float, case: str, hit: bool | None) -> None:
    """One fault; the mark says what the colour says, and the pointer gets it in words."""
    fill, edge = {
        True: (_GREEN.strong, _GREEN.strong),
        False: (_ORANGE.soft, _ORANGE.strong),
        None: (PANEL, EDGE),
    }[hit]
    svg.rect(x, y, width, height, fill=fill, stroke=edge, radius=4, dash="" if hit is not None else "4 3")
    if case:
        svg.text(x + 8, y + height / 2 + 5, case, bold=True, fill=PANEL if hit else SLATE.strong)
    middle, centre = x + width - 15, y + height / 2
    if hit:
        tick = [(middle - 6, centre), (middle - 2, centre + 5), (middle + 6, centre - 5)]
        svg.polyline(tick, stroke=PANEL, thick=2.5)
    elif hit is False:
        for slope in (-1, 1):
            svg.line(middle - 5, centre - 5 * slope, middle + 5, centre + 5 * slope, stroke=edge, thick=2.5)
