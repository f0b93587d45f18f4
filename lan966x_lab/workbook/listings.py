"""Machine code side by side, its loops marked: what compilers made of one field's set or get."""

from collections.abc import Sequence

from lan966x_lab.measure import instructions
from lan966x_lab.measure.instructions import Counted

from .palette import MARK
from .svg import clean
from .tables import Table, table
from .twin import Twin

_LINE = "display:block;padding-left:8px;border-left:4px solid "


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
            self.panels.append((title, list(zip(marked, lines, strict=True))[1:]))  # without the name

    def html(self) -> str:
        """Panels side by side as far as they fit."""
        panels = ""
        for title, lines in self.panels:
            code = "".join(
                f'<span style="{_LINE}{MARK["almost"] if marked else "transparent"}">{clean(line)}</span>'
                for marked, line in lines
            )
            panels += (
                '<div style="flex:1 1 290px;min-width:0;max-width:100%">'
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


def answers(columns: Sequence[tuple[str, str]], fields: Sequence[tuple[str, str, int]]) -> Table:
    """For each field and each (compiler, processor): what became of the bit loop with constants.

    Args:
        columns: (compiler, processor) of each column.
        fields: (way, name, bits) of each row, such as ``("set", "DSTS", 9)``.
    """
    rows = []
    for way, name, bits in fields:
        cells = []
        for compiler, arch in columns:
            loop, shift = (
                instructions.find(compiler, arch, form, "constant", f"{way} {name}").executed
                for form in ("bit_loop", "byte_shift")
            )
            cells.append(f"{instructions.answer(compiler, arch, name, way)}: {loop} ({shift})")
        rows.append([f"{way} {name}", bits, *cells])
    caption = "Did the compiler do it? In brackets, the byte shift"
    return table(rows, ["field", "bits", *(f"{compiler}, {arch}" for compiler, arch in columns)], caption)


def headers(columns: Sequence[tuple[str, str]], jobs: Sequence[str]) -> Table:
    """For each form and each (compiler, processor): the instructions of these jobs, one after the other."""
    executed = {(r.form, r.args, r.compiler, r.arch, r.job): f"{r.executed:,}" for r in instructions.load()}
    order = [(form, args) for form in instructions.FORMS for args in ("run_time", "constant")]
    counted = {key[:2] for key in executed}
    rows = [
        [
            instructions.FORMS[form],
            args.replace("_", "-"),
            *(
                " / ".join(executed.get((form, args, *column, job), "–") for job in jobs)
                for column in columns
            ),
        ]
        for form, args in order
        if (form, args) in counted
    ]
    caption = f"Instructions executed for a header: {' / '.join(jobs)}"
    return table(rows, ["form", "arguments", *(f"{compiler}, {arch}" for compiler, arch in columns)], caption)


def _times(count: Counted) -> str:
    return f"{count.executed} executed, {'with' if count.loops else 'no'} loop"
