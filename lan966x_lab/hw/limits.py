"""How hardware and driver refuse what they are given: its name, its value, what is allowed."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import TypeVar

from lan966x_lab import SentenceError
from lan966x_lab.net.batch import integer

T = TypeVar("T")


class UnknownNameError(SentenceError, KeyError):
    """There is no such thing; the message has the known name that is nearest, or as many as `offer` says."""

    def __init__(self, kind: str, name: object, known: Collection[str], offer: int = 1) -> None:
        near = get_close_matches(str(name), known, n=offer, cutoff=0.0)
        nearest = f"the nearest name{' is' if len(near) == 1 else 's are'} {', '.join(map(repr, near))}"
        super().__init__(f"there is no {kind} {name!r:.40}; {nearest}" if near else name)

    def __str__(self) -> str:
        return str(self.args[0])


class Named(UserDict[str, T]):
    """Things of one `kind` by name.

    >>> Named("fault", {"word lost": 1})["wrd lost"]
    Traceback (most recent call last):
    lan966x_lab.hw.limits.UnknownNameError: there is no fault 'wrd lost'; the nearest name is 'word lost'
    """

    def __init__(self, kind: str, things: Mapping[str, T]) -> None:
        super().__init__(things)
        self._kind = kind

    def __missing__(self, name: object) -> T:
        raise UnknownNameError(self._kind, name, self.data)


def whole(name: str, value: object, low: int, high: int | None = None, advice: str = "") -> int:
    """`value` as an int of `low` to `high` (None: no upper end); `advice` says what to do instead.

    >>> whole("port", 3, 0, 7)
    3

    Raises:
        TypeError: it is no whole number.
        ValueError: it is outside.
    """
    allowed = f"{low} to {high}" if high is not None else f"{low} or more"
    number = integer(name, value, allowed)
    if number < low or (high is not None and number > high):
        raise ValueError(f"{name} is {number}: allowed {allowed}" + (f"; {advice}" if advice else ""))
    return number
