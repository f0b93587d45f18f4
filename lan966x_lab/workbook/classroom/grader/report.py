"""What a teacher gets: points as CSV, and a summary that begins with the commonest mistakes."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from io import StringIO
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple
from urllib.parse import quote

from lan966x_lab.files import write

from ...palette import MUTED, TONES
from ...pictures import Picture
from ...svg import WIDTH, Svg, clean
from .feedback import feedback
from .grading import Graded
from .page import heading, number, page, table
from .results import Result, State, key

__all__ = ["Mistake", "checks_csv", "mistakes", "picture", "points_csv", "summary", "write_all"]

_SHOWN = 10
_LONGEST_NAME = 200
"""Bytes: the name of a file has at most 255."""
_MISTAKEN = (State.WRONG, State.PARTLY, State.NOT_RUN)


class Mistake(NamedTuple):
    """One mistake, and who made it."""

    exercise: str
    check: str
    sentence: str
    students: tuple[str, ...]


def write_all(graded: Graded, out: Path) -> list[Path]:
    """Write ``points.csv``, ``checks.csv``, ``summary.html`` and ``feedback/STUDENT.html`` into ``out``.

    Raises:
        OSError: one of them cannot be written; each is whole or as it was.
    """
    pages = {
        out / "points.csv": points_csv(graded),
        out / "checks.csv": checks_csv(graded.results),
        out / "summary.html": summary(graded),
    }
    for student in _students(graded):
        theirs = [one for one in graded.results if one.student == student]
        failed = [one for one in graded.failed if one.student == student]
        pages[out / "feedback" / _page_name(student)] = feedback(student, theirs, failed)
    for path, content in pages.items():
        write(path, content)
    return list(pages)


def points_csv(graded: Graded) -> bytes:
    """One row a student: the points of each exercise, their sum, what waits for a person, and remarks.

    A field is empty where nothing was handed in, and where it could not be graded; a remark says so.
    """
    names = sorted({one.exercise for one in graded.results})
    rows: list[list[str]] = [["student", *names, "total", "of", "waiting", "remarks"]]
    best = {one.exercise: one.most for one in graded.results}
    for student in _students(graded):
        theirs = {one.exercise: one for one in graded.results if one.student == student}
        remarks = [f"{one.path} {one.why}" for one in graded.failed if one.student == student]
        remarks += [note for one in theirs.values() for note in one.notes]
        rows.append(
            [
                _cell(student),
                *(number(theirs[name].points) if name in theirs else "" for name in names),
                number(sum(one.points for one in theirs.values())),
                number(sum(best.values())),
                number(sum(one.waiting for one in theirs.values())),
                _cell(" | ".join(remarks)),
            ]
        )
    return _csv(rows)


def checks_csv(results: Iterable[Result]) -> bytes:
    """One row a check: who, which, points, and the sentence of the verdict."""
    rows = [["student", "exercise", "check", "points", "of", "state", "verdict"]]
    for one in results:
        for piece in one.pieces:
            if piece.is_scored:
                said = " ".join(piece.mistakes) if piece.state in (*_MISTAKEN, State.NOT_STARTED) else ""
                points = "" if piece.points is None else number(piece.points)
                rows.append(
                    [
                        _cell(one.student),
                        one.exercise,
                        piece.name,
                        points,
                        number(piece.most),
                        piece.state,
                        _cell(said),
                    ]
                )
    return _csv(rows)


def mistakes(results: Iterable[Result]) -> list[Mistake]:
    """The mistakes by exercise, check and sentence: the commonest first, then as they stand in the exercise.

    An answer that was not started is no mistake, and one that calls a wrong function makes none of its own.
    """
    who: dict[tuple[str, int, str, str], list[str]] = defaultdict(list)
    for one in results:
        for place, piece in enumerate(one.pieces):
            if piece.is_scored and piece.state in _MISTAKEN and not piece.calls:
                for sentence in piece.mistakes:
                    who[one.exercise, place, piece.name, sentence].append(one.student)
    ranked = sorted(who.items(), key=lambda item: (-len(set(item[1])), item[0]))
    return [
        Mistake(exercise, check, sentence, tuple(dict.fromkeys(students)))
        for (exercise, _, check, sentence), students in ranked
    ]


def picture(found: Sequence[Mistake], students: int) -> Picture:
    """The commonest mistakes as bars on one scale, from 0 to all students; ``found`` is not empty."""
    shown = found[:_SHOWN]
    left, right, row = 20, 90, 52
    scale = (WIDTH - left - right) / students
    svg = Svg(WIDTH, 52 + row * len(shown), "The commonest mistakes")
    svg.text(left, 30, "The commonest mistakes", size=15, bold=True)
    svg.text(WIDTH - 20, 30, f"students, of {students}", anchor="end", fill=MUTED)
    for place, each in enumerate(shown):
        y, count = 52 + row * place, len(each.students)
        svg.text(left, y + 12, each.sentence, fit=WIDTH - 2 * left)
        svg.rect(left, y + 20, max(2.0, count * scale), 18, fill=TONES[0].strong)
        svg.text(left + count * scale + 8, y + 34, f"{count}", bold=True)
        name = f"{each.exercise[:2]} {each.check}"
        svg.text(WIDTH - 20, y + 34, name, anchor="end", size=12, fill=MUTED, fit=260)
    first = shown[0]
    sentence = (
        f"{len(first.students)} of {students} students get the commonest verdict, in {first.check} of "
        f"{first.exercise}: {first.sentence}"
    )
    return Picture(svg, sentence)


def summary(graded: Graded) -> bytes:
    """The page for the teacher, as a complete HTML file."""
    students = _students(graded)
    found = mistakes(graded.results)
    total = len(graded.results) + len(graded.failed)
    parts = [heading(1, "Summary of the grading")]
    waiting = sum(one.waiting for one in graded.results)
    parts.append(
        f'<p class="total"><strong>{len(graded.results)} of {total} submissions graded</strong>, '
        f"{len(students)} students"
        + (f", {number(waiting)} points wait for a person" if waiting else "")
        + (f", <strong>{len(graded.failed)} could not be graded</strong>" if graded.failed else "")
        + ".</p>"
    )
    if found:
        drawn = picture(found, len(students))
        parts.append(f"<figure>{drawn.drawing()}<figcaption>{clean(drawn.sentence)}</figcaption></figure>")
        parts.append(f"<details><summary>The same as a table</summary>{_mistake_table(found)}</details>")
    elif graded.results:
        parts.append("<p>No check found a mistake.</p>")
    if graded.failed:
        rows = [[clean(one.student), clean(one.path), clean(one.why)] for one in graded.failed]
        parts += [
            heading(2, "Could not be graded"),
            table(["Student", "File", "Why"], rows, "Each costs only itself."),
        ]
    if graded.results:
        parts += [heading(2, "Exercises"), _exercise_table(graded.results)]
    parts += [heading(2, "Students"), _student_table(graded, students)]
    parts += _remarks(graded.results)
    parts += [heading(2, "What protected this computer"), f"<p>{clean(graded.protection.sentence)}</p>"]
    return page("Summary of the grading", "\n".join(parts))


def _mistake_table(found: Sequence[Mistake]) -> str:
    rows = [
        [number(len(each.students)), clean(each.exercise), clean(each.check), clean(each.sentence)]
        for each in found[: 3 * _SHOWN]
    ]
    caption = f"The verdicts behind the picture, {len(rows)} of {len(found)}"
    return table(["Students", "Exercise", "Check", "Verdict"], rows, caption, frozenset({0}))


def _exercise_table(results: Sequence[Result]) -> str:
    rows = []
    for name in sorted({one.exercise for one in results}):
        theirs = [one for one in results if one.exercise == name]
        points = [one.points for one in theirs]
        rows.append(
            [
                clean(theirs[0].title),
                *map(number, (len(theirs), mean(points), median(points), theirs[0].most)),
                number(sum(one.waiting for one in theirs)),
            ]
        )
    head = ["Exercise", "Graded", "Mean", "Median", "Of", "Waiting"]
    return table(head, rows, "Points that the checks gave", frozenset(range(1, 6)))


def _student_table(graded: Graded, students: Sequence[str]) -> str:
    names = sorted({one.exercise for one in graded.results})
    rows = []
    for student in students:
        theirs = {one.exercise: one for one in graded.results if one.student == student}
        rows.append(
            [f'<a href="feedback/{clean(quote(_page_name(student)))}">{clean(student)}</a>']
            + [number(theirs[name].points) if name in theirs else "–" for name in names]
            + [number(sum(one.points for one in theirs.values()))]
        )
    head = ["Student", *(clean(name.partition("_")[0]) for name in names), "Total"]
    caption = "Points by exercise; – is not handed in or not graded. The name leads to the feedback page."
    return table(head, rows, caption, frozenset(range(1, len(head))))


def _remarks(results: Iterable[Result]) -> list[str]:
    rows = [[clean(one.student), clean(one.exercise), clean(note)] for one in results for note in one.notes]
    if not rows:
        return []
    caption = (
        "Files that were renamed, cells that were copied, changed or deleted, code that raised or did not end"
    )
    return [heading(2, "What the grader noticed"), table(["Student", "Exercise", "What"], rows, caption)]


def _students(graded: Graded) -> list[str]:
    return sorted({one.student for one in graded.results} | {one.student for one in graded.failed})


def _page_name(student: str) -> str:
    """The file of a student's feedback: a name that is too long for a file is cut, and stays their own."""
    raw = student.encode()
    if len(raw) > _LONGEST_NAME:
        student = f"{raw[:_LONGEST_NAME].decode(errors='ignore')}-{key(student)[:8]}"
    return f"{student}.html"


def _csv(rows: Iterable[Sequence[str]]) -> bytes:
    text = StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def _cell(text: str) -> str:
    """A learner's text as a spreadsheet shows it: never a formula, always on one line."""
    line = " ".join(text.split())
    return f"'{line}" if line[:1] in ("=", "+", "-", "@") else line
