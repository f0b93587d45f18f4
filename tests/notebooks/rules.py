"""What a notebook of the lab may and may not be: one function a rule, each yields complaints.

Three kinds of notebook exist: a lesson, the solution of a classroom exercise, and the exercise that is made
from it. A rule says for which kinds it holds. ``test_notebook_rules.py`` holds every notebook against the
rules of its kind, and every rule against a notebook that breaks it.
"""

import ast
import csv
import re
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from urllib.parse import unquote

from nbformat import NotebookNode

from lan966x_lab.workbook.classroom.cells import HIDDEN

ROOT = Path(__file__).parents[2]
MOST_CELLS = 40
IGNORE = "nbval-ignore-output"
FORBIDDEN_WORDS = ("just", "simply", "obviously", "of course", "trivially")
_REMOTE = re.compile(
    r"(?:\bsrc\s*=\s*[\"']?|url\([\"']?|@import\s+[\"']|!\[[^\]]*\]\(|<link[^>]*href=[\"']?)(?:https?:)?//"
)
_ABSOLUTE = re.compile(
    r"(?<![\w:/.)<])/(?:home|root|usr|tmp|work|Users|var|opt|mnt|private)/|\b[A-Z]:\\\\?\w"
)
_LINK = re.compile(r"\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)|href=[\"']([^\"']+)[\"']")
_NUMBER = re.compile(r"(?<![\w.,/-])\d+(?:\.\d+)?(?![\w/-]|[.,]\d)")

Rule = Callable[[NotebookNode, Path], Iterator[str]]


class Kind(StrEnum):
    """What a notebook is for; the folder says it."""

    LESSON = "notebooks"
    SOLUTION = "solutions"
    EXERCISE = "exercises"


RULES: dict[Rule, tuple[Kind, ...]] = {}


def rule(*kinds: Kind) -> Callable[[Rule], Rule]:
    """Register a rule for some kinds of notebook; for all of them when none is named."""

    def register(function: Rule) -> Rule:
        RULES[function] = kinds or tuple(Kind)
        return function

    return register


def kind(path: Path) -> Kind:
    """What the notebook is for."""
    return Kind(path.parent.name) if path.parent.name in tuple(Kind) else Kind.LESSON


def published_notebooks() -> list[Path]:
    """Every notebook that is part of the lab, without the copies that `lan966x-lab reset` saves."""
    return sorted(
        path
        for path in (ROOT / "notebooks").rglob("*.ipynb")
        if ".mine" not in path.name and ".ipynb_checkpoints" not in path.parts
    )


def neighbours(path: Path) -> list[str]:
    """The names of the notebooks before and after this one, where there are any."""
    names = sorted(
        other.name for other in path.parent.glob("[0-9][0-9]_*.ipynb") if ".mine" not in other.name
    )
    if path.name not in names:
        return []
    at = names.index(path.name)
    return names[max(0, at - 1) : at] + names[at + 1 : at + 2]


def published_numbers() -> set[str]:
    """The numbers of the five threads that nobody writes by chance: three digits, no round hundred."""
    numbers = set()
    for name in ("claims.csv", "profiles.csv"):
        with (ROOT / "data" / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                for column in ("before", "after", "stated", "off", "on"):
                    numbers |= set(re.findall(r"\d+(?:\.\d+)?", row.get(column) or ""))
    digits = {number: number.replace(".", "").lstrip("0") for number in numbers}
    return {number for number in numbers if len(digits[number]) >= 3 and len(digits[number].rstrip("0")) >= 2}


def code(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook: NotebookNode) -> list[NotebookNode]:
    """The Markdown cells."""
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def headings(cell: NotebookNode) -> list[str]:
    """The headings of a Markdown cell, with their marks."""
    return re.findall(r"^#{1,6} .+$", cell.source, re.MULTILINE)


def texts(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """Every text that a reader or a browser gets, with where it stands: sources and outputs."""
    for index, cell in enumerate(notebook.cells):
        yield f"cell {index}", cell.source
        for output in cell.get("outputs", []):
            yield f"the output of cell {index}", output.get("text", "")
            for kind, content in output.get("data", {}).items():
                if kind.startswith("text/") or kind == "image/svg+xml":
                    yield f"the output of cell {index}", content


# stored outputs


@rule(Kind.LESSON, Kind.SOLUTION)
def ran_once_from_top_to_bottom(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Strict nbval runs a cell without an execution_count, and compares nothing: a silent hole."""
    counts = [cell.execution_count for cell in code(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: run `make notebooks`"


@rule(Kind.LESSON, Kind.SOLUTION)
def has_outputs_to_compare(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """At least half of the cells that show something are compared, and there is one."""
    showing = [cell for cell in code(notebook) if cell.outputs]
    compared = [cell for cell in showing if IGNORE not in cell.metadata.get("tags", [])]
    if not compared or 2 * len(compared) < len(showing):
        yield f"{len(compared)} of {len(showing)} stored outputs are compared"


@rule()
def hides_nothing_from_nbval(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """The one tag that may loosen a comparison is for cells that time something."""
    for index, cell in enumerate(notebook.cells):
        for tag in cell.metadata.get("tags", []):
            if tag.startswith("nbval-") and tag != IGNORE:
                yield f"cell {index} is tagged {tag}"
        if re.search(r"^\s*#+\s*(NBVAL|PYTEST_VALIDATE)_", cell.source, re.MULTILINE):
            yield f"cell {index} has an nbval comment: use the tag {IGNORE} if it times something"


@rule()
def shows_no_error(notebook: NotebookNode, path: Path) -> Iterator[str]:
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                yield f"cell {index} ends with {output.ename}"
            if output.get("name") == "stderr":
                yield f"cell {index} writes on stderr: {output.text[:60]!r}"


@rule(Kind.LESSON, Kind.SOLUTION)
def says_every_picture_in_words(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """nbval does not compare PNG, and not every reader sees it."""
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if any(kind.startswith("image/") for kind in data):
                twin = data.get("text/plain", "")
                if not twin or twin.startswith("<"):
                    yield f"cell {index} shows a picture without words"


@rule()
def stores_no_live_widget(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Without its kernel a stored widget is an error message."""
    if "widgets" in notebook.metadata:
        yield "the metadata hold widget state"
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", []):
            if "application/vnd.jupyter.widget-view+json" in output.get("data", {}):
                yield f"cell {index} holds a widget view: run `make notebooks`"


@rule()
def names_the_kernel_python3(notebook: NotebookNode, path: Path) -> Iterator[str]:
    name = notebook.metadata.get("kernelspec", {}).get("name")
    if name != "python3":
        yield f"the kernel is {name!r}"


@rule(Kind.EXERCISE)
def is_handed_out_blank(notebook: NotebookNode, path: Path) -> Iterator[str]:
    for index, cell in enumerate(notebook.cells):
        if cell.get("outputs") or cell.get("execution_count"):
            yield f"cell {index} carries an output: run `lan966x-lab handout`"


# sources


@rule()
def is_plain_python(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """No magics, no shell lines, no `name?`: what a cell does is what Python does."""
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            yield f"cell {index}, line {error.lineno}, is not Python: {(error.text or '').strip()!r}"
        if "get_ipython" in cell.source or "os.system" in cell.source:
            yield f"cell {index} reaches for the shell or for IPython"


@rule()
def imports_in_one_set_up_cell(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """Hidden tests import for themselves: a learner may have bound the names anew."""
    for number, cell in enumerate(code(notebook)):
        try:
            tree = ast.parse(HIDDEN.cut(cell.source))
        except SyntaxError:
            continue  # another rule's complaint
        importing = any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))
        if number == 0 and not (importing and "lan966x_lab" in cell.source):
            yield "the first code cell does not import the lab"
        if number > 0 and importing:
            yield f"code cell {number + 1} imports: the first one is the set-up cell"


@rule()
def needs_no_other_host(notebook: NotebookNode, path: Path) -> Iterator[str]:
    for where, text in texts(notebook):
        if found := _REMOTE.search(text):
            yield f"{where} loads something from elsewhere: {text[found.start() : found.end() + 40]!r}"


@rule()
def names_no_place_on_a_machine(notebook: NotebookNode, path: Path) -> Iterator[str]:
    for where, text in texts(notebook):
        if found := _ABSOLUTE.search(text):
            yield f"{where} has an absolute path: {text[found.start() : found.end() + 40]!r}"


@rule()
def types_no_published_number(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """They come from `measure.claims`, so that a slip in one place cannot hide in another."""
    numbers = published_numbers()
    for index, cell in enumerate(notebook.cells):
        source = (
            re.sub(r"https?://\S+|<[^>]*>|\(\S*\)", " ", cell.source)
            if cell.cell_type == "markdown"
            else cell.source
        )
        for found in _NUMBER.findall(source):
            if found in numbers:
                yield f"cell {index} types {found}: let a cell compute it from the claims"


# prose


@rule()
def speaks_without_condescension(notebook: NotebookNode, path: Path) -> Iterator[str]:
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            for word in FORBIDDEN_WORDS:
                if re.search(rf"\b{word}\b", cell.source, re.IGNORECASE):
                    yield f"cell {index} says {word!r}"


@rule()
def links_to_what_is_there(notebook: NotebookNode, path: Path) -> Iterator[str]:
    anchors = {
        heading.lstrip("# ").replace(" ", "-") for cell in prose(notebook) for heading in headings(cell)
    }
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "markdown":
            continue
        for target in (a or b for a, b in _LINK.findall(cell.source)):
            if re.match(r"(https|mailto):", target):
                continue
            file, _, anchor = unquote(target).partition("#")
            if not file and anchor not in anchors:
                yield f"cell {index} links to #{anchor}, which no heading makes"
            if file and not (path.parent / file).exists():
                yield f"cell {index} links to {file}, which is not there"


# anatomy


@rule()
def is_short_enough(notebook: NotebookNode, path: Path) -> Iterator[str]:
    if len(notebook.cells) > MOST_CELLS:
        yield f"{len(notebook.cells)} cells, at most {MOST_CELLS}"


@rule()
def has_the_title_of_its_file(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """One title, a sentence that begins with a verb: the file's name in words."""
    titles = [heading for cell in prose(notebook) for heading in headings(cell) if heading.startswith("# ")]
    words = re.sub(r"^\d+_", "", path.stem).replace("_", " ")
    if len(titles) != 1 or titles[0] not in headings(notebook.cells[0]):
        yield f"{len(titles)} titles; one stands in the first cell"
    elif words not in re.sub(r"[^\w ]", "", titles[0].lower()):
        yield f"the title is {titles[0]!r}, the file says {words!r}"


@rule()
def has_navigation(notebook: NotebookNode, path: Path) -> Iterator[str]:
    for place in (0, -1):
        where = "first" if place == 0 else "last"
        if ".ipynb)" not in notebook.cells[place].source:
            yield f"the {where} cell leads to no other notebook"
        for neighbour in neighbours(path):
            if f"({neighbour})" not in notebook.cells[place].source:
                yield f"the {where} cell does not lead to {neighbour}, which is next to it"


@rule()
def says_what_is_ahead(notebook: NotebookNode, path: Path) -> Iterator[str]:
    opening = "\n".join(cell.source.lower() for cell in notebook.cells[:4] if cell.cell_type == "markdown")
    for phrase in ("you will do", "able to", "need"):
        if phrase not in opening:
            yield f"the opening does not say {phrase!r}"


@rule(Kind.LESSON)
def asks_before_it_answers(notebook: NotebookNode, path: Path) -> Iterator[str]:
    if not any("wb.Gate(" in cell.source for cell in code(notebook)):
        yield "no prediction gate"


@rule(Kind.LESSON)
def folds_the_answer_of_a_gate_away(notebook: NotebookNode, path: Path) -> Iterator[str]:
    for number, cell in enumerate(notebook.cells):
        hidden = cell.metadata.get("jupyter", {}).get("source_hidden", False)
        if cell.cell_type == "code" and "wb.Gate(" in cell.source and not hidden:
            yield f"cell {number} shows the answer of its gate: fold its source away"


@rule(Kind.LESSON)
def folds_the_set_up_cell_away(notebook: NotebookNode, path: Path) -> Iterator[str]:
    """A wall of imports stands between the question and the picture that makes it visible."""
    if not all(cell.metadata.get("jupyter", {}).get("source_hidden", False) for cell in code(notebook)[:1]):
        yield "the set-up cell shows its imports: fold its source away"


@rule(Kind.LESSON)
def has_a_checked_exercise(notebook: NotebookNode, path: Path) -> Iterator[str]:
    if not any("exercise" in heading.lower() for cell in prose(notebook) for heading in headings(cell)):
        yield "no heading announces an exercise"
    if not any(re.search(r"check", cell.source, re.IGNORECASE) for cell in code(notebook)):
        yield "no cell checks the exercise"


@rule(Kind.LESSON)
def ends_with_a_recap(notebook: NotebookNode, path: Path) -> Iterator[str]:
    ending = [
        heading.lower()
        for cell in notebook.cells[-4:]
        if cell.cell_type == "markdown"
        for heading in headings(cell)
    ]
    if not any("recap" in heading for heading in ending):
        yield "no recap at the end"
