"""Prediction gates: the learner commits to an answer before the lab shows it."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import ipywidgets

from .palette import MARK
from .svg import clean
from .twin import Twin


class Gate(ipywidgets.VBox):  # type: ignore[misc]
    """A question with options; every option carries the reason why it is right or wrong.

    The learner picks one and locks it in; then all reasons appear, and what the gate ``opens``. It asks, it
    does not block: Run All passes, and nothing later depends on the answer.

    >>> options = [("28", "224 / 8 = 28."), ("32", "That would be 256 bits.")]
    >>> gate = Gate("How many bytes are 224 bits?", options, answer=0)
    >>> gate.lock(1)
    >>> print(gate.text(reveal=True))
    Predict: How many bytes are 224 bits?
      A. 28
         right: 224 / 8 = 28.
      B. 32
         wrong: That would be 256 bits.

    Args:
        question: one sentence, plain text.
        options: (text, reason) pairs, at least two, plain text.
        answer: index of the right option.
        opens: what is shown below the reasons: a picture, a table, or a paragraph.

    Raises:
        ValueError: fewer than two options, an option without a reason, or ``answer`` names none of them.
    """

    def __init__(
        self, question: str, options: Sequence[tuple[str, str]], answer: int, opens: Twin | str | None = None
    ) -> None:
        if len(options) < 2 or not all(text and reason for text, reason in options):
            raise ValueError("a gate needs two options or more, each with a text and a reason")
        if answer not in range(len(options)):
            raise ValueError(f"answer = {answer} is none of the options 0 to {len(options) - 1}")
        self.question, self.options, self.answer, self.opens = question, list(options), answer, opens
        self.picked: int | None = None
        self._radio = ipywidgets.RadioButtons(
            options=[(f"{_letter(i)}. {text}", i) for i, (text, _) in enumerate(options)],
            value=None,
            layout={"width": "100%", "margin": "4px 0"},
        )
        self._button = ipywidgets.Button(description="Lock in my prediction", layout={"width": "max-content"})
        self._button.on_click(lambda _: self.lock())
        self._result = ipywidgets.HTML(layout={"width": "100%"})
        heading = ipywidgets.HTML(
            f'<div style="font-weight:600;line-height:1.4">Predict: {clean(question)}</div>'
        )
        super().__init__([heading, self._radio, self._button, self._result], layout={"max_width": "100%"})
        self.add_class("lab-gate")
        self._show('<div role="status" aria-live="polite"></div>')

    def lock(self, index: int | None = None) -> None:
        """Commit to option ``index``, or to the one picked on the screen; the first commitment stays."""
        if self.picked is not None:
            return
        index = self._radio.value if index is None else index
        if index is None:
            self._show(
                '<div role="status" aria-live="polite">Pick an option first: arrow keys, or a click.</div>'
            )
            return
        if index not in range(len(self.options)):
            raise ValueError(f"option {index} does not exist; use 0 to {len(self.options) - 1}")
        self.picked = index
        self._radio.value = index
        self._radio.disabled = self._button.disabled = True
        self._show(self._revealed(index))

    def text(self, reveal: bool = False) -> str:
        """The gate as plain text: the question and its options, with ``reveal`` also the reasons."""
        lines = [_wrap(f"Predict: {self.question}", 0)]
        for index, (text, reason) in enumerate(self.options):
            lines.append(_wrap(f"{_letter(index)}. {text}", 2))
            if reveal:
                lines.append(_wrap(f"{self._verdict(index)}: {reason}", 5))
        if reveal and self.opens is not None:
            lines.append(str(self.opens))
        return "\n".join(lines)

    def _verdict(self, index: int) -> str:
        return "right" if index == self.answer else "wrong"

    def _revealed(self, picked: int) -> str:
        hit = picked == self.answer
        said = f"You said {_letter(picked)}" + (
            ", and that is right." if hit else f"; the answer is {_letter(self.answer)}."
        )
        items = ""
        for index, (text, reason) in enumerate(self.options):
            colour, sign = (MARK["good"], "✓ right") if index == self.answer else (MARK["bad"], "✗ wrong")
            items += (
                f'<li style="border-left:4px solid {colour};padding:1px 8px;margin:4px 0;list-style:none">'
                f"<strong>{_letter(index)}. {clean(text)}</strong> — {sign}: {clean(reason)}</li>"
            )
        opened = (
            self.opens.html()
            if isinstance(self.opens, Twin)
            else f"<p>{clean(self.opens)}</p>"
            if self.opens
            else ""
        )
        return (
            f'<div role="status" aria-live="polite" style="line-height:1.45"><strong>{said}</strong>'
            f'<ul style="margin:4px 0;padding:0">{items}</ul></div>{opened}'
        )

    def _show(self, html: str) -> None:
        self._result.value = html

    def __repr__(self) -> str:
        return self.text()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return {**super()._repr_mimebundle_(**options), "text/plain": self.text()}


def _wrap(text: str, indent: int) -> str:
    return fill(
        text,
        100,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 3 if indent == 2 else indent),
    )


def _letter(index: int) -> str:
    return "ABCDEFGHIJ"[index]
