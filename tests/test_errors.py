"""Every error of the package survives pickle and copy: a process pool hands errors on that way."""

import copy
import importlib
import pickle
import pkgutil
from pathlib import Path

import pytest

import lan966x_lab
from lan966x_lab import DamagedDataError, ifh
from lan966x_lab.hw.registers import UnknownRegisterError
from lan966x_lab.measure.tables import DamagedTableError

WITH_ARGUMENTS = [
    ifh.FieldRangeError("IPV", 8, 7),
    ifh.FieldRangeError("IPV", -1, 7, row=3),
    ifh.UnknownFieldError("LAN966X.tx", "DST", ["DSTS", "IPV"]),
    DamagedDataError(Path("claims.csv"), "it is empty"),
    DamagedTableError(Path("claims.csv"), 3, "seed", "not a number"),
    UnknownRegisterError("QS_INJ", ["QS_INJ_CTRL"]),
    UnknownRegisterError("QS_INJ", []),
]


def package_errors() -> set[type[BaseException]]:
    """All exception classes of the package that have a constructor of their own."""
    found = set()
    for module in pkgutil.walk_packages(lan966x_lab.__path__, "lan966x_lab."):
        if not module.name.endswith("__main__"):
            for thing in vars(importlib.import_module(module.name)).values():
                if isinstance(thing, type) and issubclass(thing, BaseException) and "__init__" in vars(thing):
                    found |= {thing} if thing.__module__.startswith("lan966x_lab") else set()
    return found


def test_no_error_is_forgotten() -> None:
    own = package_errors()
    assert {type(error) for error in WITH_ARGUMENTS} <= own
    pythons = (BaseException.__reduce__, OSError.__reduce__)
    assert not [kind for kind in own if kind.__reduce__ in pythons], "it needs a __reduce__, and a case above"


@pytest.mark.parametrize("error", WITH_ARGUMENTS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_survives_pickle_and_copy(error: Exception, protocol: int) -> None:
    error.add_note("seen in a worker")
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is type(error)
        assert str(again) == str(error)
        assert vars(again) == vars(error)
        assert again.args == error.args
