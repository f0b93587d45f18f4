"""The map of notebook 00, and the exercise beside it."""

import re

import pytest

from lan966x_lab import ifh
from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.exercises.start import stack_bytes_check
from lan966x_lab.workbook.explorers.journey import WAYS, JourneyExplorer


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("length", [14, 59, 60, 1514])
def test_every_station_says_which_bytes_exist(way: str, length: int) -> None:
    journey = JourneyExplorer(way, 1, length)
    for station in range(1, len(WAYS[way]) + 1):
        journey.station.value = station
        said = re.search(r"The bytes here: (.*?)(?: = ([\d,]+))?\.(?: Patches|$)", journey.status)
        assert said is not None
        parts = [int(number.replace(",", "")) for number in re.findall(r"([\d,]+)(?: \+|$)", said[1])]
        assert (said[2] is None) == (len(parts) == 1)
        assert sum(parts) == int((said[2] or f"{parts[0]}").replace(",", ""))
        assert f"station {station} of {len(WAYS[way])}" in journey.status


def test_the_header_appears_twice_and_goes_away_twice() -> None:
    has_ifh = {way: [any(name == "IFH" for name, _ in s.parts(100)) for s in WAYS[way]] for way in WAYS}
    assert has_ifh == {
        "transmit": [False, True, True, False, False, False],
        "receive": [False, False, True, True, True, False],
    }


def test_there_are_five_marks() -> None:
    assert sum(station.patch is not None for way in WAYS.values() for station in way) == 5


def test_a_short_frame_is_padded_to_60_bytes_on_the_wire() -> None:
    journey = JourneyExplorer("transmit", 6, 20)
    assert "preamble 8 + frame 20 + padding 40 + FCS 4 + gap 12 = 84." in journey.status


def test_two_journeys_do_not_move_each_other() -> None:
    one, other = JourneyExplorer(), JourneyExplorer()
    before = str(other.static().body)
    one.way.value, one.station.value = "receive", 5
    assert str(other.static().body) == before
    assert "notebooks" not in one.status
    assert "see 02, 03" in one.status


def test_the_exercise_knows_its_mistakes() -> None:
    def length(header: bytes) -> int:
        return ifh.LAN966X.rx.decode(header, ["LEN"])["LEN"]

    assert stack_bytes_check(lambda header: length(header) - 4).rung is Rung.RIGHT
    for answer, why in (
        (length, "LEN counts the FCS"),
        (lambda header: length(header) - 32, "does not count the IFH"),
        (lambda header: length(header) + 24, "does not want the IFH either"),
        (lambda header: 60, "not the same for every frame"),
    ):
        verdict = stack_bytes_check(answer)
        assert verdict.rung is Rung.WRONG
        assert why in verdict.text()
