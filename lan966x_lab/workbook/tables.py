"""Tables and evidence labels that say the same in HTML and in plain text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .palette import EVIDENCE, PANEL
from .svg import clean
from .twin import Twin

_MEANING = {
    "reported": "a mail in the patch thread says so",
    "counted": "counted by running the lab's code: exact and repeatable",
    "timed here": "measured on this computer: yours will differ",
}


@dataclass(frozen=True)
class Evidence(Twin):
    """The label that says where a number comes from; make it with :func:`evidence`."""

    kind: str

    def html(self) -> str:
        """A small badge; the word carries the meaning, the colour repeats it."""
        return (
            f'<span title="{_MEANING[self.kind]}" '
            f'style="background-color:{EVIDENCE[self.kind].strong};color:{PANEL};'
            f'border-radius:9px;padding:1px 8px;font-size:85%;white-space:nowrap">{self.kind}</span>'
        )

    def text(self) -> str:
        """The kind in square brackets."""
        return f"[{self.kind}]"


def evidence(kind: str) -> Evidence:
    """The evidence label ``"reported"``, ``"counted"`` or ``"timed here"``; alone or as a cell of a table.

    >>> print(evidence("counted"))
    [counted]
    """
    if kind not in EVIDENCE:
        raise ValueError(f"evidence {kind!r} is unknown; use one of {', '.join(map(repr, EVIDENCE))}")
    return Evidence(kind)


class Table(Twin):
    """A captioned table; make it with :func:`table`."""

    def __init__(self, rows: Sequence[Sequence[object]], headers: Sequence[str], caption: str) -> None:
        for row in rows:
            if len(row) != len(headers):
                raise ValueError(f"row {row!r} has {len(row)} cells for {len(headers)} headers")
        self.rows, self.headers, self.caption = [list(row) for row in rows], list(headers), caption
        self._right = [all(_is_number(row[i]) for row in rows) and bool(rows) for i in range(len(headers))]

    def html(self) -> str:
        """A ``<table>`` with caption, column headers, and the first cell of each row as its header."""
        align = ["text-align:right" if right else "text-align:left" for right in self._right]
        # a screen reader announces an empty header of a column as "blank"; an empty cell it passes over
        head = "".join(
            f'<th scope="col" style="{a}">{clean(h)}</th>' if h else "<td></td>"
            for h, a in zip(self.headers, align, strict=True)
        )
        body = ""
        for row in self.rows:
            body += "<tr>"
            for index, (cell, a) in enumerate(zip(row, align, strict=True)):
                inner = cell.html() if isinstance(cell, Twin) else clean(_plain(cell))
                body += (
                    f'<th scope="row" style="{a}">{inner}</th>'
                    if index == 0
                    else f'<td style="{a}">{inner}</td>'
                )
            body += "</tr>"
        return (
            '<table style="margin:4px 0">'
            f'<caption style="text-align:left;caption-side:top;font-weight:600;padding-bottom:4px;'
            f'color:var(--jp-content-font-color1,#1b2027)">'
            f"{clean(self.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def text(self) -> str:
        """The caption and the columns, aligned with spaces."""
        cells = [self.headers, *([_plain(cell) for cell in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.headers))]
        lines = []
        for row in cells:
            padded = [
                cell.rjust(width) if right else cell.ljust(width)
                for cell, width, right in zip(row, widths, self._right, strict=True)
            ]
            lines.append("  ".join(padded).rstrip())
        lines.insert(1, "  ".join("-" * width for width in widths))
        return "\n".join([self.caption, *lines])


def table(rows: Sequence[Sequence[object]], headers: Sequence[str], caption: str) -> Table:
    """An accessible table: integers get thousands separators, :func:`evidence` its badge, the rest ``str``.

    A column of numbers is aligned to the right; write floats as strings with the digits that you mean.

    >>> print(table([["before", 1234], ["after", 56]], ["tree", "reads"], "Register reads per second"))
    Register reads per second
    tree    reads
    ------  -----
    before  1,234
    after      56

    Raises:
        ValueError: a row has another number of cells than ``headers``.
    """
    return Table(rows, headers, caption)


def _plain(cell: object) -> str:
    if isinstance(cell, Twin):
        return cell.text()
    said = f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
    return re.sub(r"(^|\[|, )-(?=\d)", r"\1−", said)  # a minus sign, as in the pictures


def _is_number(cell: object) -> bool:
    if isinstance(cell, str):
        return bool(re.match(r"[+−-]?\d(?!\w*-[a-z])", cell))  # "12.5 µs", not a name such as "000-rx"
    return isinstance(cell, int | float) and not isinstance(cell, bool)
