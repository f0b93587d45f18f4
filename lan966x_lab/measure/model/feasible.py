"""Every set of unknown costs that a handful of printed figures allows, exactly.

A printed figure is rounded, so it says of a sum of costs that it lies in an interval. The sets of costs that
agree with all figures form a convex body; a cost, a sum of costs and a ratio of two sums take their extreme
values at its corners. With a few unknowns the corners can be found by trying: each is where as many limits as
there are unknowns hold with equality (Dantzig, *Linear Programming and Extensions*, 1963, chapter 7).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import inf

from lan966x_lab.measure.interval import Interval

__all__ = ["Corner", "Sum", "corners"]

Corner = tuple[Fraction, ...]  # one value for each unknown


@dataclass(frozen=True)
class Sum:
    """What one figure says: so many of each unknown together lie in an interval; ``inf`` is no limit."""

    times: tuple[int, ...]  # how often each unknown is in it, 0 or more
    lies_in: Interval

    def of(self, values: Sequence[Fraction]) -> Fraction:
        """The sum for these values of the unknowns."""
        return sum((n * value for n, value in zip(self.times, values, strict=True)), Fraction(0))


def corners(sums: Iterable[Sum], unknowns: int) -> tuple[Corner, ...]:
    """The corners of the body of all ``unknowns`` numbers that are not negative and agree with every sum.

    Raises:
        ValueError: nothing agrees with all sums, or some unknown has no upper limit.
    """
    nothing = [Interval(Fraction(0), inf)] * unknowns
    single = [tuple(int(i == j) for j in range(unknowns)) for i in range(unknowns)]
    every = [*sums, *map(Sum, single, nothing)]
    for unknown in range(unknowns):
        if not any(row.times[unknown] > 0 and row.lies_in.high < inf for row in every):
            raise ValueError(f"unknown {unknown} has no upper limit; add a sum that holds it")
    found: dict[Corner, None] = {}
    for chosen in combinations(every, unknowns):
        inverse = _inverse([row.times for row in chosen])
        if inverse is None:
            continue
        for limits in product(*(_finite(row.lies_in) for row in chosen)):
            corner = tuple(
                sum((a * b for a, b in zip(row, limits, strict=True)), Fraction()) for row in inverse
            )
            if corner not in found and all(row.of(corner) in row.lies_in for row in every):
                found[corner] = None
    if not found:
        raise ValueError("no set of costs agrees with all figures; leave one out, or add a cost")
    return tuple(found)


def _finite(interval: Interval) -> list[Fraction]:
    return [Fraction(end) for end in dict.fromkeys((interval.low, interval.high)) if end < inf]


def _inverse(matrix: Sequence[Sequence[int]]) -> list[list[Fraction]] | None:
    """By Gauss and Jordan; None if the matrix is singular."""
    size = len(matrix)
    rows = [[*map(Fraction, row), *(Fraction(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = next((r for r in range(column, size) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        lead = rows[column][column]
        rows[column] = [value / lead for value in rows[column]]
        for r in range(size):
            if r != column and (factor := rows[r][column]):
                rows[r] = [a - factor * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [row[size:] for row in rows]
