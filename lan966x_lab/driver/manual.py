"""The manual path: frames cross between CPU and switch word by word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lan966x_lab.driver.manual_rx import ManualReceive, Received
from lan966x_lab.driver.manual_tx import ManualTransmit
from lan966x_lab.driver.netdev import Port, TxResult
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.polling import PollTimeoutError
from lan966x_lab.driver.skb import Skb

if TYPE_CHECKING:
    from lan966x_lab.driver.lan966x import Driver


class ManualPath:
    """A `netdev.Path` through the registers of group 0. The options for skbs mean nothing without a ring.

    The kernel's driver has no NAPI on this path: it reads frames in the interrupt handler, without a budget,
    as long as there are some. The lab polls both paths, so that they can be compared.
    """

    def __init__(self, driver: Driver, options: Options) -> None:
        self._driver = driver
        self.tx = ManualTransmit(driver.door, options)
        self.rx = ManualReceive(driver.door, options)

    @property
    def options(self) -> Options:
        """The switches."""
        return self.tx.options

    @options.setter
    def options(self, options: Options) -> None:
        self.tx.options = self.rx.options = options

    def start(self) -> None:
        """Both groups in manual mode."""
        self.tx.start()
        self.rx.start()

    def stop(self) -> None:
        """Nothing to do: what was not read is flushed by the path that starts next.

        It flushes when the group is in its own mode; a flush before that would miss what arrives in between.
        """

    def resize(self, max_len: int) -> bool:
        """Nothing to do: every frame gets a buffer of its own size."""
        return True

    def transmit(self, port: Port, skb: Skb, header: bytes) -> TxResult:
        """Ask once for the room of a whole frame, then write it.

        BUSY leaves the queue awake, as in the kernel's driver (see `Driver.xmit`).
        """
        if self.tx.busy():
            return TxResult.BUSY
        try:
            self.tx.inject(header, bytes(skb))
        except PollTimeoutError:
            port.stats["tx_fifo_stuck"] += 1
            return TxResult.BUSY
        return TxResult.OK

    def interrupt(self) -> bool:
        """The extraction interrupt. It is a line, not a register."""
        return self._driver.chip.extraction[0].data_present

    def poll(self, budget: int) -> int:
        """Read frames as long as there are some; then what GRO holds goes up."""
        work = 0
        while work < budget and self.rx.data_present():
            self._receive()
            work += 1
        if work < budget:
            self._driver.gro.flush()
        return work

    def _receive(self) -> None:
        driver = self._driver
        ticket = driver.ledger.enter("rx")
        try:
            result = self.rx.receive(driver.max_len, driver.work)
        except BaseException:
            driver.drop(ticket, "error")
            raise
        if not isinstance(result, Received):
            driver.drop(ticket, result)
            return
        skb = driver.alloc_skb(len(result.frame))
        if skb is None:
            driver.drop(ticket, "no_memory")
            return
        skb.put_data(result.frame)
        driver.work["copied_bytes"] += len(result.frame)
        driver.deliver(result.port, skb, result.timestamp, ticket)
