"""The folded answers of notebook 03 are right: they pass the checks that the learner runs."""

import re
from pathlib import Path

import nbformat

from lan966x_lab.workbook.exercises.clock import full_time_check, too_late_check

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "03_skip_the_clock.ipynb"


def folded() -> str:
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return "\n".join(re.findall(r"<details>.*?</details>", prose, re.DOTALL))


def test_full_time():
    (code,) = re.findall(r"```python\n(.*?)```", folded(), re.DOTALL)
    namespace: dict[str, object] = {"__name__": "notebook"}
    exec(code, namespace)
    assert full_time_check(namespace), full_time_check(namespace).text()


def test_too_late():
    (number,) = re.findall(r"= ([\d,]+) ns", folded())
    assert too_late_check({"__name__": "notebook", "too_late": int(number.replace(",", ""))})
