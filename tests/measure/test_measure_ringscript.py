"""Scripts for a ring: what is done when, who holds what, and what the defects leave behind."""

import doctest
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab.driver.bcm4908_published import PublishedBcm4908Driver
from lan966x_lab.measure.counted import ringscript
from lan966x_lab.measure.counted.ringscript import EVENTS, LONGEST, Held, Moment, Outcome, play

SCRIPTS = st.text(alphabet="fasbptm ", max_size=30)


def states(moment: Moment) -> str:
    return " ".join(slot.state for slot in moment.slots)


def test_example():
    assert doctest.testmod(ringscript).failed == 0


def test_early_and_late_do_the_same_in_another_order():
    early, late = (play("f p", late=late).moments for late in (False, True))
    assert [m.did for m in early] == ["arrive", "interrupt", "alloc", "build", "unmap", "arm", "up"]
    assert [m.did for m in late] == ["arrive", "interrupt", "alloc", "unmap", "build", "arm", "up"]
    assert [m.slot for m in late] == [0, None, 0, 0, 0, 0, 0]
    assert [m.event for m in late] == [0, 1, 1, 1, 1, 1, 1]


def test_who_holds_what_early():
    _, _, alloc, build, unmap, arm, up = play("f p", late=False, ring=4).moments
    assert alloc.ages == (3, 2, 1, 0)  # from the opening
    assert (alloc.frame, alloc.fresh) == (Held(True, 3), Held(True, None))
    assert (build.frame, build.fresh) == (Held(True, 4), Held(True, 0))
    assert unmap.frame == Held(False, 4)
    assert (arm.frame, arm.fresh) == (Held(False, 4), None)
    assert (up.frame, up.ages, up.up, up.made) == (None, (0, 3, 2, 1), 1, 5)


def test_who_holds_what_late():
    arrive, _, alloc, unmap, build, arm, up = play("f p", late=True, ring=4).moments
    assert {age for m in (arrive, alloc, build, up) for age in m.ages} == {None}
    assert (alloc.frame, alloc.fresh) == (Held(True, None), Held(True, None))
    assert unmap.frame == Held(False, None)
    assert (build.frame, build.fresh) == (Held(False, 0), Held(True, None))
    assert (arm.frame, arm.fresh) == (Held(False, 0), None)
    assert (up.frame, up.made) == (None, 1)


def test_the_slot_in_the_driver_s_hands():
    moments = play("ff p", ring=3).moments
    assert [states(m) for m in moments[1:8]] == [
        "waits waits armed",
        "waits waits armed",
        "hands waits armed",
        "hands waits armed",
        "hands waits armed",
        "armed waits armed",
        "armed waits armed",
    ]


def test_a_copied_frame_leaves_its_buffer_in_the_ring():
    moments = play("a p", copybreak=60).moments[2:]
    assert [m.did for m in moments] == ["copy", "arm", "up"]
    assert [m.frame for m in moments] == [Held(False, 0), Held(False, 0), None]
    assert {m.fresh for m in moments} == {None}
    assert len({m.slots[0].page for m in moments}) == 1


def test_bad_frames_stay_where_they_are():
    story = play("s b f p", ring=6)
    did = [m.did for m in story.moments[4:]]
    assert did[:6] == ["drop", "arm"] * 3  # the big one fills two slots
    assert did[6:] == ["alloc", "unmap", "build", "arm", "up"]
    assert story.outcome == Outcome(up=1, bad=2, missed=0, stuck=0, leaked=0, complaint="")


def test_no_memory_for_a_structure():
    early, late = (play("f m p f p", late=late).moments[3:] for late in (False, True))
    assert [m.did for m in early[:4]] == ["alloc", "no memory", "arm", "drop"]
    assert [m.did for m in late[:5]] == ["alloc", "unmap", "no memory", "arm", "drop"]
    assert early[1].fresh == Held(True, None)
    assert late[2].frame == Held(False, None)
    assert [m.frame for m in early[2:4]] == [None, None]  # the buffer went back into the ring
    assert late[4].frame is None
    assert {m.up for m in (early[-1], late[-1])} == {1}


def test_budget_interrupt_and_a_ring_that_is_full():
    story = play("fffff ppp f p", ring=4, budget=2)
    did = [m.did for m in story.moments]
    assert did.count("interrupt") == 2  # polls that used their budget come again by themselves
    assert did.count("miss") == 1
    assert did.count("quiet") == 0
    assert story.outcome == Outcome(5, 0, 1, 0, 0, "")
    assert play("f p p").moments[-1].did == "quiet"
    assert play("f").outcome.stuck == 0  # somebody will come: the interrupt is there


def test_sending_and_a_full_transmit_ring():
    assert [m.did for m in play("tttttt f p t").moments if m.did in ("send", "busy")] == ["send"] * 7
    assert play("c").moments[-1].did == "close"


@pytest.mark.parametrize(
    ("script", "ring", "symptom"),
    [
        ("ff s ff p", 8, {"up": 2, "stuck": 2}),
        ("ff m ff p", 8, {"up": 0, "stuck": 3}),
        ("s p", 8, {"stuck": 0, "leaked": 1}),
        ("ff s ff p f p", 8, {"up": 5, "stuck": 0, "leaked": 1}),
        ("c", 8, {"complaint": "dma_unmap_single: 0x10002000 unmapped with 0 bytes from device, "}),
        ("ttt f p t f p", 4, {"complaint": "the driver finds an empty slot where it expects a frame"}),
    ],
)
def test_the_published_driver_fails_where_ours_does_not(script: str, ring: int, symptom: dict[str, object]):
    ours, published = (
        play(script, ring=ring, **more).outcome for more in ({}, {"cls": PublishedBcm4908Driver})
    )
    assert ours.is_sound
    assert not published.is_sound
    for name, value in symptom.items():
        found = getattr(published, name)
        assert found.startswith(value) if isinstance(value, str) else found == value


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("fxp", "'x' stands for nothing; use the letters f a s b p t m c"),
        ("f" * (LONGEST + 1), "61 events; use 60 at most"),
        ("c f", "let c be the last event"),
    ],
)
def test_a_script_that_cannot_be(script: str, message: str):
    with pytest.raises(ValueError, match=message):
        play(script)


def test_every_letter_is_explained():
    assert all(what and letter.islower() for letter, (what, _) in EVENTS.items())


@given(script=SCRIPTS, late=st.booleans(), ring=st.integers(2, 8), budget=st.integers(1, 8))
@settings(max_examples=80, deadline=None)
def test_any_script_on_our_driver_is_sound(script: str, late: bool, ring: int, budget: int):
    story = play(script, late=late, ring=ring, budget=budget)
    assert story.outcome.is_sound
    assert play(f"{script} c"[: LONGEST + 1], late=late, ring=ring, budget=budget).outcome.complaint == ""
    for before, after in pairwise(story.moments):
        assert 0 <= after.up - before.up <= 1
        assert 0 <= after.made - before.made <= 1
        assert after.event >= before.event
    for moment in story.moments:
        assert sum(slot.is_device_next for slot in moment.slots) == 1
        assert sum(slot.is_driver_next for slot in moment.slots) == 1
        assert all((age is None) == late for age in moment.ages)
        assert all(age is None or age <= moment.made for age in moment.ages)


@given(script=SCRIPTS, ring=st.integers(2, 8), budget=st.integers(1, 8), copybreak=st.sampled_from([0, 60]))
@settings(max_examples=80, deadline=None)
def test_both_policies_keep_step(script: str, ring: int, budget: int, copybreak: int):
    """The explorer shows them side by side: the n-th moment belongs to the same event, and n is the same."""
    if "m" in script:
        script = script.replace("m", "")  # memory for a structure is short at other moments
    more = {"ring": ring, "budget": budget, "copybreak": copybreak}
    early, late = (play(script, late=late, **more) for late in (False, True))
    assert [(m.event, m.slot, m.up) for m in early.moments] == [(m.event, m.slot, m.up) for m in late.moments]
    assert early.outcome == late.outcome
