"""The checks of notebook 02 on a right answer and on plausible wrong ones, with the sentence each gets."""

import pytest

from lan966x_lab import ifh
from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.exercises.header import first_wrong_check, set_field_check


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (..., Rung.NOT_DEFINED, "Next: move the time in the explorer"),
        (1 << 29, Rung.RIGHT, "right"),
        ((1 << 29) - 1, Rung.WRONG, "Why: this time comes back as it was; the first wrong one is later."),
        (999_999_999, Rung.WRONG, "Why: an earlier time is wrong, too; the first wrong one is earlier."),
        (0, Rung.WRONG, "Saw: 'no time in nanoseconds from 0 to 999,999,999, then right'"),
        ("2**29", Rung.WRONG, "Saw: \"no whole number: '2**29'\""),
    ],
)
def test_first_wrong(answer, rung, said):
    verdict = first_wrong_check({"__name__": "notebook", "first_wrong": answer})
    assert verdict.rung is rung
    assert said in verdict.text()
    assert str(1 << 29) not in verdict.text(), "the check must not give the answer away"


def by_byte_shift(header, pos, width, value):
    top = (1 << width) - 1
    if not 0 <= value <= top:
        raise ValueError(f"{value} does not fit into {width} bits")
    value, mask = value << pos % 8, top << pos % 8
    index = len(header) - 1 - pos // 8
    while mask:
        header[index] = header[index] & ~mask & 0xFF | value & 0xFF
        value, mask, index = value >> 8, mask >> 8, index - 1


def only_ors(header, pos, width, value):
    field = ifh.Field("X", pos, width)
    field.check(value)
    ifh.PUBLISHED["bit_loop_v1"].set(header, field, value)


def clears_whole_bytes(header, pos, width, value):
    field = ifh.Field("X", pos, width)
    field.check(value)
    for index in field.bytes_in(len(header)):
        header[index] = 0
    ifh.CODECS["bit_loop"].set(header, field, value)


def masks_what_does_not_fit(header, pos, width, value):
    by_byte_shift(header, pos, width, value & ((1 << width) - 1))


def refuses_too_late(header, pos, width, value):
    header[len(header) - 1 - pos // 8] |= value << pos % 8 & 0xFF
    by_byte_shift(header, pos, width, value)


def accepts_negative(header, pos, width, value):
    if value >> width > 0:
        raise ValueError(value)
    by_byte_shift(header, pos, width, value & ((1 << width) - 1))


def always_28(header, pos, width, value):
    copy = bytearray(28 - len(header)) + header
    by_byte_shift(copy, pos, width, value)
    header[:] = copy[: len(header)]


def returns_a_copy(header, pos, width, value):
    copy = bytearray(header)
    by_byte_shift(copy, pos, width, value)
    return copy


def not_started(header, pos, width, value):
    raise NotImplementedError("replace the field")


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (by_byte_shift, Rung.RIGHT, "Visible checks passed (8)."),
        (not_started, Rung.NOT_STARTED, "It says: replace the field"),
        (returns_a_copy, Rung.WRONG, "Why: nothing has changed; work on the header that you are given"),
        (only_ors, Rung.WRONG, "Why: a set that only ORs never clears"),
        (clears_whole_bytes, Rung.WRONG, "Why: the neighbours in bytes 19 and 20 are gone"),
        (masks_what_does_not_fit, Rung.WRONG, "Why: the call went through; raise ValueError"),
        (refuses_too_late, Rung.WRONG, "Why: refused, but argument 1 was changed"),
        (accepts_negative, Rung.ALMOST, "7 of 8 steps pass; step 7 is an edge case."),
        (always_28, Rung.ALMOST, "7 of 8 steps pass; step 8 is an edge case."),
    ],
)
def test_set_field(answer, rung, said):
    verdict = set_field_check(answer)
    assert said in verdict.text(), verdict.text()
    assert verdict.rung is rung


def test_the_byte_before_the_header():
    def too_far(header, pos, width, value):
        by_byte_shift(header, pos, width, value)
        if pos + width == 8 * len(header):
            header[-1] = 0

    assert "Why: another byte has changed, the last one? Index −1 is" in set_field_check(too_far).text()
