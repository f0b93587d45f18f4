"""The student's notebook: nothing hidden in it, and the same as nbgrader's own but for the sentences."""

import json
import re
import sys
import threading
import warnings
from pathlib import Path

import nbformat
import pytest
from grading_support import NAME, cell, solution, write_solution
from hypothesis import given
from hypothesis import strategies as st
from nbformat import NotebookNode

from lan966x_lab.cli import main
from lan966x_lab.workbook.classroom.cells import CellError
from lan966x_lab.workbook.classroom.grader.sandbox import environment
from lan966x_lab.workbook.classroom.grader.warm import Warm
from lan966x_lab.workbook.classroom.handout import EXERCISE, hand_out, make, read

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions


def test_the_blanks_stand_where_the_solutions_were() -> None:
    student = hand_out(solution(), NAME)
    assert student.metadata[EXERCISE] == NAME
    sources = [each.source for each in student.cells]
    assert sources[2] == (
        'def double(x):\n    """Twice `x`."""\n    # Your code here.\n'
        '    raise NotImplementedError("add x to itself, or multiply")'
    )
    assert sources[3] == "double_check(globals())"
    assert sources[-1] == "*Your answer here (double-click to write): why count?*"
    assert all(not each.get("outputs") for each in student.cells)


def test_every_problem_is_named_when_a_hand_out_is_refused() -> None:
    notebook = solution()
    notebook.cells[2].source = "x = 1"
    del notebook.cells[3].metadata.nbgrader["points"]
    with pytest.raises(
        CellError, match=r"(?s)77.*cannot be handed out:.*cell 2 \(double\).*cell 3 \(check_double\)"
    ):
        hand_out(notebook, NAME)


LINES = st.lists(st.from_regex(r"[a-z_]{1,8}( = [0-9]{1,3})?", fullmatch=True), max_size=3)
SENTENCE = st.from_regex(r"[a-z]{2,6} [a-z]{2,6} [a-z \"\\\\']{2,12}[a-z]", fullmatch=True)


def marked(name: str, lines: list[str], indent: str, sentence: str = "") -> list[str]:
    begin = f"### BEGIN {name}" + (f": {sentence}" if sentence else "")
    return [indent + line for line in (begin, *lines, f"### END {name}")]


@st.composite
def notebooks(draw: st.DrawFn) -> tuple[NotebookNode, set[str]]:
    """A teacher's notebook, and the lines that no learner may see."""
    cells, secrets = [], set()

    def secret() -> list[str]:
        lines = [f"secret_{len(secrets) + n}" for n in range(draw(st.integers(1, 3)))]
        secrets.update(lines)
        return lines

    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["answer", "check", "essay", "locked", "markdown"]))
        indent = draw(st.sampled_from(["", "    "]))
        source = draw(LINES)
        if kind in ("answer", "essay"):
            for _ in range(draw(st.integers(1, 2))):
                source += marked("SOLUTION", secret(), indent, draw(SENTENCE)) + draw(LINES)
        if kind == "check":
            source = ["check()", *source, *marked("HIDDEN TESTS", secret(), indent), *draw(LINES)]
        cells.append(cell(f"c{number}", kind, 1, "\n".join(source)))
        if cells[-1].cell_type == "code":
            cells[-1].outputs = [nbformat.v4.new_output("stream", text="secret_output")]
    cells.append(cell("last", "check", 1, "check()"))
    return nbformat.v4.new_notebook(cells=cells), secrets | {"secret_output"}


@given(notebooks())
def test_nothing_hidden_is_handed_out(drawn: tuple[NotebookNode, set[str]]) -> None:
    notebook, secrets = drawn
    before = json.dumps(notebook)
    student = hand_out(notebook, NAME)
    assert json.dumps(notebook) == before
    text = json.dumps(student)
    assert not [line for line in secrets if re.search(rf"\b{line}\b", text)]
    assert "BEGIN" not in text
    assert [each.metadata for each in student.cells] == [each.metadata for each in notebook.cells]


@given(notebooks())
def test_it_is_what_nbgrader_makes_but_for_the_sentences(drawn: tuple[NotebookNode, set[str]]) -> None:
    notebook, _ = drawn
    ours = hand_out(notebook, NAME)
    theirs, _ = ClearHiddenTests().preprocess(*ClearSolutions().preprocess(notebook, {}))
    for one, other in zip(ours.cells, theirs.cells, strict=True):
        assert neutral(one) == neutral(other)


def neutral(one: NotebookNode) -> str:
    """The source with our stub or nbgrader's turned into the same word."""
    stub = r"# (YOUR CODE HERE|Your code here\.)\n\s*raise NotImplementedError\(.*\)"
    return re.sub(rf"{stub}|YOUR ANSWER HERE|\*Your answer here.*\*", "STUB", one.source).rstrip("\n")


def test_it_is_what_generate_assignment_releases(tmp_path: Path) -> None:
    """The whole of nbgrader's command, cell by cell: source, flags, no outputs."""
    solutions = write_solution(tmp_path / "solutions")
    job = {"course": str(tmp_path / "course"), "solutions": {NAME: str(solutions / f"{NAME}.ipynb")}}
    (tmp_path / "job.json").write_text(json.dumps(job))
    for name in ("shared", "shared/tmp", "shared/matplotlib"):
        (tmp_path / name).mkdir()
    variables, log = environment(tmp_path / "shared"), tmp_path / "log"
    grader = Warm([sys.executable, "-m", "lan966x_lab.workbook.classroom.grader.worker"], variables)
    ended = grader.run(tmp_path / "job.json", variables, tmp_path, log, 300, threading.Event())
    grader.close()
    assert ended.status == 0, log.read_text()
    theirs = read(tmp_path / "course" / "release" / NAME / f"{NAME}.ipynb")
    ours = hand_out(solution(), NAME)
    for one, other in zip(ours.cells, theirs.cells, strict=True):
        assert neutral(one) == neutral(other)
        assert one.cell_type == other.cell_type
        assert one.get("outputs", []) == other.get("outputs", [])
        flags = other.metadata.get("nbgrader", {})
        flags.pop("checksum", None)
        assert one.metadata.get("nbgrader", {}) == flags


def test_only_what_is_new_is_written(tmp_path: Path) -> None:
    solutions, folder = write_solution(tmp_path / "solutions"), tmp_path / "exercises"
    assert make(solutions, folder, dry_run=True) == [folder / f"{NAME}.ipynb"]
    assert not folder.exists()
    assert make(solutions, folder) == [folder / f"{NAME}.ipynb"]
    assert make(solutions, folder) == []
    assert read(folder / f"{NAME}.ipynb").metadata[EXERCISE] == NAME


def test_a_bad_solution_writes_none_at_all(tmp_path: Path) -> None:
    solutions = write_solution(tmp_path / "solutions")
    (solutions / "99_bad.ipynb").write_text("{}")
    with pytest.raises(CellError, match=r"99_bad\.ipynb is no notebook that Jupyter can read"):
        make(solutions, tmp_path / "exercises")
    assert not (tmp_path / "exercises").exists()
    with pytest.raises(FileNotFoundError, match=r"no notebooks in .*: name the folder of the solutions"):
        make(tmp_path, tmp_path / "exercises")


@pytest.mark.parametrize(
    "content", ["", "nonsense", "[]", "7", '{"nbformat": 4, "nbformat_minor": 5, "cells": 7}']
)
def test_a_file_that_is_no_notebook(content: str, tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").write_text(content)
    with pytest.raises(CellError, match=r"x\.ipynb is no notebook"):
        read(tmp_path / "x.ipynb")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    solutions, folder = write_solution(tmp_path / "solutions"), tmp_path / "exercises"
    call = ["handout", str(solutions), "-o", str(folder)]
    assert main([*call, "--check"]) == 1
    assert "is not what its solution gives" in capsys.readouterr().out
    assert main(call) == 0
    assert f"{NAME}.ipynb: written" in capsys.readouterr().out
    assert main([*call, "--check"]) == main(call) == 0
    assert "Nothing to do: the 1 hand-outs" in capsys.readouterr().out
    (folder / "98_old.ipynb").write_text("{}")
    assert main([*call, "--check"]) == 1
    assert "98_old.ipynb: has no solution" in capsys.readouterr().out
    notebook = solution()
    notebook.cells[2].source = "x = 1"
    nbformat.write(notebook, solutions / f"{NAME}.ipynb")
    assert main(call) == 1
    assert "cannot be handed out" in capsys.readouterr().err
    assert main(["handout", str(tmp_path), "-o", str(folder)]) == 2
    assert "name the folder of the solutions" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("output", "sentence"),
    [("solutions", "holds the solutions"), ("x/../linked", "holds the solutions"), ("file", "is no folder")],
)
def test_no_solution_is_replaced_by_its_blanks(
    output: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solutions = write_solution(tmp_path / "solutions")
    before = (solutions / f"{NAME}.ipynb").read_bytes()
    (tmp_path / "x").mkdir()
    (tmp_path / "linked").symlink_to(solutions)
    (tmp_path / "file").write_text("mine")
    assert main(["handout", str(solutions), "-o", str(tmp_path / output)]) == 2
    assert sentence in capsys.readouterr().err
    assert (solutions / f"{NAME}.ipynb").read_bytes() == before
