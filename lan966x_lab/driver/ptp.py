"""Times of frames: on receipt (seed 000 1/2), on departure in two steps or in one.

Times are integers in nanoseconds since the clock's epoch. Errors that the kernel returns as ``-E…`` are
`OSError` with that ``errno``.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from lan966x_lab.driver.hwtstamp import RX_FILTERS, TX_COMMANDS, HwtstampConfig, grant
from lan966x_lab.driver.ledger import Ledger
from lan966x_lab.driver.phc import Phc, full_time
from lan966x_lab.driver.skb import Skb
from lan966x_lab.hw.lan966x_regs import STAMP_NSEC, PduType, RewOp, TwoStepCtrl
from lan966x_lab.hw.limits import whole
from lan966x_lab.hw.registers import Door
from lan966x_lab.net import ptp

MAX_PTP_ID = 512
PTP_TIMEOUT_NS = 10_000_000
PTP_HEADER_LEN = 34
V1_CONTROL = 32
"""Where version 1 has its message type."""


@dataclass(slots=True)
class Pending:
    """A frame that waits for its transmit time."""

    skb: Skb
    ticket: int
    asked_ns: int


@dataclass(slots=True)
class PortPtp:
    """The PTP state of a port. `pending`: frames that wait for a time, by id, oldest first."""

    number: int
    config: HwtstampConfig = field(default_factory=HwtstampConfig)
    next_id: int = 0
    pending: dict[int, Pending] = field(default_factory=dict)

    @property
    def tx_command(self) -> RewOp:
        """What the transmit type makes of PTP frames."""
        return TX_COMMANDS[self.config.tx_type]

    @property
    def rx_gate(self) -> bool:
        """Whether the receive filter asks for times."""
        return RX_FILTERS[self.config.rx_filter]


class Ptp:
    """The PTP part of the driver.

    Args:
        stamped: is given every frame whose transmit time has come (``skb.hwtstamp`` is set).

    Attributes:
        stats: ``tx_stamped``, ``tx_expired``, ``tx_refused``, ``tx_unmatched``, ``fifo_overflow``,
            ``fifo_orphan``.
    """

    def __init__(self, door: Door, ledger: Ledger, ports: int, stamped: Callable[[int, Skb], None]) -> None:
        self.door, self.ledger, self.stamped = door, ledger, stamped
        self.clock = Phc(door)
        self.ports = [PortPtp(number) for number in range(ports)]
        self.stats: Counter[str] = Counter()
        self.outstanding = 0

    def hwtstamp_set(self, port: int, config: HwtstampConfig) -> HwtstampConfig:
        """Configure a port; returns what was granted.

        Raises:
            ValueError: there is no such port.
            OSError: ERANGE, the hardware has not what was asked for; nothing is changed then.
        """
        self._port(port).config = granted = grant(config)
        return granted

    def hwtstamp_get(self, port: int) -> HwtstampConfig:
        """What is configured."""
        return self._port(port).config

    def _port(self, number: int) -> PortPtp:
        return self.ports[whole("port", number, 0, len(self.ports) - 1)]

    # ---- receive ----

    def stamp_received(self, port: int, skb: Skb, timestamp: int, *, gated: bool) -> None:
        """Give a received frame its time. `timestamp`: the IFH field; `gated`: the patch of seed 000 1/2."""
        if gated and not self.ports[port].rx_gate:
            return
        skb.hwtstamp = full_time(self.clock.gettime(), timestamp >> 2)

    # ---- transmit ----

    def request(self, port: int, skb: Skb, ticket: int) -> dict[str, int]:
        """The header fields for a frame that asks for a transmit time; a two-step frame gets an id and waits.

        Raises:
            OSError: EBUSY, all ids are out.
        """
        command, pdu_type = self._classify(self.ports[port], skb)
        if command == RewOp.NOOP:
            return {}
        fields = {"REW_CMD": int(command), "PDU_TYPE": int(pdu_type)}
        if command == RewOp.TWO_STEP_PTP:
            fields["TIMESTAMP"] = self._take_id(self.ports[port], skb, ticket)
        return fields

    def _classify(self, port: PortPtp, skb: Skb) -> tuple[RewOp, PduType]:
        command = port.tx_command
        if command == RewOp.NOOP or not skb.wants_hw_timestamp:
            return RewOp.NOOP, PduType.NONE
        frame = bytes(skb)
        kind = ptp.classify(frame)
        place = ptp.locate(frame) if kind != ptp.NONE else None
        if place is None or place[1] - place[0] < PTP_HEADER_LEN:
            return RewOp.NOOP, PduType.NONE
        pdu_type = {ptp.IPV4: PduType.IPV4, ptp.IPV6: PduType.IPV6}.get(kind & ptp.PMASK, PduType.NONE)
        is_sync = _message_type(frame[slice(*place)], kind) == ptp.MessageType.SYNC
        if command == RewOp.ONE_STEP_PTP and not is_sync:
            command = RewOp.TWO_STEP_PTP
        return command, pdu_type

    def _take_id(self, port: PortPtp, skb: Skb, ticket: int) -> int:
        self.purge()
        if self.outstanding >= MAX_PTP_ID:
            self.stats["tx_refused"] += 1
            raise OSError(errno.EBUSY, f"all {MAX_PTP_ID} timestamp ids are out: try again in 10 ms")
        ident = port.next_id
        while ident in port.pending:
            ident = (ident + 1) % MAX_PTP_ID
        port.next_id = (ident + 1) % MAX_PTP_ID
        port.pending[ident] = Pending(skb, ticket, self.door.clock.now_ns)
        self.outstanding += 1
        self.ledger.take("ts_id", (port.number, ident))
        return ident

    def release(self, port: int, ident: int) -> Pending:
        """Give an id back; returns the frame that held it. Every way out of `pending` leads through here."""
        pending = self.ports[port].pending.pop(ident)
        self.outstanding -= 1
        self.ledger.give("ts_id", (port, ident))
        return pending

    def purge(self) -> None:
        """Give up on frames that have waited longer than 10 ms."""
        oldest_ns = self.door.clock.now_ns - PTP_TIMEOUT_NS
        for port in self.ports:
            for ident in [i for i, pending in port.pending.items() if pending.asked_ns < oldest_ns]:
                pending = self.release(port.number, ident)
                self.stats["tx_expired"] += 1
                self._free(pending)

    def interrupt(self) -> None:
        """Take what the two-step FIFO has: pairs of a time and an id, at most 512 entries at a time."""
        for _ in range(MAX_PTP_ID):
            control = self.door.read("PTP_TWOSTEP_CTRL")
            if not TwoStepCtrl.VLD.get(control):
                break
            self.stats["fifo_overflow"] += TwoStepCtrl.OVFL.get(control)
            raw = self.door.read("PTP_TWOSTEP_STAMP")
            self._next_entry()
            if not TwoStepCtrl.STAMP_TX.get(control):
                self.stats["fifo_orphan"] += 1
                continue
            ident = self.door.read("PTP_TWOSTEP_STAMP")
            self._next_entry()
            self._match(TwoStepCtrl.PORT.get(control), ident, STAMP_NSEC.get(raw))

    def _next_entry(self) -> None:
        self.door.modify("PTP_TWOSTEP_CTRL", TwoStepCtrl.NXT.mask, TwoStepCtrl.NXT.mask)

    def _match(self, port: int, ident: int, ns: int) -> None:
        if port >= len(self.ports) or ident not in self.ports[port].pending:
            self.stats["tx_unmatched"] += 1
            return
        pending = self.release(port, ident)
        pending.skb.hwtstamp = full_time(self.clock.gettime(), ns)
        self.stats["tx_stamped"] += 1
        self.stamped(port, pending.skb)
        self._free(pending)

    def _free(self, pending: Pending) -> None:
        pending.skb.free()
        self.ledger.give("skb", pending.ticket)


def _message_type(message: bytes, kind: int) -> int:
    """Version 1 has it in the control byte, version 2 in the low nibble of its first byte."""
    return message[V1_CONTROL] if kind & ptp.VMASK == ptp.V1 else message[0] & 0xF
