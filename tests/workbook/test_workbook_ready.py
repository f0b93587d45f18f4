"""The set-up line of a notebook, and what a missing name is met with."""

import importlib.metadata

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from lan966x_lab import __version__, doctor, workbook


def test_ready(capsys: pytest.CaptureFixture[str]) -> None:
    workbook.banner()
    assert capsys.readouterr().out == f"lan966x_lab {__version__} ready\n"


def test_each_problem_is_named_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real = importlib.metadata.version
    monkeypatch.setattr(
        doctor.metadata, "version", lambda name: "7.6.0" if name == "ipywidgets" else real(name)
    )
    monkeypatch.setattr(doctor.platform, "python_version", lambda: "3.9.1")
    workbook.banner()
    first, python, ipywidgets = capsys.readouterr().out.splitlines()
    assert first == f"lan966x_lab {__version__} is not ready:"
    assert python.startswith("- Python: 3.9.1, the lab needs >=3.11. Remedy: ")
    assert ipywidgets.startswith("- ipywidgets: 7.6.0, the lab needs ")
    assert ipywidgets.endswith(", and restart the kernel.")


def test_a_name_from_a_cell_that_did_not_run_is_met_with_what_to_do() -> None:
    cells = ["from lan966x_lab import workbook\nworkbook.banner()", "header + 1", "1"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    with pytest.raises(CellExecutionError):  # it is still an error, and Run All stops there
        NotebookClient(
            notebook, kernel_name="python3", extra_arguments=["--IPKernelApp.log_level=ERROR"]
        ).execute()
    error, hint = notebook.cells[1].outputs
    assert (error.ename, error.evalue) == ("NameError", "name 'header' is not defined")
    assert hint.text.startswith("header is not known. Either a cell above defines it")
    assert "Run All Above Selected Cell" in hint.text


def test_the_collector_is_spared_the_imports_and_still_collects_what_was_there_before() -> None:
    cells = [
        "import gc, weakref\nfrom lan966x_lab import workbook\nclass Ring: pass\n"
        "ring = Ring(); ring.me = ring; gone = weakref.ref(ring)\nworkbook.banner()",
        "print(gc.get_freeze_count() > 10_000, gone() is ring)",
        "del ring\nworkbook.banner()",
        "print(gone())",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(
        notebook, kernel_name="python3", extra_arguments=["--IPKernelApp.log_level=ERROR"]
    ).execute()
    assert [notebook.cells[i].outputs[0].text for i in (1, 3)] == ["True True\n", "None\n"]
