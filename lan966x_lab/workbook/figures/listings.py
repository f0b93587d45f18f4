"""Machine code side by side, its loops marked: what compilers made of one field's set or get."""

from collections.abc import Sequence

from lan966x_lab import ifh
from lan966x_lab.measure.counted import header_gain, header_work, instructions
from lan966x_lab.measure.counted.instructions import Counted

from ..palette import MARK
from ..svg import clean
from ..tables import Table, table
from ..twin import Twin

_LINE = "display:block;padding-left:8px;border-left:4px solid "
_SIGNS = {"yes": "✓", "unrolled": "≡", "loop": "↻"}  # of instructions.answer


class Listings(Twin):
    """Panels of machine code; a bar stands beside each line that belongs to a loop.

    Args:
        panels: (compiler, processor, form) of each panel; positions are constants in all of them.
        field: the field that they set or get.
        way: ``"set"`` or ``"get"``.

    Raises:
        KeyError: there is no such listing.
    """

    def __init__(self, panels: Sequence[tuple[str, str, str]], field: str, way: str = "set") -> None:
        self.panels = []
        for compiler, arch, form in panels:
            lines = instructions.listing(compiler, arch, form, field, way)
            ranges = instructions.loops(lines)
            marked = [any(first <= index <= last for first, last in ranges) for index in range(len(lines))]
            count = instructions.find(compiler, arch, form, "constant", f"{way} {field}")
            title = f"{instructions.FORMS[form]}, {compiler}: {_times(count)}"
            narrow = [line.replace("    ", "  ", 1) for line in lines]
            self.panels.append((title, list(zip(marked, narrow, strict=True))[1:]))  # without the name

    def html(self) -> str:
        """Panels side by side as far as they fit."""
        panels = ""
        for title, lines in self.panels:
            code = "".join(
                f'<span style="{_LINE}{MARK["almost"] if marked else "transparent"}">{clean(line)}</span>'
                for marked, line in lines
            )
            panels += (
                '<div style="flex:1 1 240px;min-width:0;max-width:100%">'
                f'<div style="font-weight:600;margin-bottom:4px">{clean(title)}</div>'
                '<pre tabindex="0" style="margin:0;padding:8px 10px;overflow-x:auto;white-space:pre;'
                "border:1px solid var(--jp-border-color2,#d5dbe1);border-radius:6px;"
                f'font-size:12px;line-height:1.45">{code}</pre></div>'
            )
        return f'<div style="display:flex;flex-wrap:wrap;gap:12px;margin:4px 0">{panels}</div>'

    def text(self) -> str:
        """The panels below each other."""
        return "\n\n".join(
            "\n".join([title, *(f"{'┃' if marked else ' '} {line}" for marked, line in lines)])
            for title, lines in self.panels
        )


def answers(columns: Sequence[tuple[str, str]]) -> Table:
    """For each field and each (compiler, processor): what became of the bit loop with constants."""
    sent, received = ifh.LAN966X
    fields = [("set", sent[name]) for name in header_work.PTP] + [
        ("get", received[name]) for name in header_work.READ
    ]
    rows = []
    for way, field in sorted(fields, key=lambda pair: (pair[0] == "get", pair[1].width)):
        job, cells = f"{way} {field.name}", []
        for compiler, arch in columns:
            bits, shift = (
                instructions.find(compiler, arch, form, "constant", job).executed
                for form in ("bit_loop", "byte_shift")
            )
            sign = _SIGNS[instructions.answer(compiler, arch, field.name, way)]
            cells.append(f"{sign}\u00a0{bits}\u00a0({shift})")
        rows.append([job.replace(" ", "\u00a0"), field.width, *cells])
    caption = (
        "Instructions of the bit loop with constants, in brackets of the byte shift. "
        "✓ the compiler did it, ≡ no loop is left, ↻ a loop is left"
    )
    return table(rows, ["field", "bits", *_names(columns)], caption)


def headers(columns: Sequence[tuple[str, str]], job: str, caption: str) -> Table:
    """For each form and each (compiler, processor): the instructions of a job, run-time and constant."""

    def executed(*key: str) -> str:
        return str(instructions.find(*key, job).executed) if key in counted else "–"

    counted = {(r.compiler, r.arch, r.form, r.args) for r in instructions.load() if r.job == job}
    rows = [
        [
            name.replace(" ", "\u00a0"),
            *(" → ".join(executed(*column, form, a) for a in ("run_time", "constant")) for column in columns),
        ]
        for form, name in instructions.FORMS.items()
        if any((*column, form, "constant") in counted for column in columns)
    ]
    return table(rows, ["form", *_names(columns)], caption)


def cures(columns: Sequence[tuple[str, str]]) -> Table:
    """For each getter and each TIMESTAMP written: what it read, by (compiler, processor)."""
    read = {(c.compiler, c.arch, c.getter, c.written): hex(c.read) for c in instructions.cures()}
    written = sorted({row.written for row in instructions.cures()})
    rows = [
        [title, hex(value), *(read[*column, getter, value] for column in columns)]
        for getter, title in instructions.GETTERS.items()
        for value in written
    ]
    caption = "What the getter returned when it ran: compiled by gcc and clang, in an emulator"
    return table(rows, ["getter", "written", *_names(columns)], caption)


def savings(arch: str, clock_mhz: int, compilers: Sequence[str] = ("gcc -O2", "clang -O2")) -> Table:
    """The steps of seed 000: time saved by the claims, instructions by count, cycles for each of these."""
    rows = []
    for same in zip(*(header_gain.steps(compiler, arch) for compiler in compilers), strict=True):
        cells = [
            cell
            for step in same
            for cell in (
                step.instructions,
                f"{step.cycles_each(clock_mhz):.1f}",
            )
        ]
        rows.append([same[0].name, same[0].ns, *cells])
    heads = [
        f"{compiler}: {what}" for compiler in compilers for what in ("instructions saved", "cycles for each")
    ]
    caption = f"Time saved by the claims, instructions saved on {arch}, cycles of {clock_mhz} MHz"
    return table(rows, ["step", "ns saved per frame", *heads], caption)


def _names(columns: Sequence[tuple[str, str]]) -> list[str]:
    return [f"{compiler}, {arch}" for compiler, arch in columns]


def _times(count: Counted) -> str:
    return f"{count.executed} executed, {'with' if count.loops else 'no'} loop"
