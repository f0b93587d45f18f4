"""The rules by which a published claim is judged: one per kind of claim, and each shows its arithmetic.

A rule yields findings: whether a printed figure agrees with what follows from the others, and the arithmetic.
The verdict is what the table ``RULES`` gives for "all agree" and for "one does not".

``holds``
    Everything that can be recomputed agrees, within the rounding of the printed figures.
``off``
    The statement does not follow from the figures printed for it.
``inconsistent``
    The printed figures contradict each other, so at least one of them is wrong.
``not measurable``
    Nothing was printed from which the figure could be recomputed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from lan966x_lab.measure import linerate, profiles
from lan966x_lab.measure.interval import Exact, Interval, printed

if TYPE_CHECKING:
    from lan966x_lab.measure.claims import Claim

__all__ = ["RULES", "Rule", "Verdict", "judge"]

PERF_EVENT_BYTES = 24  # what perf 3.16 takes one sample to be worth when it prints their number


class Verdict(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    OFF = "off"
    INCONSISTENT = "inconsistent"
    NOT_MEASURABLE = "not measurable"


Finding = tuple[bool, str]  # whether it agrees, and the arithmetic as a sentence


def _goodput(claim: "Claim") -> Iterator[Finding]:
    """Two measured rates: do the lines add up, are they possible, do both frame sizes tell one story?"""
    yield from _transfers(claim)
    yield _below_line_rate(claim)
    yield from _same_saving(claim)


def _transfers(claim: "Claim") -> Iterator[Finding]:
    """iperf3 prints bytes, seconds and rate: the third follows from the first two."""
    for side, (mbytes, seconds) in claim.transfers.items():
        unit = linerate.goodput(1, 1)
        span = printed(str(mbytes)).scaled(unit) / printed(str(seconds))
        rate = claim.figure(side)
        agrees = span.meets(claim.interval(side))
        would_be = Fraction(rate) * Fraction(seconds) / unit
        yield (
            agrees,
            f"{side}: {mbytes} MBytes in {seconds} s are {_f(linerate.goodput(mbytes, seconds), 1)} Mbit/s "
            f"{span:.1f}; printed {rate} {claim.interval(side):.2f}: "
            + ("agrees." if agrees else f"contradicts it. {rate} Mbit/s would be {_f(would_be, 0)} MBytes."),
        )


def _below_line_rate(claim: "Claim") -> Finding:
    limit = linerate.line_rate(claim.payload, claim.transport, claim.link_mbit)
    wire = linerate.wire_bytes(claim.payload, claim.transport)
    agrees = max(claim.both()) <= limit
    return (
        agrees,
        f"line rate: {claim.payload} bytes of payload ({claim.payload_is}) in {wire} bytes on the wire at "
        f"{claim.link_mbit} Mbit/s allow {_f(limit, 2)} Mbit/s: "
        + ("possible." if agrees else "impossible."),
    )


def _same_saving(claim: "Claim") -> Iterator[Finding]:
    """A cost per frame does not depend on the frame's size, so both sizes have to save the same time."""
    for other in claim.others:
        here, there = claim.saving_ns(), other.saving_ns()
        swapped = here.scaled(-1)
        agrees = here.meets(there)
        notes = ["one value fits both." if agrees else "no value fits both."]
        if not agrees and swapped.meets(there):
            notes.append(f"Swapped, it would be {swapped:.0f} ns, which fits.")
        saved = f"saved per frame: {here:.0f} ns here, {there:.0f} ns in {other.id}"
        yield agrees, f"{saved}: {' '.join(notes)}"


def _gain(claim: "Claim") -> Iterator[Finding]:
    """A stated difference or percentage against the one that the measured figures give."""
    stated, unit = printed(claim.stated), claim.stated_unit
    formula = _percent_more if unit == "%" else Interval.__sub__
    for measured in claim.others:
        before, after = measured.both()
        exact = measured.gain_percent if unit == "%" else measured.gain
        computed = formula(measured.interval("after"), measured.interval("before"))
        swapped = formula(measured.interval("before"), measured.interval("after"))
        agrees = computed.meets(stated)
        notes = ["agrees." if agrees else "does not agree."]
        if not agrees and swapped.meets(stated):
            notes.append(f"Swapped, it would be {swapped:.2f} {unit}, which fits.")
        if measured.verdict is Verdict.INCONSISTENT:
            notes.append(f"Beware, {measured.id} is inconsistent.")
        gain = (
            f"{measured.id}: from {before} to {after} {measured.unit} is {_f(exact, 2)} {unit} {computed:.2f}"
        )
        yield agrees, f"{gain}; stated {claim.stated} {stated:.2f}: {' '.join(notes)}"


def _percent_more(after: Interval, before: Interval) -> Interval:
    return (after / before).scaled(100, -100)


def _frame_share(claim: "Claim") -> Iterator[Finding]:
    """A share of CPU time: if the CPU sets the frame rate, removing the work saves that share of a frame."""
    stated = printed(claim.stated)
    for measured in claim.others:
        before, after = measured.both()
        share = (1 - Fraction(before) / Fraction(after)) * 100
        span = (measured.interval("before") / measured.interval("after")).scaled(-100, 100)
        agrees = span.meets(stated)
        yield (
            agrees,
            f"{measured.id}: 1 − {before}/{after} = {_f(share, 2)} % of a frame's time saved {span:.2f}; "
            f"stated {claim.stated} %: " + ("agrees." if agrees else "does not agree."),
        )


def _rate_is_line_rate(claim: "Claim") -> Iterator[Finding]:
    """A stated rate that is said to be the limit of the link."""
    limit = linerate.line_rate(claim.payload, claim.transport, claim.link_mbit)
    yield limit in printed(claim.stated), f"line rate: {_f(limit, 2)} Mbit/s; stated {claim.stated}."


def _rate_as_measured(claim: "Claim") -> Iterator[Finding]:
    """A stated rate that a measurement prints more exactly, without the patch."""
    stated = printed(claim.stated)
    for measured in claim.others:
        span = measured.interval("before")
        agrees = span.meets(stated)
        yield (
            agrees,
            f"{measured.id}: {measured.before} {measured.unit} {span:.1f} without the patch; stated "
            f"{claim.stated} {stated:.0f}: " + ("agrees." if agrees else "does not agree."),
        )


def _near_line_rate(claim: "Claim") -> Iterator[Finding]:
    """Measured rates that are said to be a percentage of the limit of the link."""
    limit = linerate.line_rate(claim.payload, claim.transport, claim.link_mbit)
    for measured in claim.others:
        for rate in measured.both():
            share = Fraction(rate) / limit * 100
            yield share in printed(claim.stated), f"{rate} is {_f(share, 2)} % of {_f(limit, 2)} Mbit/s."


def _samples(claim: "Claim") -> Iterator[Finding]:
    """The number of samples that perf 3.16 prints is no count: it divides the size of its file."""
    for side, mbytes in claim.file_mbytes.items():
        size = printed(str(mbytes)).scaled(Fraction(linerate.MBYTE, PERF_EVENT_BYTES))
        figure = claim.figure(side)
        yield (
            figure in size,
            f"{side}: {mbytes} MBytes / {PERF_EVENT_BYTES} bytes = {size:.0f}; printed {figure}: "
            "the size of the file, not counted samples.",
        )


def _profile(claim: "Claim") -> Iterator[Finding]:
    """A function's share of the samples, and its absence from the rows listed afterwards."""
    symbol = claim.metric.split()[-1]
    share = claim.figure("before")
    least = profiles.least_listed("on")
    (measured,) = claim.others
    frame = linerate.frame_ns(measured.figure("before"), measured.payload)
    yield profiles.percent(symbol, "off") == share, f"off: {symbol} has {share} % of the samples."
    yield (
        profiles.percent(symbol, "on") is None and least < share,
        f"on: not listed, so less than {least} %, the least listed row.",
    )
    time = f"{_f(frame * Fraction(share) / 100, 0)} ns per frame for each CPU that was sampled"
    yield (
        True,
        f"{share} % of the {_f(frame, 0)} ns between frames are {time}; how many, the mail does not say.",
    )


def _no_figures(claim: "Claim") -> Iterator[Finding]:
    text = f"stated {claim.stated} {claim.stated_unit}; no figures were printed to recompute it from."
    yield True, text


@dataclass(frozen=True)
class Rule:
    """How claims of one kind are judged, and which columns such a row cannot do without."""

    findings: Callable[["Claim"], Iterator[Finding]]
    needs: tuple[str, ...]
    agree: Verdict = Verdict.HOLDS
    disagree: Verdict = Verdict.OFF


RULES = {
    "goodput": Rule(_goodput, ("before", "after", "unit"), disagree=Verdict.INCONSISTENT),
    "gain": Rule(_gain, ("stated", "stated_unit", "compare_with")),
    "frame share": Rule(_frame_share, ("stated", "compare_with")),
    "rate is line rate": Rule(_rate_is_line_rate, ("stated",)),
    "rate as measured": Rule(_rate_as_measured, ("stated", "compare_with")),
    "near line rate": Rule(_near_line_rate, ("stated", "compare_with")),
    "samples": Rule(
        _samples,
        ("before", "after", "before_mbytes", "after_mbytes"),
        agree=Verdict.NOT_MEASURABLE,
        disagree=Verdict.INCONSISTENT,
    ),
    "profile": Rule(_profile, ("before", "compare_with")),
    "no figures": Rule(_no_figures, ("stated", "stated_unit"), agree=Verdict.NOT_MEASURABLE),
}


def judge(claim: "Claim") -> tuple[Verdict, str]:
    """The verdict and its arithmetic, a sentence per line."""
    rule = RULES[claim.kind]
    findings = list(rule.findings(claim))
    agreed = all(agrees for agrees, _ in findings)
    return rule.agree if agreed else rule.disagree, "\n".join(text for _, text in findings)


def _f(value: Exact, places: int) -> str:
    return f"{float(value):.{places}f}"
