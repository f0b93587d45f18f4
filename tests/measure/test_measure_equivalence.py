"""The same bytes in every driver and every combination of patches; and a difference would be seen."""

import pytest

from lan966x_lab.driver import PATCHES
from lan966x_lab.measure.counted import equivalence, policies
from lan966x_lab.measure.model.ranking import ON_BOARD

FRAMES = [bytes([n]) * (60 + 17 * n) for n in range(1, 6)]


def test_every_driver_delivers_what_was_sent():
    rows = equivalence.off_and_on(FRAMES, ON_BOARD)
    assert [row.driver for row in rows] == [
        "LAN966x, manual",
        "LAN966x, fdma",
        "BCM4908 (003)",
        "R-Car (004)",
    ]
    assert all(row.same and row.frames == len(FRAMES) for row in rows)
    assert [row.what for row in rows] == ["bytes", "bytes", "bytes", "verdicts"]
    assert [row.errors_ns for row in rows] == [(0, 0), (0, 0), None, None]


def test_every_subset_once():
    found = equivalence.settings(ON_BOARD)
    assert len(found) == len(set(found)) == 2 * 2 ** len(ON_BOARD)
    assert {patch for _, some in found for patch in some} == set(ON_BOARD) < set(PATCHES)


@pytest.mark.parametrize("path", equivalence.PATHS)
def test_a_frame_that_arrives_changed_is_seen(path: str):
    assert equivalence.carries(FRAMES, path, ["002"])
    assert not equivalence.carries([*FRAMES, bytes(59)], path, ["002"])  # the driver pads it


def test_a_driver_that_loses_a_frame_is_not_the_same(monkeypatch: pytest.MonkeyPatch):
    whole = policies.receive

    def lossy(frames: list[bytes], policy: policies.Policy, *, dirty: bool = False) -> policies.Received:
        return whole(frames[: -1 if policy is policies.POLICIES["late"] else None], policy, dirty=dirty)

    monkeypatch.setattr(policies, "receive", lossy)
    by_driver = {row.driver: row for row in equivalence.off_and_on(FRAMES, ON_BOARD)}
    assert not by_driver["BCM4908 (003)"].same
    assert by_driver["BCM4908 (003)"].frames == len(FRAMES) - 1
    assert by_driver["LAN966x, fdma"].same
