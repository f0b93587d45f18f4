"""Times are never asserted; that every way is timed for every size is, and that a batch counts per packet."""

import pytest

from lan966x_lab.measure.timed import summing
from lan966x_lab.net import checksum


def test_every_way_and_peer_for_every_size() -> None:
    times = summing.time_ways((1, 64), rounds=2, min_time_ns=1000)
    assert set(times) == {*checksum.WAYS, "numpy batch", *summing.PEERS}
    assert all(
        set(by_size) == {1, 64} and all(ns >= 0 for ns in by_size.values()) for by_size in times.values()
    )


def test_a_batch_is_timed_per_packet(monkeypatch: pytest.MonkeyPatch) -> None:
    class Fake:
        names = ("struct", "numpy batch")

        def median_ns(self, name: str) -> int:
            return 2560

    monkeypatch.setattr(summing, "compare", lambda *_, **__: Fake())
    assert summing.time_ways([100]) == {"struct": {100: 2560}, "numpy batch": {100: 10}}
