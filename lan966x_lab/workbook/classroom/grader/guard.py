"""Notice when a notebook has rebound what its checks rely on. This runs inside the kernel that it watches.

The grader asks for a snapshot before the first cell and compares before each check. It is a lock against the
plausible (``checks.Verdict.require = lambda self: self``), not against a learner who reads this file: code
that shares a process with the check can deceive it in the end.
"""

import builtins
import importlib
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType
from typing import Any

__all__ = ["changed", "watch"]

_ROOT = __name__.partition(".")[0]
_KINDS = (type, FunctionType, BuiltinFunctionType, property, classmethod, staticmethod)
_before: dict[str, tuple[object, object]] = {}


def watch(modules: Iterable[str]) -> int:
    """Import ``modules``, and remember every function and class of the lab, and Python's own.

    Names that are no modules are left out, so that all of ``from lan966x_lab import x, y`` may be given.

    Returns:
        How many things are watched.
    """
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    _before.clear()
    _before.update(_now())
    return len(_before)


def changed() -> list[str]:
    """The full names of what is no longer what it was, sorted."""
    now = dict(_now())
    return sorted(name for name, thing in _before.items() if now.get(name) != thing)


def _now() -> Iterator[tuple[str, tuple[object, object]]]:
    for module in [builtins, *(m for name, m in sys.modules.items() if name.partition(".")[0] == _ROOT)]:
        for name, thing in _things(module):
            full = f"{module.__name__}.{name}"
            yield full, (id(thing), getattr(thing, "__code__", None))
            if isinstance(thing, type) and thing.__module__ == module.__name__ != "builtins":
                for inner, part in _things(thing):
                    yield f"{full}.{inner}", (id(part), getattr(part, "__code__", None))


def _things(owner: Any) -> list[tuple[str, object]]:
    return [(name, thing) for name, thing in vars(owner).items() if isinstance(thing, _KINDS)]
