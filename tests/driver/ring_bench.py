"""One bcm4908 interface for the tests: memory, device, driver, and a list of what came up."""

import struct
from typing import Any

from lan966x_lab.driver.bcm4908 import Bcm4908Driver
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.skb import Skb
from lan966x_lab.hw import bcm4908 as hw
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.registers import Door


def numbered(n: int, size: int = 60) -> bytes:
    """A frame that carries its number."""
    return bytes(12) + b"\x88\xb5" + struct.pack("!I", n) + bytes(size - 18)


class RingBench:
    """`up` holds the numbers of the frames that were handed up, in order."""

    def __init__(
        self, *, cls: type[Bcm4908Driver] = Bcm4908Driver, late: bool = True, gro: bool = False, **more: Any
    ) -> None:
        self.memory, self.dma, self.clock = Memory(), Dma(), Clock()
        self.sent: list[bytes] = []
        device = {key: more.pop(key) for key in ("coalesce", "auto_send") if key in more}
        self.device = hw.Bcm4908(self.dma, self.clock, Door(self.clock), self.sent.append, **device)
        self.up: list[int] = []
        self.frames: list[bytes] = []
        options = Options(late_skb=late, gro=gro)
        self.driver = cls(self.device, self.memory, self.take, options=options, **more)
        assert self.driver.open()

    def take(self, skb: Skb) -> None:
        assert skb.mac_header is not None
        self.frames.append(bytes(skb.buffer[skb.mac_header : skb.tail]))
        self.up.append(int.from_bytes(skb.view()[:4], "big"))
        skb.free()

    def arrive(self, *numbers: int) -> list[bool]:
        return [self.device.receive(numbered(n)) for n in numbers]

    def run(self, budget: int = 64) -> int:
        """Interrupts and polls until nothing is asserted; returns the work done."""
        work = 0
        while self.device.rx_irq.asserted:
            self.driver.interrupt()
            while (done := self.driver.poll(budget)) == budget:
                work += done
            work += done
        return work

    def settle(self) -> None:
        """Close; nothing may be left."""
        self.driver.close()
        assert (self.dma.live, self.memory.live_pages, self.driver.slab.live) == (0, 0, 0)
        assert not self.dma._by_page
