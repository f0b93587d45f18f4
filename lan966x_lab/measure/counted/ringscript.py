"""A script of events for a ring, one letter each, and what became of every buffer, step by step.

``play`` runs the script through a real `RingBoard`, with any driver of its kind, and keeps a `Moment` for
everything that happened to a buffer: what was done, who holds what afterwards, and how old each structure is.
Its age is the number of structures that were made after it: what was written so long ago has probably left
the cache.

>>> story = play("f p", late=True)
>>> [moment.did for moment in story.moments]
['arrive', 'interrupt', 'alloc', 'unmap', 'build', 'arm', 'up']
>>> story.outcome.up, story.outcome.is_sound
(1, True)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from lan966x_lab.driver.bcm4908 import DMA_SIZE, Bcm4908Driver
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.ring_board import RingBoard, SlotView
from lan966x_lab.driver.skb import ETH_FCS_LEN, ETH_ZLEN, skb_from_frame
from lan966x_lab.hw.memory import OwnershipError

__all__ = ["EVENTS", "LONGEST", "Held", "Moment", "Outcome", "Story", "play"]

FULL, SMALL = 1514, ETH_ZLEN
"""Bytes of a frame without FCS: a full one, and an acknowledgement."""
LONGEST = 60
"""Events of a script at most."""


@dataclass(frozen=True, slots=True)
class Held:
    """A buffer outside the ring, in the driver's hands, mapped for the device or not any more.

    `age` is that of its structure, None without one.
    """

    mapped: bool
    age: int | None


@dataclass(frozen=True, slots=True)
class Moment:
    """One thing that was done, and how everything stands after it.

    Attributes:
        event: the place of its letter in the script, from 0.
        did: ``arrive``, ``miss``, ``interrupt``, ``quiet``, ``send``, ``busy``, ``short memory``, ``close``,
            or a step of `Bcm4908Driver`: ``alloc``, ``build`` (or ``no memory``), ``arm``, ``unmap``,
            ``copy``, ``up``, ``drop``.
        slot: the slot it was done to, where there is one.
        slots: the receive ring; ``state`` is ``hands`` for the slot that the driver works on.
        ages: for each slot the age of its structure, None without one.
        frame: the buffer that was taken out of the ring, with the frame in it.
        fresh: the buffer that will take its place.
        up, made: frames handed up and structures made so far.
    """

    event: int
    did: str
    slot: int | None
    slots: tuple[SlotView, ...]
    ages: tuple[int | None, ...]
    frame: Held | None
    fresh: Held | None
    up: int
    made: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the script left behind.

    Attributes:
        up: frames that reached the stack.
        bad: frames that the driver threw away: damaged, or no memory.
        missed: frames that found no descriptor.
        stuck: frames that wait in the ring although nothing asks for a poll.
        leaked: mappings that belong to no slot: the device may still write there.
        complaint: what stopped the script, empty if nothing did.
    """

    up: int
    bad: int
    missed: int
    stuck: int
    leaked: int
    complaint: str

    @property
    def is_sound(self) -> bool:
        """Nothing stuck, nothing leaked, nothing stopped."""
        return not (self.stuck or self.leaked or self.complaint)


@dataclass(frozen=True, slots=True)
class Story:
    """All moments of a script, and its outcome."""

    moments: tuple[Moment, ...]
    outcome: Outcome


class _Play:
    """The board, and what the recorder has to remember between two steps."""

    def __init__(self, cls: type[Bcm4908Driver], late: bool, ring: int, budget: int, copybreak: int) -> None:
        self.board = RingBoard(
            Options(late_skb=late), cls=cls, rx_ring=ring, tx_ring=ring, copybreak=copybreak
        )
        self.board.driver.on_step = self._step
        self.late, self.budget = late, budget
        self.moments: list[Moment] = []
        self.event = 0
        self.complaint = ""
        self.is_scheduled = False  # the last poll used its whole budget: it comes again without an interrupt
        self._doing: tuple[str, int] | None = None
        self._failures = 0
        self._busy: int | None = None
        self._frame: Held | None = None
        self._fresh: Held | None = None

    # Events

    def receive(self, size: int) -> None:
        """A frame of `size` bytes, FCS included, comes from the wire."""
        slot = self.board.device.rx.position
        taken = self.board.device.rx.receive(bytes(size))
        self._note("arrive" if taken else "miss", slot if taken else None)

    def poll(self) -> None:
        """What the CPU does when it has time: the interrupt, then one poll."""
        if self.board.device.rx_irq.asserted:
            self._note("interrupt")
            self.board.driver.interrupt()
            self.is_scheduled = True
        if not self.is_scheduled:
            self._note("quiet")
            return
        done = self.board.driver.poll(self.budget)
        self._close()
        self.is_scheduled = done == self.budget
        self._busy = self._frame = self._fresh = None

    def send(self) -> None:
        """The stack sends a frame; when the ring is full, it keeps it."""
        skb = skb_from_frame(bytes(SMALL))
        sent = self.board.driver.xmit(skb)
        if not sent:
            skb.free()
        self._note("send" if sent else "busy")

    def fail(self) -> None:
        """The next structure finds no memory."""
        answers = iter((True,))
        self.board.driver.slab.fails = lambda: next(answers, False)
        self._note("short memory")

    def close(self) -> None:
        """The interface goes down."""
        self.board.driver.close()
        self.is_scheduled = False
        self._note("close")

    # Moments

    def _step(self, step: str, slot: int) -> None:
        """The driver is about to do `step`: the one before is complete."""
        self._close()
        self._doing = step, slot
        if step in ("alloc", "drop", "copy") and self._busy != slot:
            self._busy, self._frame, self._fresh = slot, None, None

    def _close(self) -> None:
        if self._doing is None:
            return
        (did, slot), self._doing = self._doing, None
        failures = self.board.driver.slab.failures
        if did == "build" and failures > self._failures:
            did, self._failures = "no memory", failures
        match did:
            case "alloc":
                self._frame, self._fresh = Held(True, self._ages()[slot]), Held(True, None)
            case "build" if self.late and self._frame:
                self._frame = replace(self._frame, age=0)
            case "build" if self._fresh:
                self._fresh = replace(self._fresh, age=0)
                self._frame = self._older(self._frame)
            case "unmap" if self._frame:
                self._frame = replace(self._frame, mapped=False)
            case "copy":
                self._frame = Held(False, 0)
            case "arm":
                self._busy = self._fresh = None
                if self._frame and self._frame.mapped:  # it goes back as it is
                    self._frame = None
            case "up" | "drop":
                self._frame = None
        self._note(did, slot)

    @staticmethod
    def _older(held: Held | None) -> Held | None:
        return held and replace(held, age=None if held.age is None else held.age + 1)

    def _ages(self) -> tuple[int | None, ...]:
        slab = self.board.driver.slab
        return tuple(None if slot.skb is None else slab.age(slot.skb) for slot in self.board.driver.rx_slots)

    def _note(self, did: str, slot: int | None = None) -> None:
        slots = [
            replace(view, state="hands") if view.index == self._busy else view for view in self.board.slots()
        ]
        driver = self.board.driver
        up = driver.stats.rx_packets
        self.moments.append(
            Moment(
                self.event,
                did,
                slot,
                tuple(slots),
                self._ages(),
                self._frame,
                self._fresh,
                up,
                driver.slab.allocated,
            )
        )

    def outcome(self) -> Outcome:
        """What the script left behind."""
        driver, device = self.board.driver, self.board.device
        waiting = sum(slot.state == "waits" for slot in self.board.slots()) if driver.is_open else 0
        asked = self.is_scheduled or device.rx_irq.asserted
        sent = sum(frame is not None for frame in driver.tx_slots.frames)
        owned = driver.rx_size + sent if driver.is_open else 0
        stats = driver.stats
        return Outcome(
            up=stats.rx_packets,
            bad=stats.rx_errors + stats.rx_no_memory,
            missed=device.rx.missed,
            stuck=0 if asked or self.complaint else waiting,
            leaked=0 if self.complaint else self.board.dma.live - owned,
            complaint=self.complaint,
        )


EVENTS: Mapping[str, tuple[str, Callable[[_Play], None]]] = MappingProxyType(
    {
        "f": ("a full frame arrives", lambda play: play.receive(FULL + ETH_FCS_LEN)),
        "a": ("a small frame arrives, an acknowledgement", lambda play: play.receive(SMALL + ETH_FCS_LEN)),
        "s": ("a frame arrives that is too short", lambda play: play.receive(SMALL - 1)),
        "b": ("a frame arrives that is too big for one buffer", lambda play: play.receive(DMA_SIZE + 1)),
        "p": ("one poll, if something asks for it", _Play.poll),
        "t": ("a frame is sent", _Play.send),
        "m": ("memory is short: the next structure cannot be made", _Play.fail),
        "c": ("the interface is closed", _Play.close),
    }
)
"""What the letters of a script stand for: in words, and as a function."""


def play(
    script: str,
    *,
    cls: type[Bcm4908Driver] = Bcm4908Driver,
    late: bool = True,
    ring: int = 4,
    budget: int = 64,
    copybreak: int = 0,
) -> Story:
    """Run a script; it ends early where the driver or the mapping table refuses to go on.

    Args:
        script: letters of `EVENTS`; spaces do not count.
        cls: the driver, such as `PublishedBcm4908Driver`.
        late: the skb is built late.
        ring: descriptors of each ring, 2 or more.
        budget: of one poll.
        copybreak: frames of up to this many bytes are copied.

    Raises:
        ValueError: a letter that stands for nothing, an event after the close, or too many events.
    """
    events = [letter for letter in script if not letter.isspace()]
    for letter in events:
        if letter not in EVENTS:
            raise ValueError(f"{letter!r} stands for nothing; use the letters {' '.join(EVENTS)}")
    if len(events) > LONGEST:
        raise ValueError(f"{len(events)} events; use {LONGEST} at most")
    if "c" in events[:-1]:
        raise ValueError("nothing happens on a closed interface: let c be the last event")
    run = _Play(cls, late, ring, budget, copybreak)
    for run.event, letter in enumerate(events):
        try:
            EVENTS[letter][1](run)
        except OwnershipError as error:
            run.complaint = str(error)
            break
    return Story(tuple(run.moments), run.outcome())
