import struct
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from offload_frames import icmp, ipv4, ipv6, slow_sum, tcp, udp

from lan966x_lab import data_path
from lan966x_lab.driver.options import PATCHES, Options
from lan966x_lab.driver.ravb import RavbDriver
from lan966x_lab.driver.skb import IpSummed, Skb, SkbSlab, skb_from_frame
from lan966x_lab.driver.stack import Stack
from lan966x_lab.hw import ravb as hw
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.memory import Dma, Memory
from lan966x_lab.hw.registers import Door
from lan966x_lab.net import captures, verdicts
from lan966x_lab.net.frames import parse
from lan966x_lab.net.verdicts import Verdict

CAPTURES = sorted(path.name for path in data_path("captures").glob("*.pcap"))


class Bench:
    """One ravb interface: device, driver, and a list of what came up."""

    def __init__(self, unit: hw.Unit = hw.complete_sum, offload: bool = True, **driver: object) -> None:
        self.memory, self.dma, self.clock = Memory(), Dma(), Clock(now_ns=5 * 10**9)
        self.sent: list[bytes] = []
        self.device = hw.Ravb(self.dma, self.clock, Door(self.clock), unit, self.sent.append)
        self.skbs: list[Skb] = []
        self.driver = RavbDriver(
            self.device,
            self.memory,
            self.skbs.append,
            options=Options(rx_checksum_offload=offload),
            **driver,  # type: ignore[arg-type]
        )
        assert self.driver.open()

    def receive(self, *frames: bytes) -> None:
        for frame in frames:
            assert self.device.receive(frame)
            while self.driver.poll(64) == 64:
                pass

    def settle(self) -> None:
        """Close; nothing may be left."""
        self.driver.close()
        for skb in self.skbs:
            if not skb.freed:
                skb.free()
        assert (self.dma.live, self.memory.live_pages, self.driver.slab.live) == (0, 0, 0)
        assert not self.dma._by_page


def whole(skb: Skb) -> bytes:
    assert skb.mac_header is not None
    return bytes(skb.buffer[skb.mac_header : skb.tail])


def verdict_on_transport(frame: bytes) -> Verdict:
    """What `net.verdicts` says, as a receiver would: a sum that is only partial is wrong."""
    checks = {name: check.verdict for name, check in verdicts.check(parse(frame)).items() if name != "ipv4"}
    verdict = next(iter(checks.values()), Verdict.NOT_CHECKABLE)
    return Verdict.WRONG if verdict is Verdict.PARTIAL else verdict


def test_the_unit_appends_the_little_endian_sum():
    frame = bytes(14) + bytes.fromhex("0001f203f4f5f6f7")  # the example of RFC 1071
    low, high = hw.complete_sum(frame)
    assert (high << 8 | low) == 0xF2DD  # the sum of its little-endian words ...
    assert (low << 8 | high) == 0xDDF2  # ... and of its big-endian words
    for n in range(40):
        data = bytes(range(1, n + 1))
        words = struct.unpack(f"<{(n + 1) // 2}H", data + bytes(n % 2))
        native = sum(words) % 0xFFFF or (0xFFFF if n else 0)
        assert hw.complete_sum(bytes(14) + data) == struct.pack("<H", native)


def test_without_inversion():
    """The reviewer's question in seed 004: a right IP header gives 0xffff; inverted it would be 0."""
    assert hw.complete_sum(ipv4(b"", 6)) == b"\xff\xff"


def test_complete_is_taken_and_trimmed():
    bench = Bench()
    frame = ipv4(tcp(b"hello"), 6)
    bench.receive(frame)
    (skb,) = bench.skbs
    assert whole(skb) == frame
    assert (skb.ip_summed, skb.csum) == (IpSummed.COMPLETE, slow_sum(frame[14:]))
    assert 5 * 10**9 <= skb.hwtstamp < 6 * 10**9
    stats = bench.driver.stats
    assert (stats.rx_packets, stats.rx_bytes) == (1, len(frame))
    bench.settle()


def test_the_patch_of_seed_004_is_the_switch():
    """Without options the driver is the one before the patch; new options switch it while it runs."""
    assert not RavbDriver(Bench().device, Memory(), Skb.free).options.rx_checksum_offload
    bench, frame = Bench(offload=False), ipv4(tcp(b"hello"), 6)
    bench.receive(frame)
    bench.driver.options = bench.driver.options.patched("004")
    bench.receive(frame)
    assert dict(PATCHES["004"]) == {"rx_checksum_offload": True}
    assert [skb.ip_summed for skb in bench.skbs] == [IpSummed.NONE, IpSummed.COMPLETE]
    assert [whole(skb) for skb in bench.skbs] == [frame, frame]
    bench.settle()


def test_off_leaves_the_stack_to_add_up():
    bench = Bench(offload=False)
    frame = ipv4(tcp(b"hello"), 6)
    bench.receive(frame)
    assert whole(bench.skbs[0]) == frame
    assert bench.skbs[0].ip_summed is IpSummed.NONE
    assert bench.driver.stats.rx_bytes == len(frame)
    bench.settle()


@pytest.mark.parametrize("unit", [hw.complete_sum, hw.protocol_status])
def test_length_guard(unit: hw.Unit):
    """A frame that ends before the appended bytes could be there goes up as it is."""
    bench = Bench(unit)
    bench.device.unit = lambda frame: b""
    bench.receive(bytes(14), bytes(15))
    assert [(len(skb), skb.ip_summed) for skb in bench.skbs] == [(0, IpSummed.NONE), (1, IpSummed.NONE)]
    bench.receive(bytes(13))
    assert bench.driver.stats.rx_length_errors == 1
    bench.settle()


@pytest.mark.parametrize(
    ("frame", "header", "transport"),
    [
        (ipv4(tcp(b"x"), 6), 0, 0),
        (ipv4(udp(b"xy"), 17), 0, 0),
        (ipv4(icmp(b"xy"), 1), 0, 0),
        (ipv6(tcp(b"x", True), 6), 0xFFFF, 0),
        (ipv6(udp(b"x", True), 17), 0xFFFF, 0),
        (ipv4(tcp(b"x")[:-1] + b"y", 6), 0, 0xFFFF),
        (ipv4(tcp(b"x"), 6, pad=b"\x20" * 5), 0, 0),
        (ipv4(tcp(b"x"), 6, vlans=(1,)), 0xFFFF, 0xFFFF),
        (ipv4(tcp(b"x"), 6, fragment=0x2000), 0, 0xFFFF),
        (ipv4(b"sctp", 132), 0, 0xFFFF),
        (ipv4(udp(b"x")[:6] + b"\0\0x", 17), 0, 0xFFFF),
        (ipv4(udp(b"x")[:4] + b"\0\x07\0\1x", 17), 0, 0xFFFF),
        (ipv4(b"\0\0", 6), 0, 0xFFFF),
        (ipv6(tcp(b"x", True), 6, options=b"\x06\0" + bytes(6)), 0xFFFF, 0xFFFF),
        (ipv6(tcp(b"x", True), 6)[:-1], 0xFFFF, 0xFFFF),
        (bytes(14), 0xFFFF, 0xFFFF),
    ],
)
def test_gbeth_judges_what_it_knows(frame: bytes, header: int, transport: int):
    assert hw.protocol_status(frame) == struct.pack("<HH", header, transport)
    bench = Bench(hw.protocol_status)
    bench.receive(frame)
    assert whole(bench.skbs[0]) == frame
    assert bench.skbs[0].ip_summed is (IpSummed.NONE if transport else IpSummed.UNNECESSARY)
    bench.settle()


@pytest.mark.parametrize("name", CAPTURES)
@pytest.mark.parametrize("unit", [hw.complete_sum, hw.protocol_status])
def test_every_captured_frame_has_one_verdict(name: str, unit: hw.Unit):
    """Offload off and on, in one piece and in many: the same bytes, the same verdict."""
    frames = captures.read(data_path("captures", name)).frames
    runs, work = [], []
    for enabled, buffer in ((False, 1538), (True, 1538), (True, 127)):
        stack, seen = Stack(), []
        bench = Bench(unit, offload=enabled, buffer=buffer, mtu=max(map(len, frames)), rx_ring=128)

        def receive(skb: Skb, stack: Stack = stack, seen: list[tuple[bytes, Verdict]] = seen) -> None:
            seen.append((whole(skb), stack.receive(skb)))

        bench.driver.receive = receive
        bench.receive(*frames)
        assert [frame for frame, _ in seen] == frames
        stats = stack.stats
        assert (stats.hw_csum_failure, stats.malformed, stats.ip_header_errors) == (0, 0, 0)
        assert stats.checksum_errors == (len(frames) if "partial" in name else 0)
        bench.settle()
        runs.append([verdict for _, verdict in seen])
        work.append(stats.bytes_summed)
    assert runs[0] == runs[1] == runs[2] == [verdict_on_transport(frame) for frame in frames]
    assert work[1] == work[2] <= work[0]


def test_the_offload_saves_the_payload():
    """iperf3 over TCP: how many bytes the CPU adds up for a frame, off and on."""
    frames = captures.read(data_path("captures", "iperf3-tcp4-csum-ok.pcap")).frames
    work = {}
    for enabled in (False, True):
        stack = Stack()
        bench = Bench(offload=enabled)
        bench.driver.receive = stack.receive
        bench.receive(*(frame for frame in frames if len(frame) == 1514))
        work[enabled] = stack.stats.bytes_summed / stack.stats.delivered
        bench.settle()
    assert work == {False: 20 + 12 + 1480, True: 20 + 12}


@given(
    frame=st.sampled_from(
        [ipv4(udp(bytes(range(n))), 17, pad=b"\x20" * p) for n in range(0, 90, 7) for p in (0, 3)]
    ),
    buffer=st.integers(1, 90),
)
@settings(max_examples=60, deadline=None)
def test_the_sum_may_straddle_two_buffers(frame: bytes, buffer: int):
    bench = Bench(buffer=buffer, rx_ring=256)
    stack = Stack()
    bench.driver.receive = stack.receive
    bench.receive(frame, frame)
    assert stack.stats.delivered == 2
    assert stack.stats.hw_csum_failure == 0
    assert bench.driver.stats.rx_bytes == 2 * len(frame)
    assert bench.driver.stats.rx_copied == (2 * (len(frame) + 2) if buffer < len(frame) + 2 else 0)
    bench.settle()


def test_a_padded_short_frame():
    """E4, E5: the R-Car sum covers the pad, whatever is in it, and the stack takes it out again."""
    for pad in (b"\0" * 6, b"\x20" * 6, b"\x55" * 6):
        bench, stack = Bench(), Stack()
        bench.driver.receive = stack.receive
        bench.receive(ipv4(tcp(b""), 6, pad=pad))
        assert (stack.stats.delivered, stack.stats.hw_csum_failure) == (1, 0)
        assert stack.stats.bytes_summed == 20 + 12 + 6
        bench.settle()


def test_a_unit_that_leaves_the_pad_out_is_caught():
    """E5, mlx4 and mlx5: the kernel says "hw csum failure" and adds up itself."""
    bench, stack = Bench(), Stack()
    bench.driver.receive = stack.receive
    bench.device.unit = hw.sum_without_padding
    bench.receive(
        ipv4(tcp(b""), 6, pad=b"\x20" * 6), ipv4(tcp(b""), 6, pad=b"\x55" * 6), ipv4(tcp(b"long enough"), 6)
    )
    assert (stack.stats.delivered, stack.stats.hw_csum_failure) == (3, 1)
    bench.settle()


def test_switching_the_feature_while_frames_wait():
    bench, stack = Bench(offload=True), Stack()
    bench.driver.receive = stack.receive
    frames = [ipv4(tcp(bytes([n]) * n), 6) for n in range(40)]
    modes = [True, False, True]
    for n, frame in enumerate(frames):
        assert bench.device.receive(frame)
        if n % 5 == 4:
            bench.driver.set_rx_checksum(modes[n % 3])
    while bench.driver.poll(64):
        pass
    assert (stack.stats.delivered, stack.stats.hw_csum_failure) == (40, 0)
    assert bench.driver.stats.rx_bytes == sum(map(len, frames))
    bench.settle()


def test_receive_and_transmit_are_stopped_around_the_switch():
    bench = Bench()
    seen: list[tuple[bool, bool, bool]] = []
    write = bench.driver.door.write

    def spy(name: str, value: int) -> None:
        if name == "ECMR":
            seen.append((bool(value & hw.Ecmr.RE), bool(value & hw.Ecmr.TE), bool(value & hw.Ecmr.RCSC)))
            bench.device.receive(bytes(60))  # arrives before this write: the second and third find RE off
        write(name, value)

    bench.driver.door.write = spy  # type: ignore[method-assign]
    bench.driver.set_rx_checksum(False)
    assert seen == [(False, False, True), (False, False, False), (True, True, False)]
    bench.driver.set_rx_checksum(False)
    assert len(seen) == 3
    assert bench.device.disabled == 2
    bench.settle()


def test_the_switch_of_a_closed_interface_is_remembered():
    bench = Bench()
    bench.driver.close()
    bench.driver.set_rx_checksum(False)
    assert bench.driver.open()
    frame = ipv4(tcp(b"x"), 6)
    bench.receive(frame)
    assert whole(bench.skbs[0]) == frame
    with pytest.raises(RuntimeError, match="already open"):
        bench.driver.open()
    bench.settle()


def test_close_in_the_middle_of_a_frame():
    """Three of four pieces are there when the interface goes down."""
    bench = Bench(buffer=30)
    assert bench.device.receive(bytes(100))
    last = bench.device.rx.position - 1
    words = bench.driver.rx.read(last)
    bench.driver.rx.write(last, *words[:2], hw.Dt.FEMPTY, *words[3:])
    assert bench.driver.poll(8) == 0
    assert bench.driver.partial is not None
    bench.settle()


def test_the_buffer_must_fit_a_page():
    with pytest.raises(ValueError, match=r"1\.\.3712"):
        Bench(buffer=3713)


def test_errors_of_the_mac_are_dropped():
    bench = Bench(mtu=100)
    assert bench.driver.frame_limit == 122
    assert bench.device.receive(bytes(60), bad_fcs=True)
    assert bench.device.receive(bytes(119))
    assert bench.device.receive(b"\x01" + bytes(117))  # multicast is not an error
    assert bench.driver.poll(64) == 3
    assert (bench.driver.stats.rx_errors, bench.driver.stats.rx_packets) == (2, 1)
    bench.settle()


def test_a_long_frame_in_pieces_does_not_leave_its_skb():
    bench = Bench(mtu=100, buffer=60)
    assert bench.device.receive(bytes(1000))
    assert bench.driver.poll(64) == 1
    assert bench.driver.stats.rx_errors == 1
    bench.receive(ipv4(tcp(bytes(60)), 6))
    assert bench.driver.stats.rx_packets == 1
    bench.settle()


def test_a_ring_without_room_loses_the_frame_and_recovers():
    bench = Bench(rx_ring=4)
    frames = [ipv4(tcp(bytes([n])), 6) for n in range(6)]
    assert [bench.device.receive(frame) for frame in frames] == [True] * 4 + [False] * 2
    assert bench.device.rx.missed == 2
    assert bench.driver.poll(64) == 4
    bench.receive(frames[5])
    assert [whole(skb) for skb in bench.skbs] == [*frames[:4], frames[5]]
    bench.settle()


def test_napi_contract():
    bench = Bench()
    irq = bench.device.rx_irq
    for n in range(5):
        assert bench.device.receive(ipv4(tcp(bytes([n])), 6))
    assert irq.asserted
    bench.driver.interrupt()
    assert not irq.enabled
    assert bench.driver.poll(0) == 0
    assert not irq.enabled  # budget 0: transmit only, never complete
    assert bench.driver.poll(2) == 2
    assert not irq.enabled
    assert bench.driver.poll(3) == 3
    assert not irq.enabled  # exactly the budget: not complete, although the ring is empty
    assert bench.driver.poll(3) == 0
    assert irq.enabled
    assert not irq.asserted
    bench.settle()


def test_allocation_failures_lose_what_the_counter_says():
    for what in ("memory", "dma", "slab", "open"):
        bench = Bench()
        counted = Counter[str]()
        sources = {"memory": bench.memory, "dma": bench.dma, "slab": bench.driver.slab, "open": bench.memory}
        source = sources[what]
        source.fails = lambda: True
        if what == "open":
            bench.driver.close()
            assert not bench.driver.open()
            assert (bench.dma.live, bench.memory.live_pages) == (0, 0)
            continue
        for n in range(200):
            assert bench.device.receive(ipv4(tcp(bytes([n])), 6))
            assert bench.driver.poll(8) == 1
            counted["lost"] += bench.driver.stats.rx_dropped - counted["lost"]
        source.fails = lambda: False
        stats = bench.driver.stats
        assert stats.rx_packets + stats.rx_dropped == 200
        assert stats.rx_dropped >= 199
        bench.receive(ipv4(tcp(b"again"), 6))
        assert stats.rx_dropped == counted["lost"]
        bench.settle()


def test_transmit():
    bench = Bench(tx_ring=4)
    segment = tcp(b"x" * 100)
    frame = ipv4(segment, 6)
    skb = skb_from_frame(ipv4(segment[:16] + slow_pseudo(segment) + segment[18:], 6))
    skb.ip_summed, skb.csum_start, skb.csum_offset = IpSummed.PARTIAL, skb.data + 34, 16
    assert bench.driver.xmit(skb)
    assert bench.driver.xmit(skb_from_frame(b"short"))
    assert bench.sent == [frame, b"short" + bytes(55)]
    for n in range(10):
        assert bench.driver.xmit(skb_from_frame(bytes([n]) * 60))
    bench.driver.poll(0)
    assert bench.driver.stats.tx_packets == len(bench.sent) == 12
    assert bench.driver.stats.tx_bytes == sum(map(len, bench.sent))
    bench.settle()


def slow_pseudo(segment: bytes) -> bytes:
    from offload_frames import pseudo

    return slow_sum(pseudo(6, len(segment))).to_bytes(2, "big")


def test_a_full_transmit_ring_is_busy_and_close_frees_it():
    bench = Bench(tx_ring=2)
    bench.driver.door.modify("ECMR", 0, hw.Ecmr.TE)
    skbs = [skb_from_frame(bytes(60)) for _ in range(3)]
    assert [bench.driver.xmit(skb) for skb in skbs] == [True, True, False]
    assert bench.driver.stats.tx_busy == 1
    bench.driver.close()
    assert [skb.freed for skb in skbs] == [True, True, False]
    assert bench.driver.stats.tx_dropped == 2
    assert bench.dma.live == 0


def test_frames_queued_during_the_switch_are_sent_after_it():
    bench = Bench()
    bench.driver.door.modify("ECMR", 0, hw.Ecmr.TE)
    assert bench.driver.xmit(skb_from_frame(bytes(60)))
    assert not bench.sent
    bench.driver.set_rx_checksum(False)
    assert len(bench.sent) == 1
    bench.settle()


def test_a_frame_that_cannot_be_mapped_is_dropped_not_requeued():
    bench = Bench()
    bench.dma.fails = lambda: True
    skb = skb_from_frame(bytes(60))
    assert bench.driver.xmit(skb)
    assert skb.freed
    assert bench.driver.stats.tx_dropped == 1


def test_the_slab_of_the_driver_can_be_a_bulk_cache():
    bench = Bench(slab=SkbSlab(bulk=16))
    bench.receive(*(ipv4(tcp(bytes([n])), 6) for n in range(32)))
    assert bench.driver.slab.calls == 2
    bench.settle()
