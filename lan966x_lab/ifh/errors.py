"""What can go wrong with a header field, each with the value, the allowed range, and the next step."""

from collections.abc import Iterable
from difflib import get_close_matches

from lan966x_lab import SentenceError

__all__ = ["FieldOverlapError", "FieldRangeError", "HeaderSizeError", "UnknownFieldError"]


class FieldRangeError(SentenceError, ValueError):
    """A value does not fit its field.

    Attributes: ``field`` (its name), ``value``, ``maximum`` (the largest value that fits; the smallest is 0),
    ``row`` (where in a column of values it stands; None outside of batches).
    """

    def __init__(self, field: str, value: int, maximum: int, row: int | None = None) -> None:
        where = "" if row is None else f" in row {row}"
        super().__init__(
            f"{field} = {value}{where} does not fit: the field takes 0 to {maximum} "
            f"({maximum.bit_length()} bits). Give a value in that range."
        )
        self.field, self.value, self.maximum, self.row = field, value, maximum, row


class UnknownFieldError(SentenceError, KeyError):
    """A layout has no field of that name.

    Attributes: ``name`` (as asked for), ``nearest`` (the known name that looks most like it).
    """

    def __init__(self, layout: str, name: object, known: Iterable[str]) -> None:
        (nearest,) = get_close_matches(str(name).upper(), list(known), n=1, cutoff=0)
        super().__init__(f"{layout} has no field {name!r}. The nearest name is {nearest}.")
        self.name, self.nearest = name, nearest

    def __str__(self) -> str:
        """The sentence itself; a plain KeyError would show its repr."""
        return str(self.args[0])


class FieldOverlapError(ValueError):
    """Two fields that share bits were given values that disagree about those bits."""


class HeaderSizeError(ValueError):
    """A header is too short or too long for what was asked of it."""
