"""C8 and C21: what happens when the other side gets in between two words of a descriptor.

Each case is run twice: with the ring that knows its owner word, as the drivers have it, and with the order
(or the access) that a careless driver has.
"""

import pytest

from lan966x_lab.driver import Board, Options, RingBoard, run
from lan966x_lab.driver.fdma import FdmaPath
from lan966x_lab.driver.fdma_chain import CHANNELS, Chain
from lan966x_lab.driver.ravb import RavbDriver
from lan966x_lab.driver.skb import Skb, skb_from_frame
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.fdma import INVALID_DATA, Status
from lan966x_lab.hw.memory import Dma, Memory, OwnershipError
from lan966x_lab.hw.ravb import Ravb
from lan966x_lab.hw.registers import Door


def frame(n: int, size: int = 60) -> bytes:
    return bytes(12) + b"\x88\xb5" + bytes([n]) * (size - 14)


def full_ring(*, ordered: bool = True) -> tuple[RingBoard, list[bytes]]:
    """Two slots, two frames: the device stands before slot 0 again, which the driver is about to arm."""
    board = RingBoard(Options(late_skb=True), rx_ring=2)
    if not ordered:
        board.driver.rx.owner = None
    up: list[bytes] = []

    def keep(skb: Skb) -> None:
        assert skb.mac_header is not None
        up.append(bytes(skb.buffer[skb.mac_header : skb.tail]))
        skb.free()

    board.driver.receive = keep
    assert board.arrive([frame(1), frame(2)]) == 2
    return board, up


def test_own_is_written_last() -> None:
    """C8: address, barrier, OWN. A frame that comes too early finds no descriptor, the next one its own."""
    board, up = full_ring()
    taken: list[bool] = []
    board.driver.rx.interrupt_next(lambda: taken.append(board.device.receive(frame(3))), skip=1)
    board.run()
    assert taken == [False]
    board.arrive([frame(4)])
    board.run()
    assert up == [frame(1), frame(2), frame(4)]
    board.settle()


def test_own_before_the_address_lets_the_device_write_where_it_may_not() -> None:
    """C8: OWN is set, the address is that of the buffer that the stack has by now."""
    board, _ = full_ring(ordered=False)
    board.driver.rx.interrupt_next(lambda: board.device.receive(frame(3)), skip=1)
    with pytest.raises(OwnershipError, match=r"device write: 64 bytes at 0x\w+: nothing is mapped there"):
        board.run()


def test_no_order_of_the_cpu_helps_against_a_device_that_fetched_the_address_before() -> None:
    """C8 as it was found: the address word was fetched early, OWN after the driver had written both."""
    board, _ = full_ring()
    board.device.rx.ring.fetch_early(0, 1)
    board.driver.rx.interrupt_next(lambda: board.device.receive(frame(3)), skip=2)  # slot 0 is armed by then
    with pytest.raises(OwnershipError, match="nothing is mapped there"):
        board.run()


def test_a_doorbell_makes_the_device_fetch_again() -> None:
    """C8, the scheme that helps: a device that has stopped looks at nothing until the descriptor is whole."""
    board, up = full_ring()
    assert not board.device.receive(frame(3))  # no descriptor: it stops
    board.device.rx.ring.fetch_early(0, 1)
    board.driver.rx.interrupt_next(lambda: board.device.receive(frame(4)), skip=2)
    board.run()
    board.arrive([frame(5)])
    board.run()
    assert up == [frame(1), frame(2), frame(5)]
    board.settle()


@pytest.mark.parametrize("ordered", [True, False])
def test_own_and_address_of_a_frame_to_be_sent(ordered: bool) -> None:
    board = RingBoard(Options(late_skb=True), tx_ring=2)
    if not ordered:
        board.driver.tx.owner = None
    for n in range(1, 4):
        board.driver.xmit(skb_from_frame(frame(n)))

    def look() -> None:
        board.device.tx.doorbell()
        board.device.tx.run()

    board.driver.poll(0)
    board.driver.tx.interrupt_next(look)
    if not ordered:
        with pytest.raises(OwnershipError, match="device read: 60 bytes"):
            board.driver.xmit(skb_from_frame(frame(4)))
        return
    board.driver.xmit(skb_from_frame(frame(4)))
    assert board.sent == [frame(n) for n in range(1, 5)]
    board.settle()


@pytest.mark.parametrize("ordered", [True, False])
def test_the_type_of_a_descriptor_is_read_before_its_size(ordered: bool) -> None:
    """C21: size of the empty buffer, type of the filled one: 1538 bytes go up, 60 of them are the frame's."""
    dma, clock = Dma(), Clock()
    device = Ravb(dma, clock, Door(clock))
    up: list[bytes] = []

    def keep(skb: Skb) -> None:
        assert skb.mac_header is not None
        up.append(bytes(skb.buffer[skb.mac_header : skb.tail]))
        skb.free()

    driver = RavbDriver(device, Memory(), keep, rx_ring=4)
    assert driver.open()
    if not ordered:
        driver.rx.owner = None
    driver.rx.interrupt_next(lambda: device.receive(frame(7)))
    done = driver.poll(64)
    assert done == (not ordered)
    driver.poll(64)
    if not ordered:
        assert [len(each) for each in up] == [1538]
    else:
        assert up == [frame(7)]
    driver.close()
    assert dma.live == 0


class RewritingChain(Chain):
    """Appends by reading the whole tail and writing it back with another ``nextptr``."""

    def append(self, index: int, info: int, bus: int, status: int) -> None:
        self.dcbs.write(index, INVALID_DATA, info, bus, status)
        if self.tail is not None:
            _, *others = self.dcbs.read(self.tail)
            self.dcbs.write(self.tail, self.dcbs.address_of(index), *others)
        self.tail = index
        if self.is_active:
            self.door.modify("FDMA_CH_RELOAD", 1 << self.channel, CHANNELS)


@pytest.mark.parametrize("kind", [Chain, RewritingChain])
def test_done_of_the_tail_survives_the_append(kind: type[Chain]) -> None:
    """C21, the other way round: the engine writes DONE between the driver's read and its write."""
    board = Board()
    path = FdmaPath(board.driver, board.options, size=4)
    board.driver.paths["fdma"] = path
    board.options = Options(path="fdma")
    board.wire(0, 1)
    path.tx_chain = kind(path.door, path.tx_chain.channel, path.tx)
    board.carry([frame(1)])
    board.chip.fdma.byte_ns = 10
    board.send(frame(2))
    path.tx.interrupt_next(lambda: board.clock.advance(2000), skip=1 if kind is Chain else 2)
    board.send(frame(3))
    run(board)
    assert [each.frame for each in board.delivered] == [frame(n) for n in (1, 2, 3)]
    is_done = [bool(path.tx.read(index)[3] & Status.DONE.mask) for index in range(3)]
    if kind is RewritingChain:
        assert is_done == [True, False, True]
        assert path.tx_slots.used == 2  # and two more for each frame that follows: the ring fills up
        return
    assert is_done == [True, True, True]
    assert path.tx_slots.used == 0
    board.options = Options()
    assert (path.dma.live, path.memory.live_pages) == (0, 0)
    board.ledger.check_settled()
