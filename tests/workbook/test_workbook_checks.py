"""Each rung of the ladder, with the very sentences that a learner reads."""

from typing import Any

import numpy as np
import pytest

from lan966x_lab import workbook as wb

DOUBLE = wb.Check(
    "double",
    [
        wb.Step(
            6,
            (3,),
            mistakes=[
                (9, "that squares it."),
                (lambda seen: isinstance(seen, int) and seen < 0, "the sign."),
            ],
        ),
        wb.Step(8, (4,)),
        wb.Step(0, (0,), edge=True),
    ],
    hint="use one multiplication.",
)


def judge(check: wb.Check, answer: Any) -> wb.Verdict:
    verdict = check(answer)
    assert str(verdict) == str(check(answer)), "the same answer gets the same sentences"
    return verdict


def test_not_defined() -> None:
    for answer in ({"__name__": "__main__"}, None, ..., {"double": None}, {"double": ...}):
        verdict = judge(DOUBLE, answer)
        assert verdict.rung is wb.Rung.NOT_DEFINED
        assert verdict.lines[0] == "double: not defined."
        assert verdict.lines[-1] == "Next: use one multiplication."
    assert "Run the cell that defines it." in judge(DOUBLE, {"__name__": "__main__"}).lines
    assert "It still holds ..., and waits for your answer." in judge(DOUBLE, ...).lines


def test_not_started() -> None:
    def double(x: int) -> int:
        raise NotImplementedError("return twice x")

    verdict = judge(DOUBLE, double)
    assert verdict.rung is wb.Rung.NOT_STARTED
    assert str(verdict) == "double: not started.\nIt says: return twice x\nNext: use one multiplication."


@pytest.mark.parametrize(
    ("answer", "saw", "why"),
    [
        (lambda x: x * x, "Saw: 9", "Why: that squares it."),
        (lambda x: -2 * x, "Saw: -6", "Why: the sign."),
        (lambda x: x + 1, "Saw: 4", None),
        (lambda x: None, "Saw: None", "Why: the function returned nothing; does it end with return?"),
        (lambda x: 2.0 * x, "Saw: 6.0", "Why: it is a float, and an int is asked for."),
        (lambda x: str(2 * x), "Saw: '6'", "Why: it is a str, and an int is asked for."),
    ],
)
def test_wrong_with_a_diagnosis(answer: Any, saw: str, why: str | None) -> None:
    verdict = judge(DOUBLE, answer)
    assert verdict.rung is wb.Rung.WRONG
    assert verdict.lines[:4] == ("double: wrong, step 1 of 3.", "Did: double(3)", "Should have seen: 6", saw)
    assert verdict.lines[4:] == ((why,) if why else ())
    assert not verdict


def test_wrong_later_names_the_step() -> None:
    verdict = judge(DOUBLE, lambda x: 6 if x == 3 else 1)
    assert verdict.lines[0] == "double: wrong, step 2 of 3."
    assert (verdict.passed, verdict.total) == (1, 3)


def test_almost() -> None:
    verdict = judge(DOUBLE, lambda x: 2 * x or None)
    assert verdict.rung is wb.Rung.ALMOST
    assert verdict.lines[0] == "double: almost, 2 of 3 steps pass; step 3 is an edge case."
    assert "Did: double(0)" in verdict.lines


def test_a_plain_failure_is_told_before_an_edge_case() -> None:
    check = wb.Check("f", [wb.Step(0, (0,), edge=True), wb.Step(2, (1,))])
    assert judge(check, lambda x: 1).lines[0] == "f: wrong, step 2 of 2."


@pytest.mark.parametrize("answer", [lambda x: 2 * x, lambda x: np.int64(2 * x), {"double": lambda x: x + x}])
def test_right(answer: Any) -> None:
    verdict = judge(DOUBLE, answer)
    assert verdict.rung is wb.Rung.RIGHT
    assert str(verdict) == "double: right. Visible checks passed (3)."
    assert verdict
    verdict.require()


def test_grading_raises_the_same_sentences() -> None:
    verdict = judge(DOUBLE, lambda x: x * x)
    with pytest.raises(AssertionError) as raised:
        verdict.require()
    assert str(raised.value) == str(verdict)


def test_an_exception_is_one_line_with_its_place() -> None:
    def double(x: int) -> int:
        y = x
        return y // (y - y)

    saw = (
        "Saw: ZeroDivisionError: integer division or modulo by zero, in line 3 of double: return y // (y - y)"
    )
    assert judge(DOUBLE, double).lines[3] == saw


def test_an_exception_in_a_helper_and_in_a_builtin() -> None:
    def helper(x: int) -> int:
        return [1][x]

    assert (
        "IndexError: list index out of range, in helper: return [1][x]"
        in judge(DOUBLE, lambda x: helper(x)).lines[3]
    )
    assert judge(DOUBLE, int.from_bytes).lines[3].startswith("Saw: TypeError: ")


def test_a_wrong_number_of_parameters_is_told() -> None:
    assert "takes 0 positional arguments but 1 was given" in judge(DOUBLE, lambda: 1).lines[3]


def test_no_function_at_all() -> None:
    assert str(judge(DOUBLE, 6)) == "double: wrong. It is an int, and a function is asked for."


def test_changed_arguments_are_found() -> None:
    check = wb.Check("total", [wb.Step(6, ([1, 2, 3],))])

    def total(values: list[int]) -> int:
        return sum(values.pop() for _ in range(3))

    verdict = judge(check, total)
    assert verdict.rung is wb.Rung.WRONG
    assert verdict.lines[1] == "Did: total([1, 2, 3])"
    assert verdict.lines[-1] == (
        "Why: the value is right, but argument 1 was changed; leave it as it was: [1, 2, 3]."
    )
    assert judge(check, total).rung is wb.Rung.WRONG, "the check's own arguments are not spoilt"
    assert judge(check, sum)


def test_work_in_place_is_looked_at() -> None:
    step = wb.Step(
        b"\x01\x02",
        (bytearray(2),),
        did="write 0x0102 into two zeroed bytes",
        look=lambda result, args: args[0],
        changes=(0,),
    )
    check = wb.Check("write", [step])

    def write(buffer: bytearray) -> None:
        buffer[:] = b"\x01\x02"

    assert judge(check, write)
    lines = judge(check, lambda buffer: None).lines
    assert lines[1:] == (
        "Did: write 0x0102 into two zeroed bytes",
        "Should have seen: 2 bytes 01 02",
        "Saw: 2 bytes 00 00",
        "Why: byte 0 is the first that differs: 0x00 instead of 0x01.",
    )
    assert (
        judge(check, lambda buffer: buffer.append(1)).lines[-1] == "Why: the length is 3, and 2 is asked for."
    )


def test_plain_values_are_checked_too() -> None:
    check = wb.Check("answer", [wb.Step(224, None)])
    assert judge(check, {"answer": 224})
    assert judge(check, 224)
    assert (
        str(judge(check, 28))
        == "answer: wrong, step 1 of 1.\nDid: looked at answer\nShould have seen: 224\nSaw: 28"
    )
    assert judge(wb.Check("table", [wb.Step({"a": 1}, None)]), {"a": 1}), "a dict that is the answer itself"


@pytest.mark.parametrize(
    ("want", "seen", "same"),
    [
        (1, True, False),
        (True, 1, False),
        (True, np.True_, True),
        (2, 2.0, False),
        (2.0, np.float64(2), True),
        (b"a", bytearray(b"a"), True),
        ([1, 2], [1, 2], True),
        ([1, 2], (1, 2), False),
        ([1, 2], [1, True], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"b": 1}, False),
        (np.array([1, 2]), np.array([1, 2]), True),
        (np.array([1, 2]), np.array([1, 3]), False),
        (np.array([1], dtype=np.uint8), np.array([1], dtype=np.uint16), False),
        (np.array([1]), [1], False),
        ("a", "a", True),
        (None, None, True),
    ],
)
def test_same_in_value_and_in_kind(want: Any, seen: Any, same: bool) -> None:
    check = wb.Check("f", [wb.Step(want, ())])
    assert bool(judge(check, lambda: seen)) is same


def test_values_are_shown_the_same_on_every_run() -> None:
    class Thing:
        pass

    lines = judge(DOUBLE, lambda x: Thing()).lines
    assert lines[3] == "Saw: a Thing"
    assert judge(DOUBLE, lambda x: bytes(40)).lines[3] == "Saw: 40 bytes " + "00 " * 32 + "…"
    assert len(judge(DOUBLE, lambda x: "y" * 999).lines[3]) < 220
    assert judge(DOUBLE, lambda x: np.int64(5)).lines[3] == "Saw: 5"


def test_html_twin_says_the_same_and_is_escaped() -> None:
    verdict = judge(DOUBLE, lambda x: "<b>")
    html = verdict._repr_mimebundle_()["text/html"]
    assert "&lt;b&gt;" in html
    assert "<b>" not in html
    for line in verdict.lines[:3]:
        assert line in html


def test_a_check_without_steps_is_refused() -> None:
    with pytest.raises(ValueError, match="a check that cannot fail checks nothing"):
        wb.Check("f", [])
