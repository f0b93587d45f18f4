"""Time several ways of doing one thing on this computer, side by side in one run.

A shared machine drifts: the same code may take twice as long a minute later. So the callables take turns,
round after round, and every ratio is formed inside a round, where both sides met the same conditions. The
median over the rounds is reported with its quartiles. Times are integers in nanoseconds.

What you get is evidence of the kind *timed here*: true for this computer, in this minute. Print ``machine()``
beside it, and never let a test depend on it.
"""

import gc
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from itertools import repeat
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter_ns

__all__ = ["Timings", "compare", "machine"]


@dataclass(frozen=True)
class Timings:
    """The result of ``compare``: for each name, the time of every round and the calls made in each."""

    elapsed_ns: Mapping[str, tuple[int, ...]]  # one total per round
    calls: Mapping[str, int]  # calls behind each of those totals

    @property
    def names(self) -> tuple[str, ...]:
        """The names that were compared, in the order given."""
        return tuple(self.elapsed_ns)

    def median_ns(self, name: str) -> int:
        """Median time of one call, in ns."""
        return round(median(self._per_call(name)))

    def spread_ns(self, name: str) -> tuple[int, int]:
        """Lower and upper quartile of the time of one call, in ns: half of the rounds lie between them."""
        lower, _, upper = quantiles(self._per_call(name), n=4, method="inclusive")
        return round(lower), round(upper)

    def ratio(self, name: str, to: str) -> float:
        """How many times as long ``name`` takes as ``to``: the median of the ratios of all rounds."""
        return median(a / b for a, b in zip(self._per_call(name), self._per_call(to), strict=True))

    def table(self, to: str | None = None) -> str:
        """A table as text: median, quartiles, and the ratio to ``to`` (the first name if not given)."""
        to = self.names[0] if to is None else to
        head = ("", "median ns", "quartiles ns", f"ratio to {to}")
        rows = [
            (
                name,
                str(self.median_ns(name)),
                "{}–{}".format(*self.spread_ns(name)),
                f"{self.ratio(name, to):.2f}",
            )
            for name in self.names
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join(
                [
                    row[0].ljust(widths[0]),
                    *(cell.rjust(w) for cell, w in zip(row[1:], widths[1:], strict=True)),
                ]
            )
            for row in (head, *rows)
        ]
        return "\n".join([*lines, machine()])

    def __str__(self) -> str:
        return self.table()

    def _per_call(self, name: str) -> list[float]:
        if name not in self.elapsed_ns:
            raise KeyError(f"{name!r} was not timed; timed were {', '.join(map(repr, self.names))}")
        return [elapsed / self.calls[name] for elapsed in self.elapsed_ns[name]]


def compare(
    callables: Mapping[str, Callable[[], object]], *, rounds: int = 15, min_time_ns: int = 2_000_000
) -> Timings:
    """Time the callables in turns and return what each round took.

    Each callable is first called often enough to fill ``min_time_ns``; that number of calls is then one turn.
    A time includes the cost of the call itself; time ``lambda: None`` beside the others to see how much
    that is. Garbage collection is off meanwhile.

    Args:
        callables: name → function without arguments.
        rounds: turns that each callable gets, at least 2 (quartiles need two).
        min_time_ns: the shortest turn, in ns. A comparison of ``n`` callables takes about
            ``rounds * n * min_time_ns``, or a little more.

    Raises:
        ValueError: nothing to compare, or fewer than two rounds, or a turn that is not longer than 0 ns.
    """
    if not callables:
        raise ValueError("nothing to time: give at least one callable, as {name: function}")
    if rounds < 2:
        raise ValueError(f"rounds is {rounds}; at least 2 are needed for a spread")
    if min_time_ns < 1:
        raise ValueError(f"min_time_ns is {min_time_ns}; a turn has to last at least 1 ns (try 2_000_000)")
    names = list(callables)
    elapsed: dict[str, list[int]] = {name: [] for name in names}
    with _no_garbage_collection():
        calls = {name: _calls_to_fill(function, min_time_ns) for name, function in callables.items()}
        for turn in range(rounds):
            first = turn % len(names)  # nobody always runs behind the same neighbour
            for name in names[first:] + names[:first]:
                elapsed[name].append(_time(callables[name], calls[name]))
    return Timings({name: tuple(times) for name, times in elapsed.items()}, calls)


def machine() -> str:
    """This computer in one line: processor, cores, Python, numpy. No name, no path."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, "
        f"{platform.python_implementation()} {platform.python_version()}, numpy {metadata.version('numpy')}"
    )


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")  # Linux; platform.processor() is often empty there
    if cpuinfo.exists():
        for line in cpuinfo.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _time(function: Callable[[], object], calls: int) -> int:
    turns = repeat(None, calls)  # the cheapest loop there is: no integer is made per turn
    start = perf_counter_ns()
    for _ in turns:
        function()
    return perf_counter_ns() - start


def _calls_to_fill(function: Callable[[], object], min_time_ns: int) -> int:
    calls = 1
    # The fastest of three: one interruption must not pass for a long call, or the turns would get too short
    # to warm up.
    while (elapsed := min(_time(function, calls) for _ in range(3))) < min_time_ns:
        # Aim at the goal, but grow at most tenfold: a reading of a few ns is a poor guide.
        calls = min(10 * calls, calls * min_time_ns // max(elapsed, 1) + 1)
    return calls


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
