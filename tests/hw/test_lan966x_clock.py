import numpy as np
import pytest

from lan966x_lab.hw.clock import Clock, ClockError


def test_events_happen_at_their_time_in_the_order_they_were_asked_for():
    clock, seen = Clock(), []
    for name, time_ns in (("b", 20), ("a", 10), ("c", 20), ("late", 31)):
        clock.at(time_ns, lambda name=name: seen.append((name, clock.now_ns)))
    clock.advance(30)
    assert seen == [("a", 10), ("b", 20), ("c", 20)]
    assert (clock.now_ns, clock.next_ns) == (30, 31)


def test_an_event_may_order_events_of_the_same_nanosecond_and_later():
    clock, seen = Clock(), []
    clock.at(
        5, lambda: (clock.after(0, lambda: seen.append(clock.now_ns)), clock.after(3, lambda: seen.append(8)))
    )
    clock.advance(8)
    assert seen == [5, 8]


def test_a_cancelled_event_does_not_happen_and_is_not_next():
    clock, seen = Clock(), []
    event = clock.at(5, lambda: seen.append(5))
    clock.at(7, lambda: seen.append(7))
    event.cancel()
    assert clock.next_ns == 7
    clock.run_until(10)
    clock.run_until(3)
    assert (seen, clock.now_ns) == ([7], 10)


def test_time_never_runs_backwards():
    clock = Clock(100)
    with pytest.raises(ClockError, match="99 ns was ordered at 100 ns"):
        clock.at(99, lambda: None)
    with pytest.raises(ClockError, match="forward only"):
        clock.advance(-1)
    clock.at(100, lambda: None)
    with pytest.raises(ClockError, match="forward only"):
        clock.advance(-1)


@pytest.mark.parametrize("wrong", ["x", 1.5, 2.0, None, np.float64(3)], ids=repr)
@pytest.mark.parametrize(
    ("name", "call", "allowed"),
    [
        ("ns", Clock.advance, "0 or more"),
        ("time_ns", Clock.run_until, "100 or more"),
        ("time_ns", lambda clock, ns: clock.at(ns, lambda: None), "100 or more"),
        ("delay_ns", lambda clock, ns: clock.after(ns, lambda: None), "0 or more"),
        ("now_ns", lambda clock, ns: Clock(ns), "0 or more"),
    ],
    ids=["advance", "run_until", "at", "after", "Clock"],
)
def test_time_comes_in_whole_nanoseconds(name, call, allowed, wrong):
    clock = Clock(100)
    said = f"{name} is {wrong!r} ({type(wrong).__name__}): allowed {allowed}; give a whole number"
    with pytest.raises(TypeError) as refused:
        call(clock, wrong)
    assert str(refused.value) == said
    assert (clock.now_ns, clock.next_ns) == (100, None)


def test_an_integer_of_numpy_becomes_one_of_python():
    clock = Clock(np.uint8(100))
    clock.after(np.uint8(200), lambda: None)
    assert clock.next_ns == 300
    clock.advance(np.uint8(250))
    clock.run_until(np.int16(360))
    assert (type(clock.now_ns), clock.now_ns) == (int, 360)
    with pytest.raises(ClockError, match="forward only"):
        clock.advance(np.int64(-1))
    with pytest.raises(ClockError, match="359 ns was ordered at 360 ns"):
        clock.after(np.int8(-1), lambda: None)


@pytest.mark.parametrize("more_events", [False, True])
def test_an_event_cannot_make_time_pass(more_events):
    clock = Clock()
    clock.at(1, lambda: clock.advance(1))
    if more_events:
        clock.at(2, lambda: None)
    with pytest.raises(ClockError, match="called advance"):
        clock.advance(5)
    clock.advance(1)  # and the clock is usable afterwards


def test_what_an_exception_kept_from_happening_happens_next():
    clock, seen = Clock(), []

    def fail() -> None:
        raise ZeroDivisionError

    clock.at(5, fail)
    clock.at(5, lambda: seen.append(clock.now_ns))
    with pytest.raises(ZeroDivisionError):
        clock.run_until(10)
    assert (clock.now_ns, clock.next_ns, seen) == (5, 5, [])
    clock.run_until(5)
    assert (clock.now_ns, clock.next_ns, seen) == (5, None, [5])
    clock.run_until(3)
    assert clock.now_ns == 5
