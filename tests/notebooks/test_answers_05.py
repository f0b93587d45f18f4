"""The folded answer of notebook 05 is right: it passes the check that the learner runs."""

import re
from pathlib import Path

import nbformat

from lan966x_lab import ifh
from lan966x_lab.workbook.exercises.template import make_template_check, saving_check

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "05_prepare_the_header_once.ipynb"


def test_make_template():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    folded = "\n".join(re.findall(r"<details>.*?</details>", prose, re.DOTALL))
    (code,) = re.findall(r"```python\n(.*?)```", folded, re.DOTALL)
    namespace: dict[str, object] = {
        "__name__": "notebook",
        "TX": ifh.OCELOT.tx,
        "put": ifh.CODECS["packing"].set,
    }
    exec(code, namespace)
    assert make_template_check(namespace), make_template_check(namespace).text()


def test_saving_as_the_notebook_prints_it():
    """The rounded range that the folded answer shows is an answer, too."""
    assert saving_check({"__name__": "notebook", "saving": (11_400, 15_100)})
