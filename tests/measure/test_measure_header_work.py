"""The jobs do what they say, and their counts are those of the fields, counted by hand."""

import pytest

from lan966x_lab import ifh
from lan966x_lab.measure.counted.header_work import (
    CONSTANT_WORDS,
    FORMS,
    PTP,
    READ,
    TCP,
    count_reads,
    count_sets,
    reads,
    sets,
)
from lan966x_lab.measure.counted.trace import Counts

TX, RX = ifh.LAN966X


def three(c: Counts) -> tuple[int, int, int]:
    return c.loads, c.stores, c.bit_tests


def test_every_codec_is_a_form():
    assert list(FORMS.values()) == [*ifh.CODECS.values(), *ifh.PUBLISHED.values()]


@pytest.mark.parametrize(("values", "bits", "touched"), [(TCP, 33, 9), (PTP, 75, 15)])
def test_counts_of_the_sets(values, bits, touched):
    """The fields' widths add up to ``bits``; they lie in ``touched`` bytes, a shared one counted twice."""
    assert sum(TX[name].width for name in values) == bits
    assert sum(len(TX[name].bytes_in(28)) for name in values) == touched
    counts = count_sets(values)
    assert three(counts["general routine"]) == three(counts["byte shift"]) == (touched, touched, 0)
    assert three(counts["bit loop"]) == three(counts["published bit loop (v1)"]) == (touched, touched, bits)
    assert three(counts["whole integer"]) == (28 * len(values), 28 * len(values), 0)
    steps = sum(-(-TX[name].width // 8) for name in values)  # each loads and stores two bytes
    assert three(counts["published byte shift (v2)"]) == (2 * steps, 2 * steps, 0)
    assert three(counts[CONSTANT_WORDS]) == (0, 28, 0)


def test_counts_of_the_reads():
    counts = count_reads()
    assert three(counts["general routine"]) == three(counts["byte shift"]) == (8, 0, 0)
    assert three(counts["bit loop"]) == three(counts["published byte shift (v2)"]) == (8, 0, 50)
    assert three(counts[CONSTANT_WORDS]) == (12, 0, 0)
    assert count_reads(("SRCPORT", "TIMESTAMP"))["bit loop"].bit_tests == 36


@pytest.mark.parametrize("values", [TCP, PTP])
def test_the_jobs_run_and_the_forms_agree_on_what_they_set(values, monkeypatch):
    made = []

    class Kept(bytearray):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    monkeypatch.setattr("lan966x_lab.measure.counted.header_work.bytearray", Kept, raising=False)
    jobs = sets(values)
    assert list(jobs) == [*FORMS, CONSTANT_WORDS]
    for job in jobs.values():
        job()
    assert len(made) == len(jobs)
    assert {bytes(header) for header in made} == {TX.encode(values)}


def test_the_reads_run():
    jobs = reads()
    assert list(jobs) == [*FORMS, CONSTANT_WORDS]
    for job in jobs.values():
        job()
    assert jobs[CONSTANT_WORDS]() == (1, 1518, 0x1234_5678)
    assert set(READ) <= set(RX)
