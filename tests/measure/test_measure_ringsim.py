import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab.driver.options import Options
from lan966x_lab.measure.counted.ringsim import Load, bursts, run_objects, simulate

CASES = {
    "idle CPU": (bursts(200, burst=1, load_mbps=100), 64, 64, 5_000),
    "line rate, CPU keeps up": (bursts(300, burst=300, load_mbps=1000), 200, 64, 12_000),
    "line rate, CPU too slow": (bursts(400, burst=400, load_mbps=1000), 64, 64, 20_000),
    "burst larger than the ring": (bursts(300, burst=50, load_mbps=300), 16, 64, 9_000),
    "small budget": (bursts(300, burst=30, load_mbps=900), 32, 4, 12_000),
    "one descriptor": (bursts(100, burst=2, load_mbps=500), 1, 1, 10_000),
    "all at once": ([1000] * 40, 8, 64, 100),
    "nothing": ([], 8, 64, 100),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("poll_ns", "irq_ns"), [(0, 0), (1_500, 4_000)])
@pytest.mark.parametrize("late", [False, True])
def test_the_fast_simulation_counts_what_the_objects_do(case: str, poll_ns: int, irq_ns: int, late: bool):
    arrivals, ring, budget, cost = CASES[case]
    more = {"ring": ring, "budget": budget, "cost_ns": cost, "poll_ns": poll_ns, "irq_ns": irq_ns}
    fast = simulate(arrivals, **more)
    assert fast == run_objects(arrivals, **more, options=Options(late_skb=late))
    assert fast.delivered + fast.dropped == len(arrivals)


@given(
    gaps=st.lists(st.integers(0, 30), max_size=60),
    ring=st.integers(1, 8),
    budget=st.integers(1, 8),
    cost=st.integers(0, 20),
    poll=st.integers(0, 10),
    irq=st.integers(0, 10),
)
@settings(max_examples=150, deadline=None)
def test_for_any_input(gaps: list[int], ring: int, budget: int, cost: int, poll: int, irq: int):
    arrivals, now = [], 0
    for gap in gaps:
        now += gap
        arrivals.append(now)
    more = {"ring": ring, "budget": budget, "cost_ns": cost, "poll_ns": poll, "irq_ns": irq}
    assert simulate(arrivals, **more) == run_objects(arrivals, **more)


def test_by_hand():
    """Three frames for a ring of two: the third is lost, and stops the device until the poll ends."""
    load = simulate([10, 11, 12, 40, 200], ring=2, budget=64, cost_ns=50, poll_ns=5, irq_ns=20)
    # irq 10..30, poll 30..35, frames 35..85 and 85..135; 12 and 40 find no descriptor or a stopped device
    assert load == Load(
        delivered=3,
        dropped=2,
        interrupts=2,
        polls=2,
        exhausted=0,
        peak=2,
        end_ns=275,
        idle_ns=75,
        waited_ns=75 + 124 + 75,
    )


def test_what_the_knobs_do():
    line = bursts(20_000, burst=20_000, load_mbps=1000)
    # 12.3 µs a frame at line rate: a CPU that needs 11 µs keeps up, one that needs 20 loses 8 of 20
    assert simulate(line, ring=64, budget=64, cost_ns=11_000).dropped == 0
    assert simulate(line, ring=64, budget=64, cost_ns=20_000).loss == pytest.approx(0.385, abs=0.02)
    # a ring holds a burst, not a rate
    burst = bursts(20_000, burst=100, load_mbps=400)
    small, large = (simulate(burst, ring=ring, budget=64, cost_ns=15_000) for ring in (8, 128))
    assert small.dropped > 0 == large.dropped
    assert large.peak > 8
    assert large.mbps(1448) == pytest.approx(400 * 1448 / 1538, rel=0.01)
    assert large.mean_wait_ns > 15_000


def test_arrivals():
    times = bursts(4, burst=2, load_mbps=500)
    assert times == [12_304, 24_608, 12_304 + 49_216, 24_608 + 49_216]
    assert bursts(0, burst=1, load_mbps=1) == []
    for wrong in ({"frames": -1}, {"burst": 0}, {"load_mbps": 0}, {"load_mbps": 1001}, {"size": 59}):
        with pytest.raises(ValueError, match="0 < load_mbps <= 1000"):
            bursts(**({"frames": 1, "burst": 1, "load_mbps": 1} | wrong))


def test_wrong_arguments():
    for wrong in ({"ring": 0}, {"budget": 0}, {"cost_ns": -1}):
        more = {"ring": 1, "budget": 1, "cost_ns": 1} | wrong
        for run in (simulate, run_objects):
            with pytest.raises(ValueError, match="ring and budget >= 1"):
                run([1], **more)


@pytest.mark.parametrize("case", CASES)
def test_who_watches_sees_the_same_load(case: str):
    arrivals, ring, budget, cost = CASES[case]
    more = {"ring": ring, "budget": budget, "cost_ns": cost, "poll_ns": 1_500, "irq_ns": 4_000}
    seen: list[tuple[int, int, int]] = []
    load = simulate(arrivals, **more, watch=lambda *change: seen.append(change))
    assert load == simulate(arrivals, **more)
    assert len(seen) == 2 * load.delivered + load.dropped
    assert max((waiting for _, waiting, _ in seen), default=0) == load.peak
    assert max((dropped for *_, dropped in seen), default=0) == load.dropped
    assert sum(1 for (_, a, _), (_, b, _) in zip([(0, 0, 0), *seen], seen, strict=False) if b < a) == (
        load.delivered
    )
