"""PTP in the driver: clock, gate, filters, one-step, two-step ids. Each latent fault has a test that would
see it.
"""

import errno
import shutil
import subprocess
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.driver import Board, HwtstampConfig, Options, RxFilter, TxResult, TxType, run
from lan966x_lab.driver.hwtstamp import RX_FILTERS
from lan966x_lab.driver.phc import SECOND, full_time
from lan966x_lab.driver.ptp import MAX_PTP_ID, PTP_TIMEOUT_NS
from lan966x_lab.driver.skb import skb_from_frame
from lan966x_lab.hw.lan966x_regs import STAMP_NSEC
from lan966x_lab.hw.phc import NOMINAL_INCREMENT
from lan966x_lab.net import captures, ptp

GATED = Options(gate_rx_timestamp=True)
L2 = bytes.fromhex("011b19000000 020000000001 88f7")
IP4 = bytes.fromhex(
    "01005e000181 020000000001 0800 45000048 00004000 40110000 0a000001 e0000181 013f013f 00340000"
)
IP6 = bytes.fromhex("333300000181 020000000001 86dd 60000000 0034 11 40" + "00" * 32 + "013f013f 0034abcd")
TAG = bytes.fromhex("81000005")


def message(kind, sequence=1, version=2, control=0):
    head = bytes([kind, version, 0, 44]) + bytes(26)
    return head + sequence.to_bytes(2, "big") + bytes([control, 0]) + bytes(10)


def sync(sequence=1, head=L2):
    return head + message(0, sequence)


def board_of(options=None, **chip):
    board = Board(options, **chip)
    board.wire(0, 1).log = []
    return board


def log(board):
    return board.chip.ports[0].wire.log


def phc(board, domain=0):
    return board.chip.ptp.domains[domain]


# ---- the clock ----


@given(st.integers(0, ((1 << 48) - 1) * SECOND))
def test_settime_and_gettime_agree_for_every_time(time_ns):
    board = Board()
    board.driver.ptp.clock.settime(time_ns)
    assert phc(board).now_ns == time_ns
    assert time_ns < board.driver.ptp.clock.gettime() <= time_ns + 1000


@pytest.mark.parametrize("ns", [*range(SECOND - 20, SECOND), 0, 1, 0x3FFFFFF0 - SECOND + 5])
def test_a_slightly_negative_reading_is_put_right(ns):
    board = Board()
    ptp_driver = board.driver.ptp
    phc(board).configure(0, True)  # stand still, so that the reading is the time
    phc(board).load(77 * SECOND + ns)
    assert ptp_driver.clock.gettime() == 77 * SECOND + ns


def test_gettime_is_five_accesses_in_a_fixed_order():
    board = Board()
    board.chip.door.trace = trace = []
    board.driver.ptp.clock.gettime()
    assert [(access.kind, access.name) for access in trace] == [
        ("R", "PTP_PIN_CFG[7]"),
        ("W", "PTP_PIN_CFG[7]"),
        ("R", "PTP_TOD_SEC_MSB[7]"),
        ("R", "PTP_TOD_SEC_LSB[7]"),
        ("R", "PTP_TOD_NSEC[7]"),
    ]


@pytest.mark.parametrize("delta", [0, 1, -1, 499_999_999, -499_999_999, 500_000_000, -500_000_000, 10**12])
def test_adjtime_moves_the_time_by_its_delta(delta):
    board = Board()
    phc(board).configure(0, True)
    phc(board).load(5000 * SECOND + 3)
    board.driver.ptp.clock.adjtime(delta)
    assert phc(board).now_ns == 5000 * SECOND + 3 + delta


@pytest.mark.parametrize("domain", range(3))
@pytest.mark.parametrize("ppm", [1, -1, 10, 200, -200])
def test_adjfine_changes_the_rate_of_one_domain_and_never_half_written(domain, ppm):
    """A10: with the mask shifted twice the domain is not disabled and runs on half a value."""
    board = Board()
    door = board.chip.door
    seen = set()
    write = door.write

    def watch(name, value):
        write(name, value)
        seen.add(phc(board, domain).increment)

    door.write = watch
    board.driver.ptp.clock.adjfine(ppm << 16, domain)
    door.write = write
    assert len(seen) == 2
    others = [phc(board, other) for other in range(3) if other != domain]
    assert all(other.increment == NOMINAL_INCREMENT for other in others)
    for every in board.chip.ptp.domains:
        every.load(0)
    board.clock.advance(SECOND)
    assert abs(phc(board, domain).now_ns - (SECOND + ppm * 1000)) <= 1


def test_adjfine_0_is_the_nominal_rate_again():
    board = Board()
    board.driver.ptp.clock.adjfine(50 << 16)
    board.driver.ptp.clock.adjfine(0)
    assert phc(board).increment == NOMINAL_INCREMENT


def test_adjfine_uses_the_fraction_and_refuses_too_much():
    board = Board()
    board.driver.ptp.clock.adjfine((1 << 16) + 0x8000)
    assert phc(board).increment == NOMINAL_INCREMENT + 3480517749723 + 3480517749723 // 2
    for too_much in (200_000 * 65536 // 1000 + 1, -(200_000 * 65536 // 1000) - 1):
        with pytest.raises(OSError, match="allowed -13107200") as error:
            board.driver.ptp.clock.adjfine(too_much)
        assert error.value.errno == errno.ERANGE
    with pytest.raises(OSError, match=r"2\^48") as error:
        board.driver.ptp.clock.settime(1 << 80)
    assert error.value.errno == errno.ERANGE


# ---- configuration ----


@pytest.mark.parametrize("rx_filter", range(18))
@pytest.mark.parametrize("tx_type", range(5))
def test_every_type_and_filter(tx_type, rx_filter):
    board = Board()
    before = board.hwtstamp(2, TxType.ON, RxFilter.ALL)
    if tx_type in (0, 1, 2) and rx_filter in RX_FILTERS:
        granted = board.hwtstamp(2, tx_type, rx_filter)
        assert granted == HwtstampConfig(tx_type, RxFilter.ALL if rx_filter else RxFilter.NONE)
        assert board.driver.ptp.hwtstamp_get(2) == granted
    else:
        with pytest.raises(OSError, match="use one of") as error:
            board.hwtstamp(2, tx_type, rx_filter)
        assert error.value.errno == errno.ERANGE
        assert board.driver.ptp.hwtstamp_get(2) == before  # nothing is half configured
    assert board.driver.ptp.hwtstamp_get(1) == HwtstampConfig()


def test_the_filters_are_all_but_some():
    assert sorted(RX_FILTERS) == [0, 1, *range(3, 16)]


# ---- receive ----


@pytest.mark.parametrize(
    ("tod", "frame_ns", "expected"),
    [
        (100 * SECOND + 5, 999_999_998, 99_999_999_998),
        (100 * SECOND + 500, 400, 100 * SECOND + 400),
        (100 * SECOND, 0, 100 * SECOND),
        (100 * SECOND + 7, 7, 100 * SECOND + 7),
    ],
)
def test_a_second_is_borrowed_when_the_frame_is_from_the_one_before(tod, frame_ns, expected):
    assert full_time(tod, frame_ns) == expected


@given(st.integers(SECOND, 1 << 60), st.integers(0, SECOND - 1))
def test_the_borrow_is_right_within_a_second(arrival, later):
    assert full_time(arrival + later, arrival % SECOND) == arrival


@pytest.mark.parametrize(
    ("options", "rx_filter", "stamped"),
    [(Options(), 0, True), (Options(), 1, True), (GATED, 0, False), (GATED, 12, True)],
)
def test_the_gate_decides_whether_the_time_is_read(options, rx_filter, stamped):
    board = board_of(options)
    board.hwtstamp(1, TxType.OFF, rx_filter)
    [got] = board.carry([sync()])
    assert board.chip.door.reads["PTP_TOD_NSEC[7]"] == stamped
    assert (got.hwtstamp_ns is not None) == stamped


@pytest.mark.parametrize("seconds", [0, 3, (1 << 32) - 1, 1 << 32, (1 << 33) + 5])
@pytest.mark.parametrize("before_the_second", [0, 1_000, 8_000, 20_000])
def test_receive_times_are_within_a_nanosecond_of_the_wire(seconds, before_the_second):
    """Over the second's edge, and beyond 32 bits of seconds (facts 2.4 (i)); 2^29 ns and up (A1)."""
    for ns in (0, SECOND - before_the_second, 1 << 29):
        board = board_of(GATED)
        board.hwtstamp(1, TxType.OFF, RxFilter.ALL)
        phc(board).load(seconds * SECOND + ns)
        offset = phc(board).now_ns - board.clock.now_ns
        [got] = board.carry([sync()])
        assert abs(got.hwtstamp_ns - (log(board)[0].time_ns + offset)) <= 1


# ---- transmit ----


def fields_sent(board):
    """The PTP fields of every injected header, in order."""
    seen = []
    inject = board.chip.switch.inject
    for group in board.chip.injection:
        group._deliver = lambda packet: (seen.append(packet[:28]), inject(packet))
    names = ("REW_CMD", "PDU_TYPE", "TIMESTAMP")
    return lambda: [tuple(ifh.LAN966X.tx.decode(header, names).values()) for header in seen]


@pytest.mark.parametrize(("head", "pdu"), [(L2, 0), (IP4, 7), (IP6, 8), (L2[:12] + TAG + L2[12:], 0)])
@pytest.mark.parametrize(
    ("tx_type", "kind", "command"),
    [(0, 0, 0), (1, 0, 4), (1, 1, 4), (1, 3, 4), (2, 0, 3), (2, 1, 4), (2, 2, 4)],
)
def test_what_a_ptp_frame_asks_of_the_rewriter(head, pdu, tx_type, kind, command):
    board = board_of()
    board.hwtstamp(0, tx_type, 0)
    sent = fields_sent(board)
    board.carry([head + message(kind)], stamp=True)
    assert sent() == [(command, pdu if command else 0, 0)]


def test_version_2_is_not_judged_by_its_control_byte_and_version_1_is():
    """B7: senders of version 2.1 leave the control byte 0, which would say Sync."""
    board = board_of()
    board.hwtstamp(0, TxType.ONESTEP_SYNC, 0)
    sent = fields_sent(board)
    board.carry([IP4 + message(1, version=version, control=0) for version in (0x12, 1)], stamp=True)
    assert [command for command, _, _ in sent()] == [4, 3]


@pytest.mark.parametrize(
    "frame",
    [L2 + message(8), L2 + message(0)[:20], IP4[:36] + b"\x01\x40" + IP4[38:] + message(0), bytes(60)],
    ids=["general", "cut off", "general port", "no PTP"],
)
def test_other_frames_are_sent_without_a_time(frame):
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    sent = fields_sent(board)
    board.carry([frame], stamp=True)
    board.carry([sync()])  # nobody asked for a time
    assert sent() == [(0, 0, 0)] * 2


@pytest.mark.parametrize("head", [L2, IP4, IP6, L2[:12] + TAG + L2[12:], IP4[:12] + TAG + IP4[12:]])
def test_a_one_step_sync_carries_the_time_of_its_departure(head):
    board = board_of()
    board.hwtstamp(0, TxType.ONESTEP_SYNC, 0)
    phc(board).load(0x1_2345_6789 * SECOND + 999_990_000)
    offset = phc(board).now_ns - board.clock.now_ns
    [got] = board.carry([sync(head=head)], stamp=True)
    origin = ptp.parse(got.frame).body["origin_timestamp"]
    assert abs(origin.seconds * SECOND + origin.nanoseconds - (log(board)[0].time_ns + offset)) <= 1
    assert board.stamped == []
    board.ledger.check_settled()


@pytest.mark.parametrize("before_the_second", [0, 2_000, 5_000, 9_000, 50_000])
def test_a_two_step_time_is_that_of_the_wire(before_the_second):
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    phc(board).load((1 << 33) * SECOND + SECOND - before_the_second)
    offset = phc(board).now_ns - board.clock.now_ns
    board.carry([sync()], stamp=True)
    [stamped] = board.stamped
    assert abs(stamped.hwtstamp_ns - (log(board)[0].time_ns + offset)) <= 1
    assert stamped.frame == sync()
    board.ledger.check_settled()


def test_a_thousand_two_step_frames_each_get_their_own_time():
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    phc(board).load(board.clock.now_ns)
    board.carry([sync(n) for n in range(1100)], stamp=True)
    assert [stamped.frame for stamped in board.stamped] == [sync(n) for n in range(1100)]
    assert [stamped.hwtstamp_ns for stamped in board.stamped] == [seen.time_ns for seen in log(board)]
    board.ledger.check_settled()


def test_the_same_id_on_two_ports_is_kept_apart():
    board = Board()
    board.wire(0, 1)
    board.wire(2, 3)
    for port in (0, 2):
        board.hwtstamp(port, TxType.ON, 0)
        board.send(sync(port), port, stamp=True)
    run(board)
    assert [(stamped.port, stamped.frame) for stamped in board.stamped] == [(0, sync(0)), (2, sync(2))]


def lost(board, n):
    """Send `n` two-step frames whose times never come."""
    for _ in range(n):
        board.chip.two_step.drop_next()
        board.send(sync(), stamp=True)
        run(board)


def test_ids_of_lost_times_come_back_and_their_number_is_not_forgotten():
    """B2, B3, facts 2.4 (c): after 512 lost times the original refuses for ever."""
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    for _ in range(12):
        lost(board, 100)
        board.clock.advance(PTP_TIMEOUT_NS + 1)
    assert board.driver.ptp.outstanding == 100
    board.carry([sync(9)], stamp=True)
    assert [stamped.frame for stamped in board.stamped] == [sync(9)]
    assert board.driver.ptp.stats["tx_expired"] == 1200
    assert board.driver.ptp.outstanding == 0
    board.ledger.check_settled()


def fill(board):
    """Take all 512 ids at one instant of time."""
    ptp_driver = board.driver.ptp
    skbs = [skb_from_frame(sync(n)) for n in range(MAX_PTP_ID)]
    for ticket, skb in enumerate(skbs):
        skb.wants_hw_timestamp = True
        board.ledger.take("skb", -ticket)
        ptp_driver.request(0, skb, -ticket)
    return skbs


def test_at_512_the_stack_keeps_the_frame_and_nothing_leaks():
    """Facts 2.4 (e): an errno as the result of xmit counts as sent, and the skb leaks."""
    board = board_of()
    for port in (0, 5):
        board.hwtstamp(port, TxType.ON, 0)
    fill(board)
    skb = skb_from_frame(sync(1000))
    skb.wants_hw_timestamp = True
    for port in (0, 5):  # the limit is for all ports together
        assert board.driver.xmit(port, skb) == TxResult.BUSY
    with pytest.raises(OSError, match="all 512 timestamp ids are out") as error:
        board.driver.ptp.request(0, skb, 0)
    assert error.value.errno == errno.EBUSY
    assert not skb.freed
    assert board.driver.ptp.outstanding == MAX_PTP_ID
    board.clock.advance(PTP_TIMEOUT_NS + 1)
    assert board.driver.xmit(0, skb) == TxResult.OK
    run(board)
    assert [stamped.frame for stamped in board.stamped] == [sync(1000)]
    board.ledger.check_settled()


def test_ten_milliseconds_are_not_yet_too_long():
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    lost(board, 1)
    asked = next(iter(board.driver.ptp.ports[0].pending.values())).asked_ns
    board.clock.run_until(asked + PTP_TIMEOUT_NS)
    board.driver.ptp.purge()
    assert board.driver.ptp.outstanding == 1
    board.clock.advance(1)
    board.driver.ptp.purge()
    assert board.driver.ptp.outstanding == 0


def test_a_late_time_is_not_given_to_the_next_frame():
    """B1: the time of #1 arrives after its time-out, when #2 is on its way."""
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    phc(board).load(board.clock.now_ns)
    board.chip.two_step.delay_next(20_000_000)
    board.send(sync(1), stamp=True)
    board.clock.advance(19_990_000)
    board.chip.two_step.delay_next(500_000)
    board.send(sync(2), stamp=True)
    run(board)
    assert [stamped.frame for stamped in board.stamped] == [sync(2)]
    assert board.stamped[0].hwtstamp_ns == log(board)[1].time_ns
    assert board.driver.ptp.stats["tx_unmatched"] == 1
    board.ledger.check_settled()


def test_giving_an_id_back_at_the_wrap_does_no_harm():
    """Facts 2.4 (d): id - 1 below 0."""
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    board.driver.ptp.ports[0].next_id = 511
    board.chip.injection[0].hold()
    skb = skb_from_frame(sync(5))
    skb.wants_hw_timestamp = True
    for _ in range(3):
        assert board.driver.xmit(0, skb) == TxResult.BUSY
        assert board.driver.ptp.outstanding == 0
    board.chip.injection[0].release()
    assert board.driver.xmit(0, skb) == TxResult.OK
    run(board)
    assert [stamped.frame for stamped in board.stamped] == [sync(5)]
    assert all(0 <= port.next_id < MAX_PTP_ID for port in board.driver.ptp.ports)
    board.ledger.check_settled()


def test_an_id_that_is_still_out_is_not_given_out_again():
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    lost(board, 3)
    board.driver.ptp.ports[0].next_id = 0
    board.carry([sync(8)], stamp=True)
    assert [stamped.frame for stamped in board.stamped] == [sync(8)]
    assert sorted(board.driver.ptp.ports[0].pending) == [0, 1, 2]


@pytest.mark.parametrize("orphans", [1, 2, 600])
def test_an_entry_without_a_time_is_stepped_over(orphans):
    """B10, facts 2.4 (f): the original looks at the same entry 512 times and never drains the FIFO."""
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    for n in range(orphans):
        board.chip.two_step.add_orphan(0, n)
    board.chip.two_step.depth += orphans
    board.carry([sync()], stamp=True)
    assert [stamped.frame for stamped in board.stamped] == [sync()]
    assert board.driver.ptp.stats["fifo_orphan"] == orphans
    assert not board.chip.two_step.pending


def test_overflow_is_noticed_and_the_lost_frame_expires():
    board = board_of()
    board.hwtstamp(0, TxType.ON, 0)
    board.chip.two_step.depth = 4
    for n in range(3):
        board.send(sync(n), stamp=True)
    board.clock.advance(200_000)
    assert board.chip.two_step.pairs["overflowed"] == 1
    run(board)
    assert board.driver.ptp.stats["fifo_overflow"] == 1
    assert [stamped.frame for stamped in board.stamped] == [sync(0), sync(1)]
    board.clock.advance(PTP_TIMEOUT_NS)
    board.driver.ptp.purge()
    board.ledger.check_settled()


def test_a_time_from_nowhere_is_counted_and_forgotten():
    board = board_of()
    for port in (0, 200):
        board.chip.two_step.stamp(port, 5, 3)
    run(board)
    assert board.driver.ptp.stats["tx_unmatched"] == 2
    assert STAMP_NSEC.get(20) == 5


def follow_up(head, time_ns, sequence):
    """What software sends after a two-step Sync. General messages over UDP go to port 320."""
    seconds, ns = divmod(time_ns, SECOND)
    body = bytearray(message(8, sequence))
    body[34:44] = seconds.to_bytes(6, "big") + ns.to_bytes(4, "big")
    return head.replace(b"\x01\x3f\x01\x3f", b"\x01\x40\x01\x40") + bytes(body)


def synchronise(head, tx_type):
    """A Sync, and a Follow_Up if it needs one: the frames as they arrive, and the wire time of the Sync."""
    board = board_of(replace(GATED, check_fifo_first=True))
    board.hwtstamp(0, tx_type, 0)
    phc(board).load(1_700_000_000 * SECOND + 123_456_789)
    offset = phc(board).now_ns - board.clock.now_ns
    board.carry([sync(77, head)], stamp=True)
    for stamped in board.stamped:
        board.carry([follow_up(head, stamped.hwtstamp_ns, 77)])
    return [got.frame for got in board.delivered], log(board)[0].time_ns + offset


@pytest.mark.parametrize("head", [L2, IP4, IP6])
def test_a_follow_up_made_from_a_two_step_time_decodes_with_that_time(head):
    (_, second), wire_ns = synchronise(head, TxType.ON)
    parsed = ptp.parse(second)
    assert (parsed.message_type, parsed.sequence) == (ptp.MessageType.FOLLOW_UP, 77)
    origin = parsed.body["precise_origin_timestamp"]
    assert origin.seconds * SECOND + origin.nanoseconds == wire_ns


@pytest.mark.parametrize(
    ("tx_type", "field"),
    [(TxType.ON, "ptp.v2.fu.preciseorigintimestamp"), (TxType.ONESTEP_SYNC, "ptp.v2.sdr.origintimestamp")],
)
@pytest.mark.parametrize("head", [L2, IP4, IP6])
def test_tshark_reads_the_same_time(head, tx_type, field, tmp_path):
    if not shutil.which("tshark"):
        pytest.skip("tshark is not installed")
    frames, wire_ns = synchronise(head, tx_type)
    path = tmp_path / "sync.pcap"
    captures.write(path, frames, range(len(frames)))
    names = ["ptp.v2.sequenceid", f"{field}.seconds", f"{field}.nanoseconds"]
    command = [
        "tshark",
        "-n",
        "-r",
        str(path),
        "-T",
        "fields",
        *(part for name in names for part in ("-e", name)),
    ]
    rows = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(rows) == len(frames)
    sequence, seconds, ns = map(int, rows[-1].split())
    assert (sequence, seconds * SECOND + ns) == (77, wire_ns)
