"""A small exercise made from a table, and submissions of it: good, bad, damaged and hostile."""

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from lan966x_lab.workbook.classroom.cells import grade_id
from lan966x_lab.workbook.classroom.handout import hand_out

NAME = "77_double_and_count"
SETUP = """\
from lan966x_lab import workbook as wb

double_check = wb.Check("double", [wb.Step(6, (3,)), wb.Step(0, (0,), edge=True)])
total_check = wb.Check("total", [wb.Step(6, ([1, 2, 3],), mistakes=[(3, "that is how many there are.")])])
spell_check = wb.Check("spell", [wb.Step("one", (1,))])"""
FRESH = "import lan966x_lab.workbook as hidden"
TABLE: Sequence[tuple[str, str, float, str]] = (
    # grade_id, kind, points, source
    ("", "markdown", 0, "# Double and count\n\nThree functions, and a question."),
    ("setup", "locked", 0, SETUP),
    (
        "double",
        "answer",
        0,
        'def double(x):\n    """Twice `x`."""\n    ### BEGIN SOLUTION: add x to itself, or multiply\n'
        "    return 2 * x\n    ### END SOLUTION",
    ),
    (
        "check_double",
        "check",
        2,
        f"double_check(globals())\n### BEGIN HIDDEN TESTS\n{FRESH}\n\n"
        'secret_steps = [hidden.Step(2 * x, (x,)) for x in (7, -3, "secret-word")]\n'
        'hidden.Check("double", secret_steps, hidden=True)(globals()).require()\n### END HIDDEN TESTS',
    ),
    (
        "total",
        "answer",
        0,
        'def total(values):\n    """Their sum; `values` stays as it is."""\n'
        "    ### BEGIN SOLUTION: add them up one by one\n    return sum(values)\n    ### END SOLUTION",
    ),
    (
        "check_total",
        "check",
        3,
        f"total_check(globals())\n### BEGIN HIDDEN TESTS\n{FRESH}\n\n"
        'hidden.Check(\n    "total",\n    [hidden.Step(42, ([20, 22],)), hidden.Step(0, ([],), edge=True)],\n'
        "    hidden=True,\n)(globals()).require()\n### END HIDDEN TESTS",
    ),
    (
        "spell",
        "answer",
        0,
        'def spell(digit):\n    """The English word of 1 or 2."""\n'
        "    ### BEGIN SOLUTION: look the word up in a table\n"
        '    return {1: "one", 2: "two"}[digit]\n    ### END SOLUTION',
    ),
    (
        "check_spell",
        "check",
        2,
        'spell_check(globals())\n### BEGIN HIDDEN TESTS\nwords = {1: "one", 2: "two"}\n'
        "sum(spell(digit) == word for digit, word in words.items())\n### END HIDDEN TESTS",
    ),
    ("essay_why", "essay", 4, "### BEGIN SOLUTION: why count?\nBecause.\n### END SOLUTION"),
)
FLAGS = {
    "locked": {"grade": False, "solution": False, "locked": True},
    "answer": {"grade": False, "solution": True, "locked": False},
    "check": {"grade": True, "solution": False, "locked": True},
    "essay": {"grade": True, "solution": True, "locked": False},
}


def cell(name: str, kind: str, points: float, source: str) -> NotebookNode:
    """One cell in nbgrader's format."""
    new = nbformat.v4.new_markdown_cell if kind in ("markdown", "essay") else nbformat.v4.new_code_cell
    made: NotebookNode = new(source)
    if kind in FLAGS:
        flags = {**FLAGS[kind], "grade_id": name, "schema_version": 3, "task": False}
        flags["cell_type"] = made.cell_type
        made.metadata["nbgrader"] = flags | ({"points": points} if kind in ("check", "essay") else {})
    return made


def solution(table: Sequence[tuple[str, str, float, str]] = TABLE) -> NotebookNode:
    """The teacher's notebook."""
    notebook: NotebookNode = nbformat.v4.new_notebook(cells=[cell(*row) for row in table])
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    )
    for number, each in enumerate(notebook.cells):
        each.id = f"cell-{number:02}"
    return notebook


def write_solution(folder: Path) -> Path:
    """A folder of solutions that holds the one exercise."""
    folder.mkdir(parents=True, exist_ok=True)
    nbformat.write(solution(), folder / f"{NAME}.ipynb")
    return folder


GOOD = {
    "double": "def double(x):\n    return x + x",
    "total": "def total(values):\n    it = 0\n    for value in values:\n        it += value\n    return it",
    "spell": 'def spell(digit):\n    return "one" if digit == 1 else "two"',
}


def submission(
    answers: Mapping[str, str] = {}, *, behind: Mapping[str, str | Sequence[str]] = {}, good: bool = True
) -> NotebookNode:
    """A learner's notebook.

    Args:
        answers: sources by grade_id.
        behind: sources of cells of the learner's own, by the grade_id that they follow.
        good: whether the answers that are not given are right; else they are as handed out.
    """
    notebook = hand_out(solution(), NAME)
    sources = {**(GOOD if good else {}), **answers}
    cells: list[NotebookNode] = []
    for each in notebook.cells:
        each.source = sources.get(grade_id(each), each.source)
        own = behind.get(grade_id(each), ()) if grade_id(each) else ()
        cells += [each, *map(nbformat.v4.new_code_cell, [own] if isinstance(own, str) else own)]
    notebook.cells = cells
    return notebook


def named(notebook: NotebookNode, name: str) -> NotebookNode:
    """The cell with this grade_id."""
    return next(each for each in notebook.cells if grade_id(each) == name)


def copied(notebook: NotebookNode, name: str, source: str) -> NotebookNode:
    """The notebook, with a copy of a cell right behind it; the copy keeps its metadata, as in JupyterLab."""
    original = named(notebook, name)
    twin = copy.deepcopy(original)
    twin.source, twin.id = source, f"{original.id}-copy"
    notebook.cells.insert(notebook.cells.index(original) + 1, twin)
    return notebook


def without(notebook: NotebookNode, *names: str) -> NotebookNode:
    """The notebook without these cells."""
    notebook.cells = [each for each in notebook.cells if grade_id(each) not in names]
    return notebook


def hand_in(notebook: NotebookNode | bytes | str, path: Path) -> Path:
    """Write what a learner hands in: a notebook, or whatever bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(notebook, NotebookNode):
        notebook = json.dumps(notebook)
    path.write_bytes(notebook if isinstance(notebook, bytes) else notebook.encode())
    return path


def document(**changes: Any) -> str:
    """The JSON of the hand-out, with some of its top level changed."""
    return json.dumps({**hand_out(solution(), NAME), **changes})
