"""nbgrader's cell format: what the metadata of a cell say, and the marked regions in its source.

One notebook holds everything, and the metadata of a cell say which part it is:

===========  =======================================================================================
answer       the learner writes here; ``### BEGIN SOLUTION: what to do`` … ``### END SOLUTION``
check        worth points; ``### BEGIN HIDDEN TESTS`` … ``### END HIDDEN TESTS`` runs when graded
essay        an answer that a person grades, worth points
locked       text or code that is restored before grading
plain        anything else
===========  =======================================================================================

Source: nbgrader's documentation, "Creating and grading assignments", metadata schema 3. The text after
``BEGIN SOLUTION:`` is ours: nbgrader looks for the words before it and ignores the rest of the line.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum

from nbformat import NotebookNode

__all__ = [
    "HIDDEN",
    "SOLUTION",
    "CellError",
    "Part",
    "Region",
    "called",
    "grade_id",
    "part",
    "points",
    "problems",
]

SCHEMA = 3


class CellError(ValueError):
    """A cell does not keep the format; the message names the cell and what to write instead."""


class Part(StrEnum):
    """What a cell is for."""

    ANSWER = "answer"
    CHECK = "check"
    ESSAY = "essay"
    LOCKED = "locked"
    PLAIN = "plain"


def grade_id(cell: NotebookNode) -> str:
    """The cell's name in the gradebook, or "" for a cell that nbgrader leaves alone."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id", ""))


def called(cell: NotebookNode) -> str:
    """How a person finds the cell: its name, or how it begins; its number changes when cells are added.

    >>> from nbformat.v4 import new_code_cell
    >>> called(new_code_cell("x = 1\\ny = 2"))
    'the cell that begins x = 1'
    """
    line = cell.source.strip().partition("\n")[0]
    return grade_id(cell) or f"the cell that begins {line if len(line) <= 60 else f'{line[:60]}…'}"


def part(cell: NotebookNode) -> Part:
    """Which part the cell is, by its metadata alone."""
    flags = cell.metadata.get("nbgrader", {})
    graded, solution = bool(flags.get("grade")), bool(flags.get("solution"))
    if graded and solution:
        return Part.ESSAY
    if graded:
        return Part.CHECK
    if solution:
        return Part.ANSWER
    return Part.LOCKED if flags.get("locked") else Part.PLAIN


def points(cell: NotebookNode) -> float:
    """What the cell is worth; 0 unless it is graded."""
    flags = cell.metadata.get("nbgrader", {})
    return float(flags.get("points", 0)) if flags.get("grade") else 0.0


class Region:
    """The marked stretches of a cell's source, one kind: ``### BEGIN name: sentence`` to ``### END name``.

    >>> print(SOLUTION.cut('''def twice(x):
    ...     ### BEGIN SOLUTION: return twice x
    ...     return 2 * x
    ...     ### END SOLUTION
    ... ''', lambda indent, sentence: f"{indent}raise NotImplementedError({sentence!r})"))
    def twice(x):
        raise NotImplementedError('return twice x')
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._begin = re.compile(rf"^(\s*)### BEGIN {name}(?:: *(.*?))?\s*$")
        self._end = re.compile(rf"^\s*### END {name}\s*$")

    def cut(self, source: str, put: Callable[[str, str], str] | None = None) -> str:
        """The source without the stretches; ``put(indent, sentence)`` gives what stands in their place.

        Raises:
            CellError: a stretch begins inside another one, or does not end, or ends before it begins.
        """
        kept: list[str] = []
        inside = False
        for number, line in enumerate(source.splitlines(), 1):
            if begin := self._begin.match(line):
                if inside:
                    raise CellError(f"line {number}: ### BEGIN {self.name} inside another: end that first")
                inside = True
                if put is not None:
                    kept += put(begin[1], begin[2] or "").splitlines()
            elif self._end.match(line):
                if not inside:
                    raise CellError(f"line {number}: ### END {self.name} without ### BEGIN {self.name}")
                inside = False
            elif not inside:
                kept.append(line)
        if inside:
            raise CellError(f"### BEGIN {self.name} has no ### END {self.name}")
        return "\n".join(kept).rstrip("\n")

    def sentences(self, source: str) -> list[str]:
        """What stands behind each BEGIN, in order; "" where nothing does."""
        return [found[2] or "" for line in source.splitlines() if (found := self._begin.match(line))]


SOLUTION = Region("SOLUTION")
HIDDEN = Region("HIDDEN TESTS")


def problems(notebook: NotebookNode) -> Iterator[str]:
    """Whatever in a teacher's notebook would make a bad hand-out or cannot be graded, one line each."""
    counts = Counter(name for cell in notebook.cells if (name := grade_id(cell)))
    for name, count in counts.items():
        if count > 1:
            yield f"grade_id {name!r} stands in {count} cells: give each its own"
    for number, cell in enumerate(notebook.cells):
        where = f"cell {number} ({grade_id(cell) or 'no grade_id'})"
        for problem in _cell_problems(cell):
            yield f"{where}: {problem}"
    if not any(part(cell) is Part.CHECK for cell in notebook.cells):
        yield "no cell checks anything: give one grade=true, solution=false and points"


def _cell_problems(cell: NotebookNode) -> Iterator[str]:
    kind, flags = part(cell), cell.metadata.get("nbgrader", {})
    if flags and flags.get("schema_version") != SCHEMA:
        yield f"schema_version is {flags.get('schema_version')!r}, and {SCHEMA} is asked for"
    if flags and not grade_id(cell):
        yield "it has no grade_id"
    if kind in (Part.CHECK, Part.ESSAY) and points(cell) <= 0:
        yield f"points are {flags.get('points')!r}; a graded cell is worth more than 0"
    solutions, hidden = SOLUTION.sentences(cell.source), HIDDEN.sentences(cell.source)
    writes = kind in (Part.ANSWER, Part.ESSAY)
    if writes and not solutions:
        yield "it is an answer without ### BEGIN SOLUTION: …"
    if solutions and not writes:
        yield f"a solution stands in a cell that is {kind}: set solution=true, or take it out"
    for sentence in solutions:
        if cell.cell_type == "code" and len(sentence.split()) < 3:
            yield f"BEGIN SOLUTION says {sentence!r}; write a sentence that helps to begin"
    if hidden and kind is not Part.CHECK:
        yield f"hidden tests stand in a cell that is {kind}"
    for region in (SOLUTION, HIDDEN):
        try:
            rest = region.cut(cell.source)
        except CellError as error:
            yield str(error)
            continue
        if region is HIDDEN and hidden and not rest.strip():
            yield "every test is hidden: the learner needs one that shows how far he is"
