"""The injection group: its rules, its timing, and that words in bulk equal words one by one."""

import itertools
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.injection import InjectionGroup, ProtocolError
from lan966x_lab.hw.lan966x_regs import GrpCfg, InjCtrl, InjStatus
from lan966x_lab.hw.registers import Costs, Door

SOF, EOF, ABORT = InjCtrl.SOF.mask, InjCtrl.EOF.mask, InjCtrl.ABORT.mask
MANUAL = GrpCfg.MODE.put(GrpCfg.MANUAL) | GrpCfg.BYTE_SWAP.put(1)


class Bench:
    def __init__(self, *, bulk=True, costs=None, **group):
        self.clock = Clock()
        self.door = Door(self.clock, costs or Costs(), bulk=bulk)
        self.out = []
        self.group = InjectionGroup(
            self.door, 0, lambda frame: self.out.append((self.clock.now_ns, frame)), **group
        )
        self.door.add("QS_INJ_STATUS", read=lambda: self.group.status)
        self.door.write("QS_INJ_GRP_CFG[0]", MANUAL)

    def control(self, value):
        self.door.write("QS_INJ_CTRL[0]", value)

    def word(self, *words):
        for word in words:
            self.door.write("QS_INJ_WR[0]", word)

    @property
    def ready(self):
        return bool(InjStatus.FIFO_RDY.get(self.door.read("QS_INJ_STATUS")))


def frame_words(n=15):
    return struct.unpack(f"<{7 + n}I", bytes(i & 0xFF for i in range(28 + 4 * n)))


@pytest.mark.parametrize("vld", range(4))
def test_a_frame_comes_out_as_it_was_written(vld):
    bench = Bench()
    bench.control(SOF)
    bench.word(*frame_words(17))
    bench.control(EOF | InjCtrl.VLD_BYTES.put(vld))
    bench.word(0xDEADBEEF)
    bench.clock.advance(10_000)
    [(_, packet)] = bench.out
    assert packet == bytes(range(96))[: 96 - (4 - vld) % 4]


def test_without_byte_swap_the_words_are_big_endian():
    bench = Bench()
    bench.door.write("QS_INJ_GRP_CFG[0]", GrpCfg.MODE.put(1))
    bench.control(SOF)
    bench.word(*struct.unpack(">22I", bytes(range(88))))
    bench.control(EOF)
    bench.word(0)
    bench.clock.advance(10_000)
    assert bench.out[0][1] == bytes(range(88))


def open_frame(bench):
    bench.control(SOF)


def full_frame(bench):
    bench.control(SOF)
    bench.word(*frame_words())
    bench.control(EOF)


@pytest.mark.parametrize(
    ("before", "act", "message"),
    [
        (lambda b: None, lambda b: b.word(1), "a data word without a frame; no frame is open"),
        (lambda b: None, lambda b: b.control(EOF), "EOF without a frame"),
        (lambda b: None, lambda b: b.control(1 << 25), "QS_INJ_CTRL <- 0x2000000 is not modelled"),
        (lambda b: None, lambda b: b.control(SOF | InjCtrl.GAP_SIZE.put(2)), "0x440000 is not modelled"),
        (lambda b: None, lambda b: b.control(ABORT), "ABORT without a frame"),
        (lambda b: None, lambda b: b.control(SOF | EOF), "SOF and EOF in one write"),
        (open_frame, lambda b: b.control(SOF), "SOF inside a frame; 0 words"),
        (open_frame, lambda b: (b.word(*frame_words(14)), b.control(EOF)), "EOF too early; 21 words"),
        (full_frame, lambda b: b.control(EOF), "EOF without a frame; 22 words"),
        (full_frame, lambda b: b.control(SOF), "SOF inside a frame; 22 words"),
        (open_frame, lambda b: b.word(*[0] * 4104), "more than 4103 words"),
        (lambda b: b.door.write("QS_INJ_GRP_CFG[0]", 0), lambda b: b.control(SOF), "not in manual mode"),
    ],
)
def test_a_broken_rule_is_named_with_state_and_next_step(before, act, message):
    bench = Bench(depth=10_000)
    before(bench)
    with pytest.raises(ProtocolError, match=message) as error:
        act(bench)
    assert "injection group 0" in str(error.value)
    assert "Next step" in str(error.value)


def test_abort_gives_up_a_frame_and_the_next_one_is_whole():
    bench = Bench()
    bench.control(SOF)
    bench.word(1, 2, 3)
    bench.control(ABORT)
    full_frame(bench)
    bench.word(0)
    bench.clock.advance(100_000)
    assert [len(frame) for _, frame in bench.out] == [88]
    assert bench.group.frames == {"aborted": 1, "delivered": 1}


def test_the_fifo_fills_says_so_and_drains_at_its_speed():
    bench = Bench(costs=Costs(0, 0, 0), depth=8, watermark=4, word_ns=1000)
    bench.control(SOF)
    for n in range(8):
        assert bench.ready
        assert bool(InjStatus.WMARK_REACHED.get(bench.group.status)) == (n >= 4)
        bench.word(n)
        assert bench.group.level == n + 1
    assert not bench.ready
    with pytest.raises(ProtocolError, match="FIFO_RDY is 0"):
        bench.word(8)
    assert bench.group.steady_until() == 1000
    bench.clock.advance(999)
    assert not bench.ready
    bench.clock.advance(1)
    assert bench.ready
    assert bench.group.level == 7
    bench.clock.advance(7000)
    assert bench.group.level == 0


def test_a_frame_leaves_when_its_last_word_has_drained():
    bench = Bench(costs=Costs(0, 0, 0), word_ns=1000)
    full_frame(bench)
    bench.word(0)
    bench.clock.advance(100_000)
    assert bench.out[0][0] == 23_000


@pytest.mark.parametrize("hold_at", [0, 10_500, 22_999])
def test_a_stall_delays_what_is_in_the_fifo_by_its_length(hold_at):
    bench = Bench(costs=Costs(0, 0, 0), word_ns=1000)
    full_frame(bench)
    bench.word(0)
    bench.clock.advance(hold_at)
    bench.group.hold(5_000)
    assert not bench.ready
    bench.clock.advance(100_000)
    assert bench.ready
    assert bench.out[0][0] == 28_000


def test_overlapping_stalls_last_until_the_last_one_ends_and_release_ends_all():
    bench = Bench(costs=Costs(0, 0, 0))
    bench.group.hold(100)
    bench.group.hold(30)
    bench.clock.advance(99)
    assert not bench.ready
    bench.clock.advance(1)
    assert bench.ready
    bench.group.hold()
    bench.group.hold(10)
    bench.clock.advance(1_000_000)
    assert not bench.ready
    assert bench.group.steady_until() == float("inf")
    bench.group.release()
    bench.group.release()
    assert bench.ready


def test_pauses_follow_each_word():
    bench = Bench(costs=Costs(0, 0, 0))
    bench.group.pauses = itertools.cycle([0, 50])
    bench.control(SOF)
    bench.word(1)
    assert bench.ready
    bench.word(2)
    assert not bench.ready
    bench.clock.advance(50)
    assert bench.ready


def test_a_lost_word_is_a_data_word_not_a_header_word():
    bench = Bench()
    bench.group.lose_word()
    full_frame(bench)
    bench.word(0)
    bench.clock.advance(100_000)
    assert bench.out[0][1] == bytes(range(28)) + bytes(range(32, 88))


def drive(bulk, plan, depth, word_ns, ktime, events):
    """Write frames as a driver does, in bulk or singly; everything that can be observed afterwards."""
    bench = Bench(bulk=bulk, depth=depth, watermark=depth // 2, word_ns=word_ns)
    for at in events:
        bench.clock.at(at + 100, lambda: bench.group.hold(700))
    door = bench.door
    for n in plan:
        words = frame_words(n)
        bench.control(SOF)
        at = 0
        while at < len(words):
            at += door.write_run("QS_INJ_STATUS", "QS_INJ_WR[0]", words, at, ktime=ktime)
            while at < len(words):
                if ktime:
                    door.ktime()
                if bench.ready:
                    door.write("QS_INJ_WR[0]", words[at])
                    at += 1
                    break
        bench.control(EOF)
        bench.word(0)
    level = bench.group.level
    bench.clock.advance(10_000_000)
    return bench.out, level, dict(door.reads), dict(door.writes), door.ktime_reads, bench.clock.now_ns


@given(
    plan=st.lists(st.integers(15, 60), min_size=1, max_size=3),
    depth=st.integers(2, 40),
    word_ns=st.sampled_from([1, 32, 299, 300, 301, 320, 900, 3200]),
    ktime=st.booleans(),
    events=st.lists(st.integers(0, 60_000), max_size=6),
)
def test_words_in_bulk_equal_words_one_by_one(plan, depth, word_ns, ktime, events):
    assert drive(True, plan, depth, word_ns, ktime, events) == drive(
        False, plan, depth, word_ns, ktime, events
    )


def test_bulk_is_used_at_all():
    bench = Bench()
    bench.control(SOF)
    assert bench.door.write_run("QS_INJ_STATUS", "QS_INJ_WR[0]", frame_words(300), 0, ktime=True) == 307
    assert (
        bench.door.ktime_reads
        == bench.door.reads["QS_INJ_STATUS"]
        == bench.door.writes["QS_INJ_WR[0]"]
        == 307
    )
