"""The LAN966x driver: what the five threads change, with a switch for each (`Options`).

A transmit request ends in one of the counters ``sent``, ``busy`` (the frame stays with the caller),
``too_long``, ``too_short``, ``no_mapping``, ``error`` (an exception passed through); a received frame
in ``delivered`` or in the reason why it was dropped, ``error`` among them. The ledger proves it.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable

from lan966x_lab import ifh
from lan966x_lab.driver import headers
from lan966x_lab.driver.fdma import FdmaPath
from lan966x_lab.driver.gro import Gro
from lan966x_lab.driver.ledger import Ledger
from lan966x_lab.driver.manual import ManualPath
from lan966x_lab.driver.netdev import MAX_MTU, MIN_MTU, Path, Port, TxResult, checked_budget
from lan966x_lab.driver.options import Options, checked
from lan966x_lab.driver.ptp import Ptp
from lan966x_lab.driver.skb import ETH_FCS_LEN, ETH_HLEN, VLAN_HLEN, Skb, alloc_skb, eth_type_trans
from lan966x_lab.hw.lan966x import Lan966x
from lan966x_lab.hw.lan966x_regs import CPU_PORT, NUM_PHYS_PORTS, PGID_SRC
from lan966x_lab.hw.limits import whole

MAX_PRIORITY = 7


class Driver:
    """The driver of one chip.

    Args:
        receive: is given every received skb and owns it from then on (port number, skb).
        stamped: is given every sent skb whose transmit time has come; it is freed afterwards.

    Attributes:
        options: the switches; assign new ones at any time.
        paths: by name; the active one is ``options.path``.
        max_len: the longest frame with FCS that any port can receive.
        work: ``header_loads``, ``header_stores`` (bytes), ``copied_bytes`` (frame bytes stored by the CPU).
        rx_dropped: received frames that were not delivered, by reason.
        failing_allocations: how many of the next allocations fail.
    """

    def __init__(
        self,
        chip: Lan966x,
        options: Options | None = None,
        *,
        ledger: Ledger | None = None,
        receive: Callable[[int, Skb], None] = lambda port, skb: skb.free(),
        stamped: Callable[[int, Skb], None] = lambda port, skb: None,
    ) -> None:
        self.chip, self.door = chip, chip.door
        self.ledger = ledger or Ledger()
        self.receive = receive
        self.work: Counter[str] = Counter()
        self.rx_dropped: Counter[str] = Counter()
        self.failing_allocations = 0
        self.ports = [
            Port(number, ifh.Template(headers.TX, BYPASS=1, DSTS=1 << number))
            for number in range(NUM_PHYS_PORTS)
        ]
        self.ptp = Ptp(self.door, self.ledger, NUM_PHYS_PORTS, stamped)
        self.gro = Gro(self._hand_up)
        self._options = checked(Options() if options is None else options)
        self.max_len = max(port.max_len for port in self.ports)
        self.paths: dict[str, Path] = {
            "manual": ManualPath(self, self._options),
            "fdma": FdmaPath(self, self._options),
        }
        self._start()

    def _start(self) -> None:
        for port in self.ports:
            self.door.write(f"ANA_PGID[{PGID_SRC + port.number}]", 1 << CPU_PORT)
            self.set_mtu(port.number, port.mtu)
        self.ptp.clock.start()
        self._path(self._options).start()

    # ---- configuration ----

    @property
    def options(self) -> Options:
        """The switches."""
        return self._options

    @options.setter
    def options(self, options: Options) -> None:
        old, new = self._path(self._options), self._path(checked(options))
        if new is not old:
            old.stop()
            self.gro.flush()
            try:
                new.start()
            except OSError:
                old.start()
                raise
        if not options.gro:
            self.gro.flush()
        self._options = options
        for path in self.paths.values():
            path.options = options

    def port(self, number: int) -> Port:
        """A port by its number.

        Raises:
            ValueError: there is no such port.
        """
        return self.ports[whole("port", number, 0, NUM_PHYS_PORTS - 1)]

    def _path(self, options: Options) -> Path:
        if options.path not in self.paths:
            raise ValueError(f"path {options.path!r} is not attached: there is {', '.join(self.paths)}")
        return self.paths[options.path]

    @property
    def path(self) -> Path:
        """The active way between CPU and switch."""
        return self.paths[self._options.path]

    def set_mtu(self, port: int, mtu: int, *, vlan_aware: bool | None = None) -> None:
        """Set a port's MTU (bytes of payload), and whether full-size frames may carry a tag.

        Raises:
            ValueError: no such port, or an MTU outside 68 to 9000.
            OSError: ENOMEM, no memory for buffers of that size; nothing has changed.
        """
        this = self.port(port)
        mtu = whole("mtu", mtu, MIN_MTU, MAX_MTU, "in bytes of payload")
        before, before_len = (this.mtu, this.vlan_aware), this.max_len
        this.mtu = mtu
        this.vlan_aware = this.vlan_aware if vlan_aware is None else vlan_aware
        max_len = max(port.max_len for port in self.ports)
        limit, shrinks = f"DEV_MAC_MAXLEN_CFG[{port}]", this.max_len < before_len
        if shrinks:  # whatever may arrive must fit the pages: on the way down the limit goes first
            self.door.write(limit, this.max_len)
        if not self.path.resize(max_len):
            this.mtu, this.vlan_aware = before
            if shrinks:
                self.door.write(limit, this.max_len)
            raise OSError(
                errno.ENOMEM, f"mtu {mtu}: no memory for larger buffers; free some, or keep {before[0]}"
            )
        if not shrinks:
            self.door.write(limit, this.max_len)
        self.max_len = max_len

    # ---- transmit ----

    def xmit(self, port: int, skb: Skb) -> TxResult:
        """``ndo_start_xmit``: OK means that the driver took the skb, BUSY that the caller still has it.

        BUSY has three causes. A full ring stops the port's queue until there is room. A full FIFO leaves it
        awake, as in the kernel's driver; the kernel's documentation (networking/driver.rst) forbids BUSY in
        normal circumstances, and asks to stop the queue in advance. So does a missing timestamp id, for which
        the kernel's driver returns -EBUSY as it is. A better driver would send that frame without a time, and
        count it.

        An exception means that it took the skb: whatever goes wrong on the way (a header field that does not
        fit, a device that refuses), the skb is freed, its timestamp id given back and the frame counted.
        """
        this = self.port(port)
        ticket = self.ledger.enter("tx")
        self.ledger.take("skb", ticket)
        reason = self._refuse(this, skb)
        if reason:
            this.stats[f"tx_{reason}"] += 1
            return self._consumed(ticket, skb, reason)
        try:
            result, waits = self._send(this, skb, ticket)
        except OSError:
            this.stats["tx_no_mapping"] += 1
            return self._consumed(ticket, skb, "no_mapping")
        except BaseException:
            this.stats["tx_error"] += 1
            self._consumed(ticket, skb, "error")
            raise
        if result == TxResult.BUSY:
            this.stats["tx_busy"] += 1
            self.ledger.give("skb", ticket)
            self.ledger.end(ticket, "busy")
            return result
        this.stats["tx_packets"] += 1
        this.stats["tx_bytes"] += len(skb)
        if waits:  # the PTP part frees it
            self.ledger.end(ticket, "sent")
            return result
        return self._consumed(ticket, skb, "sent")

    def _refuse(self, port: Port, skb: Skb) -> str:
        if len(skb) < ETH_HLEN:
            return "too_short"
        return "too_long" if len(skb) + ETH_FCS_LEN > port.max_len + VLAN_HLEN else ""

    def _consumed(self, ticket: int, skb: Skb, counter: str) -> TxResult:
        skb.free()
        self.ledger.give("skb", ticket)
        self.ledger.end(ticket, counter)
        return TxResult.OK

    def _send(self, port: Port, skb: Skb, ticket: int) -> tuple[TxResult, bool]:
        """Header, then the path; the second result says whether the skb waits for its transmit time."""
        try:
            ptp_fields = self.ptp.request(port.number, skb, ticket)
        except OSError:  # -EBUSY: handing the errno on would make the stack believe that the frame was sent
            return TxResult.BUSY, False
        ident = ptp_fields.get("TIMESTAMP")
        result = TxResult.BUSY
        try:
            priority = min(skb.priority, MAX_PRIORITY)
            header = headers.build(
                self._options,
                port.template,
                port.template.fixed
                | {"QOS_CLASS": priority, "IPV": priority, "TCI": skb.vlan_tci or 0}
                | ptp_fields,
            )
            self.work["header_loads"] += header.loads
            self.work["header_stores"] += header.stores
            result = self.path.transmit(port, skb, header.uncounted())
        finally:
            if result == TxResult.BUSY and ident is not None:
                self.ptp.release(port.number, ident)
        return result, ident is not None

    # ---- receive ----

    def poll(self, budget: int = 64) -> int:
        """NAPI poll: receive at most `budget` frames (0: none, only transmit is cleaned); returns how many.

        Less means that there are no more.

        Raises:
            ValueError: a negative budget.
        """
        return self.path.poll(checked_budget(budget))

    def allocation_fails(self) -> bool:
        """Whether an ordered allocation failure strikes now."""
        strikes = self.failing_allocations > 0
        self.failing_allocations -= strikes
        return strikes

    def alloc_skb(self, size: int) -> Skb | None:
        """Memory for a frame; None when an ordered allocation failure strikes."""
        return None if self.allocation_fails() else alloc_skb(size)

    def deliver(self, port: int, skb: Skb, timestamp: int, ticket: int) -> None:
        """Hand a received frame to the stack: its time, its protocol, its counters."""
        try:
            self.ptp.stamp_received(port, skb, timestamp, gated=self._options.gate_rx_timestamp)
        except BaseException:
            skb.free()
            self.drop(ticket, "error")
            raise
        self.ports[port].stats["rx_packets"] += 1
        self.ports[port].stats["rx_bytes"] += len(skb)
        skb.port = port
        eth_type_trans(skb)
        self.ledger.end(ticket, "delivered")
        if self._options.gro:
            self.gro.receive(skb)
        else:
            self._hand_up(skb)

    def _hand_up(self, skb: Skb) -> None:
        assert skb.port is not None
        self.receive(skb.port, skb)

    def drop(self, ticket: int, reason: str) -> None:
        """Count a received frame that is not delivered."""
        self.rx_dropped[reason] += 1
        self.ledger.end(ticket, reason)
