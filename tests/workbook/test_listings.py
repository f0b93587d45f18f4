"""Panels of machine code and their tables: the same in HTML and in text, the loops marked."""

import re

import pytest

from lan966x_lab.measure.counted import instructions
from lan966x_lab.workbook.figures.listings import Listings, answers, headers, savings
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
    assert [row[1] for row in shown.rows] == [1, 3, 3, 9, 10, 17, 32, 4, 14, 32]
    assert ["set DSTS", 9, "loop: 62\u00a0(11)", "unrolled: 26\u00a0(10)"] in shown.rows
    assert ["get TIMESTAMP", 32, "loop: 267\u00a0(22)", "unrolled: 19\u00a0(4)"] in shown.rows


def test_headers() -> None:
    shown = headers([("gcc -O2", ARM)], ["TX5", "RX3"])
    assert ["general routine", "run-time", "757/583"] in shown.rows
    assert ["template", "constant", "32/–"] in shown.rows
    assert len(shown.rows) == 10


def test_savings() -> None:
    """7022 ns at 600 MHz are 4213 cycles: 17.1 for each of 246 instructions."""
    shown = savings(ARM, 600)
    assert shown.rows[0] == ["transmit: general routine to v1", 7022, 246, "17.1", 332, "12.7"]
    assert shown.rows[-1] == ["receive: general routine to v1", 204, 6, "20.4", 39, "3.1"]
