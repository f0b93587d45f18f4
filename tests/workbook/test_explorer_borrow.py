"""The explorers of the second's edge, without a browser."""

import xml.etree.ElementTree as ET

import pytest

from lan966x_lab.measure.counted import tod
from lan966x_lab.workbook.explorers.borrow import (
    EXAMPLES,
    GIVEN,
    LATEST_NS,
    WRONG,
    BorrowExplorer,
    ReadoutExplorer,
    as_time,
)

SVG = "{http://www.w3.org/2000/svg}"
LAST_NS = 999_999_999


def texts(picture):
    return [element.text for element in ET.fromstring(picture.drawing()).iter(f"{SVG}text")]


@pytest.mark.parametrize(
    ("ns", "text"),
    [(0, "0.000 000 000 s"), (99_999_999_998, "99.999 999 998 s"), (100_000_000_005, "100.000 000 005 s")],
)
def test_times_in_words(ns, text):
    assert as_time(ns) == text


# ---- the reading ----


def test_a_reading_across_the_edge():
    assert ReadoutExplorer(600).status == (
        "SAVE keeps 99.999 999 700 s, so the registers hold SEC 99 and NSEC 0x3b9ac8d4. When the last of "
        "them is read, the clock says 100.000 000 300 s."
    )


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (317, "99.999 999 983 s, so the registers hold SEC 99 and NSEC 0x3b9ac9ef."),
        (
            316,
            "99.999 999 984 s, so the registers hold SEC 100 and NSEC 0x3ffffff0, slightly negative: −16 ns.",
        ),
        (
            301,
            "99.999 999 999 s, so the registers hold SEC 100 and NSEC 0x3fffffff, slightly negative: −1 ns.",
        ),
        (300, "100.000 000 000 s, so the registers hold SEC 100 and NSEC 0x0."),
    ],
)
def test_readings_at_the_edge(before, said):
    explorer = ReadoutExplorer()
    explorer.before.value = before
    assert f"SAVE keeps {said}" in explorer.status
    assert ("which means" in " ".join(texts(explorer.static()))) == ("negative" in said)


@pytest.mark.parametrize("before", [0, 300, 600, 1200])
def test_every_view_shows_all_accesses(before):
    shown = texts(ReadoutExplorer(before).static())
    assert [text for text in shown if text in ("PIN_CFG", "SAVE", "SEC_MSB", "SEC_LSB", "NSEC")] == [
        "PIN_CFG",
        "SAVE",
        "SEC_MSB",
        "SEC_LSB",
        "NSEC",
    ]
    assert "5 accesses, 900 ns" in shown


def test_a_begin_outside_becomes_the_nearest():
    explorer = ReadoutExplorer()
    explorer.before.value = 5000
    assert explorer.before.value == 1200
    explorer.before.value = -1
    assert explorer.before.value == 0


# ---- the borrow ----


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ("over the edge", "5 < 999,999,998: the second has changed, borrow one: 100 − 1 = 99."),
        ("same second", "500 ≥ 400: no borrow, it is second 99."),
        ("equal", "250,000,000 ≥ 250,000,000: no borrow, it is second 99."),
        ("negative reading", "999,999,988 ≥ 999,999,900: no borrow, it is second 99."),
        ("too late", "350,000,000 ≥ 250,000,000: no borrow, it is second 100."),
    ],
)
def test_the_examples(example, said):
    explorer = BorrowExplorer()
    explorer.examples[example].click()
    assert (explorer.arrival.value, explorer.later.value) == EXAMPLES[example]
    assert said in explorer.status
    assert explorer.status.endswith("wrong by +1 s." if example == "too late" else "which is right.")


def test_the_wrong_rules():
    explorer = BorrowExplorer("negative reading")
    explorer.rule.value = "take the registers as they read"
    assert "1,073,741,812 ≥ 999,999,900: no borrow, it is second 100." in explorer.status
    assert explorer.status.endswith("which is wrong by +1 s.")
    explorer.rule.value = "never borrow"
    assert explorer.status.endswith("which is right.")
    explorer.examples["over the edge"].click()
    assert "5 < 999,999,998: this rule does not look, it is second 100." in explorer.status
    assert explorer.status.endswith("which is wrong by +1 s.")


@pytest.mark.parametrize(("example", "crosses"), [("same second", 1), ("too late", 2)])
def test_a_wrong_time_is_marked_by_a_shape(example, crosses):
    """One cross, and one ring of each kind, are in the legend."""
    drawing = BorrowExplorer(example).static().drawing()
    assert drawing.count("<path") == crosses
    rings = [circle.get("stroke") for circle in ET.fromstring(drawing).iter(f"{SVG}circle")]
    assert rings.count(WRONG.strong) == crosses
    assert rings.count(GIVEN.strong) == 3 - crosses


def test_the_arrow_keys_move_by_what_was_chosen():
    explorer = BorrowExplorer()
    explorer.step.label = "100 ms"
    assert explorer.arrival.step == explorer.later.step == 100_000_000


@pytest.mark.parametrize("rule", tod.RULES)
@pytest.mark.parametrize("arrival", [0, 1, 500_000_000, LAST_NS])
@pytest.mark.parametrize("later", [0, 1, LAST_NS, LATEST_NS])
def test_every_view_can_be_drawn(rule, arrival, later):
    explorer = BorrowExplorer()
    explorer.rule.value, explorer.arrival.value, explorer.later.value = rule, arrival, later
    root = ET.fromstring(explorer.static().drawing())
    for circle in root.iter(f"{SVG}circle"):
        assert 0 < float(circle.get("cx")) < 820
        assert 0 < float(circle.get("cy")) < 346


def test_numbers_outside_become_the_nearest():
    explorer = BorrowExplorer()
    explorer.arrival.value, explorer.later.value = 5 * LAST_NS, 5 * LATEST_NS
    assert (explorer.arrival.value, explorer.later.value) == (LAST_NS, LATEST_NS)
    explorer.arrival.value, explorer.later.value = -1, -1
    assert (explorer.arrival.value, explorer.later.value) == (0, 0)


@pytest.mark.parametrize("make", [ReadoutExplorer, BorrowExplorer])
def test_two_instances_share_nothing_and_draw_the_same(make):
    one, two = make(), make()
    assert one.static().drawing() == two.static().drawing()
    control = one.before if make is ReadoutExplorer else one.arrival
    control.value = 20
    assert one.static().drawing() != two.static().drawing()
