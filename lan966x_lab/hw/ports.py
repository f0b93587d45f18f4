"""A front port: queue, line and MAC.

On the way out a frame waits for the line, is rewritten and leaves; on the way in the MAC checks its FCS and
its length and hands it, with the time of its arrival, to the switch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from lan966x_lab.hw import rewriter
from lan966x_lab.hw.fcs import FCS_LEN, fcs, is_intact
from lan966x_lab.hw.lan966x_regs import BUFFER_MEMORY, RewOp
from lan966x_lab.hw.phc import SECOND, Domain
from lan966x_lab.hw.registers import Door
from lan966x_lab.hw.timestamps import TwoStepFifo
from lan966x_lab.hw.wires import Line, Wire

MIN_FRAME = 64
"""Bytes with FCS: anything shorter on a wire is a runt."""


class Order(NamedTuple):
    """What the rewriter shall do to a frame: the IFH's REW_CMD, PDU_TYPE, TIMESTAMP (the two-step id)."""

    rew_cmd: int = RewOp.NOOP
    pdu_type: int = 0
    ident: int = 0


class FrontPort:
    """Attributes: `counters` (``tx``, ``rx`` and one per reason to drop), `wire` (None: the link is down)."""

    def __init__(
        self,
        door: Door,
        number: int,
        phc: Domain,
        two_step: TwoStepFifo,
        ingress: Callable[[int, bytes, int], None],
        *,
        speed_mbps: int = 1000,
    ) -> None:
        self.number = number
        self.speed_mbps = speed_mbps
        self.wire: Wire | None = None
        self.counters: Counter[str] = Counter()
        self._door, self._clock, self._phc, self._two_step = door, door.clock, phc, two_step
        self._ingress = ingress
        self._line = Line(door.clock, speed_mbps)
        self._queued = 0
        self._max_len = f"DEV_MAC_MAXLEN_CFG[{number}]"
        door.add(self._max_len, value=1518)

    @property
    def link_up(self) -> bool:
        """Whether a wire is plugged in."""
        return self.wire is not None

    def send(self, frame: bytes, order: Order) -> None:
        """Queue `frame` (without FCS) for the line."""
        nbytes = len(frame) + FCS_LEN
        if self._queued + nbytes > BUFFER_MEMORY:
            self.counters["tx_no_memory"] += 1
            return
        self._queued += nbytes
        time_ns, duration_ns = self._line.reserve(nbytes)
        self._clock.at(time_ns, partial(self._depart, frame, order, duration_ns))

    def _depart(self, frame: bytes, order: Order, duration_ns: int) -> None:
        self._queued -= len(frame) + FCS_LEN
        if self.wire is None:
            self.counters["tx_link_down"] += 1
            return
        if order.rew_cmd == RewOp.ONE_STEP_PTP:
            frame = rewriter.one_step(frame, order.pdu_type, self._phc.now_ns)
        elif order.rew_cmd == RewOp.TWO_STEP_PTP:
            self._two_step.stamp(self.number, self._phc.now_ns % SECOND, order.ident)
        self.counters["tx"] += 1
        self.wire.carry(self, frame + fcs(frame), duration_ns)

    def arrive(self, data: bytes, duration_ns: int) -> None:
        """A frame begins to arrive: its time is now."""
        stamp_ns = self._phc.now_ns % SECOND
        self._clock.after(duration_ns, partial(self._received, data, stamp_ns))

    def _received(self, data: bytes, stamp_ns: int) -> None:
        if not is_intact(data):
            self.counters["rx_fcs_error"] += 1
        elif len(data) < MIN_FRAME:
            self.counters["rx_runt"] += 1
        elif len(data) > self._door.peek(self._max_len):
            self.counters["rx_too_long"] += 1
        else:
            self.counters["rx"] += 1
            self._ingress(self.number, data, stamp_ns)
