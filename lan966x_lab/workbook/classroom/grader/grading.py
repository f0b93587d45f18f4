"""Grade a folder of submissions: each in its own process, some at a time, none twice."""

import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue

import nbformat

import lan966x_lab
from lan966x_lab import data_path, notebook_files

from . import autograde, sandbox, submissions
from .results import Result, Store, key
from .submissions import Damaged, Exercise, Submission
from .warm import Warm

__all__ = ["Graded", "GradingError", "Plan", "grade", "lab_digest", "missing"]

PACKAGE = Path(lan966x_lab.__file__).parent
_GRACE = 60
"""Seconds beyond the limit for all cells: the start of the kernel, nbgrader itself, the interrupt."""
_LONGEST = 70
"""Bytes: a socket's path has at most 104 everywhere."""
_EXCEPTION = re.compile(r"(\w+\.)*[A-Z]\w*[a-z]\w*: ")
_SEE_ABOVE = "Please see the the above traceback"
"""nbgrader's last word, which says nothing."""
_CELLS = 10
"""The limit for all cells is that of one cell, this many times."""


class GradingError(RuntimeError):
    """Grading could not begin; the message says why."""


def lab_digest(package: Path = PACKAGE, data: Path | None = None) -> str:
    """A hash of all that the lab itself brings to a result: its programs, and its data (default: its own)."""
    parts: list[str | bytes] = []
    for root, pattern in ((package, "*.py"), (data or data_path(), "*")):
        for path in sorted(path for path in root.rglob(pattern) if path.is_file()):
            parts += [path.relative_to(root).as_posix(), path.read_bytes()]
    return key(*parts)


@dataclass(frozen=True)
class Plan:
    """What to grade, and how; ``lab`` is the hash of the lab as it was when the plan was made."""

    folder: Path
    out: Path
    exercises: Mapping[str, Exercise]
    solutions: Path
    jobs: int = 1
    cell_seconds: int = 30
    lab: str = field(default_factory=lab_digest)


@dataclass(frozen=True)
class Graded:
    """The outcome: results in the order of the submissions, what failed, and what protected the computer."""

    results: tuple[Result, ...]
    failed: tuple[Damaged, ...]
    resumed: int
    protection: sandbox.Protection


def missing() -> str:
    """What has to be installed before anything can be graded; "" when nothing has."""
    if sys.platform == "win32":
        return "grading needs Linux or macOS: on Windows, run it in WSL."
    if importlib.util.find_spec("nbgrader") is None:
        here = notebook_files.checkout() is not None
        command = (
            ".venv/bin/python -m pip install -c constraints.txt -e '.[classroom]'"
            if here
            else "pip install 'lan966x-lab[classroom]'"
        )
        return f"grading needs nbgrader, which is not installed. Install it: {command}"
    return ""


def grade(plan: Plan, progress: Callable[[int, int], None] = lambda done, all: None) -> Graded:
    """Grade what is not graded yet, and return everything.

    ``progress(done, all)`` is called at the beginning and after each submission. What was graded is stored
    at once, so a run that ends early has lost nothing but the submissions that it was at.

    Raises:
        GradingError: nbgrader refuses the solutions.
        KeyboardInterrupt: it was interrupted; nothing is left running.
        OSError: a folder cannot be read or written.
    """
    found = submissions.find(plan.folder, plan.exercises)
    good = [each for each in found if isinstance(each, Submission)]
    store = Store(plan.out / "results")
    keys = [_key(plan, each) for each in good]
    results = {each: old for each in keys if (old := store.get(each))}
    resumed = len(results)
    failed = [each for each in found if isinstance(each, Damaged)]
    home = notebook_files.checkout()
    carried = PACKAGE / "_notebooks"
    protection = sandbox.examine([plan.folder, plan.out, plan.solutions, carried, *([home] if home else [])])
    todo = [each for each, wanted in zip(good, keys, strict=True) if wanted not in results]
    progress(len(found) - len(todo), len(found))
    if todo:
        for outcome in _run_all(plan, protection, todo):
            if isinstance(outcome, Result):
                store.put(outcome)
                results[outcome.key] = outcome
            else:
                failed.append(outcome)
            progress(len(results) + len(failed), len(found))
    ordered = tuple(results[each] for each in keys if each in results)
    return Graded(
        ordered, tuple(sorted(failed, key=lambda one: (one.student, one.path))), resumed, protection
    )


def _key(plan: Plan, submission: Submission) -> str:
    return key(
        plan.lab,
        plan.cell_seconds,
        submission.exercise.name,
        submission.exercise.content,
        submission.student,
        submission.path,
        submission.digest,
        "\n".join(submission.notes),
    )


def _run_all(
    plan: Plan, protection: sandbox.Protection, todo: list[Submission]
) -> Iterator[Result | Damaged]:
    with tempfile.TemporaryDirectory(prefix="lan966x-", ignore_cleanup_errors=True) as temporary:
        top = Path(temporary).resolve()
        if len(os.fsencode(top)) > _LONGEST:
            raise GradingError(f"the path {top} is too long for sockets: set TMPDIR to a shorter one")
        _folders(top / "course" / "shared")
        variables = sandbox.environment(top / "course" / "shared")
        graders = [Warm([sys.executable, "-m", f"{__package__}.worker"], variables) for _ in range(plan.jobs)]
        free: Queue[Warm] = Queue()
        for grader in graders:
            free.put(grader)
        cancelled = threading.Event()
        pool = ThreadPoolExecutor(plan.jobs)
        try:
            _prepare(top, {each.exercise.name: each.exercise for each in todo}, graders[0])
            jobs = [
                pool.submit(_one, plan, protection, each, top / str(number), free, cancelled)
                for number, each in enumerate(todo)
            ]
            for job in as_completed(jobs):
                yield job.result()
        finally:
            cancelled.set()  # on Ctrl-C: what runs is stopped before anything else happens
            pool.shutdown(cancel_futures=True)
            for grader in graders:
                grader.close()


def _prepare(top: Path, wanted: Mapping[str, Exercise], grader: Warm) -> None:
    shared = top / "course" / "shared"
    files = {}
    for number, (name, exercise) in enumerate(wanted.items()):
        files[name] = str(top / f"solution-{number}")
        Path(files[name]).write_bytes(exercise.content)
    job = top / "prepare.json"
    order = {"course": str(top / "course" / "nbgrader"), "solutions": files}
    job.write_text(json.dumps(order), encoding="utf-8")
    log, seconds = top / "prepare.log", 60 + 20 * len(files)
    ended = grader.run(job, sandbox.environment(shared), shared, log, seconds, threading.Event())
    if ended.why or ended.status:
        raise GradingError(f"nbgrader refuses the solutions: {ended.why or _last_error(log)}")


def _one(
    plan: Plan,
    protection: sandbox.Protection,
    submission: Submission,
    place: Path,
    free: "Queue[Warm]",
    cancelled: threading.Event,
) -> Result | Damaged:
    """Grade one submission in a folder of its own, which is gone afterwards."""
    grader = free.get()
    try:
        return _in(place, plan, protection, submission, grader, cancelled)
    except Exception as error:  # whatever it is, it must not cost the other submissions
        return _damaged(submission, f"{type(error).__name__}: {error}")
    finally:
        shutil.rmtree(place, ignore_errors=True)
        free.put(grader)


def _in(
    place: Path,
    plan: Plan,
    protection: sandbox.Protection,
    submission: Submission,
    grader: Warm,
    cancelled: threading.Event,
) -> Result | Damaged:
    exercise, course, shared = submission.exercise, place.parent / "course", place / "s"
    shutil.copytree(course / "nbgrader", place / "nbgrader")
    _folders(shared)
    shutil.copytree(course / "shared" / "matplotlib", shared / "matplotlib", dirs_exist_ok=True)
    notebook, notes = submissions.form(submission)
    (place / "notebook.ipynb").write_text(nbformat.writes(notebook), encoding="utf-8")
    kernel = [sys.executable, "-m", "ipykernel_launcher"]
    seconds = _CELLS * plan.cell_seconds
    job = autograde.Job(
        course=str(place / "nbgrader"),
        notebook=str(place / "notebook.ipynb"),
        exercise=exercise.name,
        shared=str(shared),
        command=sandbox.kernel_command(protection, shared, kernel),
        watched=autograde.imports(exercise.solution),
        cell_seconds=plan.cell_seconds,
        seconds=seconds,
        result=str(place / "result.json"),
    )
    (place / "job.json").write_text(job.to_json(), encoding="utf-8")
    log = place / "log"
    variables = sandbox.environment(shared)
    ended = grader.run(place / "job.json", variables, shared, log, seconds + _GRACE, cancelled)
    if not Path(job.result).is_file():
        return _damaged(submission, ended.why or f"the grader stopped: {_last_error(log)}")
    found = json.loads(Path(job.result).read_text(encoding="utf-8"))
    graded = nbformat.from_dict(found["notebook"])
    pieces, remarks = autograde.pieces(graded, exercise.handout, found["points"], exercise.hidden)
    return Result(
        submission.student,
        exercise.name,
        exercise.title,
        submission.path,
        _key(plan, submission),
        tuple(pieces),
        (*submission.notes, *notes, *remarks),
    )


def _folders(shared: Path) -> None:
    for name in ("", "work", "tmp", "ipc", "matplotlib"):
        (shared / name).mkdir(parents=True, exist_ok=True)


def _damaged(submission: Submission, why: str) -> Damaged:
    return Damaged(submission.student, submission.path, f"could not be graded: {why}")


def _last_error(log: Path) -> str:
    """The last line of a log that names an exception, or the last line at all."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    named = [line for line in lines if _EXCEPTION.match(line) and _SEE_ABOVE not in line]
    return ([*filter(None, named or lines)] or ["it said nothing"])[-1][:300]
