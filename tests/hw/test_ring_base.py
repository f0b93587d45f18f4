import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.hw import bcm4908 as hw
from lan966x_lab.hw import ravb
from lan966x_lab.hw.bcm4908 import Bcm4908, Ctl
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.fcs import fcs
from lan966x_lab.hw.memory import Direction, Dma, OwnershipError
from lan966x_lab.hw.registers import Door, RegisterError
from lan966x_lab.hw.ring import DescriptorRing, Interrupt


class Bench:
    """A bcm4908 and the descriptors and buffers of one channel, without a driver."""

    def __init__(self, length: int = 4, room: int = 100) -> None:
        self.dma, clock = Dma(), Clock()
        self.door = Door(clock)
        self.sent: list[bytes] = []
        self.device = Bcm4908(self.dma, clock, self.door, self.sent.append)
        self.length, self.room = length, room
        self.buffers = [bytearray(room) for _ in range(length)]
        self.rings = {name: DescriptorRing.allocate(self.dma, hw.WORDS, length) for name in ("rx", "tx")}
        self.bus = [self.map(buffer) for buffer in self.buffers]

    def map(self, buffer: bytearray, direction: Direction = Direction.FROM_DEVICE) -> int:
        bus = self.dma.map_single(buffer, direction)
        assert bus is not None
        return bus

    def start(self, name: str) -> None:
        self.door.write(f"BASE_DESC_PTR[{name}]", self.rings[name].address)
        self.door.write(f"CH_CFG[{name}]", hw.CFG_ENABLE)

    def arm(self, index: int) -> None:
        wrap = Ctl.WRAP if index == self.length - 1 else 0
        self.rings["rx"].write(index, self.room << 16 | Ctl.OWN | wrap, self.bus[index])

    def give(self, index: int, data: bytes, flags: int) -> None:
        wrap = Ctl.WRAP if index == self.length - 1 else 0
        bus = self.map(bytearray(data), Direction.TO_DEVICE)
        self.rings["tx"].write(index, len(data) << 16 | Ctl.OWN | wrap | flags, bus)


def test_words_and_addresses():
    dma = Dma()
    ring = DescriptorRing.allocate(dma, "<HBBI", 3, links=1)
    ring.write(2, 0x1234, 5, 6, 0x789ABCDE)
    assert bytes(ring.view[16:24]) == bytes.fromhex("3412 05 06 debc9a78")
    assert ring.read(2) == (0x1234, 5, 6, 0x789ABCDE)
    assert [ring.next(index) for index in range(3)] == [1, 2, 0]
    assert len(ring.view) == 4 * 8
    device = DescriptorRing.at(dma, ring.address, "<HBBI")
    assert device.read(2) == ring.read(2)
    assert device.length == 4
    assert [ring.index_of(ring.address_of(index)) for index in range(3)] == [0, 1, 2]
    for wrong in (-8, 4, 24):
        with pytest.raises(ValueError, match="no descriptor at"):
            ring.index_of(ring.address + wrong)
    with pytest.raises(ValueError, match="at least 1"):
        DescriptorRing.allocate(dma, "<I", 0)


def test_bcm4908_words_bit_for_bit():
    """OWN 0x8000, EOP 0x4000, SOP 0x2000, WRAP 0x1000, length in bits 27..16."""
    bench = Bench(length=2)
    for index in range(2):
        bench.arm(index)
    assert struct.unpack_from("<II", bench.rings["rx"].view, 8) == (0x0064_9000, bench.bus[1])
    bench.start("rx")
    assert bench.device.receive(bytes(60))
    assert bench.device.receive(bytes(61))
    assert struct.unpack_from("<II", bench.rings["rx"].view, 0)[0] == 0x0040_6000
    assert struct.unpack_from("<II", bench.rings["rx"].view, 8)[0] == 0x0041_7000
    bench.dma.sync_single_for_cpu(bench.bus[0], 64)
    assert bytes(bench.buffers[0][:64]) == bytes(60) + fcs(bytes(60))
    bench.give(1, bytes(61), Ctl.SOP | Ctl.EOP | Ctl.APPEND_CRC)
    assert struct.unpack_from("<I", bench.rings["tx"].view, 8)[0] == 0x003D_F100
    assert (hw.LENGTH_MASK, hw.LENGTH_SHIFT) == (0x0FFF_0000, 16)
    assert {bit.name: int(bit) for bit in map(Ctl.__getitem__, Ctl.__members__)} == {
        "USEFPM": 0x8000_0000,
        "MULTICAST": 0x4000_0000,
        "OWN": 0x8000,
        "EOP": 0x4000,
        "SOP": 0x2000,
        "WRAP": 0x1000,
        "PRIO": 0x0C00,
        "APPEND_BRCM_TAG": 0x0200,
        "APPEND_CRC": 0x0100,
    }


def test_ravb_receive_words_bit_for_bit():
    """20 bytes: ds_cc, msc, die_dt, dptr, ts_n, ts_sl, ts_sh, reserved; the link behind them has the same."""
    dma, clock = Dma(), Clock()
    door = Door(clock)
    device = ravb.Ravb(dma, clock, door)
    table = DescriptorRing.allocate(dma, ravb.TX_WORDS, ravb.QUEUES)
    rx = DescriptorRing.allocate(dma, ravb.RX_WORDS, 3, links=1)
    buses = [dma.map_single(bytearray(100), Direction.FROM_DEVICE) for _ in range(3)]
    for index, bus in enumerate(buses):
        assert bus is not None
        struct.pack_into("<HBBIIIHH", rx.view, 20 * index, 100, 0, 0xC0, bus, 0, 0, 0, 0)  # FEMPTY
    struct.pack_into("<HBBI", rx.view, 60, 0, 0, 0x90, rx.address)  # LINKFIX
    for queue in (0, 4):  # queue 4 of the table is receive queue 0
        struct.pack_into("<HBBI", table.view, 8 * queue, 0, 0, 0x90, rx.address)
    door.write("DBAT", table.address)
    door.write("CCC", 2)
    door.write("RFLR", 1522)
    door.write("ECMR", 0x0080_0040)  # RCSC, RE
    clock.advance((5 << 32) * 10**9 + 7 * 10**9 + 11 - clock.now_ns)
    assert device.receive(b"\x01" + bytes(59))  # multicast
    assert device.receive(bytes(160), bad_fcs=True)  # two pieces, and the sum behind the frame
    stamp = struct.pack("<IIHH", 11, 7, 5, 0)
    for index, (size, msc, kind) in enumerate([(62, 0x80, 0x70), (100, 0, 0x50), (62, 0x01, 0x60)]):
        word = struct.pack("<HBBI", size, msc, kind, buses[index])
        assert bytes(rx.view[20 * index : 20 * index + 20]) == word + stamp
    struct.pack_into("<HBBIIIHH", rx.view, 0, 100 | 0xF000, 0, 0xC8, buses[0], 0, 0, 0, 0)  # DIE and CC bits
    assert not device.receive(bytes(1519))  # one descriptor is not enough
    assert device.receive(bytes(60))
    assert struct.unpack_from("<HBB", rx.view, 0) == (62, 0, 0x70)


def test_short_frames_are_padded_by_their_sender():
    bench = Bench()
    bench.arm(0)
    bench.start("rx")
    assert bench.device.receive(b"short")
    assert hw.length_of(bench.rings["rx"].read(0)[0]) == 64


def test_the_engine_stops_where_it_owns_nothing_and_a_doorbell_restarts_it():
    bench = Bench()
    bench.arm(0)
    bench.start("rx")
    assert [bench.device.receive(bytes(60)) for _ in range(2)] == [True, False]
    bench.arm(1)
    assert not bench.device.receive(bytes(60))  # armed, but nobody rang
    bench.door.write("CH_CFG[rx]", hw.CFG_ENABLE)
    assert bench.device.receive(bytes(60))
    assert (bench.device.rx.received, bench.device.rx.missed) == (2, 2)
    bench.door.write("CH_CFG[rx]", 0)
    assert not bench.device.receive(bytes(60))


@given(size=st.integers(60, 500), free=st.integers(0, 4))
def test_a_frame_takes_as_many_descriptors_as_it_needs_or_none(size: int, free: int):
    bench = Bench()
    for index in range(free):
        bench.arm(index)
    bench.start("rx")
    data = bytes(n & 255 for n in range(size))
    needed = -(-(size + 4) // 100)
    assert bench.device.receive(data) == (needed <= free)
    ctls = [bench.rings["rx"].read(index)[0] for index in range(4)]
    if needed <= free:
        got = b""
        for index in range(needed):
            length = hw.length_of(ctls[index])
            bench.dma.sync_single_for_cpu(bench.bus[index], length)
            got += bytes(bench.buffers[index][:length])
            assert bool(ctls[index] & Ctl.SOP) == (index == 0)
            assert bool(ctls[index] & Ctl.EOP) == (index == needed - 1)
        assert got == data + fcs(data)
    else:
        assert all(ctl & Ctl.OWN for ctl in ctls[:free])
        assert not bench.device.rx.running


def test_a_frame_longer_than_the_whole_ring_is_lost():
    bench = Bench()
    for index in range(4):
        bench.arm(index)
    bench.start("rx")
    assert not bench.device.receive(bytes(1000))
    assert bench.device.rx.missed == 1


def test_transmit_gathers_pieces_and_waits_for_the_last():
    bench = Bench()
    bench.give(0, b"one", Ctl.SOP | Ctl.EOP)
    bench.give(1, b"tw", Ctl.SOP)
    bench.start("tx")
    assert bench.sent == [b"one"]
    assert bench.rings["tx"].read(1)[0] & Ctl.OWN  # its end is missing: the device keeps it
    bench.give(2, b"o", Ctl.EOP)
    bench.door.write("CH_CFG[tx]", hw.CFG_ENABLE)
    assert bench.sent == [b"one", b"two"]
    assert not any(bench.rings["tx"].read(index)[0] & Ctl.OWN for index in range(3))
    bench.give(3, b"three", Ctl.SOP | Ctl.EOP)
    bench.give(0, b"four", Ctl.SOP | Ctl.EOP)
    bench.door.write("CH_CFG[tx]", hw.CFG_ENABLE)
    assert bench.sent[2:] == [b"three", b"four"]  # round the WRAP


def test_transmit_does_not_run_in_circles():
    bench = Bench(length=2)
    for index in range(2):
        bench.give(index, b"x", 0)
    bench.start("tx")
    assert bench.sent == []
    assert not bench.device.tx.running


def test_a_poisoned_address_is_an_iommu_fault():
    """C4, C8: an address word that is no mapping."""
    bench = Bench()
    bench.rings["rx"].write(0, 100 << 16 | Ctl.OWN, 0x123)
    bench.start("rx")
    with pytest.raises(OwnershipError, match="nothing is mapped"):
        bench.device.receive(bytes(60))


def test_registers_of_the_interrupt():
    bench = Bench()
    for index in range(2):
        bench.arm(index)
    bench.start("rx")
    bench.device.receive(bytes(60))
    irq = bench.device.rx_irq
    assert bench.door.read("CH_INT_STAT[rx]") == hw.INT_DONE
    assert not irq.asserted
    bench.door.write("CH_INT_MASK[rx]", hw.INT_DONE)
    assert irq.asserted
    bench.door.write("CH_INT_STAT[rx]", 0)  # write one to clear
    assert irq.asserted
    bench.door.write("CH_INT_STAT[rx]", hw.INT_DONE)
    assert not irq.asserted
    assert bench.door.read("CH_INT_STAT[rx]") == 0


def test_an_event_behind_the_mask_comes_through_when_it_opens():
    irq = Interrupt()
    irq.event()
    assert (irq.asserted, irq.raised) == (False, 0)
    irq.enable()
    assert (irq.asserted, irq.raised) == (True, 1)
    irq.event()
    assert irq.raised == 1  # one line, however many events
    irq.disable()
    irq.acknowledge()
    irq.enable()
    assert (irq.asserted, irq.raised) == (False, 1)


def test_coalescing_by_count_and_by_time():
    clock = Clock()
    irq = Interrupt(clock, frames=3, delay_ns=100)
    irq.enable()
    for _ in range(2):
        irq.event()
    assert not irq.asserted
    irq.event()
    assert irq.asserted
    irq.acknowledge()
    clock.advance(500)
    assert not irq.asserted  # the timer went with the third frame
    irq.event()
    clock.advance(99)
    assert not irq.asserted
    clock.advance(1)
    assert irq.asserted
    for wrong in ({"frames": 0}, {"delay_ns": -1}, {"frames": 2}, {"frames": 2, "delay_ns": 5}):
        with pytest.raises(ValueError, match="coalescing"):
            Interrupt(None, **wrong)


ROWS = st.tuples(st.integers(0, 0xFFFF), st.integers(0, 255), st.integers(0, 255), st.integers(0, 0xFFFFFFFF))


@given(before=ROWS, after=ROWS, owner=st.sampled_from([None, 0, 2, 3]), skip=st.integers(0, 2))
def test_the_owner_crosses_last_when_written_and_first_when_read(
    before: tuple[int, ...], after: tuple[int, ...], owner: int | None, skip: int
):
    """C8, C21: what the other side sees in the middle, and what this side gets when it wrote meanwhile."""
    ring = DescriptorRing.allocate(Dma(), "<HBBI", 2, owner=owner)
    other = DescriptorRing(ring.view, ring.address, "<HBBI", 2)
    crossed = {0} if owner is None else {0, 1, 2, 3} - {owner}
    seen: list[tuple[int, ...]] = []
    ring.write(1, *before)
    ring.interrupt_next(lambda: seen.append(other.read(1)), skip=skip)
    for _ in range(skip):
        ring.write(1, *before)
    ring.write(1, *after)
    assert seen == [tuple((after if word in crossed else before)[word] for word in range(4))]
    assert ring.read(1) == other.read(1) == after
    ring.interrupt_next(lambda: other.write(1, *before), skip=skip)
    for _ in range(skip):
        assert ring.read(1) == after
    first = owner or 0
    assert ring.read(1) == tuple((after if word == first else before)[word] for word in range(4))
    assert ring.read(1) == before
    ring.interrupt_next(lambda: other.write(1, *after))
    ring.write_word(1, 3, 77)
    assert ring.read(1) == (*after[:3], 77)
    assert ring.read(0) == (0, 0, 0, 0)


@given(before=ROWS, after=ROWS, word=st.integers(0, 3))
def test_a_word_that_was_fetched_early_is_old_until_the_next_look(
    before: tuple[int, ...], after: tuple[int, ...], word: int
):
    """C8."""
    ring = DescriptorRing.allocate(Dma(), "<HBBI", 2)
    device = DescriptorRing(ring.view, ring.address, "<HBBI", 2)
    ring.write(1, *before)
    device.fetch_early(1, word)
    ring.write(1, *after)
    assert device.read(1) == (*after[:word], before[word], *after[word + 1 :])
    assert device.read(0) == (0, 0, 0, 0)
    device.forget()
    assert device.read(1) == after
    device.fetch_early(1, word)
    device.write(1, *before)
    assert device.read(1) == before


def test_a_ring_refuses_what_it_has_no_place_for():
    ring = DescriptorRing.allocate(Dma(), "<II", 3, links=1)
    for index in (-1, 4):
        for access in (
            lambda: ring.read(index),  # noqa: B023
            lambda: ring.write(index, 1, 2),  # noqa: B023
            lambda: ring.write_word(index, 0, 1),  # noqa: B023
            lambda: ring.fetch_early(index, 0),  # noqa: B023
        ):
            with pytest.raises(IndexError, match=f"no descriptor {index}: the ring has 0 to 3"):
                access()
    for words in ((1,), (1, 2, 3), (-1, 0), (0, 1 << 32)):
        with pytest.raises(ValueError, match="descriptor 0 <- "):
            ring.write(0, *words)
    assert not any(ring.view)
    with pytest.raises(ValueError, match="skip is -1"):
        ring.interrupt_next(lambda: None, skip=-1)
    with pytest.raises(RegisterError, match="a doorbell, but no ring: write its address first"):
        Bench().door.write("CH_CFG[rx]", hw.CFG_ENABLE)
