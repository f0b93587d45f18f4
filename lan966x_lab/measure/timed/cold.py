"""Time a single call twice: when its code and data have left the caches, and when they have just been used.

``timing`` repeats a call until it is warm. A driver's transmit function is called once, at the end of a long
way through other code. Here a sweep over a block of memory stands for that way.

*Timed here*, and rougher than ``timing``: the block pushes out more or less, as the processor likes.
"""

from collections.abc import Callable, Mapping
from itertools import repeat
from time import perf_counter_ns

import numpy as np

from lan966x_lab.measure.timed.timing import Timings

__all__ = ["cold_and_warm"]

WARM_UP = 3  # calls


def cold_and_warm(
    callables: Mapping[str, Callable[[], object]], *, rounds: int = 101, sweep: int = 8_000_000
) -> tuple[Timings, Timings]:
    """Times of single calls, cold and warm: each callable in turn, after a sweep and after some calls.

    Args:
        callables: name → function without arguments.
        rounds: turns that each callable gets, at least 2 (quartiles need two).
        sweep: bytes that are read and written before each cold call; more than the second-level cache.

    Raises:
        ValueError: nothing to time, or fewer than two rounds.
    """
    if not callables or rounds < 2:
        given = f"{len(callables)} callables and {rounds} rounds"
        raise ValueError(f"{given}: give at least one, as {{name: function}}, and at least 2 rounds")
    block = np.zeros(sweep, np.uint8)
    cold: dict[str, list[int]] = {name: [] for name in callables}
    warm: dict[str, list[int]] = {name: [] for name in callables}
    for _ in range(rounds):
        for name, function in callables.items():
            block += 1
            cold[name].append(_one_call(function))
            for _ in repeat(None, WARM_UP):
                function()
            warm[name].append(_one_call(function))
    calls = dict.fromkeys(callables, 1)
    left, right = ({name: tuple(times) for name, times in each.items()} for each in (cold, warm))
    return Timings(left, calls), Timings(right, calls)


def _one_call(function: Callable[[], object]) -> int:
    start = perf_counter_ns()
    function()
    return perf_counter_ns() - start
