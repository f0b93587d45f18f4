"""A timed poll with the classic fault, so that readers can catch it.

The first version of seed 001 waited in a loop of its own. It was nearly as fast as the merged one, because
its deadline comes from ``jiffies``, which is no clock to read but a number in memory. And it had a fault that
such loops tend to have and `read_poll_timeout` has not. Written anew from the description in the thread;
nothing else uses it.
"""

from __future__ import annotations

from collections.abc import Callable

from lan966x_lab.driver.polling import READL_TIMEOUT_NS, PollTimeoutError
from lan966x_lab.hw.registers import Door

#: Ticks per second. A kernel is built with 100 to 1000; no mail says what that board had.
HZ = 100
TICK_NS = 1_000_000_000 // HZ


def jiffies(door: Door, tick_ns: int = TICK_NS) -> int:
    """The ticks so far. The timer interrupt counts them in memory; a look costs one load, here nothing."""
    return door.clock.now_ns // tick_ns


def poll_until_jiffies(
    door: Door,
    register: str,
    done: Callable[[int], bool],
    *,
    tick_ns: int = TICK_NS,
    timeout_ns: int = READL_TIMEOUT_NS,
) -> int:
    """Read `register` without a pause until ``done(value)``; returns the value.

    Differs from `read_poll_timeout` in the deadline, which is a number of ticks, in the pause, which is
    missing, and in the defect: it believes a look that may be old.

    Raises:
        PollTimeoutError: the time was up after a look that found the register not done.
    """
    deadline = jiffies(door, tick_ns) + -(-timeout_ns // tick_ns)
    while not done(value := door.read(register)):
        if jiffies(door, tick_ns) > deadline:
            raise PollTimeoutError(f"{register} was {value:#x} when it was last read")
    return value
