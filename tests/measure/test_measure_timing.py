import gc
import platform
from statistics import median

import pytest

from lan966x_lab.measure.timed import timing
from lan966x_lab.measure.timed.timing import Timings, compare, machine


@pytest.fixture
def made_up() -> Timings:
    """Three rounds; in the last one the machine was three times as slow for everybody."""
    return Timings({"slow": (4000, 4400, 12000), "fast": (1000, 1100, 3000)}, {"slow": 10, "fast": 10})


def test_the_ratio_is_formed_inside_each_round(made_up):
    assert made_up.ratio("slow", "fast") == 4.0
    assert made_up.ratio("fast", "slow") == 0.25


def test_the_ratio_counts_calls_and_is_the_median_of_ratios():
    timings = Timings({"a": (100, 200, 900), "b": (100, 100, 100)}, {"a": 10, "b": 1})
    assert timings.ratio("a", "b") == median([0.1, 0.2, 0.9])


def test_median_and_quartiles_are_whole_nanoseconds_per_call(made_up):
    assert made_up.median_ns("slow") == 440
    assert made_up.spread_ns("slow") == (420, 820)
    assert all(type(ns) is int for ns in (made_up.median_ns("fast"), *made_up.spread_ns("fast")))


def test_the_table_shows_every_name_and_the_machine(made_up):
    lines = made_up.table(to="fast").splitlines()
    assert lines[0].split() == ["median", "ns", "quartiles", "ns", "ratio", "to", "fast"]
    assert lines[1].split() == ["slow", "440", "420–820", "4.00"]
    assert lines[2].split() == ["fast", "110", "105–205", "1.00"]
    assert lines[3] == machine()
    assert str(made_up).splitlines()[0].endswith("ratio to slow")


def test_an_unknown_name_is_told_apart(made_up):
    with pytest.raises(KeyError, match="'quick' was not timed; timed were 'slow', 'fast'"):
        made_up.median_ns("quick")


def test_callables_take_turns_and_the_first_changes(monkeypatch):
    """With a clock that stands still for one call a turn, the order of the turns is exact."""
    order: list[str] = []
    monkeypatch.setattr(timing, "_calls_to_fill", lambda function, min_time_ns: 1)
    timings = compare({n: lambda n=n: order.append(n) for n in "abc"}, rounds=4)
    assert "".join(order) == "abc" + "bca" + "cab" + "abc"
    assert timings.names == ("a", "b", "c")
    assert all(len(rounds) == 4 for rounds in timings.elapsed_ns.values())


def test_the_number_of_calls_fills_the_turn(monkeypatch):
    clock = [0]
    monkeypatch.setattr(timing, "perf_counter_ns", lambda: clock[0])

    def takes(ns: int):
        def call() -> None:
            clock[0] += ns

        return call

    timings = compare({"quick": takes(7), "slow": takes(50_000)}, rounds=2, min_time_ns=10_000)
    assert timings.calls["slow"] == 1
    assert 10_000 <= 7 * timings.calls["quick"] < 10_100
    assert timings.elapsed_ns["slow"] == (50_000, 50_000)
    assert (timings.median_ns("quick"), timings.median_ns("slow")) == (7, 50_000)
    assert timings.ratio("slow", "quick") == pytest.approx(50_000 / 7)


def test_an_interruption_does_not_shorten_the_turns(monkeypatch):
    clock, calls = [0], [0]
    monkeypatch.setattr(timing, "perf_counter_ns", lambda: clock[0])

    def call() -> None:
        calls[0] += 1
        clock[0] += 1_000_000 if calls[0] == 1 else 100  # the first one is interrupted

    assert compare({"call": call}, rounds=2, min_time_ns=10_000).calls["call"] == 100


def test_a_clock_that_does_not_move_for_short_turns_ends_all_the_same(monkeypatch):
    """A coarse clock reads 0 ns for a few calls; the search must grow, not divide by zero."""
    calls = [0]
    monkeypatch.setattr(timing, "perf_counter_ns", lambda: calls[0] // 100 * 1000)

    def call() -> None:
        calls[0] += 1

    assert compare({"x": call}, rounds=2, min_time_ns=5000).calls["x"] >= 400


@pytest.mark.parametrize("was_on", [True, False])
def test_garbage_collection_is_off_meanwhile_and_put_back(was_on):
    before = gc.isenabled()
    seen: set[bool] = set()

    def look() -> None:
        seen.add(gc.isenabled())
        raise RuntimeError("stop")

    try:
        gc.enable() if was_on else gc.disable()
        with pytest.raises(RuntimeError, match="stop"):
            compare({"look": look})
        assert gc.isenabled() is was_on
    finally:
        gc.enable() if before else gc.disable()
    assert seen == {False}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare({}), "nothing to time"),
        (lambda: compare({"a": int}, rounds=1), "rounds is 1; at least 2"),
        (lambda: compare({"a": int}, min_time_ns=0), "min_time_ns is 0"),
    ],
)
def test_wrong_calls_say_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_machine_line(monkeypatch, tmp_path):
    (tmp_path / "cpuinfo").write_text("processor\t: 0\nmodel name\t: Cortex-A7 r0p5 \nmodel name\t: other\n")
    monkeypatch.setattr(timing, "Path", lambda _: tmp_path / "cpuinfo")
    monkeypatch.setattr(timing.os, "cpu_count", lambda: 4)
    monkeypatch.setattr(timing.platform, "python_version", lambda: "3.11.7")
    monkeypatch.setattr(timing.metadata, "version", lambda package: {"numpy": "2.4.6"}[package])
    assert machine() == f"Cortex-A7 r0p5, 4 cores, {platform.python_implementation()} 3.11.7, numpy 2.4.6"


def test_the_machine_line_without_proc(monkeypatch, tmp_path):
    monkeypatch.setattr(timing, "Path", lambda _: tmp_path / "none")
    monkeypatch.setattr(timing.platform, "processor", lambda: "")
    monkeypatch.setattr(timing.platform, "machine", lambda: "arm64")
    assert machine().startswith("arm64, ")


def test_a_real_run_gives_positive_times():
    timings = compare({"empty": lambda: None, "sum": lambda: sum(range(100))}, rounds=3, min_time_ns=20_000)
    assert all(timings.median_ns(name) > 0 for name in timings.names)
