"""PTP in the driver: the hardware clock, receive times (seed 000 1/2), two-step and one-step transmit times.

Times are integers in nanoseconds since the clock's epoch. Errors that the kernel returns as ``-E…`` are
`OSError` with that ``errno``.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from lan966x_lab.driver.ledger import Ledger
from lan966x_lab.driver.skb import Skb
from lan966x_lab.hw.lan966x_regs import (
    STAMP_NSEC,
    TOD_NSEC,
    DomCfg,
    PduType,
    PinAction,
    PinCfg,
    RewOp,
    TwoStepCtrl,
)
from lan966x_lab.hw.phc import NOMINAL_INCREMENT, PHC_COUNT
from lan966x_lab.hw.registers import Door
from lan966x_lab.net import ptp

SECOND = 1_000_000_000
TOD_ACC_PIN = 7
PHC_PORT = 0
MAX_PTP_ID = 512
PTP_TIMEOUT_NS = 10_000_000
ONE_PPM = 3480517749723
"""The change of the increment that makes the clock 1 ppm faster, 5.59 fixed point."""
MAX_ADJ_PPB = 200_000
PTP_HEADER_LEN = 34
V1_CONTROL = 32
PIN_MASK = PinCfg.ACTION.mask | PinCfg.DOM.mask | PinCfg.SYNC.mask


class TxType(IntEnum):
    """HWTSTAMP_TX_… (include/uapi/linux/net_tstamp.h)."""

    OFF = 0
    ON = 1
    ONESTEP_SYNC = 2
    ONESTEP_P2P = 3


class RxFilter(IntEnum):
    """HWTSTAMP_FILTER_…, same source."""

    NONE = 0
    ALL = 1
    SOME = 2
    PTP_V1_L4_EVENT = 3
    PTP_V1_L4_SYNC = 4
    PTP_V1_L4_DELAY_REQ = 5
    PTP_V2_L4_EVENT = 6
    PTP_V2_L4_SYNC = 7
    PTP_V2_L4_DELAY_REQ = 8
    PTP_V2_L2_EVENT = 9
    PTP_V2_L2_SYNC = 10
    PTP_V2_L2_DELAY_REQ = 11
    PTP_V2_EVENT = 12
    PTP_V2_SYNC = 13
    PTP_V2_DELAY_REQ = 14
    NTP_ALL = 15


TX_COMMANDS: dict[int, RewOp] = {
    TxType.OFF: RewOp.NOOP,
    TxType.ON: RewOp.TWO_STEP_PTP,
    TxType.ONESTEP_SYNC: RewOp.ONE_STEP_PTP,
}
"""What a transmit type makes of PTP frames; other types are refused with ERANGE."""
RX_FILTERS: dict[int, bool] = {filt: filt != RxFilter.NONE for filt in RxFilter if filt != RxFilter.SOME}
"""Whether a filter opens the gate; each that does is reported back as ALL. SOME is refused with ERANGE."""


@dataclass(frozen=True, slots=True)
class HwtstampConfig:
    """``struct hwtstamp_config``."""

    tx_type: int = TxType.OFF
    rx_filter: int = RxFilter.NONE


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
    config: HwtstampConfig = HwtstampConfig()
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


def full_time(tod_ns: int, frame_ns: int) -> int:
    """The time of a frame whose nanosecond of the second is known, from a time of day read after it.

    If the frame's nanosecond is the larger one, the second has changed in between and one is borrowed. That
    is right as long as less than a second has passed.

    >>> full_time(100 * SECOND + 5, 999_999_998)
    99999999998
    """
    seconds, ns = divmod(tod_ns, SECOND)
    if ns < frame_ns:
        seconds -= 1
    return seconds * SECOND + frame_ns


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
        self.ports = [PortPtp(number) for number in range(ports)]
        self.stats: Counter[str] = Counter()
        self.outstanding = 0

    def start(self) -> None:
        """Nominal rate for all domains, then let them run."""
        self.door.write("PTP_DOM_CFG", DomCfg.CLKCFG_DIS.put((1 << PHC_COUNT) - 1))
        for domain in range(PHC_COUNT):
            self._write_increment(domain, NOMINAL_INCREMENT)
        self.door.write("PTP_DOM_CFG", DomCfg.ENA.put((1 << PHC_COUNT) - 1))

    # ---- the clock ----

    def _pin(self, action: PinAction, domain: int) -> None:
        self.door.modify(
            f"PTP_PIN_CFG[{TOD_ACC_PIN}]", PinCfg.ACTION.put(action) | PinCfg.DOM.put(domain), PIN_MASK
        )

    def gettime(self, domain: int = PHC_PORT) -> int:
        """The time of day: SAVE it, then read what was saved. Five register accesses."""
        read = self.door.read
        self._pin(PinAction.SAVE, domain)
        seconds = read(f"PTP_TOD_SEC_MSB[{TOD_ACC_PIN}]") << 32
        seconds |= read(f"PTP_TOD_SEC_LSB[{TOD_ACC_PIN}]")
        ns = TOD_NSEC.get(read(f"PTP_TOD_NSEC[{TOD_ACC_PIN}]"))
        if ns & 0x3FFFFFF0 == 0x3FFFFFF0:  # slightly negative: -16..-1 of the next second
            seconds, ns = seconds - 1, (ns & 0xF) + SECOND - 16
        return seconds * SECOND + ns

    def settime(self, time_ns: int, domain: int = PHC_PORT) -> None:
        """Set the time of day. The pin must be IDLE before its registers are written."""
        seconds, ns = divmod(time_ns, SECOND)
        if not 0 <= seconds < 1 << 48:
            raise OSError(errno.ERANGE, f"settime({time_ns}): the clock counts 0..2^48 - 1 seconds")
        self._pin(PinAction.IDLE, domain)
        self.door.write(f"PTP_TOD_SEC_MSB[{TOD_ACC_PIN}]", seconds >> 32)
        self.door.write(f"PTP_TOD_SEC_LSB[{TOD_ACC_PIN}]", seconds & 0xFFFFFFFF)
        self.door.write(f"PTP_TOD_NSEC[{TOD_ACC_PIN}]", ns)
        self._pin(PinAction.LOAD, domain)

    def adjtime(self, delta_ns: int, domain: int = PHC_PORT) -> None:
        """Move the time: in hardware if it is less than half a second, else by reading and setting."""
        if abs(delta_ns) < SECOND // 2:
            self._pin(PinAction.IDLE, domain)
            self.door.write(f"PTP_TOD_NSEC[{TOD_ACC_PIN}]", delta_ns & TOD_NSEC.mask)
            self._pin(PinAction.DELTA, domain)
        else:
            self.settime(self.gettime(domain) + delta_ns, domain)

    def adjfine(self, scaled_ppm: int, domain: int = PHC_PORT) -> None:
        """Run faster or slower by `scaled_ppm` / 65536 ppm of the nominal rate; 0 is the nominal rate.

        Raises:
            OSError: ERANGE, more than 200000 ppb.
        """
        size = abs(scaled_ppm)
        if size * 1000 > MAX_ADJ_PPB << 16:
            most = (MAX_ADJ_PPB << 16) // 1000
            raise OSError(errno.ERANGE, f"adjfine({scaled_ppm}): allowed -{most}..{most} ({MAX_ADJ_PPB} ppb)")
        change = ONE_PPM * (size >> 16) + (ONE_PPM * (size & 0xFFFF) >> 16)
        disable = DomCfg.CLKCFG_DIS
        self.door.modify("PTP_DOM_CFG", disable.put(1 << domain), disable.mask)
        self._write_increment(domain, NOMINAL_INCREMENT + (change if scaled_ppm >= 0 else -change))
        self.door.modify("PTP_DOM_CFG", 0, disable.mask)

    def _write_increment(self, domain: int, increment: int) -> None:
        self.door.write(f"PTP_CLK_PER_CFG[{domain}][0]", increment & 0xFFFFFFFF)
        self.door.write(f"PTP_CLK_PER_CFG[{domain}][1]", increment >> 32)

    # ---- configuration ----

    def hwtstamp_set(self, port: int, config: HwtstampConfig) -> HwtstampConfig:
        """Configure a port; returns what was configured: a filter that asks for any times becomes ALL.

        Raises:
            OSError: ERANGE, a type or filter that the hardware does not have; nothing is changed then.
        """
        if config.tx_type not in TX_COMMANDS:
            allowed = [int(tx_type) for tx_type in TX_COMMANDS]
            raise OSError(errno.ERANGE, f"tx_type {config.tx_type}: use one of {allowed}")
        if config.rx_filter not in RX_FILTERS:
            allowed = [int(rx_filter) for rx_filter in RX_FILTERS]
            raise OSError(errno.ERANGE, f"rx_filter {config.rx_filter}: use one of {allowed}")
        opens = RX_FILTERS[config.rx_filter]
        granted = HwtstampConfig(TxType(config.tx_type), RxFilter.ALL if opens else RxFilter.NONE)
        self.ports[port].config = granted
        return granted

    def hwtstamp_get(self, port: int) -> HwtstampConfig:
        """What is configured."""
        return self.ports[port].config

    # ---- receive ----

    def stamp_received(self, port: int, skb: Skb, timestamp: int, *, gated: bool) -> None:
        """Give a received frame its time. `timestamp`: the IFH field; `gated`: the patch of seed 000 1/2."""
        if gated and not self.ports[port].rx_gate:
            return
        skb.hwtstamp = full_time(self.gettime(), timestamp >> 2)

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
        pending.skb.hwtstamp = full_time(self.gettime(), ns)
        self.stats["tx_stamped"] += 1
        self.stamped(port, pending.skb)
        self._free(pending)

    def _free(self, pending: Pending) -> None:
        pending.skb.free()
        self.ledger.give("skb", pending.ticket)


def _message_type(message: bytes, kind: int) -> int:
    """Version 1 has it in the control byte, version 2 in the low nibble of its first byte."""
    return message[V1_CONTROL] if kind & ptp.VMASK == ptp.V1 else message[0] & 0xF
