"""Printed figures as intervals: what a rounded number says, and what it leaves open.

A mail that prints 31 Mbit/s says "between 30.5 and 31.5". Arithmetic on such intervals tells which results
the printed figures allow; two statements contradict each other only if their intervals do not meet.
"""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import inf

__all__ = ["Exact", "Interval", "printed"]

Exact = int | Fraction | Decimal
Bound = Fraction | float  # a float only for infinity: everything else is exact


@dataclass(frozen=True)
class Interval:
    """All numbers from ``low`` to ``high``, both included. ``f"{interval:.2f}"`` prints ``[3.44, 3.54]``."""

    low: Bound
    high: Bound

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"an interval goes upwards, not from {self.low} to {self.high}")

    def __contains__(self, value: Exact) -> bool:
        return self.low <= Fraction(value) <= self.high

    def __sub__(self, other: "Interval") -> "Interval":
        return Interval(self.low - other.high, self.high - other.low)

    def __truediv__(self, other: "Interval") -> "Interval":
        """The quotient of two intervals of positive numbers."""
        if self.low <= 0 or other.low <= 0:
            raise ValueError(f"only intervals of positive numbers can be divided, not {self:g} / {other:g}")
        return Interval(self.low / other.high, self.high / other.low)

    def scaled(self, factor: Exact, offset: Exact = 0) -> "Interval":
        """``factor * x + offset`` for every x of the interval; a negative factor turns it round."""
        one, other = (Fraction(factor) * end + Fraction(offset) for end in (self.low, self.high))
        return Interval(min(one, other), max(one, other))

    def meets(self, other: "Interval") -> bool:
        """Whether some number lies in both."""
        return self.low <= other.high and other.low <= self.high

    def __format__(self, spec: str) -> str:
        return f"[{float(self.low):{spec}}, {float(self.high):{spec}}]"


def printed(figure: str) -> Interval:
    """The interval that a printed figure stands for.

    ======== ===================================================================
    16.4     a rounded number: half a unit of its last digit either way
    ~70      "about": a tenth of it either way (a convention of this workbook)
    >100     "more than"
    2.5..5   a range, as printed
    ======== ===================================================================

    Raises:
        ValueError: the text is none of these.
    """
    try:
        if ".." in figure:
            low, high = figure.split("..")
            return Interval(Fraction(low), Fraction(high))
        if figure.startswith(">"):
            return Interval(Fraction(figure[1:]), inf)
        value = Fraction(figure.removeprefix("~"))
        half = abs(value) / 10 if figure.startswith("~") else _half_of_last_digit(figure)
        return Interval(value - half, value + half)
    except (ArithmeticError, ValueError):
        raise ValueError(f"{figure!r} is not a printed figure like 16.4, ~70, >100 or 2.5..5") from None


def _half_of_last_digit(figure: str) -> Fraction:
    _, _, decimals = figure.partition(".")
    return Fraction(1, 2 * 10 ** len(decimals))
