"""The package's own source, shown side by side."""

import ast
import inspect
import re
from collections.abc import Sequence
from keyword import kwlist
from math import ceil
from textwrap import dedent
from typing import Any

from .svg import clean
from .twin import Twin

# One alternation, so that a keyword inside a string or a comment stays plain; every name is matched, so that
# a keyword inside a longer name stays plain.
_TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)"
    r"|(?P<string>(?<!\w)[rbfRBF]{0,2}"
    r"(?:\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'))"
    r"|(?P<name>[^\W\d]\w*)"
)
_CHAR = 7.23  # pixels of a character at 12 pixels, DejaVu Sans Mono
_STYLE = {
    "comment": "color:var(--jp-content-font-color2,#535d69);font-style:italic",
    "string": "color:var(--jp-mirror-editor-string-color,#ba2121)",
    "name": "color:var(--jp-mirror-editor-keyword-color,#008000);font-weight:600",
}


class Source(Twin):
    """Panels of source text; make it with :func:`source`."""

    def __init__(self, panels: Sequence[tuple[str, str]]) -> None:
        self.panels = list(panels)

    def html(self) -> str:
        """Panels side by side as far as they fit, each with its title."""
        panels = "".join(
            f'<div style="flex:1 1 {_width(text)}px;min-width:0;max-width:100%">'
            f'<div style="font-weight:600;margin-bottom:4px">{clean(title)}</div>'
            '<pre tabindex="0" style="margin:0;padding:8px 10px;overflow-x:auto;white-space:pre;'
            "border:1px solid var(--jp-border-color2,#d5dbe1);border-radius:6px;"
            'font-size:12px;line-height:1.45">'
            f"{_highlight(text)}</pre></div>"
            for title, text in self.panels
        )
        return f'<div style="display:flex;flex-wrap:wrap;gap:12px;margin:4px 0">{panels}</div>'

    def text(self) -> str:
        """The panels below each other, each under its title."""
        return "\n\n".join(f"# ---- {title}\n{text}" for title, text in self.panels)


def source(*objects: Any, titles: Sequence[str] | None = None, docstrings: bool = True) -> Source:
    """The source of functions, classes, methods or modules, side by side.

    Args:
        objects: anything that ``inspect`` finds the source of.
        titles: one for each object; without, the objects' own qualified names.
        docstrings: ``False`` leaves docstrings out, so that the code alone is compared.

    Raises:
        TypeError: an object has no Python source, such as a number or an instance.
        ValueError: ``titles`` has another length than ``objects``.
    """
    names = (
        [getattr(o, "__qualname__", getattr(o, "__name__", str(o))) for o in objects]
        if titles is None
        else titles
    )
    if len(names) != len(objects):
        raise ValueError(f"{len(names)} titles for {len(objects)} objects; give one title for each")
    return Source([(name, _source(o, docstrings)) for name, o in zip(names, objects, strict=True)])


def _source(thing: Any, docstrings: bool) -> str:
    text = dedent(inspect.getsource(thing)).rstrip()
    return text if docstrings else _without_docstrings(text)


def _without_docstrings(text: str) -> str:
    lines: list[str | None] = list(text.split("\n"))
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is None:
            continue
        first = node.body[0]
        if len(node.body) == 1:  # the docstring is the body
            continue
        assert first.end_lineno is not None
        lines[first.lineno - 1 : first.end_lineno] = [None] * (first.end_lineno - first.lineno + 1)
        if lines[first.end_lineno] == "":
            lines[first.end_lineno] = None
    return "\n".join(line for line in lines if line is not None)


def _width(text: str) -> int:
    """How wide a panel should be so that its longest line fits; panels share a row as far as that allows."""
    return 24 + ceil(_CHAR * max(map(len, text.split("\n"))))


def _highlight(text: str) -> str:
    done, parts = 0, []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind is None or (kind == "name" and match[0] not in kwlist):
            continue
        parts.append(clean(text[done : match.start()]))
        parts.append(f'<span style="{_STYLE[kind]}">{clean(match[0])}</span>')
        done = match.end()
    parts.append(clean(text[done:]))
    return "".join(parts)
