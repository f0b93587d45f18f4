"""A header to look into: every bit with its field, three ways to change it, read in either direction."""

from collections.abc import Callable
from functools import partial

from lan966x_lab import ifh

from ..figures.bitgrid import Mark, draw_grid, draw_legend, grid_height
from ..figures.bitrows import DIRECTION, OTHER, reserved, reserved_spans, tone_of
from ..palette import MUTED
from ..pictures import Picture
from ..svg import WIDTH, Svg, text_width
from ..widgets import Control, Explorer, button, choice, number, text, whole

__all__ = ["READINGS", "BitExplorer"]

READINGS = {
    f"{chip}, {DIRECTION[layout]}": layout
    for chip, layouts in (("LAN966x", ifh.LAN966X), ("Ocelot", ifh.OCELOT))
    for layout in layouts
}
"""What bytes may be read as."""
RESERVED = "reserved"  # stands among the names of the fields
LISTED = 10  # fields that are not 0, by name and meaning


class BitExplorer(Explorer):
    """One header. Choose a field or a bit, change it, paste another header, read it in the other direction.

    The traits to drive it: ``reading`` (a layout), ``hex`` (text), ``field`` (a name, or "reserved"),
    ``value`` (text), ``bit``, and the buttons ``flip`` and ``clear``. The bytes stay when the direction
    changes; the two lengths of header have bytes of their own.

    Args:
        header: the bytes to begin with; zeros if None.
        layout: how they are read.
        field: the one that is chosen.
    """

    def __init__(
        self, header: bytes | None = None, layout: ifh.Layout = ifh.LAN966X.tx, field: str = "DSTS"
    ) -> None:
        self._headers = {known.nbytes: bytes(known.nbytes) for known in READINGS.values()}
        self._layout, self._flipped, self._syncing = layout, 0, False
        if header is not None:
            self._headers[layout.nbytes] = _of_length(header, layout)
        self._chosen: ifh.Field | None = layout[field]
        self._bit = layout[field].top
        self._news = self._whose_bits()
        self.reading = choice("Read as", READINGS, layout)
        self.hex = text("Header", width=560, hint="paste a header in hex")
        self.field = choice("Field", [RESERVED])
        self.value = text("Value", width=200, hint="decimal, 0x… or 0b…")
        self.bit = number("Bit", 0, 0, 0)
        self.flip, self.clear = button("Flip this bit"), button("Clear all")
        self._sync()
        super().__init__(
            "A header, bit by bit",
            [[self.reading, self.hex], [self.field, self.value, self.bit, self.flip, self.clear]],
        )
        for control, action in (
            (self.reading, self._read_as),
            (self.hex, self._paste),
            (self.field, self._choose),
            (self.value, self._set),
            (self.bit, self._point),
            (self.flip, self._flip),
            (self.clear, self._clear),
        ):
            self.when(control, partial(self._do, action))

    # what the learner does: each action returns what to say about it

    def _do(self, action: Callable[[], str]) -> None:
        if not self._syncing:
            self._flipped = 0
            self._news = action()

    def _read_as(self) -> str:
        old, new = self._layout, self.reading.value
        self._layout = new
        if OTHER[old] is not new:
            self._chosen, self._bit = new.fields[0], new.fields[0].top
            return f"{self.reading.label}. {self._whose_bits()}"
        self._chosen = self._owner()
        own, others = (
            [f for f in one.fields if f not in two.fields] for one, two in ((new, old), (old, new))
        )
        here, there = (
            ", ".join(f"{f.name} = {self._number(f):,}" for f in fields) for fields in (own, others)
        )
        return (
            f"The same {new.nbytes} bytes, read on {DIRECTION[new]}: {here}, "
            f"where {DIRECTION[old]} has {there}."
        )

    def _paste(self) -> str:
        self._put(_of_length(ifh.from_hex(self.hex.value), self._layout))
        names = self._set_fields()
        listed = f": {', '.join(names)}" if 0 < len(names) <= LISTED else ""
        return f"A new header. {len(names)} of {len(self._layout)} fields are not 0{listed}."

    def _choose(self) -> str:
        name = self.field.value
        self._chosen = None if name == RESERVED else self._layout[name]
        self._bit = self._chosen.top if self._chosen else reserved(self._layout)[0].top
        return self._whose_bits()

    def _point(self) -> str:
        self._bit = self.bit.value
        self._chosen = self._owner()
        byte, place = self._layout.nbytes - 1 - self._bit // 8, self._bit % 8
        said = f"Bit {self._bit}, which is bit {place} of byte {byte}, is {self._bit_now()}."
        return f"{said} {self._whose_bits()}"

    def _set(self) -> str:
        field = self._chosen
        if field is None:
            raise ValueError("Reserved bits have no value; choose a field, or flip one of the bits")
        was = self._number(field)
        new = bytearray(self._header)
        ifh.CODECS["byte_shift"].set(new, field, whole(self.value.value, field.name, 0, field.maximum))
        self._put(bytes(new))
        if not self._flipped:
            return f"{field.name} stays as it is, {self._reading(field)}."
        count = _some(self._flipped.bit_count(), "bit")
        return f"{field.name} goes from {was:,} to {self._reading(field)}. {count} changed."

    def _flip(self) -> str:
        field, was = self._chosen, self._bit_now()
        before = self._number(field) if field else 0
        self._put((self._word ^ 1 << self._bit).to_bytes(self._layout.nbytes, "big"))
        said = f"Bit {self._bit} goes from {was} to {1 - was}."
        if field is None:
            return f"{said} It is reserved on {DIRECTION[self._layout]}: no field owns it. It should be 0."
        return f"{said} It belongs to {field.name}, which goes from {before:,} to {self._reading(field)}."

    def _clear(self) -> str:
        self._put(bytes(self._layout.nbytes))
        return f"All {8 * self._layout.nbytes} bits are 0."

    # the state

    @property
    def _header(self) -> bytes:
        return self._headers[self._layout.nbytes]

    @property
    def _word(self) -> int:
        return int.from_bytes(self._header, "big")

    def _put(self, header: bytes) -> None:
        self._flipped = int.from_bytes(header, "big") ^ self._word
        self._headers[self._layout.nbytes] = header

    def _owner(self) -> ifh.Field | None:
        """Whose the bit is; where it has two owners, the chosen one stays."""
        owners = self._layout.owners(self._bit)
        return self._chosen if self._chosen in owners else next(iter(owners), None)

    def _number(self, field: ifh.Field) -> int:
        return ifh.CODECS["byte_shift"].get(self._header, field)

    def _bit_now(self) -> int:
        return self._word >> self._bit & 1

    def _set_fields(self) -> list[str]:
        return [name for name, value in self._layout.decode(self._header).items() if value]

    def _show(self, picture: Picture, moved: Control = None) -> None:
        super()._show(picture, moved)  # before the controls: it is what the learner waits for
        self._sync()

    def _sync(self) -> None:
        """Let every control show the state. What the learner typed stays if it means the same."""
        layout, chosen = self._layout, self._chosen
        self._syncing = True
        if self.field.options != (*layout, RESERVED):
            self.field.options = (*layout, RESERVED)
        self.field.value = chosen.name if chosen else RESERVED
        if chosen is None:
            self.value.value = ""
        elif not _means(lambda: whole(self.value.value, "", 0, chosen.maximum), self._number(chosen)):
            self.value.value = str(self._number(chosen))
        self.bit.max = 8 * layout.nbytes - 1
        self.bit.description = f"Bit (0–{self.bit.max})"
        self.bit.value = self._bit
        if not _means(lambda: ifh.from_hex(self.hex.value), self._header):
            self.hex.value = self._header.hex(" ", 4)
        self._syncing = False

    # what is shown

    def _reading(self, field: ifh.Field) -> str:
        """The field's value, and what it means."""
        words = ifh.meaning(self._layout, field.name, self._number(field))
        return f"{self._number(field):,}" + (f": {words}" if words else "")

    def _whose_bits(self) -> str:
        """The chosen field, where it is, and what it says."""
        if self._chosen is None:
            spans, way = reserved_spans(self._layout), DIRECTION[self._layout]
            return f"Bits {spans} are reserved on {way}: no field owns them."
        name, where = self._chosen.name, _where(self._chosen, self._layout)
        return f"{name} is {where}. It is {self._reading(self._chosen)}."

    def draw(self) -> Picture:
        """The grid, the chosen field, and the fields that are not 0."""
        layout = self._layout
        grid = 30 + grid_height(layout)
        svg = Svg(WIDTH, grid + 156, self.reading.label)
        svg.text(14, 19, f"{self.reading.label}, {layout.nbytes} bytes", bold=True)
        draw_legend(svg, 19, layout)
        draw_grid(svg, 26, layout, self._header, Mark(self._chosen, self._bit, self._flipped))
        self._draw_chosen(svg, grid + 14)
        self._draw_list(svg, grid + 71)
        return Picture(svg, self._news)

    def _draw_chosen(self, svg: Svg, y: int) -> None:
        """Name and place, how to read the field by hand, what it means."""
        field = self._chosen
        if field is None:
            svg.text(14, y, RESERVED, size=14, bold=True)
            svg.text(90, y, f"bits {reserved_spans(self._layout)}", size=12, fill=MUTED)
            svg.text(14, y + 18, "No field owns them. They should be 0.", size=12)
            return
        value = self._number(field)
        svg.rect(14, y - 11, 12, 12, fill=tone_of(self._layout, field).strong)
        svg.text(32, y, field.name, size=14, bold=True)
        x = 44 + text_width(field.name, 14, bold=True)
        svg.text(x, y, _where(field, self._layout), size=12, fill=MUTED)
        by_hand = f"(header >> {field.pos}) & {field.maximum:#x}"
        svg.text(
            14,
            y + 19,
            f"{by_hand} = {value:#0{field.width + 2}b} = {value:#x} = {value:,}",
            size=12,
            mono=True,
        )
        words = ifh.meaning(self._layout, field.name, value)
        svg.text(14, y + 37, f"{field.doc}{' → ' if words else ''}{words}", size=12, fit=WIDTH - 28)

    def _draw_list(self, svg: Svg, y: int) -> None:
        """The fields that are not 0, in two columns."""
        layout, names = self._layout, self._set_fields()
        stray = sum(self._word >> bit & 1 for run in reserved(layout) for bit in range(run.pos, run.top + 1))
        also = f"; {_some(stray, 'reserved bit')} set" if stray else ""
        count = f"{len(names)} of {len(layout)} fields are not 0" if names else "All fields are 0"
        svg.text(14, y, f"{count}{also}", size=12, bold=True)
        shown = names if len(names) <= LISTED else names[: LISTED - 1]
        for index, name in enumerate(shown):
            left, line = 14 + 400 * (index % 2), y + 17 + 15 * (index // 2)
            field = layout[name]
            says = f"{name} = {self._number(field):,}"
            svg.rect(left, line - 9, 10, 10, fill=tone_of(layout, field).strong)
            svg.text(left + 16, line, says, size=12, bold=field == self._chosen)
            x = left + 26 + text_width(says, 12, bold=field == self._chosen)
            words = ifh.meaning(layout, name, self._number(field))
            svg.text(x, line, words, size=11.5, fill=MUTED, fit=left + 388 - x)
        if len(shown) < len(names):
            rest = f"… and {len(names) - len(shown)} more: choose a field to see its value"
            svg.text(430, y + 17 + 15 * 4, rest, size=12, fill=MUTED)


def _of_length(header: bytes, layout: ifh.Layout) -> bytes:
    """The header, once it is known to be as long as the layout asks."""
    missing = layout.nbytes - len(header)
    if missing:
        how = f"{missing} too few" if missing > 0 else f"{-missing} too many"
        fitting = [f"“{label}”" for label, known in READINGS.items() if known.nbytes == len(header)]
        advice = f"; to read them, choose {fitting[0]}" if fitting else ""
        raise ifh.HeaderSizeError(
            f"{_some(len(header), 'byte')}, {how}: this header has {layout.nbytes} bytes, "
            f"{2 * layout.nbytes} hex digits{advice}"
        )
    return bytes(header)


def _means(read: Callable[[], object], value: object) -> bool:
    """Whether a text field already says it."""
    try:
        return read() == value
    except ValueError:
        return False


def _where(field: ifh.Field, layout: ifh.Layout) -> str:
    """The bits of a field and the bytes that hold them, in words."""
    held = field.bytes_in(layout.nbytes)
    bits = f"bit {field.pos}" if field.width == 1 else f"{field.width} bits, {field.top} to {field.pos}"
    numbers = f"{held[0]}" if len(held) == 1 else f"{held[0]} {'and' if len(held) == 2 else 'to'} {held[-1]}"
    return f"{bits}, in byte{'s' * (len(held) > 1)} {numbers}"


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
