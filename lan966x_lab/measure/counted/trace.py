"""Run a header function for real, line by line, and count what it does to the header.

The function runs unchanged under ``sys.settrace``, on a ``bytearray`` that counts. What is counted:

loads, stores
    Bytes of the header read and written. ``header[i]`` is one load, ``header[i] |= x`` a load and a store.
    Taking the whole header (``bytes(header)``, ``int.from_bytes(header)``, ``header[:]``, a loop over it)
    loads every byte; ``header[:] = …`` stores every byte. Its length costs nothing.
bit tests
    Executions of a condition that contains a bitwise ``&``, such as ``if value & mask``. Shifting and masking
    in an assignment is no test.
lines
    Lines executed, in the function and in what it calls of this package. What is worked out once and kept
    (``cached_property``) does not count: the lines must not depend on what ran before. Nor does the door of
    the codecs (``ifh.arguments``), which hands a plain header on as it is.

Loads, stores and bit tests are the same everywhere: *counted* evidence, fit for a test. What Python takes for
one line may change with its minor version (3.11 to 3.13 agree for the codecs). Single bytecodes are not
counted: Python 3.13 does not report them all.
"""

import ast
import inspect
import linecache
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass
from functools import cache, cached_property
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import lan966x_lab
from lan966x_lab.ifh import arguments

if TYPE_CHECKING:
    from lan966x_lab.ifh import Codec, Layout

__all__ = ["Counts", "Run", "Step", "counted_get", "counted_set", "run"]

PACKAGE = str(Path(lan966x_lab.__file__).parent)
KEEPS = cached_property.__get__.__code__


@dataclass(frozen=True)
class Counts:
    """What was done, in numbers. Counts add up: ``sum(several, Counts())``."""

    loads: int = 0  # bytes of the header read
    stores: int = 0  # bytes of the header written
    bit_tests: int = 0
    lines: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Step:
    """One line, and the state when it has run (or has entered the next function)."""

    function: str  # its name; Run.sources has its text
    line: int  # from 1, within that text
    source: str  # the line, without the function's indentation
    header: bytes
    values: Mapping[str, int]  # the function's local integers
    loaded: tuple[int, ...]  # the header bytes that the line read, in order; -1 stays -1
    stored: tuple[int, ...]  # and wrote
    counts: Counts  # since the start


@dataclass(frozen=True)
class Run:
    """What a function returned, the header it left, its steps, all it did, the text of what was stepped."""

    result: Any
    header: bytes
    steps: tuple[Step, ...]
    counts: Counts
    sources: Mapping[str, str]


class CountingHeader(bytearray):
    """A bytearray that counts the bytes read and written. Its buffer (``memoryview``) is the way round it."""

    def __init__(self, header: bytes) -> None:
        super().__init__(header)
        self.loaded: list[int] = []  # indexes, in order
        self.stored: list[int] = []

    def __getitem__(self, key: Any) -> Any:
        self.loaded += self._indexes(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.stored += self._indexes(key)
        super().__setitem__(key, value)

    def __bytes__(self) -> bytes:  # int.from_bytes asks for these, too
        self.loaded += self._indexes(slice(None))
        return self.snapshot()

    def __iter__(self) -> Iterator[int]:
        return iter(bytes(self))

    def snapshot(self) -> bytes:
        """The bytes, without counting."""
        return memoryview(self).tobytes()

    def _indexes(self, key: Any) -> list[int]:
        return list(range(*key.indices(len(self)))) if isinstance(key, slice) else [key]


def run(function: Callable[..., Any], header: bytes, *arguments: Any) -> Run:
    """Call ``function(header, *arguments)`` on a counting copy of the header and note every step.

    You step through each function that is handed the header, be it ours or one you wrote. Helpers that only
    get numbers run, and their lines count, but they are no steps. The trace function of a debugger or of a
    coverage tool rests meanwhile and is put back, whatever happens. Other threads are not touched.

    Raises:
        OSError: Python has no source text of the function.
        Exception: whatever the function raises.
    """
    counting = CountingHeader(header)
    tracer = _Tracer(counting)
    before = sys.gettrace()
    sys.settrace(tracer.call)
    try:
        result = function(counting, *arguments)
    finally:
        sys.settrace(before)
    return Run(result, counting.snapshot(), tuple(tracer.steps), tracer.counts(), tracer.sources)


def counted_set(
    codec: "Codec", layout: "Layout", values: Mapping[str, int], header: bytes | None = None
) -> Counts:
    """What it takes to set these fields one after the other, in a header of zeros if none is given."""
    at = bytes(layout.nbytes) if header is None else header
    counts = Counts()
    for name, value in values.items():
        done = run(codec.set, at, layout[name], value)
        counts, at = counts + done.counts, done.header
    return counts


def counted_get(
    codec: "Codec", layout: "Layout", names: Iterable[str], header: bytes | None = None
) -> Counts:
    """What it takes to read these fields one after the other, from a header of zeros if none is given."""
    at = bytes(layout.nbytes) if header is None else header
    return sum((run(codec.get, at, layout[name]).counts for name in names), Counts())


class _Tracer:
    """The trace function of one run, and what it has seen so far."""

    def __init__(self, header: CountingHeader) -> None:
        self.header = header
        self.steps: list[Step] = []
        self.sources: dict[str, str] = {}
        self.bit_tests = self.lines = 0
        self._unfinished: FrameType | None = None  # the frame whose current line is no step yet
        self._line = 0

    def counts(self) -> Counts:
        loads, stores = len(self.header.loaded), len(self.header.stored)
        return Counts(loads, stores, self.bit_tests, self.lines)

    def call(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        """Enter a function: step through it if it has the header, count its lines if it is one of ours."""
        file = frame.f_code.co_filename
        stepping = any(value is self.header for value in frame.f_locals.values())
        once = frame.f_back is not None and frame.f_back.f_code is KEEPS
        if file in (__file__, arguments.__file__) or once or not (stepping or file.startswith(PACKAGE)):
            return None
        tests = _tests_by_line(file)

        def local(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            if stepping and event in ("line", "return"):
                self._finish_step()
            if event == "line":
                self.lines += 1
                self.bit_tests += tests.get(frame.f_lineno, 0)
                if stepping:
                    self._unfinished, self._line = frame, frame.f_lineno
            return local

        return local

    def _finish_step(self) -> None:
        frame, self._unfinished = self._unfinished, None
        if frame is None:
            return
        name = frame.f_code.co_name
        text, first = _source(frame.f_code)
        self.sources[name] = text
        before = self.steps[-1].counts if self.steps else Counts()
        self.steps.append(
            Step(
                function=name,
                line=self._line - first + 1,
                source=text.splitlines()[self._line - first],
                header=self.header.snapshot(),
                values={name: value for name, value in frame.f_locals.items() if type(value) is int},
                loaded=tuple(self.header.loaded[before.loads :]),
                stored=tuple(self.header.stored[before.stores :]),
                counts=self.counts(),
            )
        )


@cache
def _source(code: CodeType) -> tuple[str, int]:
    """The text of a function without its indentation, and the number of its first line in the file."""
    lines, first = inspect.getsourcelines(code)
    return textwrap.dedent("".join(lines)), first


@cache
def _tests_by_line(file: str) -> Mapping[int, int]:
    """Line → conditions on it that contain a bitwise ``&``."""
    return Counter(
        node.test.lineno
        for node in ast.walk(ast.parse("".join(linecache.getlines(file))))
        if isinstance(node, ast.If | ast.IfExp | ast.While)
        and any(isinstance(part, ast.BitAnd) for part in ast.walk(node.test))
    )
