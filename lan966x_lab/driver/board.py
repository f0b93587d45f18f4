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
from lan966x_lab.hw.wires import Wire

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

    def wire(self, a: int, b: int, delay_ns: int = 0, *, to: Board | None = None) -> Wire:
        """Join port `a` to port `b`, of this board or of another one with the same clock.

        Raises:
            ValueError: a board has no such port.
            WireError: a port has a wire already.
        """
        self._check_port(a)
        (to or self)._check_port(b)
        return Wire(self.clock, self.chip.ports[a], (to or self).chip.ports[b], delay_ns)

    def hwtstamp(self, port: int, tx_type: int, rx_filter: int) -> HwtstampConfig:
        """``SIOCSHWTSTAMP``."""
        return self.driver.ptp.hwtstamp_set(port, HwtstampConfig(tx_type, rx_filter))

    def send(
        self,
        frame: bytes,
        source: int = 0,
        *,
        priority: int = 0,
        vlan_tci: int | None = None,
        stamp: bool = False,
    ) -> None:
        """Give `frame` to the stack, to be sent through port `source`; `stamp` asks for its transmit time.

        Raises:
            ValueError: the board has no such port.
        """
        self._check_port(source)
        skb = skb_from_frame(frame)
        skb.priority, skb.vlan_tci, skb.wants_hw_timestamp = priority, vlan_tci, stamp
        self.queues[source].append(skb)
        self._transmit(source)

    def _check_port(self, number: int) -> None:
        if number not in range(len(self.chip.ports)):
            raise ValueError(f"there is no port {number!r}: choose 0 to {len(self.chip.ports) - 1}")

    def carry(self, frames: Iterable[bytes], source: int = 0, **send: Any) -> list[Delivered]:
        """Send `frames` one after the other and return everything that was delivered meanwhile, in order."""
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
        """What a queueing discipline does: first in, first out; BUSY puts the frame back to the head."""
        queue = self.queues[port]
        while queue and not self.driver.ports[port].stopped:
            if self.driver.xmit(port, queue[0]) == TxResult.BUSY:
                self._retry_ns = self.clock.now_ns + RETRY_NS
                self.clock.at(self._retry_ns, _wake_up)
                return
            queue.popleft()

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
    """Let time pass until nothing more happens, or for `limit_ns` at most. The boards share one clock."""
    clock = boards[0].clock
    end_ns = clock.now_ns + limit_ns
    while True:
        while any(board.service() for board in boards):
            pass
        due_ns = clock.next_ns
        if due_ns is None or due_ns > end_ns:
            return
        clock.run_until(due_ns)
