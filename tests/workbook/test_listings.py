"""Panels of machine code and their tables: the same in HTML and in text, the loops marked."""

import re

import pytest

from lan966x_lab.measure.counted import instructions
from lan966x_lab.workbook.figures.listings import Listings, answers, cures, headers, savings
from lan966x_lab.workbook.palette import MARK

ARM = "ARMv7-A"


def test_loops_are_marked_in_both_forms() -> None:
    shown = Listings([("gcc -O2", ARM, "bit_loop"), ("gcc -O2", ARM, "byte_shift")], "DSTS")
    looped, straight = shown.text().split("\n\n")
    assert looped.startswith("bit loop, gcc -O2: 62 executed, with loop\n")
    assert straight.startswith("byte shift, gcc -O2: 11 executed, no loop\n")
    ((first, last), *_) = sorted(
        instructions.loops(instructions.listing("gcc -O2", ARM, "bit_loop", "DSTS")),
        key=lambda r: r[0] - r[1],
    )
    assert looped.count("┃") == last - first + 1
    assert "┃" not in straight
    assert shown.html().count(MARK["almost"]) == looped.count("┃")
    assert str(shown) == str(Listings([("gcc -O2", ARM, "bit_loop"), ("gcc -O2", ARM, "byte_shift")], "DSTS"))


def test_html_says_what_the_text_says() -> None:
    shown = Listings([("clang -O2", "x86-64", "bit_loop")], "LEN", "get")
    spans = re.findall(r"<span[^>]*>([^<]*)</span>", shown.html())
    assert spans == [line[2:] for line in shown.text().split("\n")[1:]]


def test_an_unknown_listing_is_refused() -> None:
    with pytest.raises(KeyError, match=r"listings\.txt"):
        Listings([("gcc -O2", ARM, "words")], "DSTS")


def test_answers() -> None:
    shown = answers([("gcc -O2", ARM), ("clang -O2", ARM)])
    assert shown.rows[0] == ["set\u00a0BYPASS", 1, "✓\u00a05\u00a0(6)", "✓\u00a04\u00a0(5)"]
    assert [row[1] for row in shown.rows] == [1, 3, 3, 9, 10, 17, 32, 4, 14, 32]
    assert ["set\u00a0DSTS", 9, "↻\u00a062\u00a0(11)", "≡\u00a026\u00a0(10)"] in shown.rows
    assert ["get\u00a0TIMESTAMP", 32, "↻\u00a0267\u00a0(22)", "≡\u00a019\u00a0(4)"] in shown.rows


def test_headers() -> None:
    columns = [("gcc -O2", ARM), ("clang -O2", ARM)]
    sent = headers(columns, "TX5", "set")
    assert sent.rows[0] == ["general\u00a0routine", "1045 → 43", "1273 → 41"]
    assert sent.rows[-2:] == [["constant\u00a0words", "– → 23", "– → 21"], ["template", "– → 32", "– → 10"]]
    assert [row[0].replace("\u00a0", " ") for row in sent.rows] == list(instructions.FORMS.values())
    read = headers(columns, "RX3", "read")  # there is no template for reading, and v2 left the getter alone
    assert [row[0].replace("\u00a0", " ") for row in read.rows] == [
        "general routine",
        "bit loop",
        "byte shift",
        "constant words",
    ]
    assert read.rows[1] == ["bit\u00a0loop", "586 → 390", "573 → 45"]


def test_savings() -> None:
    """7022 ns at 600 MHz are 4213 cycles: 7.9 for each of 534 instructions."""
    shown = savings(ARM, 600)
    assert shown.rows[0] == ["transmit: general routine to v1", 7022, 534, "7.9", 773, "5.5"]
    assert shown.rows[-1] == ["receive: general routine to v1", 204, 166, "0.7", 337, "0.4"]


def test_cures() -> None:
    shown = cures([("gcc -O2", "x86-64"), ("gcc -O2", ARM), ("clang -O2", ARM)])
    assert shown.rows[0] == ["published", "0x12340000", "0x12340000", "0x12340000", "0x12340000"]
    assert shown.rows[3][1:] == ["0x80000000", "0x180000000", "0x0", "0x90100"]
    assert [row[0] for row in shown.rows[::2]] == list(instructions.GETTERS.values())
