"""What ``measure.timed.timing`` measured on this computer, as a picture."""

from collections.abc import Mapping
from statistics import median

from lan966x_lab.measure.timed.timing import Timings, machine

from ..palette import EDGE, EVIDENCE, INK, MUTED, TONES
from ..pictures import Picture
from ..svg import WIDTH, Svg

BUSY = 0.10
"""How far a ratio may be from the quotient of the medians beside it before the picture says "busy"."""


def timed_bars(
    title: str, timings: Timings, *, unit: str = "ns per call", per: Mapping[str, int] | None = None
) -> Picture:
    """Median times as bars on a scale from 0, quartiles as whiskers, each with its ratio to the first one.

    A ratio is formed inside each round and the median taken, so it need not be the quotient of the two bars.
    Where the two are more than ``BUSY`` apart, the computer did something else meanwhile: then the picture
    asks to run it again.

    Args:
        title: what was timed, without the unit.
        timings: from ``timing.compare``.
        unit: what a bar stands for; its first word is the unit of time.
        per: for a name, how many such units one of its calls does, where it is not 1 (a batch).
    """
    share = {name: (per or {}).get(name, 1) for name in timings.names}
    first, *_ = timings.names
    medians = {name: timings.median_ns(name) / share[name] for name in timings.names}
    ratios = {name: timings.ratio(name, first) / share[name] * share[first] for name in timings.names}
    quartiles = {name: [end / share[name] for end in timings.spread_ns(name)] for name in timings.names}
    time, *_ = unit.split()
    left, row, tone = 210, 27, EVIDENCE["timed here"]
    scale = (WIDTH - left - 170) / max(high for _, high in quartiles.values())
    svg = Svg(WIDTH, 96 + row * len(medians), f"{title}, {unit}")
    svg.text(20, 30, f"{title}, {unit}", size=15, bold=True)
    svg.text(WIDTH - 20, 30, "timed here", size=12, anchor="end", fill=tone.strong, bold=True)
    for index, (name, value) in enumerate(medians.items()):
        y = 44 + row * index
        low, high = (left + scale * end for end in quartiles[name])
        svg.text(left - 12, y + 15, name, anchor="end", fit=left - 30)
        svg.rect(left, y + 2, max(1.0, value * scale), 18, fill=tone.soft, stroke=tone.strong)
        svg.line(low, y + 11, high, y + 11, stroke=INK, thick=2)
        for end in (low, high):
            svg.line(end, y + 6, end, y + 16, stroke=INK, thick=2)
        svg.text(max(high, left + value * scale) + 8, y + 16, f"{value:,.0f} {time}", bold=True)
        svg.text(WIDTH - 20, y + 16, f"× {ratios[name]:.2f}", anchor="end", fill=MUTED)
    svg.line(left, 42, left, 44 + row * len(medians), stroke=EDGE)
    foot = 64 + row * len(medians)
    svg.text(20, foot, machine(), size=12, fill=MUTED, fit=WIDTH - 40)
    svg.text(20, foot + 19, _FOOT, size=11, fill=MUTED, fit=WIDTH - 150)
    busy = _is_busy(timings)
    if busy:
        svg.text(
            WIDTH - 20, foot + 19, "busy: run again", size=12, anchor="end", fill=TONES[5].strong, bold=True
        )
    said = "; ".join(
        f"{name} {value:,.0f} {time}" + ("" if name == first else f" (× {ratios[name]:.2f})")
        for name, value in medians.items()
    )
    rounds = len(timings.elapsed_ns[first])
    again = " The computer was busy, some rounds are far from the others: run it again." if busy else ""
    return Picture(
        svg,
        f"{title}, {unit}, medians of {rounds} rounds, and beside {first}: {said}. {machine()}.{again}",
    )


_FOOT = (
    "×: compared round by round, so a busy moment does not count; it need not be the quotient of the medians."
)


def _is_busy(timings: Timings) -> bool:
    """Whether some ratio and the quotient of its two medians are further apart than ``BUSY``."""
    medians = {name: median(timings.elapsed_ns[name]) / timings.calls[name] for name in timings.names}
    first, *_ = timings.names
    return any(
        abs(timings.ratio(name, first) / (medians[name] / medians[first]) - 1) > BUSY
        for name in timings.names
    )
