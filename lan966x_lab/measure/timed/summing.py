"""Time the six ways to sum a packet on this computer, beside a library and a copy of the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from random import Random

import numpy as np
from dpkt.dpkt import in_cksum

from lan966x_lab.measure.timed.timing import compare
from lan966x_lab.net import checksum

__all__ = ["BATCH", "PEERS", "time_ways"]

BATCH = 256  # packets that one call of the sixth way takes
PEERS = ("dpkt", "copy the bytes")


def time_ways(
    sizes: Iterable[int], *, rounds: int = 9, min_time_ns: int = 400_000
) -> Mapping[str, Mapping[int, float]]:
    """Median time for one packet in ns, by way or peer, by size in bytes.

    The five ways of ``checksum.WAYS`` and dpkt take a packet a call. ``ones_sum_batch`` takes ``BATCH``
    packets, so does the copy beside it; their times are divided.

    Args:
        sizes: bytes of a packet, 1 or more; those of one size take turns, see ``timing.compare``.
        rounds, min_time_ns: as in ``timing.compare``.
    """
    times: dict[str, dict[int, float]] = {}
    for size in sizes:
        rows = np.frombuffer(Random(size).randbytes(BATCH * size), np.uint8).reshape(BATCH, size)
        packet, lengths = rows[0].tobytes(), np.full(BATCH, size)
        single = {**checksum.WAYS, "dpkt": in_cksum}
        batches: dict[str, Callable[[], object]] = {
            "numpy batch": partial(checksum.ones_sum_batch, rows, lengths),
            "copy the bytes": partial(np.copyto, np.empty_like(rows), rows),
        }
        singles = {name: partial(way, packet) for name, way in single.items()}
        timings = compare({**singles, **batches}, rounds=rounds, min_time_ns=min_time_ns)
        for name in timings.names:
            share = BATCH if name in batches else 1
            times.setdefault(name, {})[size] = timings.median_ns(name) / share
    return times
