"""The folded answers of notebook 02 are right: they pass the checks that the learner runs."""

import re
from pathlib import Path

import nbformat

from lan966x_lab.workbook.exercises.header import first_wrong_check, set_field_check

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "02_replace_the_bit_loop.ipynb"


def folded() -> list[str]:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.findall(r"<details>.*?</details>", prose, re.DOTALL)


def test_set_field():
    (code,) = re.findall(r"```python\n(.*?)```", "\n".join(folded()), re.DOTALL)
    namespace: dict[str, object] = {"__name__": "notebook"}
    exec(code, namespace)
    assert set_field_check(namespace), set_field_check(namespace).text()


def test_first_wrong():
    (number,) = re.findall(r"= ([\d,]+) ns", "\n".join(folded()))
    assert first_wrong_check({"__name__": "notebook", "first_wrong": int(number.replace(",", ""))})
