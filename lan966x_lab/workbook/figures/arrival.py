"""The static parts of notebook 03: the two halves of a time, and what reception takes on each path."""

from itertools import product

from lan966x_lab.driver import Options
from lan966x_lab.hw.phc import SECOND
from lan966x_lab.measure.counted import rxtime, tod
from lan966x_lab.measure.counted.rxtime import Need
from lan966x_lab.measure.counted.work import Count

from ..palette import EDGE, INK, MUTED, SLATE, TONES
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..tables import Table, table
from .packets import frames_of

__all__ = ["half_a_time", "reception_table", "whole_lab_table"]

LEFT, BOX, NEEDING, CLOCK = 20, 236, TONES[0], TONES[1]
FRAMES = 24


def half_a_time(arrived_ns: int, later_ns: int) -> Picture:
    """What a driver has of a frame that arrived at ``arrived_ns``, and of a clock read ``later_ns`` after it.

    Below, some frames of a recorded TCP stream and of PTP: which of them need a time at all.
    """
    clock_ns = arrived_ns + later_ns
    looks, _ = tod.readout(clock_ns)
    svg = Svg(WIDTH, 300, "the two halves of a time of arrival, and the frames that need one")
    svg.text(LEFT, 30, "A frame has arrived. When?", size=15, bold=True)
    halves = [
        ("its header says", None, arrived_ns % SECOND, NEEDING, "the nanosecond, and no second"),
        (
            "the chip's clock, a little later",
            clock_ns // SECOND,
            clock_ns % SECOND,
            CLOCK,
            f"in registers: {len(looks)} accesses to read it",
        ),
    ]
    for row, (who, second, ns, tone, how) in enumerate(halves):
        y, known = 46 + 44 * row, second is not None
        svg.text(LEFT, y + 21, who)
        fill, dash = (tone.soft, "") if known else ("none", "4 3")
        svg.rect(BOX, y, 70, 32, fill=fill, stroke=tone.strong, dash=dash)
        svg.text(BOX + 35, y + 21, f"{second} s" if known else "? s", anchor="middle", mono=True, bold=True)
        svg.rect(BOX + 74, y, 166, 32, fill=tone.soft, stroke=tone.strong)
        svg.text(BOX + 228, y + 21, f"{ns:,} ns", anchor="end", mono=True, bold=True)
        svg.text(BOX + 256, y + 21, how, size=12, fill=MUTED)
    last = clock_ns // SECOND
    svg.text(LEFT, 155, "so the frame came in second", bold=True)
    svg.text(BOX, 155, f"{last - 1} or {last}?", bold=True)
    svg.text(LEFT, 200, "And who wants to know?", size=15, bold=True)
    messages = rxtime.mix(frames_of("iperf3-tcp4-csum-ok"), frames_of("ptp-l2-e2e")[1:], 2, FRAMES)
    events = 0
    step = (WIDTH - 2 * LEFT) / FRAMES
    for index, frame in enumerate(messages):
        event = rxtime.need(frame) is Need.EVENT
        events += event
        tone, x = (NEEDING if event else SLATE), LEFT + step * index
        svg.rect(x, 214, step - 4, 30, fill=tone.soft, stroke=tone.strong if event else EDGE)
        svg.text(x + (step - 4) / 2, 234, "E" if event else "", anchor="middle", bold=True)
        svg.rect(x, 248, step - 4, 7, fill=CLOCK.strong)
    svg.text(LEFT, 282, f"E: its time counts, {events} of {FRAMES} frames", size=12, fill=INK)
    svg.rect(BOX + 74, 275, 20, 7, fill=CLOCK.strong)
    svg.text(BOX + 102, 282, "until March 2023 the driver read the clock", size=12, fill=INK)
    return Picture(
        svg,
        f"The header of a frame says {arrived_ns % SECOND:,} ns. The chip's clock, read a little later in "
        f"{len(looks)} register accesses, says {last} s and {clock_ns % SECOND:,} ns. Did the frame come in "
        f"second {last - 1} or {last}? Of {FRAMES} frames {events} needs to know; the driver read the clock "
        "for each.",
    )


def reception_table(count: int = 1000) -> Table:
    """Register accesses for a received frame on both paths, before the patch and with the gate closed."""
    rows = []
    for (name, path), nbytes in product((("manual", "manual"), ("DMA", "fdma")), (60, 1514)):
        frames = [bytes(nbytes)] * count
        before, after = (
            rxtime.receive(frames, Options(path=path, gate_rx_timestamp=gated)).work
            for gated in (False, True)
        )
        reads = " → ".join(_each(work.reads.total(), count) for work in (before, after))
        writes = " → ".join(_each(work.writes.total(), count) for work in (before, after))
        rows.append([name, nbytes, reads, writes])
    caption = f"Receiving {count:,} frames, before the patch → with the gate closed"
    return table(rows, ["path", "bytes", "register reads per frame", "register writes per frame"], caption)


def whole_lab_table(off: Count, on: Count) -> Table:
    """Register accesses for the same frames, sent and received with all patches off and on."""
    both = (off.work, on.work)
    rows = [
        ["register reads", *(work.reads.total() for work in both)],
        [
            "of these, for the time of day",
            *(sum(work.reads[name] for name in tod.REGISTERS) for work in both),
        ],
        ["register writes", *(work.writes.total() for work in both)],
    ]
    caption = f"{off.frames} frames, sent and received word by word"
    return table(rows, ["", "all patches off", "all patches on"], caption)


def _each(total: int, count: int) -> str:
    """A mean with at most two digits, and none that says nothing."""
    return f"{total / count:.2f}".rstrip("0").rstrip(".")
