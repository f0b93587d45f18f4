"""The two-step timestamp FIFO: when did the frames with a two-step order leave?

Every such frame leaves a pair of entries: its transmit time (STAMP_TX is set, PTP_TWOSTEP_STAMP has the
nanoseconds in bits 31..2) and then its id, raw. PTP_TWOSTEP_CTRL describes the entry at the head,
PTP_TWOSTEP_STAMP reads it, writing NXT goes on to the next one. A pair that does not fit is lost and OVFL
says so.

OURS: the depth, and that going on clears OVFL.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

from lan966x_lab.hw.lan966x_regs import STAMP_NSEC, TwoStepCtrl
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.registers import Door


class Entry(NamedTuple):
    """One entry: a time (`is_tx`, `raw` is ns << 2) or an id (`raw` is the id)."""

    is_tx: bool
    port: int
    raw: int


class TwoStepFifo:
    """Attributes: `pairs` counts pairs that were ``stored``, ``overflowed``, ``dropped`` by order."""

    def __init__(self, door: Door, *, depth: int = 128) -> None:
        self.clock = door.clock
        self.depth = depth
        self.pairs: Counter[str] = Counter()
        self._entries: deque[Entry] = deque()
        self._overflow = False
        self._drop = 0
        self._delays: deque[int] = deque()
        door.add("PTP_TWOSTEP_CTRL", read=self._control, write=self._next)
        door.add("PTP_TWOSTEP_STAMP", read=lambda: self._entries[0].raw if self._entries else 0)

    @property
    def pending(self) -> bool:
        """The PTP interrupt: there is an entry to read."""
        return bool(self._entries)

    def stamp(self, port: int, ns: int, ident: int) -> None:
        """A frame with the id `ident` left through `port` at `ns` (0..999999999, of the second)."""
        if self._drop:
            self._drop -= 1
            self.pairs["dropped"] += 1
        elif self._delays:
            self.clock.after(self._delays.popleft(), lambda: self._store(port, ns, ident))
        else:
            self._store(port, ns, ident)

    def _store(self, port: int, ns: int, ident: int) -> None:
        if len(self._entries) + 2 > self.depth:
            self._overflow = True
            self.pairs["overflowed"] += 1
            return
        self._entries += (Entry(True, port, STAMP_NSEC.put(ns)), Entry(False, port, ident))
        self.pairs["stored"] += 1

    def _control(self) -> int:
        if not self._entries:
            return TwoStepCtrl.OVFL.put(self._overflow)
        head = self._entries[0]
        return (
            TwoStepCtrl.VLD.put(1)
            | TwoStepCtrl.STAMP_TX.put(head.is_tx)
            | TwoStepCtrl.PORT.put(head.port)
            | TwoStepCtrl.OVFL.put(self._overflow)
        )

    def _next(self, value: int) -> None:
        if TwoStepCtrl.NXT.get(value):
            self._overflow = False
            if self._entries:
                self._entries.popleft()

    # ---- what can be ordered ----

    def drop_next(self) -> None:
        """The next frame's stamp never comes."""
        self._drop += 1

    def delay_next(self, ns: int) -> None:
        """The next frame's stamp comes `ns` nanoseconds late."""
        self._delays.append(whole("ns", ns, 0))

    def add_orphan(self, port: int, ident: int) -> None:
        """An id without a time before it."""
        self._entries.append(Entry(False, port, ident))
