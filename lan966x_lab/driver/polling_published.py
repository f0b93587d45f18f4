"""A timed poll with the classic fault, so that readers can catch it.

The first version of seed 001 waited in a loop of its own; the review found that such loops tend to forget
what `read_poll_timeout` remembers. Written anew from the description in the thread; nothing else uses it.
"""

from __future__ import annotations

from collections.abc import Callable

from lan966x_lab.driver.polling import READL_SLEEP_NS, READL_TIMEOUT_NS, PollTimeoutError
from lan966x_lab.hw.registers import Door


def poll_without_last_look(
    door: Door,
    register: str,
    done: Callable[[int], bool],
    *,
    delay_ns: int = READL_SLEEP_NS,
    timeout_ns: int = READL_TIMEOUT_NS,
) -> int:
    """Differs from `read_poll_timeout` in the defect alone: it believes a look that may be old.

    Raises:
        PollTimeoutError: the time was up after a look that found the register not done.
    """
    deadline_ns = door.ktime() + timeout_ns
    while not done(value := door.read(register)):
        if door.ktime() > deadline_ns:
            raise PollTimeoutError(f"{register} was {value:#x} when it was last read")
        door.delay(delay_ns)
    return value
