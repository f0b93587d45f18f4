"""A `RingBoard` whose frames carry numbers, and a list of the numbers that came up."""

import struct
from typing import Any

from lan966x_lab.driver.options import Options
from lan966x_lab.driver.ring_board import RingBoard
from lan966x_lab.driver.skb import Skb


def numbered(n: int, size: int = 60) -> bytes:
    """A frame that carries its number."""
    return bytes(12) + b"\x88\xb5" + struct.pack("!I", n) + bytes(size - 18)


class RingBench(RingBoard):
    """`up` holds the numbers of the frames that were handed up, in order, `frames` the frames."""

    def __init__(self, *, late: bool = True, gro: bool = False, **more: Any) -> None:
        super().__init__(Options(late_skb=late, gro=gro), **more)
        self.up: list[int] = []
        self.frames: list[bytes] = []
        self.driver.receive = self.driver.gro.up = self.take

    def take(self, skb: Skb) -> None:
        assert skb.mac_header is not None
        self.frames.append(bytes(skb.buffer[skb.mac_header : skb.tail]))
        self.up.append(int.from_bytes(skb.view()[:4], "big"))
        skb.free()

    def come(self, *numbers: int) -> list[bool]:
        return [self.device.receive(numbered(n)) for n in numbers]

    def settle(self) -> None:
        super().settle()
        assert not self.dma._by_page  # not even descriptors
