"""The bit grid: every bit has its cell, every field its name, and what is drawn is the header."""

import re
from collections import Counter
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.workbook import WIDTH, Svg
from lan966x_lab.workbook.figures.bitgrid import Mark, draw_grid, grid_height
from lan966x_lab.workbook.figures.bitrows import (
    CELL,
    OTHER,
    idle_fields,
    left_of,
    reserved,
    rows,
    spread,
    tone_of,
)
from lan966x_lab.workbook.svg import text_width

LAYOUTS = [*ifh.LAN966X, *ifh.OCELOT]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(layout: ifh.Layout, header: bytes, mark: Mark) -> ElementTree.Element:
    svg = Svg(WIDTH, grid_height(layout), "grid")
    draw_grid(svg, 0, layout, header, mark)
    return ElementTree.fromstring(str(svg))


def digits(root: ElementTree.Element, y: float, digit: str) -> list[float]:
    """Where a digit stands in the line of cells at y."""
    found: list[float] = []
    for text in root.iter(f"{SVG}text"):
        cells = (float(text.attrib["y"]), text.attrib["font-size"]) == (y, "12")
        if cells and text.text and set(text.text) == {digit}:
            found += map(float, text.attrib["x"].split())
    return found


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.name)
class TestRows:
    def test_every_bit_has_one_cell_under_its_first_owner(self, layout: ifh.Layout) -> None:
        bits = []
        for row in rows(layout):
            for name in row.above:
                mine = range(name.run.top, name.run.pos - 1, -1)
                assert all((layout.owners(bit) or (None,))[0] == name.run.field for bit in mine)
                assert {bit // 32 for bit in mine} == {row.top // 32}
                bits += mine
        assert bits == list(range(8 * layout.nbytes - 1, -1, -1))

    def test_every_reading_in_either_direction_is_named(self, layout: ifh.Layout) -> None:
        named = Counter()
        for row in rows(layout):
            for name in [*row.above, *(name for line in row.below for name in line)]:
                if name.run.field:
                    named[name.run.field] += name.run.top - name.run.pos + 1
        assert set(named) == {*layout.fields, *OTHER[layout].fields}
        shared = {field for _, field in layout.overlaps}
        assert all(bits == field.width for field, bits in named.items() if field not in shared)

    def test_names_of_a_line_do_not_touch_and_stay_inside(self, layout: ifh.Layout) -> None:
        for row in rows(layout):
            for line in [row.above, *row.below]:
                edges = [(n.x - n.width / 2, n.x + n.width / 2) for n in line]
                assert all(one[1] <= other[0] + 1e-6 for one, other in pairwise(edges))
                assert edges[0][0] >= 10 - 1e-6
                assert edges[-1][1] <= WIDTH - 10 + 1e-6
                assert all(n.width > text_width(n.run.name, 10.5) for n in line)

    def test_neighbours_differ_in_colour(self, layout: ifh.Layout) -> None:
        fields = [name.run.field for row in rows(layout) for name in row.above]
        for one, other in pairwise(fields):
            if one != other:
                assert tone_of(layout, one) is not tone_of(layout, other)

    def test_a_field_keeps_its_colour_in_the_other_direction(self, layout: ifh.Layout) -> None:
        for field in set(layout.fields) & set(OTHER[layout].fields):
            assert tone_of(layout, field) is tone_of(OTHER[layout], field)

    def test_the_bits_of_a_header_stand_in_their_cells(self, layout: ifh.Layout) -> None:
        header = bytes(range(0x91, 0x91 + layout.nbytes))
        root = drawn(layout, header, Mark(layout.fields[0], 0))
        y = 24
        for row in rows(layout):
            word = int.from_bytes(header, "big") >> (row.top - 31)
            for digit in (0, 1):
                bits = [bit for bit in range(31, -1, -1) if word >> bit & 1 == digit]
                assert sorted(digits(root, y + 34, str(digit))) == [left_of(bit) + 5.7 for bit in bits]
            y += row.height
        assert y == grid_height(layout)

    def test_hex_stands_at_the_end_of_each_row(self, layout: ifh.Layout) -> None:
        header = bytes(range(0xA0, 0xA0 + layout.nbytes))
        texts = [text.text for text in drawn(layout, header, Mark(None, 0)).iter(f"{SVG}text")]
        assert [
            text for text in texts if re.fullmatch("[0-9a-f]{2}", text or "") and text in header.hex(" ")
        ] == (header.hex(" ").split())

    def test_all_reserved_bits_can_be_chosen(self, layout: ifh.Layout) -> None:
        root = drawn(layout, bytes(layout.nbytes), Mark(None, reserved(layout)[0].top))
        frames = [rect for rect in root.iter(f"{SVG}rect") if rect.attrib.get("stroke-width") == "2.5"]
        runs = [name for row in rows(layout) for name in row.above if name.run.field is None]
        assert len(frames) == len(runs)


def test_fields_of_extraction_only_are_struck_through_on_injection() -> None:
    tx, rx = ifh.LAN966X
    assert sorted(field.name for field in idle_fields(tx)) == [
        "ACL_HIT",
        "ACL_IDX",
        "AGED",
        "CUTTHRU",
        "FLOOD",
        "LEARN_FLAGS",
        "SRCPORT",
    ]
    assert all(idle_fields(layout) == () for layout in (rx, *ifh.OCELOT))
    strike = re.compile(rf"M(\d+) \d+\.5h{CELL}(?=M|$)")
    struck = {
        layout: [
            int(x)
            for path in drawn(layout, bytes(28), Mark(None, 0)).iter(f"{SVG}path")
            if path.attrib.get("stroke-width") == "1.2"
            for x in strike.findall(path.attrib["d"])
        ]
        for layout in (tx, rx)
    }
    bits = [bit for field in idle_fields(tx) for bit in range(field.pos, field.top + 1)]
    assert sorted(struck[tx]) == sorted(map(left_of, bits))
    assert struck[rx] == []


def test_cells_stand_side_by_side_with_a_gap_between_bytes() -> None:
    lefts = [left_of(bit) for bit in range(223, 191, -1)]
    steps = [other - one for one, other in pairwise(lefts)]
    assert [at for at, step in enumerate(steps) if step != CELL] == [7, 15, 23]
    assert lefts[0] > 60, "there is room for the numbers of bytes and bits"
    assert lefts == [left_of(bit) for bit in range(31, -1, -1)]


def test_what_changed_is_underlined_in_bits_and_in_hex() -> None:
    layout = ifh.LAN966X.tx
    root = drawn(layout, layout.encode(DSTS=0x155), Mark(layout["DSTS"], 70, layout["DSTS"].mask))
    under = re.compile(r"M(\d+) (\d+)\.5h11")
    marks = [match for path in root.iter(f"{SVG}path") for match in under.findall(path.attrib["d"])]
    assert len({y for _, y in marks}) == 2  # two words
    assert sorted(int(x) - 4 for x, _ in marks) == sorted(left_of(bit) for bit in range(62, 71))
    bold = [text.text for text in root.iter(f"{SVG}text") if text.attrib.get("font-weight") == "600"]
    assert [text for text in bold if re.fullmatch("[0-9a-f]{2}", text or "")] == ["55", "40"]


@given(
    st.lists(st.tuples(st.floats(0, 800), st.floats(1, 60)), min_size=1, max_size=12),
)
def test_spread_is_the_nearest_arrangement(labels: list[tuple[float, float]]) -> None:
    labels.sort()
    centres, widths = [c for c, _ in labels], [w for _, w in labels]
    low, high = -1000.0, 2000.0
    moved = spread(centres, widths, low, high)
    gaps = [b - a - (v + w) / 2 for (a, v), (b, w) in pairwise(zip(moved, widths, strict=True))]
    assert all(gap >= -1e-6 for gap in gaps)
    # optimal: a block that touches (gaps of 0) stands at the mean of what its members want
    start = 0
    for end in range(1, len(moved) + 1):
        if end == len(moved) or gaps[end - 1] > 1e-6:
            block = range(start, end)
            assert sum(moved[i] - centres[i] for i in block) == pytest.approx(0, abs=1e-5)
            start = end


def test_spread_keeps_labels_inside() -> None:
    assert spread([0, 100], [20, 20], 0, 100) == [10, 90]
    assert spread([-50, -50, -50], [20, 20, 20], 0, 100) == [10, 30, 50]


def test_spaced_characters_are_one_element() -> None:
    svg = Svg(60, 20, "digits")
    svg.spaced([], 10, "")
    svg.spaced([5, 15.5], 10, "0<", size=11, bold=True)
    (text,) = ElementTree.fromstring(str(svg)).iter(f"{SVG}text")
    assert (text.text, text.attrib["x"], text.attrib["font-weight"]) == ("0<", "5 15.5", "600")
