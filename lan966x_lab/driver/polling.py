"""Timed polling of a register, as ``readx_poll_timeout_atomic`` does it.

The clock is read before the register is, because the deadline is worked out first: that is what seed 001
found to be expensive. When the deadline has passed, the register is read once more: between the last read and
the look at the clock the CPU may have been away for long, and the device may have become ready meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable

from lan966x_lab.hw.registers import Door

READL_SLEEP_NS = 10_000
READL_TIMEOUT_NS = 100_000_000_000


class PollTimeoutError(TimeoutError):
    """The register never said what the driver was waiting for (-ETIMEDOUT)."""


def read_poll_timeout(
    door: Door,
    register: str,
    done: Callable[[int], bool],
    *,
    delay_ns: int = READL_SLEEP_NS,
    timeout_ns: int = READL_TIMEOUT_NS,
) -> int:
    """Read `register` every `delay_ns` until ``done(value)``; returns the value.

    Raises:
        PollTimeoutError: still not done when `timeout_ns` had passed and the register was read once more.
    """
    deadline_ns = door.ktime() + timeout_ns
    while not done(value := door.read(register)):
        if door.ktime() > deadline_ns:
            if done(value := door.read(register)):
                break
            raise PollTimeoutError(
                f"{register} is still {value:#x} after {timeout_ns} ns: give the frame up or reset the device"
            )
        door.wait_run(register, value, delay_ns, deadline_ns)
        door.delay(delay_ns)
    return value
