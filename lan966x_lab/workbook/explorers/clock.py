"""Seed 000 1/2 in pictures: which frames need a time, and what the clock costs among all accesses."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from lan966x_lab.driver import Options, RxFilter
from lan966x_lab.hw.registers import Access
from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import rxtime, tod
from lan966x_lab.measure.counted.rxtime import Need, Reading

from .. import palette
from ..figures.packets import CAPTURES, frames_of
from ..pictures import Picture
from ..svg import WIDTH, Svg, text_width
from ..widgets import Explorer, choice, number, switch

CLOCK, REST = palette.TONES[1], palette.SLATE
LEFT, RIGHT = 20, WIDTH - 20


class Sign(NamedTuple):
    """How a kind of frame is drawn: a letter, a tone, and what it means."""

    letter: str
    tone: palette.Tone
    meaning: str


SIGNS = {
    Need.EVENT: Sign("E", palette.TONES[0], "PTP event: its time counts"),
    Need.GENERAL: Sign("g", palette.TONES[4], "PTP general: needs none"),
    Need.OTHER: Sign("", palette.SLATE, "no PTP: needs none"),
}
PATHS = {"DMA": "fdma", "manual, word by word": "manual"}
DATA = {name: key for name, key in CAPTURES.items() if not key.startswith("ptp") and "partial" not in key}
MESSAGES = {name: key for name, key in CAPTURES.items() if key.startswith("ptp")}
FRAMES = 100


def needs_picture() -> Picture:
    """The frames of every capture, by whether they need a time."""
    counts = {name: Counter(map(rxtime.need, frames_of(key))) for name, key in CAPTURES.items()}
    left, row, total_x = 250, 27, RIGHT
    scale = (total_x - 60 - left) / 100
    svg = Svg(WIDTH, 78 + row * len(counts), "Frames of the captures, by whether they need a time")
    svg.text(LEFT, 28, "Which frames need a time?", size=15, bold=True)
    svg.text(
        RIGHT, 28, "bars: share of a capture; numbers: frames", size=12, anchor="end", fill=palette.MUTED
    )
    x: float = left
    for sign in SIGNS.values():
        svg.rect(x, 42, 13, 13, fill=sign.tone.soft, stroke=sign.tone.strong)
        svg.text(x + 19, 53, sign.meaning, size=12)
        x += 36 + text_width(sign.meaning, 12)
    for index, (name, count) in enumerate(counts.items()):
        y = 66 + row * index
        svg.text(left - 12, y + 15, name, anchor="end", fit=left - 20)
        x = left
        for kind, sign in SIGNS.items():
            width = 100 * count[kind] / count.total() * scale
            if width:
                svg.rect(x, y, width, 21, fill=sign.tone.soft, stroke=sign.tone.strong)
                if width > 16:
                    svg.text(x + width / 2, y + 15, count[kind], size=12, anchor="middle")
            x += width
        svg.text(RIGHT, y + 15, count.total(), size=12, anchor="end", fill=palette.MUTED)
    most = max(counts, key=lambda name: counts[name][Need.EVENT] / counts[name].total())
    share = 100 * counts[most][Need.EVENT] / counts[most].total()
    without = sum(not count[Need.EVENT] for count in counts.values())
    return Picture(
        svg,
        f"In {without} of {len(counts)} captures no frame needs a time. Even among the frames of PTP itself, "
        f"at most {share:.0f} % do ({most}).",
    )


def frame_timeline() -> Picture:
    """What the CPU does for one short frame, gate open, on both paths, from the driver's own trace."""
    lanes = {
        name: rxtime.one_frame(Options(path=path, gate_rx_timestamp=True), RxFilter.ALL)
        for name, path in reversed(PATHS.items())
    }
    svg = Svg(WIDTH, 226, "The accesses of the CPU for one received frame")
    svg.text(LEFT, 28, "One frame of 60 bytes, gate open: every access of the CPU", size=15, bold=True)
    svg.text(RIGHT, 28, "counted; widths: the lab's calibration", size=12, anchor="end", fill=palette.MUTED)
    x: float = LEFT
    for tone, meaning in ((REST, "fetch the frame"), (CLOCK, "read the time of day")):
        svg.rect(x, 42, 13, 13, fill=tone.soft, stroke=tone.strong)
        svg.text(x + 19, 53, meaning, size=12)
        x += 40 + text_width(meaning, 12)
    svg.text(x, 53, "R read  W write", size=12, fill=palette.MUTED)
    scale = (RIGHT - LEFT) / max(trace[-1].time_ns for trace in lanes.values())
    said = []
    for index, (name, trace) in enumerate(lanes.items()):
        y = 74 + 76 * index
        clock = sum(access.name in tod.REGISTERS for access in trace)
        said.append(f"{clock} of {len(trace)} ({name})")
        svg.text(LEFT, y + 12, f"{name}: {len(trace)} accesses, {clock} of them for the clock", bold=True)
        _draw_accesses(svg, y + 20, scale, trace)
    return Picture(svg, f"Accesses that read the clock, for one frame of 60 bytes: {', '.join(said)}.")


def _draw_accesses(svg: Svg, y: float, scale: float, trace: Sequence[Access]) -> None:
    last = 0
    for access in trace:
        x, width = LEFT + last * scale, (access.time_ns - last) * scale
        tone = CLOCK if access.name in tod.REGISTERS else REST
        svg.rect(x, y, width, 30, fill=tone.soft, stroke=tone.strong, title=f"{access.kind} {access.name}")
        size = 12 if width > 16 else 10
        svg.text(x + width / 2, y + 20, access.kind, size=size, anchor="middle", bold=tone is CLOCK)
        last = access.time_ns


@cache
def _received(
    data: str, messages: str, count: int, patched: bool, rx_filter: int, path: str
) -> tuple[tuple[Need, ...], rxtime.Reception]:
    """The frames' needs, and what receiving them took; a view that was seen once comes back at once."""
    frames = rxtime.mix(frames_of(data), frames_of(messages), count, FRAMES)
    taken = rxtime.receive(frames, Options(path=path, gate_rx_timestamp=patched), rx_filter)
    return tuple(map(rxtime.need, frames)), taken


class GateExplorer(Explorer):
    """A hundred frames come in; you choose patch, receive filter and traffic, and see who gets a time.

    The traits to drive it: ``patch`` (bool), ``rx_filter`` (a ``RxFilter``), ``messages`` (PTP messages among
    the hundred), ``transport`` and ``data`` (names of captures), ``path`` ("fdma" or "manual").
    """

    def __init__(self) -> None:
        filters = {each.name: each for each in RxFilter}
        self.patch = switch("Patch: gate the clock by the receive filter")
        self.rx_filter = choice("Receive filter", filters, RxFilter.NONE)
        self.messages = number("PTP messages", 4, 0, FRAMES)
        self.transport = choice("They are", MESSAGES)
        self.data = choice("The others are", DATA)
        self.path = choice("Path", PATHS)
        super().__init__(
            f"{FRAMES} frames, and for which of them the clock is read",
            [
                [self.patch, self.rx_filter, self.path],
                [self.messages, self.transport],
                [self.data],
            ],
        )

    def draw(self) -> Picture:
        """The frames, the accesses per frame, and what the claim makes of it."""
        try:
            needs, taken = _received(
                self.data.value,
                self.transport.value,
                self.messages.value,
                self.patch.value,
                self.rx_filter.value,
                self.path.value,
            )
        except OSError:
            raise ValueError(
                f"The driver refuses the filter {self.rx_filter.label} (-ERANGE): the hardware has no such "
                "filter, so nothing changes. Choose another one"
            ) from None
        svg = Svg(WIDTH, 350, "frames with and without a time, and what it costs")
        _draw_frames(svg, needs, taken)
        _draw_work(svg, taken)
        state = f"Patch {'on' if self.patch.value else 'off'}, receive filter {self.rx_filter.label}"
        said = f"{state}: {_in_words(needs, taken)}"
        if self.path.value == "fdma":
            rates = _draw_rates(svg, taken.clock_reads, needs.count(Need.EVENT))
            return Picture(svg, f"{said} Computed from the claim: {' or '.join(rates)}.")
        svg.text(LEFT, 306, "The claim's rates are far beyond what this path can carry:", fill=palette.MUTED)
        svg.text(LEFT, 326, "word by word, the frame itself is the work.", fill=palette.MUTED)
        return Picture(svg, said)


def _times(taken: rxtime.Reception) -> list[bool]:
    """For each frame, whether it has a time."""
    return [frame.hwtstamp_ns is not None for frame in taken.delivered]


def _in_words(needs: Sequence[Need], taken: rxtime.Reception) -> str:
    read = "none"
    if taken.clock_reads:
        pairs = zip(_times(taken), needs, strict=True)
        wanted = sum(time and need is Need.EVENT for time, need in pairs)
        read = f"{taken.clock_reads}, {taken.clock_reads - wanted} times for nothing"
    accesses, clock = taken.work.accesses / FRAMES, taken.clock_accesses / FRAMES
    return (
        f"{needs.count(Need.EVENT)} of {FRAMES} frames need a time, and the clock is read for {read}. "
        f"Counted: {accesses:.2f} register accesses per frame, {clock:g} of them for the clock."
    )


@cache
def readings() -> dict[str, Reading]:
    """The claim of seed 000 1/2, read both ways."""
    return rxtime.readings(claims.get("000-rx"))


def _draw_frames(svg: Svg, needs: Sequence[Need], taken: rxtime.Reception) -> None:
    stamped = _times(taken)
    svg.text(LEFT, 28, "The frames, in the order of arrival", bold=True)
    for index, (need, time) in enumerate(zip(needs, stamped, strict=True)):
        x, y = LEFT + 22 * (index % 20), 40 + 30 * (index // 20)
        sign = SIGNS[need]
        svg.rect(x, y, 20, 26, fill=sign.tone.soft, stroke=sign.tone.strong)
        svg.text(x + 10, y + 14, sign.letter, size=12, anchor="middle", bold=True)
        if time:
            svg.rect(x + 2, y + 18, 16, 6, fill=CLOCK.strong)
    y = 206
    for need, sign in SIGNS.items():
        svg.rect(LEFT, y - 12, 14, 15, fill=sign.tone.soft, stroke=sign.tone.strong)
        svg.text(LEFT + 7, y, sign.letter, size=11, anchor="middle", bold=True)
        svg.text(LEFT + 24, y, sign.meaning, size=12)
        svg.text(LEFT + 234, y, needs.count(need), size=12, anchor="end", bold=True)
        y += 20
    svg.rect(LEFT + 262, 199, 16, 6, fill=CLOCK.strong)
    svg.text(LEFT + 286, 206, "the clock was read,", size=12)
    svg.text(LEFT + 286, 222, "the frame has a time", size=12)
    svg.text(LEFT + 438, 206, sum(stamped), size=12, anchor="end", bold=True)


def _draw_work(svg: Svg, taken: rxtime.Reception) -> None:
    """Reads and writes per frame, each with the part for the clock."""
    left, top = 490, 28
    svg.text(left, top, "Register accesses per frame, counted", bold=True)
    reads, writes = taken.work.reads, taken.work.writes
    most = max(reads.total(), writes.total(), 6 * FRAMES)
    for row, (name, counter) in enumerate((("reads", reads), ("writes", writes))):
        y = top + 22 + 52 * row
        clock = sum(counter[register] for register in tod.REGISTERS)
        rest = counter.total() - clock
        svg.text(left, y + 13, f"{name} {counter.total() / FRAMES:.2f}", size=12.5)
        svg.text(
            RIGHT,
            y + 13,
            f"clock {clock / FRAMES:g}, frame {rest / FRAMES:.2f}",
            size=12,
            anchor="end",
            fill=palette.MUTED,
        )
        x: float = left
        for amount, tone in ((clock, CLOCK), (rest, REST)):
            width = (RIGHT - left) * amount / most
            if amount:
                svg.rect(x, y + 19, max(width, 1), 16, fill=tone.strong)
            x += width
        svg.line(left, y + 17, left, y + 37, stroke=palette.EDGE)
    y = top + 144
    for tone, meaning, x in ((CLOCK, "for the clock", left), (REST, "for the frame", left + 130)):
        svg.rect(x, y - 11, 13, 13, fill=tone.strong)
        svg.text(x + 19, y, meaning, size=12)


def _draw_rates(svg: Svg, clock_reads: int, events: int) -> list[str]:
    """The rate for each way to read the claim, between its ends; returned in words."""
    top, left = 272, 180
    scale = (RIGHT - 130 - left) / 600
    svg.text(LEFT, top, "Rate of full frames, computed from the claim", bold=True)
    svg.text(
        RIGHT,
        top,
        "marks: the clock for every frame, for none; dotted: for events only",
        size=12,
        anchor="end",
        fill=palette.MUTED,
    )
    said = []
    for row, (name, reading) in enumerate(readings().items()):
        y = top + 12 + 30 * row
        rate = reading.mbit(Fraction(clock_reads, FRAMES))
        svg.text(left - 12, y + 16, name, size=12.5, anchor="end")
        svg.rect(left, y, float(rate) * scale, 22, fill=palette.AFTER.soft, stroke=palette.AFTER.strong)
        for end in (reading.before, reading.after):
            x = left + float(end) * scale
            svg.line(x, y - 3, x, y + 25, stroke=palette.INK, thick=2)
        x = left + float(reading.mbit(Fraction(events, FRAMES))) * scale
        svg.line(x, y - 3, x, y + 25, stroke=SIGNS[Need.EVENT].tone.strong, thick=2, dash="3 3")
        said.append(f"{float(rate):.0f} Mbit/s ({name})")
        svg.text(left + 8, y + 16, f"{float(rate):.0f} Mbit/s", bold=True)
    return said
