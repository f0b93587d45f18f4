"""The pictures and the table of notebook 03 that have no controls."""

from xml.etree import ElementTree

from lan966x_lab.driver import PATCHES, Options
from lan966x_lab.measure.counted import work
from lan966x_lab.workbook.figures.arrival import half_a_time, reception_table, whole_lab_table
from lan966x_lab.workbook.pictures import Picture

SECOND = 10**9


def texts(picture: Picture) -> list[str]:
    return [text.text for text in ElementTree.fromstring(picture.drawing()).iter() if text.text]


def test_the_two_halves_of_a_time() -> None:
    picture = half_a_time(99 * SECOND + 999_999_998, later_ns=7)
    assert str(picture) == (
        "The header of a frame says 999,999,998 ns. The chip's clock, read a little later in 5 register "
        "accesses, says 100 s and 5 ns. Did the frame come in second 99 or 100? Of 24 frames 1 needs to "
        "know; the driver read the clock for each."
    )
    assert {"? s", "999,999,998 ns", "100 s", "5 ns", "99 or 100?"} <= set(texts(picture))
    assert texts(picture).count("E") == 1


def test_reception_by_words_and_by_dma() -> None:
    """The gate saves four reads and a write on both paths; by words, a frame has a read for each word."""
    assert reception_table(1000).rows == [
        ["manual", 60, "29 → 25", "1 → 0"],
        ["manual", 1514, "393 → 389", "1 → 0"],
        ["DMA", 60, "5.02 → 1.02", "2.05 → 1.05"],
        ["DMA", 1514, "5.02 → 1.02", "2.05 → 1.05"],
    ]


def test_a_burst_of_one_frame_pays_for_its_poll_alone() -> None:
    reads = [row[2] for row in reception_table(1).rows]
    assert reads == ["30 → 26", "394 → 390", "6 → 2", "6 → 2"]


def test_the_whole_lab_reads_the_clock_four_times_a_frame_or_never() -> None:
    off, on = (work.count([bytes(60)] * 3, Options().patched(*some)) for some in ((), PATCHES))
    shown = whole_lab_table(off, on)
    assert str(shown).startswith("3 frames, sent and received word by word")
    reads, clock, writes = shown.rows
    assert clock == ["of these, for the time of day", 12, 0]
    assert reads[1:] == [off.work.reads.total(), on.work.reads.total()]
    assert writes[1] - writes[2] == 3
