"""The picture of timings: its numbers, from timings made by hand."""

import re

import pytest

from lan966x_lab.measure.timed.timing import Timings, machine
from lan966x_lab.workbook.figures.timed import timed_bars

TIMINGS = Timings(
    {"loop": (4000, 4000, 8000), "shift": (1000, 1000, 2000), "batch of 10": (5000, 5000, 10000)},
    {"loop": 2, "shift": 1, "batch of 10": 5},
)


def test_medians_and_ratios():
    picture = timed_bars("A set", TIMINGS, unit="ns per header", per={"batch of 10": 10})
    assert str(picture) == (
        "A set, ns per header, medians of 3 rounds, and beside loop: loop 2,000 ns; shift "
        f"1,000 ns (× 0.50); batch of 10 100 ns (× 0.05). {machine()}."
    )


def test_a_ratio_is_no_quotient_and_the_picture_says_so():
    picture = timed_bars("A set", TIMINGS)
    assert "×: compared round by round" in picture.drawing()
    assert "busy" not in str(picture)
    assert "busy:" not in picture.drawing()


@pytest.mark.parametrize(("other", "busy"), [((1100, 2200, 3300), False), ((4000, 1000, 3000), True)])
def test_a_busy_computer_is_told(other: tuple[int, ...], busy: bool):
    """In the busy case the ratios are 4, 0.5 and 1, and the medians 2000 and 3000."""
    picture = timed_bars("A set", Timings({"a": (1000, 2000, 3000), "b": other}, {"a": 1, "b": 1}))
    assert ("run it again" in str(picture)) == busy
    assert (">busy: run again<" in picture.drawing()) == busy


def test_the_unit_of_time_is_the_first_word():
    picture = timed_bars("A set", TIMINGS, unit="µs per header", per=dict.fromkeys(TIMINGS.names, 1000))
    assert "loop 2 µs" in str(picture)
    assert ">2 µs<" in picture.drawing()
    assert " ns" not in str(picture)


def test_bars_have_one_scale():
    drawing = timed_bars("A set", TIMINGS).drawing()
    loop, shift, batch = (
        float(width) for width in re.findall(r"<rect x='210' y='[\d.]+' width='([\d.]+)'", drawing)
    )
    assert loop == pytest.approx(2 * shift, abs=0.02)
    assert shift == batch
