"""Panels of machine code and their tables: the same in HTML and in text, the loops marked."""

import re

import pytest

from lan966x_lab.measure import instructions
from lan966x_lab.workbook.listings import Listings, answers, headers
from lan966x_lab.workbook.palette import MARK

ARM = "ARMv7-A"


def test_loops_are_marked_in_both_forms() -> None:
    shown = Listings([("gcc -O2", ARM, "bit_loop"), ("gcc -O2", ARM, "byte_shift")], "DSTS")
    looped, straight = shown.text().split("\n\n")
    assert looped.startswith("bit loop, gcc -O2: 157 executed, with loop\n")
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
    shown = answers([("gcc -O2", ARM), ("clang -O2", ARM)], [("set", "DSTS", 9), ("get", "TIMESTAMP", 32)])
    assert shown.rows == [
        ["set DSTS", 9, "loop: 157 (11)", "unrolled: 26 (10)"],
        ["get TIMESTAMP", 32, "loop: 488 (22)", "loop: 296 (4)"],
    ]


def test_headers() -> None:
    shown = headers([("gcc -O2", ARM)], ["TX5", "RX3"])
    assert ["general routine", "run-time", "757 / 583"] in shown.rows
    assert ["template", "constant", "32 / –"] in shown.rows
    assert len(shown.rows) == 10
