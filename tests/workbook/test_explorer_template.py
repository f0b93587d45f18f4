"""The explorers of the prepared header, without a browser."""

import xml.etree.ElementTree as ET

import pytest

from lan966x_lab.measure.counted.header_ways import DRIVERS, KINDS, REUSES
from lan966x_lab.workbook.explorers.template import CODECS, FrameMixExplorer, ReuseExplorer

SVG = "{http://www.w3.org/2000/svg}"


def texts(explorer: ReuseExplorer | FrameMixExplorer) -> list[str]:
    return [element.text or "" for element in ET.fromstring(explorer.static().drawing()).iter(f"{SVG}text")]


def test_a_copy_is_right_whatever_the_frames():
    for driver in DRIVERS:
        for kind in KINDS:
            explorer = ReuseExplorer(driver=driver, kinds=("VLAN and PTP", kind, "plain", kind))
            assert explorer.status == f"{driver}, copy, then patch: all headers are right."
            assert "≠" not in texts(explorer)


def test_left_over_bytes_are_said_and_marked_by_more_than_colour():
    explorer = ReuseExplorer("patch in place")
    assert explorer.status == (
        "Ocelot, 2021, patch in place: 3 of 4 headers are wrong. "
        "In frame 2 (plain) something is left over: asks for its time (number 5)."
    )
    assert texts(explorer).count("≠") == 2 + 2 + 4
    assert {"≠ VLAN 100, asks for its time", "(number 5)"} <= set(texts(explorer))
    explorer.frames[0].value = "plain"
    assert explorer.status.endswith(
        "1 of 4 headers are wrong. In frame 4 (plain) something is left over: VLAN 100."
    )


@pytest.mark.parametrize(("driver", "wrong"), [("Ocelot, 2021", 0), ("Ocelot, 2024", 0), ("LAN966x", 3)])
def test_zeros_help_where_every_frame_gives_every_field(driver, wrong):
    explorer = ReuseExplorer("patch in place, zeros too", driver)
    assert explorer.status.endswith("all headers are right.") is not wrong
    if wrong:
        assert "something is left over: REW_CMD 4, TIMESTAMP 5." in explorer.status


def test_reuse_controls_redraw():
    explorer = ReuseExplorer()
    for name in REUSES:
        explorer.reuse.value = name
        for driver in DRIVERS:
            explorer.driver.value = driver
            assert explorer.status.startswith(f"{driver}, {name}: ")


def test_a_mix_in_words():
    explorer = FrameMixExplorer()
    assert explorer.status == (
        "Ocelot, 2021, general routine, 0 % VLAN, 0 % PTP: the template saves 5 of 5 set calls and 187 of "
        "193 lines a header. It touches 32 bytes, setting every field 32. 8 templates in 2 cache lines."
    )
    explorer.vlan.value = 20
    assert "saves 4.8 of 5 set calls" in explorer.status
    explorer.driver.value, explorer.codec.value = "LAN966x", CODECS["byte shift"]
    explorer.vlan.value = explorer.ptp.value = 100
    explorer.ports.value = 1
    assert explorer.status == (
        "LAN966x, byte shift, 100 % VLAN, 100 % PTP: the template saves 2 of 7 set calls and 35 of 160 lines "
        "a header. It touches 80 bytes, setting every field 58. 1 template in 1 cache line."
    )


@pytest.mark.parametrize(
    ("driver", "ports", "note"),
    [
        ("Ocelot, 2021", 8, "128 bytes, 2 lines"),
        ("Ocelot, 2021", 5, "80 bytes, 2 lines"),
        ("LAN966x", 8, "224 bytes, 4 lines; 3 lie in two lines (dashed)"),
        ("LAN966x", 2, "56 bytes, 1 line"),
    ],
)
def test_templates_in_memory(driver, ports, note):
    assert note in texts(FrameMixExplorer(driver, ports=ports))


def test_everything_stays_on_the_picture():
    """The longest bars: nothing reaches beyond the panel."""
    for driver in DRIVERS:
        for codec in CODECS.values():
            root = ET.fromstring(FrameMixExplorer(driver, codec, 100, 100).static().drawing())
            for rect in root.iter(f"{SVG}rect"):
                assert float(rect.get("x", 0)) + float(rect.get("width", 0)) <= 820
            for text in root.iter(f"{SVG}text"):
                assert 0 <= float(text.get("y", 0)) <= 474


def test_numbers_out_of_range_become_the_nearest():
    explorer = FrameMixExplorer()
    explorer.vlan.value, explorer.ptp.value, explorer.ports.value = 500, -3, 99
    assert (explorer.vlan.value, explorer.ptp.value, explorer.ports.value) == (100, 0, 8)


@pytest.mark.parametrize("make", [ReuseExplorer, FrameMixExplorer])
def test_two_instances_share_nothing_and_draw_the_same(make):
    one, two = make(), make()
    before = two.static().drawing()
    assert one.static().drawing() == before
    one.driver.value = "LAN966x"
    assert two.driver.value == "Ocelot, 2021"
    assert two.static().drawing() == before != one.static().drawing()
