"""PTP clock, two-step FIFO, rewriter: against plain arithmetic."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.hw import rewriter
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.lan966x_regs import DomCfg, PduType, PinAction, PinCfg, TwoStepCtrl
from lan966x_lab.hw.phc import NOMINAL_INCREMENT, SECOND, PtpClock
from lan966x_lab.hw.registers import Costs, Door, RegisterError
from lan966x_lab.hw.timestamps import TwoStepFifo
from lan966x_lab.net import checksum

TICK = Fraction(10**9, 165_625_000)


def bench(enable=7):
    door = Door(Clock(), Costs(0, 0, 0))
    ptp = PtpClock(door)
    for domain in range(3):
        door.write(f"PTP_CLK_PER_CFG[{domain}][0]", NOMINAL_INCREMENT & 0xFFFFFFFF)
        door.write(f"PTP_CLK_PER_CFG[{domain}][1]", NOMINAL_INCREMENT >> 32)
    door.write("PTP_DOM_CFG", DomCfg.ENA.put(enable))
    return door, ptp


def act(door, action, pin=7, domain=0):
    door.write(f"PTP_PIN_CFG[{pin}]", PinCfg.ACTION.put(action) | PinCfg.DOM.put(domain))


def tod(door, pin=7):
    return tuple(door.read(f"PTP_TOD_{part}[{pin}]") for part in ("SEC_MSB", "SEC_LSB", "NSEC"))


def test_the_nominal_increment_is_one_tick():
    assert abs(Fraction(NOMINAL_INCREMENT, 1 << 59) - TICK) < Fraction(1, 1 << 58)


@given(st.lists(st.integers(0, 10**12), max_size=20))
def test_the_clock_runs_exactly_at_its_increment_however_often_it_is_read(steps):
    door, ptp = bench()
    for step in steps:
        door.clock.advance(step)
        assert ptp.domains[0].now_ns == int(door.clock.now_ns / TICK * Fraction(NOMINAL_INCREMENT, 1 << 59))
    assert ptp.domains[0].now_ns == door.clock.now_ns


def test_a_disabled_domain_stands_still():
    door, ptp = bench(enable=0b101)
    door.clock.advance(SECOND)
    assert [domain.now_ns for domain in ptp.domains] == [SECOND, 0, SECOND]


def test_save_latches_and_later_reads_see_the_latch():
    door, ptp = bench()
    ptp.domains[0].load((1 << 40) * SECOND + 123)
    act(door, PinAction.SAVE)
    door.clock.advance(5 * SECOND)
    assert tod(door) == (1 << 8, 0, 123)


@pytest.mark.parametrize(
    ("ns", "reading"),
    [
        (999_999_983, (0, 41, 999_999_983)),
        (999_999_984, (0, 42, 0x3FFFFFF0)),
        (999_999_999, (0, 42, 0x3FFFFFFF)),
        (0, (0, 41, 0)),
    ],
)
def test_the_reading_is_slightly_negative_before_a_second(ns, reading):
    door, ptp = bench()
    ptp.domains[0].load(41 * SECOND + ns)
    act(door, PinAction.SAVE)
    assert tod(door) == reading


def test_load_and_delta():
    door, ptp = bench()
    door.write("PTP_TOD_SEC_MSB[7]", 1)
    door.write("PTP_TOD_SEC_LSB[7]", 2)
    door.write("PTP_TOD_NSEC[7]", 3)
    act(door, PinAction.LOAD, domain=2)
    assert ptp.domains[2].now_ns == ((1 << 32) + 2) * SECOND + 3
    act(door, PinAction.IDLE)
    door.write("PTP_TOD_NSEC[7]", -10 & 0x3FFFFFFF)
    act(door, PinAction.DELTA, domain=2)
    assert ptp.domains[2].now_ns == ((1 << 32) + 1) * SECOND + 999_999_993


def test_a_pin_with_an_action_does_not_take_a_time():
    door, _ = bench()
    act(door, PinAction.SAVE)
    with pytest.raises(RegisterError, match=r"PTP_TOD_NSEC\[7\].*IDLE first"):
        door.write("PTP_TOD_NSEC[7]", 0)


@pytest.mark.parametrize("action", [PinAction.CLOCK, PinAction.TOD, 7])
def test_other_pin_actions_are_refused(action):
    door, _ = bench()
    with pytest.raises(RegisterError, match=f"action {int(action)} is not modelled"):
        act(door, action)
    with pytest.raises(RegisterError, match="domain 3"):
        act(door, PinAction.SAVE, domain=3)
    with pytest.raises(RegisterError, match="SYNC is not modelled"):
        door.write("PTP_PIN_CFG[7]", PinCfg.SYNC.put(3))


def test_an_increment_is_taken_when_its_domain_is_enabled_again_and_half_written_otherwise():
    door, ptp = bench()
    door.write("PTP_DOM_CFG", DomCfg.ENA.put(7) | DomCfg.CLKCFG_DIS.put(0b010))
    for domain in (0, 1):
        door.write(f"PTP_CLK_PER_CFG[{domain}][0]", 0)
    assert ptp.domains[1].increment == NOMINAL_INCREMENT
    assert ptp.domains[0].increment == NOMINAL_INCREMENT >> 32 << 32
    door.write("PTP_DOM_CFG", DomCfg.ENA.put(7))
    assert ptp.domains[1].increment == NOMINAL_INCREMENT >> 32 << 32


def fifo(depth=8):
    door = Door(Clock(), Costs(0, 0, 0))
    return door, TwoStepFifo(door, depth=depth)


def take(door):
    control, stamp = door.read("PTP_TWOSTEP_CTRL"), door.read("PTP_TWOSTEP_STAMP")
    door.modify("PTP_TWOSTEP_CTRL", TwoStepCtrl.NXT.mask, TwoStepCtrl.NXT.mask)
    return control, stamp


def test_entries_come_in_pairs_time_first():
    door, stamps = fifo()
    assert take(door) == (0, 0)
    stamps.stamp(3, 999_999_999, 511)
    assert stamps.pending
    assert take(door) == (1 << 10 | 1 << 9 | 3 << 1, 999_999_999 << 2)
    assert take(door) == (1 << 10 | 3 << 1, 511)
    assert not stamps.pending


def test_a_pair_that_does_not_fit_is_lost_whole_and_reported():
    door, stamps = fifo(depth=5)
    for ident in range(3):
        stamps.stamp(0, 7, ident)
    seen = [take(door) for _ in range(5)]
    assert [stamp for _, stamp in seen] == [28, 0, 28, 1, 0]
    assert [control & 1 for control, _ in seen] == [1, 0, 0, 0, 0]
    assert stamps.pairs == {"stored": 2, "overflowed": 1}


def test_stamps_can_be_dropped_delayed_and_orphaned():
    door, stamps = fifo()
    stamps.drop_next()
    stamps.delay_next(100)
    stamps.stamp(0, 1, 1)
    stamps.stamp(0, 2, 2)
    stamps.add_orphan(4, 9)
    assert take(door) == (1 << 10 | 4 << 1, 9)
    door.clock.advance(100)
    assert take(door)[1] == 8


TIME = (0x123456789ABC * SECOND) + 0x1DCD6500 - 1


def sync(head: bytes) -> bytes:
    return head + bytes([0, 2, 0, 44]) + bytes(30) + bytes(range(10)) + b"tail"


L2 = bytes(12) + b"\x88\xf7"
IP4 = bytes(12) + b"\x08\x00" + bytes([0x46]) + bytes(23) + b"\x01\x3f\x01\x3f\x00\x3a\x12\x34"
IP6 = bytes(12) + b"\x86\xdd" + bytes(40) + b"\x01\x3f\x01\x3f\x00\x3a\x00\x00"
TAG = b"\x81\x00\x00\x05"


@pytest.mark.parametrize("tags", [b"", TAG, b"\x88\xa8\x00\x07" + TAG])
@pytest.mark.parametrize(("head", "pdu"), [(L2, PduType.NONE), (IP4, PduType.IPV4), (IP6, PduType.IPV6)])
def test_one_step_writes_the_origin_timestamp_where_the_pdu_type_says(tags, head, pdu):
    head = head[:12] + tags + head[12:]
    out = rewriter.one_step(sync(head), pdu, TIME)
    expected = bytearray(sync(head))
    expected[len(head) + 34 : len(head) + 44] = bytes.fromhex("123456789abc") + bytes.fromhex("1dcd64ff")
    if pdu == PduType.IPV4:
        at = len(head) - 2
        assert out[at : at + 2] != expected[at : at + 2]
        before, after = (checksum.ones_sum(frame[at - 6 :]) for frame in (sync(head), out))
        assert before == after
        expected[at : at + 2] = out[at : at + 2]
    assert out == bytes(expected)


def test_a_wrong_pdu_type_spoils_the_ptp_header():
    """L@57ee9584fd86: PDU_TYPE 0 on UDP over IPv4 overwrites flags and correction."""
    head = bytes(12) + b"\x08\x00" + bytes([0x45]) + bytes(19) + b"\x01\x3f\x01\x3f\x00\x3a\x12\x34"
    out = rewriter.one_step(sync(head), PduType.NONE, TIME)
    changed = [i - len(head) for i, (a, b) in enumerate(zip(sync(head), out, strict=True)) if a != b]
    assert changed
    assert set(changed) <= set(range(6, 16))


@pytest.mark.parametrize("pdu", PduType)
def test_a_frame_that_is_too_short_stays_as_it_is(pdu):
    for n in range(14, 57):
        assert rewriter.one_step(L2 + bytes(n - 14), pdu, TIME) == L2 + bytes(n - 14)


@pytest.mark.parametrize(("tci", "tag"), [(5, "81000005"), (0x1E123, "88a8e123"), (0xF001, "8100f001")])
def test_the_tag_type_is_bit_16_of_tci(tci, tag):
    assert rewriter.insert_tag(bytes(12) + b"\x08\x00", tci) == bytes(12) + bytes.fromhex(tag) + b"\x08\x00"
