"""What the driver shows to the stack: ports, the result of a transmit request, and the ways to the switch."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

from lan966x_lab import ifh
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.skb import ETH_FCS_LEN, ETH_HLEN, VLAN_HLEN, Skb
from lan966x_lab.hw.limits import whole

MIN_MTU, MAX_MTU = 68, 9000
"""The lower end is the smallest packet that every IPv4 link must take (RFC 791), the upper end is ours."""


class TxResult(IntEnum):
    """``netdev_tx_t``."""

    OK = 0x00
    BUSY = 0x10


@dataclass(slots=True)
class Port:
    """A network interface. `template`: its injection header prepared once; `stopped`: the stack must not
    send.
    """

    number: int
    template: ifh.Template
    mtu: int = 1500
    vlan_aware: bool = False
    stopped: bool = False
    stats: Counter[str] = field(default_factory=Counter)

    @property
    def max_len(self) -> int:
        """The longest frame with FCS: the MTU is the payload alone (L@486c29223016, L@25f28bb1b4a7)."""
        return self.mtu + ETH_HLEN + ETH_FCS_LEN + (VLAN_HLEN if self.vlan_aware else 0)


def checked_budget(budget: int, least: int = 0) -> int:
    """The budget of a NAPI poll, if it is one: `least` frames or more."""
    return whole("budget", budget, least, advice="the kernel's own is 64 frames")


def must_be_open(is_open: bool, what: str) -> None:
    """Refuse `what` on an interface that is closed: it has no rings."""
    if not is_open:
        raise RuntimeError(f"{what}: the interface is closed; open it first")


class Path(Protocol):
    """A way between CPU and switch: `manual` here, or FDMA."""

    options: Options

    def start(self) -> None:
        """Take the switch's CPU port over; flush what waited in the extraction group."""

    def stop(self) -> None:
        """Leave it; nothing may be in flight afterwards."""

    def resize(self, max_len: int) -> bool:
        """Frames of up to `max_len` bytes with FCS may come. False: no memory, and nothing has changed."""

    def transmit(self, port: Port, skb: Skb, header: bytes) -> TxResult:
        """Send the frame; BUSY when there is no room now. The skb stays the driver's.

        Raises:
            OSError: ENOMEM, the frame cannot be sent; trying again would not help.
        """

    def interrupt(self) -> bool:
        """Whether there is something to poll."""

    def poll(self, budget: int) -> int:
        """Receive at most `budget` frames; less means that there are no more, and that GRO holds none."""
