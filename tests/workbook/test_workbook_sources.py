"""The source panels show the source, nothing more and nothing less."""

import ast
import inspect
import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import workbook as wb
from lan966x_lab.workbook import checks, gate, pictures, sources, svg, tables, twin, widgets
from lan966x_lab.workbook.sources import _highlight

MODULES = [checks, gate, pictures, sources, svg, tables, twin, widgets]


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


class Sample:
    """Says so."""

    def method(self) -> int:
        """Gives one."""
        return 1  # not "None"

    def documented_only(self) -> None:
        """Does nothing."""


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_highlighting_changes_no_character(module: object) -> None:
    text = inspect.getsource(module)  # type: ignore[arg-type]
    assert plain(_highlight(text)) == text


@given(st.text(alphabet="ab'\"#\\\n<&f rif=", max_size=60))
def test_highlighting_survives_any_text(text: str) -> None:
    assert plain(_highlight(text)) == text


def test_keywords_only_where_they_are_keywords() -> None:
    html = _highlight("if x: y = \"if\"  # if\nelif_ = r'\\'if'")
    assert html.count("font-weight") == 1
    assert html.count("font-style:italic") == 1


def test_panels_and_titles() -> None:
    shown = wb.source(wb.evidence, Sample.method, titles=["one", "two <2>"])
    assert str(shown).startswith("# ---- one\ndef evidence(kind: str)")
    assert '# ---- two <2>\ndef method(self) -> int:\n    """Gives one."""\n    return 1' in str(shown)
    assert "two &lt;2&gt;" in shown.html()
    assert shown.html().count("<pre") == 2
    assert shown.html() == wb.source(wb.evidence, Sample.method, titles=["one", "two <2>"]).html()
    assert str(wb.source(Sample.method)).startswith("# ---- Sample.method\n")


def test_docstrings_can_be_left_out() -> None:
    text = str(wb.source(Sample, docstrings=False))
    assert "Says so" not in text
    assert "Gives one" not in text
    assert 'return 1  # not "None"' in text
    assert "Does nothing" in text, "a body that is only a docstring stays, or the code would not parse"
    ast.parse(text)
    for module in MODULES:
        ast.parse(str(wb.source(module, docstrings=False)))


def test_wrong_calls_are_refused() -> None:
    with pytest.raises(ValueError, match="1 titles for 2 objects"):
        wb.source(Sample, Sample, titles=["x"])
    with pytest.raises(TypeError):
        wb.source(3)
