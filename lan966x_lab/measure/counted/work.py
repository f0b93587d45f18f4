"""Counted work: what frames cost, counted while the driver runs them through the devices.

No formula stands here. Register accesses and clock reads are counted by the door, header bytes by the header
itself, copied bytes by the driver that copies them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lan966x_lab.driver import Board, Delivered, Options, RxFilter, TxType, run


@dataclass(frozen=True, slots=True)
class Work:
    """What some frames cost.

    Attributes:
        reads, writes: register accesses by register name.
        ktime_reads: reads of the CPU's clock.
        header_loads, header_stores: bytes of frame headers (IFH) loaded and stored while building and reading
            them.
        copied_bytes: bytes of frames that the CPU stored into memory.
        ns: virtual time.
    """

    reads: Counter[str] = field(default_factory=Counter)
    writes: Counter[str] = field(default_factory=Counter)
    ktime_reads: int = 0
    header_loads: int = 0
    header_stores: int = 0
    copied_bytes: int = 0
    ns: int = 0

    @property
    def accesses(self) -> int:
        """Register reads and writes together."""
        return self.reads.total() + self.writes.total()

    def __add__(self, other: Work) -> Work:
        return self._combine(other, 1)

    def __sub__(self, other: Work) -> Work:
        return self._combine(other, -1)

    def _combine(self, other: Work, sign: int) -> Work:
        reads, writes = Counter(self.reads), Counter(self.writes)
        for mine, theirs in ((reads, other.reads), (writes, other.writes)):
            for name, n in theirs.items():
                mine[name] += sign * n
        return Work(
            +reads,
            +writes,
            self.ktime_reads + sign * other.ktime_reads,
            self.header_loads + sign * other.header_loads,
            self.header_stores + sign * other.header_stores,
            self.copied_bytes + sign * other.copied_bytes,
            self.ns + sign * other.ns,
        )

    def totals(self) -> dict[str, int]:
        """The figures without the register names, for a table."""
        return {
            "register reads": self.reads.total(),
            "register writes": self.writes.total(),
            "clock reads": self.ktime_reads,
            "header bytes loaded": self.header_loads,
            "header bytes stored": self.header_stores,
            "frame bytes copied": self.copied_bytes,
        }


def so_far(board: Board) -> Work:
    """Everything that `board` has done since it was made."""
    door, work = board.chip.door, board.driver.work
    return Work(
        Counter(door.reads),
        Counter(door.writes),
        door.ktime_reads,
        work["header_loads"],
        work["header_stores"],
        work["copied_bytes"],
        board.clock.now_ns,
    )


@dataclass(frozen=True, slots=True)
class Count:
    """The work of sending and of receiving `frames` frames, and what was delivered."""

    frames: int
    transmit: Work
    receive: Work
    delivered: list[Delivered]

    @property
    def work(self) -> Work:
        """Both directions."""
        return self.transmit + self.receive


def count(
    frames: Iterable[bytes],
    options: Options | None = None,
    *,
    tx_type: int = TxType.OFF,
    rx_filter: int = RxFilter.NONE,
) -> Count:
    """Send `frames` from port 0 to port 1 of one board, one after the other, and count.

    `tx_type` and `rx_filter` configure the ports' hardware timestamps; with a transmit type, every frame asks
    for its time. ``receive`` contains everything that happens after the driver has taken a frame, the PTP
    interrupt too.
    """
    board = Board(options)
    board.wire(0, 1)
    board.hwtstamp(0, tx_type, RxFilter.NONE)
    board.hwtstamp(1, TxType.OFF, rx_filter)
    n, transmit, receive = 0, Work(), Work()
    for frame in frames:
        start = so_far(board)
        board.send(frame, stamp=tx_type != TxType.OFF)
        sent = so_far(board)
        run(board)
        transmit, receive = transmit + (sent - start), receive + (so_far(board) - sent)
        n += 1
    board.ledger.check()
    return Count(n, transmit, receive, board.delivered)
