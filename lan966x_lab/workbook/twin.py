"""Things that are shown twice: as HTML for the eye, and as the same thing in plain text.

The text twin is what a screen reader, a terminal, a diff and a test read. Both are the same bytes on every
run.
"""

from abc import ABC, abstractmethod
from typing import Any

from .svg import clean


class Twin(ABC):
    """Base of everything the workbook displays; a notebook shows it when it is the last value of a cell."""

    @abstractmethod
    def html(self) -> str:
        """The HTML form, complete in itself: no script, no style sheet, nothing fetched."""

    @abstractmethod
    def text(self) -> str:
        """The plain text form, which says the same."""

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html(), "text/plain": self.text()}

    def __str__(self) -> str:
        return self.text()


class Stack(Twin):
    """Several twins below each other, shown as one."""

    def __init__(self, *parts: Twin) -> None:
        self.parts = parts

    def html(self) -> str:
        """The parts' HTML, one after the other, with a little room between."""
        return '<div style="height:8px"></div>'.join(part.html() for part in self.parts)

    def text(self) -> str:
        """The parts' text, with a blank line between."""
        return "\n\n".join(part.text() for part in self.parts)


class Fold(Twin):
    """Something computed that the reader opens with a click, when an answer of their own stands.

    The text twin holds all of it, so that it is compared, and read where nothing can be clicked.
    """

    def __init__(self, summary: str, inside: Twin) -> None:
        self.summary, self.inside = summary, inside

    def html(self) -> str:
        """The same element as the folded answers in the prose."""
        return f"<details><summary>{clean(self.summary)}</summary>{self.inside.html()}</details>"

    def text(self) -> str:
        """The summary as a heading, and what is folded below it."""
        return f"{self.summary}:\n\n{self.inside.text()}"
