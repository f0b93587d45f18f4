"""The FDMA engine at its registers: configuration, discarding, errors. No driver, no real frames."""

import pytest

from lan966x_lab import ifh
from lan966x_lab.hw.fdma import DCB_WORDS, INJ_CHANNEL, INVALID_DATA, OWNER, XTR_CHANNEL, Errors, Info, Status
from lan966x_lab.hw.lan966x import Lan966x
from lan966x_lab.hw.lan966x_regs import GrpCfg
from lan966x_lab.hw.memory import Direction
from lan966x_lab.hw.registers import RegisterError
from lan966x_lab.hw.ring import DescriptorRing

GOOD = 0x13
"""FDMA_CH_CFG as the kernel's driver writes it: INTR_DB_EOF_ONLY, one DB, injection port 0, MEM."""
XTR, INJ = 1 << XTR_CHANNEL, 1 << INJ_CHANNEL


class Bench:
    """A chip in FDMA mode with a chain of buffers for each channel; nothing is activated."""

    def __init__(self, room: int = 512, count: int = 3) -> None:
        self.chip = Lan966x()
        self.door, self.fdma = self.chip.door, self.chip.fdma
        self.dma = self.fdma.dma
        for group in ("QS_XTR_GRP_CFG[0]", "QS_INJ_GRP_CFG[0]"):
            self.door.write(group, GrpCfg.MODE.put(GrpCfg.FDMA))
        self.door.write("FDMA_PORT_CTRL[0]", 0)
        self.door.write("FDMA_INTR_DB_ENA", XTR | INJ)
        self.room = room
        self.rx = self.chain([bytes(room)] * count, Direction.FROM_DEVICE, 0)
        header = ifh.LAN966X.tx.encode(BYPASS=1, DSTS=1)
        flags = Status.SOF.mask | Status.EOF.mask
        self.tx = self.chain([header + bytes(64)] * count, Direction.TO_DEVICE, flags)

    def chain(self, pieces: list[bytes], direction: Direction, flags: int) -> DescriptorRing:
        ring = DescriptorRing.allocate(self.dma, DCB_WORDS, len(pieces), owner=OWNER)
        for index, piece in enumerate(pieces):
            bus = self.dma.map_single(bytearray(piece), direction)
            assert bus is not None
            last = index == len(pieces) - 1
            status = flags | Status.INTR.mask | (len(piece) if flags else 0)
            nextptr = INVALID_DATA if last else ring.address_of(index + 1)
            ring.write(index, nextptr, Info.DATAL.put(len(piece)), bus, status)
        return ring

    def activate(self, channel: int, config: int | None = GOOD) -> None:
        ring = self.rx if channel == XTR_CHANNEL else self.tx
        self.door.write(f"FDMA_DCB_LLP[{channel}]", ring.address)
        if config is not None:
            self.door.write(f"FDMA_CH_CFG[{channel}]", config)
        self.door.write("FDMA_CH_ACTIVATE", 1 << channel)

    def done(self, ring: DescriptorRing) -> list[bool]:
        return [bool(ring.read(index)[3] & Status.DONE.mask) for index in range(ring.length)]

    def arrive(self, size: int = 100) -> None:
        self.chip.switch.to_cpu(bytes(size))


@pytest.mark.parametrize("channel", [XTR_CHANNEL, INJ_CHANNEL])
@pytest.mark.parametrize("config", [None, 0, 0x10, 0x12, 0x11, 0x15, 0x17, 0x1B, 0x33, 0x113])
def test_a_channel_is_activated_only_as_the_driver_configures_it(channel: int, config: int | None) -> None:
    """None: as reset leaves it, with three DBs to a DCB."""
    bench = Bench()
    with pytest.raises(
        RegisterError, match=rf"channel {channel} is activated with FDMA_CH_CFG.*\(0x3, or 0x13\)"
    ):
        bench.activate(channel, config)
    assert bench.door.read("FDMA_CH_ACTIVE") == 0
    bench.activate(channel)
    assert bench.door.read("FDMA_CH_ACTIVE") == 1 << channel


@pytest.mark.parametrize(("config", "events"), [(0x13, 1), (0x03, 3)])
def test_eof_only_keeps_the_middle_of_a_frame_quiet(config: int, events: int) -> None:
    bench = Bench(room=100)
    raised = []
    event = bench.fdma.irqs[XTR_CHANNEL].event
    bench.fdma.irqs[XTR_CHANNEL].event = lambda: (raised.append(1), event())[1]  # type: ignore[method-assign]
    bench.activate(XTR_CHANNEL, config)
    bench.arrive(250)
    assert bench.done(bench.rx) == [True] * 3
    assert len(raised) == events


def test_a_channel_that_holds_dbs_is_not_activated_anew() -> None:
    """It would begin with the old ones: their buffers may be gone."""
    bench = Bench()
    bench.activate(XTR_CHANNEL)
    for _ in range(2):
        with pytest.raises(
            RegisterError, match=r"channel 6 is activated while it holds DBs.*DISCARD <- 0x40"
        ):
            bench.activate(XTR_CHANNEL)
        with pytest.raises(RegisterError, match="DISCARD while channel 6 is active: disable it"):
            bench.door.write("FDMA_CH_DB_DISCARD", XTR)
    bench.door.write("FDMA_CH_DISABLE", XTR)
    with pytest.raises(RegisterError, match="while it holds DBs"):
        bench.activate(XTR_CHANNEL)
    bench.door.write("FDMA_CH_DB_DISCARD", XTR)
    with pytest.raises(RegisterError, match="a doorbell, but no ring"):
        bench.door.write("FDMA_CH_RELOAD", XTR)
    bench.arrive()
    assert not any(bench.done(bench.rx))
    bench.activate(XTR_CHANNEL)
    assert bench.done(bench.rx) == [True, False, False]


def test_a_channel_that_used_all_it_had_needs_no_discard() -> None:
    bench = Bench(count=1)
    bench.activate(INJ_CHANNEL)
    bench.chip.clock.advance(10_000)
    assert bench.done(bench.tx) == [True]
    bench.door.write("FDMA_CH_DISABLE", INJ)
    bench.activate(INJ_CHANNEL)


def test_a_frame_that_cannot_be_read_is_dropped_and_its_db_comes_back() -> None:
    bench = Bench()
    bench.fdma.fail_next(INJ_CHANNEL)
    bench.activate(INJ_CHANNEL)
    bench.chip.clock.advance(10_000)
    assert bench.done(bench.tx) == [True] * 3
    assert (bench.chip.switch.counters["injected"], bench.fdma.lost) == (2, {"tx": 1})
    assert bench.door.read("FDMA_INTR_ERR") == INJ
    assert bench.door.read("FDMA_ERRORS") == 0x400 == Errors.INJ_RD.put(1)


def test_a_frame_that_cannot_be_written_is_lost_and_the_channel_waits_for_the_error_to_be_cleared() -> None:
    bench = Bench()
    bench.activate(XTR_CHANNEL)
    bench.fdma.fail_next(XTR_CHANNEL)
    bench.door.write("FDMA_INTR_DB_ENA", 0)
    assert not bench.fdma.asserted
    for _ in range(3):
        bench.arrive()
    assert bench.fdma.asserted
    assert bench.fdma.is_failing
    assert (bench.fdma.lost, len(bench.fdma.queue), any(bench.done(bench.rx))) == ({"rx": 1}, 2, False)
    bench.door.write("FDMA_CH_RELOAD", XTR)
    bench.door.write("FDMA_INTR_ERR", XTR)
    assert not bench.fdma.asserted
    bench.door.write("FDMA_CH_RELOAD", XTR)
    assert not any(bench.done(bench.rx))  # the cause is still there
    assert bench.door.read("FDMA_ERRORS") == XTR
    bench.door.write("FDMA_ERRORS", XTR)
    bench.door.write("FDMA_CH_RELOAD", XTR)
    assert bench.done(bench.rx) == [True, True, False]
    assert not bench.fdma.is_failing


def test_an_error_is_ordered_for_a_channel_that_is_there() -> None:
    with pytest.raises(ValueError, match="channel is 3: choose one of 6, 0"):
        Lan966x().fdma.fail_next(3)


def test_the_bits_of_activate_and_reload_clear_themselves() -> None:
    bench = Bench()
    bench.activate(INJ_CHANNEL)
    assert bench.door.read("FDMA_CH_ACTIVATE") == 0
    bench.door.modify("FDMA_CH_RELOAD", INJ, 0xFF)
    assert bench.door.read("FDMA_CH_RELOAD") == 0
