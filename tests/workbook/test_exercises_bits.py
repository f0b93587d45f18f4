"""The check of notebook 01 on right answers and on plausible wrong ones, with the sentence each gets."""

import pytest

from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.exercises.bits import get_field_check


def right(header, pos, width):
    return int.from_bytes(header, "big") >> pos & (1 << width) - 1


def byte_by_byte(header, pos, width):
    value = 0
    for j in range(pos + width - 1, pos - 1, -1):
        value = value << 1 | header[len(header) - 1 - j // 8] >> j % 8 & 1
    return value


def signed(header, pos, width):
    value = right(header, pos, width)
    return value - (1 << width) if width == 32 and value >> 31 else value


def not_started(header, pos, width):
    raise NotImplementedError("return the bits")


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (right, Rung.RIGHT, "Visible checks passed (8)."),
        (byte_by_byte, Rung.RIGHT, "right"),
        (not_started, Rung.NOT_STARTED, "Next: turn the bytes into one number"),
        (lambda h, p, w: int.from_bytes(h, "big") >> p, Rung.WRONG, "keep the lowest 3 of them"),
        (lambda h, p, w: int.from_bytes(h, "big") & ((1 << w) - 1) << p, Rung.WRONG, "shift it down"),
        (
            lambda h, p, w: int.from_bytes(h, "little") >> p & (1 << w) - 1,
            Rung.WRONG,
            "byte 0 is the highest",
        ),
        (
            lambda h, p, w: h[len(h) - 1 - p // 8] >> p % 8 & (1 << w) - 1,
            Rung.WRONG,
            "the field goes on in the byte before it",
        ),
        (signed, Rung.WRONG, "a field is never negative"),
        (lambda h, p, w: right(h.ljust(28, b"\0"), p, w), Rung.ALMOST, "this header has another length"),
        (lambda h, p, w: right(h, p, w) & 2**64 - 1, Rung.ALMOST, "the whole header as one field"),
    ],
)
def test_get_field(answer, rung, said):
    verdict = get_field_check(answer)
    assert verdict.rung is rung
    assert said in verdict.text()
