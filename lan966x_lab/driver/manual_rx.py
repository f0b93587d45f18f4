"""Manual receive: the CPU reads every word of a frame, and some of the words are markers.

`FrameReader` turns reads of QS_XTR_RD into the data words of one frame; `ManualReceive.receive` turns those
into header and frame, or into the name of the counter in which a bad frame ends. Whatever goes wrong, the
reader is at the start of the next frame afterwards.
"""

from __future__ import annotations

import struct
from collections import Counter
from dataclasses import dataclass

from lan966x_lab.driver import headers
from lan966x_lab.driver.headers import IFH_LEN_BYTES, CountedHeader
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.polling import PollTimeoutError, read_poll_timeout
from lan966x_lab.driver.skb import ETH_FCS_LEN, ETH_HLEN
from lan966x_lab.hw.lan966x_regs import END_MARKERS, MARKERS, NUM_PHYS_PORTS, GrpCfg, Marker
from lan966x_lab.hw.registers import Door

FLUSH_NS = 1_000_000


def flush_group(door: Door, group: int) -> None:
    """Throw away what waits in an extraction group, and what arrives while the bit is set."""
    door.write("QS_XTR_FLUSH", 1 << group)
    door.delay(FLUSH_NS)
    door.write("QS_XTR_FLUSH", 0)


class FrameAbortedError(RuntimeError):
    """The hardware gave the frame up (-EIO)."""


class FrameReader:
    """The words of one frame. `ended`: the last one was read; `unused`: its bytes that do not count."""

    def __init__(self, door: Door, register: str) -> None:
        self.ended = False
        self.pruned = False
        self.unused = 0
        self._door, self._register = door, register

    def words(self, n: int) -> list[int]:
        """The next `n` data words; fewer if the frame ends.

        Raises:
            FrameAbortedError: ABORT; the frame has ended.
            PollTimeoutError: the rest of the frame never came.
        """
        words: list[int] = []
        while len(words) < n and not self.ended:
            words += self._door.read_run(self._register, n - len(words))
            if words[-1] in MARKERS:
                self._follow(words.pop(), words)
        return words

    def _follow(self, word: int, words: list[int]) -> None:
        """What comes after a marker."""
        if word == Marker.NOT_READY:
            # The word that ends the waiting has left the hardware: it is the next word, or the next marker.
            word = read_poll_timeout(self._door, self._register, lambda value: value != Marker.NOT_READY)
        if word in END_MARKERS:
            self.ended, self.pruned, self.unused = True, word == Marker.PRUNED, word >> 24 & 3
            last = self._door.read(self._register)
            words.append(self._door.read(self._register) if last == Marker.ESCAPE else last)
        elif word == Marker.ESCAPE:
            words.append(self._door.read(self._register))
        elif word == Marker.ABORT:
            self.ended = True
            self._door.read(self._register)  # as after an end marker, one word follows
            raise FrameAbortedError("ABORT: the hardware gave the frame up")
        else:
            words.append(word)

    def skip(self) -> None:
        """Read on to the end of the frame."""
        while not self.ended:
            self.words(64)


@dataclass(frozen=True, slots=True)
class Received:
    """A frame without its FCS, and what its header says. `timestamp` is ns << 2."""

    port: int
    frame: bytes
    timestamp: int


class ManualReceive:
    """One extraction group. `options` may be replaced between two frames."""

    def __init__(self, door: Door, options: Options, group: int = 0) -> None:
        self.door = door
        self.options = options
        self._group = group
        self._register = f"QS_XTR_RD[{group}]"
        self._config = f"QS_XTR_GRP_CFG[{group}]"

    def start(self) -> None:
        """Manual mode, words in memory order, nothing left over from before."""
        self.door.write(self._config, GrpCfg.MODE.put(GrpCfg.MANUAL) | GrpCfg.BYTE_SWAP.put(1))
        flush_group(self.door, self._group)

    def data_present(self) -> bool:
        """Whether a frame waits."""
        return bool(self.door.read("QS_XTR_DATA_PRESENT") & 1 << self._group)

    def receive(self, max_len: int, work: Counter[str]) -> Received | str:
        """Read one frame of at most `max_len` bytes with FCS; a bad one comes back as the name of its
        counter.

        ``work["header_loads"]`` counts the bytes of headers looked at.
        """
        reader = FrameReader(self.door, self._register)
        try:
            result = self._read(reader, max_len, work)
            reader.skip()
        except FrameAbortedError:
            return "aborted"
        except PollTimeoutError:
            flush_group(self.door, self._group)
            return "never_ready"
        except BaseException:  # it comes from elsewhere; the rest must not be taken for the next frame
            flush_group(self.door, self._group)
            raise
        return result

    def _read(self, reader: FrameReader, max_len: int, work: Counter[str]) -> Received | str:
        words = reader.words(IFH_LEN_BYTES // 4)
        if reader.ended:
            return "too_short"
        header = CountedHeader(struct.pack(f"<{len(words)}I", *words))
        port, length, timestamp = headers.read(self.options, header)
        work["header_loads"] += header.loads
        if port >= NUM_PHYS_PORTS:
            return "bad_src_port"
        if length < ETH_HLEN + ETH_FCS_LEN:
            return "too_short"
        if length > max_len:
            return "too_long"
        words = reader.words(-(-length // 4))
        if reader.pruned or not reader.ended or 4 * len(words) - reader.unused != length:
            return "wrong_length"
        data = struct.pack(f"<{len(words)}I", *words)
        return Received(port, data[: length - ETH_FCS_LEN], timestamp)
