"""The tables of notebook 05: savings that two rows allow, what they leave of the gains, what headers cost."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from lan966x_lab.measure.claims import Claim
from lan966x_lab.measure.counted import header_ways
from lan966x_lab.measure.interval import Interval, printed
from lan966x_lab.measure.model.twofigures import TwoRows

from ..tables import Table, table

__all__ = ["agreement_table", "lines_table", "savings_table", "us", "ways_table"]


def us(ns: Interval, decimals: int = 1) -> str:
    """An interval of ns, in µs."""
    return f"{ns.scaled(Fraction(1, 1000)):.{decimals}f}"


def savings_table(readings: Mapping[str, TwoRows]) -> Table:
    """Which savings per frame each row allows, and which both do, for each reading of the labels."""
    rows = [
        [name, us(two.big.saving), us(two.small.saving), us(two.common) if two.common else "none"]
        for name, two in readings.items()
    ]
    any_two = next(iter(readings.values()))
    sizes = [f"{row.payload:,} bytes allow" for row in (any_two.big, any_two.small)]
    return table(rows, ["labels", *sizes, "both allow"], "Savings per frame, µs")


def agreement_table(two: TwoRows, stated: Sequence[Claim]) -> Table:
    """The stated gains beside those that are left when both rows have to agree.

    Args:
        two: rows that some saving fits.
        stated: the claims with the gain of the big and of the small frames.

    Raises:
        ValueError: no saving fits both rows.
    """
    if two.common is None:
        raise ValueError("no saving fits both rows, so nothing is left: exchange the labels of one")
    rows = []
    for row, claim in zip((two.big, two.small), stated, strict=True):
        gain, share = row.gain_percent(two.common), row.share_percent(two.common)
        verdict = "possible" if printed(claim.stated).meets(gain) else "too high"
        rows.append([f"{row.payload:,} bytes", f"{claim.stated} %: {verdict}", f"{gain:.1f}", f"{share:.1f}"])
    heads = ["payload", "stated gain", "gain that both rows allow, %", "share of a frame's time, %"]
    return table(rows, heads, "What is left when both rows have to agree")


def lines_table(readings: Mapping[str, TwoRows]) -> Table:
    """The line through the two times, T = F + b · L, without and with the template."""
    rows = [
        [name, way, us(two.per_frame(side)), f"{two.per_byte(side):.0f}"]
        for name, two in readings.items()
        for side, way in (("before", "without"), ("after", "with"))
    ]
    return table(rows, ["labels", "template", "F, µs", "b, ns"], "The line T = F + b · L through both times")


def ways_table(driver: str) -> Table:
    """What one header costs, made in each way for each kind of frame, by ``header_ways.DRIVERS``."""
    rows = []
    for kind in ("plain", "VLAN", "VLAN and PTP"):
        for way in header_ways.WAYS:
            cost = header_ways.cost(driver, way, "packing", kind)
            moved = f"{cost.loads} + {cost.stores}"
            rows.append([kind, way, cost.calls, moved, cost.accesses, cost.lines])
    heads = ["frame", "way", "set calls", "bytes loaded + stored", "accesses", "lines"]
    return table(rows, heads, f"{driver}: one header, fields set by the general routine")
