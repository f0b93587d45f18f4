"""What a learner's test gets to see, and how it is run: on one version, in the dark, and not for ever.

The parts of a :class:`Lab` look alike in every version: same name, same docstring, no way to the source by
the usual means. That is a veil and no safe; who digs is found out by the second right version.
"""

import contextlib
import inspect
import io
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any
from unittest.mock import MagicMock

__all__ = ["STEPS", "Lab", "Run", "TooLongError", "dead", "refuses", "run", "show"]

STEPS = 2_000_000
"""How many lines of Python a test may take on one version; then it is stopped."""

Trace = Callable[[FrameType, str, Any], Any]


class TooLongError(BaseException):
    """The test took more than ``STEPS`` lines. No Exception, so that the test does not swallow it."""


@dataclass
class Run:
    """One version under the test: what ended it (None: it passed), and the calls that it made."""

    error: BaseException | None = None
    calls: list[str] = field(default_factory=list)


class Lab:
    """What a test gets: the parts of one version, as attributes."""

    def __init__(self, parts: Mapping[str, Any]) -> None:
        vars(self).update(parts)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the lab has no {name!r}; it has {', '.join(vars(self))}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"lab.{name} is given: a test looks at it and leaves it as it is")

    def __repr__(self) -> str:
        return f"a lab with {', '.join(vars(self))}"


def refuses(call: Callable[..., Any], *args: Any) -> bool:
    """Whether ``call(*args)`` raises ValueError; any other exception comes out.

    >>> refuses(int, "seven"), refuses(int, "7")
    (True, False)
    """
    try:
        call(*args)
    except ValueError:
        return True
    return False


def run(
    test: Any,
    right: Mapping[str, Any],
    version: Mapping[str, Any],
    tools: Mapping[str, Any],
    *,
    quiet: bool = True,
) -> Run:
    """Run a test in a fresh lab, with the same random numbers each time, and not for ever.

    Args:
        test: the learner's function.
        right: the right parts by name; they lend their faces.
        version: the parts that are really called.
        tools: what the lab has besides.
        quiet: what the test prints is lost.
    """
    result = Run()
    lab = Lab({name: _veil(right[name], version[name], result.calls) for name in right} | dict(tools))
    chance = random.getstate()
    random.seed(0)
    silence = contextlib.redirect_stdout(io.StringIO()) if quiet else contextlib.nullcontext()
    try:
        with silence, _bounded():
            test(lab)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a test raises is its result; pytest's own are no Exception
        result.error = error
    finally:
        random.setstate(chance)
    return result


def dead(parts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Two versions in which nothing does anything; a test that asserts something fails on one of them.

    In the first, every call gives None. In the second it gives an object that stands everything and equals
    nothing, so that a test which computes with results comes as far as its assertions.
    """
    silent = {name: _Dead if isinstance(part, type) else _nothing_done for name, part in parts.items()}
    return [silent, {name: MagicMock() for name in parts}]


def _veil(right: Any, thing: Any, calls: list[str]) -> Callable[..., Any]:
    """``thing`` behind the face of ``right``; each call is written down.

    A class becomes a function that makes veiled objects.
    """

    def call(*args: Any, **options: Any) -> Any:
        shown = [show(arg) for arg in args] + [f"{key}={show(value)}" for key, value in options.items()]
        text = f"{call.__name__}({', '.join(shown)})"
        calls.append(text)
        result = thing(*args, **options)
        if isinstance(right, type):
            return _Veiled(right, result, calls)
        calls[-1] = text if result is None else f"{text} gave {show(result)}"
        return result

    call.__name__ = call.__qualname__ = right.__name__
    call.__doc__ = inspect.getdoc(right)
    return call


class _Veiled:
    """An object whose class cannot be told: it has the public names of the right class, and no others."""

    def __init__(self, right: type, thing: Any, calls: list[str]) -> None:
        vars(self)[""] = right, thing, calls  # a key that is no name: the object's own names stay free

    def __getattr__(self, name: str) -> Any:
        right, thing, calls = vars(self)[""]
        if name.startswith("_"):
            raise AttributeError(f"{name} is private: how a part works inside is its own business")
        value = getattr(thing, name)
        method = getattr(right, name, None)
        return _veil(method, value, calls) if callable(method) else value

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(vars(self)[""][1], name, value)

    def __repr__(self) -> str:
        return str(vars(self)[""][0].__name__)


def _nothing_done(*_: Any, **__: Any) -> None:
    """A function that does nothing."""


class _Dead:
    """An object that does nothing, whatever is asked of it."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Callable[..., None]:
        return _nothing_done


@contextlib.contextmanager
def _bounded() -> Iterator[None]:
    """Stop the block after ``STEPS`` lines of Python, in whatever function they are.

    Python forgets a tracer that raises: a test that catches even this goes on, until the kernel is stopped.
    """
    left = STEPS
    before = sys.gettrace()

    def trace(frame: FrameType, event: str, arg: Any) -> Trace:
        nonlocal left
        left -= 1
        if left < 0:
            raise TooLongError
        return trace

    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def show(value: Any) -> str:
    """A short text for a value, the same on every run."""
    if isinstance(value, bytes | bytearray):
        return f"{len(value)} bytes {value[:28].hex(' ')}{' …' if len(value) > 28 else ''}"
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text if len(text) <= 120 else f"{text[:119]}…"
