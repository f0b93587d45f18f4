"""``lan966x-lab handout`` and ``lan966x-lab grade``: what a teacher calls."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lan966x_lab import files, notebook_files

__all__ = ["run_grade", "run_handout"]

_SOLUTIONS = "solutions"


def run_handout(options: argparse.Namespace) -> int:
    """Make the students' notebooks; 1 when ``check`` finds a difference or a solution is wrong.

    Args:
        options: ``solutions`` (a folder, or None), ``output`` (a folder, or None), ``check``.
    """
    from lan966x_lab.workbook.classroom import handout
    from lan966x_lab.workbook.classroom.cells import CellError

    home = notebook_files.checkout()
    folder: Path = options.output or (home / "notebooks" / "exercises" if home else Path("exercises"))
    other = "name another folder with -o"
    try:
        with _solutions(options.solutions) as solutions:
            if folder.resolve() == solutions.resolve():
                return _fail("handout", f"{folder} holds the solutions; blanks would replace them: {other}")
            if folder.exists() and not folder.is_dir():
                return _fail("handout", f"{folder} is no folder: {other}")
            changed = handout.make(solutions, folder, dry_run=options.check)
            names = {path.name for path in solutions.glob("*.ipynb")}
    except CellError as error:
        return _fail("handout", str(error), status=1)
    except FileNotFoundError as error:
        return _fail("handout", str(error))
    orphans = (
        sorted(path for path in folder.glob("*.ipynb") if path.name not in names) if options.check else []
    )
    for path in changed:
        print(f"{path}: {'is not what its solution gives' if options.check else 'written'}")
    for path in orphans:
        print(f"{path}: has no solution")
    if options.check and (changed or orphans):
        print("Run `lan966x-lab handout` to make them anew.")
        return 1
    if not changed:
        print(f"Nothing to do: the {len(names)} hand-outs in {folder} are what their solutions give.")
    return 0


def run_grade(options: argparse.Namespace) -> int:
    """Grade a folder of submissions; 1 when one of them could not be graded, 130 when it was interrupted.

    Args:
        options: ``submissions``, ``output`` (folders), ``solutions`` (a folder, or None), ``jobs``,
            ``cell_seconds``.
    """
    from lan966x_lab.workbook.classroom.cells import CellError
    from lan966x_lab.workbook.classroom.grader import grading, submissions

    if reason := grading.missing():
        return _fail("grade", reason, status=1)
    folder, out = options.submissions.resolve(), options.output.resolve()
    if reason := _wrong_call(options, folder, out):
        return _fail("grade", reason)
    if problem := notebook_files.unwritable(out):
        return _fail("grade", f"cannot write in {out} ({problem}): name another folder with -o", status=1)
    try:
        with _solutions(options.solutions) as solutions:
            plan = grading.Plan(
                folder, out, submissions.exercises(solutions), solutions, options.jobs, options.cell_seconds
            )
            return _grade(plan)
    except CellError as error:
        return _fail("grade", str(error), status=1)
    except FileNotFoundError as error:
        return _fail("grade", str(error))
    except grading.GradingError as error:
        return _fail("grade", str(error), status=1)
    except KeyboardInterrupt:
        done = len(list((out / "results").glob("*.json")))
        return _fail(
            "grade",
            f"interrupted, nothing is left running. {done} results are kept in {out / 'results'}; the same "
            "command goes on from there.",
            status=130,
        )


def _grade(plan: object) -> int:
    from tqdm import tqdm

    from lan966x_lab.workbook.classroom.grader import grading, report

    assert isinstance(plan, grading.Plan)
    with tqdm(desc="Grading", unit=" notebook", disable=None) as bar:

        def progress(done: int, every: int) -> None:
            bar.total = every
            bar.update(done - bar.n)

        graded = grading.grade(plan, progress)
    if not graded.results and not graded.failed:
        return _fail("grade", f"no notebook lies in {plan.folder}: it holds a folder for each student")
    report.write_all(graded, plan.out)
    for damaged in graded.failed:
        print(f"{damaged.path}: {damaged.why}")
    if graded.protection.reason:
        print(f"Without a jail: {graded.protection.reason}. The summary says what that means.")
    before = f" ({graded.resumed} of them in an earlier run)" if graded.resumed else ""
    print(f"{len(graded.results)} graded{before}, {len(graded.failed)} could not be graded.")
    print(f"Points: {plan.out / 'points.csv'}\nSummary: {plan.out / 'summary.html'}")
    print(f"Feedback for the students: {plan.out / 'feedback'}")
    return 1 if graded.failed else 0


def _wrong_call(options: argparse.Namespace, folder: Path, out: Path) -> str:
    if not folder.is_dir():
        return f"there is no folder {folder}: name the one that holds a folder for each student"
    if out == folder or folder in out.parents:
        return f"-o {out} lies in the submissions: name a folder outside {folder}"
    for name, value in (("--jobs", options.jobs), ("--cell-seconds", options.cell_seconds)):
        if value < 1:
            return f"{name} is {value}, and at least 1 is asked for"
    return ""


@contextmanager
def _solutions(given: Path | None) -> Iterator[Path]:
    """The folder of the solutions: the one that was named, the checkout's, or a copy of the installed."""
    home = notebook_files.checkout()
    if given or home:
        yield given or Path(home or "", "notebooks", _SOLUTIONS)
        return
    with tempfile.TemporaryDirectory(prefix="lan966x-") as temporary:
        for name, content in notebook_files.pristine().items():
            if name.startswith(f"{_SOLUTIONS}/"):
                files.write(Path(temporary, name), content)
        yield Path(temporary, _SOLUTIONS)


def _fail(command: str, message: str, *, status: int = 2) -> int:
    print(f"lan966x-lab {command}: {message}", file=sys.stderr)
    return status
