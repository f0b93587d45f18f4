import errno
import struct
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab import data_path, ifh
from lan966x_lab.driver import Board, Options, RxFilter, TxResult, TxType, run
from lan966x_lab.driver.fdma import DCB_MAX, FdmaPath
from lan966x_lab.driver.fdma_rx import page_order
from lan966x_lab.driver.skb import Skb, skb_from_frame
from lan966x_lab.hw.fdma import Info, Status
from lan966x_lab.hw.lan966x_regs import GrpCfg
from lan966x_lab.hw.memory import OwnershipError
from lan966x_lab.net import captures

CAPTURES = sorted(path.name for path in data_path("captures").glob("*.pcap"))
OPTIONS = {
    "before the patches": Options(path="fdma"),
    "late skb": Options(path="fdma", late_skb=True),
    "GRO": Options(path="fdma", gro=True),
    "all patches": Options(
        path="fdma",
        gro=True,
        ifh_codec="byte_shift",
        ifh_template=True,
        gate_rx_timestamp=True,
        check_fifo_first=True,
        late_skb=True,
    ),
}


def frame(n: int, size: int = 60) -> bytes:
    return bytes(12) + b"\x88\xb5" + struct.pack("!I", n) + bytes(size - 18)


def numbers(board: Board) -> list[int]:
    return [int.from_bytes(d.frame[14:18], "big") for d in board.delivered]


def fdma_board(size: int = 8, **options: object) -> tuple[Board, FdmaPath]:
    """A board whose ports 0 and 1 are joined, with small rings."""
    board = Board(Options(**({"late_skb": True} | options)))  # type: ignore[arg-type]
    path = FdmaPath(board.driver, board.options, size=size)
    board.driver.paths["fdma"] = path
    board.options = Options(**({"late_skb": True, "path": "fdma"} | options))  # type: ignore[arg-type]
    board.wire(0, 1)
    return board, path


def settle(board: Board, path: FdmaPath) -> None:
    """Leave the path; nothing may be left."""
    run(board)
    board.options = Options(path="manual")
    assert (path.dma.live, path.memory.live_pages, path.slab.live) == (0, 0, 0)
    assert not path.dma._by_page
    board.ledger.check_settled()


def test_descriptor_words_bit_for_bit():
    board, path = fdma_board(size=4)
    assert path.rx is not None
    dcbs = path.rx.dcbs
    for index in range(4):
        nextptr, info, dataptr, status = struct.unpack_from("<4Q", dcbs.view, 32 * index)
        assert nextptr == (1 if index == 3 else dcbs.address + 32 * (index + 1))
        assert info == 4096 - 256 - 320  # DATAL
        assert dataptr == path.rx.slots[index].page.bus_address + 256
        assert status == 1 << 18  # INTR
    board.carry([frame(7, 100)])
    nextptr, info, dataptr, status = struct.unpack_from("<4Q", path.tx.view, 0)
    assert (nextptr, info) == (1, 132)
    assert status == 132 | 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19  # BLOCKL, SOF, EOF, INTR, DONE
    assert struct.unpack_from("<4Q", dcbs.view, 0)[0] == 1  # DCB 0 was taken and is now the last of the chain
    assert struct.unpack_from("<4Q", dcbs.view, 96)[0] == dcbs.address
    settle(board, path)
    assert (Status.BLOCKO.put(3), Info.TOKEN.put(1), Info.SW.put(1)) == (3 << 20, 1 << 17, 1 << 24)


def test_received_status_word():
    board, path = fdma_board(size=4)
    board.send(frame(1, 61))
    board.clock.run_until(board.clock.now_ns + 100_000)
    assert path.rx is not None
    status = path.rx.dcbs.read(0)[3]
    assert status == (28 + 61 + 4) | 1 << 16 | 1 << 17 | 1 << 18 | 1 << 19
    settle(board, path)
    assert numbers(board) == [1]


@pytest.mark.parametrize(
    ("length", "order"), [(1518, 0), (3484, 0), (3485, 1), (7580, 1), (7581, 2), (9018, 2)]
)
def test_page_order(length: int, order: int):
    """C14: frame with FCS, two tags, header, headroom and shared info must fit the page."""
    assert page_order(length) == order
    assert length + 28 + 320 + 8 + 256 <= 4096 << order


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize("options", OPTIONS)
def test_captures_come_through_as_over_the_manual_path(name: str, options: str):
    """Issue 5 item 7: byte-identical, and with the same PTP times."""
    frames = captures.read(data_path("captures", name)).frames
    delivered = {}
    for path in ("manual", "fdma"):
        board = Board(Options(path=path) if path == "manual" else OPTIONS[options])
        board.wire(0, 1)
        board.hwtstamp(0, TxType.ON, RxFilter.NONE)
        board.hwtstamp(1, TxType.OFF, RxFilter.ALL)
        sent = [board.clock.now_ns]
        for data in frames:
            sent.append(board.clock.now_ns)
            board.carry([data], stamp=True)
        delivered[path] = [(d.port, d.frame) for d in board.delivered]
        assert len(board.stamped) == (len([f for f in board.stamped if f.hwtstamp_ns is not None]))
        for got in board.delivered:
            assert got.hwtstamp_ns is not None
        stamped = [got.frame for got in board.stamped]
        delivered[path, "stamped"] = stamped
        assert all(got.frame in frames for got in board.stamped)
        board.ledger.check()
    assert delivered["manual"] == delivered["fdma"]
    assert delivered["manual", "stamped"] == delivered["fdma", "stamped"]


@pytest.mark.parametrize("path", ["manual", "fdma"])
def test_gro_takes_fewer_ways_up_and_loses_nothing(path: str):
    frames = captures.read(data_path("captures", "iperf3-tcp4-csum-ok.pcap")).frames
    padded = [data.ljust(60, b"\0") for data in frames]
    board = Board(Options(path=path, gro=True))
    for start in range(0, len(padded), 50):
        for data in padded[start : start + 50]:
            board.chip.switch.ingress(1, data + b"FCS.", 0)
        run(board)
    assert [d.frame for d in board.delivered] == padded
    assert board.driver.gro.segments == len(padded)
    assert board.driver.gro.packets < 0.7 * len(padded)
    board.ledger.check_settled()


def test_what_gro_holds_goes_up_before_the_interrupt_opens():
    """C17: mask, the frames, open."""
    board, path = fdma_board(gro=True)
    irq, seen = board.chip.fdma.irqs[6], []
    up = board.driver.receive

    def receive(port: int, skb: Skb) -> None:
        seen.append(irq.enabled)
        up(port, skb)

    board.driver.receive = receive
    frames = captures.read(data_path("captures", "iperf3-tcp4-csum-ok.pcap")).frames
    for data in [data for data in frames if len(data) == 1514][:3]:
        board.chip.switch.ingress(1, data + b"FCS.", 0)
    run(board)
    assert len(board.delivered) == 3
    assert set(seen) == {False}
    assert irq.enabled
    settle(board, path)


def test_what_gro_holds_goes_up_before_the_options_change():
    board, path = fdma_board(gro=True)
    frames = captures.read(data_path("captures", "iperf3-tcp4-csum-ok.pcap")).frames
    full = [data for data in frames if len(data) == 1514][:3]
    for data in full:
        board.chip.switch.ingress(1, data + b"FCS.", 0)
    assert path.interrupt()
    assert path.poll(3) == 3  # the budget is used up: the merged packet is still held
    held = 3 - len(board.delivered)
    assert held > 0
    board.options = Options(path="fdma", late_skb=True)
    assert [d.frame for d in board.delivered] == full
    settle(board, path)


def test_the_times_are_those_of_the_wire():
    """Departure and arrival are the delay of the wire apart."""
    frames = captures.read(data_path("captures", "ptp-l2-e2e.pcap")).frames
    sync = next(data for data in frames if data[12:14] == b"\x88\xf7" and data[14] & 15 == 0)
    board = Board(OPTIONS["all patches"])
    board.wire(0, 1, delay_ns=300)
    board.hwtstamp(0, TxType.ON, RxFilter.NONE)
    board.hwtstamp(1, TxType.OFF, RxFilter.ALL)
    board.carry([sync], stamp=True)
    (sent,), (got,) = board.stamped, board.delivered
    assert sent.hwtstamp_ns is not None
    assert got.hwtstamp_ns is not None
    assert got.hwtstamp_ns - sent.hwtstamp_ns == 300


def test_headroom_and_tailroom_are_made_where_they_are_missing():
    board, path = fdma_board()
    for headroom, tailroom in ((0, 0), (27, 3), (28, 4), (64, 0)):
        skb = skb_from_frame(frame(1, 61), headroom=headroom, tailroom=tailroom)
        assert board.driver.xmit(0, skb) is TxResult.OK
    run(board)
    assert [d.frame for d in board.delivered] == [frame(1, 61)] * 4
    settle(board, path)


def test_the_stack_never_sees_the_header():
    """B8: taps and timestamps look at the frame while it is under way."""
    board, path = fdma_board()
    skb = skb_from_frame(frame(5, 50))
    assert board.driver.xmit(0, skb) is TxResult.OK
    assert bytes(skb) == frame(5, 50)
    assert not skb.freed  # the device still reads it
    assert board.driver.ports[0].stats["tx_bytes"] == 50
    run(board)
    assert skb.freed
    assert board.delivered[0].frame == frame(5, 60)
    settle(board, path)


def test_full_ring_stops_the_queue_and_completion_wakes_all():
    board, path = fdma_board(size=4)
    board.chip.fdma.byte_ns = 100
    skbs = [skb_from_frame(frame(n)) for n in range(6)]
    results = [board.driver.xmit(0, skb) for skb in skbs]
    assert results == [TxResult.OK] * 4 + [TxResult.BUSY] * 2
    assert board.driver.ports[0].stopped
    run(board)
    assert not board.driver.ports[0].stopped
    assert numbers(board) == [n for n, result in enumerate(results) if result is TxResult.OK]
    settle(board, path)


def test_every_slot_comes_back_while_the_link_is_down():
    """C5: the engine gives to the switch, and the port throws away; no slot waits for a carrier."""
    board, path = fdma_board(size=4)
    ports = board.chip.ports
    wire = ports[0].wire
    for n in range(30):
        board.send(frame(n, 1000))
        if n == 10:  # some are in the ring, some at the port
            assert path.tx_slots.used == 4
            wire.unplug()
    run(board)
    assert path.tx_slots.used == 0
    assert not any(path.tx_slots.frames)
    assert not board.driver.ports[0].stopped
    lost = ports[0].counters["tx_link_down"]
    assert lost
    assert len(board.delivered) + lost == 30
    board.wire(0, 1)
    assert [got.frame for got in board.carry([frame(n) for n in range(30, 50)])] == [
        frame(n) for n in range(30, 50)
    ]
    settle(board, path)


def test_many_frames_through_small_rings_in_order():
    board, path = fdma_board(size=4)
    board.chip.fdma.byte_ns = 10  # slower than the driver, so that the ring fills up
    for n in range(200):
        board.send(frame(n, 60 + n))
    run(board)
    assert numbers(board) == list(range(200))
    assert [len(d.frame) for d in board.delivered] == [60 + n for n in range(200)]
    assert board.driver.ports[0].stats["tx_busy"] > 0
    settle(board, path)


def test_a_burst_waits_in_the_switch_when_the_ring_is_full():
    """C3: the chain ends at nextptr 1; RELOAD lets the engine go on with what waits."""
    board, path = fdma_board(size=4)
    for n in range(10):
        board.chip.switch.ingress(1, frame(n) + b"FCS.", 0)
    assert len(board.chip.fdma.queue) == 6
    assert not board.chip.fdma.xtr.running
    run(board)
    assert numbers(board) == list(range(10))
    settle(board, path)


def test_packet_memory_is_finite():
    board, path = fdma_board(size=2)
    for n in range(200):
        board.chip.switch.ingress(1, frame(n, 1514) + b"FCS.", 0)
    lost = board.chip.switch.counters["cpu_no_memory"]
    assert lost == 200 - 2 - 160 * 1024 // (1514 + 32)
    run(board)
    assert numbers(board) == list(range(200 - lost))
    settle(board, path)


def test_napi_contract():
    board, path = fdma_board(size=16)
    for n in range(5):
        board.chip.switch.ingress(1, frame(n) + b"FCS.", 0)
    irq = board.chip.fdma.irqs[6]
    assert irq.asserted
    assert path.interrupt()
    assert not irq.enabled
    assert (path.poll(0), irq.enabled, path.scheduled) == (0, False, True)  # never completes
    assert (path.poll(2), irq.enabled) == (2, False)
    assert (path.poll(3), irq.enabled) == (3, False)  # exactly the budget: not complete
    assert path.interrupt()  # still scheduled
    assert (path.poll(3), irq.enabled, path.interrupt()) == (0, True, False)
    settle(board, path)


def test_a_frame_during_the_poll_raises_the_interrupt_again():
    board, path = fdma_board()
    board.chip.switch.ingress(1, frame(0) + b"FCS.", 0)
    assert path.interrupt()
    board.chip.switch.ingress(1, frame(1) + b"FCS.", 0)
    assert path.poll(8) == 2
    board.chip.switch.ingress(1, frame(2) + b"FCS.", 0)
    assert path.interrupt()
    assert path.poll(8) == 1
    settle(board, path)


def test_wrong_source_port_is_dropped_and_its_page_goes_round():
    """C18: SRCPORT 15 with 8 ports."""
    board, path = fdma_board()
    for n in range(20):
        if n % 2:
            board.chip.switch.wrong_srcport.append(15)
        board.carry([frame(n)])
    assert numbers(board) == list(range(0, 20, 2))
    assert board.driver.rx_dropped == {"bad_src_port": 10}
    settle(board, path)


def test_short_and_split_frames_are_dropped():
    board, path = fdma_board()
    rx = board.chip.fdma.xtr
    header = ifh.LAN966X.rx.encode(SRCPORT=1, LEN=17)
    assert rx.receive(header + bytes(17))
    assert rx.receive(header + bytes(4000))  # two DCBs
    assert rx.receive(header + bytes(18))
    run(board)
    assert board.driver.rx_dropped == {"too_short": 1, "too_long": 1}
    assert len(board.delivered) == 1
    assert rx.receive(header + bytes(8000))  # three DCBs
    assert rx.receive(header + bytes(4000))
    assert rx.receive(header + bytes(18))
    run(board)
    assert board.driver.rx_dropped == {"too_short": 1, "too_long": 3}
    assert len(board.delivered) == 2
    # the switch never delivers a frame in two pieces: its ports cut at MAXLEN, and pages are sized for that
    settle(board, path)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("source", ["memory", "dma", "ordered"])
def test_allocation_failure_in_the_middle_of_a_burst(late: bool, source: str):
    board, path = fdma_board(late_skb=late)
    path.rx.pool.size = 0  # no idle pages: every frame allocates
    path.rx.pool.idle.clear()
    for n in range(6):
        board.chip.switch.ingress(1, frame(n) + b"FCS.", 0)
    calls = iter([False, True, True])
    if source == "ordered":
        board.driver.failing_allocations = 2
    else:
        getattr(path, source).fails = lambda: next(calls, False)
    run(board)
    lost = board.driver.rx_dropped["no_memory"]
    assert lost == 2
    assert len(board.delivered) == 4
    assert numbers(board) == sorted(numbers(board))
    board.carry([frame(n) for n in range(100, 120)])
    assert numbers(board)[-20:] == list(range(100, 120))
    settle(board, path)


def test_a_frame_that_cannot_be_mapped_is_dropped_not_requeued():
    board, path = fdma_board()
    board.hwtstamp(0, TxType.ON, RxFilter.NONE)
    sync = captures.read(data_path("captures", "ptp-l2-e2e.pcap")).frames
    skb = skb_from_frame(next(data for data in sync if data[12:14] == b"\x88\xf7"))
    skb.wants_hw_timestamp = True
    path.dma.fails = lambda: True
    assert board.driver.xmit(0, skb) is TxResult.OK
    path.dma.fails = lambda: False
    assert skb.freed
    assert board.driver.ports[0].stats["tx_no_mapping"] == 1
    assert board.driver.ptp.outstanding == 0
    settle(board, path)


def test_start_without_memory_leaves_the_manual_path_running():
    for source in ("memory", "dma", "slab"):
        board = Board()
        board.wire(0, 1)
        path = board.driver.paths["fdma"]
        assert isinstance(path, FdmaPath)
        calls = iter([False] * 100)
        getattr(path, source).fails = lambda calls=calls: next(calls, True)
        with pytest.raises(OSError, match="no memory") as error:
            board.options = Options(path="fdma")
        assert error.value.errno == errno.ENOMEM
        assert (path.dma.live, path.memory.live_pages, path.slab.live) == (0, 0, 0)
        assert len(board.carry([frame(1)])) == 1


def test_switching_paths_while_frames_are_under_way():
    """A path delivers all that it took; what a starting path throws away is counted by the chip."""
    board, path = fdma_board()
    for n in range(60):
        board.send(frame(n))
        if n % 5 == 4:
            board.options = Options(path=("fdma", "manual")[n % 2], late_skb=True)
    run(board)
    flushed = board.chip.extraction[0].frames["flushed"]
    assert numbers(board) == sorted(numbers(board))
    assert len(board.delivered) + flushed == 60
    assert board.delivered
    settle(board, path)


def test_mtu_change_keeps_frames_and_order():
    board, path = fdma_board()
    sizes = []
    for n, mtu in enumerate([1500, 9000, 1500, 4000, 1500]):
        for k in range(12):
            board.chip.switch.ingress(1, frame(12 * n + k) + b"FCS.", 0)
        board.driver.set_mtu(1, mtu)
        board.driver.set_mtu(0, mtu)
        board.carry([frame(1000, mtu + 14)])
        sizes.append(max(len(d.frame) for d in board.delivered[-1:]))
    assert sizes == [1514, 9014, 1514, 4014, 1514]
    assert [n for n in numbers(board) if n < 1000] == list(range(60))
    settle(board, path)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(("before", "after"), [(1500, 9000), (9000, 1500)])
def test_a_frame_that_arrives_during_an_mtu_change_is_not_lost(late: bool, before: int, after: int):
    """At every moment of the change: nothing may land in the ring that goes."""
    board, path = fdma_board(late_skb=late)
    longest = 0
    for n, offset in enumerate(range(0, 4200, 10)):
        board.driver.set_mtu(1, before)
        start = board.clock.now_ns
        for port in (1, 2):
            board.clock.after(offset, partial(board.chip.switch.ingress, port, frame(n) + b"FCS.", 0))
        board.driver.set_mtu(1, after)
        longest = max(longest, board.clock.now_ns - start)
        run(board)
        assert numbers(board)[-2:] == [n, n], offset
        assert len(board.delivered) == board.chip.switch.counters["to_cpu"] == 2 * (n + 1)
    assert 0 < longest < 4200  # the sweep covers the whole change
    settle(board, path)


def test_a_long_frame_during_a_shrink_is_delivered_or_stopped_at_the_port():
    """The limit of the port goes down before the pages do: nothing comes that they cannot take."""
    a, path = fdma_board()
    b = Board(Options(path="fdma"), clock=a.clock)
    b.wire(2, 2, to=a)
    b.driver.set_mtu(2, 9000)
    delivered = stopped = 0
    for ahead in range(79_000, 84_000, 50):
        a.driver.set_mtu(2, 9000)
        b.send(frame(1, 9014), 2)
        a.clock.advance(ahead)
        a.driver.set_mtu(2, 1500)
        run(a, b)
        port = a.chip.ports[2].counters
        delivered, stopped = len(a.delivered), port["rx_too_long"]
        assert delivered == port["rx"]
        assert a.driver.rx_dropped == {}
    assert delivered
    assert stopped
    assert delivered + stopped == b.chip.ports[2].counters["tx"]
    settle(a, path)


def test_a_shrink_without_memory_leaves_the_port_as_it_was():
    board, path = fdma_board()
    board.driver.set_mtu(1, 9000)
    path.memory.fails = lambda: True
    with pytest.raises(OSError, match="keep 9000"):
        board.driver.set_mtu(1, 1500)
    path.memory.fails = lambda: False
    assert board.chip.door.peek("DEV_MAC_MAXLEN_CFG[1]") == 9018
    settle(board, path)


@pytest.mark.parametrize(("old", "new"), [("manual", "fdma"), ("fdma", "manual")])
def test_a_frame_that_arrives_while_the_path_changes_is_delivered_or_flushed(old: str, new: str):
    """At every moment of the change; none is left over for the path that comes after."""
    board, path = fdma_board()
    flushed = board.chip.extraction[0].frames
    offsets = [*range(0, 2500, 20), 500_000, *range(999_000, 1_003_000, 20)]
    for came, offset in enumerate(offsets, 1):
        board.options = Options(path=old, late_skb=True)
        board.clock.after(offset, partial(board.chip.switch.ingress, 1, frame(came) + b"FCS.", 0))
        board.options = Options(path=new, late_skb=True)
        run(board)
        assert not board.chip.extraction[0].data_present
        assert len(board.delivered) + flushed["flushed"] == came, offset
    assert board.delivered
    assert flushed["flushed"]
    settle(board, path)


@pytest.mark.parametrize("late", [False, True])
def test_mtu_change_without_memory_changes_nothing(late: bool):
    """C13: the new ring is there before the old one goes; on failure the old one has never stopped."""
    board, path = fdma_board(late_skb=late)
    before = path.rx
    for source in (path.memory, path.dma, path.slab)[: 2 if late else 3]:
        for n in range(8):
            calls = iter([False] * n + [True])
            source.fails = lambda calls=calls: next(calls, False)
            with pytest.raises(OSError, match="no memory for larger buffers"):
                board.driver.set_mtu(1, 9000)
            source.fails = lambda: False
            assert path.rx is before
            assert board.driver.ports[1].mtu == 1500
            assert board.chip.door.peek("DEV_MAC_MAXLEN_CFG[1]") == 1518
            assert board.carry([frame(n)])[0].frame == frame(n)
    settle(board, path)


def test_pages_that_the_stack_keeps_outlive_the_mtu_change():
    board, path = fdma_board()
    kept = []
    board.driver.receive = lambda port, skb: kept.append(skb)
    for n in range(5):
        board.carry([frame(n)])
    board.driver.set_mtu(1, 9000)
    assert [bytes(skb)[:4] for skb in kept] == [struct.pack("!I", n) for n in range(5)]
    for skb in kept:
        skb.free()
    settle(board, path)


def test_pages_go_round():
    board, path = fdma_board(size=8)
    for n in range(100):
        board.carry([frame(n)])
    assert path.memory.pages_allocated == 9
    assert path.rx is not None
    assert path.rx.pool.recycled == 99
    settle(board, path)


def test_manual_mode_leaves_the_engine_alone():
    board = Board()
    board.wire(0, 1)
    board.carry([frame(1)])
    assert not any("FDMA" in name for name in (*board.chip.door.reads, *board.chip.door.writes))
    assert GrpCfg.MODE.get(board.chip.door.peek("QS_XTR_GRP_CFG[0]")) == GrpCfg.MANUAL


def test_register_accesses_for_one_frame():
    """What a frame costs at the door: no access grows with its length."""
    costs = []
    for size in (60, 1514):
        board, path = fdma_board(late_skb=True, gate_rx_timestamp=True)
        board.carry([frame(0)])
        before = board.chip.door.reads.total(), board.chip.door.writes.total()
        board.carry([frame(1, size)])
        after = board.chip.door.reads.total(), board.chip.door.writes.total()
        costs.append((after[0] - before[0], after[1] - before[1]))
        settle(board, path)
    assert costs[0] == costs[1]


def test_the_ring_size_is_checked():
    board = Board()
    for size in (1, DCB_MAX + 1):
        with pytest.raises(ValueError, match=r"2\.\.512"):
            FdmaPath(board.driver, board.options, size=size)


def test_a_sync_at_the_wrong_place_would_be_seen():
    """2.4 (b): headroom added twice. The mapping table shows stale bytes instead of the frame."""
    board, path = fdma_board()
    board.chip.switch.ingress(1, frame(1) + b"FCS.", 0)
    assert path.rx is not None
    page = path.rx.slots[0].page
    path.dma.sync_single_for_cpu(page.bus_address + 512, 92)
    assert not any(page.page.data[256:348])
    path.dma.sync_single_for_cpu(page.bus_address + 256, 92)
    assert any(page.page.data[256:348])
    with pytest.raises(OwnershipError, match="leave the mapping"):
        path.dma.sync_single_for_cpu(page.bus_address + 4000, 97)
    settle(board, path)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("burst"), st.integers(1, 12)),
            st.tuples(st.just("poll"), st.sampled_from([0, 1, 3, 64])),
            st.tuples(st.just("mtu"), st.sampled_from([1500, 4000, 9000])),
            st.tuples(st.just("fail"), st.integers(1, 3)),
            st.tuples(st.just("path"), st.sampled_from(["manual", "fdma"])),
        ),
        max_size=25,
    )
)
@settings(max_examples=60, deadline=None)
def test_whatever_happens_every_frame_is_accounted_for(steps: list[tuple[str, object]]):
    board, path = fdma_board(size=4)
    came = 0
    for what, value in steps:
        if what == "burst":
            for _ in range(value):
                board.chip.switch.ingress(1, frame(came) + b"FCS.", 0)
                came += 1
        elif what == "poll":
            board.driver.poll(value)
        elif what == "mtu":
            try:
                board.driver.set_mtu(1, value)
            except OSError:
                assert board.driver.ports[1].mtu != value
        elif what == "fail":
            board.driver.failing_allocations = value
        else:
            try:
                run(board)
                board.options = Options(path=value, late_skb=True)
            except OSError:
                assert board.options.path == "manual"
        board.ledger.check()
    run(board)
    assert numbers(board) == sorted(numbers(board))
    assert len(board.delivered) + sum(board.driver.rx_dropped.values()) == came
    board.driver.failing_allocations = 0
    settle(board, path)


@pytest.mark.parametrize(
    ("fault", "counter", "lost"), [("cannot read", "tx_read", "tx"), ("cannot write", "rx_write", "rx")]
)
def test_a_bus_error_costs_one_frame_and_is_cleared(fault: str, counter: str, lost: str):
    """The handler is told the cause, and the channel goes on; nothing is taken for a frame."""
    board, path = fdma_board()
    board.carry([frame(0)])
    for n in range(1, 6):
        board.chip.faults[f"FDMA {fault} a frame"]()
        board.send(frame(100 + n))
        board.send(frame(n))
        run(board)
        assert (path.errors, board.chip.fdma.lost) == ({counter: n}, {lost: n})
    assert numbers(board) == [0, 1, 2, 3, 4, 5]
    assert board.ledger.count("tx", "sent") == 11
    assert not board.chip.fdma.is_failing
    settle(board, path)


def test_a_frame_reads_no_error_register():
    """What an error costs, frames without one do not pay."""
    board, path = fdma_board()
    board.carry([frame(n) for n in range(20)])
    assert not {"FDMA_INTR_ERR", "FDMA_ERRORS"} & {*board.chip.door.reads, *board.chip.door.writes}
    settle(board, path)
