"""Frozen notebooks: two runs give the same file, a failure leaves the file alone, a change is seen."""

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lan966x_lab.workbook import freeze

CELLS = [
    new_markdown_cell("# Widgets, streams, pictures"),
    new_code_cell(
        "import sys, time, ipywidgets\nfor word in 'one', 'two':\n    print(word)\n    sys.stdout.flush()"
    ),
    new_code_cell("slider = ipywidgets.IntSlider(description='bits')\nslider"),
    new_code_cell("time.time_ns()", metadata={"tags": [freeze.IGNORE]}),
    new_code_cell("with ipywidgets.Output():\n    print('seen')"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A notebook as an author leaves it: no outputs, the editor's metadata."""
    path = tmp_path / "n.ipynb"
    notebook = new_notebook(
        cells=CELLS, metadata={"widgets": {}, "language_info": {"name": "python", "version": "3.99"}}
    )
    nbformat.write(notebook, path)
    return path


def test_two_runs_give_the_same_file_but_for_the_ignored_cell(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = []
    for _ in range(2):
        assert freeze.main([str(path)]) == 0
        notebook = nbformat.read(path, as_version=4)
        (clock,) = notebook.cells[3].outputs
        clock.data["text/plain"] = "time"
        files.append(nbformat.writes(notebook))
    assert files[0] == files[1]
    assert freeze.main(["--check", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{path}: stored"] * 2 + [f"{path}: as stored"]


def test_a_frozen_notebook_holds_what_nbval_compares_and_nothing_live(path: Path) -> None:
    freeze.main([str(path)])
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    streams, widget, clock, captured = (cell.outputs for cell in notebook.cells[1:])
    assert [(output.output_type, output.text) for output in streams] == [("stream", "one\ntwo\n")]
    assert set(widget[0].data) == {"text/plain"}
    assert clock[0].data["text/plain"].isdigit()
    assert captured[0].text == "seen\n"  # in the cell, as nbval sees it, not inside the widget
    assert [cell.execution_count for cell in notebook.cells[1:]] == [1, 2, 3, 4]
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert "version" not in notebook.metadata.language_info
    assert all("execution" not in cell.metadata for cell in notebook.cells)


def test_cell_ids_stay_and_missing_ones_are_filled_in() -> None:
    notebook = new_notebook(
        cells=[new_markdown_cell("a", id="mine"), new_markdown_cell("b"), new_markdown_cell("c")]
    )
    for cell in notebook.cells[1:]:
        del cell["id"]
    notebook.cells[0].id = "cell-00"
    freeze.tidy(notebook)
    assert [cell.id for cell in notebook.cells] == ["cell-00", "cell-01", "cell-02"]


def test_check_names_the_changed_output_and_stores_nothing(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    freeze.main([str(path)])
    path.write_text(path.read_text(encoding="utf-8").replace("two\\n", "three\\n"), encoding="utf-8")
    changed = path.read_bytes()
    assert freeze.main(["--check", str(path)]) == 1
    complaint = capsys.readouterr().err
    assert "three" in complaint
    assert "two" in complaint
    assert path.read_bytes() == changed


def test_a_failing_cell_leaves_the_file_alone(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(new_code_cell("1 / 0"))
    nbformat.write(notebook, path)
    before = path.read_bytes()
    assert freeze.main([str(path)]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]
