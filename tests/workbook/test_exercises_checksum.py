"""The exercise of notebook 07: a good answer passes, each bad one gets the sentence that it deserves."""

from collections.abc import Callable

import pytest

from lan966x_lab.net import checksum
from lan966x_lab.workbook.checks import Rung
from lan966x_lab.workbook.exercises.checksum import segments, survey, tell_check

CAPTURES = ["iperf3-tcp4-csum-ok", "iperf3-tcp4-csum-partial", "iperf3-tcp6-csum-ok"]


def field(segment: bytes, order: str = "big") -> int:
    return int.from_bytes(segment[16:18], order)


def good(segment: bytes, pseudo: int) -> str:
    if checksum.ones_sum(segment, pseudo) == 0xFFFF:
        return "right"
    return "partial" if field(segment) == pseudo else "wrong"


def without_pseudo_header(segment: bytes, pseudo: int) -> str:
    return "right" if checksum.internet_checksum(segment) == 0 else "wrong"


def never_partial(segment: bytes, pseudo: int) -> str:
    return "right" if checksum.ones_sum(segment, pseudo) == 0xFFFF else "wrong"


def partial_first(segment: bytes, pseudo: int) -> str:
    return "partial" if field(segment) == pseudo else never_partial(segment, pseudo)


def either_order(segment: bytes, pseudo: int) -> str:
    told = good(segment, pseudo)
    return "partial" if told == "wrong" and field(segment, "little") == pseudo else told


def never_right(segment: bytes, pseudo: int) -> str:
    return "partial" if field(segment) == pseudo else "wrong"


def stub(segment: bytes, pseudo: int) -> str:
    raise NotImplementedError("compare the sum with 0xffff")


BAD = [
    (without_pseudo_header, Rung.WRONG, "the sum is 0xffff"),
    (never_right, Rung.WRONG, "the sum is 0xffff"),
    (never_partial, Rung.WRONG, "bytes 16 and 17 hold the sum of the pseudo-header"),
    (partial_first, Rung.ALMOST, "first ask whether it is right"),
    (either_order, Rung.ALMOST, "the field is big-endian"),
]


def test_a_good_answer_passes() -> None:
    assert tell_check(good).text() == "tell: right. Visible checks passed (7)."


@pytest.mark.parametrize(("answer", "rung", "why"), BAD)
def test_a_bad_answer_gets_its_sentence(answer: Callable[[bytes, int], str], rung: Rung, why: str) -> None:
    verdict = tell_check(answer)
    assert verdict.rung is rung
    assert why in verdict.lines[-1]


def test_the_stub_and_nothing_at_all() -> None:
    assert tell_check(stub).rung is Rung.NOT_STARTED
    assert tell_check({"__name__": "notebook"}).rung is Rung.NOT_DEFINED


def test_segments_are_those_that_a_receiver_gets() -> None:
    for capture in CAPTURES:
        some = segments(capture)
        sums = {checksum.ones_sum(*segment) for segment in some}
        assert (sums == {0xFFFF}) == ("partial" not in capture)
        assert len(some) in (200, 300)


def test_survey_of_a_good_answer_a_bad_one_and_none() -> None:
    lab = [["300 right", "300 of 300"], ["200 partial", "200 of 200"], ["300 right", "300 of 300"]]
    assert [row[2:] for row in survey(good, CAPTURES).rows] == lab
    assert [row[1] for row in survey(good, CAPTURES).rows] == [row[0] for row in lab]
    bad = survey(never_partial, CAPTURES).rows[1]
    assert bad[1:] == ["200 wrong", "200 partial", "0 of 200"]
    assert {row[1] for row in survey(stub, CAPTURES).rows} == {"not started"}
