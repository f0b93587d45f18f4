"""Prediction gates, driven by their traits."""

import re

import pytest

from lan966x_lab import workbook as wb

OPTIONS = [("28 <bytes>", "224 / 8 = 28."), ("32", "That is 256 bits."), ("30", "Nobody says so.")]


def gate(opens: wb.Twin | str | None = None) -> wb.Gate:
    return wb.Gate("How many bytes are 224 bits?", OPTIONS, 0, opens)


def shown(gate: wb.Gate) -> str:
    return str(gate.children[-1].value)


def words(gate: wb.Gate) -> str:
    return re.sub(r"<[^>]*>", " ", shown(gate))


def test_nothing_is_given_away_before() -> None:
    closed = gate(wb.evidence("counted"))
    assert all(reason not in repr(closed) + shown(closed) for _, reason in OPTIONS)
    assert "counted" not in shown(closed)
    assert closed.picked is None


@pytest.mark.parametrize(
    ("pick", "said"), [(0, "You said A, and that is right."), (1, "You said B; the answer is A.")]
)
def test_locking_shows_every_reason(pick: int, said: str) -> None:
    opened = gate()
    _, radio, button, _ = opened.children
    radio.value = pick
    assert "You said" not in shown(opened), "picking is not locking"
    button.click()
    assert said in words(opened)
    assert all(reason in words(opened) for _, reason in OPTIONS)
    assert words(opened).count("✓ right") == 1
    assert words(opened).count("✗ wrong") == 2
    assert "28 &lt;bytes&gt;" in shown(opened)
    assert radio.disabled
    assert button.disabled


def test_the_first_prediction_stays() -> None:
    opened = gate()
    opened.lock(1)
    before = shown(opened)
    opened.lock(0)
    assert opened.picked == 1
    assert shown(opened) == before
    assert opened.children[1].value == 1


def test_locking_without_a_pick_says_what_to_do() -> None:
    closed = gate()
    closed.children[2].click()
    assert "Pick an option first" in shown(closed)
    assert closed.picked is None


def test_two_gates_share_nothing() -> None:
    one, two = gate(), gate()
    one.lock(0)
    assert two.picked is None
    assert "You said" not in shown(two)


@pytest.mark.parametrize(
    ("opens", "html"),
    [
        (wb.evidence("counted"), ">counted</span>"),
        ("So <it> is.", "<p>So &lt;it&gt; is.</p>"),
        (None, "</div>"),
    ],
)
def test_the_answer_opens_what_follows(opens: wb.Twin | str | None, html: str) -> None:
    opened = gate(opens)
    opened.lock(2)
    assert shown(opened).endswith(html)
    assert (str(opens) in opened.text(reveal=True)) == (opens is not None)


def test_plain_text_forms() -> None:
    assert gate().text() == "Predict: How many bytes are 224 bits?\n  A. 28 <bytes>\n  B. 32\n  C. 30"
    assert "     right: 224 / 8 = 28.\n" in gate().text(reveal=True)
    assert gate()._repr_mimebundle_()["text/plain"] == gate().text()
    long = wb.Gate("why " * 40, [("word " * 40, "because " * 30), ("b", "no")], 1)
    assert max(map(len, long.text(reveal=True).splitlines())) <= 100


@pytest.mark.parametrize(
    ("options", "answer", "message"),
    [
        (OPTIONS[:1], 0, "two options or more"),
        ([("a", "b"), ("c", "")], 0, "each with a text and a reason"),
        (OPTIONS, 3, "answer = 3 is none of the options 0 to 2"),
        (OPTIONS, -1, "answer = -1"),
    ],
)
def test_wrong_calls_are_refused(options: list[tuple[str, str]], answer: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wb.Gate("?", options, answer)


def test_locking_an_option_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="option 7 does not exist; use 0 to 2"):
        gate().lock(7)
