"""A bcm4908 interface with everything around it, for notebooks and tests: memory, device, driver, stack.

>>> board = RingBoard(rx_ring=4)
>>> board.arrive([bytes(60)] * 3)
3
>>> [slot.state for slot in board.slots()]
['waits', 'waits', 'waits', 'armed']
>>> board.run(), board.stack.stats.other_protocol
(3, 3)
>>> board.settle()
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lan966x_lab.driver.bcm4908 import Bcm4908Driver
from lan966x_lab.driver.netdev import checked_budget
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.stack import Stack
from lan966x_lab.hw.bcm4908 import Bcm4908, Ctl, length_of
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma, Memory, OwnershipError
from lan966x_lab.hw.registers import Door


@dataclass(frozen=True, slots=True)
class SlotView:
    """One slot of the receive ring as a picture needs it.

    Attributes:
        state: ``armed`` (the device may write), ``waits`` (it has written, the driver has not looked).
        length: bytes of room while armed, of data while it waits.
        page, offset: where the buffer lies; two share a page.
        has_skb: a structure exists already (the early policy).
        is_device_next, is_driver_next: where the two sides stand.
    """

    index: int
    state: str
    length: int
    page: int
    offset: int
    has_skb: bool
    is_device_next: bool
    is_driver_next: bool


class RingBoard:
    """Attributes: `memory`, `dma`, `clock`, `device`, `driver`, `stack`; `steps` lists what happened to
    buffers.

    Args:
        options: ``late_skb`` and ``gro`` matter here.
        stack: a stack of your own; a new one if None.
        cls: another driver, such as `PublishedBcm4908Driver`.
        coalesce: frames and ns of the receive interrupt.
        auto_send: see `Bcm4908`.
        driver: further arguments of `Bcm4908Driver`.
    """

    def __init__(
        self,
        options: Options | None = None,
        *,
        stack: Stack | None = None,
        cls: type[Bcm4908Driver] = Bcm4908Driver,
        coalesce: tuple[int, int] = (1, 0),
        auto_send: bool = True,
        **driver: Any,
    ) -> None:
        self.memory, self.dma, self.clock = Memory(), Dma(), Clock()
        self.sent: list[bytes] = []
        self.device = Bcm4908(
            self.dma,
            self.clock,
            Door(self.clock),
            self.sent.append,
            coalesce=coalesce,
            auto_send=auto_send,
        )
        self.stack = stack or Stack()
        self.steps: list[tuple[str, int]] = []
        self.driver = cls(
            self.device,
            self.memory,
            self.stack.receive,
            options=options,
            on_step=lambda step, index: self.steps.append((step, index)),
            **driver,
        )
        if not self.driver.open():
            raise MemoryError("no memory for the ring")
        self.steps.clear()

    def arrive(self, frames: Iterable[bytes]) -> int:
        """Frames come from the wire; returns how many the device took."""
        return sum([self.device.receive(frame) for frame in frames])

    def run(self, budget: int = 64) -> int:
        """Interrupts and polls until the line is quiet; returns the work done.

        Raises:
            ValueError: a budget below 1: the ring would never get empty.
        """
        checked_budget(budget, least=1)
        work = 0
        while self.device.rx_irq.asserted or self.device.tx_irq.asserted:
            self.driver.interrupt()
            done = budget
            while done == budget:
                done = self.driver.poll(budget)
                work += done
        return work

    def slots(self) -> list[SlotView]:
        """The receive ring as it stands."""
        views = []
        for index, slot in enumerate(self.driver.rx_slots):
            ctl = self.driver.rx.read(index)[0]
            views.append(
                SlotView(
                    index,
                    "armed" if ctl & Ctl.OWN else "waits",
                    length_of(ctl),
                    slot.fragment.page.number,
                    slot.fragment.offset,
                    slot.skb is not None,
                    index == self.device.rx.position,
                    index == self.driver.rx_next,
                )
            )
        return views

    def settle(self) -> None:
        """Close the interface and prove that nothing is left.

        Raises:
            OwnershipError: names what is: mappings, pages, structures.
        """
        self.driver.close()
        left = {
            "mappings": self.dma.live,
            "pages": self.memory.live_pages,
            "structures": self.driver.slab.live,
        }
        if any(left.values()):
            raise OwnershipError(
                f"not given back: {', '.join(f'{n} {what}' for what, n in left.items() if n)}"
            )
