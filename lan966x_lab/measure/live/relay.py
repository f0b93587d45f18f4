"""The relay: every frame of one host goes through the lab's driver and switch to the other host.

What makes a stream slow here, and nothing else does:

* this computer runs the driver's Python for every frame: the header codec (each byte that it loads or stores
  passes a counter), the arithmetic of the time of day, skbs, GRO;
* where `access_time` is not 0, the relay waits for what the frame's register accesses and clock reads cost in
  the model (`hw.registers.Costs`: read 200 ns, write 100 ns, clock 270 ns; ours, a calibration), times that
  factor. The FIFO, the line and the DMA engine cost the CPU nothing and are not waited for.

So a patch that changes neither shows nothing: 003 saves cold cache lines, which no model here has, and the
bit loop of 000/2 loads and stores as many bytes as the general routine. Their runs show how far two equal
sides can lie apart. What a codec costs a real processor is counted elsewhere (`data/instructions`).
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lan966x_lab.measure.live.express import ExpressBoard
from lan966x_lab.net import ptp

BATCH = 64
"""Frames that are read from one side before the other has its turn."""
SNAP = 1 << 14
_IDLE_SECONDS = 0.02


@dataclass
class Traffic:
    """What one side of the relay saw. Every frame read is delivered or refused; what is delivered is sent."""

    read: int = 0
    read_bytes: int = 0
    delivered: int = 0
    sent: int = 0
    sent_bytes: int = 0
    refused: int = 0


@dataclass
class Relay:
    """Carries frames between two sockets.

    Args:
        access_time: real ns waited for each virtual ns of register access; 0 waits for nothing.
        stamp_ptp: ask for the transmit time of PTP event frames (on the full road).

    Attributes:
        traffic: by the side on which frames came in.
        waited_ns: real time spent waiting.
        cpu_ns: CPU time of this process, waiting included.
        timed: received frames that the driver gave a receive time.
    """

    board: ExpressBoard
    sockets: Sequence[socket.socket]
    access_time: float = 1.0
    stamp_ptp: bool = False
    traffic: list[Traffic] = field(default_factory=lambda: [Traffic(), Traffic()])
    waited_ns: int = 0
    cpu_ns: int = 0
    timed: int = 0

    def __post_init__(self) -> None:
        self._paid_ns = self.access_ns()  # setting the board up costs the stream nothing

    def access_ns(self) -> int:
        """What all register accesses and clock reads so far have cost the model's CPU, in virtual ns."""
        door, costs = self.board.chip.door, self.board.chip.door.costs
        accesses = door.reads.total() * costs.read_ns + door.writes.total() * costs.write_ns
        return accesses + door.ktime_reads * costs.ktime_ns + door.delay_ns

    def run(self, until: Callable[[], bool], tick: Callable[[], None] = lambda: None) -> None:
        """Carry until `until()` is true, which is asked every few milliseconds; `tick` is called as often."""
        poller = select.poll()
        for wire in self.sockets:
            poller.register(wire, select.POLLIN)
        started_ns = time.process_time_ns()
        last = time.monotonic()
        try:
            while True:
                if poller.poll(_IDLE_SECONDS * 1000):
                    for side in (0, 1):
                        self._batch(side)
                now = time.monotonic()
                if now - last > _IDLE_SECONDS:
                    last = now
                    tick()
                    if until():
                        return
        finally:
            self.cpu_ns += time.process_time_ns() - started_ns

    def _batch(self, side: int) -> None:
        receive = self.sockets[side].recv
        for _ in range(BATCH):
            try:
                frame = receive(SNAP)
            except BlockingIOError:
                return
            self._carry(frame, side)

    def _carry(self, frame: bytes, side: int) -> None:
        board, traffic = self.board, self.traffic[side]
        traffic.read += 1
        traffic.read_bytes += len(frame)
        if self.stamp_ptp and ptp.classify(frame) != ptp.NONE:
            board.send_stamped(frame, side)
        else:
            board.forward(frame, side)
        if self.access_time:
            paid_ns, self._paid_ns = self._paid_ns, self.access_ns()
            self._wait(round((self._paid_ns - paid_ns) * self.access_time))
        for delivered in board.delivered:
            traffic.delivered += 1
            self.timed += delivered.hwtstamp_ns is not None
            try:
                traffic.sent_bytes += self.sockets[delivered.port].send(delivered.frame)
                traffic.sent += 1
            except OSError:  # ENOBUFS: the host's queue is full
                traffic.refused += 1
        board.delivered.clear()

    def _wait(self, ns: int) -> None:
        """On top of what the Python took: a processor does not run its code during an access either."""
        end_ns = time.perf_counter_ns() + ns
        while time.perf_counter_ns() < end_ns:
            pass
        self.waited_ns += ns
