"""The read-back explorer without a browser."""

import xml.etree.ElementTree as ET

import pytest

from lan966x_lab.workbook.explorers.readback import GETTERS, LAST_NS, ReadbackExplorer, comes_back

SVG = "{http://www.w3.org/2000/svg}"
FIRST_WRONG = 1 << 29


@pytest.mark.parametrize("time", [0, 1, 250_000_000, FIRST_WRONG - 1, FIRST_WRONG, LAST_NS])
def test_what_comes_back(time):
    assert comes_back(time) == ("wrong" if time >= FIRST_WRONG else "right")
    assert comes_back(time, GETTERS["byte shift"]) == "right"


@pytest.mark.parametrize("time", [-1, LAST_NS + 1, 1.5, "2", None])
def test_what_is_no_time(time):
    assert comes_back(time) == "no time in nanoseconds from 0 to 999,999,999"


def test_sentences():
    explorer = ReadbackExplorer(FIRST_WRONG - 1)
    assert explorer.status == (
        "536,870,911 ns goes in as 0x7ffffffc and comes back as it was: the published getter says "
        "536,870,911 ns, all bits agree."
    )
    explorer.time.value += 1
    assert explorer.status == (
        "536,870,912 ns goes in as 0x80000000 and comes back as 0xffffffff80000000: the published getter "
        "says 4,611,686,017,890,516,992 ns, 32 bits differ."
    )
    explorer.getter.label = "byte shift"
    assert "the byte shift says 536,870,912 ns, all bits agree" in explorer.status


@pytest.mark.parametrize(("time", "marks"), [(0, 0), (FIRST_WRONG, 32)])
def test_wrong_bits_are_marked_by_more_than_colour(time, marks):
    root = ET.fromstring(ReadbackExplorer(time).static().drawing())
    shown = [element.text for element in root.iter(f"{SVG}text")]
    assert shown.count("≠") == marks
    assert shown.count("0") + shown.count("1") == 32 + 64 + 1  # and the number of bit 0


def test_times_outside_of_a_second_become_the_nearest():
    explorer = ReadbackExplorer()
    explorer.time.value = 2 * LAST_NS
    assert explorer.time.value == LAST_NS
    explorer.time.value = -5
    assert explorer.time.value == 0


def test_two_instances_share_nothing_and_draw_the_same():
    one, two = ReadbackExplorer(), ReadbackExplorer()
    assert one.static().drawing() == two.static().drawing()
    one.time.value = LAST_NS
    assert two.time.value == 250_000_000
    assert one.static().drawing() != two.static().drawing()
