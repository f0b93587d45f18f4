"""Run a notebook from top to bottom and store its outputs so that two runs give the same file.

    python -m lan966x_lab.workbook.freeze notebooks/*.ipynb           store
    python -m lan966x_lab.workbook.freeze --check notebooks/*.ipynb   compare, store nothing

What differs from run to run and means nothing is left out: time stamps, the version of Python, widget models
(a live widget without its kernel shows an error). Output widgets do not capture, since nbval, which compares
strictly, does not let them. Only the output of a cell tagged ``nbval-ignore-output`` may change.
"""

import argparse
import difflib
import json
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from lan966x_lab.files import write

__all__ = ["IGNORE", "differences", "execute", "main", "tidy"]

IGNORE = "nbval-ignore-output"
_CELL_SECONDS = 120
_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {
        "codemirror_mode": {"name": "ipython", "version": 3},
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}


def execute(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Run a copy of the notebook in ``folder`` with the kernel python3, and return it tidy.

    Raises:
        CellExecutionError, CellTimeoutError, DeadKernelError: a cell failed, or took more than two minutes.
    """
    run = deepcopy(notebook)
    run.metadata = nbformat.from_dict(_METADATA)
    client = NotebookClient(
        run,
        kernel_name="python3",
        timeout=_CELL_SECONDS,
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": str(folder)}},
        # the kernel is this machine's own, and its advice on transport encryption is for others
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    client.widget_registry = {}  # no capture by Output widgets
    client.execute()
    return tidy(run)


def tidy(notebook: NotebookNode) -> NotebookNode:
    """Normalise an executed notebook in place: metadata, cell ids, nothing live in the outputs."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(_METADATA)
    taken = {cell.get("id") for cell in notebook.cells}
    fresh = (name for i in range(10**6) if (name := f"cell-{i:02}") not in taken)
    for cell in notebook.cells:
        if not cell.get("id"):
            cell.id = next(fresh)
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", []):
            output.get("data", {}).pop(_WIDGET_VIEW, None)
            if "metadata" in output:
                output.metadata.pop(_WIDGET_VIEW, None)
    return notebook


def differences(stored: NotebookNode, fresh: NotebookNode) -> Iterator[str]:
    """Lines of a diff between two frozen notebooks, without the outputs that may change."""
    before, after = (_comparable(notebook).splitlines() for notebook in (stored, fresh))
    yield from difflib.unified_diff(before, after, "stored", "fresh", lineterm="", n=2)


def _comparable(notebook: NotebookNode) -> str:
    copy = deepcopy(notebook)
    for cell in copy.cells:
        if IGNORE in cell.metadata.get("tags", []):
            cell.outputs = []
    return json.dumps(copy, indent=1, ensure_ascii=False, sort_keys=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Freeze or check the notebooks named on the command line; 1 when one fails or differs."""
    parser = argparse.ArgumentParser(prog="freeze", description="Run notebooks and store their outputs.")
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true", help="compare with what is stored, and store nothing")
    options = parser.parse_args(arguments)
    status = 0
    for path in options.notebooks:
        stored = nbformat.read(path, as_version=4)
        try:
            fresh = execute(stored, path.parent)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            print(f"{path}: not stored, a cell failed\n{error}", file=sys.stderr)
            status = 1
            continue
        if not options.check:
            write(path, f"{nbformat.writes(fresh)}\n".encode())
            print(f"{path}: stored")
        elif changes := list(differences(stored, fresh)):
            print(f"{path}: differs", *changes, sep="\n", file=sys.stderr)
            status = 1
        else:
            print(f"{path}: as stored")
    return status


if __name__ == "__main__":
    sys.exit(main())
