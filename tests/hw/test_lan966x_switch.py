"""Switch, ports, wires: where frames go, when, and what is refused."""

import pytest

from lan966x_lab import ifh
from lan966x_lab.hw import Capture, Clock, Costs, Lan966x, Wire
from lan966x_lab.hw.fcs import fcs
from lan966x_lab.hw.lan966x_regs import CPU_PORT, PGID_SRC
from lan966x_lab.hw.switch import MODELLED, NotModelledError
from lan966x_lab.hw.wires import WireError

TX, RX = ifh.LAN966X.tx, ifh.LAN966X.rx
FRAME = bytes(range(64))


class Bench:
    """A chip with a capture on every port; what comes to the CPU is collected as (header fields, frame)."""

    def __init__(self, **chip):
        self.chip = Lan966x(costs=Costs(0, 0, 0), **chip)
        self.clock = self.chip.clock
        self.ends = [Capture(self.clock) for _ in self.chip.ports]
        self.wires = [
            Wire(self.clock, port, end) for port, end in zip(self.chip.ports, self.ends, strict=True)
        ]
        self.cpu = []
        self.chip.switch.to_cpu = self.take
        self.chip.door.write("PTP_CLK_PER_CFG[0][0]", 0xECADE305)
        self.chip.door.write("PTP_CLK_PER_CFG[0][1]", 0x304D4873)
        self.chip.door.write("PTP_DOM_CFG", 0xE00)

    def take(self, packet):
        assert fcs(packet[28:-4]) == packet[-4:]
        self.cpu.append((RX.decode(packet[:28]), packet[28:-4]))
        return True

    def inject(self, frame=FRAME, **header):
        self.chip.switch.inject(TX.encode(**header) + frame)
        self.clock.advance(1_000_000)

    def masks(self, **masks):
        for port, mask in masks.items():
            self.chip.door.write(f"ANA_PGID[{PGID_SRC + int(port[1:])}]", mask)

    def where(self):
        return [number for number, end in enumerate(self.ends) if end.frames]


@pytest.mark.parametrize("dsts", [0b1, 0b10100110, 0xFF])
def test_bypass_goes_to_exactly_the_ports_of_dsts(dsts):
    bench = Bench()
    bench.inject(BYPASS=1, DSTS=dsts)
    assert sum(1 << port for port in bench.where()) == dsts
    assert all(frame == FRAME for end in bench.ends for _, frame in end.frames)
    assert not bench.cpu


def test_bypass_to_the_cpu_port_comes_back_with_source_8():
    bench = Bench()
    bench.inject(BYPASS=1, DSTS=1 << CPU_PORT)
    [(header, frame)] = bench.cpu
    assert (header["SRCPORT"], frame, bench.where()) == (CPU_PORT, FRAME, [])


def test_no_destination_is_counted():
    bench = Bench()
    bench.inject(BYPASS=1, DSTS=0)
    bench.inject()
    assert bench.chip.switch.counters["no_destination"] == 2


def test_masquerading_floods_as_if_from_that_port_and_not_back_to_it():
    bench = Bench()
    bench.masks(p3=0b1_0000_1111)
    bench.inject(MASQ=1, MASQ_PORT=3)
    assert bench.where() == [0, 1, 2]
    assert bench.cpu[0][0]["SRCPORT"] == 3


def test_without_masquerading_the_source_is_the_cpu_port():
    bench = Bench()
    bench.masks(p8=0b1_0000_0110)
    bench.inject()
    assert (bench.where(), bench.cpu) == ([1, 2], [])


def test_a_frame_from_a_port_floods_its_mask_and_reaches_the_cpu_with_a_header():
    bench = Bench()
    bench.masks(p5=0b1_0011_0001)
    sent = bench.ends[5].send(FRAME)
    bench.clock.advance(100_000)
    assert bench.where() == [0, 4]
    [(header, frame)] = bench.cpu
    assert frame == FRAME
    assert header.pop("SRCPORT") == 5
    assert header.pop("LEN") == 68
    assert header.pop("TIMESTAMP") == sent << 2
    assert not any(header.values())


@pytest.mark.parametrize(("tci", "tag"), [(5, "81000005"), (1 << 16 | 0xA00C, "88a8a00c")])
def test_tci_inserts_a_tag(tci, tag):
    bench = Bench()
    bench.inject(BYPASS=1, DSTS=1, TCI=tci)
    assert bench.ends[0].frames[0][1] == FRAME[:12] + bytes.fromhex(tag) + FRAME[12:]


@pytest.mark.parametrize("name", [name for name in TX if name not in MODELLED])
def test_every_other_field_is_refused_by_name(name):
    bench = Bench()
    with pytest.raises(NotModelledError, match=f"{name} = 1, which is not modelled"):
        bench.inject(BYPASS=1, DSTS=1, **{name: 1})
    assert bench.where() == []


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"REW_CMD": 1}, "REW_CMD = 1"),
        ({"PDU_TYPE": 9}, "PDU_TYPE = 9"),
        ({"BYPASS": 1, "MASQ": 1}, "BYPASS and MASQ together"),
        ({"MASQ": 1, "MASQ_PORT": 9}, "MASQ_PORT = 9"),
    ],
)
def test_values_that_are_not_modelled_are_refused(header, message):
    with pytest.raises(NotModelledError, match=message):
        Bench().inject(**header)


def test_reserved_bits_are_refused():
    with pytest.raises(NotModelledError, match="reserved bits"):
        Bench().chip.switch.inject(bytes(27) + b"\x01" + FRAME)


def test_frames_keep_their_distance_on_the_line():
    bench = Bench()
    times = [bench.ends[0].send(bytes(n)) for n in (60, 100, 1514)]
    assert times == [at + 64 for at in (0, 64 + 64 * 8 + 96, 64 + 64 * 8 + 96 + 64 + 104 * 8 + 96)]


def test_a_capture_can_send_later():
    bench = Bench()
    assert bench.ends[0].send(FRAME, at_ns=5000) == 5000
    assert bench.ends[0].send(FRAME, at_ns=5001) == 5000 + 68 * 8 + 96 + 64


def test_wire_delay_and_log():
    clock = Clock()
    a, b = Capture(clock, 100), Capture(clock, 100)
    wire = Wire(clock, a, b, delay_ns=50)
    wire.log = []
    sent = a.send(FRAME)
    clock.advance(100_000)
    assert [(seen.time_ns, seen.to, seen.frame) for seen in wire.log] == [(sent + 50, b, FRAME)]
    assert b.frames == [(sent + 50, FRAME)]


def test_every_single_flipped_bit_is_caught_by_the_fcs():
    clock = Clock()
    a, b = Capture(clock), Capture(clock)
    wire = Wire(clock, a, b)
    for bit in range(8 * 68):
        wire.flip_bit(bit)
        a.send(FRAME)
    clock.advance(10_000_000)
    assert (b.frames, b.damaged) == ([], 8 * 68)


def test_what_the_mac_drops_is_counted():
    bench = Bench()
    bench.masks(p0=1 << CPU_PORT)
    bench.wires[0].flip_bit(7)
    bench.wires[0].lose_next()
    for frame in (FRAME, FRAME, bytes(1515), bytes(1514), FRAME):
        bench.ends[0].send(frame)
    bench.chip.ports[0].arrive(bytes(40) + fcs(bytes(40)), 1)
    bench.clock.advance(1_000_000)
    assert bench.chip.ports[0].counters == {"rx_fcs_error": 1, "rx_too_long": 1, "rx_runt": 1, "rx": 2}
    assert len(bench.cpu) == 2


def test_a_port_without_a_wire_sends_nothing_and_counts():
    bench = Bench()
    bench.wires[2].unplug()
    bench.inject(BYPASS=1, DSTS=0b100, REW_CMD=4)
    assert bench.chip.ports[2].counters == {"tx_link_down": 1}
    assert not bench.chip.ports[2].link_up
    assert not bench.chip.two_step.pending


def test_packet_memory_is_finite():
    bench = Bench()
    for _ in range(200):
        bench.chip.switch.inject(TX.encode(BYPASS=1, DSTS=1) + bytes(1514))
    assert bench.chip.ports[0].counters["tx_no_memory"] == 200 - 160 * 1024 // 1518
    bench.chip.switch.to_cpu = lambda packet: False
    bench.inject(BYPASS=1, DSTS=1 << CPU_PORT)
    assert bench.chip.switch.counters["cpu_no_memory"] == 1


def test_ends_must_fit():
    clock = Clock()
    a, b, c = Capture(clock), Capture(clock), Capture(clock, 100)
    with pytest.raises(WireError, match="1000 Mbit/s, the other at 100"):
        Wire(clock, a, c)
    wire = Wire(clock, a, b)
    with pytest.raises(WireError, match="has a wire already"):
        Wire(clock, a, Capture(clock))
    wire.unplug()
    Wire(clock, a, Capture(clock))
    with pytest.raises(WireError, match="one"):
        Wire(clock, b, b)
