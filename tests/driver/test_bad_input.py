"""Whatever a caller gets wrong: a clear refusal, balanced books, and the next good frame goes through."""

import contextlib
from array import array
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from offload_frames import ipv4, tcp

from lan966x_lab.driver import Board, HwtstampConfig, Options, RingBoard, RxFilter, TxType, run
from lan966x_lab.driver.bcm4908 import Bcm4908Driver
from lan966x_lab.driver.ravb import RavbDriver
from lan966x_lab.driver.skb import IpSummed, SkbError, skb_from_frame
from lan966x_lab.driver.stack import Stack
from lan966x_lab.hw import ravb
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.registers import Door
from lan966x_lab.ifh import FieldRangeError
from lan966x_lab.net import batch

GOOD = bytes(12) + b"\x88\xb5" + bytes(46)
SYNC = bytes.fromhex("011b19000000 020000000001 88f7 0002002c") + bytes(40)
PATHS = ("manual", "fdma")

anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=80)
)


def board_of(path: str, **chip: Any) -> Board:
    board = Board(Options(path=path), **chip)
    board.wire(0, 1)
    board.hwtstamp(0, TxType.ON, RxFilter.NONE)
    return board


def good_as_ever(board: Board) -> None:
    """Nothing is left over, and a good frame goes through."""
    run(board)
    assert not any(board.queues)
    board.ledger.check_settled()
    assert board.driver.ptp.outstanding == 0
    assert board.carry([GOOD])[-1].frame == GOOD
    board.ledger.check_settled()
    if board.options.path == "fdma":
        path = board.driver.path
        board.options = Options()
        assert (path.dma.live, path.memory.live_pages) == (0, 0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=60, deadline=None)
@given(
    frame=st.one_of(st.just(SYNC), anything),
    port=st.one_of(st.integers(-1, 9), anything),
    priority=anything,
    vlan_tci=anything,
    stamp=anything,
)
@example(frame=GOOD, port=0, priority=-1, vlan_tci=None, stamp=False)
@example(frame=SYNC, port=0, priority=-1, vlan_tci=None, stamp=True)
@example(frame=SYNC, port=0, priority=0, vlan_tci=1 << 16, stamp=True)
def test_bad_arguments_of_send_leave_nothing_behind(path: str, **sent: Any) -> None:
    board = board_of(path)
    port = sent.pop("port")
    with contextlib.suppress(ValueError, TypeError):
        board.send(sent.pop("frame"), port, **sent)
    good_as_ever(board)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        ({"priority": -1}, ValueError, "priority is -1: allowed 0 to 4294967295; from 7 on"),
        ({"priority": 1 << 32}, ValueError, "allowed 0 to 4294967295"),
        (
            {"priority": "high"},
            TypeError,
            r"priority is 'high' \(str\): allowed 0 to 4294967295; give a whole number",
        ),
        ({"priority": 1.5}, TypeError, "priority is 1.5"),
        (
            {"vlan_tci": 65536},
            ValueError,
            r"vlan_tci is 65536: allowed 0 to 65535; priority in bits 15\.\.13",
        ),
        ({"vlan_tci": -1}, ValueError, "vlan_tci is -1"),
        ({"stamp": 1}, TypeError, "stamp is 1: True asks"),
        ({"source": 1.0}, TypeError, "port is 1.0"),
        ({"stamp": "x" * 99}, TypeError, "stamp is 'x{39}: True asks"),
        ({"frame": 60}, TypeError, r"a bytes-like object is needed .*, not 60 \(int\); make bytes of it"),
        ({"frame": "abc"}, TypeError, r"not 'abc' \(str\); make bytes of it"),
        ({"frame": [0] * 60}, TypeError, r"not \[0(, 0){12},  \(list\); make bytes"),
    ],
)
def test_send_says_what_is_allowed(wrong: dict[str, Any], error: type[Exception], words: str) -> None:
    board = board_of("manual")
    with pytest.raises(error, match=words):
        board.send(**({"frame": GOOD} | wrong))
    assert board.ledger.entered["tx"] == 0
    good_as_ever(board)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "buffer",
    [
        bytearray,
        memoryview,
        lambda frame: np.frombuffer(frame, np.uint8),
        lambda frame: np.frombuffer(frame[::-1], np.uint8)[::-1],
        lambda frame: memoryview(frame).cast("H"),
        lambda frame: array("I", frame),
    ],
    ids=["bytearray", "memoryview", "numpy", "reversed", "16 bits", "array"],
)
def test_a_frame_may_come_in_any_buffer(path: str, buffer: Callable[[bytes], Any]) -> None:
    frame = GOOD[:14] + bytes(range(46))
    board = board_of(path)
    assert [sent.frame for sent in board.carry([buffer(frame)])] == [frame]
    rows, lengths = batch.stack([frame] * 3)
    assert len(set(lengths)) == 1
    assert [sent.frame for sent in board.carry(rows, priority=np.uint8(7))] == [frame] * 3
    good_as_ever(board)


@pytest.mark.parametrize(
    "one", [GOOD, bytearray(GOOD), memoryview(GOOD), np.frombuffer(GOOD, np.uint8), b"", "abc"], ids=type
)
def test_one_frame_is_no_list_of_frames(one: Any) -> None:
    board = board_of("manual")
    with pytest.raises(TypeError, match=r"^frames is one frame: give a list, \[frame\]$"):
        board.carry(one)
    assert board.ledger.entered["tx"] == 0
    good_as_ever(board)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("template", [False, True])
@pytest.mark.parametrize("frame", [GOOD, SYNC], ids=["plain", "sync"])
def test_a_field_that_does_not_fit_ends_the_frame(path: str, template: bool, frame: bytes) -> None:
    """Behind `Board.send` as well: an skb from elsewhere, 600 times (there are 512 timestamp ids)."""
    board = board_of(path)
    board.options = Options(path=path, ifh_template=template)
    for _ in range(600):
        skb = skb_from_frame(frame)
        skb.vlan_tci, skb.wants_hw_timestamp = 1 << 40, True
        with pytest.raises(FieldRangeError):
            board.driver.xmit(0, skb)
        assert skb.freed
    assert board.ledger.count("tx", "error") == board.driver.ports[0].stats["tx_error"] == 600
    good_as_ever(board)


class DeviceError(RuntimeError):
    """Something breaks in the middle of a register access."""


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=40, deadline=None)
@given(at_ns=st.integers(0, 14_000), frame=st.sampled_from([GOOD, SYNC]), fails=st.integers(1, 2))
def test_an_exception_on_the_way_ends_the_frame(path: str, at_ns: int, frame: bytes, fails: int) -> None:
    """The queue goes on, the FIFO is not stuck inside a frame, no buffer and no id is lost.

    With FDMA the frame may be in the ring already when the doorbell fails: the next one takes it along.
    """

    def fail() -> None:
        raise DeviceError

    board = board_of(path)
    board.carry([GOOD])
    for n in range(fails):
        board.clock.after(at_ns + n * 100_000, fail)
    with contextlib.suppress(DeviceError):
        board.send(frame, 0, stamp=True)
    while (due_ns := board.clock.next_ns) is not None:  # what is left of the errors strikes an idle CPU
        with contextlib.suppress(DeviceError):
            board.clock.advance(max(0, due_ns - board.clock.now_ns))
    good_as_ever(board)


@pytest.mark.parametrize("path", PATHS)
@settings(max_examples=60, deadline=None)
@given(at_ns=st.integers(0, 60_000), late=st.booleans())
def test_an_exception_during_reception_ends_the_frame(path: str, at_ns: int, late: bool) -> None:
    """Wherever it strikes, while three frames are sent and received: no reader is stuck inside one."""

    def fail() -> None:
        raise DeviceError

    board = board_of(path)
    board.options = replace(board.options, late_skb=late)
    board.carry([GOOD])
    board.clock.after(at_ns, fail)
    for _ in range(3):
        with contextlib.suppress(DeviceError):
            board.send(GOOD)
    while True:
        try:
            run(board)
            break
        except DeviceError:
            continue
    good_as_ever(board)
    ended = board.ledger.count("rx", "delivered") + board.ledger.count("rx", "error")
    assert board.ledger.entered["rx"] == ended


def ring_board() -> RingBoard:
    return RingBoard(Options(late_skb=True), rx_ring=4, tx_ring=2)


def ravb_driver() -> tuple[RavbDriver, list[bytes]]:
    dma, clock = Dma(), Clock()
    sent: list[bytes] = []
    device = ravb.Ravb(dma, clock, Door(clock), wire=sent.append)
    driver = RavbDriver(device, Memory(), Stack().receive, tx_ring=2)
    assert driver.open()
    return driver, sent


@pytest.mark.parametrize("ring", ["bcm4908", "ravb"])
@pytest.mark.parametrize("size", [4096, 65535, 65536, 70_000])
def test_a_frame_that_no_descriptor_can_say_is_dropped(ring: str, size: int) -> None:
    """Its length field has 12 bits: a longer frame would change the flags beside it."""
    if ring == "bcm4908":
        board = ring_board()
        driver: Bcm4908Driver | RavbDriver = board.driver
        sent = board.sent
    else:
        driver, sent = ravb_driver()
    for _ in range(5):
        long = skb_from_frame(bytes(size))
        assert driver.xmit(long)
        assert long.freed
    assert (driver.stats.tx_dropped, driver.dma.live) == (5, driver.rx_size)
    assert driver.xmit(skb_from_frame(GOOD))
    assert driver.xmit(skb_from_frame(bytes(4095)))
    driver.poll(0)
    assert [len(frame) for frame in sent] == [60, 4095]
    driver.close()
    assert driver.dma.live == 0


def test_a_checksum_field_outside_the_frame_takes_nothing() -> None:
    for driver in (ring_board().driver, ravb_driver()[0]):
        skb = skb_from_frame(ipv4(tcp(b"x"), 6))
        skb.ip_summed, skb.csum_start = IpSummed.PARTIAL, -5
        live = driver.dma.live
        for _ in range(5):
            with pytest.raises(SkbError, match="skb_checksum_help"):
                driver.xmit(skb)  # type: ignore[attr-defined]
        assert (driver.dma.live, driver.tx_slots.used, skb.users) == (live, 0, 1)


@pytest.mark.parametrize("ring", ["bcm4908", "ravb"])
def test_a_closed_interface_says_so(ring: str) -> None:
    driver = ring_board().driver if ring == "bcm4908" else ravb_driver()[0]
    driver.close()
    calls: dict[str, Callable[[], object]] = {
        "close": driver.close,
        "poll": lambda: driver.poll(1),
        "xmit": lambda: driver.xmit(skb_from_frame(GOOD)),
    }
    for name, call in calls.items():
        with pytest.raises(RuntimeError, match=f"{name}: the interface is closed; open it first"):
            call()
    assert driver.dma.live == 0
    assert driver.open()
    with pytest.raises(RuntimeError, match="open: the interface is already open"):
        driver.open()
    assert driver.xmit(skb_from_frame(GOOD))
    driver.close()


# ---- the other entry points ----

board = Board()
chip = board.chip
driver = board.driver
REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: driver.poll(-1), ValueError, "budget is -1: allowed 0 or more; the kernel's own is 64"),
    (lambda: driver.poll(1.5), TypeError, "budget is 1.5"),  # type: ignore[arg-type]
    (lambda: ring_board().driver.poll(-1), ValueError, "budget is -1"),
    (lambda: ring_board().run(0), ValueError, "budget is 0: allowed 1 or more"),
    (lambda: ravb_driver()[0].poll(-1), ValueError, "budget is -1"),
    (lambda: driver.set_mtu(9, 1500), ValueError, "port is 9: allowed 0 to 7"),
    (lambda: driver.set_mtu(-1, 1500), ValueError, "port is -1: allowed 0 to 7"),
    (lambda: driver.set_mtu(0, 67), ValueError, "mtu is 67: allowed 68 to 9000; in bytes of payload"),
    (lambda: driver.set_mtu(0, "1500"), TypeError, "mtu is '1500'"),  # type: ignore[arg-type]
    (lambda: driver.xmit(8, skb_from_frame(GOOD)), ValueError, "port is 8: allowed 0 to 7"),
    (lambda: driver.xmit(-1, skb_from_frame(GOOD)), ValueError, "port is -1"),
    (lambda: board.hwtstamp(8, 0, 0), ValueError, "port is 8"),
    (lambda: driver.ptp.hwtstamp_get(-1), ValueError, "port is -1"),
    (lambda: driver.ptp.hwtstamp_set(-1, HwtstampConfig()), ValueError, "port is -1"),
    (lambda: driver.ptp.clock.gettime(3), ValueError, "domain is 3: allowed 0 to 2; domain 0 is the ports'"),
    (lambda: driver.ptp.clock.settime(0, -1), ValueError, "domain is -1"),
    (lambda: driver.ptp.clock.adjfine(0, 3), ValueError, "domain is 3"),
    (lambda: setattr(board, "options", None), TypeError, "options are None: give driver.Options"),
    (lambda: setattr(ring_board().driver, "options", {}), TypeError, "options are {}"),
    (lambda: setattr(ravb_driver()[0], "options", None), TypeError, "options are None"),
    (lambda: Board("fdma"), TypeError, "options are 'fdma'"),  # type: ignore[arg-type]
    (lambda: run(), ValueError, "run with 0 boards: give one or more"),
    (lambda: run(None), TypeError, "board is None: give each board by itself"),  # type: ignore[arg-type]
    (lambda: run([board]), TypeError, "give each board by itself, run"),  # type: ignore[arg-type]
    (lambda: run(board, limit_ns=0.5), TypeError, "limit_ns is 0.5"),  # type: ignore[arg-type]
    (lambda: run(board, Board()), ValueError, "share a clock"),
    (lambda: run(board, limit_ns=-1), ValueError, "limit_ns is -1"),
    (lambda: board.wire(2, 3, to=Board()), ValueError, "a clock of its own"),
    (lambda: board.wire(2, 3, -5), ValueError, "delay_ns is -5: allowed 0 or more"),
    (lambda: Board(fifo_depth=0), ValueError, "fifo_depth is 0: allowed 1 or more; in words"),
    (lambda: Board(fifo_watermark=0), ValueError, "fifo_watermark is 0"),
    (lambda: Board(fifo_word_ns=0), ValueError, "fifo_word_ns is 0"),
    (lambda: Board(speed_mbps=0), ValueError, "speed_mbps is 0: allowed 1 to 32000"),
    (lambda: RingBoard(copybreak=-1), ValueError, "copybreak is -1"),
    (lambda: RavbDriver(ravb_driver()[0].device, Memory(), print, mtu=-1), ValueError, "mtu is -1"),
    (lambda: chip.faults["x"], KeyError, "there is no fault 'x'; the nearest name is"),
    (lambda: chip.faults["frame abortd"], KeyError, "the nearest name is 'frame aborted'"),
    (lambda: chip.injection[0].hold(-1), ValueError, "ns is -1: allowed 0 or more; None stalls until"),
    (lambda: chip.two_step.delay_next(-1), ValueError, "ns is -1"),
    (lambda: chip.door.write("FDMA_CH_CFG[6]", 1.5), TypeError, "the word for FDMA_CH_CFG"),  # type: ignore[arg-type]
    (lambda: chip.door.delay(-1), ValueError, "ns is -1"),
    (lambda: Memory().alloc_pages(-1), ValueError, "order is -1: allowed 0 to 10"),
    (lambda: Dma().alloc_coherent(-1), ValueError, "size is -1"),
]


@pytest.mark.parametrize("n", range(len(REFUSED)))
def test_a_wrong_value_is_named_with_its_range(n: int) -> None:
    call, error, words = REFUSED[n]
    with pytest.raises(error, match=words):
        call()


def test_what_was_refused_left_no_trace() -> None:
    """The board of the table above still works."""
    fresh = Board()
    for each in (board, fresh):
        each.ledger.check_settled()
    assert board.driver.ports[0].mtu == 1500
    assert board.options == Options()
    assert not any(port.wire for port in chip.ports[2:4])
