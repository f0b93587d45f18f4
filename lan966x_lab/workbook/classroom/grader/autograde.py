"""The grader's process: nbgrader on one submission, as the teacher, outside the jail.

``worker`` runs it, with the path of a JSON file (see :class:`Job`). ``prepare`` makes nbgrader's course
from the solutions, once; each submission then gets a copy, so that none can disturb another. The points come
from nbgrader's gradebook.
"""

import ast
import json
import logging
import resource
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from lan966x_lab.files import write

from ..cells import Part, called, grade_id, part
from .results import Piece, State, Stop

__all__ = ["Job", "imports", "main", "pieces", "prepare"]

STUDENT = "student"
"""What nbgrader calls whoever handed in: names of learners stay out of its paths and its database."""
LONGEST = 6000
"""Characters of a verdict that are kept."""
MEMORY = 4 << 30
_QUOTES = "The verdict quotes the hidden tests, so it is not shown here."


@dataclass(frozen=True)
class Job:
    """One submission to grade: plain values, so that it fits into a file.

    Args:
        course: nbgrader's course, made by ``prepare``, for this job alone.
        notebook: the notebook in the hand-out's form.
        exercise: its name.
        shared: the folder that the kernel writes in.
        command: how the kernel is started; the connection file is added.
        watched: modules that the checks use.
        cell_seconds: how long one cell may run.
        seconds: how long all may.
        result: the file to write: ``points`` by grade_id, and the executed ``notebook``.
    """

    course: str
    notebook: str
    exercise: str
    shared: str
    command: Sequence[str]
    watched: Sequence[str]
    cell_seconds: int
    seconds: int
    result: str

    def to_json(self) -> str:
        """For the file."""
        return json.dumps(asdict(self))


def prepare(course: Path, solutions: Mapping[str, bytes]) -> None:
    """Make nbgrader's course: the gradebook knows every cell of every exercise, hidden tests included.

    Raises:
        nbgrader.converters.base.NbGraderException: nbgrader refuses a solution.
    """
    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory

    for name, content in solutions.items():
        source = course / "source" / name / f"{name}.ipynb"
        source.parent.mkdir(parents=True)
        source.write_bytes(content)
        config = _config(course, name)
        GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()


def main(path: str) -> int:
    """Do the job in the file ``path``: prepare a course, or grade one submission; 1 when nbgrader fails."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    logging.basicConfig(level=logging.WARNING)
    if "solutions" in document:
        prepare(
            Path(document["course"]),
            {name: Path(file).read_bytes() for name, file in document["solutions"].items()},
        )
        import matplotlib.font_manager  # noqa: F401  # its cache of fonts is copied for each submission

        return 0
    return _grade(Job(**document))


def _grade(job: Job) -> int:
    from nbgrader.api import Gradebook
    from nbgrader.converters import Autograde
    from nbgrader.converters.base import NbGraderException
    from nbgrader.coursedir import CourseDirectory

    from .execute import GuardedExecute

    course = Path(job.course)
    handed_in = course / "submitted" / STUDENT / job.exercise / f"{job.exercise}.ipynb"
    handed_in.parent.mkdir(parents=True)
    shutil.copyfile(job.notebook, handed_in)
    _write_kernel(Path(job.shared), job.command)
    config = _config(course, job.exercise)
    config.CourseDirectory.student_id = STUDENT
    config.GuardedExecute.timeout = job.cell_seconds
    config.GuardedExecute.total = job.seconds
    config.GuardedExecute.watched = list(job.watched)
    config.GuardedExecute.shutdown_kernel = "immediate"
    config.GuardedExecute.iopub_timeout = 6  # after an interrupt, and on a computer that is busy
    config.GuardedExecute.extra_arguments = [
        "--HistoryManager.hist_file=:memory:",
        "--IPKernelApp.log_level=ERROR",
    ]
    config.KernelManager.transport = "ipc"  # a socket in the file system also reaches another network
    config.KernelManager.ip = f"{job.shared}/ipc/k"
    grader = Autograde(coursedir=CourseDirectory(config=config), config=config)
    from nbgrader.preprocessors import Execute

    grader.autograde_preprocessors = [
        GuardedExecute if each is Execute else each for each in grader.autograde_preprocessors
    ]
    try:
        grader.start()
    except NbGraderException:  # the reason stands in the log
        return 1
    graded = course / "autograded" / STUDENT / job.exercise / f"{job.exercise}.ipynb"
    with Gradebook(config.CourseDirectory.db_url) as book:
        submission = book.find_submission_notebook(job.exercise, job.exercise, STUDENT)
        points = {grade.name: grade.auto_score for grade in submission.grades}
    found = {"points": points, "notebook": nbformat.read(graded, as_version=4)}
    write(Path(job.result), json.dumps(found).encode())
    return 0


def _config(course: Path, exercise: str) -> Any:
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.db_url = f"sqlite:///{course}/gradebook.db"
    config.CourseDirectory.assignment_id = exercise
    return config


def _write_kernel(shared: Path, command: Sequence[str]) -> None:
    """Let Jupyter find our command under the name python3; this comes first on its path."""
    spec = {
        "argv": [*command, "-f", "{connection_file}"],
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "interrupt_mode": "signal",
        "env": {"PYTHONDONTWRITEBYTECODE": "1"},  # without a jail, too, nothing is written beside the package
    }
    folder = shared / "jupyter" / "kernels" / "python3"
    folder.mkdir(parents=True)
    (folder / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")


def imports(notebook: NotebookNode) -> list[str]:
    """The modules of the lab that a notebook's code imports, sorted; names that may be modules included."""
    found: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        try:
            tree = ast.parse(cell.source)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return sorted(name for name in found if name.partition(".")[0] == "lan966x_lab")


def pieces(
    graded: NotebookNode, handout: NotebookNode, points: Mapping[str, float | None], hidden: frozenset[str]
) -> tuple[list[Piece], list[str]]:
    """What a learner is told, piece by piece, and remarks on cells that raised; no line of ``hidden`` in it.

    Args:
        graded: the executed notebook.
        handout: the one that was handed out: which cells there are, and in which order.
        points: what nbgrader's gradebook says; None when a person has to look.
        hidden: the lines of the hidden tests.
    """
    by_name = {grade_id(cell): cell for cell in graded.cells if grade_id(cell)}
    found = [
        _piece(by_name[name], original, points.get(name), hidden)
        for original in handout.cells
        if (name := grade_id(original)) in by_name and part(original) is not Part.LOCKED
    ]
    return list(_blamed(found)), list(_raised(graded, hidden))


def _blamed(found: Iterable[Piece]) -> Iterator[Piece]:
    """The pieces; a check that failed says which function it calls that failed its own check before."""
    answer, wrong = Piece("", State.BLANK, ""), set[str]()
    for piece in found:
        if not piece.is_scored:
            answer = piece
        elif piece.state is State.WRONG:
            called_here = sorted(wrong & _names(answer.text))
            wrong.add(answer.name)
            piece = replace(piece, calls=called_here[0] if called_here else "")
        yield piece


def _names(source: str) -> set[str]:
    """The names that a program uses; none if it is no program."""
    try:
        return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    except (SyntaxError, ValueError, RecursionError):
        return set()


def _piece(cell: NotebookNode, original: NotebookNode, points: float | None, hidden: frozenset[str]) -> Piece:
    name, kind = grade_id(cell), part(original)
    is_code = original.cell_type == "code"
    is_blank = cell.source.strip() in ("", original.source.strip())
    if kind is Part.ANSWER:
        return Piece(name, State.BLANK if is_blank else State.ANSWER, cell.source, is_code=is_code)
    most = float(original.metadata.nbgrader.points)
    if kind is Part.ESSAY:  # nbgrader compares with a stub of its own, which is not ours
        if is_blank:
            return Piece(name, State.BLANK, cell.source, 0.0, most, is_code)
        return Piece(name, State.WAITING, cell.source, None, most, is_code)
    got = points or 0.0
    error = next((out for out in cell.get("outputs", []) if out.output_type == "error"), None)
    state = State.WRONG if got <= 0 else State.PARTLY if got < most else State.RIGHT
    if error is not None and error.ename in (Stop.NOT_RUN, Stop.LAB_CHANGED, Stop.ENDED):
        state = State.NOT_RUN
    said = _verdict(cell, error, got, most, hidden)
    if state is State.WRONG and said.partition("\n")[0].lower().endswith("not started."):
        state = State.NOT_STARTED
    return Piece(name, state, said, got, most)


def _verdict(
    cell: NotebookNode, error: NotebookNode | None, got: float, most: float, hidden: frozenset[str]
) -> str:
    if error is not None:
        text = _said(error)
    else:
        # where a number of points is shown, its narration stands beside it as Markdown
        values = [
            out.data.get("text/markdown") or ("" if got < most else out.data.get("text/plain", ""))
            for out in cell.outputs
            if out.output_type == "execute_result"
        ]
        text = next(filter(None, reversed(values)), "")
        text = text or (f"{got:g} of {most:g} points." if got < most else "Right.")
    return _without(hidden, text)


def _said(error: NotebookNode) -> str:
    """An error as the learner reads it: the narration of a check alone, an exception with its name."""
    if error.ename in ("AssertionError", *Stop) and error.evalue:
        return str(error.evalue)
    if error.ename == "NotImplementedError":
        return f"Not started.\nIt says: {error.evalue}"
    return f"The check was stopped by {error.ename}: {error.evalue}".rstrip(": ")


def _raised(graded: NotebookNode, hidden: frozenset[str]) -> Iterator[str]:
    for cell in graded.cells:
        if part(cell) in (Part.CHECK, Part.ESSAY):
            continue
        for out in cell.get("outputs", []):
            if out.output_type == "error":
                said = out.evalue if out.ename in [*Stop] else f"it raised {out.ename}: {out.evalue}"
                yield _without(hidden, f"In {called(cell)}: {said}")[:600]


def _without(hidden: frozenset[str], text: str) -> str:
    text = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return _QUOTES if any(line in text for line in hidden) else text
