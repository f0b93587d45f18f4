"""A board: a chip, its driver and a small stack around them, for notebooks and tests.

>>> board = Board()
>>> _ = board.wire(0, 1)
>>> [frame] = board.carry([bytes(range(100))], source=0)
>>> frame.port, frame.frame == bytes(range(100))
(1, True)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

from lan966x_lab.driver.hwtstamp import HwtstampConfig
from lan966x_lab.driver.lan966x import Driver
from lan966x_lab.driver.ledger import Ledger
from lan966x_lab.driver.netdev import TxResult
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.skb import Skb, skb_from_frame
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.lan966x import Lan966x
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.wires import Wire
from lan966x_lab.net.batch import BytesLike, as_bytes

MAX_SKB_PRIORITY, MAX_TCI = 0xFFFF_FFFF, 0xFFFF
RETRY_NS = 10_000
"""How soon the stack offers a frame again that the driver was too busy for."""


class Delivered(NamedTuple):
    """A frame that reached the stack, or (`Board.stamped`) one whose transmit time came."""

    port: int
    frame: bytes
    hwtstamp_ns: int | None


class Board:
    """Attributes: `delivered` and `stamped` collect what came up; `queues` are frames that wait to be sent.

    Args:
        options: the driver's switches.
        clock: shared by boards on the same wires; a new one if None.
        keep: False throws received frames away (for runs of a million).
        chip: further arguments go to `hw.lan966x.Lan966x`.
    """

    def __init__(
        self, options: Options | None = None, *, clock: Clock | None = None, keep: bool = True, **chip: Any
    ) -> None:
        self.chip = Lan966x(clock, **chip)
        self.clock = self.chip.clock
        self.ledger = Ledger()
        self.keep = keep
        self.delivered: list[Delivered] = []
        self.stamped: list[Delivered] = []
        self.driver = Driver(
            self.chip, options, ledger=self.ledger, receive=self._received, stamped=self._stamped
        )
        self.queues: list[deque[Skb]] = [deque() for _ in self.driver.ports]
        self._retry_ns = 0

    @property
    def options(self) -> Options:
        """The driver's switches; assign new ones at any time."""
        return self.driver.options

    @options.setter
    def options(self, options: Options) -> None:
        self.driver.options = options

    @property
    def idle_options(self) -> tuple[str, ...]:
        """The options that are on and change nothing here, on the path that is active now.

        >>> Board(Options(rx_checksum_offload=True)).idle_options
        ('rx_checksum_offload',)
        """
        return self.options.idle(self.options.path)

    def wire(self, a: int, b: int, delay_ns: int = 0, *, to: Board | None = None) -> Wire:
        """Join port `a` to port `b`, of this board or of another one with the same clock.

        Raises:
            ValueError: a board has no such port, the delay is negative, or the clocks are two.
            WireError: a port has a wire already.
        """
        for board, port in ((self, a), (to or self, b)):
            board.driver.port(port)
        if to is not None and to.clock is not self.clock:
            raise ValueError("the other board has a clock of its own: make it with Board(clock=first.clock)")
        return Wire(self.clock, self.chip.ports[a], (to or self).chip.ports[b], delay_ns)

    def hwtstamp(self, port: int, tx_type: int, rx_filter: int) -> HwtstampConfig:
        """``SIOCSHWTSTAMP``: what was granted.

        Raises:
            ValueError: the board has no such port.
            OSError: ERANGE, the hardware has not what was asked for.
        """
        return self.driver.ptp.hwtstamp_set(port, HwtstampConfig(tx_type, rx_filter))

    def send(
        self,
        frame: BytesLike,
        source: int = 0,
        *,
        priority: int = 0,
        vlan_tci: int | None = None,
        stamp: bool = False,
    ) -> None:
        """Give `frame` to the stack, to be sent through port `source`; `stamp` asks for its transmit time.

        Args:
            frame: destination address to last payload byte, no FCS; any bytes-like object.
            priority: 0 or more, as ``skb->priority``; from 7 on it is the highest.
            vlan_tci: the 16 bits of a tag that the switch inserts; None (or 0): none.

        Raises:
            ValueError: the board has no such port, or a number is outside its range; nothing was taken.
            TypeError: something is of another kind; nothing was taken.
        """
        self.driver.port(source)
        priority = whole("priority", priority, 0, MAX_SKB_PRIORITY, "from 7 on it is the highest")
        if vlan_tci is not None:
            vlan_tci = whole("vlan_tci", vlan_tci, 0, MAX_TCI, "priority in bits 15..13, VLAN in bits 11..0")
        if not isinstance(stamp, bool):
            raise TypeError(f"stamp is {stamp!r:.40}: True asks for the transmit time, False does not")
        skb = skb_from_frame(as_bytes(frame))
        skb.priority, skb.vlan_tci, skb.wants_hw_timestamp = priority, vlan_tci, stamp
        self.queues[source].append(skb)
        self._transmit(source)

    def carry(self, frames: Iterable[BytesLike], source: int = 0, **send: Any) -> list[Delivered]:
        """Send `frames` one after the other and return everything that was delivered meanwhile, in order.

        Raises:
            TypeError: `frames` is one frame; nothing was taken.
            ValueError, TypeError: what `send` refuses; the frames before it were sent.
        """
        if isinstance(frames, str | bytes | bytearray) or getattr(frames, "ndim", 2) == 1:
            raise TypeError("frames is one frame: give a list, [frame]")
        start = len(self.delivered)
        for frame in frames:
            self.send(frame, source, **send)
            run(self)
        return self.delivered[start:]

    def service(self) -> bool:
        """Do what is due now: interrupts first, then waiting frames. Whether there was anything."""
        busy = False
        while self.driver.path.interrupt():
            self.driver.poll()
            busy = True
        if self.chip.two_step.pending:
            self.driver.ptp.interrupt()
            busy = True
        if self.clock.now_ns >= self._retry_ns:
            for port, queue in enumerate(self.queues):
                if queue and not self.driver.ports[port].stopped:
                    self._transmit(port)
                    busy = True
        return busy

    def _transmit(self, port: int) -> None:
        """What a queueing discipline does: first in, first out; BUSY puts the frame back to the head.

        A frame that ends in an exception is the driver's: it does not come back.
        """
        queue = self.queues[port]
        while queue and not self.driver.ports[port].stopped:
            skb = queue.popleft()
            if self.driver.xmit(port, skb) == TxResult.BUSY:
                queue.appendleft(skb)
                self._retry_ns = self.clock.now_ns + RETRY_NS
                self.clock.at(self._retry_ns, _wake_up)
                return

    def _received(self, port: int, skb: Skb) -> None:
        for part in (skb, *skb.frag_list) if self.keep else ():
            assert part.mac_header is not None
            frame = bytes(part.buffer[part.mac_header : part.tail])
            self.delivered.append(Delivered(port, frame, part.hwtstamp))
        skb.free()

    def _stamped(self, port: int, skb: Skb) -> None:
        if self.keep:
            self.stamped.append(Delivered(port, bytes(skb), skb.hwtstamp))


def _wake_up() -> None:
    """An event without effect: time stops here, so that the board looks at its queues again."""


def run(*boards: Board, limit_ns: int = 1_000_000_000) -> None:
    """Let time pass until nothing more happens, or for `limit_ns` at most. The boards share one clock.

    Raises:
        ValueError: no board, boards with clocks of their own, or a negative limit.
        TypeError: something is no board, or the limit no integer.
    """
    for board in boards:
        if not isinstance(board, Board):
            raise TypeError(f"board is {board!r:.40}: give each board by itself, run(first, second)")
    if len({id(board.clock) for board in boards}) != 1:
        raise ValueError(
            f"run with {len(boards)} boards: give one or more that share a clock, Board(clock=first.clock)"
        )
    clock = boards[0].clock
    end_ns = clock.now_ns + whole("limit_ns", limit_ns, 0)
    while True:
        while any(board.service() for board in boards):
            pass
        due_ns = clock.next_ns
        if due_ns is None or due_ns > end_ns:
            return
        clock.run_until(due_ns)
