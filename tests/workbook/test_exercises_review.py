"""The check of the capstone: good reviews pass, and each bad one gets the sentence that it deserves."""

from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pytest

from lan966x_lab.measure.counted.sixth import REPAIRS, Poll, run, waiting
from lan966x_lab.measure.counted.sixth import SECOND as S
from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.exercises.review import KEYS, poll_picture, repairs_table, review_check

GOOD = {
    "fails_at": (5 * S, [5 * S - 1_000, 5 * S + 9_000]),
    "saved_accesses": {1: 0, 8: 35, 64: 315},
    "saved_ns": 3_050,
    "repair": "read after the last frame",
    "verdict": "change",
}


def test_a_good_review_passes():
    verdict = review_check(GOOD)
    assert verdict.rung is Rung.RIGHT
    assert verdict.total == 5
    in_mid_poll = (8 * S - 5_000, (8 * S - 9_000, 8 * S + 3_000))
    assert review_check({**GOOD, "fails_at": in_mid_poll, "saved_ns": 3_090.5})


@pytest.mark.parametrize("ns", [3_000, 3_100, 3_050, 3_054.9, 3000.0, Fraction(6_101, 2), np.float64(3_060)])
def test_a_time_may_be_rounded_and_be_any_number(ns):
    """The figures allow 3,012.6 to 3,097.2 ns: 3,000 stands for 2,500 to 3,500."""
    assert review_check({**GOOD, "saved_ns": ns}), review_check({**GOOD, "saved_ns": ns}).text()


@pytest.mark.parametrize(
    "ns", [2_000, 4_000, 10_000, 3_500, 3_001, 3_010 - 7, 3_440, 0, -3_000, float("inf")]
)
def test_a_time_that_rounding_does_not_reach_is_wrong(ns):
    assert review_check({**GOOD, "saved_ns": ns}).rung is Rung.WRONG


def test_a_poll_is_a_poll():
    assert review_check({**GOOD, "fails_at": Poll(5 * S, (5 * S - 1_000, 5 * S + 9_000))})


def test_the_stub_is_not_started():
    stub = {
        "fails_at": (..., [...]),
        "saved_accesses": {1: ..., 8: ..., 64: ...},
        "saved_ns": ...,
        "repair": ...,
        "verdict": ...,
    }
    for start in (stub, dict.fromkeys(KEYS, ...)):
        verdict = review_check(start)
        assert verdict.rung is Rung.NOT_STARTED
        assert "fill in 'fails_at'" in verdict.text()
    half = review_check({**GOOD, "saved_accesses": {1: 0, 8: ..., 64: 315}})
    assert half.rung is Rung.NOT_STARTED
    assert "fill in 'saved_accesses'" in half.text()
    assert review_check({**GOOD, "repair": ...}).rung is Rung.NOT_STARTED
    assert review_check({"__name__": "notebook"}).rung is Rung.NOT_DEFINED


@pytest.mark.parametrize(
    ("key", "value", "step", "said"),
    [
        ("fails_at", (8 * S + 3_000, [8 * S - 2_000, 8 * S + 1_000]), 1, "full_time copes with a second"),
        ("fails_at", (5 * S, [5 * S + 10]), 1, "let it arrive before begin_ns"),
        ("fails_at", (5 * S, [5 * S - 100, 5 * S + 100]), 1, "cannot happen on a wire"),
        ("fails_at", 5, 1, "keep the form that the stub has"),
        ("fails_at", (5 * S, 5 * S), 1, "keep the form that the stub has"),
        ("fails_at", (5 * S, [None]), 1, "cannot happen on a wire"),
        ("saved_accesses", {1: 5, 8: 40, 64: 320}, 2, "one frame has one reading"),
        ("saved_accesses", {1: 0, 8: 40, 64: 320}, 2, "one reading is left in every poll"),
        ("saved_accesses", {1: 0, 8: 35}, 2, "keep the form that the stub has"),
        ("saved_accesses", 35, 2, "keep the form that the stub has"),
        ("saved_accesses", {1: 0, 8: "35", 64: 315}, 2, "one reading is left in every poll"),
        ("saved_ns", 3_490, 3, "7 of 8 readings are saved, and 8 frames share that"),
        ("saved_ns", 24_400, 3, "7 of 8 readings are saved, and 8 frames share that"),
        ("saved_ns", "3050", 3, "give nanoseconds, a plain number"),
        ("saved_ns", True, 3, "give nanoseconds, a plain number"),
        ("saved_ns", float("nan"), 3, "7 of 8 readings"),
        ("repair", "read for each frame, as before", 4, "you ask the author to withdraw the patch"),
        ("repair", "never borrow a second", 4, "for a poll that begins before a second ends"),
        (
            "repair",
            "read again when the frame's nanosecond is larger",
            4,
            "draw it, with poll_picture(poll, repair)",
        ),
        ("repair", "make it right", 4, "copy the words from the table"),
        ("repair", ["x"], 4, "copy the words from the table"),
        ("verdict", "apply", 5, "you have shown a poll in which a frame gets a wrong time"),
        ("verdict", "reject", 5, "wait for a second version"),
        ("verdict", "LGTM", 5, "choose one of apply, change, reject"),
    ],
)
def test_a_wrong_review_is_told_why(key: str, value, step: int, said: str):
    verdict = review_check({**GOOD, key: value})
    assert verdict.rung is Rung.WRONG
    assert f"step {step} of 5" in verdict.text()
    assert said in verdict.text().split("Why: ")[1]


@pytest.mark.parametrize("review", [5, {}, {"verdict": "change"}, {**GOOD, "more": 1}])
def test_something_else_than_a_review_is_refused(review):
    verdict = review_check(review)
    assert verdict.rung is Rung.WRONG
    assert "no dictionary with the keys fails_at, saved_accesses, saved_ns, repair, verdict" in verdict.text()


def test_the_picture_shows_what_the_chip_says():
    good = poll_picture(waiting(8))
    ElementTree.fromstring(good.drawing())
    assert good.sentence == (
        "The poll takes 8 frames. As it is, the driver makes 40 register accesses for the clock, with the "
        "sixth patch 5. Both give every frame its time."
    )
    bad = poll_picture(Poll(5 * S, (5 * S - 1_000, 5 * S + 9_000, 5 * S + 30_000)))
    assert "The sixth patch gives 2 of them a wrong time, off by −1 s." in bad.sentence
    assert bad.drawing().count(">✗<") == 2
    assert "2 of 3 wrong" in bad.drawing()


@pytest.mark.parametrize("name", REPAIRS)
def test_the_picture_shows_a_repair(name: str):
    poll = Poll(8 * S - 5_000, (8 * S - 9_000, 8 * S + 3_000))
    picture, found = poll_picture(poll, name), run(REPAIRS[name], poll)
    ElementTree.fromstring(picture.drawing())
    assert ">your repair<" in picture.drawing()
    assert ">your repair<" not in poll_picture(poll).drawing()
    end = "gives every frame its time." if found.is_right else "of them a wrong time, off by −1 s."
    assert f"With your repair ({name}) it makes {found.accesses} and " in picture.sentence
    assert picture.sentence.endswith(end)


def test_a_repair_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no repair 'pray': choose from read for each frame"):
        poll_picture(waiting(2), "pray")


def test_the_table_counts_each_repair():
    assert [row[1] for row in repairs_table().rows] == [40, 5, 5, 5]
