import pytest

from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.registers import Bits, Costs, Door, RegisterError, UnknownRegisterError


@pytest.fixture
def door() -> Door:
    door = Door(Clock(), Costs(read_ns=3, write_ns=5, ktime_ns=7))
    door.add("PLAIN", value=0x10)
    return door


def test_every_access_is_counted_and_costs_time(door):
    door.write("PLAIN", 0xF0)
    assert door.read("PLAIN") == 0xF0
    door.modify("PLAIN", 0x0A, 0x0F)
    assert door.peek("PLAIN") == 0xFA
    assert door.ktime() == 2 * (3 + 5) + 7
    door.delay(1000)
    assert (door.reads["PLAIN"], door.writes["PLAIN"], door.ktime_reads, door.delay_ns) == (2, 2, 1, 1000)
    assert door.clock.now_ns == 2 * (3 + 5) + 7 + 1000


def test_hooks_run_when_the_access_ends(door):
    seen = []
    door.add("HOOKED", read=lambda: door.clock.now_ns, write=lambda v: seen.append((door.clock.now_ns, v)))
    assert door.read("HOOKED") == 3
    door.write("HOOKED", 9)
    assert seen == [(8, 9)]


def test_the_trace_is_the_same_byte_for_byte_in_two_runs():
    def once() -> str:
        door = Door(Clock())
        door.add("A")
        door.trace = []
        door.write("A", 1)
        door.read("A")
        door.ktime()
        door.delay(10_000)
        return "\n".join(map(str, door.trace))

    assert once() == once()
    assert once().splitlines() == [
        "         100 W A                      0x00000001",
        "         300 R A                      0x00000001",
        "         570 K ktime_get              0x0000023a",
        "       10570 D udelay                 0x00002710",
    ]


def test_mistakes_are_named(door):
    with pytest.raises(UnknownRegisterError, match="no register 'PLAIM'; the nearest name is 'PLAIN'"):
        door.read("PLAIM")
    with pytest.raises(RegisterError, match="0x100000000"):
        door.write("PLAIN", 1 << 32)
    with pytest.raises(RegisterError, match="exists already"):
        door.add("PLAIN")
    assert door.reads.total() == door.writes.total() == door.clock.now_ns == 0
    with pytest.raises(ValueError, match=r"8 in bits 2\.\.0: allowed 0\.\.7"):
        Bits(2, 0).put(8)


def test_a_register_without_promises_is_accessed_singly(door):
    assert door.write_run("PLAIN", "PLAIN", [1, 2], 0, ktime=False) == 0
    assert list(door.read_run("PLAIN", 5)) == [0x10]
    door.wait_run("PLAIN", 0x10, 10, 1000)
    assert (door.reads["PLAIN"], door.ktime_reads) == (1, 0)


@pytest.mark.parametrize(("due", "words"), [(9, 2), (10, 3), (100, 10)])
def test_reads_in_bulk_end_before_the_next_event(door, due, words):
    """An event of the very nanosecond in which a read ends comes first, as it does with single reads."""
    door.add("FIFO", gives=lambda n: [0] * n)
    door.clock.after(due, lambda: None)
    assert list(door.read_run("FIFO", 10)) == [0] * words
    assert (door.reads["FIFO"], door.clock.now_ns) == (words, 3 * words)
