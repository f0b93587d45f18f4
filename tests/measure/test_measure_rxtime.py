"""Counted receptions against values worked out by hand, and the claim's arithmetic in plain numbers.

A time of day takes a read, a write and three reads. The manual path looks once for every frame and once more,
and reads 28 + frame + 4 bytes in words and one marker. With DMA, a frame takes one read and one write
(RELOAD), and a poll that ends two reads and six writes.
"""

from collections import Counter
from fractions import Fraction

import pytest

from lan966x_lab import data_path
from lan966x_lab.driver import Delivered, Options, RxFilter
from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import rxtime, tod, work
from lan966x_lab.measure.counted.rxtime import Need
from lan966x_lab.net import captures, ptp

GATED = Options(gate_rx_timestamp=True)
CLOCK_READS = (tod.PIN, tod.SEC_MSB, tod.SEC_LSB, tod.NSEC)
SECOND = 10**9


def frames_of(name):
    return captures.read(data_path("captures", f"{name}.pcap")).frames


# ---- who needs a time ----


def test_needs_of_a_capture_are_those_of_its_description():
    """data/captures/README.md lists the messages of this capture."""
    needs = Counter(map(rxtime.need, frames_of("ptp-l2-p2p")))
    assert needs == {Need.EVENT: 37 + 82 + 82, Need.GENERAL: 37 + 82 + 19}
    assert set(map(rxtime.need, frames_of("iperf3-tcp4-csum-ok"))) == {Need.OTHER}


def test_what_needs_a_time_is_an_event_by_its_message_type():
    for frame in frames_of("ptp-udp4-e2e"):
        message = ptp.parse(frame)
        expected = Need.OTHER if message is None else Need.EVENT if message.message_type < 8 else Need.GENERAL
        assert rxtime.need(frame) is expected


@pytest.mark.parametrize("count", [0, 1, 3, 50, 99, 100])
def test_mix_spreads_the_messages_evenly(count):
    data, messages = [b"d0", b"d1", b"d2"], [b"m0", b"m1"]
    mixed = rxtime.mix(data, messages, count, 100)
    assert len(mixed) == 100
    assert [frame for frame in mixed if frame in messages] == [messages[i % 2] for i in range(count)]
    assert [frame for frame in mixed if frame in data] == [data[i % 3] for i in range(100 - count)]
    for at in range(0, 100, 10):
        assert abs(sum(frame in messages for frame in mixed[at : at + 10]) - count / 10) <= 1


@pytest.mark.parametrize("count", [-1, 101])
def test_mix_refuses_more_than_all(count):
    with pytest.raises(ValueError, match=f"count is {count}: of 100 frames, 0 to 100"):
        rxtime.mix([b"d"], [b"m"], count, 100)


# ---- counted ----


@pytest.mark.parametrize(("nbytes", "words"), [(60, 24), (1514, 388)])
@pytest.mark.parametrize("options", [Options(), GATED])
def test_the_manual_path(options, nbytes, words):
    n = rxtime.BURST - 1  # less than a full poll, so that one poll ends it
    taken = rxtime.receive([bytes(nbytes)] * n, options)
    reads = 0 if options.gate_rx_timestamp else n
    assert taken.clock_reads == reads
    assert taken.clock_accesses == 5 * reads
    fetch = Counter({"QS_XTR_DATA_PRESENT": n + 1, "QS_XTR_RD[0]": n * words})
    assert taken.work.reads - Counter(dict.fromkeys(CLOCK_READS, reads)) == fetch
    assert taken.work.writes == +Counter({tod.PIN: reads})


@pytest.mark.parametrize("nbytes", [60, 1514])
@pytest.mark.parametrize("gated", [False, True])
def test_the_dma_path(gated, nbytes):
    n = rxtime.BURST - 1
    taken = rxtime.receive([bytes(nbytes)] * n, Options(path="fdma", gate_rx_timestamp=gated))
    reads = 0 if gated else n
    rest = taken.work.reads - Counter(dict.fromkeys(CLOCK_READS, reads))
    assert rest == Counter({"FDMA_INTR_DB": 1, "FDMA_CH_RELOAD": n})
    assert taken.clock_accesses == 5 * reads
    assert taken.work.writes["FDMA_CH_RELOAD"] == n


@pytest.mark.parametrize("path", ["manual", "fdma"])
@pytest.mark.parametrize("start_ns", [0, (1 << 29) - 5000, SECOND - 1000, 7 * SECOND - 1])
def test_times_are_right_with_the_gate_open_and_none_with_it_closed(path, start_ns):
    frames = frames_of("ptp-l2-e2e")
    before = rxtime.receive(frames, Options(path=path), start_ns=start_ns)
    options = Options(path=path, gate_rx_timestamp=True)
    opened = rxtime.receive(frames, options, RxFilter.PTP_V2_EVENT, start_ns=start_ns)
    closed = rxtime.receive(frames, options, start_ns=start_ns)
    assert before.delivered == opened.delivered
    assert before.arrived_ns == opened.arrived_ns
    for got, arrived_ns in zip(opened.delivered, opened.arrived_ns, strict=True):
        assert abs(got.hwtstamp_ns - arrived_ns) <= 1
    assert [got.frame for got in closed.delivered] == [frame.ljust(60, b"\0") for frame in frames]
    assert {got.hwtstamp_ns for got in closed.delivered} == {None}
    assert closed.clock_accesses == 0
    assert opened.error_ns <= 1
    assert closed.error_ns is None


def test_the_worst_error_of_the_times_that_there_are():
    delivered = [Delivered(1, b"a", 100), Delivered(1, b"b", None), Delivered(1, b"c", 7)]
    assert rxtime.Reception(work.Work(), delivered, [103, 5, 2]).error_ns == 5


def test_the_gate_is_the_ports_own():
    frames = frames_of("iperf3-tcp4-csum-ok")[:10]
    assert rxtime.receive(frames, GATED, RxFilter.ALL, port=2).clock_reads == 10
    assert rxtime.receive(frames, GATED, RxFilter.ALL, port=2, asking=1).clock_reads == 0


def test_a_filter_that_the_hardware_has_not():
    with pytest.raises(OSError, match="rx_filter 2"):
        rxtime.receive([], GATED, RxFilter.SOME)


@pytest.mark.parametrize(("path", "fetching"), [("manual", 25), ("fdma", 2)])
def test_one_frame_in_the_middle_of_a_burst(path, fetching):
    closed = rxtime.one_frame(Options(path=path, gate_rx_timestamp=True))
    opened = rxtime.one_frame(Options(path=path, gate_rx_timestamp=True), RxFilter.ALL)
    assert len(closed) == fetching
    assert [a.name for a in opened if a.name not in tod.REGISTERS] == [a.name for a in closed]
    assert [a.name for a in opened if a.name in tod.REGISTERS] == [
        tod.PIN,
        tod.PIN,
        tod.SEC_MSB,
        tod.SEC_LSB,
        tod.NSEC,
    ]
    reads = sum(access.kind == "R" for access in opened)
    assert opened[-1].time_ns == 200 * reads + 100 * (len(opened) - reads)


# ---- computed ----


def test_both_readings_of_the_claim():
    printed, transfers = rxtime.readings(claims.get("000-rx")).values()
    assert printed.clock_ns == pytest.approx(8000 * 1448 / 457 - 8000 * 1448 / 530)
    assert float(transfers.after) == pytest.approx(652 * 2**20 * 8 / 10.01e6)
    assert float(transfers.before) == pytest.approx(546 * 2**20 * 8 / 10.01e6)
    assert transfers.clock_ns > printed.clock_ns


def test_the_rate_goes_from_none_to_every_frame():
    for reading in rxtime.readings(claims.get("000-rx")).values():
        assert reading.mbit(0) == Fraction(reading.after)
        assert reading.mbit(1) == Fraction(reading.before)
        rates = [reading.mbit(Fraction(share, 10)) for share in range(11)]
        assert rates == sorted(rates, reverse=True)
        assert reading.frames_per_second(1) == round(float(reading.before) * 1e6 / 8 / 1448)


def test_what_the_driver_answers_to_every_filter() -> None:
    found = rxtime.answers(Options(gate_rx_timestamp=True))
    assert sorted(name for names in found.values() for name in names) == sorted(RxFilter.__members__)
    assert (found["NONE"], found["refused: −ERANGE"]) == (["NONE"], ["SOME"])
    assert len(found["ALL"]) == 14
