"""The cold call comes first after each sweep, the warm one after three more."""

import pytest

from lan966x_lab.measure.timed import cold


def test_the_order_of_calls_and_what_is_timed(monkeypatch):
    clock, since_sweep = [0], {"a": 0, "b": 0}
    monkeypatch.setattr(cold, "perf_counter_ns", lambda: clock[0])

    class Block:
        def __iadd__(self, one):
            for name in since_sweep:
                since_sweep[name] = 0
            return self

    monkeypatch.setattr(cold.np, "zeros", lambda size, kind: Block())

    def call(name: str, slow: int) -> None:
        since_sweep[name] += 1
        clock[0] += slow if since_sweep[name] == 1 else 10 * since_sweep[name]

    cold_times, warm_times = cold.cold_and_warm(
        {"a": lambda: call("a", 900), "b": lambda: call("b", 500)}, rounds=3
    )
    assert cold_times.elapsed_ns == {"a": (900,) * 3, "b": (500,) * 3}
    assert warm_times.elapsed_ns == {"a": (50,) * 3, "b": (50,) * 3}  # the fifth call since the sweep
    assert cold_times.median_ns("a") == 900
    assert warm_times.ratio("a", "b") == 1


def test_a_real_run():
    cold_times, warm_times = cold.cold_and_warm({"sum": lambda: sum(range(100))}, rounds=2, sweep=1000)
    assert cold_times.names == warm_times.names == ("sum",)
    assert len(cold_times.elapsed_ns["sum"]) == 2


@pytest.mark.parametrize(("callables", "rounds"), [({}, 2), ({"a": int}, 1)])
def test_too_little_is_refused(callables, rounds):
    with pytest.raises(ValueError, match="at least 2 rounds"):
        cold.cold_and_warm(callables, rounds=rounds)
