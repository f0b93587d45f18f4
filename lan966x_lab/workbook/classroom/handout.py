"""The student's notebook, made from the teacher's: blanks for solutions, no hidden tests, no outputs."""

import json
from copy import deepcopy
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from lan966x_lab.files import write

from .cells import HIDDEN, SOLUTION, CellError, problems

__all__ = ["EXERCISE", "hand_out", "make", "read"]

EXERCISE = "lan966x_lab_exercise"
"""The metadata key that says which exercise a notebook is, whatever its file is called."""


def hand_out(teacher: NotebookNode, name: str) -> NotebookNode:
    """What the learner gets: the same cells under the same ids, with blanks.

    Args:
        teacher: the notebook with solutions and hidden tests.
        name: what the exercise is called: the stem of its file.

    Raises:
        CellError: the notebook does not keep the format; every problem is named.
    """
    if found := list(problems(teacher)):
        raise CellError(f"{name} cannot be handed out:\n" + "\n".join(f"  {line}" for line in found))
    student = deepcopy(teacher)
    student.metadata[EXERCISE] = name
    for cell in student.cells:
        put = _blank_code if cell.cell_type == "code" else _blank_text
        cell.source = HIDDEN.cut(SOLUTION.cut(cell.source, put))
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return student


def make(solutions: Path, folder: Path, *, dry_run: bool = False) -> list[Path]:
    """Write the hand-out of every notebook in ``solutions`` into ``folder``; all of them, or none.

    Nothing is written on a ``dry_run``.

    Returns:
        The files whose content is new.

    Raises:
        FileNotFoundError: there is no notebook in ``solutions``.
        CellError: one of them cannot be handed out.
    """
    sources = sorted(path for path in solutions.glob("*.ipynb") if ".mine" not in path.name)
    if not sources:
        raise FileNotFoundError(f"no notebooks in {solutions}: name the folder of the solutions")
    made = {path.name: _stored(hand_out(read(path), path.stem)) for path in sources}
    new = [name for name, content in made.items() if _content(folder / name) != content]
    for name in new if not dry_run else []:
        write(folder / name, made[name])
    return [folder / name for name in new]


def read(path: Path) -> NotebookNode:
    """A notebook from a file, in the current format.

    Raises:
        CellError: the file is no notebook.
    """
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (ValueError, TypeError, AttributeError, KeyError, nbformat.ValidationError) as error:
        first = str(error).strip().splitlines() or [type(error).__name__]
        raise CellError(f"{path.name} is no notebook that Jupyter can read: {first[0]}") from error
    return notebook


def _blank_code(indent: str, sentence: str) -> str:
    said = json.dumps(sentence, ensure_ascii=False)
    return f"{indent}# Your code here.\n{indent}raise NotImplementedError({said})"


def _blank_text(indent: str, sentence: str) -> str:
    return f"{indent}*Your answer here (double-click to write){': ' + sentence if sentence else '.'}*"


def _stored(notebook: NotebookNode) -> bytes:
    return f"{nbformat.writes(notebook)}\n".encode()


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
