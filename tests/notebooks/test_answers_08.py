"""The folded answer of notebook 08 passes the check that the learner runs."""

import re
from pathlib import Path

import nbformat

from lan966x_lab.measure.counted import sixth
from lan966x_lab.measure.model import costmodel
from lan966x_lab.workbook.exercises.review import review_check

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "08_drive_the_whole_datapath.ipynb"


def test_review():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    folded = "\n".join(re.findall(r"<details>.*?</details>", prose, re.DOTALL))
    (code,) = re.findall(r"```python\n(.*?)```", folded, re.DOTALL)
    band = costmodel.fit().parameter("lan966x fdma rx", "time of day").ns  # as the cell above the answer does
    namespace: dict[str, object] = {
        "__name__": "notebook",
        "S": sixth.SECOND,
        "sixth": sixth,
        "clock": round((band.low + band.high) / 2),
    }
    exec(code, namespace)
    assert review_check(namespace), review_check(namespace).text()
