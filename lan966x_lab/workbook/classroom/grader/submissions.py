"""Find what was handed in, say which exercise it is, and bring it into the form of the hand-out.

Nothing of a submission is trusted, and little of it is used: the source of each cell and the name under which
the gradebook knows it. Everything else (metadata, outputs, points, checks) comes from the hand-out.
"""

import hashlib
import json
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from ..cells import HIDDEN, Part, grade_id, part
from ..handout import EXERCISE, hand_out, read

__all__ = ["Damaged", "Exercise", "Submission", "exercises", "find", "form"]

BIGGEST = 20 << 20
"""Bytes of a notebook file; a hand-out has less than 100 kB, and pictures in outputs a few MB."""
MOST_CELLS = 500
_TELLING = 20
"""Characters of a line that tells something; a shorter one may stand in anybody's text."""


@dataclass(frozen=True)
class Exercise:
    """One exercise: the teacher's notebook, and what was handed out."""

    name: str
    content: bytes
    solution: NotebookNode
    handout: NotebookNode

    @cached_property
    def cells(self) -> dict[str, NotebookNode]:
        """The cells of the hand-out that the gradebook knows, by their grade_id, in order."""
        return {grade_id(cell): cell for cell in self.handout.cells if grade_id(cell)}

    @cached_property
    def title(self) -> str:
        """Its first heading, or its name."""
        lines = (line for cell in self.handout.cells for line in cell.source.splitlines())
        return next((line[2:].strip() for line in lines if line.startswith("# ")), self.name)

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The lines of the hidden tests that stand nowhere in the hand-out, stripped."""
        shown = {line.strip() for cell in self.handout.cells for line in cell.source.splitlines()}
        every = {line.strip() for cell in self.solution.cells for line in _hidden_lines(cell)}
        return frozenset(line for line in every - shown if len(line) >= _TELLING)


@dataclass(frozen=True)
class Cell:
    """What is used of a learner's cell."""

    kind: str
    source: str
    name: str


@dataclass(frozen=True)
class Submission:
    """One notebook that can be graded."""

    student: str
    path: str
    exercise: Exercise
    digest: str
    cells: tuple[Cell, ...] = field(repr=False)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Damaged:
    """One notebook that cannot be graded, and why."""

    student: str
    path: str
    why: str


def exercises(folder: Path) -> dict[str, Exercise]:
    """The exercises whose solutions lie in ``folder``, by name.

    Raises:
        FileNotFoundError: there are none.
        CellError: one of them cannot be handed out.
    """
    found = {}
    for path in sorted(folder.glob("*.ipynb")):
        if ".mine" not in path.name:
            solution = read(path)
            handout = hand_out(solution, path.stem)
            found[path.stem] = Exercise(path.stem, path.read_bytes(), solution, handout)
    if not found:
        raise FileNotFoundError(f"no notebooks in {folder}: name the folder of the solutions")
    return found


def find(folder: Path, known: Mapping[str, Exercise]) -> list[Submission | Damaged]:
    """Everything that was handed in: ``folder/STUDENT/…/*.ipynb``, and ``folder/STUDENT.ipynb``.

    Of two notebooks of one exercise by one student the one that was changed last is taken, and says so.

    Raises:
        NotADirectoryError: ``folder`` is none.
    """
    if not folder.is_dir():
        raise NotADirectoryError(f"there is no folder {folder}: name the one that holds the submissions")
    found: list[Submission | Damaged] = []
    taken: dict[tuple[str, str], list[tuple[float, Submission]]] = {}
    for student, path in _notebooks(folder):
        name = _printable(path.relative_to(folder))
        try:
            submission = _load(path, student, name, known)
            changed = path.stat().st_mtime
        except _DamageError as damage:
            found.append(Damaged(student, name, str(damage)))
        except OSError as error:
            found.append(Damaged(student, name, f"cannot be read: {error.strerror or error}"))
        else:
            taken.setdefault((student, submission.exercise.name), []).append((changed, submission))
    for rivals in taken.values():
        *others, (_, last) = sorted(rivals, key=lambda rival: (rival[0], rival[1].path))
        if others:
            left = ", ".join(other.path for _, other in others)
            last = _noted(last, f"{last.path} was taken: it was changed last. Left out: {left}.")
        found.append(last)
    return sorted(found, key=lambda each: (each.student, each.path))


def form(submission: Submission) -> tuple[NotebookNode, list[str]]:
    """The notebook to grade, and what had to be done to get it, one sentence each.

    It has the hand-out's cells in the hand-out's order, with the learner's answers in them. Cells of the
    learner's own stand behind the cell that they followed. A copied answer counts once: the last one that was
    changed. What was deleted comes back, except an answer: its check says that it is missing.
    """
    known = submission.exercise.cells
    chosen, notes = _choose(submission)
    own: dict[str, list[Cell]] = {}
    behind = ""
    for mine in submission.cells:
        if mine.name in known:
            behind = mine.name
        elif mine.kind == "code" and mine.source.strip():
            own.setdefault(behind, []).append(mine)
    made = [_own(cell) for cell in own.get("", [])]
    for name, original in known.items():
        kind, given = part(original), chosen.get(name)
        if given is not None or kind is not Part.ANSWER:
            cell = nbformat.from_dict(original)
            if given is not None and kind in (Part.ANSWER, Part.ESSAY):
                cell.source = given.source
            made.append(cell)
        made += [_own(cell) for cell in own.get(name, [])]
        notes += _remarks(name, kind, original, given)
    for number, cell in enumerate(made):
        cell.id = f"cell-{number:03}"
    notebook = nbformat.v4.new_notebook(
        cells=made, metadata=nbformat.from_dict(submission.exercise.handout.metadata)
    )
    return notebook, notes


class _DamageError(Exception):
    """Why a file cannot be graded."""


def _notebooks(folder: Path) -> Iterator[tuple[str, Path]]:
    """Whose it is, and where; without checkpoints, hidden files and the copies that ``reset`` keeps."""
    for path in sorted(folder.rglob("*.ipynb")):
        inside = path.relative_to(folder)
        if any(piece.startswith(".") for piece in inside.parts) or ".mine" in path.name:
            continue
        yield _printable(inside.parts[0] if len(inside.parts) > 1 else path.stem), path


def _load(path: Path, student: str, name: str, known: Mapping[str, Exercise]) -> Submission:
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise _DamageError("is a link, a folder or a device, and no file; hand in the notebook itself")
    if status.st_size > BIGGEST:
        size = f"{status.st_size / 1e6:.0f} MB"
        raise _DamageError(f"is too big ({size}, and {BIGGEST / 1e6:.0f} are allowed); clear its outputs")
    content = path.read_bytes()
    if not content.strip():
        raise _DamageError("is empty; save the notebook, and hand it in again")
    try:
        document = json.loads(content)
    except json.JSONDecodeError as error:
        raise _DamageError(f"is no notebook: line {error.lineno} is no JSON ({error.msg})") from None
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise _DamageError(f"is no notebook: {type(error).__name__} while its JSON was read") from None
    cells = _cells(document)
    metadata = document.get("metadata")
    says = metadata.get(EXERCISE) if isinstance(metadata, dict) else None
    exercise = _which(says, cells, known)
    notes = []
    if path.stem != exercise.name and path.stem != student:
        notes.append(f"The file is called {_printable(path.name)}, and is the exercise {exercise.name}.")
    digest = hashlib.sha256(content).hexdigest()
    return Submission(student, name, exercise, digest, cells, tuple(notes))


def _cells(document: object) -> tuple[Cell, ...]:
    if not isinstance(document, dict):
        raise _DamageError("is JSON, and no notebook")
    if document.get("nbformat") != 4:
        version = _printable(document.get("nbformat"))[:20]
        raise _DamageError(f"has the notebook format {version}, and 4 is read; save it in JupyterLab")
    raw = document.get("cells")
    if not isinstance(raw, list) or not all(isinstance(cell, dict) for cell in raw):
        raise _DamageError("is JSON, and no notebook: it has no list of cells")
    if len(raw) > MOST_CELLS:
        raise _DamageError(f"has {len(raw)} cells, and {MOST_CELLS} are allowed")
    return tuple(map(_cell, raw))


def _cell(raw: dict[str, object]) -> Cell:
    source, metadata = raw.get("source", ""), raw.get("metadata")
    lines = source if isinstance(source, list) else [source]
    flags = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    name = flags.get("grade_id") if isinstance(flags, dict) else None
    text = "".join(line for line in lines if isinstance(line, str))
    return Cell(str(raw.get("cell_type")), _printable(text), name if isinstance(name, str) else "")


def _which(says: object, cells: Iterable[Cell], known: Mapping[str, Exercise]) -> Exercise:
    if isinstance(says, str) and says in known:
        return known[says]
    owners = Counter(name for exercise in known.values() for name in exercise.cells)
    names = {cell.name for cell in cells}
    score = {
        name: sum(1 for each in exercise.cells if each in names and owners[each] == 1)
        for name, exercise in known.items()
    }
    best = max(score, key=lambda name: score[name])
    if not score[best]:
        called = f" It calls itself {_printable(says)[:80]}." if isinstance(says, str) else ""
        raise _DamageError(f"is another notebook: it has no cell of {', '.join(known)}.{called}")
    return known[best]


def _choose(submission: Submission) -> tuple[dict[str, Cell], list[str]]:
    places: dict[str, list[int]] = {}
    for number, cell in enumerate(submission.cells):
        if cell.name in submission.exercise.cells:
            places.setdefault(cell.name, []).append(number)
    chosen, notes = {}, []
    for name, numbers in places.items():
        blank = submission.exercise.cells[name].source
        changed = [n for n in numbers if submission.cells[n].source.strip() not in ("", blank.strip())]
        taken = (changed or numbers)[-1]
        chosen[name] = submission.cells[taken]
        if len(numbers) > 1:
            where = ", ".join(str(n + 1) for n in numbers)
            notes.append(f"{name} stands in {len(numbers)} cells ({where}): cell {taken + 1} was taken.")
    return chosen, notes


def _remarks(name: str, kind: Part, original: NotebookNode, given: Cell | None) -> Iterator[str]:
    if given is None:
        done = "it counts as not answered" if kind is Part.ANSWER else "it was put back"
        yield f"The cell {name} is missing: {done}."
    elif kind in (Part.CHECK, Part.LOCKED):
        if given.source.strip() != original.source.strip() or given.kind != original.cell_type:
            yield f"The cell {name} was changed: it was put back as handed out."
    elif given.kind != original.cell_type:
        yield f"The cell {name} was made a {given.kind} cell: it was taken as {original.cell_type}."


def _own(cell: Cell) -> NotebookNode:
    made: NotebookNode = nbformat.v4.new_code_cell(cell.source)
    return made


def _noted(submission: Submission, note: str) -> Submission:
    return replace(submission, notes=(*submission.notes, note))


def _hidden_lines(cell: NotebookNode) -> list[str]:
    kept = Counter(HIDDEN.cut(cell.source).splitlines())
    return list((Counter(cell.source.splitlines()) - kept).elements())


def _printable(text: object) -> str:
    """Text that can be written as UTF-8: half characters and undecodable file names get a mark."""
    return str(text).encode("utf-8", "replace").decode()
