"""One field of a header: a name, the position of its lowest bit, a width."""

from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any

from lan966x_lab.ifh.errors import FieldRangeError, HeaderSizeError

__all__ = ["Field", "disagreement"]


@dataclass(frozen=True)
class Field:
    """Bits ``top`` down to ``pos`` of a header that is read as one big-endian integer (bit 0 is its lowest).

    >>> dsts = Field("DSTS", pos=62, width=9, doc="destination ports")
    >>> dsts.top, dsts.maximum
    (70, 511)
    """

    name: str
    pos: int
    width: int
    doc: str = ""

    def __post_init__(self) -> None:
        if self.pos < 0 or self.width < 1:
            raise ValueError(
                f"{self.name}: pos is {self.pos} and width is {self.width}; "
                "pos counts from 0 and width from 1. Check the table that this field comes from."
            )

    @cached_property
    def top(self) -> int:
        """The position of the highest bit."""
        return self.pos + self.width - 1

    @cached_property
    def maximum(self) -> int:
        """The largest value that fits, which is also the mask for its bits once shifted down."""
        return (1 << self.width) - 1

    @cached_property
    def mask(self) -> int:
        """The field's bits where they stand in the header."""
        return self.maximum << self.pos

    def overlaps(self, other: "Field") -> bool:
        """Whether the two fields share a bit."""
        return self.pos <= other.top and other.pos <= self.top

    def bytes_in(self, nbytes: int) -> range:
        """The bytes that hold the field in a header of ``nbytes`` bytes, first on the wire first.

        >>> Field("DSTS", 62, 9).bytes_in(28)
        range(19, 21)

        Raises:
            HeaderSizeError: the header ends before the field does.
        """
        if self.top >= 8 * nbytes:
            raise HeaderSizeError(
                f"{self.name} is in bits {self.top} to {self.pos}, and a header of {nbytes} bytes "
                f"has bits {8 * nbytes - 1} to 0. Give at least {self.top // 8 + 1} bytes."
            )
        return range(nbytes - 1 - self.top // 8, nbytes - self.pos // 8)

    def check(self, value: int, row: int | None = None) -> int:
        """The value as a plain ``int``, once it is known to fit; ``row`` is its place in a column, if any.

        Raises:
            FieldRangeError: the value is negative or has more bits than the field.
            TypeError: the value is not an integer.
        """
        try:
            number = index(value)
        except TypeError:
            raise TypeError(
                f"{self.name} is {value!r:.40} ({type(value).__name__}): allowed 0 to {self.maximum}; "
                "give a whole number"
            ) from None
        if not 0 <= number <= self.maximum:
            raise FieldRangeError(self.name, number, self.maximum, row)
        return number


def disagreement(a: Field, left: Any, b: Field, right: Any) -> Any:
    """The bits owned by two fields about which their values differ: 0 when they agree.

    ``left`` is a value of ``a`` and ``right`` one of ``b``: two ints, or two arrays of uint64.

    >>> disagreement(Field("MASQ_PORT", 122, 4), 0b0101, Field("REW_OP", 117, 9), 0b0101_00000)
    0
    """
    low = max(a.pos, b.pos)
    mask = (2 << (min(a.top, b.top) - low)) - 1
    return ((left >> (low - a.pos)) ^ (right >> (low - b.pos))) & mask
