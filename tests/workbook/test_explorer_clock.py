"""The pictures and the explorer of the gate, without a browser."""

import xml.etree.ElementTree as ET

import pytest

from lan966x_lab.driver import RxFilter
from lan966x_lab.workbook.explorers.clock import DATA, MESSAGES, GateExplorer, frame_timeline, needs_picture

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture):
    return [element.text for element in ET.fromstring(picture.drawing()).iter(f"{SVG}text")]


@pytest.fixture
def explorer():
    return GateExplorer()


def test_before_the_patch_every_frame_gets_a_time_whatever_was_asked(explorer):
    assert explorer.status == (
        "Patch off, receive filter NONE: 2 of 100 frames need a time, and the clock is read for 100, 98 "
        "times for nothing. Counted: 7.08 register accesses per frame, 5 of them for the clock. Computed "
        "from the claim: 457 Mbit/s (printed rates) or 458 Mbit/s (MBytes and seconds)."
    )
    before = explorer.status
    explorer.rx_filter.value = RxFilter.PTP_V2_EVENT
    assert explorer.status == before.replace("NONE", "PTP_V2_EVENT")


def test_the_patch_closes_the_gate(explorer):
    explorer.patch.value = True
    assert explorer.status == (
        "Patch on, receive filter NONE: 2 of 100 frames need a time, and the clock is read for none. "
        "Counted: 2.08 register accesses per frame, 0 of them for the clock. Computed from the claim: 530 "
        "Mbit/s (printed rates) or 546 Mbit/s (MBytes and seconds)."
    )


@pytest.mark.parametrize("asked", [f for f in RxFilter if f not in (RxFilter.NONE, RxFilter.SOME)])
def test_every_filter_opens_it_for_all_frames(explorer, asked):
    explorer.patch.value = True
    explorer.rx_filter.value = asked
    assert (
        f"filter {asked.name}: 2 of 100 frames need a time, and the clock is read for 100" in explorer.status
    )


def test_a_filter_that_is_refused_leaves_the_picture(explorer):
    picture = explorer.static().drawing()
    explorer.rx_filter.value = RxFilter.SOME
    assert explorer.status.startswith("The driver refuses the filter SOME (-ERANGE)")
    assert explorer.static().drawing() == picture
    explorer.rx_filter.value = RxFilter.NONE
    assert explorer.status.startswith("Patch off")


@pytest.mark.parametrize(("messages", "events"), [(0, 0), (4, 2), (50, 22), (100, 43)])
def test_the_share_of_messages(explorer, messages, events):
    explorer.messages.value = messages
    assert f"{events} of 100 frames need a time" in explorer.status
    letters = texts(explorer.static())
    assert letters.count("E") == events + 1  # and the legend
    assert letters.count("g") == messages - events + 1


def test_the_manual_path_has_more_to_read_and_no_claim(explorer):
    explorer.path.value = "manual"
    assert "Computed" not in explorer.status
    assert "5 of them for the clock" in explorer.status
    assert "word by word, the frame itself is the work." in texts(explorer.static())


@pytest.mark.parametrize("transport", MESSAGES.values())
@pytest.mark.parametrize("data", DATA.values())
def test_all_traffic_comes_through(explorer, transport, data):
    explorer.transport.value, explorer.data.value = transport, data
    assert "the clock is read for 100" in explorer.status


def test_frames_with_a_time_are_marked_by_a_shape(explorer):
    before = explorer.static().drawing().count("height='6'")
    explorer.patch.value = True
    assert before - explorer.static().drawing().count("height='6'") == 100


def test_numbers_out_of_range_become_the_nearest(explorer):
    explorer.messages.value = 1000
    assert explorer.messages.value == 100
    explorer.messages.value = -3
    assert explorer.messages.value == 0


def test_two_instances_share_nothing_and_draw_the_same():
    one, two = GateExplorer(), GateExplorer()
    assert one.static().drawing() == two.static().drawing()
    one.patch.value = True
    assert two.status.startswith("Patch off")
    assert one.static().drawing() != two.static().drawing()


def test_needs_picture_says_and_shows_all_captures():
    picture = needs_picture()
    assert picture.sentence == (
        "In 5 of 9 captures no frame needs a time. Even among the frames of PTP itself, at most 59 % do (PTP "
        "over Ethernet, peer to peer)."
    )
    assert {"201", "138", "339", "PTP over UDP and IPv6"} <= set(texts(picture))


def test_frame_timeline_has_a_box_for_every_access():
    picture = frame_timeline()
    assert picture.sentence == (
        "Accesses that read the clock, for one frame of 60 bytes: 5 of 30 (manual, word by word), "
        "5 of 7 (DMA)."
    )
    assert texts(picture).count("R") == 25 + 4 + 5
    assert texts(picture).count("W") == 1 + 2
