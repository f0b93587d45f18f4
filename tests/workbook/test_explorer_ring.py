"""The ring explorer without a browser."""

from xml.etree import ElementTree

import pytest

from lan966x_lab.measure.counted.ringscript import EVENTS
from lan966x_lab.workbook.explorers.ring import RingExplorer


def drawn(ring: RingExplorer) -> str:
    drawing = ring.static().drawing()
    ElementTree.fromstring(drawing)
    return drawing


def test_it_starts_before_a_slot_is_busy():
    ring = RingExplorer()
    assert ring.status == (
        "Step 4 of 38. On both sides the interrupt is answered, and masked until the ring is empty. "
        "Structures made so far: early 6, late 0; in the ring lie 6 early and 0 late. Handed up: 0."
    )
    assert drawn(ring).count(">busy<") == 1  # in the key


def test_where_the_two_sides_differ():
    ring = RingExplorer(step=7)
    assert ring.status == (
        "Step 7 of 38. Early: the frame's buffer is unmapped: now it is the CPU's. "
        "Late: a structure is made around the frame. "
        "Structures made so far: early 7, late 1; in the ring lie 6 early and 0 late. Handed up: 0."
    )
    assert "6 structures were made since" in drawn(ring)
    assert ring.step.description == "Step (1–38)"


def test_the_same_thing_on_both_sides_is_said_once():
    ring = RingExplorer(step=1)
    assert "On both sides the device writes a frame into slot 0 and gives it back." in ring.status
    assert "late" not in ring.status.split("Structures")[0]


def test_to_the_next_hand_over_and_at_last_to_the_end():
    ring, seen = RingExplorer("ff p f p", step=1), []
    for _ in range(5):
        ring.next.click()
        seen.append(ring.step.value)
    assert seen == [8, 13, 20, 20, 20]
    assert "Handed up: 3." in ring.status


@pytest.mark.parametrize("slots", [3, 7, 12])
def test_every_step_of_a_wild_story_can_be_drawn(slots: int):
    ring = RingExplorer("fffffff p a s b p m f p t p p f c", step=1, ring=slots)
    ring.copy.value = True
    ring.budget.value = 3
    for step in range(1, ring.step.max + 1):
        ring.step.value = step
        assert ring.status.startswith(f"Step {step} of {ring.step.max}.")
        drawn(ring)


def test_ages_grow_with_the_ring():
    for slots in (3, 12):
        ring = RingExplorer("f p", step=5, ring=slots)
        assert f">{slots}<" in drawn(ring)
        assert f"{slots} structures were made since" in drawn(ring)


def test_sides_of_different_length_wait_for_each_other():
    """Without memory the late policy has one step more: it had unmapped already."""
    ring = RingExplorer("m f p f p", step=1)
    told = []
    for step in range(1, ring.step.max + 1):
        ring.step.value = step
        told.append(ring.status)
    assert any("Early: the frame of slot 0 is thrown away. Late: slot 0 goes" in line for line in told)
    assert any("On both sides the frame of slot 0 is thrown away" in line for line in told)
    assert "Handed up: 1." in told[-1]


def test_a_script_that_cannot_be_is_refused_kindly():
    ring = RingExplorer()
    good = drawn(ring)
    for wrong, complaint in (
        ("fxp", "'x' stands for nothing; use the letters"),
        ("", "An empty script tells nothing. f: a full frame arrives; "),
        ("f" * 61, "61 events; use 60 at most"),
        ("cf", "let c be the last event"),
    ):
        ring.script.value = wrong
        assert complaint in ring.status
        assert ring.status.endswith("The picture shows the last good view.")
        assert drawn(ring) == good
    ring.script.value = "f p"
    assert ring.status.startswith("Step 4 of 7.")


def test_the_tip_explains_every_letter():
    tip = RingExplorer().script.tooltip
    assert all(f"{letter}: {what}" in tip for letter, (what, _) in EVENTS.items())


def test_numbers_stay_in_their_range():
    ring = RingExplorer()
    ring.ring.value = 500
    ring.budget.value = 0
    ring.step.value = 10_000
    assert (ring.ring.value, ring.budget.value, ring.step.value) == (12, 1, ring.step.max)
    drawn(ring)


def test_two_instances_do_not_move_each_other():
    one, two = RingExplorer(), RingExplorer()
    same = drawn(two)
    assert drawn(one) == same
    one.script.value = "ffff p"
    one.step.value = 3
    assert drawn(two) == same
