"""All published claims with their verdicts, as a table and as a picture: for notebooks and the README."""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby
from math import ceil, floor, inf

from lan966x_lab.measure.claims import Claim, Verdict
from lan966x_lab.measure.interval import Interval, printed

from ..palette import AFTER, EVIDENCE, HAIRLINE, INK, MUTED, PANEL, SLATE, TONES, Tone
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..tables import Table, table

__all__ = ["VERDICT_TONES", "claims_picture", "claims_table"]

VERDICT_TONES: dict[Verdict, Tone] = {
    Verdict.HOLDS: TONES[2],
    Verdict.OFF: TONES[5],
    Verdict.INCONSISTENT: TONES[1],
    Verdict.NOT_MEASURABLE: SLATE,
}
"""The colour of a verdict; its word always stands on it."""

NAME, FIGURES, LEFT, RIGHT, PILL = 20, 208, 396, 634, 690
TOP, ROW, HEAD = 92, 22, 32


def claims_table(claims: Iterable[Claim], caption: str = "Published claims, recomputed") -> Table:
    """One row for each claim: what was printed, what it comes to, the verdict."""
    rows = [(f"seed {c.seed}: {c.metric}", _figures(c), _percent(c), str(c.verdict), c.id) for c in claims]
    return table(rows, ("what", "printed", "gain, computed", "verdict", "claim"), caption)


def claims_picture(claims: Iterable[Claim]) -> Picture:
    """One line for each claim, by seed: its gain as a bar, the stated gain as a frame around it, the verdict.

    Raises:
        ValueError: there is no claim to show.
    """
    shown = list(claims)
    if not shown:
        raise ValueError("there is no claim to show; give some of claims.load()")
    seeds = [(seed, list(group)) for seed, group in groupby(shown, key=lambda claim: claim.seed)]
    svg = Svg(WIDTH, TOP + ROW * len(shown) + HEAD * len(seeds) + 8, "published claims and their verdicts")
    svg.text(NAME, 28, "What the mails print, and what becomes of it", size=15, bold=True)
    svg.text(WIDTH - 20, 28, "reported", size=12, anchor="end", fill=EVIDENCE["reported"].strong, bold=True)
    _key(svg)
    axis = _Axis(shown)
    axis.draw(svg)
    y = TOP
    for seed, group in seeds:
        svg.line(NAME, y + 6, WIDTH - 20, y + 6, stroke=HAIRLINE)
        svg.text(NAME, y + 24, f"seed {seed}", bold=True)
        y += HEAD
        for claim in group:
            _row(svg, axis, y, claim)
            y += ROW
    return Picture(svg, _say(shown))


class _Axis:
    """From per cent to pixels, wide enough for every gain and every stated one."""

    def __init__(self, claims: Sequence[Claim]) -> None:
        spans = [span for c in claims for span in (_gain(c), _stated(c)) if span is not None]
        ends = [0.0, 1.0, *(float(end) for span in spans for end in (span.low, span.high) if end < inf)]
        self.low, self.high = 10 * floor(min(ends) / 10), 10 * ceil(max(ends) / 10)

    def x(self, percent: float) -> float:
        """Where a gain stands; what exceeds the axis, at its end."""
        share = (min(percent, self.high) - self.low) / (self.high - self.low)
        return LEFT + share * (RIGHT - LEFT)

    def draw(self, svg: Svg) -> None:
        """Grid lines with their labels above the rows."""
        step = 10 * ceil((self.high - self.low) / 50)
        for percent in range(step * ceil(self.low / step), self.high + 1, step):
            x = self.x(percent)
            svg.line(x, TOP, x, svg.height - 8, stroke=MUTED if percent == 0 else HAIRLINE)
            label = f"{percent:+} %".replace("-", "−") if percent else "0"
            svg.text(x, TOP - 6, label, size=11, anchor="middle", fill=MUTED)


def _key(svg: Svg) -> None:
    for x, tone, text in (
        (NAME, AFTER, "computed from two printed rates"),
        (262, SLATE, "computed, where only a gain is stated"),
    ):
        svg.rect(x, 45, 26, 12, fill=tone.strong)
        svg.text(x + 34, 56, text, size=12, fill=MUTED)
    svg.rect(540, 43, 26, 16, stroke=INK, thick=1.5, dash="3 2")
    svg.text(574, 56, "gain, as stated: from where to where", size=12, fill=MUTED)


def _row(svg: Svg, axis: _Axis, y: int, claim: Claim) -> None:
    svg.text(NAME, y + 15, claim.id, size=12, mono=True, fit=FIGURES - NAME - 6)
    svg.text(FIGURES, y + 15, _figures(claim), size=12, fit=LEFT - FIGURES - 6)
    gain, stated = _gain(claim), _stated(claim)
    if gain is not None:
        tone = SLATE if claim.stated else AFTER  # a statement repeats the gain of its measurement
        zero, end = axis.x(0), axis.x(float(claim.gain_percent))
        svg.rect(min(zero, end), y + 5, max(1.0, abs(end - zero)), 11, fill=tone.strong)
    if stated is not None:
        left, right = axis.x(float(stated.low)), axis.x(float(stated.high))
        svg.rect(left - 2, y + 2, right - left + 4, 17, stroke=INK, thick=1.5, dash="3 2")
    if gain is not None and stated is None:
        svg.text(max(zero, end) + 6, y + 15, _percent(claim), size=11)
    tone = VERDICT_TONES[claim.verdict]
    svg.rect(PILL, y + 2, WIDTH - 20 - PILL, 18, fill=tone.strong, radius=9)
    svg.text((PILL + WIDTH - 20) / 2, y + 15, claim.verdict, size=11, anchor="middle", fill=PANEL, bold=True)


def _figures(claim: Claim) -> str:
    """What the mail prints for this claim itself."""
    if claim.stated:
        return f"stated: {claim.stated.replace('..', '–')} {claim.stated_unit}"
    sides = [f"{figure:,}" for figure in (claim.before, claim.after) if figure is not None]
    return f"{' → '.join(sides)} {claim.unit}"


def _percent(claim: Claim) -> str:
    return "" if _gain(claim) is None else f"{claim.gain_percent:+.2f} %".replace("-", "−")


def _gain(claim: Claim) -> Interval | None:
    """The gain in per cent that the printed figures allow; None where a claim is not about a gain."""
    if claim.kind not in ("goodput", "gain"):
        return None
    return (claim.interval("after") / claim.interval("before")).scaled(100, -100)


def _stated(claim: Claim) -> Interval | None:
    """The gain in per cent that a statement gives."""
    if claim.kind != "gain":
        return None
    said = printed(claim.stated)
    if claim.stated_unit == "%":
        return said
    before = Fraction(claim.figure("before"))
    return Interval(100 * said.low / before, 100 * said.high / before)


def _say(claims: Sequence[Claim]) -> str:
    count = Counter(claim.verdict for claim in claims)
    parts = [f"{count[Verdict.HOLDS]} of {len(claims)} published claims hold"]
    for verdict in VERDICT_TONES:
        names = [claim.id for claim in claims if claim.verdict is verdict]
        if names and verdict is not Verdict.HOLDS:
            parts.append(f"{len(names)} {'is' if len(names) == 1 else 'are'} {verdict} ({', '.join(names)})")
    return "; ".join(parts) + "."
