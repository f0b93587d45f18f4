"""The ways to receive that seed 003 names, run side by side and counted.

``POLICIES`` has the four cells of the printed table and the two ideas at its end; ``receive`` runs frames
through one of them. All of them must deliver the same bytes; what differs is how much work that takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from lan966x_lab.driver.options import Options
from lan966x_lab.driver.ring_board import RingBoard
from lan966x_lab.driver.skb import Skb, SkbSlab
from lan966x_lab.hw.bcm4908 import RING
from lan966x_lab.hw.fcs import fcs

__all__ = ["COPYBREAK", "POLICIES", "Policy", "Received", "receive"]

BULK = 16
"""Structures that the kernel's NAPI cache fetches at once."""
COPYBREAK = 256
"""Frames of up to this many bytes are copied; a usual figure of drivers that do it."""


class Policy(NamedTuple):
    """What a driver does: build late, merge, fetch structures in bulk, copy small frames."""

    late: bool = False
    gro: bool = False
    bulk: int = 0
    copybreak: int = 0


POLICIES: Mapping[str, Policy] = MappingProxyType(
    {
        "early": Policy(),
        "early, GRO": Policy(gro=True),
        "late": Policy(late=True),
        "late, GRO": Policy(late=True, gro=True),
        "late, bulk cache": Policy(late=True, bulk=BULK),
        "late, copybreak": Policy(late=True, copybreak=COPYBREAK),
    }
)


@dataclass(frozen=True, slots=True)
class Received:
    """What arrived, and what it took.

    Attributes:
        frames: as the stack got them, in order, with their Ethernet headers.
        errors: frames that the driver refused.
        packets: times that something was handed up; GRO makes one of several frames.
        made_before: structures that were made before any frame came.
        age: for each frame, how many structures were made after its own; the mean.
        allocator_calls: times that structures were fetched, since the interface is open.
        bytes_summed: by GRO.
        copied: bytes of frames that were copied.
        pages: pages that were taken, since the interface is open.
        truesize: bytes that sockets are charged for all frames.
    """

    frames: tuple[bytes, ...]
    errors: int
    packets: int
    made_before: int
    age: float
    allocator_calls: int
    bytes_summed: int
    copied: int
    pages: int
    truesize: int


def receive(frames: Iterable[bytes], policy: Policy, *, ring: int = RING, dirty: bool = False) -> Received:
    """Let frames (without FCS) arrive at a fresh interface, as many at a time as the ring holds.

    Args:
        dirty: fill the posted buffers with ones first: what the device does not write must not show.
    """
    up: list[bytes] = []
    charged = 0

    def take(skb: Skb) -> None:
        nonlocal charged
        for part in (skb, *skb.frag_list):
            assert part.mac_header is not None
            up.append(bytes(part.buffer[part.mac_header : part.tail]))
            charged += part.truesize
        skb.free()

    slab = SkbSlab(bulk=policy.bulk)
    options = Options(late_skb=policy.late, gro=policy.gro)
    board = RingBoard(options, rx_ring=ring, slab=slab, copybreak=policy.copybreak)
    driver, memory = board.driver, board.memory
    driver.receive = driver.gro.up = take
    before, calls, pages = slab.allocated, slab.calls, memory.pages_allocated
    for slot in driver.rx_slots if dirty else ():
        slot.fragment.view[:] = b"\xff" * len(slot.fragment.view)
    for frame in frames:
        if not board.device.rx.has_room(len(frame) + 4):
            board.run()
        board.device.rx.receive(frame + fcs(frame))
    board.run()
    stats = driver.stats
    result = Received(
        frames=tuple(up),
        errors=stats.rx_errors,
        packets=driver.gro.packets if policy.gro else len(up),
        made_before=before,
        age=stats.skb_age / max(1, stats.rx_packets - stats.rx_copied),
        allocator_calls=slab.calls - calls,
        bytes_summed=driver.gro.bytes_summed,
        copied=sum(len(frame) for frame in up if len(frame) <= policy.copybreak),
        pages=memory.pages_allocated - pages,
        truesize=charged,
    )
    board.settle()
    return result
