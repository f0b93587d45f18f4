"""How a wrong number or name is refused."""

import doctest
from typing import Any

import numpy as np
import pytest

from lan966x_lab.hw import limits
from lan966x_lab.hw.limits import Named, UnknownNameError, whole


def test_examples() -> None:
    assert doctest.testmod(limits).failed == 0


@pytest.mark.parametrize("value", [0, 7, True, np.uint8(3)])
def test_what_is_allowed_comes_back_as_an_int(value: Any) -> None:
    number = whole("port", value, 0, 7)
    assert (type(number) in (int, bool), number) == (True, value)


@pytest.mark.parametrize(
    ("value", "high", "error", "words"),
    [
        (-1, 7, ValueError, "port is -1: allowed 0 to 7; take another"),
        (8, 7, ValueError, "port is 8: allowed 0 to 7"),
        (-1, None, ValueError, "port is -1: allowed 0 or more"),
        (1.0, 7, TypeError, r"port is 1.0 \(float\): allowed 0 to 7; give a whole number"),
        (None, None, TypeError, r"port is None \(NoneType\): allowed 0 or more; give a whole number"),
        ("1", 7, TypeError, "port is '1'"),
    ],
)
def test_the_rest_is_named(value: Any, high: int | None, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        whole("port", value, 0, high, "take another")


def test_things_by_name() -> None:
    things = Named("fault", {"frame aborted": 1, "word lost": 2})
    assert (things["word lost"], len(things), list(things)) == (2, 2, ["frame aborted", "word lost"])
    assert "word" not in things
    assert things.get("word") is None
    with pytest.raises(UnknownNameError, match="there is no fault 3; the nearest name is"):
        things[3]  # type: ignore[index]


def test_more_than_one_near_name() -> None:
    known = ["tx-v1", "tx-v2", "rx"]
    said = str(UnknownNameError("claim", "tx-v1x" + "y" * 99, known, offer=2))
    assert said == "there is no claim 'tx-v1x" + "y" * 33 + "; the nearest names are 'tx-v1', 'tx-v2'"
    assert str(UnknownNameError("claim", "tx", known[-1:], offer=2)).endswith("; the nearest name is 'rx'")
    assert str(UnknownNameError("claim", "tx", [])) == "tx"
