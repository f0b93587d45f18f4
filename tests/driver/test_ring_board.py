import doctest

import pytest

from lan966x_lab.driver import fdma_rx, ring_board, tx_slots
from lan966x_lab.driver.bcm4908_published import PublishedBcm4908Driver
from lan966x_lab.driver.options import Options
from lan966x_lab.driver.ring_board import RingBoard
from lan966x_lab.driver.skb import SkbSlab
from lan966x_lab.hw.memory import OwnershipError

FRAME = bytes(60)


@pytest.mark.parametrize(
    ("late", "steps"),
    [
        (False, ["alloc", "build", "unmap", "arm", "up"]),
        (True, ["alloc", "unmap", "build", "arm", "up"]),
    ],
)
def test_who_does_what_when(late: bool, steps: list[str]):
    """Seed 003 in one line: early builds for the buffer to come, late for the frame that is there."""
    board = RingBoard(Options(late_skb=late), rx_ring=4)
    board.arrive([FRAME])
    board.run()
    assert board.steps == [(step, 0) for step in steps]
    board.settle()


def test_steps_of_lost_and_copied_frames():
    board = RingBoard(Options(late_skb=True), rx_ring=4, copybreak=100)
    board.arrive([FRAME])
    board.device.rx.receive(bytes(59))
    board.run()
    assert board.steps == [("copy", 0), ("arm", 0), ("up", 0), ("drop", 1), ("arm", 1)]
    board.settle()


def test_the_ring_as_a_picture():
    board = RingBoard(Options(late_skb=False), rx_ring=4)
    board.arrive([FRAME, FRAME])
    slots = board.slots()
    assert [slot.state for slot in slots] == ["waits", "waits", "armed", "armed"]
    assert [slot.length for slot in slots] == [64, 64, 1532, 1532]
    assert [(slot.page, slot.offset) for slot in slots] == [(0, 2176), (0, 256), (1, 2176), (1, 256)]
    assert [slot.is_device_next for slot in slots] == [False, False, True, False]
    assert [slot.is_driver_next for slot in slots] == [True, False, False, False]
    assert all(slot.has_skb for slot in slots)
    board.driver.poll(1)
    slots = board.slots()
    assert [slot.state for slot in slots] == ["armed", "waits", "armed", "armed"]
    assert slots[0].page == 2
    assert slots[1].is_driver_next
    board.settle()
    late = RingBoard(Options(late_skb=True), rx_ring=2)
    assert not any(slot.has_skb for slot in late.slots())


def test_no_memory_at_the_start():
    with pytest.raises(MemoryError, match="no memory for the ring"):
        RingBoard(slab=SkbSlab(fails=lambda: True))


def test_settle_names_what_is_left():
    board = RingBoard(Options(late_skb=True), rx_ring=2)
    board.driver.receive = lambda skb: None  # a stack that keeps what it gets
    board.arrive([FRAME])
    board.run()
    with pytest.raises(OwnershipError, match="not given back: 1 pages, 1 structures"):
        board.settle()
    with pytest.raises(OwnershipError, match="unmapped with 0 bytes"):
        RingBoard(Options(late_skb=True), cls=PublishedBcm4908Driver).settle()


@pytest.mark.parametrize("module", [ring_board, fdma_rx, tx_slots])
def test_examples(module):
    assert doctest.testmod(module).failed == 0
