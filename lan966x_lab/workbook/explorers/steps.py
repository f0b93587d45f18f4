"""One header operation, played line by line: the line that runs, the bytes it touches, what it adds up to.

Nothing is acted: ``measure.counted.trace`` runs the package's own function and notes every step.
"""

import ast
from collections.abc import Mapping
from functools import cache, partial

from lan966x_lab import ifh
from lan966x_lab.measure.counted import trace
from lan966x_lab.measure.counted.header_work import FORMS
from lan966x_lab.measure.counted.oracle import judge_set

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg, shorten, text_width
from ..widgets import Explorer, button, choice, number, text, whole

#: The fields that the driver sets or reads, each with a value to begin with.
EXAMPLES = {
    "BYPASS": 1,
    "DSTS": 0x155,
    "QOS_CLASS": 5,
    "IPV": 5,
    "TCI": 0x1A064,
    "REW_CMD": 4,
    "TIMESTAMP": 0x12345678,
    "SRCPORT": 3,
    "LEN": 1518,
}
STARTS = {"all bits 0": bytes(28), "dirty: all bits 1": b"\xff" * 28}

SIZE_T = 2**32 - 1  # what a value may be before the codec looks at it
WIDE, NARROW = 6.2, 3.6  # pixels of a line's mark: room for 126 lines, and for TIMESTAMP 217
SOURCE_LINES = 11  # visible at once; only the general routine has more
_IN_HEX = {"value", "mask", "bits", "byte", "word", "eight"}
FIELD, TOUCHED = palette.TONES[0], palette.TONES[1]
LOAD, STORE, TEST = palette.TONES[4], palette.TONES[1], palette.TONES[3]


def layout_of(name: str) -> ifh.Layout:
    """The direction in which the driver uses a field: extraction for what it reads, else injection."""
    return ifh.LAN966X.rx if name in ("SRCPORT", "LEN") else ifh.LAN966X.tx


@cache
def code_lines(source: str) -> tuple[tuple[int, str], ...]:
    """The lines of a function without its docstring, each with its number in ``source``."""
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    skip = range(0)
    if ast.get_docstring(function, clean=False) is not None:
        first = function.body[0]
        assert first.end_lineno is not None
        skip = range(first.lineno, first.end_lineno + 1)
    return tuple((n, line) for n, line in enumerate(source.rstrip().splitlines(), 1) if n not in skip)


class StepExplorer(Explorer):
    """Plays one set or get in one of the forms; you choose form, field, value and the header it meets.

    The traits to drive it: ``form``, ``operation`` ("set" or "get"), ``field``, ``value`` (text), ``start``,
    ``step`` (0 is before the first line), and the buttons ``first``, ``back``, ``next``, ``last``.
    """

    def __init__(self, form: str = "bit loop", operation: str = "set", field: str = "DSTS") -> None:
        self.form = choice("Form", list(FORMS), form)
        self.operation = choice("Operation", ["set", "get"], operation)
        self.field = choice("Field", list(EXAMPLES), field)
        self.value = text("Value", hex(EXAMPLES[field]), width=150, hint="decimal, 0x… or 0b…")
        self.start = choice("Header before", list(STARTS))
        self.step = number("Step", 0, 0, 1)
        self.first, self.back = button("|◀ First"), button("◀ Back")
        self.next, self.last = button("Next ▶"), button("Last ▶|")
        self._play()
        super().__init__(
            "One operation, line by line",
            [
                [self.form, self.operation, self.field],
                [self.value, self.start],
                [self.step, self.first, self.back, self.next, self.last],
            ],
        )
        for control in (self.form, self.operation, self.value, self.start):
            self.when(control, self._play)
        self.when(self.field, self._example)
        for control, move in ((self.first, -SIZE_T), (self.back, -1), (self.next, 1), (self.last, SIZE_T)):
            self.when(control, partial(self._move, move))

    def _move(self, steps: int) -> None:
        self.step.value = min(max(self.step.value + steps, 0), self.step.max)

    def _example(self) -> None:
        self.value.value = hex(EXAMPLES[self.field.value])
        self._play()

    def _play(self) -> None:
        """Run the chosen operation anew; who stood at the end stands at the end again."""
        name, codec, before = self.field.value, FORMS[self.form.value], STARTS[self.start.value]
        layout, value = layout_of(name), whole(self.value.value, self.field.value, 0, SIZE_T)
        if self.operation.value == "set":
            run = trace.run(codec.set, before, layout[name], value)
            verdict = judge_set(codec, layout, name, value, before)
            end = "The header is right." if verdict == "right" else f"The header is wrong: {verdict}."
        else:
            holding = bytearray(before)
            ifh.CODECS["byte_shift"].set(holding, layout[name], value)
            run = trace.run(codec.get, bytes(holding), layout[name])
            held = "which is right" if run.result == value else f"but the header holds {value:#x}"
            end = f"It returns {run.result:#x}, {held}."
            before = bytes(holding)
        at_end = hasattr(self, "_run") and self.step.value == self.step.max
        self._run, self._before, self._end = run, before, end
        self._held = layout[name].bytes_in(len(before))
        count = len(run.steps)
        self.step.max = count
        self.step.description = f"Step (0–{count})"
        if at_end:
            self.step.value = count

    def draw(self) -> Picture:
        """The state after ``step`` lines."""
        steps, at = self._run.steps, self.step.value
        step = steps[at - 1] if at else None
        svg = Svg(WIDTH, 470, f"{self.form.value}, {self.operation.value} {self.field.value}, step {at}")
        header = step.header if step else self._before
        earlier = steps[at - 2].header if at > 1 else self._before
        self._draw_bytes(svg, header, step)
        self._draw_bits(svg, header, earlier)
        _draw_counters(svg, step.counts if step else trace.Counts())
        _draw_score(svg, self._run, at, WIDE if len(self._held) < 4 else NARROW)
        _draw_source(svg, self._run, step or steps[0], running=step is not None)
        _draw_values(svg, step.values if step else {}, steps[at - 2].values if at > 1 else {})
        return Picture(svg, self._sentence(step))

    def _sentence(self, step: trace.Step | None) -> str:
        name, value, steps = self.field.value, self.value.value, self._run.steps
        what = f"set {name} to {value}" if self.operation.value == "set" else f"get {name}"
        if step is None:
            return f"Before the first line. The {self.form.value} will {what}, in {len(steps)} steps."
        at = self.step.value
        before = steps[at - 2].counts if at > 1 else trace.Counts()
        if step.loaded == step.stored:
            done = [f"reads and writes {_bytes(step.loaded)}"] if step.loaded else []
        else:
            done = [f"reads {_bytes(step.loaded)}"] if step.loaded else []
            done += [f"writes {_bytes(step.stored)}"] if step.stored else []
        if step.counts.bit_tests > before.bit_tests:
            done.append("tests a bit")
        tally = ", ".join(
            _some(count, noun)
            for count, noun in (
                (step.counts.loads, "load"),
                (step.counts.stores, "store"),
                (step.counts.bit_tests, "bit test"),
            )
        )
        said = f"Step {at} of {len(steps)} {' and '.join(done) or 'touches no byte'}. So far: {tally}."
        return f"{said} {self._end}" if step is steps[-1] else said

    def _draw_bytes(self, svg: Svg, header: bytes, step: trace.Step | None) -> None:
        svg.text(16, 24, "The header, byte 0 leaves first", bold=True)
        svg.rect(432, 13, 12, 12, fill=FIELD.soft, stroke=FIELD.strong)
        svg.text(450, 24, f"holds {self.field.value}", size=12)
        svg.rect(620, 13, 12, 12, stroke=TOUCHED.strong, thick=2.5)
        svg.text(638, 24, "R read, W written now", size=12)
        loaded, stored = (step.loaded, step.stored) if step else ((), ())
        for index in range(-1, len(header)):
            marks = "R" * (index in loaded) + "W" * (index in stored)
            if index < 0 and not marks:
                continue
            x = 47 + 26 * index + 4.5 * (index // 4) if index >= 0 else 14
            fill = FIELD.soft if index in self._held else palette.PANEL
            svg.rect(x, 46, 25, 25, fill=fill, stroke=FIELD.strong if index in self._held else palette.EDGE)
            if marks:
                svg.rect(x + 1, 47, 23, 23, stroke=TOUCHED.strong, thick=3)
            svg.text(
                x + 12.5, 41, str(index).replace("-", "−"), size=10.5, anchor="middle", fill=palette.MUTED
            )
            byte = f"{header[index]:02x}" if index >= 0 else "?"
            svg.text(x + 12.5, 63, byte, anchor="middle", mono=True, bold=bool(marks))
            svg.text(x + 12.5, 85, marks, size=12, anchor="middle", fill=TOUCHED.strong, bold=True)

    def _draw_bits(self, svg: Svg, header: bytes, earlier: bytes) -> None:
        field = layout_of(self.field.value)[self.field.value]
        svg.text(16, 110, "Bits of these bytes", bold=True)
        for place, index in enumerate(self._held):
            lowest = 8 * (len(header) - 1 - index)
            x = 16 + 128 * place
            svg.text(x, 126, f"byte {index}: bits {lowest + 7}–{lowest}", size=11, fill=palette.MUTED)
            for bit in range(lowest + 7, lowest - 1, -1):
                left = x + 15 * (lowest + 7 - bit)
                inside = field.pos <= bit <= field.top
                now, was = (b[index] >> (bit - lowest) & 1 for b in (header, earlier))
                svg.rect(
                    left,
                    132,
                    15,
                    20,
                    fill=FIELD.soft if inside else palette.PANEL,
                    stroke=FIELD.strong if inside else palette.HAIRLINE,
                )
                if now != was:
                    svg.rect(left + 1, 133, 13, 18, stroke=TOUCHED.strong, thick=2.5)
                svg.text(
                    left + 7.5,
                    147,
                    now,
                    anchor="middle",
                    mono=True,
                    bold=now != was,
                    fill=palette.INK if inside else palette.MUTED,
                )


def _draw_counters(svg: Svg, counts: trace.Counts) -> None:
    """Numbers, and one small block for each of up to 32 events (a word of bits, or a header of bytes)."""
    svg.text(592, 110, "Counted so far", bold=True)
    for row, (name, count, tone) in enumerate(
        (
            ("loads", counts.loads, LOAD),
            ("stores", counts.stores, STORE),
            ("bit tests", counts.bit_tests, TEST),
        )
    ):
        y = 128 + 17 * row
        svg.text(592, y, name, size=12)
        svg.text(676, y, count, anchor="end", bold=True)
        for event in range(count):
            svg.rect(684 + 3.8 * event, y - 10, 3, 11, fill=tone.strong)
    svg.text(592, 179, "lines", size=12)
    svg.text(676, 179, counts.lines, anchor="end", bold=True)


def _draw_score(svg: Svg, run: trace.Run, at: int, pitch: float) -> None:
    """The whole run in a row: a mark for every line, the same width in every form."""
    top = 182
    svg.text(16, top, "The whole run", bold=True)
    svg.text(128, top, "a mark for each line of Python:", size=12, fill=palette.MUTED)
    x = 332.0
    for mark, name in (("R", "load"), ("W", "store"), ("?", "bit test"), ("·", "other")):
        _score_mark(svg, x, top - 4, mark)
        svg.text(x + 8, top, name, size=12, fill=palette.MUTED)
        x += 26 + text_width(name, 12)
    before = trace.Counts()
    middle = top + 22
    for index, step in enumerate(run.steps, 1):
        for line in range(before.lines, step.counts.lines - 1):  # of helpers that get numbers only
            _score_mark(svg, 20 + pitch * line, middle, "·")
        here = 20 + pitch * (step.counts.lines - 1)
        if step.counts.bit_tests > before.bit_tests:
            _score_mark(svg, here, middle, "?")
        marks = "R" * bool(step.loaded) + "W" * bool(step.stored)
        for mark in marks or "·" * (step.counts.bit_tests == before.bit_tests):
            _score_mark(svg, here, middle, mark)
        if index == at:
            svg.path(f"M{here - 4:.1f} {middle + 18}h8l-4 -7z", fill=palette.INK)
        before = step.counts


def _score_mark(svg: Svg, x: float, y: float, mark: str) -> None:
    """Loads rise above the line, stores hang below it, a test is a ring, all else a dot."""
    if mark == "R":
        svg.rect(x - 1.8, y - 10, 3.6, 10, fill=LOAD.strong)
    elif mark == "W":
        svg.rect(x - 1.8, y, 3.6, 10, fill=STORE.strong)
    elif mark == "?":
        svg.circle(x, y, 2.4, fill=palette.PANEL, stroke=TEST.strong, thick=1.6)
    else:
        svg.circle(x, y, 1.2, fill=palette.EDGE)


def _draw_source(svg: Svg, run: trace.Run, step: trace.Step, *, running: bool) -> None:
    """The function that runs, with the line that has run; a window of it when it is long."""
    lines = code_lines(run.sources[step.function])
    current = next((i for i, (number_, _) in enumerate(lines) if number_ == step.line), 0)
    first = min(max(current - SOURCE_LINES // 2, 0), max(len(lines) - SOURCE_LINES, 0))
    y = 238
    svg.text(16, y, " → ".join(run.sources), size=12, bold=True)
    if len(lines) > SOURCE_LINES:
        svg.text(
            804,
            y,
            f"lines {first + 1}–{first + SOURCE_LINES} of {len(lines)}",
            size=12,
            anchor="end",
            fill=palette.MUTED,
        )
    svg.rect(12, y + 7, 796, 16 * SOURCE_LINES + 6, stroke=palette.HAIRLINE, radius=4)
    for row, (number_, line) in enumerate(lines[first : first + SOURCE_LINES]):
        baseline = y + 22 + 16 * row
        now = running and number_ == step.line
        if now:
            svg.rect(13, baseline - 12, 794, 16, fill=TOUCHED.soft)
            svg.text(17, baseline, "▶", size=10, fill=TOUCHED.strong)
        svg.text(32, baseline, line.replace(" ", "\u00a0"), size=11.5, mono=True, bold=now)


def _draw_values(svg: Svg, values: Mapping[str, int], before: Mapping[str, int]) -> None:
    """The function's integers, the changed ones in bold."""
    x, y = 16.0, 442
    for name, value in values.items():
        shown = shorten(f"{name} = {hex(value) if name in _IN_HEX else value}", 280, 11.5, mono=True)
        width = text_width(shown, 11.5, mono=True)
        if x + width > 804:
            x, y = 16.0, y + 16
        svg.text(x, y, shown, size=11.5, mono=True, bold=before.get(name) != value)
        x += width + 14


def _bytes(indexes: tuple[int, ...]) -> str:
    if len(indexes) > 2:
        return f"all {len(indexes)} bytes"
    return " and ".join(
        f"byte {index}" if index >= 0 else "byte −1, which lies in front of the header" for index in indexes
    )


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"
