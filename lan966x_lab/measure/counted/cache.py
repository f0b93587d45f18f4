"""What a cache makes of structures that are built early or late.

A cache keeps the lines of memory that were touched last. So it matters how much other memory is touched
between the moment when a structure is written and the moment when it is used. ``journal`` lets the bcm4908
driver receive frames and keeps the order in which it makes structures and hands frames up; ``touches`` turns
that into lines of memory; ``misses`` sends these through a cache of any size.

What is in the model: the structure, the first line of the shared info (both written when the skb is made,
read when it is freed), and what is read of the frame: its headers, or all of it when GRO adds it up. A
structure that was freed last is handed out first, as the kernel's allocator does; a buffer is new to the
cache each time, since the device has written to it. What is not: the rest of the kernel, which touches much
more memory for each frame. So the model says which sizes matter and in which order, not what a board does.

``walks`` are functions to be timed: the same number of structures read, from few or from many.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from lan966x_lab.driver.options import Options
from lan966x_lab.driver.ring_board import RingBoard
from lan966x_lab.driver.skb import ETH_HLEN, SK_BUFF, SMP_CACHE_BYTES

__all__ = ["journal", "lives", "miss_curve", "misses", "touches", "walks"]

Step = tuple[str, int]
"""``build`` or ``up``, and the slot of the ring."""
Touch = tuple[str, int]
"""What is touched (``structure``, ``shared info``, ``frame``), and which line of it."""

FRAME = 1514
"""Bytes of a full frame."""
HEADERS = ETH_HLEN + 20 + 32
"""Bytes that routing reads: Ethernet, IPv4, TCP with time stamps."""


def _lines(size: int) -> int:
    return -(-size // SMP_CACHE_BYTES)


def journal(*, late: bool, ring: int, frames: int) -> list[Step]:
    """The order in which structures are made and frames are handed up, from opening the interface on.

    The frames come one at a time: whoever waits for a frame, it is not because others are in front of it.
    """
    board = RingBoard(Options(late_skb=late), rx_ring=ring)
    opening = [] if late else [("build", slot) for slot in range(ring)]
    for _ in range(frames):
        board.arrive([bytes(FRAME)])
        board.run()
    return opening + [(step, slot) for step, slot in board.steps if step in ("build", "up")]


def lives(steps: Iterable[Step]) -> list[tuple[int, int]]:
    """For each frame handed up: when its structure was made and when it was used, in frames handed up."""
    now = 0
    made: dict[int, list[int]] = {}
    pairs = []
    for step, slot in steps:
        if step == "build":
            made.setdefault(slot, []).append(now)
        else:
            pairs.append((made[slot].pop(0), now))
            now += 1
    return pairs


def touches(steps: Iterable[Step], *, gro: bool) -> Iterator[list[Touch]]:
    """The lines of memory that are touched, in order, a list for each frame handed up."""
    free: list[int] = []
    used, buffers = 0, 0
    posted: dict[int, list[tuple[int, int]]] = {}
    todo: list[Touch] = []
    for step, slot in steps:
        if step == "build":
            if free:
                structure = free.pop()
            else:
                structure, used = used, used + 1
            buffers += 1
            posted.setdefault(slot, []).append((structure, buffers))
            todo += _skb(structure, buffers)
        else:
            structure, buffer = posted[slot].pop(0)
            read = _lines(FRAME if gro else HEADERS)
            todo += [("frame", buffer << 6 | line) for line in range(read)]
            todo += _skb(structure, buffer)
            free.append(structure)
            yield todo
            todo = []


def _skb(structure: int, buffer: int) -> list[Touch]:
    lines = _lines(SK_BUFF)
    return [("structure", structure * lines + line) for line in range(lines)] + [("shared info", buffer)]


def misses(frames: Sequence[list[Touch]], cache_bytes: int, *, skip: int) -> Counter[str]:
    """Lines that were not in the cache when they were touched, by what they belong to.

    Args:
        frames: from `touches`.
        cache_bytes: the cache keeps that many bytes, the lines touched last, wherever they lie.
        skip: frames at the start that warm the cache and are not counted.
    """
    room = cache_bytes // SMP_CACHE_BYTES
    kept: OrderedDict[Touch, None] = OrderedDict()
    count: Counter[str] = Counter()
    for number, frame in enumerate(frames):
        for touch in frame:
            if touch in kept:
                kept.move_to_end(touch)
                continue
            count[touch[0]] += number >= skip
            kept[touch] = None
            if len(kept) > room:
                kept.popitem(last=False)
    return count


def miss_curve(steps: Iterable[Step], *, gro: bool, sizes_kib: Iterable[int]) -> dict[int, float]:
    """Misses of structure and shared info for each frame, by the size of the cache in KiB.

    The first half of the frames warms the cache up.
    """
    frames = list(touches(steps, gro=gro))
    skip = len(frames) // 2
    curve = {}
    for kib in sizes_kib:
        count = misses(frames, kib << 10, skip=skip)
        curve[kib] = (count["structure"] + count["shared info"]) / (len(frames) - skip)
    return curve


def walks(
    counts: Sequence[int], *, reads: int = 4096, size: int = SK_BUFF
) -> dict[str, Callable[[], object]]:
    """For each count a function that reads all lines of `reads` structures, taken from so many, in any order.

    The names are the counts. The order has no pattern that the processor could foresee, and is the same on
    every run.
    """
    lines, words = _lines(size), SMP_CACHE_BYTES // 8
    made: dict[str, Callable[[], object]] = {}
    for count in counts:
        random = np.random.default_rng(count)
        memory = np.ones(count * lines * words, np.uint64)
        rounds = [random.permutation(count) for _ in range(-(-reads // count))]
        structures = np.concatenate(rounds)[:reads]
        places = ((structures[:, None] * lines + np.arange(lines)) * words).ravel()
        out = np.empty(places.size, np.uint64)
        made[f"{count:,}"] = _reader(memory, places, out)
    return made


def _reader(
    memory: np.ndarray[tuple[int], np.dtype[np.uint64]],
    places: np.ndarray[tuple[int], np.dtype[np.intp]],
    out: np.ndarray[tuple[int], np.dtype[np.uint64]],
) -> Callable[[], object]:
    return lambda: memory.take(places, out=out, mode="clip")
