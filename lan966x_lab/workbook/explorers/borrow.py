"""The second's edge in pictures: a reading of the time of day, and the second that a frame has to borrow."""

from collections.abc import Sequence
from functools import partial

from lan966x_lab.hw.phc import SECOND
from lan966x_lab.measure.counted import tod

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, button, choice, number

BASE = 99
"""The second in which frames arrive here; the edge that matters is the one to second 100."""
LATEST_NS = 2_500_000_000
LEFT, RIGHT = 20, WIDTH - 20
FRAME, READ, WRITE, WRONG = palette.TONES[0], palette.TONES[1], palette.TONES[3], palette.TONES[5]
GIVEN = palette.TONES[2]
STEPS = {"1 ns": 1, "1 µs": 1000, "1 ms": 1_000_000, "100 ms": 100_000_000}
EXAMPLES = {
    "over the edge": (999_999_998, 7),
    "same second": (400, 100),
    "equal": (250_000_000, 0),
    "negative reading": (999_999_900, 88),
    "too late": (250_000_000, 1_100_000_000),
}
"""Arrival within its second and how much later the clock is read, in ns."""
NAMES = dict(zip(tod.REGISTERS, ("PIN_CFG", "SEC_MSB", "SEC_LSB", "NSEC"), strict=True))


def as_time(ns: int) -> str:
    """A time in ns as seconds with all nine digits, in groups of three: ``99.999 999 998 s``."""
    seconds, rest = divmod(ns, SECOND)
    digits = f"{rest:09}"
    return f"{seconds}.{digits[:3]} {digits[3:6]} {digits[6:]} s"


class ReadoutExplorer(Explorer):
    """The five accesses of a reading of the time of day, on a time axis with the edge of a second.

    The trait to drive it: ``before`` (ns from the begin of the reading to the second's end).
    """

    def __init__(self, before_ns: int = 600) -> None:
        self.before = number("Begin so many ns before second 100", before_ns, 0, SPAN_NS, step=10)
        super().__init__("Read the time of day", [self.before])

    def draw(self) -> Picture:
        """The accesses as the driver makes them, and what they see."""
        begin_ns = (BASE + 1) * SECOND - self.before.value
        looks, saved = tod.readout(begin_ns)
        svg = Svg(WIDTH, 296, "Five register accesses, one latched time")
        _draw_looks(svg, looks)
        self._draw_clock(svg, saved.time_ns - begin_ns)
        held = f"SEC {saved.seconds}, NSEC {saved.raw_ns:#010x} = {saved.raw_ns:,}"
        said = f"SAVE keeps {as_time(saved.time_ns)}, so the registers hold SEC {saved.seconds} and NSEC "
        said += f"{saved.raw_ns:#x}"
        if saved.signed_ns < 0:
            meant = str(saved.signed_ns).replace("-", "−")
            held += f", which means {meant}"
            said += f", slightly negative: {meant} ns"
        svg.text(LEFT, 216, "The registers", bold=True)
        svg.text(LEFT, 234, "hold this moment", size=12, fill=palette.MUTED)
        svg.rect(AXIS, 200, RIGHT - AXIS, 40, fill=WRITE.soft, stroke=WRITE.strong, radius=4)
        svg.text(AXIS + 14, 225, held, mono=True, size=12.5)
        now = as_time(looks[-1].clock_ns)
        svg.text(LEFT, 268, "The driver says", bold=True)
        svg.text(AXIS + 14, 268, as_time(saved.time_ns), mono=True, bold=True)
        late = f"and when it has read the last register, the clock says {now}"
        svg.text(AXIS + 190, 268, late, size=12, fill=palette.MUTED)
        return Picture(svg, f"{said}. When the last of them is read, the clock says {now}.")

    def _draw_clock(self, svg: Svg, saved_after: int) -> None:
        """The running clock as two seconds side by side, and the moment that SAVE takes out of it."""
        svg.text(LEFT, 138, "The chip's clock", bold=True)
        edge = AXIS + self.before.value * SCALE
        for start, stop, tone in ((AXIS, edge, palette.SLATE), (edge, RIGHT, palette.TONES[4])):
            if start < stop:
                svg.rect(start, 118, stop - start, 34, fill=tone.soft, stroke=tone.strong)
        x = AXIS + saved_after * SCALE
        svg.line(x, 86, x, 196, stroke=WRITE.strong, thick=2, arrow=True)
        svg.line(edge, 108, edge, 162, stroke=palette.INK, thick=2)
        if edge - AXIS > 90:
            svg.text(AXIS + 8, 139, f"second {BASE}", size=12.5)
        if RIGHT - edge > 90:
            svg.text(RIGHT - 8, 139, f"second {BASE + 1}", size=12.5, anchor="end")
        crowded = edge > RIGHT - 130 or edge < x < edge + 130
        side, dx = ("end", -6) if crowded else ("start", 6)
        svg.text(edge + dx, 173, as_time((BASE + 1) * SECOND), size=11, anchor=side)


AXIS, SPAN_NS = 150, 1200
SCALE = (RIGHT - AXIS) / SPAN_NS
"""The time axis of a reading: its left end, its length, and pixels for a nanosecond."""


def _draw_looks(svg: Svg, looks: Sequence[tod.Look]) -> None:
    svg.text(LEFT, 30, "What the CPU does", bold=True)
    last = 0
    for access, _ in looks:
        x, width = AXIS + last * SCALE, (access.time_ns - last) * SCALE
        saves = access.kind == "W"
        tone = WRITE if saves else READ
        svg.rect(x, 44, width, 40, fill=tone.soft, stroke=tone.strong, title=str(access))
        svg.text(x + width / 2, 60, access.kind, anchor="middle", bold=True)
        svg.text(x + width / 2, 77, "SAVE" if saves else NAMES[access.name], size=11, anchor="middle")
        last = access.time_ns
    x = AXIS + last * SCALE + 10
    svg.text(x, 60, f"{len(looks)} accesses, {last} ns", size=12)
    svg.text(x, 77, "(the lab's calibration)", size=12, fill=palette.MUTED)


class BorrowExplorer(Explorer):
    """A frame arrives, the clock is read later, and a rule makes a full time of the two.

    Every row of the picture is a second, so the header knows how far to the right a frame stands, but not in
    which row. The traits to drive it: ``arrival`` (ns within second 99), ``later`` (ns), ``rule`` (a name of
    ``tod.RULES``), ``step``, and ``examples`` (buttons by name).
    """

    def __init__(self, example: str = "over the edge") -> None:
        arrival, later = EXAMPLES[example]
        self.arrival = number("Arrival, ns of second 99", arrival, 0, SECOND - 1)
        self.later = number("Clock read so many ns later", later, 0, LATEST_NS)
        self.step = choice("Arrow keys move by", STEPS)
        self.rule = choice("Rule", list(tod.RULES))
        self.examples = {name: button(name) for name in EXAMPLES}
        super().__init__(
            "The second that a frame belongs to",
            [[self.arrival, self.later], [self.step, self.rule], list(self.examples.values())],
        )
        self.when(self.step, self._set_step)
        for name, control in self.examples.items():
            self.when(control, partial(self._go, *EXAMPLES[name]))

    def _set_step(self) -> None:
        self.arrival.step = self.later.step = self.step.value

    def _go(self, arrival: int, later: int) -> None:
        self.arrival.value, self.later.value = arrival, later

    def draw(self) -> Picture:
        """The rows, the comparison, and the answer."""
        arrival_ns = BASE * SECOND + self.arrival.value
        stamp = tod.stamp(arrival_ns, arrival_ns + self.later.value, self.rule.value)
        svg = Svg(WIDTH, 346, "Seconds as rows: arrival, reading, and the time given")
        _draw_rows(svg, stamp)
        _draw_marks(svg, stamp)
        return Picture(svg, _draw_reasoning(svg, stamp, self.rule.value))


ROW, TOP, FIRST = 44, 62, 124
"""Height of a row, top of the first one, left end of the rows."""
PER_NS = (RIGHT - 12 - FIRST) / SECOND


def _place(time_ns: int) -> tuple[float, float]:
    second, ns = divmod(time_ns, SECOND)
    return FIRST + ns * PER_NS, TOP + ROW * (second - BASE) + 15


def _draw_rows(svg: Svg, stamp: tod.Stamp) -> None:
    svg.text(LEFT, 28, "Each row is a second, from its first nanosecond to its last", bold=True)
    for second in range(BASE, BASE + 4):
        y = TOP + ROW * (second - BASE)
        svg.rect(FIRST, y, SECOND * PER_NS, 30, fill=palette.SLATE.soft, stroke=palette.HAIRLINE)
        svg.text(FIRST - 30, y + 20, f"second {second}", size=12.5, anchor="end")
    x, _ = _place(stamp.arrival_ns)
    svg.line(x, TOP - 8, x, TOP + 4 * ROW - 8, stroke=FRAME.strong, dash="4 4", thick=1.5)
    for row in range(4):  # it fits into every second
        svg.circle(x, TOP + ROW * row + 15, 5, fill=palette.PANEL, stroke=FRAME.strong, thick=1.5)
    anchor = "start" if x < 300 else "end"
    shift = 6 if anchor == "start" else -6
    svg.text(
        x + shift,
        TOP - 12,
        f"the header says: {stamp.frame_ns:,} ns",
        size=12,
        anchor=anchor,
        fill=FRAME.strong,
    )


def _draw_marks(svg: Svg, stamp: tod.Stamp) -> None:
    """Dot: arrival. Square: the clock is read. Ring: the time given, with a cross if it is wrong."""
    x, y = _place(stamp.read_ns)
    svg.rect(x - 6, y - 6, 12, 12, fill=READ.strong)
    if stamp.saved.signed_ns < 0:  # the register names the next second already
        below = y + ROW
        svg.rect(FIRST - 22, below - 6, 12, 12, stroke=READ.strong, thick=2)
        svg.line(x, y + 7, FIRST - 9, below - 4, stroke=READ.strong, dash="2 3")
    x, y = _place(stamp.arrival_ns)
    svg.circle(x, y, 6, fill=FRAME.strong)
    x, y = _place(stamp.given_ns)
    tone = WRONG if stamp.error_ns else GIVEN
    svg.circle(x, y, 11, stroke=tone.strong, thick=3)
    if stamp.error_ns:
        svg.path(f"M{x - 7:.1f} {y - 7:.1f}l14 14m0 -14l-14 14", stroke=tone.strong, thick=2.5)
    y = TOP + 4 * ROW + 10
    svg.circle(LEFT + 8, y - 4, 6, fill=FRAME.strong)
    svg.text(LEFT + 20, y, "frame arrives", size=12)
    svg.circle(LEFT + 128, y - 4, 5, fill=palette.PANEL, stroke=FRAME.strong, thick=1.5)
    svg.text(LEFT + 140, y, "the header fits here, too", size=12)
    svg.rect(LEFT + 320, y - 10, 12, 12, fill=READ.strong)
    svg.text(LEFT + 340, y, "clock is read", size=12)
    svg.circle(LEFT + 452, y - 4, 9, stroke=GIVEN.strong, thick=3)
    svg.text(LEFT + 470, y, "time given, right", size=12)
    svg.circle(LEFT + 604, y - 4, 9, stroke=WRONG.strong, thick=3)
    svg.path(f"M{LEFT + 598} {y - 10}l12 12m0 -12l-12 12", stroke=WRONG.strong, thick=2)
    svg.text(LEFT + 622, y, "time given, wrong", size=12)


def _draw_reasoning(svg: Svg, stamp: tod.Stamp, rule: str) -> str:
    """The comparison in three lines; returned as a sentence."""
    saved = stamp.saved
    held = f"SEC {saved.seconds}, NSEC {saved.raw_ns:#010x} = {saved.raw_ns:,}"
    if stamp.ns != saved.raw_ns:
        held += f" → {stamp.seconds} s and {stamp.ns:,} ns"
    compared = f"{stamp.ns:,} {'<' if stamp.ns < stamp.frame_ns else '≥'} {stamp.frame_ns:,}"
    if stamp.borrowed:
        outcome = f"the second has changed, borrow one: {stamp.seconds} − 1 = {stamp.seconds - 1}"
    elif tod.RULES[rule].borrows:
        outcome = f"no borrow, it is second {stamp.seconds}"
    else:
        outcome = f"this rule does not look, it is second {stamp.seconds}"
    verdict = f"wrong by {stamp.error_ns // SECOND:+} s" if stamp.error_ns else "right"
    y = TOP + 4 * ROW + 44
    lines = (
        ("registers", held),
        ("compare", f"{compared}: {outcome}"),
        ("given", f"{as_time(stamp.given_ns)}, arrived at {as_time(stamp.arrival_ns)}"),
    )
    for row, (name, text) in enumerate(lines):
        svg.text(LEFT, y + 21 * row, name, size=12.5, bold=True)
        svg.text(FIRST, y + 21 * row, text, size=12, mono=True)
    svg.text(RIGHT, y + 42, verdict, anchor="end", bold=True)
    return (
        f"Arrived at {as_time(stamp.arrival_ns)}, clock read {stamp.read_ns - stamp.arrival_ns:,} ns later. "
        f"{compared}: {outcome}. The frame is given {as_time(stamp.given_ns)}, which is {verdict}."
    )
