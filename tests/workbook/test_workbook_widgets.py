"""Explorers without a browser: the test moves the traits that a learner's keys move."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from traitlets import TraitError

from lan966x_lab import workbook as wb


class Bits(wb.Explorer):
    """A byte: a number, the same as text, and a button that empties it."""

    def __init__(self, start: int = 5) -> None:
        self.drawn = 0
        self.value = wb.number("Value", start, 0, 255, tip="the byte to draw")
        self.typed = wb.text("As text", str(start))
        self.upper = wb.switch("Upper case")
        self.base = wb.choice("Base", {"ten": "d", "two": "b"})
        self.clear = wb.button("Clear")
        super().__init__("A <byte>", [self.value, self.typed, [self.upper, self.base], self.clear])
        self.when(self.typed, self.take)
        self.when(self.value, lambda: setattr(self.typed, "value", str(self.value.value)))
        self.when(self.clear, lambda: setattr(self.value, "value", 0))

    def take(self) -> None:
        self.value.value = wb.whole(self.typed.value, "Value", 0, 255)

    def draw(self) -> wb.Picture:
        self.drawn += 1
        value = self.value.value
        if value == 66:
            raise KeyError("66 is not drawn; use another value")
        if value == 99:
            raise RuntimeError("a fault")
        svg = wb.Svg(100, 40, "byte")
        svg.text(5, 20, format(value, self.base.value))
        return wb.Picture(svg, f"The value is {value:{self.base.value}}.")


def shown(explorer: wb.Explorer) -> tuple[str, str]:
    """What the picture and the status line hold for the browser."""
    *_, frame, status = explorer.children
    return frame.value, re.sub("<[^>]*>", "", status.value)


def test_every_kind_of_control_redraws_once() -> None:
    bits, same = Bits(), "Upper case: the picture stays as it is. "
    moves: list[tuple[Callable[[], Any], str]] = [
        (lambda: setattr(bits.value, "value", 6), "The value is 6."),
        (lambda: setattr(bits.typed, "value", "0x1f"), "The value is 31."),
        (lambda: setattr(bits.base, "value", "b"), "The value is 11111."),
        (lambda: setattr(bits.upper, "value", True), f"{same}The value is 11111."),
        (lambda: bits.clear.click(), "The value is 0."),
        (lambda: bits.redraw(), "The value is 0."),
    ]
    for move, sentence in moves:
        before = bits.drawn
        move()
        assert bits.drawn == before + 1, sentence
        assert shown(bits) == (bits.static().drawing(), sentence)
        assert bits.status == sentence
        assert bits.static().sentence == sentence.removeprefix(same)


def test_a_control_without_effect_is_answered() -> None:
    bits = Bits()
    bits.typed.value = "nonsense"
    bits.upper.value = True  # the trouble is over, and that is news
    assert bits.status == "The value is 5."
    for _ in range(2):
        bits.upper.value = not bits.upper.value
        assert bits.status == "Upper case: the picture stays as it is. The value is 5."
    bits.typed.value = "5"
    assert bits.status == "As text: the picture stays as it is. The value is 5."
    bits.redraw()
    assert bits.status == "The value is 5."


def test_two_instances_share_nothing() -> None:
    one, two = Bits(1), Bits(2)
    before = shown(two)
    one.value.value = 77
    one.typed.value = "nonsense"
    assert shown(two) == before
    assert "77" in shown(one)[0]
    two.value.value = 3
    assert "nonsense" in shown(one)[1]


@pytest.mark.parametrize("typed", ["", "x", "0x", "1e3", "-1", "256", "0x100", "5.0", "٣٣٣", "<b>"])
def test_bad_text_keeps_the_last_good_picture(typed: str) -> None:
    bits = Bits()
    bits.value.value = 7
    good = shown(bits)[0]
    bits.typed.value = typed
    picture, status = shown(bits)
    assert picture == good
    assert status.startswith("Value = ")
    assert "from 0 to 255" in status, "the allowed range"
    assert status.endswith("The picture shows the last good view.")
    assert bits.static().sentence == "The value is 7."
    bits.typed.value = "8"
    assert shown(bits)[1] == "The value is 8."


def test_what_cannot_be_drawn_is_said() -> None:
    bits = Bits()
    bits.value.value = 66
    assert bits.status == "66 is not drawn; use another value. The picture shows the last good view."


def test_a_fault_of_the_lab_is_not_hidden() -> None:
    bits = Bits()
    with pytest.raises(RuntimeError, match="a fault"):
        bits.value.value = 99
    assert bits.status == "The lab itself failed here: RuntimeError: a fault. Please report it."
    bits.value.value = 1
    assert bits.status == "The value is 1."


def test_whole_reads_what_learners_type() -> None:
    assert [wb.whole(text, "V", 0, 300) for text in ("12", " 0x1F ", "0b101", "1 00", "0o17", "1_0")] == [
        12,
        31,
        5,
        100,
        15,
        10,
    ]
    with pytest.raises(ValueError, match=r"^V = 301 does not fit; type a number from 0 to 300 \(0x12c\)$"):
        wb.whole("301", "V", 0, 300)
    with pytest.raises(ValueError, match=r"^V = 'abc' is no whole number; type one from 0 to 300 \(0x12c\)$"):
        wb.whole("abc", "V", 0, 300)


def test_number_stays_in_its_range() -> None:
    field = wb.number("Value", 5, 0, 255)
    field.value = 999
    assert field.value == 255
    assert field.description == "Value (0–255)"


@pytest.mark.parametrize(
    "control",
    [wb.number("N", 1, 0, 2), wb.choice("N", [1, 2], 2), wb.text("N"), wb.switch("N"), wb.button("N")],
)
def test_controls_have_names_and_tips(control: Any) -> None:
    assert control.description.startswith("N")
    assert control.tooltip == "N"


def test_choice_takes_values_or_labels() -> None:
    assert wb.choice("N", [3, 4]).value == 3
    assert wb.choice("N", {"three": 3, "four": 4}, 4).value == 4
    with pytest.raises(TraitError, match="Invalid selection"):
        wb.choice("N", [3, 4], 9)


def test_rows_follow_the_order_given() -> None:
    bits = Bits()
    _, first, second, third, _, _ = bits.children
    assert list(first.children) == [bits.value, bits.typed]
    assert list(second.children) == [bits.upper, bits.base]
    assert list(third.children) == [bits.clear]
    assert "lab-explorer" in bits._dom_classes


def test_text_twin_is_short_and_whole() -> None:
    bits = Bits()
    assert repr(bits) == "A <byte>. The value is 5."
    data = bits._repr_mimebundle_()
    assert data["text/plain"] == repr(bits)
    assert "application/vnd.jupyter.widget-view+json" in data


def test_size_does_not_jump() -> None:
    bits = Bits()
    *_, frame, status = bits.children
    assert frame.layout.min_height == "44px"
    assert "min-height" in status.value

    class Plot(wb.Explorer):
        def __init__(self) -> None:
            super().__init__("A plot", [])

        def draw(self) -> wb.Picture:
            return wb.Picture(wb.figure(200, 100)[0], "Nothing.")

    *_, frame, _ = Plot().children
    assert frame.layout.min_height == "104px"
    assert frame.value.startswith("<img alt")


def test_an_explorer_without_draw_says_so() -> None:
    with pytest.raises(NotImplementedError, match="Explorer does not draw yet"):
        wb.Explorer("Nothing", [])
