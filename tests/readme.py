"""The parts of README.md that come from the code and the notebooks, and how they get there.

    python tests/readme.py          write them anew (`make readme`)

Each part stands between ``<!-- begin NAME -->`` and ``<!-- end NAME -->``. ``test_readme.py`` holds
the README and its pictures against what this module makes.
"""

import argparse
import importlib
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat

from lan966x_lab import cli
from lan966x_lab.measure import claims
from lan966x_lab.workbook import palette
from lan966x_lab.workbook.figures.claims import claims_picture, claims_table
from lan966x_lab.workbook.svg import Svg

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PICTURES = ROOT / "data" / "pictures"

FLOORS = {  # from the top; what stands side by side knows nothing of its neighbour
    "workbook": "pictures, widgets, gates, checks, classroom",
    "measure": "claims, counted work, cost model, timing, live wire",
    "driver": "the code that the patches change, one switch each",
    "hw": "registers, FIFOs, rings, clocks, checksum unit",
    "ifh": "the inter-frame header",
    "net": "frames, checksums, PTP, captures",
}


def parts() -> dict[str, str]:
    """Name and Markdown of every generated part."""
    return {
        "notebooks": table(("notebook", "minutes", "the question it answers"), lessons()),
        "exercises": table(("exercise", "minutes", "the question it answers"), exercises()),
        "commands": table(("command", "what it does"), commands()),
        "claims": claims_rows(),
        "modules": "\n".join(module_map()),
    }


def pictures() -> dict[str, str]:
    """File name and content of every generated picture."""
    return {"claims.svg": str(claims_picture(claims.load()).body), "house.svg": str(house())}


def filled(readme: str) -> str:
    """The README with its generated parts made anew.

    Raises:
        ValueError: a part has no place, or a place has no part.
    """
    made = parts()
    for name in re.findall(r"<!-- begin (\w+) -->", readme):
        if name not in made:
            raise ValueError(
                f"README.md has a place for {name!r}, and there is no such part: {', '.join(made)}"
            )
    for name, text in made.items():
        pattern = re.compile(rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
        if len(pattern.findall(readme)) != 1:
            raise ValueError(f"README.md needs one <!-- begin {name} --> … <!-- end {name} -->")
        readme = pattern.sub(lambda found, text=text: f"{found[1]}{text}\n{found[2]}", readme)
    return readme


def table(heads: tuple[str, ...], rows: Iterator[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def lessons() -> Iterator[tuple[str, ...]]:
    yield from _questions(sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")))


def exercises() -> Iterator[tuple[str, ...]]:
    yield from _questions(sorted((ROOT / "notebooks" / "exercises").glob("[0-9][0-9]_*.ipynb")))


def _questions(paths: list[Path]) -> Iterator[tuple[str, ...]]:
    for path in (path for path in paths if ".mine" not in path.name):
        opening = nbformat.read(path, as_version=4).cells[0].source
        question = re.search(r"\*\*The question:\*\* ([^(\n]+[?.])", opening)
        minutes = re.search(r"([\d–]+) minutes", opening)
        if question is None or minutes is None:
            raise ValueError(f"{path.name}: its first cell has no '**The question:** … (N minutes)'")
        asked = question[1][0].upper() + question[1][1:]
        yield f"[{path.stem}]({path.relative_to(ROOT).as_posix()})", minutes[1], asked


def commands() -> Iterator[tuple[str, ...]]:
    """Every command of ``lan966x-lab`` with its line of help."""
    actions = cli._parser()._subparsers
    assert actions is not None
    (choices,) = (a for a in actions._group_actions if isinstance(a, argparse._SubParsersAction))
    for action in choices._choices_actions:
        yield f"`lan966x-lab {action.dest}`", str(action.help)


def claims_rows() -> str:
    """What became of each published claim."""
    made = claims_table(claims.load())
    rows = (tuple(str(cell) for cell in row[:-1]) for row in made.rows)
    return table(tuple(made.headers[:-1]), rows)


def module_map() -> Iterator[str]:
    """Every module of the package with the first sentence of its docstring, floor by floor."""
    for floor in FLOORS:
        package = importlib.import_module(f"lan966x_lab.{floor}")
        modules = [
            importlib.import_module(found.name)
            for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        ]
        yield f"<details><summary><b>{floor}</b>: {FLOORS[floor]} ({len(modules)} modules)</summary>\n"
        for module in modules:
            yield f"- `{module.__name__.removeprefix('lan966x_lab.')}` {_first_line(module.__doc__)}"
        yield "\n</details>"
    yield "\n" + "; ".join(
        f"`{name}` {_first_line(importlib.import_module(f'lan966x_lab.{name}').__doc__)}"
        for name in ("cli", "doctor", "kernels", "notebook_files", "files")
    )


def _first_line(text: str | None) -> str:
    """The first sentence of a docstring, for Markdown."""
    paragraph = " ".join((text or "").strip().split("\n\n")[0].split())
    return paragraph.replace("``", "`")


def house() -> Svg:
    """The package as a house: imports go down only, the notebooks live on top, the data in the cellar."""
    svg = Svg(
        820, 404, "the package as a house: notebooks on top, then workbook, measure, driver, hw, ifh and net"
    )
    left, width, height = 150, 650, 46
    svg.text(20, 34, "lan966x_lab", size=16, bold=True)
    svg.text(20, 56, "imports go", size=12, fill=palette.MUTED)
    svg.text(20, 72, "down only", size=12, fill=palette.MUTED)
    svg.line(56, 92, 56, 360, stroke=palette.MUTED, thick=2, arrow=True)
    rooms = [("notebooks", "lessons 00–08, exercises, solutions", left, width)]
    rooms += [(name, FLOORS[name], left, width) for name in ("workbook", "measure", "driver", "hw")]
    half = (width - 10) // 2
    y = 20
    for index, (name, what, x, wide) in enumerate(rooms):
        _room(svg, x, y, wide, height, name, what, index)
        y += height + 8
    for side, name in enumerate(("ifh", "net")):
        _room(svg, left + side * (half + 10), y, half, height, name, FLOORS[name], 5)
    y += height + 8
    _room(
        svg,
        left,
        y,
        width,
        height,
        "data",
        "claims, captures, instruction counts, recordings, each with its source",
        0,
    )
    return svg


def _room(svg: Svg, x: int, y: int, width: int, height: int, name: str, what: str, tone: int) -> None:
    colour = palette.tone(tone)
    svg.rect(x, y, width, height, fill=colour.soft, stroke=colour.strong, radius=5)
    svg.text(x + 14, y + 20, name, bold=True, size=14)
    svg.text(x + 14, y + 37, what, size=12)


def main() -> int:
    """Write the README's parts and pictures anew."""
    README.write_text(filled(README.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURES.mkdir(exist_ok=True)
    for name, content in pictures().items():
        (PICTURES / name).write_text(content + "\n", encoding="utf-8")
    print("README.md and its pictures are up to date.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
