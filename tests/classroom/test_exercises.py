"""Every exercise: a hand-out is its solution minus the blanks, and answers get what they deserve."""

import ast

import nbformat
import pytest
from submissions_support import (
    EXERCISES,
    FOLDER,
    Bad,
    Good,
    answers,
    checks,
    exercises,
    graded,
    handed_out,
    run,
    solution,
    submissions,
)

from lan966x_lab.workbook import Rung, Verdict
from lan966x_lab.workbook.classroom.cells import Part, grade_id, part
from lan966x_lab.workbook.classroom.handout import hand_out

FEWEST_BAD = 3
WIDEST = 104
"""Characters of code that JupyterLab shows without scrolling, 1280 pixels wide and with its side bar open."""
every_exercise = pytest.mark.parametrize("exercise", exercises())


def every_submission() -> list[object]:
    return [
        pytest.param(exercise, submission, id=f"{exercise[:2]} {name}")
        for exercise in exercises()
        for name, submission in submissions(exercise).items()
    ]


@every_exercise
def test_the_hand_out_is_made_from_the_solution(exercise: str) -> None:
    stored = (EXERCISES / f"{exercise}.ipynb").read_bytes()
    made = f"{nbformat.writes(hand_out(solution(exercise), exercise))}\n".encode()
    assert stored == made, "run `lan966x-lab handout`"


def functions(source: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


@every_exercise
def test_a_stub_is_the_solution_minus_its_blanks(exercise: str) -> None:
    """The signature and the docstring stay, and the body says in a sentence how to begin."""
    blanks = {grade_id(cell): cell.source for cell in handed_out(exercise).cells if part(cell) is Part.ANSWER}
    assert answers(exercise)
    for name, answer in answers(exercise).items():
        whole, stub = functions(answer), functions(blanks[name])
        assert whole.keys() == stub.keys(), name
        for function in stub:
            assert ast.unparse(stub[function].args) == ast.unparse(whole[function].args), function
            said = ast.get_docstring(stub[function])
            assert said, f"{function} has no docstring, and that is where its specification stands"
            assert said == ast.get_docstring(whole[function]), function
        raised = [node.exc for node in ast.walk(ast.parse(blanks[name])) if isinstance(node, ast.Raise)]
        sentences = [
            error.args[0].value
            for error in raised
            if isinstance(error, ast.Call)
            and ast.unparse(error.func) == "NotImplementedError"
            and isinstance(error.args[0], ast.Constant)
        ]
        assert sentences, f"{name} does not raise NotImplementedError"
        assert all(len(sentence.split()) >= 4 for sentence in sentences), sentences
        assert ast.dump(ast.parse(blanks[name])) != ast.dump(ast.parse(answer)), f"{name} is no blank"


@every_exercise
def test_no_line_of_a_cell_is_cut_at_the_right_edge(exercise: str) -> None:
    lines = [
        line
        for cell in handed_out(exercise).cells
        if cell.cell_type == "code" and not cell.metadata.get("jupyter", {}).get("source_hidden")
        for line in cell.source.splitlines()
    ]
    assert [line for line in lines if len(line) > WIDEST] == []


def verdicts(exercise: str, cells: dict[str, str]) -> dict[str, Verdict]:
    """What the visible checks of a hand-out say, those that are not graded too."""
    _, shown = run(exercise, cells)
    return {name: value for name, value in shown.items() if isinstance(value, Verdict)}


@every_exercise
def test_nothing_is_answered_yet(exercise: str) -> None:
    """Run All reaches the end of a hand-out; each check says that it waits; graded, each fails with that."""
    shown = verdicts(exercise, {})
    assert set(checks(exercise)) <= set(shown)
    for name, verdict in shown.items():
        assert verdict.rung in (Rung.NOT_STARTED, Rung.NOT_DEFINED), f"{name}: {verdict}"
    for name, said in graded(exercise, {}).items():
        assert "not started" in said or "not defined" in said, f"{name}: {said}"


@every_exercise
def test_the_solution_passes(exercise: str) -> None:
    shown = verdicts(exercise, answers(exercise))
    assert all(shown.values()), [str(verdict) for verdict in shown.values() if not verdict]
    assert not any(graded(exercise, answers(exercise)).values()), graded(exercise, answers(exercise))


@every_exercise
def test_there_are_good_and_bad_submissions(exercise: str) -> None:
    kinds = [type(submission) for submission in submissions(exercise).values()]
    assert kinds.count(Good) >= 1
    assert kinds.count(Bad) >= FEWEST_BAD
    for name, submission in submissions(exercise).items():
        assert submission.cells.keys() <= answers(exercise).keys(), name
        assert submission.cells.items() - answers(exercise).items() == submission.cells.items(), name


def test_no_submissions_without_an_exercise() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} <= set(exercises())


@pytest.mark.parametrize(("exercise", "submission"), every_submission())
def test_a_submission_gets_what_it_deserves(exercise: str, submission: Good | Bad) -> None:
    said = graded(exercise, answers(exercise) | dict(submission.cells))
    failed = {name: message for name, message in said.items() if message}
    if isinstance(submission, Good):
        assert not failed
        return
    assert set(failed) == {submission.check, *submission.also}, failed
    lines = [line.removeprefix("Why: ") for line in failed[submission.check].splitlines()]
    assert submission.says in lines, failed[submission.check]
