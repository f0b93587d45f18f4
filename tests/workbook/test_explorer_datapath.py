"""The explorer of all patches, without a browser."""

from xml.etree import ElementTree

import pytest

from lan966x_lab.measure.model.costpaths import PATHS
from lan966x_lab.measure.model.datapath import LONGEST, SHORTEST, SWITCHES, View
from lan966x_lab.workbook.explorers.datapath import DatapathExplorer, datapath_picture
from lan966x_lab.workbook.figures.datapath import DEVICES, times, us


def drawn(explorer: DatapathExplorer) -> str:
    drawing = explorer.static().drawing()
    ElementTree.fromstring(drawing)
    return drawing


def test_it_starts_with_the_first_patch_alone():
    explorer = DatapathExplorer()
    view = View("lan966x fdma rx", frozenset({"000/1"}))
    assert explorer.status.startswith(
        "LAN966x, DMA, receive, 1,514 bytes, patches on: 000/1. By the model a frame takes "
        f"{us(view.frame_ns(1514))} instead of {us(view.before.frame_ns(1514))}, {times(view.gain(1514))}. "
        "Counted: register reads 7 to 3; register writes 8 to 7. "
    )
    (live,) = view.live
    assert f"Live wire at 1,514 bytes: {live.percent:+.0f} %." in explorer.status
    drawing = drawn(explorer)
    assert "7 → 3" in drawing
    assert "live wire, patches on" in drawing
    assert f">recorded {live.recording.date[:10]}<" in drawing
    assert ">TCP<" in drawing
    assert "Python: compare its ratios only" in drawing
    dots = [node for node in ElementTree.fromstring(drawing).iter() if node.tag.endswith("circle")]
    assert len({node.get("fill") for node in dots}) == 2  # the key's two kinds, and both are in the plot
    assert len(dots) == 2 + 2 + 1


def test_which_of_the_squares_is_which():
    explorer = DatapathExplorer(patches=SWITCHES)
    near = max(View("lan966x fdma rx", frozenset(SWITCHES)).live, key=lambda live: live.frame)
    assert f"Live wire at 1,514 bytes: {near.percent:+.0f} %." in explorer.status
    drawing = drawn(explorer)
    assert "TCP at 1,514 bytes, elsewhere UDP" in drawing
    assert f"recorded {near.recording.date[:10]}, 1,502 twice" in drawing


def test_every_device_has_a_name():
    assert DEVICES.keys() == PATHS.keys()


@pytest.mark.parametrize("path", PATHS)
def test_every_path_answers_to_the_patch_that_is_about_it(path: str):
    explorer = DatapathExplorer(path, [])
    before = drawn(explorer)
    assert "patches on: none." in explorer.status
    assert "Counted: nothing changes." in explorer.status
    (patch, *_) = (patch for patch in SWITCHES if patch in PATHS[path].patches)
    explorer.switches[patch].value = True
    assert drawn(explorer) != before
    assert f"patches on: {patch}. By the model a frame takes" in explorer.status
    explorer.switches[patch].value = False
    assert drawn(explorer) == before


@pytest.mark.parametrize("patch", SWITCHES)
def test_every_switch_redraws(patch: str):
    explorer = DatapathExplorer("lan966x fdma tx", [])
    before = explorer.status
    explorer.switches[patch].value = True
    assert explorer.status != before
    drawn(explorer)


def test_a_patch_of_another_chip_changes_the_count_and_not_the_model():
    explorer = DatapathExplorer("lan966x fdma tx", ["002"])
    assert "no figure of this path speaks of these patches" in explorer.status
    assert "lines of header code" in explorer.status


def test_the_frame_size_moves_everything_and_extrapolation_is_said():
    explorer = DatapathExplorer("lan966x manual tx", ["001"])
    assert "extrapolates" not in explorer.status
    explorer.frame.value = 256
    assert explorer.status.endswith("No figure has this size: the model extrapolates.")
    assert "clock reads 71 to 0" in explorer.status
    explorer.frame.value = 5
    assert explorer.frame.value == SHORTEST
    explorer.frame.value = 10**6
    assert explorer.frame.value == LONGEST


def test_the_numbers_in_the_picture_are_the_models():
    view = View("lan966x fdma tx", frozenset({"000/2 v2"}))
    drawing = str(datapath_picture(view, 1514).drawing())
    for part in view.before.parts(1514):
        assert f"{part.name}: {us(part.band)}" in drawing
    assert drawing.count("taken away") == 2
    for side in (view, view.before):
        assert us(side.frame_ns(1514)) in drawing


def test_what_lies_outside_the_plot_is_said():
    drawing = drawn(DatapathExplorer("lan966x manual tx", ["001"]))
    assert "line rate: 941 at 1,514 bytes, far above" in drawing
    assert "↑ the band" not in drawing
    assert "↑ the band goes up to × 6.2" in drawn(DatapathExplorer(patches=SWITCHES))


def test_where_nobody_recorded_anything_it_says_so():
    assert "Nobody recorded these patches" in drawn(DatapathExplorer("ravb rx"))
    assert "live wire, patches on" not in drawn(DatapathExplorer("ravb rx"))


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("frame", [SHORTEST, 66, 800, LONGEST])
def test_every_corner_can_be_drawn(path: str, frame: int):
    drawn(DatapathExplorer(path, SWITCHES, frame))


def test_a_path_that_is_not_there_is_refused():
    with pytest.raises(Exception, match="Invalid selection"):
        DatapathExplorer("token ring")


def test_two_instances_do_not_move_each_other():
    one, two = DatapathExplorer(), DatapathExplorer()
    same = drawn(two)
    one.frame.value = 100
    one.switches["000/1"].value = False
    assert drawn(two) == same
