"""Every notebook keeps every rule, and every rule catches a notebook that breaks it."""

import re
from configparser import ConfigParser
from copy import deepcopy
from pathlib import Path

import nbformat
import pytest
import rules
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

NOTEBOOKS = rules.published_notebooks()
NAME = "07_let_it_run.ipynb"
FOLDED = {"jupyter": {"source_hidden": True}}


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        pytest.param(path, rule, id=f"{path.parent.name}/{path.stem}-{rule.__name__}")
        for path in NOTEBOOKS
        for rule, kinds in rules.RULES.items()
        if rules.kind(path) in kinds
    ],
)
def test_notebook_keeps_the_rule(path: Path, rule: rules.Rule) -> None:
    assert list(rule(nbformat.read(path, as_version=4), path)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_notebook_is_valid_and_stored_as_jupyter_stores_it(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert path.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_nbval_masks_nothing_but_the_bytes_of_a_png(path: Path) -> None:
    """A rule for addresses once masked every long hexadecimal number, and so the results of whole cells."""
    config = ConfigParser()
    config.read(rules.ROOT / "tests" / "nbval-sanitize.cfg")
    for _, text in rules.texts(nbformat.read(path, as_version=4)):
        for section in config.sections():
            for match in re.finditer(config[section]["regex"], text):
                assert match[0].startswith("data:image/png;base64,"), match[0]


# the rules themselves


def printed(text: str) -> NotebookNode:
    return new_output("stream", name="stdout", text=text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "other.ipynb").write_text("{}")
    return tmp_path


def good() -> NotebookNode:
    """A small notebook that keeps every rule."""
    cells = [
        new_markdown_cell(
            "# Let it run\n\n[next](other.ipynb)\n\nWhat you will do, be able to do, and need."
        ),
        new_code_cell("from lan966x_lab import workbook as wb", execution_count=1, metadata=FOLDED),
        new_markdown_cell("## Predict"),
        new_code_cell(
            "wb.Gate('?', [], answer=0)",
            execution_count=2,
            outputs=[printed("Predict\n")],
            metadata=FOLDED,
        ),
        new_markdown_cell("## Exercise: count"),
        new_code_cell("check(3)", execution_count=3, outputs=[printed("right\n")]),
        new_markdown_cell("## Recap\n\nSee [the prediction](#Predict), then [go on](other.ipynb)."),
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "x"}})


def code(source: str, *outputs: NotebookNode, tags: tuple[str, ...] = ()) -> NotebookNode:
    metadata = {"tags": list(tags)} if tags else {}
    return new_code_cell(source, execution_count=4, outputs=list(outputs), metadata=metadata)


OPEN_GATE = "wb.Gate('?', [], answer=0)"
PICTURE = {"image/png": "iVBORw0KGgo="}
ADDED = [
    (rules.folds_the_answer_of_a_gate_away, code(OPEN_GATE, printed("Predict\n"))),
    (rules.ran_once_from_top_to_bottom, new_code_cell("x = 1")),
    (rules.hides_nothing_from_nbval, code("x", tags=("nbval-skip",))),
    (rules.hides_nothing_from_nbval, code("# NBVAL_IGNORE_OUTPUT\nx")),
    (rules.shows_no_error, code("x", new_output("error", ename="NameError", evalue="x", traceback=[]))),
    (rules.shows_no_error, code("x", new_output("stream", name="stderr", text="warning"))),
    (rules.says_every_picture_in_words, code("x", new_output("display_data", data=PICTURE))),
    (
        rules.says_every_picture_in_words,
        code("x", new_output("display_data", data={**PICTURE, "text/plain": "<Figure size 640x480>"})),
    ),
    (
        rules.stores_no_live_widget,
        code("x", new_output("display_data", data={"application/vnd.jupyter.widget-view+json": {}})),
    ),
    (rules.is_plain_python, code("%timeit 1")),
    (rules.is_plain_python, code("!ls")),
    (rules.is_plain_python, code("files = !ls")),
    (rules.is_plain_python, code("print?")),
    (rules.is_plain_python, code("get_ipython().system('ls')")),
    (rules.imports_in_one_set_up_cell, code("import math")),
    (rules.imports_in_one_set_up_cell, code("def f():\n    from math import pi")),
    (rules.needs_no_other_host, new_markdown_cell("![picture](https://example.org/a.png)")),
    (rules.needs_no_other_host, new_markdown_cell('<img alt="" src="//example.org/a.png">')),
    (
        rules.needs_no_other_host,
        code("x", new_output("display_data", data={"text/html": "<script src='https://example.org/a.js'>"})),
    ),
    (rules.names_no_place_on_a_machine, code("open('/home/me/x')")),
    (rules.names_no_place_on_a_machine, code("open('C:\\\\Users')")),
    (rules.names_no_place_on_a_machine, code("x", printed("/tmp/x.py:3: Warning"))),
    (rules.types_no_published_number, new_markdown_cell("It rose to 472 Mbit/s.")),
    (rules.types_no_published_number, new_markdown_cell("It is 46.2 Mbit/s.")),
    (rules.types_no_published_number, code("rate = 941.09")),
    (rules.speaks_without_condescension, new_markdown_cell("It is Simply so.")),
    (rules.speaks_without_condescension, new_markdown_cell("Of course.")),
    (rules.links_to_what_is_there, new_markdown_cell("[there](nowhere.ipynb)")),
    (rules.links_to_what_is_there, new_markdown_cell("[there](#Nowhere)")),
    (rules.links_to_what_is_there, new_markdown_cell("<a href='../nowhere.md'>there</a>")),
    (rules.has_the_title_of_its_file, new_markdown_cell("# A second title")),
    (rules.has_navigation, new_markdown_cell("The end.")),
]

REPLACED = [
    (rules.has_the_title_of_its_file, "# Let it run", "# Running"),
    (rules.has_navigation, "[next](other.ipynb)", ""),
    (rules.says_what_is_ahead, "What you will do", "Goals"),
    (rules.says_what_is_ahead, "and need", ""),
    (rules.asks_before_it_answers, "wb.Gate", "wb.table"),
    (rules.has_a_checked_exercise, "Exercise", "More"),
    (rules.has_a_checked_exercise, "check(3)", "print(3)"),
    (rules.ends_with_a_recap, "Recap", "End"),
    (rules.imports_in_one_set_up_cell, "from lan966x_lab import workbook as wb", "wb = 1"),
]


def complaints(rule: rules.Rule, notebook: NotebookNode, folder: Path) -> list[str]:
    return list(rule(notebook, folder / NAME))


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_rule_lets_a_good_notebook_pass(rule: rules.Rule, folder: Path) -> None:
    notebook = good()
    if rules.RULES[rule] == (rules.Kind.EXERCISE,):
        clear(notebook)
    assert complaints(rule, notebook, folder) == []


@pytest.mark.parametrize(("rule", "cell"), ADDED)
def test_rule_catches_a_bad_cell(rule: rules.Rule, cell: NotebookNode, folder: Path) -> None:
    notebook = good()
    notebook.cells.append(deepcopy(cell))
    assert len(complaints(rule, notebook, folder)) == 1


@pytest.mark.parametrize(("rule", "old", "new"), REPLACED)
def test_rule_catches_what_is_missing(rule: rules.Rule, old: str, new: str, folder: Path) -> None:
    notebook = good()
    for cell in notebook.cells:
        cell.source = cell.source.replace(old, new)
    assert len(complaints(rule, notebook, folder)) == 1


def test_rules_catch_what_is_no_cell(folder: Path) -> None:
    notebook = good()
    notebook.metadata = nbformat.from_dict({"kernelspec": {"name": "lab"}, "widgets": {}})
    assert complaints(rules.names_the_kernel_python3, notebook, folder)
    assert complaints(rules.stores_no_live_widget, notebook, folder)
    notebook.cells += [new_markdown_cell("x")] * (rules.MOST_CELLS - len(notebook.cells) + 1)
    assert complaints(rules.is_short_enough, notebook, folder)


def clear(notebook: NotebookNode) -> None:
    for cell in rules.code(notebook):
        cell.outputs, cell.execution_count = [], None


def test_a_stripped_notebook_is_caught_twice(folder: Path) -> None:
    """As nbstripout leaves it: nbval would run it, compare nothing, and be green."""
    notebook = good()
    clear(notebook)
    assert complaints(rules.ran_once_from_top_to_bottom, notebook, folder)
    assert complaints(rules.has_outputs_to_compare, notebook, folder)


def test_a_notebook_that_is_mostly_not_compared_is_caught(folder: Path) -> None:
    notebook = good()
    for cell in rules.code(notebook):
        cell.metadata["tags"] = [rules.IGNORE]
    assert complaints(rules.has_outputs_to_compare, notebook, folder)


def test_an_open_set_up_cell_is_caught(folder: Path) -> None:
    notebook = good()
    notebook.cells[1].metadata = nbformat.from_dict({})
    assert len(complaints(rules.folds_the_set_up_cell_away, notebook, folder)) == 1


def test_an_exercise_with_outputs_is_caught(folder: Path) -> None:
    assert len(complaints(rules.is_handed_out_blank, good(), folder)) == 3


def test_hidden_tests_may_import(folder: Path) -> None:
    notebook = good()
    hidden = "check(4)\n### BEGIN HIDDEN TESTS\nimport math\n### END HIDDEN TESTS"
    notebook.cells.append(code(hidden))
    assert complaints(rules.imports_in_one_set_up_cell, notebook, folder) == []


def test_the_folder_says_the_kind() -> None:
    assert [rules.kind(Path("notebooks", folder, NAME)) for folder in ("", "solutions", "exercises")] == list(
        rules.Kind
    )


def test_published_numbers_are_those_of_the_claims() -> None:
    numbers = rules.published_numbers()
    assert {"457", "530", "367", "472", "485", "46.2", "78.9", "15.8", "905", "941.09", "6.95"} <= numbers
    assert not {"31", "100"} & numbers  # a bit position and a round number, everywhere


def test_the_navigation_leads_to_the_neighbours(tmp_path: Path) -> None:
    for name in ("06_stay.ipynb", NAME, "08_go.ipynb", "08_go.mine.ipynb", "09_far.ipynb"):
        (tmp_path / name).write_text("{}")
    assert rules.neighbours(tmp_path / "06_stay.ipynb") == [NAME]
    assert rules.neighbours(tmp_path / NAME) == ["06_stay.ipynb", "08_go.ipynb"]
    found = complaints(rules.has_navigation, good(), tmp_path)
    assert len(found) == 4
    assert "the last cell does not lead to 08_go.ipynb" in found[3]
