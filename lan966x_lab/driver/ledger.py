"""The ledger: every frame ends in exactly one counter, everything taken is given back exactly once.

Two kinds of entries. A *frame* enters a flow (``"tx"``, ``"rx"``) and ends in one counter of that flow
(``"sent"``, ``"delivered"``, a named drop reason). A *thing* (an skb, a buffer, a mapping, a timestamp id) is
taken and given back. What is open is remembered, what is closed is only counted: the ledger of a million
frames is as small as that of one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import count


class LedgerError(AssertionError):
    """The books do not balance. The message names the frame or thing and what was done to it."""


class Ledger:
    """Attributes: `entered` frames per flow, `ended` frames per (flow, counter), `taken` and `given` per
    kind.
    """

    def __init__(self) -> None:
        self.entered: Counter[str] = Counter()
        self.ended: Counter[tuple[str, str]] = Counter()
        self.taken: Counter[str] = Counter()
        self.given: Counter[str] = Counter()
        self._frames: dict[int, tuple[str, str]] = {}
        self._things: dict[tuple[str, Hashable], str] = {}
        self._tickets = count(1)

    def enter(self, flow: str, note: str = "") -> int:
        """A frame enters `flow`; returns its ticket."""
        ticket = next(self._tickets)
        self._frames[ticket] = (flow, note)
        self.entered[flow] += 1
        return ticket

    def end(self, ticket: int, counter: str) -> None:
        """The frame ends in `counter`.

        Raises:
            LedgerError: the frame has ended already, or never entered.
        """
        frame = self._frames.pop(ticket, None)
        if frame is None:
            raise LedgerError(
                f"frame {ticket} ends in {counter!r}, but it has ended already or never entered"
            )
        self.ended[frame[0], counter] += 1

    def take(self, kind: str, key: Hashable, note: str = "") -> None:
        """A thing is taken: `kind` and `key` name it as long as it is out.

        Raises:
            LedgerError: it is out already.
        """
        if (kind, key) in self._things:
            note = self._things[kind, key] or "taken without a note"
            raise LedgerError(f"{kind} {key} is taken twice; it is still out: {note}")
        self._things[kind, key] = note
        self.taken[kind] += 1

    def give(self, kind: str, key: Hashable) -> None:
        """The thing is given back.

        Raises:
            LedgerError: it is not out.
        """
        if self._things.pop((kind, key), None) is None:
            raise LedgerError(f"{kind} {key} is given back, but it is not out: twice, or never taken")
        self.given[kind] += 1

    def open_frames(self) -> list[str]:
        """The frames that have not ended, one line each."""
        return [f"frame {ticket} in {flow} {note}".rstrip() for ticket, (flow, note) in self._frames.items()]

    def outstanding(self, kind: str | None = None) -> list[str]:
        """The things that are out (of one kind, or all), one line each."""
        return [f"{k} {key} {note}".rstrip() for (k, key), note in self._things.items() if kind in (None, k)]

    def count(self, flow: str, counter: str) -> int:
        """How many frames of `flow` ended in `counter`."""
        return self.ended[flow, counter]

    def check(self) -> None:
        """Prove that the books balance now, whatever is still open.

        Raises:
            LedgerError: entered is not ended plus open, or taken is not given plus out.
        """
        ended: Counter[str] = Counter()
        for (flow, _), n in self.ended.items():
            ended[flow] += n
        frames = Counter(flow for flow, _ in self._frames.values())
        things = Counter(kind for kind, _ in self._things)
        for what, before, after, out in (
            ("frames in", self.entered, ended, frames),
            ("things of kind", self.taken, self.given, things),
        ):
            for name in before.keys() | after.keys() | out.keys():
                if before[name] != after[name] + out[name]:
                    raise LedgerError(
                        f"{what} {name!r}: {before[name]} came, {after[name]} went, {out[name]} are open: "
                        f"{before[name] - after[name] - out[name]} are unaccounted for"
                    )

    def check_settled(self) -> None:
        """Prove that the books balance and that nothing is open: for the end of a run.

        Raises:
            LedgerError: names every leak.
        """
        self.check()
        left = self.open_frames() + self.outstanding()
        if left:
            more = f" and {len(left) - 10} more" if len(left) > 10 else ""
            raise LedgerError(f"{len(left)} not settled: {'; '.join(left[:10])}{more}")
