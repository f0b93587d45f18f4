"""Good and plausibly bad submissions: how a file in ``submissions/`` writes them down, and how they are run.

``submissions/<exercise>.py`` holds one table, by a name that says what the learner did::

    SUBMISSIONS = {
        "one big number": Good({"set_field": "def set_field(header, pos, width, value): ..."}),
        "only ORs": Bad({"set_field": "..."}, check="check_set_field", says="the sentence that it gets"),
    }

``cells`` maps a grade_id to the source of that answer cell; every other answer is the solution's own.
"""

import ast
import linecache
import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from lan966x_lab.workbook.classroom.cells import Part, grade_id, part
from lan966x_lab.workbook.classroom.handout import read

ROOT = Path(__file__).parents[2]
SOLUTIONS = ROOT / "notebooks" / "solutions"
EXERCISES = ROOT / "notebooks" / "exercises"
FOLDER = Path(__file__).parent / "submissions"


@dataclass(frozen=True)
class Good:
    """Answers written another way than the solution's; every check passes."""

    cells: Mapping[str, str]


@dataclass(frozen=True)
class Bad:
    """Answers with one mistake.

    Attributes:
        check: the grade_id of the check that fails.
        says: a whole line of what it says, without "Why: ".
        also: further checks that fail, since they build on the same answer.
    """

    cells: Mapping[str, str]
    check: str
    says: str
    also: tuple[str, ...] = ()


def exercises() -> list[str]:
    """The names of all exercises that have a solution."""
    return sorted(path.stem for path in SOLUTIONS.glob("*.ipynb") if ".mine" not in path.name)


def submissions(exercise: str) -> Mapping[str, Good | Bad]:
    """The table of one exercise; empty if it has none."""
    path = FOLDER / f"{exercise}.py"
    return _table(path) if path.exists() else {}


@cache
def _table(path: Path) -> Mapping[str, Good | Bad]:
    table: Mapping[str, Good | Bad] = runpy.run_path(str(path))["SUBMISSIONS"]
    return table


@cache
def solution(exercise: str) -> NotebookNode:
    """The teacher's notebook."""
    return read(SOLUTIONS / f"{exercise}.ipynb")


@cache
def handed_out(exercise: str) -> NotebookNode:
    """The learner's notebook."""
    return read(EXERCISES / f"{exercise}.ipynb")


def answers(exercise: str) -> dict[str, str]:
    """The solution's answers by grade_id; code only, since no check runs prose."""
    return {
        grade_id(cell): cell.source
        for cell in solution(exercise).cells
        if part(cell) is Part.ANSWER and cell.cell_type == "code"
    }


def checks(exercise: str) -> dict[str, str]:
    """The solution's check cells by grade_id: the visible check, then the hidden tests."""
    return {grade_id(cell): cell.source for cell in solution(exercise).cells if part(cell) is Part.CHECK}


def run_cell(source: str, namespace: dict[str, Any], name: str) -> Any:
    """Run a cell as a kernel does; the value of its last expression, which a notebook would show."""
    place = f"<cell {name}>"  # tracebacks and inspect find the source under this name
    linecache.cache[place] = (len(source), None, source.splitlines(keepends=True), place)
    tree = ast.parse(source, place)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        last = None
    tree.body = tree.body[: -1 if last else None]
    exec(compile(tree, place, "exec"), namespace)
    return eval(compile(ast.Expression(last.value), place, "eval"), namespace) if last else None


def run(exercise: str, cells: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the hand-out from top to bottom with these answers; what a cell raises comes out.

    Returns:
        The namespace that is left, and what the cells with a grade_id would show.
    """
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown = {}
    for number, cell in enumerate(handed_out(exercise).cells):
        if cell.cell_type == "code":
            name = grade_id(cell) or f"{number} of {exercise}"
            shown[name] = run_cell(cells.get(name, cell.source), namespace, name)
    return namespace, shown


def graded(exercise: str, cells: Mapping[str, str]) -> dict[str, str]:
    """Run the hand-out with these answers, then the solution's checks: what each says, "" when it passes."""
    namespace, _ = run(exercise, cells)
    said = {}
    for name, source in checks(exercise).items():
        try:
            run_cell(source, namespace, name)
        except AssertionError as error:
            said[name] = str(error)
        else:
            said[name] = ""
    return said
