"""The exercise of notebook 06 on good answers and on plausible bad ones, with the sentence each one gets."""

import doctest
from collections.abc import Callable

import pytest

from lan966x_lab.workbook.checks import Rung
from lan966x_lab.workbook.exercises import ring as exercises_ring
from lan966x_lab.workbook.exercises.ring import BAD, TinyRing, poll_check, try_both

Poll = Callable[[TinyRing, int], int]


def right(ring: TinyRing, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        frame = ring.take()
        if frame is not None:
            ring.up(frame)
        done += 1
    if done < budget:
        ring.complete()
    return done


def another_right(ring: TinyRing, budget: int) -> int:
    for done in range(budget):
        if not ring.waiting():
            ring.complete()
            return done
        if frame := ring.take():
            ring.up(frame)
    return budget


def returns_nothing(ring: TinyRing, budget: int) -> None:
    right(ring, budget)


def returns_zero(ring: TinyRing, budget: int) -> int:
    right(ring, budget)
    return 0


def never_completes(ring: TinyRing, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        if frame := ring.take():
            ring.up(frame)
        done += 1
    return done


def ends_at_a_bad_frame(ring: TinyRing, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        frame = ring.take()
        if frame is None:
            break
        ring.up(frame)
        done += 1
    if done < budget:
        ring.complete()
    return done


def does_not_count_bad_frames(ring: TinyRing, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        if frame := ring.take():
            ring.up(frame)
            done += 1
    if done < budget:
        ring.complete()
    return done


def ignores_the_budget(ring: TinyRing, budget: int) -> int:
    done = 0
    while ring.waiting():
        if frame := ring.take():
            ring.up(frame)
        done += 1
    if done < budget:
        ring.complete()
    return done


def always_completes(ring: TinyRing, budget: int) -> int:
    done = never_completes(ring, budget)
    ring.complete()
    return done


def completes_when_empty(ring: TinyRing, budget: int) -> int:
    done = never_completes(ring, budget)
    if not ring.waiting():
        ring.complete()
    return done


def counts_at_the_start(ring: TinyRing, budget: int) -> int:
    done = 0
    frames = []
    while done < budget and ring.waiting():
        frames.append(ring.take())
        done += 1
    for frame in frames:
        if frame:
            ring.up(frame)
    if done < budget:
        ring.complete()
    return done


def completes_without_a_budget(ring: TinyRing, budget: int) -> int:
    done = never_completes(ring, budget)
    if done < budget or budget == 0:
        ring.complete()
    return done


def takes_one_at_least(ring: TinyRing, budget: int) -> int:
    done = never_completes(ring, max(1, budget))
    if done < budget:
        ring.complete()
    return done


def hands_up_everything(ring: TinyRing, budget: int) -> int:
    done = 0
    while done < budget and ring.waiting():
        ring.up(ring.take())  # type: ignore[arg-type]
        done += 1
    if done < budget:
        ring.complete()
    return done


def never_takes(ring: TinyRing, budget: int) -> int:
    while ring.waiting():
        pass
    return 0


def takes_blindly(ring: TinyRing, budget: int) -> int:
    for _ in range(budget):
        frame = ring.take()
        if frame:
            ring.up(frame)
    return budget


@pytest.mark.parametrize("poll", [right, another_right])
def test_right(poll: Poll):
    assert poll_check(poll).text() == "poll: right. Visible checks passed (8)."


@pytest.mark.parametrize(
    ("poll", "rung", "sentence"),
    [
        (returns_nothing, Rung.WRONG, "Why: return how many frames you took."),
        (returns_zero, Rung.WRONG, "Why: return how many frames you took."),
        (never_completes, Rung.WRONG, "complete, or no interrupt comes."),
        (ends_at_a_bad_frame, Rung.WRONG, "c waits until another frame comes."),
        (does_not_count_bad_frames, Rung.WRONG, "Why: taking a bad frame is work, too: count it."),
        (ignores_the_budget, Rung.WRONG, "Why: that is more than the budget; others wait for the CPU."),
        (always_completes, Rung.WRONG, "who completes now leaves d to chance."),
        (completes_when_empty, Rung.ALMOST, "NAPI takes that for 'poll me again'."),
        (counts_at_the_start, Rung.ALMOST, "Why: ask the ring before every frame: what you counted"),
        (completes_without_a_budget, Rung.ALMOST, "such a call must not complete."),
        (takes_one_at_least, Rung.ALMOST, "Why: a budget of 0 means: take nothing."),
        (hands_up_everything, Rung.WRONG, "TypeError: up(None): the stack cannot do anything with that"),
        (never_takes, Rung.WRONG, "the poll asked 1000 times and took nothing"),
        (takes_blindly, Rung.WRONG, "take() from an empty ring: that slot is the device's"),
    ],
)
def test_a_wrong_poll_is_told_why(poll: Poll, rung: Rung, sentence: str):
    verdict = poll_check(poll)
    assert verdict.rung is rung
    assert sentence in verdict.text()


def test_not_started():
    def poll(ring: TinyRing, budget: int) -> int:
        raise NotImplementedError("take frames")

    assert poll_check(poll).rung is Rung.NOT_STARTED
    assert poll_check({"__name__": "notebook"}).rung is Rung.NOT_DEFINED


def test_the_ring_tells_what_happened():
    ring = TinyRing("a", BAD)
    assert repr(ring) == "TinyRing(a, damaged)"
    ring.complete()
    ring.complete()
    assert ring.report(0) == {"returned": 0, "handed up": "", "completed": 2, "left": "a damaged"}
    assert doctest.testmod(exercises_ring).failed == 0


def test_both_drivers_side_by_side():
    assert try_both("ff s ff p").text().splitlines() == [
        "'ff s ff p' with 8 slots",
        "driver     up  bad  missed  stuck  leaked  verdict",
        "---------  --  ---  ------  -----  ------  ----------------------------",
        "published   2    1       0      2       1  frames stuck, mapping leaked",
        "ours        4    1       0      0       0  sound",
    ]
    assert try_both("c").rows[0][-1] == "unmapped with 0 bytes, mapped with 1,532"
    assert try_both("ttt f p t f p", ring=4).rows[0][-1] == (
        "the driver finds an empty slot where it expects a frame"
    )
    with pytest.raises(ValueError, match="stands for nothing"):
        try_both("z")
