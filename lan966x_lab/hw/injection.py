"""Manual injection: the CPU writes a frame into a FIFO, word by word.

One frame is: QS_INJ_CTRL with SOF; 7 header words; the data words, at least 15 (60 bytes); QS_INJ_CTRL with
EOF and VLD_BYTES (how many bytes of the last word count, 0 for all four); one more word in the place of the
FCS, which the hardware computes itself. Anything else is an error of the driver and raises `ProtocolError`.

The FIFO is emptied one word every `word_ns` (32 bits at the link's speed). It reports two things for its
group: FIFO_RDY (a word may be written) and WMARK_REACHED (no room for a whole frame). Depth and watermark are
ours: the data sheet of the FIFO is not public.

Not modelled: a GAP_SIZE above 1, and the bits of QS_INJ_CTRL that no field here names. Both are refused.
"""

from __future__ import annotations

import struct
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence

from lan966x_lab import ifh
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.lan966x_regs import BUFFER_MIN_SZ, GrpCfg, InjCtrl, InjStatus
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.registers import Door

IFH_WORDS = ifh.LAN966X.tx.nbytes // 4
MIN_WORDS = IFH_WORDS + BUFFER_MIN_SZ // 4
_READY, _WATERMARK = InjStatus.FIFO_RDY.put(1), InjStatus.WMARK_REACHED.put(1)
_KNOWN = sum(
    bits.mask for bits in (InjCtrl.GAP_SIZE, InjCtrl.ABORT, InjCtrl.EOF, InjCtrl.SOF, InjCtrl.VLD_BYTES)
)
MAX_WORDS = IFH_WORDS + (1 << 14) // 4


class ProtocolError(RuntimeError):
    """The driver broke a rule of a register interface; the message says which, and what comes first."""


class InjectionGroup:
    """One injection group; complete frames (header and frame) leave through `deliver` when they have drained.

    Attributes:
        pauses: None, or ns values; after each accepted word the FIFO is not ready for the next of them.
        frames: how many frames were ``delivered``, ``aborted``.
    """

    def __init__(
        self,
        door: Door,
        group: int,
        deliver: Callable[[bytes], None],
        *,
        depth: int = 1024,
        watermark: int = 512,
        word_ns: int = 32,
    ) -> None:
        self.clock: Clock = door.clock
        self.depth, self.watermark, self.word_ns = depth, watermark, word_ns
        self.pauses: Iterator[int] | None = None
        self.frames: Counter[str] = Counter()
        self._door, self._deliver = door, deliver
        self._config = f"QS_INJ_GRP_CFG[{group}]"
        self._where = f"injection group {group}"
        self._words: list[int] | None = None
        self._written = 0
        self._vld_bytes: int | None = None
        self._lose = 0
        self._busy_until = 0
        self._promised = False
        self._held_from: int | None = None
        self._held_until: int | None = None
        self._draining: deque[tuple[int, bytes]] = deque()
        door.add(self._config)
        door.add(f"QS_INJ_CTRL[{group}]", write=self._control)
        door.add(f"QS_INJ_WR[{group}]", write=self._write, accepts=self)

    # ---- what the CPU sees ----

    @property
    def level(self) -> int:
        """Words in the FIFO now."""
        now = self.clock.now_ns if self._held_from is None else self._held_from
        return max(0, -((now - self._busy_until) // self.word_ns))

    @property
    def ready(self) -> bool:
        """FIFO_RDY."""
        return self._held_from is None and self.level < self.depth

    @property
    def status(self) -> int:
        """This group's share of QS_INJ_STATUS, as if it were group 0."""
        level = self.level
        ready = self._held_from is None and level < self.depth
        return (_READY if ready else 0) | (_WATERMARK if level >= self.watermark else 0)

    def _control(self, value: int) -> None:
        if value & ~_KNOWN or InjCtrl.GAP_SIZE.get(value) > 1:
            raise self._error(
                f"QS_INJ_CTRL <- {value:#x} is not modelled",
                "use SOF, EOF, ABORT, VLD_BYTES, GAP_SIZE 1",
            )
        if InjCtrl.ABORT.get(value):
            self._abort()
        elif InjCtrl.SOF.get(value) and InjCtrl.EOF.get(value):
            raise self._error("SOF and EOF in one write", "write SOF, then the words, then EOF")
        elif InjCtrl.SOF.get(value):
            self._start()
        elif InjCtrl.EOF.get(value):
            self._end(InjCtrl.VLD_BYTES.get(value))

    def _start(self) -> None:
        if GrpCfg.MODE.get(self._door.peek(self._config)) != GrpCfg.MANUAL:
            raise self._error("SOF, but the group is not in manual mode", f"set MODE in {self._config} to 1")
        if self._words is not None:
            raise self._error("SOF inside a frame", "finish it with EOF and the CRC word, or ABORT it")
        self._words, self._written, self._vld_bytes = [], 0, None

    def _end(self, vld_bytes: int) -> None:
        if self._words is None or self._vld_bytes is not None:
            raise self._error("EOF without a frame", "write SOF, then the words")
        if self._written < MIN_WORDS:
            raise self._error(
                "EOF too early",
                f"write {IFH_WORDS} header words and 15 data words or more",
            )
        self._vld_bytes = vld_bytes

    def _abort(self) -> None:
        if self._words is None:
            raise self._error("ABORT without a frame", "write SOF first")
        self._words = self._vld_bytes = None
        self.frames["aborted"] += 1

    def _write(self, word: int) -> None:
        if self._words is None:
            raise self._error("a data word without a frame", "write SOF to QS_INJ_CTRL")
        if self._vld_bytes is not None:  # the word in the place of the FCS: the hardware has kept room for it
            self._fill()
            self._finish()
            return
        if not self.ready and not self._promised:
            raise self._error("a word written while FIFO_RDY is 0", "read QS_INJ_STATUS before each word")
        if self._written >= MAX_WORDS:
            raise self._error(f"more than {MAX_WORDS} words", "write EOF; a frame has at most 16383 bytes")
        self._promised = False
        self._fill()
        self._written += 1
        if self._lose and self._written > IFH_WORDS:
            self._lose -= 1
        else:
            self._words.append(word)
        if self.pauses is not None and (pause := next(self.pauses, 0)):
            self.hold(pause)
            self._promised = False

    def _fill(self) -> None:
        now = self.clock.now_ns if self._held_from is None else self._held_from
        self._busy_until = max(self._busy_until, now) + self.word_ns

    def _finish(self) -> None:
        assert self._words is not None
        assert self._vld_bytes is not None
        order = "<" if GrpCfg.BYTE_SWAP.get(self._door.peek(self._config)) else ">"
        data = struct.pack(f"{order}{len(self._words)}I", *self._words)
        unused = (4 - self._vld_bytes) % 4
        self._draining.append((self._busy_until, data[: len(data) - unused]))
        if self._held_from is None:
            self.clock.at(self._busy_until, self._drain)
        self._words = self._vld_bytes = None

    def _drain(self) -> None:
        while self._draining and self._held_from is None and self._draining[0][0] <= self.clock.now_ns:
            self.frames["delivered"] += 1
            self._deliver(self._draining.popleft()[1])

    def _error(self, what: str, remedy: str) -> ProtocolError:
        state = "no frame is open" if self._words is None else f"{self._written} words of a frame are written"
        return ProtocolError(f"{self._where}: {what}; {state}. Next step: {remedy}.")

    # ---- what can be ordered ----

    def hold(self, ns: int | None = None) -> None:
        """Stall the FIFO: it takes no word and drains none, for `ns` nanoseconds (None: until `release`)."""
        if ns is not None:
            whole("ns", ns, 0, advice="None stalls until release()")
        now = self.clock.now_ns
        if self._held_from is None:
            self._promised = self.ready  # the driver may have read FIFO_RDY already: one word is still taken
            self._held_from, self._held_until = now, now
        if ns is None or self._held_until is None:
            self._held_until = None
            return
        self._held_until = max(self._held_until, now + ns)
        self.clock.at(self._held_until, self._hold_is_over)

    def _hold_is_over(self) -> None:
        if self._held_until is not None and self._held_until <= self.clock.now_ns:
            self.release()

    def release(self) -> None:
        """End a stall; what is in the FIFO drains from here on."""
        if self._held_from is None:
            return
        lost = self.clock.now_ns - self._held_from
        if self._busy_until > self._held_from:  # what was in the FIFO has waited
            self._busy_until += lost
        self._draining = deque((done + lost, frame) for done, frame in self._draining)
        self._held_from = self._held_until = None
        self._promised = False
        if self._draining:
            self.clock.at(self._draining[0][0], self._drain)

    def lose_word(self) -> None:
        """Lose the next data word on its way: the frame gets four bytes shorter."""
        self._lose += 1

    # ---- what is promised to the door (hw.registers) ----

    def room(self) -> int:
        """Words that are certain to find FIFO_RDY set: draining can only make room."""
        if self._words is None or self._vld_bytes is not None or self._held_from is not None:
            return 0
        if self._lose or self.pauses is not None:
            return 0
        return min(self.depth - self.level, MAX_WORDS - self._written)

    def take(self, words: Sequence[int], first_ns: int, step_ns: int) -> None:
        """Accept `words`, one every `step_ns` from `first_ns` on."""
        assert self._words is not None
        self._words += words
        n = len(words)
        self._written += n
        last_ns = first_ns + (n - 1) * step_ns
        # Word i leaves word_ns after it arrived or after word i - 1 left, whichever is later.
        self._busy_until = max(
            max(self._busy_until, first_ns) + n * self.word_ns,
            last_ns + self.word_ns,
        )

    def steady_until(self) -> float:
        """When draining changes this group's status next."""
        if self._held_from is not None:
            return float("inf")
        level = self.level
        passing = (mark for mark in (self.depth, self.watermark) if level >= mark)
        return min((self._busy_until - (mark - 1) * self.word_ns for mark in passing), default=float("inf"))
