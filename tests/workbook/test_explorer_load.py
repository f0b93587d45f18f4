"""The load explorer without a browser."""

import re
from xml.etree import ElementTree

import pytest

from lan966x_lab.workbook.explorers.load import FRAMES, RINGS, LoadExplorer, _Setting


def drawn(load: LoadExplorer) -> str:
    drawing = load.static().drawing()
    ElementTree.fromstring(drawing)
    return drawing


def lost(load: LoadExplorer) -> int:
    return int(load.status.split(": ")[1].split(" of ")[0].replace(",", ""))


def test_it_starts_with_a_ring_that_is_too_small():
    load = LoadExplorer()
    assert load.status == (
        "64 slots, bursts of 200, budget 64, 400 Mbit/s, 20 µs a frame: 1,700 of 10,000 frames are lost "
        "(17.0 %), at most 64 wait, the CPU is busy 55 % of the time. Of the rings below, 128 slots are "
        "enough."
    )
    assert "ring full" in drawn(load)
    assert "in a burst a frame comes every 12.3 µs" in drawn(load)


def test_the_same_ring_loses_the_same_share_in_both_plots():
    load = LoadExplorer()
    for ring in (32, 64):
        load.ring.value = ring
        share = load.status.split(" (")[1].split(")")[0]
        assert f">{share}<" in drawn(load)


def test_the_axis_of_time_has_round_numbers():
    for times in ({}, {"burst": 1, "mbps": 1000, "cost": 1}, {"burst": 512, "mbps": 10, "cost": 100}):
        found = re.findall(r">([\d.]+) ms<", drawn(LoadExplorer(**times)))
        assert 3 <= len(found) <= 7
        assert all(number.replace(".", "").strip("0")[:1] in ("", *"12345678") for number in found)
        assert float(found[2]) == pytest.approx(2 * float(found[1]))


def test_a_ring_holds_a_burst_and_not_a_rate():
    load = LoadExplorer()
    load.ring.value = 128
    assert lost(load) == 0
    assert "nothing is lost in this window" in drawn(load)
    load.mbps.value = 1000
    for ring in (*RINGS,):
        load.ring.value = ring
        assert lost(load) > 0
    assert load.status.endswith("No ring below is large enough.")


def test_the_peak_is_what_the_cpu_is_behind():
    """After a burst of B frames, B × (1 − wire time / CPU time) wait."""
    for cost in (20, 40):
        load = LoadExplorer(ring=512, burst=200, mbps=100, cost=cost)
        peak = int(load.status.split("at most ")[1].split()[0])
        assert peak == pytest.approx(200 * (1 - 12.304 / cost), abs=4)


def test_a_smaller_budget_enables_the_device_sooner():
    load = LoadExplorer()
    before = lost(load)
    load.budget.value = 8
    assert 0 < lost(load) < before


def test_small_rings_lose_the_same_share_until_the_budget_ends_the_poll():
    """The try of notebook 06: a whole-ring poll keeps the device shut, in proportion to the ring."""
    for budget, low, high in ((64, 0.37, 0.385), (4, 0.24, 0.36)):
        loads = [_Setting(ring, 200, budget, 400, 20_000).run(2_400) for ring in (8, 16, 32)]
        losses = [load.loss for load in loads]
        assert (min(losses), max(losses)) == (low, high)
        if budget == 64:
            assert all(load.exhausted <= load.polls // 5 for load in loads)  # the poll empties the ring
        else:
            assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize(
    "setting",
    [
        {"burst": 1, "mbps": 1000, "cost": 20},
        {"burst": 1, "mbps": 10, "cost": 1},
        {"burst": 512, "mbps": 10, "cost": 100},
        {"ring": 1, "burst": 512, "budget": 1, "mbps": 1000, "cost": 100},
        {"ring": 512, "burst": 150, "budget": 256, "mbps": 10, "cost": 1},
    ],
)
def test_extreme_settings_can_be_drawn(setting: dict[str, int]):
    load = LoadExplorer(**setting)
    assert f"of {FRAMES:,} frames" in load.status
    drawn(load)


def test_numbers_stay_in_their_range():
    load = LoadExplorer()
    for control, high in ((load.ring, 512), (load.burst, 512), (load.budget, 256), (load.mbps, 1000)):
        control.value = 10**6
        assert control.value == high
        control.value = -5
        assert control.value in (1, 10)
    drawn(load)


def test_two_instances_do_not_move_each_other():
    one, two = LoadExplorer(), LoadExplorer()
    same = drawn(two)
    assert drawn(one) == same
    one.cost.value = 33
    one.ring.value = 9
    assert drawn(two) == same
