"""Pictures, tables and evidence labels, and their text twins."""

import re
import xml.etree.ElementTree as ET
from decimal import Decimal
from html import unescape
from urllib.parse import unquote

import matplotlib.pyplot as plt
import pytest

from lan966x_lab import workbook as wb


def bundle(thing: wb.Twin) -> dict[str, str]:
    return thing._repr_mimebundle_()


def plot() -> wb.Picture:
    fig, ax = wb.figure(400, 200, title="A <title>")
    ax.plot([1, 2, 3], [4, 5, 6])
    return wb.Picture(fig, 'Three points rise, "4 < 6".')


def test_svg_picture_has_drawing_and_sentence() -> None:
    svg = wb.Svg(50, 20, "a & b")
    svg.text(1, 10, "50 % <of> 'it' #1")
    picture = wb.Picture(svg, 'It says "x < y".')
    assert bundle(picture)["text/plain"] == str(picture) == 'It says "x < y".'
    html = bundle(picture)["text/html"]
    source = re.search(r'src="data:image/svg\+xml,([^"]*)"', html)
    assert source is not None
    assert unquote(source[1]) == str(svg), "the image is the drawing, byte for byte"
    alt = re.search(r'alt="([^"]*)"', html)
    assert alt is not None
    assert unescape(alt[1]) == picture.sentence
    assert "<figcaption" in html
    assert picture.drawing() == str(svg)


def test_plot_is_deterministic_and_outside_pyplot() -> None:
    assert plot().html() == plot().html()
    assert plt.get_fignums() == []
    assert 'width="400"' in plot().html()
    assert 'alt="Three points rise, &quot;4 &lt; 6&quot;."' in plot().html()
    assert plot().drawing().startswith("<img ")


def test_plot_has_the_workbooks_style() -> None:
    _, axes = wb.figure(nrows=1, ncols=2)
    assert len(axes) == 2
    for ax in axes:
        assert not ax.spines["top"].get_visible()
        assert ax.plot([0, 1])[0].get_color() == wb.palette.TONES[0].strong


def test_bar_pairs_says_its_numbers() -> None:
    pairs = [
        wb.Pair("iperf3", 367, 472, "reported"),
        wb.Pair("reads", 2, 0, "counted"),
        wb.Pair("none", 0, 3, "counted"),
    ]
    picture = wb.bar_pairs("Effect", "units", [*pairs, wb.Pair("same", 5, 5, "timed here")])
    assert picture.sentence == (
        "Effect in units: iperf3 goes from 367 to 472 (+28.6 %, reported); "
        "reads goes from 2 to 0 (−100.0 %, counted); none goes from 0 to 3 (from 0, counted); "
        "same goes from 5 to 5 (no change, timed here)."
    )
    root = ET.fromstring(picture.drawing())
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    for evidence in ("reported", "counted", "timed here"):
        assert evidence in texts
    for rect in root.iter("{http://www.w3.org/2000/svg}rect"):
        assert float(rect.get("x", 0)) + float(rect.get("width", 0)) <= wb.WIDTH
    assert wb.bar_pairs("Effect", "units", pairs, sentence="So.").sentence == "So."


def test_bars_are_to_scale() -> None:
    root = ET.fromstring(wb.bar_pairs("E", "u", [wb.Pair("p", 100, 400, "counted")]).drawing())
    before, after = (
        float(r.get("width", 0))
        for r in root.iter("{http://www.w3.org/2000/svg}rect")
        if r.get("height") == "20"
    )
    assert after == pytest.approx(4 * before, rel=0.01)


def test_unknown_evidence_is_refused() -> None:
    with pytest.raises(
        ValueError, match="'guessed' is unknown; use one of 'reported', 'counted', 'timed here'"
    ):
        wb.evidence("guessed")


@pytest.mark.parametrize("kind", ["reported", "counted", "timed here"])
def test_evidence_is_written_out(kind: str) -> None:
    assert str(wb.evidence(kind)) == f"[{kind}]"
    assert f">{kind}</span>" in wb.evidence(kind).html()


def test_table_twins() -> None:
    table = wb.table(
        [
            ["bit <loop>", 1234, "12.4", wb.evidence("counted"), True],
            ["shift", 5, "−1.0", wb.evidence("reported"), False],
        ],
        ["codec", "loads", "µs", "evidence", "merged"],
        "What a set costs",
    )
    assert str(table) == (
        "What a set costs\n"
        "codec       loads    µs  evidence    merged\n"
        "----------  -----  ----  ----------  ------\n"
        "bit <loop>  1,234  12.4  [counted]   True\n"
        "shift           5  −1.0  [reported]  False"
    )
    root = ET.fromstring(table.html())
    assert root.findtext("caption") == "What a set costs"
    assert [th.text for th in root.iter("th") if th.get("scope") == "col"] == [
        "codec",
        "loads",
        "µs",
        "evidence",
        "merged",
    ]
    assert [th.text for th in root.iter("th") if th.get("scope") == "row"] == ["bit <loop>", "shift"]
    assert table.html() == table.html()


def test_a_printed_figure_keeps_its_digits() -> None:
    picture = wb.bar_pairs("Rate", "Mbit/s", [wb.Pair("x", Decimal("45.0"), Decimal("78.8"), "reported")])
    assert str(picture) == "Rate in Mbit/s: x goes from 45.0 to 78.8 (+75.1 %, reported)."


def test_a_column_without_a_name_has_no_header_to_announce() -> None:
    assert '<th scope="col"' not in wb.table([["a"]], [""], "c").html()


def test_numbers_stand_right_and_names_with_digits_left() -> None:
    row = ["12.5 µs", "−3 %", "1,234", "000-rx", "0x1f", "a7"]
    html = wb.table([row], [str(i) for i in range(len(row))], "c").html()
    sides = re.findall(r"<t[hd](?: scope=\"row\")? style=\"text-align:(\w+)\"", html)
    assert sides == ["right", "right", "right", "left", "right", "left"]


def test_table_of_the_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="1 cells for 2 headers"):
        wb.table([["x"]], ["a", "b"], "c")


def test_empty_table() -> None:
    assert str(wb.table([], ["a", "b"], "Nothing")) == "Nothing\na  b\n-  -"


def test_a_fold_hides_nothing_from_its_text_twin() -> None:
    fold = wb.Fold("An answer to <this>", wb.evidence("counted"))
    assert str(fold) == "An answer to <this>:\n\n[counted]"
    assert fold.html().startswith("<details><summary>An answer to &lt;this&gt;</summary><span")
    assert fold.html().endswith("</details>")


def test_stack_shows_its_parts_in_order() -> None:
    stack = wb.Stack(wb.evidence("counted"), wb.evidence("reported"))
    assert str(stack) == "[counted]\n\n[reported]"
    assert stack.html().index("counted") < stack.html().index("reported")
