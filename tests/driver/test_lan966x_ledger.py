"""The ledger, and the state machine: whatever happens in whatever order, the books balance after it."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.driver import PATCHES, Board, Ledger, LedgerError, Options, RxFilter, TxType, run

# ---- the ledger itself ----


def test_a_settled_ledger_is_settled():
    ledger = Ledger()
    ticket = ledger.enter("tx")
    ledger.take("skb", ticket)
    ledger.check()
    ledger.give("skb", ticket)
    ledger.end(ticket, "sent")
    ledger.check_settled()
    assert (ledger.count("tx", "sent"), ledger.outstanding(), ledger.open_frames()) == (1, [], [])


def test_every_leak_is_named():
    ledger = Ledger()
    ledger.enter("rx", "from port 3")
    ledger.take("ts_id", (0, 17), "Sync 5")
    with pytest.raises(LedgerError, match=r"2 not settled: frame 1 in rx from port 3; ts_id .0, 17. "):
        ledger.check_settled()
    assert ledger.outstanding("skb") == []
    for n in range(20):
        ledger.take("skb", n)
    with pytest.raises(LedgerError, match=r"22 not settled.*and 12 more"):
        ledger.check_settled()


def test_twice_is_an_error_at_once():
    ledger = Ledger()
    ticket = ledger.enter("rx")
    ledger.end(ticket, "delivered")
    with pytest.raises(LedgerError, match="frame 1 ends in 'aborted', but it has ended already"):
        ledger.end(ticket, "aborted")
    ledger.take("skb", 1, "first")
    with pytest.raises(LedgerError, match="skb 1 is taken twice; it is still out: first"):
        ledger.take("skb", 1)
    ledger.give("skb", 1)
    with pytest.raises(LedgerError, match="skb 1 is given back, but it is not out"):
        ledger.give("skb", 1)


@pytest.mark.parametrize("book", ["entered", "ended"])
def test_cooked_books_are_found(book):
    ledger = Ledger()
    ledger.enter("rx")
    getattr(ledger, book)["rx" if book == "entered" else ("rx", "delivered")] += 1
    with pytest.raises(LedgerError, match=r"frames in 'rx'.*unaccounted for"):
        ledger.check()


# ---- the state machine ----

SYNC = bytes.fromhex("011b19000000 020000000001 88f7 0002002c") + bytes(40)
LENGTHS = (0, 13, 14, 59, 60, 61, 62, 63, 64, 100, 1514, 1515, 1519, 1600)
OPTIONS = [
    Options(),
    *(Options().patched(key) for key in ("000/1", "000/2", "000/2 v2", "001", "002")),
    Options().patched("000/1", "000/2 v2", "001", "002"),
    replace(Options(), ifh_codec="whole_int"),
]


class Machine:
    """Two ports wired to each other, small FIFOs, and everything that can happen to them."""

    steps = 0

    def __init__(self):
        self.board = Board(keep=False, fifo_depth=64, fifo_watermark=32)
        self.board.wire(0, 1)
        self.board.chip.two_step.depth = 6
        self.board.chip.extraction[0].capacity = 8_000
        self.given = 0

    def send(self, arg):
        self.given += 1
        self.board.send(
            bytes(LENGTHS[arg % len(LENGTHS)]), arg % 2, priority=arg % 9, vlan_tci=arg * 7 or None
        )

    def send_sync(self, arg):
        self.given += 1
        self.board.send(SYNC, arg % 2, stamp=arg % 3 > 0)

    def burst_of_syncs(self, arg):
        for n in range(arg % 8):
            self.send_sync(n)

    def settle(self, arg):
        run(self.board, limit_ns=2_000_000)

    def service(self, arg):
        self.board.service()

    def poll(self, arg):
        self.board.driver.poll(arg % 5)

    def pass_time(self, arg):
        self.board.clock.advance(arg * (1 + 100 * (arg % 7)) ** 2 // 4)

    def configure(self, arg):
        self.board.hwtstamp(arg % 2, TxType(arg % 3), RxFilter.ALL if arg & 4 else RxFilter.NONE)

    def fault(self, arg):
        faults = self.board.chip.faults
        faults[list(faults)[arg % len(faults)]]()

    def send_into_a_stuck_fifo(self, arg):
        fifo = self.board.chip.injection[0]
        self.board.clock.after(arg * 30, fifo.hold)
        self.send(arg)
        self.board.clock.advance(8_000)
        fifo.release()

    def no_memory(self, arg):
        self.board.driver.failing_allocations += arg % 3

    def switch_options(self, arg):
        self.board.options = OPTIONS[arg % len(OPTIONS)]

    def stop_or_wake(self, arg):
        self.board.driver.ports[arg % 2].stopped = arg % 4 > 2

    def set_clock(self, arg):
        ptp, clock = self.board.driver.ptp, self.board.driver.ptp.clock
        (clock.adjtime, clock.settime, clock.adjfine, lambda _: ptp.purge())[arg % 4](arg * 30_000)

    def unplug_or_plug(self, arg):
        port = self.board.chip.ports[0]
        if port.wire:
            port.wire.unplug()
        else:
            self.board.wire(0, 1)

    ACTIONS = (
        *(send, send, send_sync, send_sync, settle, settle, service, poll, pass_time, pass_time),
        *(configure, fault, fault, no_memory, switch_options, stop_or_wake, set_clock),
        *(burst_of_syncs, unplug_or_plug, send_into_a_stuck_fifo),
    )

    def check(self):
        """The ledger, and that the other books say the same."""
        board, driver, ledger = self.board, self.board.driver, self.board.ledger
        ledger.check()
        ended = ledger.ended
        stats = [port.stats for port in driver.ports[:2]]

        def total(name):
            return sum(stat[name] for stat in stats)

        assert ended["tx", "sent"] == total("tx_packets")
        assert ended["tx", "busy"] == total("tx_busy")
        assert ended["rx", "delivered"] == total("rx_packets")
        assert {
            k: n for (flow, k), n in ended.items() if flow == "rx" and k != "delivered"
        } == driver.rx_dropped
        waiting = sum(map(len, board.queues))
        dropped = total("tx_too_short") + total("tx_too_long")
        assert self.given == ended["tx", "sent"] + dropped + waiting
        assert ledger.open_frames() == []
        pending = sum(len(port.pending) for port in driver.ptp.ports)
        assert driver.ptp.outstanding == pending == len(ledger.outstanding("ts_id")) <= 512
        assert len(ledger.outstanding("skb")) == pending
        chip = board.chip
        assert chip.injection[0].frames["delivered"] + len(chip.injection[0]._draining) == ended["tx", "sent"]
        assert chip.injection[0].frames["aborted"] == total("tx_fifo_stuck")
        xtr = chip.extraction[0]
        assert xtr.frames["offered"] == ledger.entered["rx"] - driver.rx_dropped["never_ready"] + (
            xtr.frames["flushed"] + len(xtr._queue)
        )

    def finish(self):
        """Nothing is left when everything has had its time."""
        for port in self.board.driver.ports:
            port.stopped = False
        run(self.board)
        self.board.clock.advance(30_000_000)
        run(self.board)
        self.board.driver.ptp.purge()
        self.check()
        self.board.ledger.check_settled()
        assert not any(self.board.queues)


step = st.tuples(st.sampled_from(Machine.ACTIONS), st.integers(0, 255))


@given(st.lists(step, min_size=200, max_size=220))
@settings(
    max_examples=510,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
def any_order(program):
    machine = Machine()
    for action, arg in program:
        action(machine, arg)
        Machine.steps += 1
        machine.check()
    machine.finish()


def test_the_books_balance_after_each_of_a_hundred_thousand_steps_in_any_order():
    Machine.steps = 0
    any_order()
    assert Machine.steps >= 100_000


def test_every_patch_names_options_that_exist_and_changes_something():
    assert {"000/1", "000/2", "001", "002", "003", "004"} <= set(PATCHES)
    for key in PATCHES:
        assert Options().patched(key) != Options()
    assert Options().patched(*PATCHES) == Options(
        ifh_codec="byte_shift",
        ifh_template=True,
        gate_rx_timestamp=True,
        check_fifo_first=True,
        late_skb=True,
        rx_checksum_offload=True,
    )
    assert set(ifh.CODECS) >= {"packing", "bit_loop", "byte_shift", "whole_int"}
