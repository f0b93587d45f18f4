"""A receive ring under load, fast enough for a slider: when does it drop, and what does the CPU do meanwhile?

`simulate` keeps nothing but counts and the time: how many frames wait, how much of the budget is left,
whether the device has stopped. `run_objects` puts the same arrivals through the real thing (`hw.bcm4908`,
`driver.bcm4908`: bytes, descriptors, mappings) and must come to the same counters; a test holds the two
together.

The rules are those of the bcm4908. A frame that finds no free descriptor is lost, and stops the device until
the end of the poll, when the driver enables it again. An interrupt is acknowledged before the poll: what
arrives during the poll raises the next one, even if the same poll takes it. All times are integers in
nanoseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from lan966x_lab.driver.bcm4908 import Bcm4908Driver
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.skb import Skb
from lan966x_lab.hw.bcm4908 import Bcm4908
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.registers import Costs, Door

NEVER = 1 << 62
ETH_OVERHEAD = 24
"""Bytes of a frame's time on the wire besides header and payload: preamble 8, FCS 4, gap 12."""


@dataclass(frozen=True, slots=True)
class Load:
    """What became of the frames, and of the CPU's time.

    Attributes:
        delivered, dropped: every frame is in one of the two.
        interrupts, polls: how often each happened.
        exhausted: polls that used their whole budget.
        peak: most frames that ever waited.
        end_ns, idle_ns: time at the end, and how much of it the CPU had nothing to do.
        waited_ns: sum over the delivered frames, from arrival until the stack is done with it.
    """

    delivered: int
    dropped: int
    interrupts: int
    polls: int
    exhausted: int
    peak: int
    end_ns: int
    idle_ns: int
    waited_ns: int

    @property
    def loss(self) -> float:
        """Share of the frames that were dropped, 0..1."""
        return self.dropped / max(1, self.delivered + self.dropped)

    @property
    def mean_wait_ns(self) -> float:
        """Mean time from arrival until the stack is done with a frame."""
        return self.waited_ns / max(1, self.delivered)

    def mbps(self, payload: int) -> float:
        """Mbit/s of `payload` bytes per delivered frame, over the whole time."""
        return 8000 * payload * self.delivered / max(1, self.end_ns)


def bursts(
    frames: int, *, burst: int, load_mbps: float, link_mbps: int = 1000, size: int = 1514
) -> list[int]:
    """Arrival times in ns: `burst` frames back to back, then a pause that makes the mean `load_mbps`.

    Args:
        load_mbps: mean load in bits on the wire, more than 0, at most `link_mbps`.
        size: bytes of a frame without FCS.
    """
    if frames < 0 or burst < 1 or not 0 < load_mbps <= link_mbps or size < 60:
        raise ValueError(
            f"frames={frames}, burst={burst}, load_mbps={load_mbps}, size={size}: "
            f"give frames >= 0, burst >= 1, 0 < load_mbps <= {link_mbps}, size >= 60"
        )
    bits = 8000 * (size + ETH_OVERHEAD)
    number, place = np.divmod(np.arange(frames), burst)
    # a frame has arrived when its last bit has
    times = number * (burst * bits / load_mbps) + (place + 1) * (bits / link_mbps)
    arrivals: list[int] = np.rint(times).astype(np.int64).tolist()
    return arrivals


def simulate(
    arrivals: Sequence[int],
    *,
    ring: int,
    budget: int,
    cost_ns: int,
    poll_ns: int = 0,
    irq_ns: int = 0,
    watch: Callable[[int, int, int], object] | None = None,
) -> Load:
    """Run the arrivals (sorted, ns) through a ring.

    Args:
        ring: descriptors.
        budget: frames that one poll may take.
        cost_ns: CPU time of one frame, driver and stack together.
        poll_ns: CPU time of a poll besides its frames.
        irq_ns: from the interrupt until its handler is done.
        watch: is told, for a picture, the time, how many frames wait and how many were dropped, whenever one
            of them changes.
    """
    _check(ring, budget, (cost_ns, poll_ns, irq_ns))
    times = [*arrivals, NEVER]
    nxt, i, now, step = times[0], 0, 0, 0
    waiting, room, left = 0, ring, 0
    delivered = dropped = interrupts = polls = exhausted = peak = idle = waited = 0
    is_latched = is_interrupted = is_polling = False
    lone_ns = irq_ns + poll_ns + cost_ns
    while True:
        now += step
        while nxt <= now:
            if waiting < room:
                waiting += 1
                if waiting > peak:
                    peak = waiting
                is_latched = True
                waited -= nxt
            else:
                room = 0  # the device stops at a descriptor that it does not own
                dropped += 1
            if watch:
                watch(nxt, waiting, dropped)
            i += 1
            nxt = times[i]
        if is_polling:
            if waiting and left:
                waiting -= 1
                left -= 1
                delivered += 1
                step = cost_ns
                waited += now + step
                if watch:
                    watch(now, waiting, dropped)
                continue
            if left < budget:
                room = ring  # the driver enables the device again
            if not left:
                exhausted += 1
                polls += 1
                left, step = budget, poll_ns
                continue
            is_polling = False
        elif is_interrupted:
            is_interrupted = is_latched = False
            is_polling = True
            polls += 1
            left, step = budget, poll_ns
            continue
        if is_latched:
            interrupts += 1
            is_interrupted, step = True, irq_ns
            continue
        # Nothing to do. A frame that is done with before the next one comes takes its whole way in one step.
        lone = 0
        while not watch and budget > 1 and nxt < NEVER and nxt + lone_ns < times[i + 1]:
            lone += 1
            idle += nxt - now
            now = nxt + lone_ns
            i += 1
            nxt = times[i]
        if lone:
            delivered += lone
            interrupts += lone
            polls += lone
            waited += lone * lone_ns
            peak = max(peak, 1)
        if nxt == NEVER:
            return Load(delivered, dropped, interrupts, polls, exhausted, peak, now, idle, waited)
        step = nxt - now
        idle += step


def run_objects(
    arrivals: Sequence[int],
    *,
    ring: int,
    budget: int,
    cost_ns: int,
    poll_ns: int = 0,
    irq_ns: int = 0,
    options: Options | None = None,
) -> Load:
    """The same with devices, descriptors and bytes: the slow truth behind `simulate`."""
    _check(ring, budget, (cost_ns, poll_ns, irq_ns))
    clock, memory, dma = Clock(), Memory(), Dma()
    device = Bcm4908(dma, clock, Door(clock, Costs(0, 0, 0)))
    arrived: list[int] = []
    peak = polls = exhausted = idle = waited = 0

    def stack(skb: Skb) -> None:
        nonlocal waited
        number = int.from_bytes(skb.view()[:8], "big")
        skb.free()
        clock.advance(cost_ns)
        waited += clock.now_ns - arrivals[number]

    def arrive(number: int) -> None:
        nonlocal peak
        if device.receive(bytes(12) + b"\x88\xb5" + number.to_bytes(8, "big")):
            arrived.append(number)
            stats = driver.stats
            peak = max(peak, len(arrived) - stats.rx_packets)

    driver = Bcm4908Driver(device, memory, stack, options=options or Options(late_skb=True), rx_ring=ring)
    if not driver.open():
        raise MemoryError("no memory for the ring")
    for number, time_ns in enumerate(arrivals):
        clock.at(time_ns, partial(arrive, number))
    while True:
        if device.rx_irq.asserted:
            clock.advance(irq_ns)
            driver.interrupt()
            done = budget
            while done == budget:
                clock.advance(poll_ns)
                done = driver.poll(budget)
                polls += 1
                exhausted += done == budget
        elif (due := clock.next_ns) is None:
            break
        else:
            idle += due - clock.now_ns
            clock.advance(due - clock.now_ns)
    end = clock.now_ns
    driver.close()
    delivered = driver.stats.rx_packets
    return Load(delivered, device.rx.missed, device.rx_irq.raised, polls, exhausted, peak, end, idle, waited)


def _check(ring: int, budget: int, times: tuple[int, ...]) -> None:
    if ring < 1 or budget < 1 or min(times) < 0:
        raise ValueError(f"ring={ring}, budget={budget}, times {times}: ring and budget >= 1, times >= 0 ns")
