"""Virtual time: integer nanoseconds, and events that happen at their time in a fixed order.

Nothing in the lab's devices looks at the computer's clock. Time passes because the CPU does something that
costs time (`Clock.advance`), and on the way every event that falls due happens, earliest first; events of the
same nanosecond happen in the order in which they were asked for. Two runs of the same program are therefore
equal.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from lan966x_lab.net.batch import integer

Action = Callable[[], None]


class ClockError(RuntimeError):
    """Time was asked to run backwards, or from inside an event."""


class Event:
    """An action that waits for its time. Calling `cancel` takes it back."""

    __slots__ = ("action", "time_ns")

    def __init__(self, time_ns: int, action: Action) -> None:
        self.time_ns = time_ns
        self.action: Action | None = action

    def cancel(self) -> None:
        """Forget the action; cancelling twice, or after the event, changes nothing."""
        self.action = None


class Clock:
    """Virtual time in integer nanoseconds, from `now_ns` on.

    A TypeError names whatever is given as a time or a span and is no integer: a fraction would stay in every
    time after it. The type is looked at first, because register accesses come here a million times.
    """

    def __init__(self, now_ns: int = 0) -> None:
        self.now_ns = integer("now_ns", now_ns, "0 or more")
        self._queue: list[tuple[int, int, Event]] = []
        self._order = count()
        self._firing = False

    def at(self, time_ns: int, action: Action) -> Event:
        """Call `action` when the time is `time_ns` (now or later).

        Raises:
            ClockError: the time has passed.
        """
        if type(time_ns) is not int:
            time_ns = integer("time_ns", time_ns, f"{self.now_ns} or more")
        if time_ns < self.now_ns:
            raise ClockError(
                f"an event at {time_ns} ns was ordered at {self.now_ns} ns: order it for now or later"
            )
        event = Event(time_ns, action)
        heapq.heappush(self._queue, (time_ns, next(self._order), event))
        return event

    def after(self, delay_ns: int, action: Action) -> Event:
        """Call `action` in `delay_ns` nanoseconds.

        Raises:
            ClockError: the delay is negative.
        """
        if type(delay_ns) is not int:
            delay_ns = integer("delay_ns", delay_ns, "0 or more")
        return self.at(self.now_ns + delay_ns, action)

    @property
    def next_ns(self) -> int | None:
        """When the next event is due; None when nothing is waiting."""
        queue = self._queue
        while queue and queue[0][2].action is None:
            heapq.heappop(queue)
        return queue[0][0] if queue else None

    def advance(self, ns: int) -> None:
        """Let `ns` nanoseconds pass; events that fall due on the way happen, each at its own time.

        Raises:
            ClockError: `ns` is negative, or an event called this (a device takes no CPU time).
        """
        if type(ns) is not int:
            ns = integer("ns", ns, "0 or more")
        target = self.now_ns + ns
        if self._queue and self._queue[0][0] <= target:
            self._fire(target)
        elif ns < 0:
            raise ClockError(f"advance({ns}): time runs forward only; give 0 ns or more")
        elif self._firing:
            raise ClockError("an event called advance(): order a later event with after() instead")
        self.now_ns = target

    def run_until(self, time_ns: int) -> None:
        """Let time pass until it is `time_ns`; nothing happens when that time is over already.

        What is due now happens, even if no time passes: an exception may have kept it from happening.
        """
        if type(time_ns) is not int:
            time_ns = integer("time_ns", time_ns, f"{self.now_ns} or more")
        if time_ns >= self.now_ns:
            self.advance(time_ns - self.now_ns)

    def _fire(self, target: int) -> None:
        if self._firing:
            raise ClockError("an event called advance(): order a later event with after() instead")
        if target < self.now_ns:
            raise ClockError(f"advance({target - self.now_ns}): time runs forward only; give 0 ns or more")
        self._firing = True
        try:
            while self._queue and self._queue[0][0] <= target:
                time_ns, _, event = heapq.heappop(self._queue)
                if event.action is not None:
                    self.now_ns = time_ns
                    action, event.action = event.action, None
                    action()
        finally:
            self._firing = False
