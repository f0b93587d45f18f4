"""A layout drawn with letters: one 32-bit word a row, most significant bit first."""

from collections.abc import Iterable
from itertools import groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING

from lan966x_lab.ifh.arguments import AnyBuffer, readable
from lan966x_lab.ifh.fields import Field

if TYPE_CHECKING:
    from lan966x_lab.ifh.layout import Layout

__all__ = ["draw", "lanes"]

RESERVED = "."


def draw(layout: "Layout", header: AnyBuffer | None = None) -> str:
    """For each word: its highest and lowest bit, the bits of ``header``, and the fields below them.

    Dots are reserved bits. A name that does not fit its cell gives way to a letter, explained below the word.
    Fields that share bits stand in lines of their own.

    Raises:
        HeaderSizeError: the header has not exactly ``layout.nbytes`` bytes.
    """
    bits = ""
    if header is not None:
        layout.decode(header, ())
        bits = f"{int.from_bytes(readable(header), 'big'):0{8 * layout.nbytes}b}"
    lines_of_fields = lanes(layout.fields)
    lines = [f"{layout.name}, {layout.nbytes} bytes"]
    for word in range(layout.nbytes // 4):
        top = 8 * layout.nbytes - 32 * word - 1
        lines += ["", f" {top:<31}{top - 31:>32}"]
        if bits:
            lines.append(" " + " ".join(bits[32 * word : 32 * word + 32]))
        letters: dict[str, str] = {}
        for lane in lines_of_fields:
            owners = groupby(range(top, top - 32, -1), key=lambda bit: _owner(layout, lane, bit))
            row = "|".join(_cell(owner, len(list(run)), letters) for owner, run in owners)
            if lane is lines_of_fields[0] or row.strip(f"{RESERVED} |"):
                lines.append(f"|{row}|")
        if letters:
            lines.append(" " + ", ".join(f"{letter} {name}" for name, letter in letters.items()))
    return "\n".join(lines)


def lanes(fields: Iterable[Field]) -> list[list[Field]]:
    """The fields in as few lines as it takes for no two fields of a line to share bits."""
    found: list[list[Field]] = [[]]
    for field in fields:
        free = next((lane for lane in found if not any(field.overlaps(other) for other in lane)), None)
        if free is None:
            found.append(free := [])
        free.append(field)
    return found


def _owner(layout: "Layout", lane: list[Field], bit: int) -> Field | str:
    """The field that has this bit in this line, or what to fill the gap with."""
    owners = layout.owners(bit)
    return next((field for field in owners if field in lane), " " if owners else RESERVED)


def _cell(owner: Field | str, width: int, letters: dict[str, str]) -> str:
    """What stands in the cell: two columns a bit, one of them for the border."""
    room = 2 * width - 1
    if isinstance(owner, str):
        return owner * room
    if len(owner.name) > room:
        return letters.setdefault(owner.name, ascii_lowercase[len(letters)]).center(room)
    return owner.name.center(room)
