"""The folded answer of notebook 06 passes the check that the learner runs."""

import re
from pathlib import Path

import nbformat

from lan966x_lab.workbook.exercises.ring import poll_check

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "06_build_the_skb_late.ipynb"


def test_poll():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    folded = "\n".join(re.findall(r"<details>.*?</details>", prose, re.DOTALL))
    (code,) = re.findall(r"```python\n(.*?)```", folded, re.DOTALL)
    namespace: dict[str, object] = {"__name__": "notebook"}
    exec(code, namespace)
    assert poll_check(namespace), poll_check(namespace).text()
