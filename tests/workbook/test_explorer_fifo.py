"""The explorers of notebook 04, and its exercise."""

import re
from functools import partial
from typing import Any

import pytest

from lan966x_lab.driver.polling import read_poll_timeout
from lan966x_lab.driver.polling_published import poll_until_jiffies
from lan966x_lab.measure.counted import timeout
from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.exercises.polling import Device, wait_ready_check
from lan966x_lab.workbook.explorers.fifo import FifoExplorer, word_timeline
from lan966x_lab.workbook.explorers.timeout import TimeoutExplorer, both_loops


def test_the_timeline_adds_up() -> None:
    # 270 clock + 200 look + 100 write; a refusal costs one look more when the driver looks first
    assert "takes 300 ns when the driver looks first and 570 ns" in word_timeline().sentence
    assert "takes 200 ns longer" in word_timeline().sentence


def test_the_first_look_helps_is_neutral_hurts() -> None:
    explorer = FifoExplorer(ready=99)
    assert "it helps" in explorer.status
    explorer.ready.value = 10
    assert "it hurts" in explorer.status
    explorer.ready.value = 100
    explorer.ktime.value = 0
    assert "it is neutral" in explorer.status
    assert "never pays" in explorer.status


def test_the_times_of_the_status_line_are_the_driver_s() -> None:
    said = FifoExplorer(ready=100).status
    before, after = map(float, re.findall(r"([\d.]+) µs (?:without|with it)", said))
    assert (before, after) == (220.5, 116.3)


def test_instances_do_not_share_state_and_pictures_repeat() -> None:
    one, other = FifoExplorer(), FifoExplorer()
    before = str(other.static().body)
    one.ready.value = 50
    assert str(other.static().body) == before == str(FifoExplorer().static().body)
    assert str(TimeoutExplorer().static().body) == str(TimeoutExplorer().static().body)


def test_only_an_interrupt_across_ready_and_limit_makes_a_false_time_out() -> None:
    explorer = TimeoutExplorer(ready=60, interrupt=40, away=80)
    assert "the own loop says time-out at 120 µs, which is false" in explorer.status
    assert "the kernel's helper says ready" in explorer.status
    explorer.away.value = 10
    assert "false" not in explorer.status
    explorer.ready.value = 300
    assert explorer.status.count("says time-out") == 2
    assert "false" not in explorer.status


@pytest.mark.parametrize("ready_us", [0, 40, 95, 115, 200])
@pytest.mark.parametrize("away_us", [0, 70, 150])
def test_the_helper_is_never_wrong(ready_us: int, away_us: int) -> None:
    own, helper = both_loops(ready_us, 30, away_us).values()
    assert not helper.false
    assert helper.result == "ready" or helper.end_ns >= 100_000
    if not own.false:
        assert own.result == helper.result


@pytest.mark.parametrize("loop", [read_poll_timeout, poll_until_jiffies])
def test_a_look_before_the_interrupt_that_is_ready_ends_the_poll(loop: Any) -> None:
    poll = timeout.run(loop, ready_at_ns=0, interrupt_at_ns=1_000, interrupt_ns=1, timeout_ns=100)
    assert (poll.result, poll.away_ns) == ("ready", None)


def test_the_own_loop_reads_no_clock_and_makes_no_pause() -> None:
    own, helper = both_loops(ready_us=40, interrupt_us=0, away_us=0).values()
    assert {access.kind for access in own.trace} == {"R"}
    assert len(own.trace) == 40_000 // 200  # a look takes 200 ns, and the device is ready at 40 µs
    assert {access.kind for access in helper.trace} == {"R", "K", "D"}


def test_the_own_loop_waits_for_whole_ticks() -> None:
    """100 µs are ten ticks, and only the eleventh is past them; 105 µs count as eleven."""
    own, _ = both_loops(ready_us=300, interrupt_us=0, away_us=0).values()
    assert (own.result, own.end_ns) == ("time-out", 110_000)
    poll = timeout.run(
        partial(poll_until_jiffies, tick_ns=10_000),
        ready_at_ns=10**9,
        interrupt_at_ns=0,
        interrupt_ns=0,
        timeout_ns=105_000,
    )
    assert (poll.result, poll.end_ns) == ("time-out", 120_000)


def right(device: Device, timeout_ns: int) -> bool:
    if device.look():
        return True
    deadline = device.now_ns() + timeout_ns
    while not device.look():
        if device.now_ns() > deadline:
            return device.look()
    return True


def clock_first(device: Device, timeout_ns: int) -> bool:
    deadline = device.now_ns() + timeout_ns
    while not device.look():
        if device.now_ns() > deadline:
            return device.look()
    return True


def no_last_look(device: Device, timeout_ns: int) -> bool:
    if device.look():
        return True
    deadline = device.now_ns() + timeout_ns
    while not device.look():
        if device.now_ns() > deadline:
            return False
    return True


def no_limit(device: Device, timeout_ns: int) -> bool:
    while not device.look():
        pass
    return True


def always(device: Device, timeout_ns: int) -> bool:
    return device.look() or True


@pytest.mark.parametrize(
    ("answer", "rung", "sentence"),
    [
        (right, Rung.RIGHT, "right"),
        (clock_first, Rung.WRONG, "you read the clock before you look"),
        (no_last_look, Rung.ALMOST, "your last look is older than your clock"),
        (no_limit, Rung.WRONG, "compare the clock with the limit"),
        (always, Rung.WRONG, "a device that never gets ready"),
    ],
)
def test_the_exercise(answer: Any, rung: Rung, sentence: str) -> None:
    verdict = wait_ready_check(answer)
    assert verdict.rung is rung
    assert sentence in verdict.text()
