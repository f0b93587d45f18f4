"""A receive ring, step by step: who owns each buffer, and how old the structures are, early and late."""

from functools import lru_cache
from math import copysign, cos, pi, sin

from lan966x_lab.driver.skb import ETH_ZLEN
from lan966x_lab.measure.counted.ringscript import EVENTS, Held, Moment, play

from ..figures.packets import limit
from ..palette import EDGE, HAIRLINE, INK, MUTED, PANEL, SLATE, TONES
from ..pictures import Picture
from ..svg import WIDTH, Svg, text_width
from ..widgets import Explorer, button, number, switch, text

__all__ = ["RingExplorer"]

BLUE, ORANGE, GREEN, PLUM, CYAN, WINE = TONES
_OWNER = {
    "armed": ("free", "the device may write here", BLUE),
    "waits": ("full", "a frame waits for the driver", ORANGE),
    "hands": ("busy", "the driver works on it", GREEN),
}
_SAYS = {
    "arrive": "the device writes a frame into slot {slot} and gives it back",
    "miss": "a frame finds no free slot and is lost; the device stops until the next poll",
    "interrupt": "the interrupt is answered, and masked until the ring is empty",
    "quiet": "nothing asks for a poll, so none happens",
    "send": "a frame goes out through the transmit ring",
    "busy": "the transmit ring is full, the stack keeps its frame",
    "short memory": "from now on memory is short, for one structure",
    "close": "the interface is closed, and everything is given back",
    "alloc": "a new buffer is taken and mapped, for slot {slot}",
    "unmap": "the frame's buffer is unmapped: now it is the CPU's",
    "arm": "slot {slot} goes to the device, with the OWN bit set",
    "copy": "the frame is copied into a small skb, its buffer stays mapped",
    "up": "the frame is handed up",
    "no memory": "there is no memory for a structure",
    "drop": "the frame of slot {slot} is thrown away",
}
_BUILD = {False: "a structure is made for the new buffer", True: "a structure is made around the frame"}
_TITLE = {False: "early: made when the buffer is posted", True: "late: made when the frame is there"}
_HALF = WIDTH // 2
_MIDDLE, _WIDE, _HIGH = (_HALF / 2, 226), 142, 104  # the ring: its centre and its two radii


class RingExplorer(Explorer):
    """Step through a script of events, with the skb built early on the left and late on the right.

    The traits to drive it: ``step``, ``script`` (letters of ``ringscript.EVENTS``), ``ring``, ``budget``,
    ``copy``.
    """

    def __init__(self, script: str = "fff p fff p", step: int = 4, *, ring: int = 6) -> None:
        self.step = number("Step", step, 1, 10_000, tip="forth and back through the story")
        self.next = button("To the next hand-over", tip="go on until a frame is handed up")
        self.script = text("Events", script, width=330, tip=_key())
        self.ring = number("Slots", ring, 3, 12)
        self.budget = number("Budget", 64, 1, 64, tip="frames that one poll may take")
        self.copy = switch("Copy small frames", tip="the copybreak idea, up to 60 bytes")
        self._limit()
        super().__init__(
            "A ring of buffers, step by step",
            [[self.step, self.next, self.copy], [self.script, self.ring, self.budget]],
        )
        self.when(self.next, self._to_next_hand_over)
        for control in (self.script, self.ring, self.budget, self.copy):
            self.when(control, self._limit)

    def _pairs(self) -> tuple[tuple[Moment, Moment], ...]:
        if not self.script.value.strip():
            raise ValueError(f"An empty script tells nothing. {_key()}.")
        copybreak = ETH_ZLEN if self.copy.value else 0
        return _pairs(self.script.value, self.ring.value, self.budget.value, copybreak)

    def _limit(self) -> None:
        limit(self.step, "Step", len(self._pairs()))

    def _to_next_hand_over(self) -> None:
        pairs = self._pairs()
        following = (n for n, (_, late) in enumerate(pairs, 1) if late.did == "up" and n > self.step.value)
        self.step.value = next(following, len(pairs))

    def draw(self) -> Picture:
        """Two rings after the same step, the buffers in the driver's hands, and what was done."""
        pairs = self._pairs()
        early, late = pairs[self.step.value - 1]
        svg = Svg(WIDTH, 512, "a receive ring with the skb built early, and late")
        _draw_script(svg, self.script.value, early.event)
        for is_late, moment in enumerate((early, late)):
            with svg.group(x=_HALF * is_late):
                _draw_side(svg, bool(is_late), moment)
        svg.line(_HALF, 62, _HALF, 446, stroke=HAIRLINE)
        _draw_key(svg, 459)
        return Picture(svg, _sentence(early, late, self.step.value, len(pairs)))


@lru_cache(maxsize=32)
def _pairs(script: str, ring: int, budget: int, copybreak: int) -> tuple[tuple[Moment, Moment], ...]:
    """Early and late moments side by side; where one side has more for an event, the other one waits."""
    stories = [
        play(script, late=late, ring=ring, budget=budget, copybreak=copybreak) for late in (False, True)
    ]
    pairs: list[tuple[Moment, Moment]] = []
    for event in range(1 + stories[0].moments[-1].event):
        early, late = ([m for m in story.moments if m.event == event] for story in stories)
        for n in range(max(len(early), len(late))):
            pairs.append((early[min(n, len(early) - 1)], late[min(n, len(late) - 1)]))
    return tuple(pairs)


def _key() -> str:
    return "; ".join(f"{letter}: {what}" for letter, (what, _) in EVENTS.items())


def _says(moment: Moment, late: bool) -> str:
    if moment.did == "build":
        return _BUILD[late]
    return _SAYS[moment.did].format(slot=moment.slot)


def _sentence(early: Moment, late: Moment, step: int, steps: int) -> str:
    one, other = _says(early, False), _says(late, True)
    told = f"On both sides {one}" if one == other else f"Early: {one}. Late: {other}"
    idle = sum(age is not None for age in early.ages)
    return (
        f"Step {step} of {steps}. {told}. Structures made so far: early {early.made}, late {late.made}; "
        f"in the ring lie {idle} early and {sum(age is not None for age in late.ages)} late. "
        f"Handed up: {late.up}."
    )


def _draw_script(svg: Svg, script: str, event: int) -> None:
    """The letters, those that happened in bold, the present one in a box."""
    letters = [letter for letter in script if not letter.isspace()]
    svg.text(20, 32, "Events", bold=True)
    pitch = min(22.0, (WIDTH - 330) / len(letters))
    for place, letter in enumerate(letters):
        x = 92 + pitch * place
        if place == event:
            svg.rect(x - pitch / 2 + 1, 16, pitch - 2, 23, fill=GREEN.soft, stroke=GREEN.strong, radius=3)
        colour = INK if place <= event else MUTED
        svg.text(x, 32, letter, anchor="middle", mono=True, bold=place == event, fill=colour)
    svg.text(WIDTH - 20, 32, EVENTS[letters[event]][0], anchor="end", size=12, fill=MUTED)


def _draw_side(svg: Svg, late: bool, moment: Moment) -> None:
    svg.text(20, 74, _TITLE[late], bold=True)
    _draw_ring(svg, moment)
    _draw_hands(svg, moment)


def _place(slot: int, slots: int, share: float = 1) -> tuple[float, float]:
    """Where a slot stands on the ring, from the top in the sense of the clock; `share` of the way out."""
    angle = 2 * pi * slot / slots - pi / 2
    return _MIDDLE[0] + share * _WIDE * cos(angle), _MIDDLE[1] + share * _HIGH * sin(angle)


def _draw_ring(svg: Svg, moment: Moment) -> None:
    count = len(moment.slots)
    svg.polyline([_place(step, 60) for step in range(61)], stroke=HAIRLINE, thick=6)
    for slot, age in zip(moment.slots, moment.ages, strict=True):
        name, meaning, tone = _OWNER[slot.state]
        x, y = _place(slot.index, count)
        here = slot.index == moment.slot
        where = f"slot {slot.index}: {meaning}; page {slot.page}, byte {slot.offset}"
        thick = 3 if here else 1.2
        svg.rect(
            x - 25, y - 17, 50, 34, fill=tone.soft, stroke=tone.strong, thick=thick, radius=5, title=where
        )
        svg.text(x, y - 3, slot.index, size=11, anchor="middle", fill=MUTED)
        svg.text(x, y + 12, name, size=12, anchor="middle", bold=here)
        if age is not None and slot.state != "hands":
            side = (x - _MIDDLE[0]) / _WIDE
            dx, dy = (copysign(37, side), 0) if abs(side) > 0.3 else (0, copysign(26, y - _MIDDLE[1]))
            _draw_structure(svg, x + dx, y + dy, age, count)
    for tone, share, next_slot in (
        (BLUE, 0.66, next(s.index for s in moment.slots if s.is_device_next)),
        (ORANGE, 0.44, next(s.index for s in moment.slots if s.is_driver_next)),
    ):
        svg.line(*_MIDDLE, *_place(next_slot, count, share), stroke=tone.strong, thick=3, arrow=True)
    svg.line(*_MIDDLE, *_place(next_slot, count, 0.38), stroke=PANEL, thick=1, dash="3 4")
    svg.rect(_MIDDLE[0] - 4, _MIDDLE[1] - 4, 8, 8, fill=INK, radius=4)


def _draw_structure(svg: Svg, x: float, y: float, age: int, slots: int) -> None:
    """A structure as a small square: warm while it is fresh, cool when many were made after it."""
    tone = WINE if 3 * age < slots else SLATE if 3 * age < 2 * slots else CYAN
    svg.rect(x - 12, y - 9, 24, 18, fill=tone.strong, radius=3, title=f"{age} structures were made since")
    svg.text(x, y + 4, age, size=11, anchor="middle", fill=PANEL, bold=True)


def _draw_hands(svg: Svg, moment: Moment) -> None:
    """The two buffers outside the ring: the frame's on its way up, and the one that replaces it."""
    counts = f"handed up {moment.up}, structures made {moment.made}"
    svg.text(20, 388, "in the driver's hands", size=12, fill=MUTED)
    svg.text(_HALF - 20, 388, counts, size=12, anchor="end")
    for x, name, held in ((20, "the frame", moment.frame), (_HALF / 2 + 4, "the new buffer", moment.fresh)):
        _draw_held(svg, x, name, held, len(moment.slots))


def _draw_held(svg: Svg, x: float, name: str, held: Held | None, slots: int) -> None:
    wide = _HALF / 2 - 24
    if held is None:
        svg.rect(x, 397, wide, 44, stroke=EDGE, radius=5, dash="3 4")
        svg.text(x + wide / 2, 424, f"no {name.removeprefix('the ')}", anchor="middle", size=12, fill=MUTED)
        return
    svg.rect(x, 397, wide, 44, fill=GREEN.soft, stroke=GREEN.strong, thick=1.5, radius=5)
    svg.text(x + 10, 414, name, size=12, bold=True)
    svg.text(x + 10, 432, "mapped for the device" if held.mapped else "the CPU's", size=12)
    if held.age is not None:
        _draw_structure(svg, x + wide - 19, 411, held.age, slots)


def _draw_key(svg: Svg, y: int) -> None:
    """Two lines: what the slots say, and what the rest is."""
    x: float = 20
    for name, meaning, tone in _OWNER.values():
        svg.rect(x, y, 40, 17, fill=tone.soft, stroke=tone.strong, radius=3)
        svg.text(x + 20, y + 13, name, size=12, anchor="middle")
        svg.text(x + 48, y + 13, meaning, size=12)
        x += 72 + text_width(meaning, 12)
    x, y = 20, y + 25
    for tone, meaning in ((BLUE, "the device's next slot"), (ORANGE, "the driver's next slot")):
        svg.line(x, y + 9, x + 38, y + 9, stroke=tone.strong, thick=3, arrow=True)
        if tone is ORANGE:
            svg.line(x, y + 9, x + 30, y + 9, stroke=PANEL, thick=1, dash="3 4")
        svg.text(x + 48, y + 13, meaning, size=12)
        x += 72 + text_width(meaning, 12)
    svg.rect(x + 8, y - 1, 24, 18, fill=WINE.strong, radius=3)
    svg.text(x + 20, y + 12, "n", size=11, anchor="middle", fill=PANEL, bold=True)
    svg.text(x + 40, y + 13, "an sk_buff, n were made after it: the more, the colder", size=12)
