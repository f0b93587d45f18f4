"""Counted work against values that were worked out by hand from the rules of the hardware.

Transmit: one look for the whole frame, then one per word of header and data; the words are 7 + data + 1 in
the place of the FCS. Receive: one look for the frame and one for the next; 28 + frame + 4 bytes in words, and
one marker. A time of day takes a read, a write and three reads. Fields touch the bytes they lie in: BYPASS 1,
DSTS 2, QOS_CLASS 1, IPV 2, TCI 3; SRCPORT 2, LEN 2, TIMESTAMP 4.
"""

from collections import Counter

import pytest

from lan966x_lab import data_path
from lan966x_lab.driver import Options, RxFilter, TxType
from lan966x_lab.measure.counted import work
from lan966x_lab.net import captures

TOD_READS = {
    "PTP_PIN_CFG[7]": 1,
    "PTP_TOD_SEC_MSB[7]": 1,
    "PTP_TOD_SEC_LSB[7]": 1,
    "PTP_TOD_NSEC[7]": 1,
}
PATCHED = Options().patched("000/1", "000/2 v2", "001", "002")
SIZES = {64: (23, 24, 25), 1514: (386, 387, 388)}
"""Frame length: words that are asked for, words written, words read with the marker."""


@pytest.mark.parametrize(("length", "words"), SIZES.items())
def test_before_the_patches(length, words):
    asked, written, read = words
    count = work.count([bytes(length)])
    assert count.transmit == work.Work(
        reads=Counter({"QS_INJ_STATUS": 1 + asked}),
        writes=Counter({"QS_INJ_CTRL[0]": 2, "QS_INJ_WR[0]": written}),
        ktime_reads=asked,
        header_loads=9,
        header_stores=28 + 9,
        copied_bytes=0,
        ns=(1 + asked) * 200 + (2 + written) * 100 + asked * 270,
    )
    received = count.receive
    assert received.reads == Counter({"QS_XTR_DATA_PRESENT": 2, "QS_XTR_RD[0]": read} | TOD_READS)
    assert received.writes == Counter({"PTP_PIN_CFG[7]": 1})
    assert (received.ktime_reads, received.header_loads, received.header_stores) == (0, 8, 0)
    assert received.copied_bytes == length


@pytest.mark.parametrize(("length", "words"), SIZES.items())
def test_after_the_patches(length, words):
    asked, written, read = words
    count = work.count([bytes(length)], PATCHED)
    assert count.transmit == work.Work(
        reads=Counter({"QS_INJ_STATUS": 1 + asked}),
        writes=Counter({"QS_INJ_CTRL[0]": 2, "QS_INJ_WR[0]": written}),
        header_loads=28,
        header_stores=28,
        ns=(1 + asked) * 200 + (2 + written) * 100,
    )
    assert count.receive.reads == Counter({"QS_XTR_DATA_PRESENT": 2, "QS_XTR_RD[0]": read})
    assert not count.receive.writes


@pytest.mark.parametrize(
    ("codec", "loads", "stores"),
    [("packing", 9, 9), ("bit_loop", 9, 9), ("byte_shift", 9, 9), ("whole_int", 5 * 28, 5 * 28)],
)
def test_header_bytes_of_the_codecs(codec, loads, stores):
    transmit = work.count([bytes(64)], Options(ifh_codec=codec)).transmit
    assert (transmit.header_loads, transmit.header_stores) == (loads, 28 + stores)


@pytest.mark.parametrize("name", ["ptp-udp4-e2e.pcap", "ptp-l2-p2p.pcap"])
def test_a_real_ptp_capture_with_all_patches_off_and_on(name):
    frames = captures.read(data_path("captures", name)).frames
    off, on = work.count(frames), work.count(frames, PATCHED)
    assert [got.frame for got in off.delivered] == [got.frame for got in on.delivered]
    saved = off.work - on.work
    n = len(frames)
    assert saved.reads == Counter(dict.fromkeys(TOD_READS, n))
    assert saved.ktime_reads == off.transmit.reads["QS_INJ_STATUS"] - n
    assert on.work.ktime_reads == 0
    assert off.work.totals()["register reads"] - on.work.totals()["register reads"] == 4 * n
    assert off.frames == n


def test_work_adds_up_and_is_linear_in_frames():
    one, five = work.count([bytes(100)]).work, work.count([bytes(100)] * 5).work
    total = work.Work()
    for _ in range(5):
        total += one
    assert total == five
    assert (total - five).accesses == 0
    assert one.accesses == one.reads.total() + one.writes.total()


def test_two_step_frames_cost_the_reading_of_the_fifo():
    sync = bytes.fromhex("011b19000000 020000000001 88f7 0002002c") + bytes(40)
    plain = work.count([sync], PATCHED).work
    stamped = work.count([sync], PATCHED, tx_type=TxType.ON, rx_filter=RxFilter.NONE).work
    extra = stamped - plain
    assert extra.reads == Counter({"PTP_TWOSTEP_CTRL": 4, "PTP_TWOSTEP_STAMP": 2} | TOD_READS)
    assert extra.writes == Counter({"PTP_TWOSTEP_CTRL": 2, "PTP_PIN_CFG[7]": 1})
