"""The static pictures of notebook 07: who adds which bytes, two profiles, ways to sum by size."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from matplotlib.ticker import FuncFormatter, NullLocator

from lan966x_lab.hw.ravb import ETH_HLEN
from lan966x_lab.measure import profiles
from lan966x_lab.measure.claims import Claim
from lan966x_lab.measure.counted.offload import Received
from lan966x_lab.measure.timed.summing import PEERS
from lan966x_lab.net import frames

from ..palette import EDGE, EVIDENCE, HAIRLINE, INK, MUTED, PANEL, SLATE, TONES, Tone
from ..pictures import Picture, figure
from ..svg import WIDTH, Svg
from ..tables import Table, table
from .packets import BLUE, GREEN, LEFT, ORANGE, RIGHT, Part, parts, strip

__all__ = ["bounds_table", "meaning_table", "two_profiles", "ways_by_size", "who_adds"]


def who_adds(frame: bytes, off: Received, on: Received) -> Picture:
    """One frame that was received twice, with the bytes that the MAC and the CPU add up each time.

    Args:
        frame: IPv4, its transport checksum right.
        off: from ``offload.run`` without the offload.
        on: the same with it.
    """
    behind = len(frame) - ETH_HLEN
    pseudo_header = off.bytes_summed - behind
    svg = Svg(WIDTH, 290, "who adds up which bytes of a frame")
    svg.text(20, 28, f"A frame of {len(frame):,} bytes: who adds up what", size=15, bold=True)
    svg.text(WIDTH - 20, 28, "counted", size=12, anchor="end", fill=EVIDENCE["counted"].strong, bold=True)
    strip(svg, 70, [Part("Ethernet header", -ETH_HLEN, 0, TONES[3]), *parts(frames.parse(frame))], len(frame))
    for y, title in ((104, "offload off"), (180, "offload on")):
        svg.line(LEFT, y, RIGHT, y, stroke=HAIRLINE)
        svg.text(LEFT, y + 24, title, bold=True)
    scale = (RIGHT - LEFT) / len(frame)

    def bar(y: int, count: int, tone: Tone, note: str) -> None:
        x, wide = LEFT + ETH_HLEN * scale, count * scale
        svg.rect(x, y, wide, 24, fill=tone.soft, stroke=tone.strong)
        svg.text(x + (wide + 8 if wide < 200 else 10), y + 17, note)

    bar(136, behind, ORANGE, f"CPU: {off.bytes_summed:,} bytes, and {pseudo_header} of them a pseudo-header")
    bar(212, behind, GREEN, f"MAC: {behind:,} bytes while they arrive; it appends their sum")
    bar(246, on.bytes_summed, ORANGE, f"CPU: {on.bytes_summed} bytes, the IPv4 header and the pseudo-header")
    sentence = (
        f"For a frame of {len(frame):,} bytes the CPU adds up {off.bytes_summed:,} bytes with the offload "
        f"off and {on.bytes_summed} with it on; then the MAC adds up {behind:,} while they arrive."
    )
    return Picture(svg, sentence)


def two_profiles(goodput: Claim) -> Picture:
    """The two published profiles side by side, offload off to the left and on to the right.

    Args:
        goodput: the claim with the goodput of both runs.
    """
    rows = profiles.load()
    middle, half, row, top = WIDTH // 2, 110, 23, 74
    scale = (middle - half - 70) / float(max(share for r in rows for share in r.percent.values() if share))
    height = top + row * len(rows) + 104
    svg = Svg(WIDTH, height, "two profiles side by side")
    svg.text(20, 28, "Share of all samples, %", size=15, bold=True)
    svg.text(WIDTH - 20, 28, "reported", size=12, anchor="end", fill=EVIDENCE["reported"].strong, bold=True)
    for x, tone, words in ((250, ORANGE, "adds up"), (340, BLUE, "the idle task"), (460, SLATE, "the rest")):
        svg.rect(x, 17, 12, 12, fill=tone.strong)
        svg.text(x + 18, 28, words, size=12, fill=MUTED)
    for x, anchor, offload, rate in (
        (middle - half, "end", "off", goodput.figure("before")),
        (middle + half, "start", "on", goodput.figure("after")),
    ):
        svg.text(x, 56, f"offload {offload}: {rate} {goodput.unit}", anchor=anchor, bold=True)
    for index, entry in enumerate(rows):
        y, tone = top + row * index, _tone(entry)
        mark = entry.symbol == "do_csum" or entry.process == profiles.IDLE
        svg.text(
            middle, y + 14, entry.symbol, size=11, anchor="middle", mono=True, bold=mark, fit=2 * half - 8
        )
        for offload, side in (("off", -1), ("on", 1)):
            _share(
                svg,
                y,
                side,
                entry.percent[offload],
                profiles.least_listed(offload),
                tone,
                middle,
                half,
                scale,
            )
    y = top + row * len(rows) + 10
    svg.line(20, y, WIDTH - 20, y, stroke=EDGE)
    for index, (name, process) in enumerate(
        (("idle task, listed", profiles.IDLE), ("all listed rows", None))
    ):
        _numbers(
            svg, y + 24 * (index + 1), name, [profiles.total(side, process) for side in profiles.OFFLOAD]
        )
    _numbers(svg, y + 72, "not listed", [100 - profiles.total(side) for side in profiles.OFFLOAD])
    return Picture(svg, _say(goodput))


def _tone(entry: profiles.ProfileRow) -> Tone:
    if entry.symbol == "do_csum":
        return ORANGE
    return BLUE if entry.process == profiles.IDLE else SLATE


def _share(
    svg: Svg,
    y: int,
    side: int,
    share: Decimal | None,
    least: Decimal,
    tone: Tone,
    middle: int,
    half: int,
    scale: float,
) -> None:
    """One bar; where the mail lists nothing, a dashed one up to the least listed row."""
    wide = float(share or least) * scale
    edge = middle + side * half
    x = edge if side > 0 else edge - wide
    anchor, note = ("start" if side > 0 else "end"), f"{share}" if share else f"not listed: < {least}"
    if share:
        svg.rect(x, y, wide, 17, fill=tone.strong)
    else:
        svg.rect(x, y, wide, 17, fill=PANEL, stroke=tone.strong, dash="4 3")
    svg.text(edge + side * (wide + 6), y + 14, note, size=12, anchor=anchor, bold=tone is not SLATE)


def _numbers(svg: Svg, y: int, name: str, values: Sequence[Decimal]) -> None:
    svg.text(WIDTH // 2, y, name, anchor="middle")
    for x, anchor, value in zip((WIDTH // 2 - 110, WIDTH // 2 + 110), ("end", "start"), values, strict=True):
        svg.text(x, y, f"{value} %", anchor=anchor, bold=True)


def _say(goodput: Claim) -> str:
    idle = [profiles.total(side, profiles.IDLE) for side in profiles.OFFLOAD]
    rest = [100 - profiles.total(side) for side in profiles.OFFLOAD]
    return (
        f"With the offload do_csum falls from {profiles.percent('do_csum', 'off')} % to less than "
        f"{profiles.least_listed('on')} %, the listed rows of the idle task rise from {idle[0]} % to "
        f"{idle[1]} %, and the goodput stays: {goodput.figure('before')} and {goodput.figure('after')} "
        f"{goodput.unit}. {rest[0]} % and {rest[1]} % of the samples are in rows that the mail does not list."
    )


def bounds_table() -> Table:
    """By how much a share fell or rose: what is not listed had less than the least listed row."""
    csum = profiles.percent("do_csum", "off") or Decimal(0)
    rose = profiles.total("on", profiles.IDLE) - profiles.total("off", profiles.IDLE)
    rows = [
        ["do_csum fell by", str(csum - profiles.least_listed("on")), str(csum)],
        ["the three idle rows rose by", str(rose - profiles.least_listed("off")), str(rose)],
    ]
    return table(rows, ["percentage points", "at least", "at most"], "What the listed rows allow")


def meaning_table(ns: Decimal) -> Table:
    """What a share of all samples means for a frame, by the number of CPUs that gave samples.

    Args:
        ns: time per frame in ``do_csum`` if it was one CPU.
    """
    rows = [[cpus, round(cpus * ns)] for cpus in (1, 2, 4)]
    heads = ["CPUs awake and sampled", "ns in do_csum per frame"]
    return table(rows, heads, f"What {profiles.percent('do_csum', 'off')} % of the samples may mean")


def ways_by_size(
    times: Mapping[str, Mapping[int, float]], reported: tuple[int, float], machine: str
) -> Picture:
    """Time for one packet against its size, both logarithmic.

    Args:
        times: from ``summing.time_ways``.
        reported: bytes and ns of a sum that a mail reports, for one mark.
        machine: where the times were taken, ``timing.machine()``.
    """
    fig, ax = figure(height=430, title="Time to sum one packet, timed here")
    sizes = list(times[PEERS[0]])
    slow_first = sorted(times, key=lambda name: -times[name][sizes[-1]])
    looks = iter(zip(TONES, "os^DvP", strict=True))
    for name in slow_first:
        if name in PEERS:
            line, marker, colour = ("--", ":")[PEERS.index(name)], None, MUTED
        else:
            tone, marker = next(looks)
            line, colour = "-", tone.strong
        ax.plot(sizes, times[name].values(), line, marker=marker, color=colour, label=name)
    ax.plot(*reported, "*", color=INK, markersize=15, label="do_csum, reported")
    ax.set(xscale="log", yscale="log", xlabel="bytes of the packet", ylabel="ns for one packet")
    ax.set_xticks(sizes, labels=[f"{size:,}" for size in sizes])
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    fig.legend(loc="outside right center", frameon=False, fontsize=9.5)
    slow, *_, fast = (name for name in slow_first if name not in PEERS)
    at = [f"at {size:,} bytes {times[slow][size]:,.0f} and {times[fast][size]:,.0f} ns" for size in sizes]
    return Picture(fig, f"One packet takes, with {slow} and with {fast}: {at[0]}, {at[-1]}. {machine}.")
