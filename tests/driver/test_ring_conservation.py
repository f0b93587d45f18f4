"""Conservation under faults: three drivers, one state machine, at least 100 000 steps.

A step is one thing that happens to a ring: a burst arrives, the CPU polls, memory is short for a while, a
descriptor goes bad, the link drops, the MTU changes, the interface goes down and up, a feature is switched,
a frame is sent. After every step each frame must be in exactly one place, no buffer or mapping may be missing
or double, frames must come up in order, and a poll with waiting frames must move something.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from offload_frames import ipv4, udp
from ring_bench import RingBench, numbered

from lan966x_lab.driver import Board, Options
from lan966x_lab.driver.fdma import FdmaPath
from lan966x_lab.driver.ravb import RavbDriver
from lan966x_lab.driver.skb import Skb, SkbSlab, skb_from_frame
from lan966x_lab.hw import ravb
from lan966x_lab.hw.bcm4908 import Ctl
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.fdma import Status
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.registers import Door

RING = 8
STEPS: Counter[str] = Counter()


class System(ABC):
    """One device with its driver. `up`: numbers of the frames that were handed up."""

    late = True
    up: list[int]
    memory: Memory
    dma: Dma
    slab: SkbSlab

    @abstractmethod
    def arrive(self, n: int, size: int) -> bool:
        """A frame arrives; whether the device took it."""

    @abstractmethod
    def arrive_bad(self, n: int) -> bool:
        """The same with a frame that the driver has to drop."""

    @abstractmethod
    def poll(self, budget: int) -> int: ...

    @abstractmethod
    def waiting(self) -> int:
        """Frames that the device took and the driver has not seen."""

    @abstractmethod
    def dropped(self) -> int: ...

    @abstractmethod
    def in_flight(self) -> int:
        """Frames given to the device to be sent."""

    @abstractmethod
    def send(self, n: int) -> None: ...

    @abstractmethod
    def complete(self, frames: int) -> None:
        """The device sends some of them."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def open(self) -> bool: ...

    @abstractmethod
    def change(self, value: int) -> None:
        """MTU or feature, whichever the device has."""

    def buffers(self) -> int:
        """Mappings for reception."""
        return RING


class Bcm(System):
    def __init__(self, late: bool) -> None:
        self.late = late
        self.bench = RingBench(late=late, rx_ring=RING, tx_ring=4, auto_send=False)
        self.driver, self.device = self.bench.driver, self.bench.device
        self.memory, self.dma, self.slab = self.bench.memory, self.bench.dma, self.driver.slab
        self.up = self.bench.up

    def arrive(self, n: int, size: int) -> bool:
        return self.device.receive(numbered(n, size))

    def arrive_bad(self, n: int) -> bool:
        at = self.device.rx.position
        if n % 2:
            return self.device.rx.receive(bytes(59))
        if not self.device.receive(numbered(n)):
            return False
        ctl, address = self.driver.rx.read(at)
        self.driver.rx.write(at, ctl & ~Ctl.EOP, address)
        return True

    def poll(self, budget: int) -> int:
        return self.driver.poll(budget)

    def waiting(self) -> int:
        return sum(not self.driver.rx.read(i)[0] & Ctl.OWN for i in range(RING))

    def dropped(self) -> int:
        return self.driver.stats.rx_errors + self.driver.stats.rx_no_memory

    def in_flight(self) -> int:
        return self.driver.tx_slots.used

    def send(self, n: int) -> None:
        self.driver.xmit(skb_from_frame(numbered(n)))

    def complete(self, frames: int) -> None:
        self.device.tx.run(limit=frames)

    def close(self) -> None:
        self.driver.close()

    def open(self) -> bool:
        return self.driver.open()

    def change(self, value: int) -> None:
        self.driver.copybreak = value % 200


class Ravb(System):
    def __init__(self, late: bool) -> None:
        self.memory, self.dma, clock = Memory(), Dma(), Clock()
        self.device = ravb.Ravb(self.dma, clock, Door(clock))
        self.up = []
        options = Options(rx_checksum_offload=True)
        self.driver = RavbDriver(
            self.device, self.memory, self._take, options=options, buffer=1538, rx_ring=RING, tx_ring=4
        )
        self.slab = self.driver.slab
        assert self.driver.open()

    def _take(self, skb: Skb) -> None:
        self.up.append(int.from_bytes(skb.view()[28:32], "big"))
        skb.free()

    def arrive(self, n: int, size: int) -> bool:
        return self.device.receive(ipv4(udp(n.to_bytes(4, "big") + bytes(size)), 17))

    def arrive_bad(self, n: int) -> bool:
        return self.device.receive(numbered(n), bad_fcs=True)

    def poll(self, budget: int) -> int:
        return self.driver.poll(budget)

    def waiting(self) -> int:
        return sum(self.driver.rx.read(i)[2] & ravb.DT_MASK != ravb.Dt.FEMPTY for i in range(RING))

    def dropped(self) -> int:
        return self.driver.stats.rx_errors + self.driver.stats.rx_dropped

    def in_flight(self) -> int:
        return self.driver.tx_slots.used

    def send(self, n: int) -> None:
        self.driver.xmit(skb_from_frame(numbered(n)))

    def complete(self, frames: int) -> None:
        pass

    def close(self) -> None:
        self.driver.close()

    def open(self) -> bool:
        return self.driver.open()

    def change(self, value: int) -> None:
        self.driver.set_rx_checksum(bool(value % 2))


class Fdma(System):
    def __init__(self, late: bool) -> None:
        self.late = late
        self.board = Board(Options(late_skb=late), keep=False)
        self.driver, self.chip = self.board.driver, self.board.chip
        self.driver.receive = self._take
        self.up = []
        self.path = FdmaPath(self.driver, self.driver.options, size=RING)
        self.driver.paths["fdma"] = self.path
        self.memory, self.dma, self.slab = self.path.memory, self.path.dma, self.path.slab
        assert self.open()

    def _take(self, port: int, skb: Skb) -> None:
        self.up.append(int.from_bytes(skb.view()[:4], "big"))
        skb.free()

    def arrive(self, n: int, size: int) -> bool:
        """What finds no DCB waits in the switch, and has arrived."""
        full = self.chip.switch.counters["cpu_no_memory"]
        self.chip.switch.ingress(1, numbered(n, size) + b"FCS.", 0)
        return self.chip.switch.counters["cpu_no_memory"] == full

    def arrive_bad(self, n: int) -> bool:
        self.chip.switch.wrong_srcport.append(15)
        return self.arrive(n, 60)

    def poll(self, budget: int) -> int:
        return self.path.poll(budget)

    def waiting(self) -> int:
        ring = self.path.rx
        assert ring is not None
        return len(self.chip.fdma.queue) + sum(
            bool(ring.dcbs.read(i)[3] & Status.DONE.mask) for i in range(RING)
        )

    def dropped(self) -> int:
        self.board.ledger.check()
        return self.driver.rx_dropped.total()

    def in_flight(self) -> int:
        return self.path.tx_slots.used

    def send(self, n: int) -> None:
        self.driver.xmit(0, skb_from_frame(numbered(n)))

    def buffers(self) -> int:
        ring = self.path.rx
        assert ring is not None
        return RING + len(ring.pool.idle)

    def complete(self, frames: int) -> None:
        self.board.clock.advance(100 * frames)

    def close(self) -> None:
        self.driver.options = Options(late_skb=self.late)

    def open(self) -> bool:
        try:
            self.driver.options = Options(path="fdma", late_skb=self.late)
        except OSError:
            return False
        return True

    def change(self, value: int) -> None:
        before = self.driver.ports[1].mtu
        mtu = (1500, 4000, 9000)[value % 3]
        try:
            self.driver.set_mtu(1, mtu)
        except OSError:
            assert self.driver.ports[1].mtu == before


class Machine(RuleBasedStateMachine):
    system_class: type[System]

    @initialize(late=st.booleans())
    def start(self, late: bool) -> None:
        self.system = type(self).system_class(late)
        self.is_link_up = True
        self.next = self.came = self.lost_at_close = self.checked = 0

    @rule(frames=st.integers(1, 12), size=st.sampled_from([60, 61, 200, 1400]))
    def burst(self, frames: int, size: int) -> None:
        STEPS["burst"] += 1
        for _ in range(frames):
            if self.is_link_up:
                self.came += self.system.arrive(self.next, size)
            self.next += 1

    @rule(budget=st.sampled_from([0, 1, 3, 8, 64]))
    def poll(self, budget: int) -> None:
        STEPS["poll"] += 1
        waiting = self.system.waiting()
        done = self.system.poll(budget)
        assert done <= budget
        assert done or not (waiting and budget), f"{waiting} frames wait, budget {budget}, nothing moved"
        assert done == budget or self.system.waiting() == 0

    @rule(frames=st.integers(1, 6), budget=st.sampled_from([1, 4, 64]), times=st.integers(1, 12))
    def traffic(self, frames: int, budget: int, times: int) -> None:
        for _ in range(times):
            self.burst(frames, 60)
            self.every_frame_is_in_one_place()
            self.poll(budget)
            self.every_frame_is_in_one_place()

    @precondition(lambda self: self.is_link_up)
    @rule()
    def bad_frame(self) -> None:
        STEPS["bad frame"] += 1
        self.came += self.system.arrive_bad(self.next)
        self.next += 1

    @rule(source=st.sampled_from(["memory", "dma", "slab"]), after=st.integers(0, 3), times=st.integers(1, 6))
    def memory_is_short(self, source: str, after: int, times: int) -> None:
        STEPS["failure"] += 1
        plan = iter([False] * after + [True] * times)
        getattr(self.system, source).fails = lambda: next(plan, False)

    @rule(value=st.integers(0, 199))
    def change(self, value: int) -> None:
        STEPS["change"] += 1
        self.system.change(value)

    @rule(frames=st.integers(1, 5))
    def send(self, frames: int) -> None:
        STEPS["send"] += 1
        for _ in range(frames):
            self.system.send(self.next)

    @precondition(lambda self: self.is_link_up)
    @rule(frames=st.integers(1, 4))
    def complete(self, frames: int) -> None:
        STEPS["complete"] += 1
        self.system.complete(frames)

    @rule()
    def link(self) -> None:
        STEPS["link"] += 1
        self.is_link_up = not self.is_link_up

    @rule()
    def down_and_up(self) -> None:
        STEPS["down and up"] += 1
        system = self.system
        accounted = len(system.up) + system.dropped() + system.waiting()
        system.close()
        self.nothing_is_left()
        self.lost_at_close += accounted - len(system.up) - system.dropped()
        while not system.open():
            self.nothing_is_left()

    def nothing_is_left(self) -> None:
        system = self.system
        assert (system.dma.live, system.memory.live_pages, system.slab.live) == (0, 0, 0)

    @invariant()
    def every_frame_is_in_one_place(self) -> None:
        system = self.system
        assert len(system.up) + system.dropped() + self.lost_at_close + system.waiting() == self.came
        assert self.lost_at_close >= 0

    @invariant()
    def frames_come_up_in_order(self) -> None:
        new = self.system.up[self.checked :]
        assert all(a < b for a, b in itertools.pairwise(new))
        self.checked = max(0, len(self.system.up) - 1)

    @invariant()
    def buffers_are_those_of_the_rings(self) -> None:
        system = self.system
        assert system.slab.live == (0 if system.late else RING)
        assert system.dma.live == system.buffers() + system.in_flight()

    def teardown(self) -> None:
        if hasattr(self, "system"):
            self.system.close()
            self.nothing_is_left()


ENOUGH = {Bcm: 30_000, Ravb: 40_000, Fdma: 30_000}
"""Steps of each machine."""


@pytest.mark.parametrize("system", ENOUGH)
def test_conservation(system: type[System]) -> None:
    machine: Any = type(f"{system.__name__}Machine", (Machine,), {"system_class": system})
    checks = settings(
        max_examples=20,
        stateful_step_count=400,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    end = STEPS.total() + ENOUGH[system]
    while STEPS.total() < end:
        run_state_machine_as_test(machine, settings=checks)


def test_together_100_000_steps() -> None:
    assert sum(ENOUGH.values()) >= 100_000
