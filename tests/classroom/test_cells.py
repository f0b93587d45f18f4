"""nbgrader's cell format: parts, regions, and what a teacher's notebook must not have."""

import nbformat
import pytest
from grading_support import TABLE, cell, solution

from lan966x_lab.workbook.classroom.cells import HIDDEN, SOLUTION, CellError, Part, part, points, problems


@pytest.mark.parametrize(
    ("kind", "expected", "worth"),
    [
        ("answer", Part.ANSWER, 0),
        ("check", Part.CHECK, 2),
        ("essay", Part.ESSAY, 2),
        ("locked", Part.LOCKED, 0),
        ("markdown", Part.PLAIN, 0),
    ],
)
def test_what_a_cell_is_for(kind: str, expected: Part, worth: float) -> None:
    made = cell("x", kind, 2, "pass")
    assert part(made) is expected
    assert points(made) == worth


def test_points_of_a_cell_that_is_not_graded_are_none() -> None:
    made = cell("x", "answer", 0, "pass")
    made.metadata.nbgrader.points = 5
    assert points(made) == 0


def test_a_region_is_cut_and_replaced_with_its_indent() -> None:
    source = "a\n    ### BEGIN SOLUTION: do it\n    b\n    ### END SOLUTION\nc"
    assert SOLUTION.cut(source) == "a\nc"
    assert SOLUTION.cut(source, lambda indent, said: f"{indent}[{said}]") == "a\n    [do it]\nc"
    assert SOLUTION.sentences(source) == ["do it"]
    assert HIDDEN.cut(source) == source


def test_a_region_without_a_sentence() -> None:
    assert SOLUTION.sentences("### BEGIN SOLUTION\nx\n### END SOLUTION") == [""]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION", "line 2.*inside another"),
        ("### BEGIN SOLUTION\nx", "has no ### END SOLUTION"),
        ("x\n### END SOLUTION", "line 2.*without ### BEGIN SOLUTION"),
    ],
)
def test_a_region_that_is_not_closed_is_refused(source: str, says: str) -> None:
    with pytest.raises(CellError, match=says):
        SOLUTION.cut(source)


def test_the_exercise_of_these_tests_has_no_problem() -> None:
    assert list(problems(solution())) == []


BLANK = "### BEGIN SOLUTION: say it in words\nx\n### END SOLUTION"
TESTS = "check()\n### BEGIN HIDDEN TESTS\nx\n### END HIDDEN TESTS"


@pytest.mark.parametrize(
    ("kind", "worth", "source", "says"),
    [
        ("answer", 0, "x = 1", "an answer without ### BEGIN SOLUTION"),
        ("answer", 0, BLANK.replace("say it in words", "do it"), "write a sentence that helps to begin"),
        ("answer", 0, BLANK + "\n" + TESTS, "hidden tests stand in a cell that is answer"),
        ("answer", 0, "### BEGIN SOLUTION: say it in words\nx", "has no ### END SOLUTION"),
        ("locked", 0, BLANK, "a solution stands in a cell that is locked"),
        ("markdown", 0, BLANK, "a solution stands in a cell that is plain"),
        ("check", 0, TESTS, "a graded cell is worth more than 0"),
        ("check", 1, TESTS.replace("check()\n", ""), "every test is hidden"),
        ("check", 1, "### END HIDDEN TESTS", "without ### BEGIN HIDDEN TESTS"),
        ("essay", 1, "words", "an answer without ### BEGIN SOLUTION"),
    ],
)
def test_each_problem_is_named_with_its_cell(kind: str, worth: float, source: str, says: str) -> None:
    notebook = nbformat.v4.new_notebook(cells=[*solution().cells, cell("extra", kind, worth, source)])
    found = list(problems(notebook))
    assert len(found) == 1, found
    assert says in found[0]
    assert found[0].startswith(f"cell {len(TABLE)} ({'extra' if kind != 'markdown' else 'no grade_id'})")


def test_two_cells_of_one_name_an_old_schema_and_no_name() -> None:
    notebook = solution()
    notebook.cells += [
        cell("double", "answer", 0, BLANK),
        cell("", "answer", 0, BLANK),
        cell("old", "answer", 0, BLANK),
    ]
    notebook.cells[-1].metadata.nbgrader.schema_version = 1
    found = "\n".join(problems(notebook))
    assert "grade_id 'double' stands in 2 cells" in found
    assert "it has no grade_id" in found
    assert "schema_version is 1, and 3 is asked for" in found


def test_a_notebook_that_checks_nothing() -> None:
    notebook = nbformat.v4.new_notebook(cells=[cell("a", "answer", 0, BLANK)])
    assert list(problems(notebook)) == [
        "no cell checks anything: give one grade=true, solution=false and points"
    ]
