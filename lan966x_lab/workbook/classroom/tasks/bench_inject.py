"""The bench of exercise 05: a chip of which only injection is there, the score, the picture.

The FIFO is the lab's own model (``hw.injection``), so every broken rule is answered by the device itself. The
bench adds one thing: patience that ends, because a loop that waits for a FIFO that never drains has no end.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from lan966x_lab import ifh
from lan966x_lab import workbook as wb
from lan966x_lab.driver import Options
from lan966x_lab.driver.manual_tx import GIVE_UP, START, STATUS, ManualTransmit
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.injection import InjectionGroup, ProtocolError
from lan966x_lab.hw.lan966x_regs import BUFFER_MIN_SZ, GrpCfg, InjCtrl, InjStatus
from lan966x_lab.hw.registers import Access, Door
from lan966x_lab.workbook import palette

__all__ = [
    "CTRL",
    "DATA",
    "HEADER",
    "ROOM",
    "STATUS",
    "Bench",
    "frame_of",
    "frame_picture",
    "header_for",
    "scores",
    "words_asked",
]

CTRL, DATA = "QS_INJ_CTRL[0]", "QS_INJ_WR[0]"
ROOM = 512
"""Words that are certain to fit while the watermark is not reached: the bench's depth less its watermark."""
_PATIENCE = 50_000


class Bench(Door):
    """The door of a chip with nothing but manual injection, two groups of it; yours is group 0.

    Attributes:
        sent: what left the FIFO, header and frame.

    Args:
        pauses: after each word that is taken, for how many ns the FIFO takes no other.
        words: so many words of a frame are in the FIFO already, and its SOF.
        behind: so many words of earlier frames are still in the FIFO.
        word_ns: how long the FIFO needs to pass a word on.
        watermark, depth: see ``hw.injection``.
        other: what group 1 says of itself.
    """

    def __init__(
        self,
        *,
        pauses: Iterable[int] = (),
        words: int = 0,
        behind: int = 0,
        word_ns: int = 32,
        watermark: int = 512,
        depth: int = 1024,
        other: int = InjStatus.FIFO_RDY.put(2),
    ) -> None:
        super().__init__(Clock())
        self.sent: list[bytes] = []
        self.group = InjectionGroup(self, 0, self._deliver, depth=depth, watermark=watermark, word_ns=word_ns)
        self.add(STATUS, read=self._status)
        self._other, self._looked, self._idle = other, 0, 0
        self.poke("QS_INJ_GRP_CFG[0]", GrpCfg.MODE.put(GrpCfg.MANUAL) | GrpCfg.BYTE_SWAP.put(1))
        if behind:
            super().write(CTRL, START)
            for word in range(behind):
                super().write(DATA, word)
            super().write(CTRL, InjCtrl.GAP_SIZE.put(1) | InjCtrl.EOF.put(1))
            super().write(DATA, 0)
        waits = list(pauses)
        if words:
            super().write(CTRL, START)
            self.group.pauses = iter([0] * (words - 1) + waits)
            for word in range(words):
                super().write(DATA, word)
        elif waits:
            self.group.pauses = iter(waits)
        self.reads.clear()
        self.writes.clear()

    def __repr__(self) -> str:
        return "door"

    def _deliver(self, packet: bytes) -> None:
        self.sent.append(packet)

    def _status(self) -> int:
        self._looked = self.group.status | self._other
        return self._looked

    def read(self, name: str) -> int:
        """As every door, as long as you get on.

        Raises:
            RuntimeError: you have looked so often, and written nothing, that you would never stop.
        """
        self._patience()
        return super().read(name)

    def ktime(self) -> int:
        """As every door, as long as you get on."""
        self._patience()
        return super().ktime()

    def delay(self, ns: int) -> None:
        """As every door, as long as you get on."""
        self._patience()
        super().delay(ns)

    def write(self, name: str, value: int) -> None:
        """As every door; a word that nobody has room for is explained."""
        self._idle = 0
        try:
            super().write(name, value)
        except ProtocolError as error:
            if "FIFO_RDY" in str(error) and InjStatus.FIFO_RDY.get(self._looked) == 1 << 1:
                said = f"Your last look read {self._looked:#x}: FIFO_RDY of group 1, and yours is group 0."
                raise ProtocolError(f"{error} {said}") from None
            raise

    def _patience(self) -> None:
        self._idle += 1
        if self._idle > _PATIENCE:
            raise RuntimeError(
                f"{_PATIENCE:,} looks and waits without a word written: this FIFO never gets ready, "
                "so your loop would never end; count your looks"
            )

    @property
    def looks(self) -> int:
        """How often you read the status."""
        return self.reads[STATUS]

    def left_open(self) -> bool:
        """Whether a frame was begun and neither finished nor given up; afterwards it is given up."""
        try:
            super().write(CTRL, GIVE_UP)
        except ProtocolError:
            return False
        return True

    def settle(self) -> None:
        """Let time pass until everything that was finished has left."""
        self.clock.advance(10**9)


def header_for(port: int, priority: int = 0) -> bytes:
    """The header of a frame that leaves through one port."""
    return ifh.LAN966X.tx.encode(BYPASS=1, DSTS=1 << port, QOS_CLASS=priority, IPV=priority)


HEADER = header_for(1)


def words_asked(data: int) -> int:
    """Words of a frame that are asked for: header and data."""
    return len(HEADER) // 4 + -(-max(data, BUFFER_MIN_SZ) // 4)


def frame_of(length: int) -> bytes:
    """A frame whose bytes differ from their neighbours."""
    return bytes((3 * i + 1) & 0xFF for i in range(length))


def scores(namespace: Mapping[str, Any]) -> wb.Table:
    """Counted accesses for three frames: the lab's driver, your ``inject``, your ``inject_with_room``."""
    rows: list[list[object]] = []
    for length in (64, 700, 1514):
        door = Bench()
        transmit = ManualTransmit(door, Options(check_fifo_first=True))
        transmit.busy()
        transmit.inject(HEADER, frame_of(length))
        rows.append([length, "the lab's driver", *_score(door)])
        for name, more in (("inject", ()), ("inject_with_room", (ROOM,))):
            door = Bench()
            try:
                namespace[name](door, HEADER, frame_of(length), *more)
            except (KeyError, NotImplementedError):
                rows.append([length, name, "—", "—", "not started"])
            except Exception as error:  # whatever the learner's code raises belongs into the table
                rows.append([length, name, "—", "—", type(error).__name__])
            else:
                rows.append([length, name, *_score(door)])
    heads = ["bytes", "who", "looks", "writes", "µs"]
    return wb.table(rows, heads, "One frame into an empty FIFO: counted accesses, and what they cost")


def _score(door: Bench) -> list[object]:
    return [door.looks, door.writes.total(), f"{door.clock.now_ns / 1000:.1f}"]


# ---- the picture

_TONES = {"control": palette.TONES[1], "header": palette.TONES[3], "data": palette.TONES[0]}
_FCS = palette.SLATE


def frame_picture(length: int) -> wb.Picture:
    """One injected frame, access by access, from the trace of the lab's driver."""
    door = Bench()
    door.trace = []
    transmit = ManualTransmit(door, Options(check_fifo_first=True))
    transmit.busy()
    transmit.inject(HEADER, frame_of(length))
    boxes = _boxes(door.trace)
    left, top = 24.0, 96
    pitch = (wb.WIDTH - 2 * left) / len(boxes)
    svg = wb.Svg(wb.WIDTH, 190, "the register accesses of one injected frame")
    svg.text(left, 30, f"A frame of {length} bytes goes into the FIFO", size=15, bold=True)
    svg.text(wb.WIDTH - left, 30, "counted", size=12, anchor="end", fill=palette.EVIDENCE["counted"].strong)
    svg.circle(left + 6, 55, 4, fill=palette.TONES[2].strong)
    svg.text(left + 18, 60, "a look at QS_INJ_STATUS", size=12)
    for number, (kind, looked) in enumerate(boxes):
        x = left + number * pitch
        tone = _TONES.get(kind, _FCS)
        svg.rect(x + 1, top, pitch - 2, 34, fill=tone.soft, stroke=tone.strong)
        if looked:
            svg.circle(x + (1 if number == 0 else pitch / 2), top - 12, 4, fill=palette.TONES[2].strong)
    parts = [("SOF", 0, 1), ("header, 7 words", 1, 8), ("", 8, len(boxes) - 2)]
    parts += [("EOF", len(boxes) - 2, len(boxes) - 1), ("FCS", len(boxes) - 1, len(boxes))]
    data = len(boxes) - 10
    for name, first, stop in parts:
        middle = left + (first + stop) / 2 * pitch
        svg.text(middle, top + 56, name or f"frame, {data} words", size=12, anchor="middle", bold=True)
    notes = [
        (left, "start", "QS_INJ_CTRL"),
        (left + 4.5 * pitch, "middle", "QS_INJ_WR"),
        (
            left + (8 + data / 2) * pitch,
            "middle",
            f"QS_INJ_WR; {length % 4 or 4} of 4 bytes of the last count",
        ),
        (wb.WIDTH - left, "end", "QS_INJ_CTRL, and a word of 0"),
    ]
    for x, anchor, note in notes:
        svg.text(x, top + 76, note, size=11, anchor=anchor, fill=palette.MUTED)
    return wb.Picture(
        svg,
        f"A frame of {length} bytes takes {door.writes.total()} writes and {door.looks} looks: one before "
        f"the frame, one before each of {words_asked(length)} words, and none before the last.",
    )


def _boxes(trace: list[Access]) -> list[tuple[str, bool]]:
    """Each write, by kind, and whether a look stands before it."""
    boxes: list[tuple[str, bool]] = []
    looked = False
    for access in trace:
        if access.kind == "R":
            looked = True
            continue
        if access.name == CTRL:
            kind = "control"
        elif boxes and boxes[-1][0] == "control" and len(boxes) > 1:
            kind = "fcs"
        else:
            kind = "header" if len(boxes) <= 7 else "data"
        boxes.append((kind, looked))
        looked = False
    return boxes
