"""The teacher guide keeps its word: its recipe makes an exercise that can be handed out and graded."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "notebooks" / "TEACHING.md"
TEXT = GUIDE.read_text(encoding="utf-8")
ANSWERS = {
    "ada": "def count_ones(header):\n    return sum(byte.bit_count() for byte in header)",
    "bob": "def count_ones(header):\n    return sum(1 for byte in header if byte)",
}


def lab(*arguments: str, cwd: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "lan966x_lab", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_recipe_makes_an_exercise_that_can_be_handed_out_and_graded(tmp_path: Path) -> None:
    (recipe,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    subprocess.run([sys.executable, "-c", recipe], cwd=tmp_path, check=True)
    handout, grade = (
        line.split()[1:] for line in TEXT.splitlines() if line.startswith("lan966x-lab") and " my_" in line
    )
    lab(*handout, cwd=tmp_path)
    (blank,) = (tmp_path / "my_exercises").glob("*.ipynb")
    for student, answer in ANSWERS.items():
        notebook = nbformat.read(blank, as_version=4)
        (cell,) = (cell for cell in notebook.cells if cell.id == "count_ones")
        assert "raise NotImplementedError" in cell.source
        cell.source = answer
        path = tmp_path / "my_submissions" / student / blank.name
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
    lab(*grade, cwd=tmp_path)
    with (tmp_path / "my_grades" / "points.csv").open(encoding="utf-8", newline="") as file:
        points = {row["student"]: row["total"] for row in csv.DictReader(file)}
    assert points == {"ada": "2", "bob": "0"}
    assert "that counts bytes, not bits." in (tmp_path / "my_grades" / "feedback" / "bob.html").read_text()


@pytest.mark.parametrize("guide", ["TEACHING.md", "HUB.md"])
def test_every_link_leads_somewhere(guide: str) -> None:
    links = re.findall(r"\]\((?!https:)([^)#]+)\)", (ROOT / "notebooks" / guide).read_text(encoding="utf-8"))
    assert [link for link in links if not (ROOT / "notebooks" / link).exists()] == []


def test_every_lesson_meets_a_misconception() -> None:
    table = TEXT.split("## Misconceptions")[1].split("\n## ")[0]
    met = set(re.findall(r"\b0[1-8]\b", table))
    assert met == {
        path.name[:2] for path in (ROOT / "notebooks").glob("0[1-9]_*.ipynb") if ".mine" not in path.name
    }
