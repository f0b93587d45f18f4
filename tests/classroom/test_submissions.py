"""Finding what was handed in: whose, which exercise, what is wrong with it, and the form to grade."""

import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from grading_support import (
    GOOD,
    NAME,
    copied,
    document,
    hand_in,
    named,
    solution,
    submission,
    without,
    write_solution,
)
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.workbook.classroom.cells import CellError, grade_id
from lan966x_lab.workbook.classroom.grader import submissions
from lan966x_lab.workbook.classroom.grader.submissions import (
    Damaged,
    Exercise,
    Submission,
    exercises,
    find,
    form,
)
from lan966x_lab.workbook.classroom.handout import EXERCISE


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Exercise]:
    """Our exercise, and another one whose cells have other names, but for the set-up."""
    folder = write_solution(tmp_path_factory.mktemp("solutions"))
    other = solution()
    for each in other.cells:
        if grade_id(each) not in ("", "setup"):
            each.metadata.nbgrader.grade_id = f"other_{grade_id(each)}"
    nbformat.write(other, folder / "78_other.ipynb")
    return exercises(folder)


def only(folder: Path, known: dict[str, Exercise]) -> Submission:
    (found,) = find(folder, known)
    assert isinstance(found, Submission), found
    return found


def damage(content: Any, folder: Path, known: dict[str, Exercise]) -> str:
    hand_in(content, folder / "ann" / "x.ipynb")
    (found,) = find(folder, known)
    assert isinstance(found, Damaged)
    assert (found.student, found.path) == ("ann", "ann/x.ipynb")
    return found.why


def test_the_student_is_the_folder_or_the_file(tmp_path: Path, known: dict[str, Exercise]) -> None:
    left_out = ("cy/.ipynb_checkpoints/c.ipynb", ".git/x.ipynb", "ann/a.mine-2.ipynb")
    for path in ("ann/week 1/deep/a.ipynb", "bob.ipynb", *left_out):
        hand_in(submission(), tmp_path / path)
    assert [(each.student, each.path) for each in find(tmp_path, known)] == [
        ("ann", "ann/week 1/deep/a.ipynb"),
        ("bob", "bob.ipynb"),
    ]


def test_no_folder(tmp_path: Path, known: dict[str, Exercise]) -> None:
    with pytest.raises(NotADirectoryError, match="there is no folder"):
        find(tmp_path / "nowhere", known)
    with pytest.raises(FileNotFoundError, match="name the folder of the solutions"):
        exercises(tmp_path)
    (tmp_path / "1.ipynb").write_text("{}")
    with pytest.raises(CellError):
        exercises(tmp_path)


def test_a_renamed_file_is_recognised_and_says_so(tmp_path: Path, known: dict[str, Exercise]) -> None:
    hand_in(submission(), tmp_path / "ann" / "final FINAL.ipynb")
    found = only(tmp_path, known)
    assert found.exercise.name == NAME
    assert found.notes == (f"The file is called final FINAL.ipynb, and is the exercise {NAME}.",)


def test_the_cells_tell_the_exercise_when_the_metadata_do_not(
    tmp_path: Path, known: dict[str, Exercise]
) -> None:
    notebook = submission()
    for says in (None, "99_gone", 7):
        notebook.metadata[EXERCISE] = says
        hand_in(notebook, tmp_path / "ann" / f"{NAME}.ipynb")
        assert only(tmp_path, known).exercise.name == NAME


def test_of_two_notebooks_the_one_changed_last_is_taken(tmp_path: Path, known: dict[str, Exercise]) -> None:
    for age, name in enumerate(("b", "a", "c")):
        path = hand_in(submission({"double": f"{name} = 1"}), tmp_path / "ann" / f"{name}.ipynb")
        os.utime(path, (1e9 - age, 1e9 - age))
    found = only(tmp_path, known)
    assert found.path == "ann/b.ipynb"
    assert "ann/b.ipynb was taken: it was changed last. Left out: ann/c.ipynb, ann/a.ipynb." in found.notes


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty; save the notebook"),
        (b" \n\t", "is empty"),
        ("<<<<<<< HEAD\n", "line 1 is no JSON"),
        ('{\n"cells": [,]}', "line 2 is no JSON"),
        (b"\xff\xfe\x00", "UnicodeDecodeError while its JSON was read"),
        ("[" * 200_000, "RecursionError while its JSON was read"),
        ('{"nbformat": ' + "9" * 5000 + "}", "ValueError while its JSON was read"),
        ("[]", "is JSON, and no notebook"),
        ("{}", "has the notebook format None, and 4 is read"),
        (document(nbformat=3), "has the notebook format 3, and 4 is read; save it in JupyterLab"),
        (document(cells=7), "it has no list of cells"),
        (document(cells=["x"]), "it has no list of cells"),
        (document(cells=[{}] * 501), "has 501 cells, and 500 are allowed"),
        (document(cells=[], metadata=[]), f"is another notebook: it has no cell of {NAME}, 78_other."),
        (document(cells=[], metadata={EXERCISE: "<b>99"}), "It calls itself <b>99."),
    ],
)
def test_each_damage_has_its_line(
    content: Any, says: str, tmp_path: Path, known: dict[str, Exercise]
) -> None:
    assert says in damage(content, tmp_path, known)


def test_the_shared_setup_does_not_make_it_the_exercise(tmp_path: Path, known: dict[str, Exercise]) -> None:
    notebook = submission()
    notebook.cells = [named(notebook, "setup")]
    del notebook.metadata[EXERCISE]
    assert "is another notebook" in damage(notebook, tmp_path, known)


def test_too_big_and_no_file(
    tmp_path: Path, known: dict[str, Exercise], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "BIGGEST", 10)
    assert "is too big (0 MB, and 0 are allowed); clear its outputs" in damage(submission(), tmp_path, known)
    monkeypatch.undo()
    os.mkfifo(tmp_path / "pipe.ipynb")  # who opens it waits for ever
    (tmp_path / "link.ipynb").symlink_to("/etc/passwd")
    (tmp_path / "folder.ipynb").mkdir()
    lines = {each.path: each.why for each in find(tmp_path, known) if isinstance(each, Damaged)}
    assert {"pipe.ipynb", "link.ipynb", "folder.ipynb"} <= lines.keys()
    assert all("no file; hand in the notebook itself" in why for why in lines.values())


def test_a_file_that_goes_away(
    tmp_path: Path, known: dict[str, Exercise], monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", gone)
    assert damage(submission(), tmp_path, known) == "cannot be read: Permission denied"


def graded(
    notebook: Any, tmp_path: Path, known: dict[str, Exercise]
) -> tuple[dict[str, str], list[str], list[str]]:
    """The sources by grade_id, the sources in order, and the notes."""
    hand_in(notebook, tmp_path / "ann" / f"{NAME}.ipynb")
    made, notes = form(only(tmp_path, known))
    nbformat.validate(made)
    return {grade_id(each): each.source for each in made.cells}, [each.source for each in made.cells], notes


def test_what_was_handed_out_comes_back_with_the_answers(tmp_path: Path, known: dict[str, Exercise]) -> None:
    sources, _, notes = graded(submission(), tmp_path, known)
    assert notes == []
    assert {name: sources[name] for name in GOOD} == GOOD
    assert list(sources) == list(known[NAME].cells)


def test_copies_count_once(tmp_path: Path, known: dict[str, Exercise]) -> None:
    blank = known[NAME].cells["double"].source
    for copy, taken, cell in ((blank, GOOD["double"], 3), ("def double(x): ...", "def double(x): ...", 4)):
        notebook = copied(submission(), "double", copy)
        sources, every, notes = graded(notebook, tmp_path, known)
        assert sources["double"] == taken
        assert len(every) == len(known[NAME].cells)  # the other one is not run at all
        assert notes == [f"double stands in 2 cells (3, 4): cell {cell} was taken."]


def test_what_was_deleted_comes_back_except_answers(tmp_path: Path, known: dict[str, Exercise]) -> None:
    gone = ("setup", "check_double", "total", "essay_why")
    sources, _, notes = graded(without(submission(), *gone), tmp_path, known)
    assert [name for name in known[NAME].cells if name not in sources] == ["total"]
    assert list(sources) == [name for name in known[NAME].cells if name != "total"]
    assert notes == [
        "The cell setup is missing: it was put back.",
        "The cell check_double is missing: it was put back.",
        "The cell total is missing: it counts as not answered.",
        "The cell essay_why is missing: it was put back.",
    ]


def test_a_check_that_was_replaced_is_put_back(tmp_path: Path, known: dict[str, Exercise]) -> None:
    notebook = submission()
    named(notebook, "check_double").source = "assert True"
    named(notebook, "setup").cell_type = "markdown"
    sources, _, notes = graded(notebook, tmp_path, known)
    assert sources["check_double"] == "double_check(globals())"
    assert notes == [
        f"The cell {name} was changed: it was put back as handed out." for name in ("setup", "check_double")
    ]


def test_an_answer_that_became_markdown_is_code_again(tmp_path: Path, known: dict[str, Exercise]) -> None:
    notebook = submission()
    named(notebook, "double").cell_type = "markdown"
    hand_in(notebook, tmp_path / "ann.ipynb")
    made, notes = form(only(tmp_path, known))
    assert named(made, "double").cell_type == "code"
    assert notes == ["The cell double was made a markdown cell: it was taken as code."]


def test_metadata_tags_and_outputs_of_a_learner_count_nothing(
    tmp_path: Path, known: dict[str, Exercise]
) -> None:
    notebook = submission()
    for each in notebook.cells:
        each.metadata["tags"] = ["skip-execution", "raises-exception"]
        if grade_id(each):
            each.metadata.nbgrader |= {"points": 100, "grade": False, "locked": False, "schema_version": 0}
        if each.cell_type == "code":
            each.outputs = [nbformat.v4.new_output("stream", text="All tests passed")]
    notebook.metadata["kernelspec"] = {"name": "sh", "display_name": "sh"}
    hand_in(notebook, tmp_path / "ann.ipynb")
    made, notes = form(only(tmp_path, known))
    assert notes == []
    assert [each.metadata for each in made.cells] == [each.metadata for each in known[NAME].cells.values()]
    assert not any(each.get("outputs") for each in made.cells)
    assert made.metadata == known[NAME].handout.metadata


def test_own_cells_follow_the_cell_that_they_followed(tmp_path: Path, known: dict[str, Exercise]) -> None:
    notebook = submission(behind={"setup": "before = 1", "total": ["after = 1", "  "]})
    notebook.cells.insert(0, nbformat.v4.new_code_cell("first = 1"))
    stranger = nbformat.v4.new_code_cell("stranger = 1")
    stranger.metadata["nbgrader"] = {"grade_id": "unknown", "grade": True, "points": 9}
    notebook.cells.append(stranger)
    check = named(notebook, "check_total")
    notebook.cells.remove(check)
    notebook.cells.insert(1, check)  # moved to the front
    hand_in(notebook, tmp_path / "ann.ipynb")
    made, notes = form(only(tmp_path, known))
    order = [grade_id(each) or each.source for each in made.cells]
    assert order[:3] == ["first = 1", "setup", "before = 1"]
    assert order[order.index("total") :][:3] == ["total", "after = 1", "check_total"]
    assert order[-1] == "stranger = 1"
    assert notes == []
    assert "nbgrader" not in made.cells[-1].metadata


def test_half_characters_become_marks(tmp_path: Path, known: dict[str, Exercise]) -> None:
    sources, _, _ = graded(submission({"double": "x = '\ud800'"}), tmp_path, known)
    assert sources["double"] == "x = '?'"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
CELL = st.fixed_dictionaries(
    {},
    optional={
        "cell_type": JSON | st.sampled_from(["code", "markdown", "raw"]),
        "source": JSON,
        "metadata": JSON
        | st.fixed_dictionaries(
            {
                "nbgrader": JSON
                | st.fixed_dictionaries({"grade_id": JSON | st.sampled_from(["double", "check_total"])})
            }
        ),
    },
)


@given(cells=st.lists(CELL, max_size=6), metadata=JSON | st.just({EXERCISE: NAME}))
def test_whatever_json_says_it_is_damaged_or_can_be_graded(
    cells: list[Any], metadata: Any, known: dict[str, Exercise], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("hostile")
    hand_in(
        json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells, "metadata": metadata}),
        folder / "a.ipynb",
    )
    (found,) = find(folder, known)
    if isinstance(found, Submission):
        made, _ = form(found)
        nbformat.validate(made)
        names = [grade_id(each) for each in made.cells if grade_id(each)]
        assert [name for name in known[NAME].cells if name in names] == names
    else:
        assert "is another notebook" in found.why


def test_what_hidden_lines_are(known: dict[str, Exercise]) -> None:
    hidden = known[NAME].hidden
    assert 'secret_steps = [hidden.Step(2 * x, (x,)) for x in (7, -3, "secret-word")]' in hidden
    assert not any(line in named(known[NAME].handout, "setup").source for line in hidden)
    assert known[NAME].title == "Double and count"
