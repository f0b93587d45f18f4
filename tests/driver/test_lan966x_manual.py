"""The manual path: bytes, counts, error paths. Each latent fault of the original has a test that would see
it.
"""

import gc
import itertools
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.driver import Board, Options, TxResult, TxType, run
from lan966x_lab.driver.polling import PollTimeoutError, read_poll_timeout
from lan966x_lab.driver.skb import alloc_skb, skb_from_frame
from lan966x_lab.hw import extraction
from lan966x_lab.hw.lan966x_regs import Marker

ALL_ON = Options().patched("000/1", "000/2 v2", "001", "002")
OPTION_SETS = [
    *(Options(ifh_codec=codec) for codec in ifh.CODECS),
    Options(check_fifo_first=True),
    Options(ifh_template=True),
    Options(gate_rx_timestamp=True),
    ALL_ON,
]


def pair(options=None, **chip):
    board = Board(options, **chip)
    board.wire(0, 1)
    return board


def padded(frame):
    return frame.ljust(60, b"\0")


def frame_of(n, seed=1):
    return bytes((i * 7 + seed) & 0xFF for i in range(n))


@pytest.mark.parametrize("options", OPTION_SETS, ids=str)
def test_every_length_arrives_as_it_was_sent(options):
    board = pair(options)
    for n in [*range(14, 131), 500, 1499, *range(1508, 1515)]:
        [got] = board.carry([frame_of(n, n)])
        assert got.frame == padded(frame_of(n, n))
        assert got.port == 1
    board.ledger.check_settled()


@given(st.lists(st.sampled_from([bytes.fromhex(f"8000000{n}") for n in range(8)]), min_size=16, max_size=24))
@settings(max_examples=60)
def test_frames_full_of_markers_arrive_as_they_were_sent(words):
    frame = b"".join(words)
    for cut in range(4):
        data = frame[: len(frame) - cut]
        assert [got.frame for got in pair(ALL_ON).carry([data])] == [data]


def test_padding_is_zero_whatever_lies_behind_the_frame():
    """The original writes whole words from the skb: up to three bytes behind a short frame would leak."""
    board = pair()
    skb = alloc_skb(100)
    skb.put_data(b"\xee" * 100)
    skb.trim(41)
    assert board.driver.xmit(0, skb) == TxResult.OK
    run(board)
    assert board.delivered[0].frame == b"\xee" * 41 + bytes(19)


def test_priority_and_vlan_tag_go_into_the_header():
    board = pair()
    headers = []
    inject = board.chip.switch.inject
    for group in board.chip.injection:
        group._deliver = lambda packet: (headers.append(packet[:28]), inject(packet))
    [tagged] = board.carry([frame_of(60)], priority=9, vlan_tci=0xA064)
    assert tagged.frame == frame_of(60)[:12] + bytes.fromhex("8100a064") + frame_of(60)[12:]
    fields = ifh.LAN966X.tx.decode(headers[0])
    assert {name: value for name, value in fields.items() if value} == {
        "BYPASS": 1,
        "DSTS": 1,
        "QOS_CLASS": 7,
        "IPV": 7,
        "TCI": 0xA064,
    }


def observe(options, bulk, plan, **chip):
    """Everything that can be seen of a run with waiting words, small FIFO and stalls."""
    board = pair(options, bulk=bulk, **chip)
    for n, stall in plan:
        if stall:
            board.clock.after(stall, lambda: board.chip.injection[0].hold(45_000))
        board.send(frame_of(n))
        run(board)
    door = board.chip.door
    return (
        board.delivered,
        dict(door.reads),
        dict(door.writes),
        door.ktime_reads,
        door.delay_ns,
        board.clock.now_ns,
    )


@given(
    options=st.sampled_from(OPTION_SETS),
    plan=st.lists(st.tuples(st.integers(14, 300), st.integers(0, 40_000)), min_size=1, max_size=3),
    depth=st.sampled_from([3, 16, 1024]),
    word_ns=st.sampled_from([32, 320, 3200]),
)
@settings(max_examples=40, deadline=None)
def test_the_bulk_door_changes_nothing_that_can_be_observed(options, plan, depth, word_ns):
    chip = {"fifo_depth": depth, "fifo_watermark": depth, "fifo_word_ns": word_ns}
    assert observe(options, True, plan, **chip) == observe(options, False, plan, **chip)


def test_two_runs_give_the_same_trace_byte_for_byte():
    def once():
        board = pair()
        board.chip.door.trace = []
        board.chip.faults["not ready for 50 µs"]()
        board.carry([frame_of(64), frame_of(200)])
        return "\n".join(map(str, board.chip.door.trace))

    first = once()
    assert first == once()
    assert first.count(" W QS_INJ_WR[0] ") == 24 + 58


# ---- polling ----


def test_the_patch_leaves_out_the_clock_when_the_fifo_is_ready_and_only_then():
    """Seed 001, and its limit: a word that has to wait costs the first look on top."""
    counts = {}
    for first, waiting in itertools.product((False, True), repeat=2):
        board = pair(Options(check_fifo_first=first))
        if waiting:
            board.chip.injection[0].pauses = itertools.repeat(25_000)
        board.send(frame_of(60))
        counts[first, waiting] = board.chip.door.ktime_reads, board.chip.door.reads["QS_INJ_STATUS"]
    assert counts[False, False] == (22, 23)
    assert counts[True, False] == (0, 23)
    # 21 words wait: one clock read for the deadline, one per look that fails. The first word is ready.
    assert counts[False, True] == (1 + 21 * 4, 1 + 1 + 21 * 4)
    assert counts[True, True] == (21 * 4, 1 + 1 + 21 * 5)


def test_the_last_look_comes_after_the_deadline():
    """D1: the CPU is away between the read and the clock, the device becomes ready meanwhile: no time-out."""
    board = pair()
    door = board.chip.door
    ready_at = board.clock.now_ns + 200_000
    door.add("SLOW", read=lambda: int(board.clock.now_ns > ready_at))
    clock_read = door.ktime

    def interrupted():
        if door.reads["SLOW"] == 1:
            board.clock.advance(1_000_000)
        return clock_read()

    door.ktime = interrupted
    assert read_poll_timeout(door, "SLOW", bool, timeout_ns=100_000) == 1
    assert door.reads["SLOW"] == 2


def test_a_poll_that_never_ends_well_says_so_after_its_time():
    board = pair()
    door = board.chip.door
    door.add("NEVER", steady=lambda value: float("inf"))
    start = board.clock.now_ns
    with pytest.raises(PollTimeoutError, match="NEVER is still 0x0 after 100000000000 ns"):
        read_poll_timeout(door, "NEVER", bool)
    assert 100_000_000_000 < board.clock.now_ns - start < 100_000_020_000


@given(ready_at=st.integers(0, 300_000), timeout=st.integers(0, 300_000), event=st.integers(1, 300_000))
@settings(max_examples=60)
def test_waiting_in_bulk_equals_waiting_singly(ready_at, timeout, event):
    def once(bulk):
        board = Board(bulk=bulk)
        door, base = board.chip.door, board.clock.now_ns
        door.add(
            "WAIT", read=lambda: int(board.clock.now_ns >= base + ready_at), steady=lambda _: base + ready_at
        )
        board.clock.after(event, lambda: None)
        try:
            result = read_poll_timeout(door, "WAIT", bool, timeout_ns=timeout)
        except PollTimeoutError:
            result = None
        return result, door.reads["WAIT"], door.ktime_reads, door.delay_ns, board.clock.now_ns

    assert once(True) == once(False)


# ---- transmit errors ----


@pytest.mark.parametrize("options", [Options(), ALL_ON], ids=str)
def test_a_fifo_that_never_gets_ready_gives_the_frame_back_and_the_next_one_is_whole(options):
    board = pair(options)
    board.clock.after(3_000, board.chip.injection[0].hold)
    skb = skb_from_frame(frame_of(200))
    assert board.driver.xmit(0, skb) == TxResult.BUSY
    assert not skb.freed
    assert board.clock.now_ns > 100_000_000_000
    assert board.driver.ports[0].stats == {"tx_fifo_stuck": 1, "tx_busy": 1}
    assert board.chip.injection[0].frames["aborted"] == 1
    board.ledger.check_settled()
    board.chip.injection[0].release()
    assert board.driver.xmit(0, skb) == TxResult.OK
    run(board)
    assert [got.frame for got in board.delivered] == [frame_of(200)]


def test_busy_keeps_order_and_loses_nothing():
    board = pair(fifo_depth=100, fifo_watermark=40, fifo_word_ns=32_000)
    frames = [frame_of(100, seed) for seed in range(8)]
    for frame in frames:
        board.send(frame)
    assert board.queues[0]
    run(board)
    assert [got.frame for got in board.delivered] == frames
    assert board.driver.ports[0].stats["tx_busy"] > 1
    assert board.ledger.count("tx", "busy") == board.driver.ports[0].stats["tx_busy"]
    board.ledger.check_settled()


def test_a_stopped_queue_is_not_offered_anything_until_it_is_woken():
    board = pair()
    board.driver.ports[0].stopped = True
    board.send(frame_of(60))
    run(board)
    assert board.ledger.entered["tx"] == 0
    board.driver.ports[0].stopped = False
    run(board)
    assert len(board.delivered) == 1


@pytest.mark.parametrize(("length", "reason"), [(13, "too_short"), (1519, "too_long")])
def test_frames_that_cannot_be_sent_are_dropped_and_counted(length, reason):
    board = pair()
    board.send(bytes(length))
    assert board.driver.ports[0].stats == {f"tx_{reason}": 1}
    assert board.ledger.count("tx", reason) == 1
    board.ledger.check_settled()


# ---- receive errors ----

FAULTS = {
    "frame aborted": "aborted",
    "frame pruned": "wrong_length",
    "frame truncated": "wrong_length",
    "extracted word lost": "wrong_length",
    "never ready": "never_ready",
    "wrong SRCPORT": "bad_src_port",
    "LEN too small": "too_short",
    "LEN too large": "too_long",
}


@pytest.mark.parametrize("options", [Options(), ALL_ON], ids=str)
@pytest.mark.parametrize(("fault", "reason"), FAULTS.items())
@pytest.mark.parametrize("length", [60, 61, 62, 63, 1514])
def test_a_bad_frame_is_counted_once_and_the_next_ones_are_whole(fault, reason, length, options):
    board = pair(options)
    board.chip.faults[fault]()
    assert board.carry([frame_of(length)]) == []
    assert board.driver.rx_dropped == {reason: 1}
    assert board.ledger.count("rx", reason) == 1
    assert [got.frame for got in board.carry([frame_of(n) for n in (60, 99)])] == [frame_of(60), frame_of(99)]
    board.ledger.check_settled()


@pytest.mark.parametrize("length", [20, 28, 29, 31, 33, 44])
def test_a_frame_that_ends_inside_or_right_behind_its_header_does_not_eat_the_next_one(length):
    board = pair()
    board.chip.extraction[0].offer(bytes(length))
    board.chip.extraction[0].offer(ifh.LAN966X.rx.encode(SRCPORT=2, LEN=64) + bytes(64))
    assert board.driver.poll() == 2
    assert board.driver.rx_dropped.total() == 1
    assert [(got.port, got.frame) for got in board.delivered] == [(2, bytes(60))]


def test_len_may_not_say_less_than_there_is():
    board = pair()
    board.chip.switch.wrong_len.append(60)
    assert board.carry([frame_of(100)]) == []
    assert board.driver.rx_dropped == {"wrong_length": 1}


@pytest.mark.parametrize("bulk", [True, False])
def test_the_word_that_ends_the_waiting_is_not_lost(bulk):
    """D3, facts 2.4 (a): the original drops the word that its poll has read."""
    for where in range(24):  # everywhere but behind the end marker
        board = pair(bulk=bulk)

        def pause(stream, where=where):
            stream.pause_at, stream.pause_ns = where, 50_000

        board.chip.extraction[0].order(pause)
        assert [got.frame for got in board.carry([frame_of(64)])] == [frame_of(64)]
        assert board.chip.door.delay_ns >= 1_050_000
        assert not board.driver.rx_dropped


def test_a_frame_that_ends_while_the_driver_waits_is_whole():
    board = pair()

    def pause_before_the_end_marker(stream):
        stream.pause_at, stream.pause_ns = stream.words.index(Marker.EOF_0), 10_000

    board.chip.extraction[0].order(pause_before_the_end_marker)
    assert [got.frame for got in board.carry([frame_of(64)])] == [frame_of(64)]


def test_a_pruned_frame_is_dropped_even_if_its_length_is_right():
    board = pair()

    def prune_at_the_very_end(stream):
        stream.words[stream.words.index(Marker.EOF_0)] = Marker.PRUNED

    board.chip.extraction[0].order(prune_at_the_very_end)
    assert [got.frame for got in board.carry([frame_of(64), frame_of(68)])] == [frame_of(68)]
    assert board.driver.rx_dropped == {"wrong_length": 1}


def test_no_memory_drops_one_frame_and_leaves_the_stream_in_step():
    """The original leaves the loop and with it the rest of the frame in the queue."""
    board = pair()
    board.driver.failing_allocations = 1
    assert [got.frame for got in board.carry([frame_of(99), frame_of(100)])] == [frame_of(100)]
    assert board.driver.rx_dropped == {"no_memory": 1}
    board.ledger.check_settled()


def test_poll_obeys_its_budget_and_returns_less_only_when_there_is_nothing_left():
    board = pair()
    for n in range(5):
        board.send(frame_of(60, n))
    board.clock.advance(100_000)
    assert [board.driver.poll(budget) for budget in (2, 0, 3, 3)] == [2, 0, 3, 0]


def test_mtu_is_the_payload_and_a_tag_needs_room_of_its_own():
    """L@486c29223016, L@25f28bb1b4a7."""
    board = pair()
    full = frame_of(1514)
    assert board.carry([full])[0].frame == full
    assert board.carry([full], vlan_tci=5) == []
    assert board.chip.ports[1].counters["rx_too_long"] == 1
    board.driver.set_mtu(1, 1500, vlan_aware=True)
    assert len(board.carry([full], vlan_tci=5)[0].frame) == 1518
    board.driver.set_mtu(0, 3000)
    board.driver.set_mtu(1, 3000)
    assert board.carry([frame_of(3014)])[0].frame == frame_of(3014)
    with pytest.raises(ValueError, match="mtu is 67: allowed 68 to 9000"):
        board.driver.set_mtu(0, 67)


def test_options_can_be_switched_between_two_frames():
    board = pair()
    for options in OPTION_SETS * 2:
        board.options = options
        [got] = board.carry([frame_of(77)])
        assert got.frame == frame_of(77)
        assert (got.hwtstamp_ns is None) == options.gate_rx_timestamp


def test_an_option_that_does_not_exist_is_refused_with_the_choice():
    with pytest.raises(ValueError, match="ifh_codec is 'fast': choose one of 'packing'"):
        Options(ifh_codec="fast")
    with pytest.raises(ValueError, match="path is 'usb'"):
        Options(path="usb")
    with pytest.raises(KeyError, match="no patch '999'; the nearest names are '00"):
        Options().patched("999")
    board = pair()
    board.driver.paths.pop("fdma", None)
    with pytest.raises(ValueError, match="'fdma' is not attached: there is manual"):
        board.options = replace(Options(), path="fdma")
    assert board.options == Options()
    assert extraction.encode(bytes(8)).words[1] == Marker.EOF_0


def test_memory_does_not_grow_with_the_number_of_frames():
    board = Board(ALL_ON, keep=False)
    board.wire(0, 1)
    board.hwtstamp(0, TxType.ON, 0)
    sync = bytes.fromhex("011b19000000 020000000001 88f7 0002002c") + bytes(40)

    def carry(n):
        for _ in range(n):
            board.carry([frame_of(64), frame_of(1514)])
            board.carry([sync], stamp=True)
        gc.collect()
        return sys.getallocatedblocks()

    before = carry(100)
    assert carry(1000) - before < 100  # less than one block for thirty frames


# ---- boards ----


def test_two_boards_talk_over_a_long_wire():
    left = Board(ALL_ON)
    right = Board(clock=left.clock)
    wire = left.wire(3, 6, delay_ns=5_000, to=right)
    wire.log = []
    left.send(frame_of(100), 3)
    right.send(frame_of(200), 6)
    run(left, right)
    assert [(got.port, got.frame) for got in right.delivered] == [(6, frame_of(100))]
    assert [(got.port, got.frame) for got in left.delivered] == [(3, frame_of(200))]
    assert len(wire.log) == 2
    for board in (left, right):
        board.ledger.check_settled()


@pytest.mark.parametrize(("speed", "word_ns"), [(10, 3200), (100, 320), (1000, 32)])
def test_fifo_and_line_run_at_the_speed_of_the_link(speed, word_ns):
    board = Board(speed_mbps=speed)
    board.wire(0, 1).log = []
    board.send(frame_of(1514))
    assert board.chip.injection[0].word_ns == word_ns
    assert (board.chip.injection[0].level > 2) == (speed == 10)
    injected_ns = board.clock.now_ns
    run(board)
    [seen] = board.chip.ports[0].wire.log
    drained_ns = max(injected_ns + word_ns, injected_ns - 220_000 + 387 * word_ns)
    assert abs(seen.time_ns - drained_ns - 64 * 1000 // speed) < 600
    assert board.delivered[0].frame == frame_of(1514)
