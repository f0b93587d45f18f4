"""Manual extraction: the CPU reads a frame from QS_XTR_RD, word by word, with markers in between.

The stream of one frame is its words in order, with the end marker *before* the last word. A data word that
looks like a marker follows an ESCAPE. ABORT ends a frame that must not be used; as after an end marker, one
word follows it. When there is nothing to read yet, a read says NOT_READY and takes nothing away.

The words are those of header, frame and FCS together; the last one may be filled up, and the end marker says
by how many bytes.
"""

from __future__ import annotations

import struct
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lan966x_lab.hw.lan966x_regs import BUFFER_MEMORY, MARKERS, GrpCfg, Marker
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.registers import Door

END_BY_UNUSED = (Marker.EOF_0, Marker.EOF_1, Marker.EOF_2, Marker.EOF_3)


@dataclass(slots=True)
class Stream:
    """One frame as QS_XTR_RD gives it. `marked`: where words stand that look like a marker, in order.

    At `pause_at` a read says NOT_READY, for `pause_ns` from the first such read on (None: until flushed).
    """

    words: list[int]
    marked: list[int] = field(default_factory=list)
    nbytes: int = 0
    pause_at: int | None = None
    pause_ns: int | None = 0


def encode(packet: bytes) -> Stream:
    """The stream of `packet` (header, frame and FCS; at least one word), as a little-endian CPU reads it.

    >>> [f"{word:08x}" for word in encode(bytes.fromhex("01020304 80000000 05")).words]
    ['04030201', '06000080', '00000080', '03000080', '00000005']
    """
    unused = -len(packet) % 4
    padded = packet + bytes(unused)
    words = list(struct.unpack(f"<{len(padded) // 4}I", padded))
    last = len(words) - 1
    literal = _looks_like_marker(padded)
    for index in reversed(literal):
        words.insert(index, Marker.ESCAPE)
    words.insert(last + sum(index < last for index in literal), END_BY_UNUSED[unused])
    return Stream(words, _marked(words) if literal else [last], len(packet))


def _marked(words: Sequence[int]) -> list[int]:
    return [index for index, word in enumerate(words) if word in MARKERS]


def _looks_like_marker(padded: bytes) -> list[int]:
    """Indexes of the words that read as a marker: bytes 80 00 00 and one of 00..07."""
    found = []
    at = padded.find(b"\x80\x00\x00")
    while at >= 0:
        if at % 4 == 0 and padded[at + 3] <= 7:
            found.append(at // 4)
        at = padded.find(b"\x80\x00\x00", at + 1)
    return found


class ExtractionGroup:
    """One extraction group: `offer` puts a packet into its queue, reads of QS_XTR_RD take it out.

    Attributes:
        frames: how many packets were ``offered``, ``refused`` (no memory), ``flushed``.
        is_flushing: while set, nothing stays in the queue (QS_XTR_FLUSH).
    """

    def __init__(self, door: Door, group: int, *, capacity: int = BUFFER_MEMORY) -> None:
        self.clock = door.clock
        self.capacity = capacity
        self.frames: Counter[str] = Counter()
        self.is_flushing = False
        self._door = door
        self._config = f"QS_XTR_GRP_CFG[{group}]"
        self._queue: deque[Stream] = deque()
        self._queued_bytes = 0
        self._at = 0
        self._resume_ns: int | None = None
        self._orders: deque[Callable[[Stream], None]] = deque()
        door.add(self._config)
        door.add(f"QS_XTR_RD[{group}]", read=self._read, gives=self.give, steady=self.steady_until)

    @property
    def data_present(self) -> bool:
        """QS_XTR_DATA_PRESENT of this group."""
        return bool(self._queue)

    def offer(self, packet: bytes) -> bool:
        """Queue a packet (header, frame, FCS); False when the packet memory is full."""
        if self._queued_bytes + len(packet) > self.capacity:
            self.frames["refused"] += 1
            return False
        stream = encode(packet)
        if self._orders:
            self._orders.popleft()(stream)
        self._queue.append(stream)
        self._queued_bytes += stream.nbytes
        self.frames["offered"] += 1
        if self.is_flushing:
            self.flush()
        return True

    def flush(self) -> None:
        """Throw away everything that is queued."""
        self.frames["flushed"] += len(self._queue)
        self._queue.clear()
        self._queued_bytes = self._at = 0
        self._resume_ns = None

    def _paused(self, stream: Stream) -> bool:
        if stream.pause_at != self._at:
            return False
        if stream.pause_ns is None:
            return True
        if self._resume_ns is None:
            self._resume_ns = self.clock.now_ns + stream.pause_ns
        if self.clock.now_ns < self._resume_ns:
            return True
        stream.pause_at = self._resume_ns = None
        return False

    def _read(self) -> int:
        if not self._queue or self._paused(self._queue[0]):
            word = int(Marker.NOT_READY)
        else:
            word = self._queue[0].words[self._at]
            self._step(1)
        if GrpCfg.BYTE_SWAP.get(self._door.peek(self._config)):
            return word
        return int.from_bytes(word.to_bytes(4, "little"), "big")

    def _step(self, n: int) -> None:
        self._at += n
        if self._at == len(self._queue[0].words):
            self._queued_bytes -= self._queue.popleft().nbytes
            self._at = 0

    # ---- what can be ordered, each for the next packet that is offered ----

    def order(self, fault: Callable[[Stream], None]) -> None:
        """Change the stream of the next packet with `fault` (the functions below, or one of your own)."""
        self._orders.append(fault)

    # ---- what is promised to the door (hw.registers) ----

    def give(self, n: int) -> Sequence[int]:
        """Up to `n` words of the frame that is being read; a word that looks like a marker ends them."""
        if not self._queue or not GrpCfg.BYTE_SWAP.get(self._door.peek(self._config)):
            return ()
        stream, at = self._queue[0], self._at
        end = min(at + n, len(stream.words))
        if stream.pause_at is not None and at <= stream.pause_at:
            end = min(end, stream.pause_at)
        end = min([end, *(mark + 1 for mark in stream.marked if mark >= at)])
        words = stream.words[at:end]
        if words:
            self._step(len(words))
        return words

    def steady_until(self, word: int) -> float:
        """When a read that says NOT_READY may say something else. No other word is ever certain."""
        if word != Marker.NOT_READY:
            return self.clock.now_ns
        if not self._queue:
            return float("inf")
        stream = self._queue[0]
        if stream.pause_at != self._at:
            return self.clock.now_ns
        return float("inf") if stream.pause_ns is None else self._resume_ns or self.clock.now_ns


def _middle(stream: Stream) -> int:
    """A place half way, not between an ESCAPE and its word."""
    at = len(stream.words) // 2
    while at and stream.words[at - 1] == Marker.ESCAPE:
        at -= 1
    return at


def _end_with(stream: Stream, marker: Marker, word: int) -> None:
    stream.words[_middle(stream) :] = [marker, word]
    stream.marked = _marked(stream.words)


def abort_frame(stream: Stream) -> None:
    """The hardware gives the frame up half way: ABORT."""
    _end_with(stream, Marker.ABORT, 0)


def prune_frame(stream: Stream) -> None:
    """The packet memory was short: the frame ends half way with PRUNED."""
    _end_with(stream, Marker.PRUNED, 0xA5A5A5A5)


def truncate_frame(stream: Stream) -> None:
    """The frame ends half way with an EOF, as if it were whole."""
    _end_with(stream, Marker.EOF_0, 0x5A5A5A5A)


def lose_word(stream: Stream) -> None:
    """One data word half way is missing."""
    at = _middle(stream)
    del stream.words[at : at + (2 if stream.words[at] == Marker.ESCAPE else 1)]
    stream.marked = _marked(stream.words)


def not_ready(ns: int | None) -> Callable[[Stream], None]:
    """Half way, reads say NOT_READY for `ns` nanoseconds (None: until the group is flushed)."""
    if ns is not None:
        whole("ns", ns, 0, advice="None waits until the group is flushed")

    def fault(stream: Stream) -> None:
        stream.pause_at, stream.pause_ns = _middle(stream), ns

    return fault
