"""The SVG writer: whatever is drawn is well-formed, fits, and is the same bytes every time."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from lan966x_lab.workbook import Svg
from lan966x_lab.workbook.svg import number, shorten, text_width

SVG = "{http://www.w3.org/2000/svg}"
SAMPLES = [
    "DSTS",
    "BYPASS",
    "Throughput of iperf3, Mbit/s",
    "472 (+28.6 %)",
    "QS_XTR_RD",
    "0x1f → 31 µs",
    "fill it…",
]


def parse(svg: Svg) -> ET.Element:
    return ET.fromstring(str(svg))


@given(st.text(), st.text())
def test_any_text_is_drawn_as_it_is(label: str, string: str) -> None:
    svg = Svg(100, 50, label)
    svg.text(1, 2, string)
    svg.rect(1, 2, 3, 4, title=string)
    root = parse(svg)
    assert root.get("role") == "img"
    shown = [element.text or "" for element in root.iter(f"{SVG}text")]
    # XML reads a carriage return as a line feed, and has no other control characters
    assert [s.replace("\ufffd", "") for s in shown] == [
        "".join(c for c in string.replace("\r\n", "\n").replace("\r", "\n") if c >= " " or c in "\t\n")
        .replace("\ufffd", "")
        .replace("\ufffe", "")
        .replace("\uffff", "")
    ]


def test_every_shape() -> None:
    def draw() -> Svg:
        svg = Svg(100, 50, "all shapes", panel=False)
        svg.rect(1, 2, 3, 4, fill="#ffffff", stroke="#000000", thick=2, radius=3, dash="2 2", title="a <b>")
        svg.circle(1, 2, 3, stroke="#000000")
        svg.line(0, 0, 10, 0, arrow=True)
        svg.line(5, 5, 5, 5, arrow=True)  # no direction: still no error
        svg.path("M0 0L1 1", stroke="#000000")
        svg.polyline([(0, 0), (1.005, 2)])
        with svg.group(x=5, y=6.5, opacity=0.5, title="moved"):
            svg.text(1, 2, "x", size=9, anchor="end", bold=True, mono=True)
        return svg

    assert str(draw()) == str(draw())
    root = parse(draw())
    tags = [element.tag.removeprefix(SVG) for element in root.iter()]
    assert tags.count("path") == 3
    assert [tags.count(tag) for tag in ("rect", "circle", "line", "polyline", "g", "text")] == [
        1,
        1,
        2,
        1,
        1,
        1,
    ]
    assert [title.text for title in root.iter(f"{SVG}title")] == ["all shapes", "a <b>", "moved"]
    assert root.get("width") == "100"
    assert root.get("viewBox") == "0 0 100 50"
    assert root.get("aria-label") == "all shapes"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "3"),
        (3.0, "3"),
        (0.1 + 0.2, "0.3"),
        (2.345678, "2.35"),
        (-0.001, "0"),
        (-1.5, "-1.5"),
        (100.0, "100"),
    ],
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("sample", SAMPLES)
def test_text_width_is_close_and_not_too_small(sample: str, bold: bool) -> None:
    font = FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal")
    real = TextPath((0, 0), sample, size=100, prop=font).get_extents().width
    assert 0.98 * real <= text_width(sample, 100, bold=bold) <= 1.2 * real


def test_monospaced_width() -> None:
    font = FontProperties(family="DejaVu Sans Mono")
    real = TextPath((0, 0), "MMMMMMMMMM", size=100, prop=font).get_extents().width
    assert real <= text_width("MMMMMMMMMM", 100, mono=True) <= 1.05 * real


@given(st.text(max_size=40), st.integers(0, 300), st.booleans())
def test_shortened_text_fits(string: str, width: int, mono: bool) -> None:
    short = shorten(string, width, mono=mono)
    assert text_width(short, mono=mono) <= width
    if text_width(string, mono=mono) <= width:
        assert short == string
    elif short:
        assert short.endswith("…")
        assert string.startswith(short[:-1])
