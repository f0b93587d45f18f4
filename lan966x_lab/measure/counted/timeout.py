"""A timed poll that is interrupted: who notices that the device became ready meanwhile?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lan966x_lab.driver.polling import PollTimeoutError
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.registers import Access, Costs, Door

REGISTER = "STATUS"


@dataclass(frozen=True, slots=True)
class Poll:
    """What happened.

    Attributes:
        result: ``"ready"`` or ``"time-out"``.
        trace: every look at register and clock and every wait, each with the time at which it ended.
        away_ns: from when to when the CPU was elsewhere; None if the poll ended before the interrupt.
        end_ns: when the poll returned.
        false: it says time-out, and the device was ready when it returned.
    """

    result: str
    trace: tuple[Access, ...]
    away_ns: tuple[int, int] | None
    end_ns: int
    false: bool


def run(
    poll: Callable[..., int],
    *,
    ready_at_ns: int,
    interrupt_at_ns: int,
    interrupt_ns: int,
    timeout_ns: int,
    costs: Costs | None = None,
) -> Poll:
    """Let `poll` (such as ``driver.polling.read_poll_timeout``) wait for a device.

    The device says "ready" from `ready_at_ns` on. At `interrupt_at_ns` an interrupt takes the CPU away for
    `interrupt_ns`; it hits the poll behind its next look at the register, before it asks whether time is up.
    """
    clock = Clock()
    door = Door(clock, costs)
    door.trace = []
    door.add(REGISTER, read=lambda: int(clock.now_ns >= ready_at_ns))
    away: list[tuple[int, int]] = []

    def done(value: int) -> bool:
        if not away and interrupt_ns and clock.now_ns >= interrupt_at_ns:
            away.append((clock.now_ns, clock.now_ns + interrupt_ns))
            clock.advance(interrupt_ns)
        return bool(value)

    try:
        poll(door, REGISTER, done, timeout_ns=timeout_ns)
        result = "ready"
    except PollTimeoutError:
        result = "time-out"
    end_ns = clock.now_ns
    false = result == "time-out" and end_ns >= ready_at_ns
    return Poll(result, tuple(door.trace), away[0] if away else None, end_ns, false)
