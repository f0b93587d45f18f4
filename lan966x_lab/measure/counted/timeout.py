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
    interrupted_look: int,
    interrupt_ns: int,
    timeout_ns: int,
    delay_ns: int = 10_000,
    costs: Costs | None = None,
) -> Poll:
    """Let `poll` (such as ``driver.polling.read_poll_timeout``) wait for a device.

    The device says "ready" from `ready_at_ns` on. Behind look number `interrupted_look` at its register (from
    1) and before the next look at the clock, an interrupt takes the CPU away for `interrupt_ns`.
    """
    clock = Clock()
    door = Door(clock, costs)
    door.trace = []
    door.add(REGISTER, read=lambda: int(clock.now_ns >= ready_at_ns))
    away: list[tuple[int, int]] = []
    looks = 0

    def done(value: int) -> bool:
        nonlocal looks
        looks += 1
        if looks == interrupted_look and interrupt_ns:
            away.append((clock.now_ns, clock.now_ns + interrupt_ns))
            clock.advance(interrupt_ns)
        return bool(value)

    try:
        poll(door, REGISTER, done, delay_ns=delay_ns, timeout_ns=timeout_ns)
        result = "ready"
    except PollTimeoutError:
        result = "time-out"
    end_ns = clock.now_ns
    false = result == "time-out" and end_ns >= ready_at_ns
    return Poll(result, tuple(door.trace), away[0] if away else None, end_ns, false)
