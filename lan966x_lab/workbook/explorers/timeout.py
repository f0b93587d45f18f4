"""A timed poll and an interrupt, for two loops side by side: which of them is wrong about the time-out?"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from lan966x_lab.driver.polling import read_poll_timeout
from lan966x_lab.driver.polling_published import poll_until_jiffies
from lan966x_lab.measure.counted import timeout

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, number

TIMEOUT_US = 100
TICK_US = 10  # a thousandth of a tick at HZ = 100, as the limit is a millionth of the driver's
LOOPS: dict[str, Callable[..., int]] = {
    "own loop": partial(poll_until_jiffies, tick_ns=TICK_US * 1000),
    "kernel's helper": read_poll_timeout,
}
SHOWN_US = 320
_LEFT, _RIGHT = 152, WIDTH - 128
_CLOCK, _LOOK, _AWAY, _READY = palette.TONES[1], palette.TONES[0], palette.TONES[5], palette.TONES[2]


def both_loops(ready_us: int, interrupt_us: int, away_us: int) -> dict[str, timeout.Poll]:
    """What each of `LOOPS` makes of a device that is ready at `ready_us`, and of an interrupt.

    The interrupt comes at `interrupt_us`, behind the next look at the register, and takes `away_us`.
    """
    return {
        name: timeout.run(
            loop,
            ready_at_ns=ready_us * 1000,
            interrupt_at_ns=interrupt_us * 1000,
            interrupt_ns=away_us * 1000,
            timeout_ns=TIMEOUT_US * 1000,
        )
        for name, loop in LOOPS.items()
    }


class TimeoutExplorer(Explorer):
    """Two loops wait for the same device with the same time limit.

    The traits to drive it: ``ready`` (µs; when the device becomes ready), ``interrupt`` (µs; when it comes),
    ``away`` (µs; how long it takes the CPU away).
    """

    def __init__(self, ready: int = 40, interrupt: int = 20, away: int = 10) -> None:
        self.ready = number("Device is ready at, µs", ready, 0, 300, step=5)
        self.interrupt = number("Interrupt comes at, µs", interrupt, 0, 300, step=5)
        self.away = number("Interrupt takes, µs", away, 0, 200, step=5)
        super().__init__("Waiting with a time limit", [self.ready, self.interrupt, self.away])

    def draw(self) -> Picture:
        """A timeline for each loop: looks at the clock and at the register, and the interrupt."""
        polls = both_loops(self.ready.value, self.interrupt.value, self.away.value)
        svg = Svg(WIDTH, 262, "Two loops that wait for a device, on one time scale")
        _draw_scale(svg, self.ready.value)
        for row, (name, poll) in enumerate(polls.items()):
            _draw_poll(svg, 92 + 62 * row, name, poll)
        return Picture(svg, self._sentence(polls))

    def _sentence(self, polls: dict[str, timeout.Poll]) -> str:
        said = []
        for name, poll in polls.items():
            false = ", which is false" if poll.false else ""
            said.append(f"the {name} says {poll.result} at {poll.end_ns / 1000:.0f} µs{false}")
        device = f"The device is ready from {self.ready.value} µs on, the limit is {TIMEOUT_US} µs"
        return f"{device}: {'; '.join(said)}."


def _x(ns: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * min(ns / 1000, SHOWN_US) / SHOWN_US


def _draw_scale(svg: Svg, ready_us: int) -> None:
    svg.text(24, 30, "Who notices that the device is ready?", bold=True, size=15)
    top, bottom = 62, 214
    ready, limit = _x(ready_us * 1000), _x(TIMEOUT_US * 1000)
    svg.rect(ready, top, _RIGHT - ready, bottom - top, fill=_READY.soft)
    svg.line(ready, top, ready, bottom, stroke=_READY.strong, thick=2)
    svg.text(_RIGHT, top - 6, "device ready", size=12, fill=_READY.strong, bold=True, anchor="end")
    svg.line(limit, top, limit, bottom, stroke=palette.INK, thick=1.5, dash="5 3")
    svg.text(limit + 5, top - 6, "time limit", size=12)
    for us in range(0, SHOWN_US, 50):
        svg.line(_x(us * 1000), bottom, _x(us * 1000), bottom + 5)
        svg.text(_x(us * 1000), bottom + 19, f"{us} µs", size=12, anchor="middle")
    x = 24
    for word, tone in (
        ("R look at the register", _LOOK),
        ("K look at the clock", _CLOCK),
        ("interrupt", _AWAY),
    ):
        svg.rect(x, 242, 11, 11, fill=tone.strong)
        svg.text(x + 17, 252, word, size=12)
        x += 40 + 7 * len(word)


def _draw_poll(svg: Svg, y: int, name: str, poll: timeout.Poll) -> None:
    svg.text(24, y + 4, name, bold=True, size=12.5)
    svg.line(_LEFT, y, _x(poll.end_ns), y, stroke=palette.EDGE, thick=1.5)
    if poll.away_ns:
        start, end = map(_x, poll.away_ns)
        svg.rect(start, y - 7, max(2, end - start), 14, fill=_AWAY.soft, stroke=_AWAY.strong)
        if end - start > 62:
            svg.text((start + end) / 2, y + 4, "interrupt", size=11.5, anchor="middle")
    for kind, tone, top in (("R", _LOOK, y - 17), ("K", _CLOCK, y + 3)):
        for first, last in _dense([_x(access.time_ns) for access in poll.trace if access.kind == kind]):
            svg.rect(first - 1, top, last - first + 2, 14, fill=tone.strong)
    right = poll.result == "ready"
    end = _x(poll.end_ns)
    svg.circle(end, y, 5, fill=_READY.strong if right else _AWAY.strong, stroke=palette.PANEL, thick=1.5)
    words = "ready" if right else "false time-out" if poll.false else "time-out"
    svg.text(WIDTH - 20, y + 4, words, bold=True, anchor="end", size=12.5)


def _dense(places: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Marks that would touch each other, joined: from the first to the last of each run."""
    first: float | None = None
    last = 0.0
    for place in places:
        if first is not None and place - last > 2:
            yield first, last
            first = None
        if first is None:
            first = place
        last = place
    if first is not None:
        yield first, last
