"""The static pictures of notebook 08: ranking, streams, the offset of ptp4l, the threads on one page."""

from dataclasses import replace
from fractions import Fraction
from statistics import median
from xml.etree import ElementTree

import pytest

from lan966x_lab.measure import claims
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.live.recording import change_percent
from lan966x_lab.measure.model.datapath import recording
from lan966x_lab.measure.model.ranking import ON_BOARD, WORKLOADS
from lan966x_lab.workbook.figures.datapath import times, us
from lan966x_lab.workbook.figures.ranking import ranking_picture, threads_table
from lan966x_lab.workbook.figures.streams import offsets_picture, streams_picture
from lan966x_lab.workbook.pictures import Picture


def drawn(picture: Picture) -> str:
    drawing = picture.drawing()
    ElementTree.fromstring(drawing)
    return drawing


def test_bands_are_printed_as_one_number_where_both_ends_print_alike():
    assert us(Interval(Fraction(1200), Fraction(1240))) == "1.2 µs"
    assert us(Interval(Fraction(0), Fraction(1_234_500))) == "0.0–1,234.5 µs"
    assert times(Interval(Fraction(1), Fraction(1))) == "× 1.00"
    assert times(Interval(Fraction(1), Fraction(5, 2))) == "× 1.00–2.50"


def test_the_ranking_shows_every_gain_and_says_the_first():
    picture = ranking_picture()
    drawing = drawn(picture)
    for workload in WORKLOADS.values():
        first = ", ".join(f"{row.patch} {times(row.gain)}" for row in workload.reported()[:3])
        assert f"{workload.name}: by the figures {first}; counted, first are word by word" in picture.sentence
        for row in workload.reported():
            assert f">{times(row.gain).removeprefix('× ')}<" in drawing
        for path in ("manual", "fdma"):
            all_on = workload.together(path).percent()
            assert f">{all_on:.1f} %<" in drawing
            assert f"{workload.counted(path)[0].patch} (" in picture.sentence
            assert f", all {all_on:.1f} %)" in picture.sentence
    assert drawing.count("each on its own chip") == len(WORKLOADS)


def test_no_number_of_the_ranking_stands_on_a_bar():
    """In the upper panels the numbers end at the right edge, and every band ends before they begin."""
    elements = list(ElementTree.fromstring(ranking_picture().drawing()).iter())
    bars = [float(e.get("x", 0)) + float(e.get("width", 0)) for e in elements if e.get("stroke-dasharray")]
    numbers = [e for e in elements if e.get("text-anchor") == "end" and float(e.get("y", 0)) < 220]
    assert len(numbers) == 18
    assert bars
    for end in bars:
        right = min(float(e.get("x", 0)) for e in numbers if float(e.get("x", 0)) > end)
        assert end <= right - 66


def test_streams_with_and_without_the_answer():
    singles = {patch: recording([patch]).comparison("tcp") for patch in ("000/1", "002")}
    together = recording(ON_BOARD).comparison("tcp")
    closed, opened = streams_picture(singles, None, "note"), streams_picture(singles, together, "note")
    gain = f"all patches {change_percent(together.mbit):+.1f} %"
    assert gain in opened.sentence
    assert "all patches" not in closed.sentence
    assert "your prediction" in drawn(closed)
    assert "your prediction" not in drawn(opened)
    for one in singles.values():
        assert f">{one.mbit['on'].median:.0f}<" in drawn(opened)
    with pytest.raises(ValueError, match="no recording to show"):
        streams_picture({}, together, "note")


def test_offsets_over_time_with_the_kind_of_time_stamps():
    everything = recording(ON_BOARD)
    picture = offsets_picture(everything)
    points = everything.ptp_offsets
    assert f"{len(points)} offsets" in picture.sentence
    middle = f"{median(offset / 1000 for _, offset, _ in points):,.1f} µs in the middle".replace("-", "−")
    assert middle in picture.sentence
    assert "The time stamps are software ones" in picture.sentence
    assert "software time stamps" in drawn(picture)
    assert drawn(picture).count("<circle") == 2 * len(points)
    assert everything.machine in picture.sentence
    with pytest.raises(ValueError, match="no run of ptp4l"):
        offsets_picture(replace(everything, ptp=None))


def test_offsets_of_a_single_point_can_be_drawn():
    everything = recording(ON_BOARD)
    one = replace(everything, ptp={**everything.ptp, "points": [[3.0, 0, 0]]})
    assert "1 offsets: 0.0 µs" in offsets_picture(one).sentence
    drawn(offsets_picture(one))


def test_nanoseconds_are_shown_as_microseconds():
    everything = recording(ON_BOARD)
    points = [[2.0, 4_000_000, 7_000_000], [4.0, -2_000_000, 9_000_000], [12.0, 5_000_000, 8_000_000]]
    picture = offsets_picture(replace(everything, ptp={**everything.ptp, "points": points}))
    assert picture.sentence.startswith(
        "Over 10 seconds the slave reports 3 offsets: 4,000.0 µs in the middle, half of them within "
        "1,000.0 µs of that, and a path delay of 8,000 µs."
    )


def test_the_threads_on_one_page_repeat_what_is_computed():
    rows = {row[0]: row[1:] for row in threads_table().rows}
    assert len(rows) == 6
    assert rows["FIFO first (001)"][0] == f"{claims.get('001-sender').gain_percent:+.1f} %"
    assert rows["FIFO first (001)"][1] == "386 clock reads"
    assert rows["clock gate (000/1)"][1] == "5 register accesses"
    assert rows["late skb (003)"][1] == "nothing"
    assert rows["checksum offload (004)"][:3] == ["−0.2 %", "1,480 bytes added up", "another device"]
    live = change_percent(recording(["002"]).comparison("tcp").mbit)
    assert rows["template (002)"][2] == f"{live:+.0f} %".replace("-", "−")
