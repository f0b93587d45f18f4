"""The time of received frames: who needs one, what reading the clock takes, and what it is worth.

The chip writes the nanosecond of arrival into every header; the second stands in registers only. Seed 000 1/2
reads them only for the ports that asked. *Counted*, by running driver and chip: the register accesses.
Computed from the claim: the time and the rate.
"""

from __future__ import annotations

import errno
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from lan966x_lab.driver import Board, Delivered, Options, RxFilter, TxType, run
from lan966x_lab.driver.skb import Skb
from lan966x_lab.hw import wires
from lan966x_lab.hw.registers import Access
from lan966x_lab.measure import linerate
from lan966x_lab.measure.claims import Claim
from lan966x_lab.measure.counted import tod
from lan966x_lab.measure.counted.work import Work, so_far
from lan966x_lab.measure.interval import Exact
from lan966x_lab.net import ptp

__all__ = [
    "BURST",
    "Need",
    "Reading",
    "Reception",
    "answers",
    "mix",
    "need",
    "one_frame",
    "readings",
    "receive",
]

BURST = 64
"""Frames that wait when the driver looks: as many as one NAPI poll may take."""


class Need(StrEnum):
    """Why a received frame needs its time of arrival, or does not."""

    EVENT = "PTP event"
    GENERAL = "PTP general"
    OTHER = "no PTP"


def need(frame: bytes) -> Need:
    """Only event messages are measured by their arrival; the kernel's classification finds them."""
    if ptp.classify(frame) != ptp.NONE:
        return Need.EVENT
    return Need.OTHER if ptp.parse(frame) is None else Need.GENERAL


def mix(data: Sequence[bytes], messages: Sequence[bytes], count: int, total: int) -> list[bytes]:
    """`total` frames, of which `count` are `messages`, evenly spread among `data`; both start over at their
    end.
    """
    if not 0 <= count <= total:
        raise ValueError(f"count is {count}: of {total} frames, 0 to {total} can be messages")
    frames, sent = [], 0
    for index in range(1, total + 1):
        turn = index * count // total > sent
        frames.append(messages[sent % len(messages)] if turn else data[(index - 1 - sent) % len(data)])
        sent += turn
    return frames


# ---- counted ----


class Reception(NamedTuple):
    """What receiving some frames took.

    Attributes:
        work: counted from the moment at which the frames had arrived.
        delivered: what reached the stack, in order.
        arrived_ns: when each frame arrived, by the chip's own clock.
    """

    work: Work
    delivered: list[Delivered]
    arrived_ns: list[int]

    @property
    def error_ns(self) -> int | None:
        """By how much the worst of the frames' times is off; None if no frame has one."""
        pairs = zip(self.delivered, self.arrived_ns, strict=True)
        return max(
            (abs(got.hwtstamp_ns - at) for got, at in pairs if got.hwtstamp_ns is not None), default=None
        )

    @property
    def clock_reads(self) -> int:
        """How often the time of day was read."""
        return self.work.reads[tod.NSEC]

    @property
    def clock_accesses(self) -> int:
        """Register accesses for that."""
        return sum(self.work.reads[name] + self.work.writes[name] for name in tod.REGISTERS)


def receive(
    frames: Sequence[bytes],
    options: Options | None = None,
    rx_filter: int = RxFilter.NONE,
    *,
    port: int = 1,
    asking: int | None = None,
    start_ns: int = 0,
) -> Reception:
    """Frames come from the wire to `port`, `BURST` at a time, and the driver takes each burst when it is in.

    Args:
        rx_filter: set on port `asking` (None: the port of arrival).
        start_ns: what the chip's clock says at the beginning.

    Raises:
        OSError: ERANGE, the hardware does not have this filter.
    """
    board = Board(options)
    end = _plug(board, port)
    board.hwtstamp(port if asking is None else asking, TxType.OFF, rx_filter)
    clock, work, arrived = board.chip.ptp.domains[0], Work(), []
    clock.load(start_ns)
    offset_ns = start_ns - board.clock.now_ns
    for at in range(0, len(frames), BURST):
        arrived += [offset_ns + time_ns for time_ns in _arrive(board, end, frames[at : at + BURST])]
        start = so_far(board)
        run(board)
        work += so_far(board) - start
    board.ledger.check_settled()
    return Reception(work, board.delivered, arrived)


def one_frame(options: Options, rx_filter: int = RxFilter.NONE, nbytes: int = 60) -> tuple[Access, ...]:
    """The accesses for one frame in the middle of a burst, each with the time since the frame before it."""
    board = Board(options)
    end = _plug(board, 1)
    board.hwtstamp(1, TxType.OFF, rx_filter)
    _arrive(board, end, [bytes(nbytes)] * 3)
    trace: list[Access] = []
    ends: list[int] = []
    hand_up = board.driver.receive

    def received(port: int, skb: Skb) -> None:
        ends.append(len(trace))
        hand_up(port, skb)

    board.driver.receive, board.chip.door.trace = received, trace
    run(board)
    first, last, _ = ends
    start_ns = trace[first - 1].time_ns
    return tuple(access._replace(time_ns=access.time_ns - start_ns) for access in trace[first:last])


def answers(options: Options | None = None) -> dict[str, list[str]]:
    """Every receive filter by what the driver answers: the filter that it reports back, or its refusal."""
    board, found = Board(options), dict[str, list[str]]()
    for asked in RxFilter:
        try:
            said = RxFilter(board.hwtstamp(1, TxType.OFF, asked).rx_filter).name
        except OSError as error:
            said = f"refused: −{errno.errorcode[error.errno or 0]}"
        found.setdefault(said, []).append(asked.name)
    return found


def _plug(board: Board, port: int) -> wires.Capture:
    end = wires.Capture(board.clock)
    wires.Wire(board.clock, end, board.chip.ports[port])
    return end


def _arrive(board: Board, end: wires.Capture, frames: Sequence[bytes]) -> list[int]:
    """Let `frames` come in; the driver does not look meanwhile. When each came, in ns of virtual time."""
    times = [end.send(frame) for frame in frames]
    while (due_ns := board.clock.next_ns) is not None:
        board.clock.run_until(due_ns)
    return times


# ---- computed from the claim ----


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read the claim: the rates in Mbit/s with the clock read for every frame and for none."""

    before: Exact
    after: Exact
    payload: int

    @property
    def clock_ns(self) -> Fraction:
        """What reading the clock for a frame costs, in ns."""
        return linerate.frame_ns(self.before, self.payload) - linerate.frame_ns(self.after, self.payload)

    def mbit(self, share: Exact) -> Fraction:
        """The rate if the clock is read for this share of the frames (0 to 1) and all else stays."""
        frame_ns = linerate.frame_ns(self.after, self.payload) + Fraction(share) * self.clock_ns
        return Fraction(8000 * self.payload) / frame_ns

    def frames_per_second(self, share: Exact) -> int:
        """Full frames in a second at that rate."""
        return round(self.mbit(share) * 10**6 / (8 * self.payload))


def readings(claim: Claim) -> dict[str, Reading]:
    """The claim by its printed rates, and by its printed MBytes and seconds, which give other rates."""
    return {
        "printed rates": Reading(*claim.both(), claim.payload),
        "MBytes and seconds": Reading(claim.recomputed["before"], claim.recomputed["after"], claim.payload),
    }
