"""``lan966x-lab grade`` on 30 submissions of the first exercise; and again, when all results are stored."""

import contextlib
import os
import tempfile
import time
from copy import deepcopy
from pathlib import Path

import nbformat

from lan966x_lab import notebook_files
from lan966x_lab.cli import main
from lan966x_lab.workbook.classroom.cells import Part, grade_id, part
from lan966x_lab.workbook.classroom.handout import hand_out, read

SUBMISSIONS = 30
LIMIT = 300
"""Seconds that a class of 30 may take on 2 cores: a promise to teachers, looked at here, never asserted."""


def run() -> None:
    """Make the submissions, each a little different, grade them, print the seconds."""
    solutions = Path(notebook_files.checkout() or ".", "notebooks", "solutions")
    path = next(iter(sorted(solutions.glob("*.ipynb"))))
    solved = read(path)
    answers = {grade_id(cell): cell.source for cell in solved.cells if part(cell) is Part.ANSWER}
    blank = hand_out(solved, path.stem)
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w", encoding="utf-8") as nowhere:
        for number in range(SUBMISSIONS):
            notebook = deepcopy(blank)
            for cell in notebook.cells:
                if grade_id(cell) in answers:
                    cell.source = f"{answers[grade_id(cell)]}\n# student {number}"
            target = Path(folder, "in", f"student-{number:02}", path.name)
            target.parent.mkdir(parents=True)
            nbformat.write(notebook, target)
        nbformat.write(solved, Path(folder, path.name))  # a copy, which nobody edits meanwhile
        print(
            f"{SUBMISSIONS} submissions of {path.stem}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
        )
        for words in ("all of them", "again, all stored"):
            start = time.perf_counter()
            with contextlib.redirect_stdout(nowhere):
                status = main(["grade", f"{folder}/in", "-o", f"{folder}/out", "--solutions", folder])
            taken = time.perf_counter() - start
            print(
                f"{words:<18} {taken:6.1f} s of {LIMIT} s, {taken / SUBMISSIONS:5.2f} s each, status {status}"
            )
        used = os.times()
        print(f"CPU time of all processes {used.children_user + used.children_system:.0f} s")


if __name__ == "__main__":
    run()
