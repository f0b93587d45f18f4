"""Checks that ask for a refusal, and checks that look at a plain value."""

import pytest

from lan966x_lab.workbook import Check, Rung, Step

REFUSES = Check("put", [Step(ValueError, (bytearray(2), 256), changes=(0,))])


def put(header, value):
    if value > 255:
        raise ValueError("too large")
    header[0] = value


def goes_through(header, value):
    header[0] = value & 255


def changes_first(header, value):
    header[0] = 1
    put(header, value)


def raises_another(header, value):
    raise KeyError(value)


@pytest.mark.parametrize(
    ("answer", "rung", "said"),
    [
        (put, Rung.RIGHT, "Visible checks passed (1)."),
        (
            goes_through,
            Rung.WRONG,
            "Why: the call went through; raise ValueError before anything is changed.",
        ),
        (
            changes_first,
            Rung.WRONG,
            "Why: refused, but argument 1 was changed; leave it as it was: 2 bytes 00 00.",
        ),
        (raises_another, Rung.WRONG, "Saw: KeyError: 256"),
    ],
)
def test_a_refusal_is_asked_for(answer, rung, said):
    verdict = REFUSES(answer)
    assert verdict.rung is rung
    assert said in verdict.text()
    if rung is Rung.WRONG:
        assert "Should have seen: ValueError" in verdict.text()


def test_an_error_is_no_refusal_when_a_value_is_asked_for():
    verdict = Check("put", [Step(bytearray(2), (bytearray(2), 256))])(put)
    assert "Saw: ValueError: too large" in verdict.text()


def test_a_plain_value_is_looked_at():
    check = Check("turn", [Step("odd", None, look=lambda value, args: "odd" if value % 2 else f"even{args}")])
    assert check(3)
    assert "Saw: 'even()'" in check(4).text()
