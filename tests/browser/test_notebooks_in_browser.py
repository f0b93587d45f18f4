"""Every notebook as its reader meets it: opened in JupyterLab, run from top to bottom, its controls moved."""

from collections.abc import Callable
from pathlib import Path

import pytest
from lab import LabPage, spread

NOTEBOOKS = sorted(
    path.name
    for path in (Path(__file__).parents[2] / "notebooks").glob("*.ipynb")
    if ".mine" not in path.name
)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook(lab: LabPage, name: str, record_property: Callable[[str, object], None]) -> None:
    lab.open(name)
    took = lab.run_all()
    lab.screenshot("after-run")
    record_property("measured", f"run all: {took:.1f} s")
    assert lab.complaints() == []
    explorers = lab.explorers()
    assert explorers.count() > 0, f"{name} has no explorer"
    for index, explorer in enumerate(explorers.all()):
        record_property("measured", spread(lab.move(explorer)))
        explorer.screenshot(path=lab.artifacts / f"explorer-{index}.png")
    lab.screens("Light", "Dark")
    assert lab.violations("Light", "Dark") == []
    assert lab.complaints() == []
