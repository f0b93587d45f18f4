"""The bug hunt: every fault shows on its smallest input, and every test gets the verdict it deserves."""

import random
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from submissions_support import answers, run_cell

from lan966x_lab import ifh
from lan966x_lab.net import checksum
from lan966x_lab.workbook import Rung
from lan966x_lab.workbook.classroom.hunts import checksums as hunt_checksums
from lan966x_lab.workbook.classroom.hunts import header as hunt_header
from lan966x_lab.workbook.classroom.hunts import polling as hunt_polling
from lan966x_lab.workbook.classroom.hunts import ptp as hunt_ptp
from lan966x_lab.workbook.classroom.hunts import rings as hunt_rings
from lan966x_lab.workbook.classroom.hunts.hunt import Hunt, Mutant
from lan966x_lab.workbook.classroom.hunts.lab import STEPS
from lan966x_lab.workbook.classroom.hunts.views import Faults, hunt_board, specification

FAMILIES: list[ModuleType] = [hunt_header, hunt_ptp, hunt_rings, hunt_polling, hunt_checksums]
HUNTS: list[Hunt] = [family.hunt for family in FAMILIES]
every_hunt = pytest.mark.parametrize("hunt", HUNTS, ids=[hunt.name for hunt in HUNTS])


# the smallest inputs, and what right and wrong are there: typed from the collection of faults, not computed


def set_twice(set_field: Callable[..., None]) -> str:
    header = bytearray(28)
    set_field(header, 62, 9, 0x1FF)
    set_field(header, 62, 9, 0)
    return header.hex()


def set_too_much(set_field: Callable[..., None]) -> int | str:
    header = bytearray(28)
    try:
        set_field(header, 100, 3, 8)
    except ValueError:
        return "refused"
    return header[15]


def set_beyond(set_field: Callable[..., None]) -> str:
    header = bytearray(4)
    try:
        set_field(header, 33, 8, 0xFF)
    except ValueError:
        return "refused"
    return header.hex()


def pdu_type(sync_header: Callable[..., bytes]) -> int:
    return int.from_bytes(sync_header(0, "IPv4"), "big") >> 158 & 15


def source_port(ocelot_header: Callable[..., bytes]) -> int:
    return int.from_bytes(ocelot_header(6), "big") >> 43 & 15


def late_time(tx_times: Callable[..., Any]) -> int | None:
    """Send 1, its time comes after the time-out, send 2: what does 2 get?"""
    times = tx_times(4, 1000)
    times.request(1, 0)
    times.request(2, 1001)
    times.arrived(1, 77)
    found: int | None = times.time_of(2)
    return found


def after_losses(tx_times: Callable[..., Any]) -> bool:
    """512 messages lose their times; much later, one more."""
    times = tx_times(512, 1000)
    for sequence in range(512):
        times.request(sequence, 0)
    granted: bool = times.request(512, 10**9)
    return granted


def time_after_purge(tx_times: Callable[..., Any]) -> int | None:
    """Whether a request that is long over still gets its time."""
    times = tx_times(1, 1000)
    times.request(1, 0)
    times.request(2, 10**9)
    times.arrived(1, 77)
    found: int | None = times.time_of(1)
    return found


def odd_entry(drain: Callable[..., Any]) -> tuple[Any, int]:
    fifo = [(False, 0, 0), (True, 5, 1234)]
    return drain(fifo), len(fifo)


GOOD = bytes(60)


def opened(ring_class: Callable[..., Any], slots: int = 2) -> Any:
    ring = ring_class(slots)
    ring.open()
    return ring


def bad_then_good(ring_class: Callable[..., Any]) -> str:
    """One bad frame, then good ones until its slot comes round again."""
    ring = opened(ring_class)
    ring.arrive(bytes(59))
    ring.poll()
    try:
        for _ in range(2):
            ring.arrive(GOOD)
            ring.poll()
    except hunt_rings.DmaError as error:
        return str(error)
    return "fine"


def down_and_up(ring_class: Callable[..., Any]) -> int:
    ring = opened(ring_class)
    ring.arrive(GOOD)
    ring.poll()
    ring.close()
    ring.open()
    ring.arrive(GOOD)
    return len(ring.poll())


def left_lent(frame: bytes) -> Callable[..., int]:
    def count(ring_class: Callable[..., Any]) -> int:
        ring = opened(ring_class)
        ring.arrive(frame)
        ring.poll()
        ring.close()
        return sum(ring.mapped.values())

    return count


def port_15(ring_class: Callable[..., Any]) -> str:
    ring = opened(ring_class)
    ring.arrive(GOOD, 15)
    try:
        return f"{len(ring.poll())} handed up"
    except IndexError:
        return "IndexError"


def slots_after_shortage(ring_class: Callable[..., Any]) -> int:
    ring = opened(ring_class)
    ring.short_of_memory = 1
    ring.arrive(GOOD)
    ring.poll()
    return sum(ring.arrive(GOOD) for _ in range(2))


def round_and_on(ring_class: Callable[..., Any]) -> int:
    """How many of 200 frames are seen to have been sent."""
    ring, cleaned = ring_class(200), []
    for number in range(200):
        ring.send(bytes([number]))
        cleaned += ring.clean()
    return len(cleaned)


def time_out(wait_ready: Callable[..., bool]) -> bool:
    return wait_ready(hunt_polling.Device(50_000, stolen_ns=500_000), 100_000)


def under_lock(wait_ready: Callable[..., bool]) -> bool | str:
    try:
        return wait_ready(hunt_polling.Device(50_000, locked=True), 100_000)
    except hunt_polling.SleepingError:
        return "sleeping while atomic"


def late_word(read_word: Callable[..., int]) -> int:
    return read_word(hunt_polling.Fifo(0x0700_0080, 0x1234))


def one_frame(poll: Callable[..., int]) -> int:
    return poll(hunt_polling.Ring("a"), 64)


def whole_budget(poll: Callable[..., int]) -> int:
    ring = hunt_polling.Ring("a", "b")
    poll(ring, 1)
    return ring.completed


def full_ring(poll: Callable[..., int]) -> bool:
    ring = hunt_polling.Ring("a", "b", "c", "d", slots=4)
    poll(ring, 64)
    return ring.running


def flushed_late(poll: Callable[..., int]) -> list[str]:
    ring = hunt_polling.Ring("a")
    poll(ring, 64)
    return ring.stranded


SMALLEST: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "A1": (lambda get: get(b"\x80\0\0\0", 0, 32), 0x8000_0000, 0xFFFF_FFFF_8000_0000),
    "A2": (lambda get: get(b"\x80\0\0\0", 0, 32), 0x8000_0000, 0x1_8000_0000),
    "A3": (set_twice, "00" * 28, "00" * 19 + "7fc0" + "00" * 7),
    "A4": (set_too_much, "refused", 0x80),
    "A6": (source_port, 6, 0),
    "A7": (pdu_type, 7, 0),
    "A8": (set_beyond, "refused", "000001fe"),
    "B1": (late_time, None, 77),
    "B2": (after_losses, True, False),
    "B3": (after_losses, True, False),
    "B4": (lambda rx_time: rx_time((100, 5), 999_999_998), (99, 999_999_998), (100, 999_999_998)),
    "B6": (lambda elapsed_ns: elapsed_ns(165_625_000), 1_000_000_000, 999_991_624),
    "B7": (lambda message_type: message_type(b"\x18\x12" + bytes(32)), 8, 0),
    "B10": (odd_entry, ([(5, 1234)], 0), ([], 2)),
    "C1": (one_frame, 1, 0),
    "C2": (whole_budget, 0, 1),
    "C3": (full_ring, True, False),
    "C4": (bad_then_good, "fine", "the device writes to 0xdead, which is not mapped"),
    "C9": (round_and_on, 200, 199),
    "C10": (down_and_up, 1, 0),
    "C11": (left_lent(GOOD), 0, 2048 - 60),
    "C12": (left_lent(bytes(59)), 0, 2048),
    "C17": (flushed_late, [], ["a"]),
    "C18": (port_15, "0 handed up", "IndexError"),
    "C19": (slots_after_shortage, 2, 1),
    "D1": (time_out, True, False),
    "D2": (under_lock, True, "sleeping while atomic"),
    "D3": (late_word, 0x1234, 0x0700_0080),
    "E1": (lambda remove: remove(0xC94A, 0xDE4A, 61), 0x7E6C, 0xEAFF),
    "E2": (lambda combine: combine(0xF201, 0xF0EB, 3), 0xDDF2, 0xE2ED),
    "E4": (lambda segment: segment(b"\x45\0\0\x28" + bytes(36) + b" " * 6), bytes(20), bytes(20) + b" " * 6),
    "E6": (lambda ones_sum: 0xFFFF - ones_sum(b"\xff\xff\xff\xff\0\x01"), 0xFFFE, 0xFFFF),
    "E7": (lambda update: update(0xDD2F, 0x5555, 0x3285), 0x0000, 0xFFFF),
    "E8": (lambda udp_field: udp_field(0xFFFF), 0xFFFF, 0x0000),
    "E10": (lambda appended_sum: appended_sum([bytes(1500), b"\x34\x12"]), 0x1234, 0x0000),
}

MUTANTS: list[tuple[Hunt, str, Mutant]] = [
    (hunt, part, mutant) for hunt in HUNTS for part, mutant in hunt.mutants
]


def test_every_family_has_seven_faults_and_no_case_stands_twice() -> None:
    assert [len(hunt.mutants) for hunt in HUNTS] == [7] * 5
    cases = [mutant.case for _, _, mutant in MUTANTS]
    assert sorted(cases) == sorted(set(cases)) == sorted(SMALLEST)


@pytest.mark.parametrize(("hunt", "part", "mutant"), MUTANTS, ids=[mutant.case for _, _, mutant in MUTANTS])
def test_right_and_faulty_differ_on_the_smallest_input(hunt: Hunt, part: str, mutant: Mutant) -> None:
    look, right, wrong = SMALLEST[mutant.case]
    again = next(subject.again for subject in hunt.subjects if subject.name == part)
    assert (look(hunt.right[part]), look(again), look(mutant.faulty)) == (right, right, wrong)


def outcome(look: Callable[[Any], Any], version: Any) -> Any:
    try:
        return look(version)
    except (hunt_rings.DmaError, IndexError) as error:
        return repr(error)


@every_hunt
def test_no_two_faults_of_a_family_behave_alike(hunt: Hunt) -> None:
    looks = [(part, SMALLEST[mutant.case][0]) for part, mutant in hunt.mutants]
    looks += [("TxTimes", time_after_purge)] if hunt is hunt_ptp.hunt else []
    versions = [hunt.right, *(hunt.right | {part: mutant.faulty} for part, mutant in hunt.mutants)]
    seen = [repr([outcome(look, version[part]) for part, look in looks]) for version in versions]
    assert len(set(seen)) == len(versions)


# the right versions against the lab itself, and against the second right versions


@given(st.binary(min_size=1, max_size=32), st.data())
def test_fields_agree_with_one_big_number(content: bytes, data: st.DataObject) -> None:
    width = data.draw(st.integers(1, 8 * len(content)))
    pos = data.draw(st.integers(0, 8 * len(content) - width))
    value = data.draw(st.integers(0, (1 << width) - 1))
    mask = (1 << width) - 1 << pos
    expected = int.from_bytes(content, "big") & ~mask | value << pos
    for get, put in [
        (hunt_header.get_field, hunt_header.set_field),
        (hunt_header._get_field_again, hunt_header._set_field_again),
    ]:
        header = bytearray(content)
        put(header, pos, width, value)
        assert int.from_bytes(header, "big") == expected
        assert get(header, pos, width) == value


@pytest.mark.parametrize(
    ("pos", "width", "value"), [(0, 17, 0), (16, 1, 0), (-1, 2, 0), (0, 0, 0), (0, 4, 16), (0, 4, -1)]
)
def test_a_refused_field_leaves_the_header_alone(pos: int, width: int, value: int) -> None:
    for put in (hunt_header.set_field, hunt_header._set_field_again):
        header = bytearray(b"\x12\x34")
        with pytest.raises(ValueError, match=r"\w"):
            put(header, pos, width, value)
        assert header == b"\x12\x34"


def test_whole_headers_agree_with_the_labs_layouts() -> None:
    for ports in range(1, 16):
        header = ifh.OCELOT.tx.encode(BYPASS=1, SRC_PORT=ports)
        assert hunt_header.ocelot_header(ports) == hunt_header._ocelot_header_again(ports) == header
    for port in range(8):
        for transport, kind in (("L2", 0), ("IPv4", 7), ("IPv6", 8)):
            header = ifh.LAN966X.tx.encode(BYPASS=1, DSTS=1 << port, REW_CMD=3, PDU_TYPE=kind)
            assert hunt_header.sync_header(port, transport) == header
            assert hunt_header._sync_header_again(port, transport) == header


@given(st.integers(1, 10**10), st.integers(0, 10**9 - 1), st.integers(0, 10**9 - 1))
def test_a_frame_is_never_newer_than_the_clock(seconds: int, ns: int, frame_ns: int) -> None:
    found = hunt_ptp.rx_time((seconds, ns), frame_ns)
    assert hunt_ptp._rx_time_again((seconds, ns), frame_ns) == found
    assert found[1] == frame_ns
    assert 0 <= (seconds - found[0]) * 10**9 + ns - frame_ns < 10**9


@given(st.integers(0, 2**60))
def test_both_clocks_count_alike(ticks: int) -> None:
    assert hunt_ptp.elapsed_ns(ticks) == hunt_ptp._elapsed_ns_again(ticks)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 511), st.integers(0, 10**9))), st.integers(0, 12))
def test_both_drain_alike(entries: list[tuple[bool, int, int]], budget: int) -> None:
    one, other = list(entries), list(entries)
    assert hunt_ptp.drain(one, budget) == hunt_ptp._drain_again(other, budget)
    assert one == other == entries[budget:]


_STEPS = st.lists(st.tuples(st.sampled_from(["request", "arrived"]), st.integers(0, 9), st.integers(0, 500)))


@given(_STEPS)
def test_both_keep_times_alike(steps: list[tuple[str, int, int]]) -> None:
    """Sequence numbers are used once, so a request for a known one is left out."""
    both, now, used = (hunt_ptp.TxTimes(2, 1000), hunt_ptp._TxTimesAgain(2, 1000)), 0, set[int]()
    for step, sequence, pause in steps:
        now += pause
        if step == "request" and sequence in used:
            continue
        used |= {sequence} if step == "request" else set()
        one, other = (getattr(times, step)(sequence, now) for times in both)
        assert one == other
    for sequence in range(10):
        assert both[0].time_of(sequence) == both[1].time_of(sequence)


_EVENTS = st.lists(st.sampled_from(["good", "short", "port", "poll", "shortage", "restart"]), max_size=40)


@given(_EVENTS)
def test_both_rings_receive_alike(events: list[str]) -> None:
    seen = []
    for ring in (hunt_rings.RxRing(3), hunt_rings._RxRingAgain(3)):
        ring.open()
        story: list[Any] = []
        for number, event in enumerate(events):
            if event == "poll":
                story.append(ring.poll())
            elif event == "shortage":
                ring.short_of_memory = 1
            elif event == "restart":
                ring.short_of_memory = 0
                ring.close()
                assert ring.mapped == {}
                ring.open()
            else:
                frame = bytes([number]) * (59 if event == "short" else 60)
                story.append(ring.arrive(frame, 8 if event == "port" else number % 8))
        assert list(ring.mapped.values()) == [hunt_rings.ROOM] * 3
        seen.append((story, ring.received))
    assert seen[0] == seen[1]


@given(st.lists(st.sampled_from(["send", "clean"])))
def test_both_rings_send_alike(events: list[str]) -> None:
    one, other = hunt_rings.TxRing(3), hunt_rings._TxRingAgain(3)
    for number, event in enumerate(events):
        if event == "send":
            assert one.send(bytes([number])) == other.send(bytes([number]))
        else:
            assert one.clean() == other.clean()


@given(st.integers(0, 300_000), st.integers(0, 300_000), st.integers(0, 200_000))
def test_waiting_is_true_for_what_is_ready_in_time(ready_ns: int, stolen_ns: int, limit_ns: int) -> None:
    for wait in (hunt_polling.wait_ready, hunt_polling._wait_ready_again):
        device = hunt_polling.Device(ready_ns, stolen_ns=stolen_ns, locked=True)
        if wait(device, limit_ns):
            assert device.now_ns() >= ready_ns
        else:
            assert limit_ns <= device.now_ns() < ready_ns


@given(st.integers(0, 10), st.integers(0, 10), st.integers(1, 10))
def test_both_poll_alike(frames: int, budget: int, more: int) -> None:
    seen = []
    for poll in (hunt_polling.poll, hunt_polling._poll_again):
        ring = hunt_polling.Ring(*map(str, range(frames)), slots=frames + more - 1 or 1)
        seen.append((poll(ring, budget), vars(ring)))
    assert seen[0] == seen[1]


def test_no_word_is_an_error() -> None:
    for read in (hunt_polling.read_word, hunt_polling._read_word_again, hunt_polling._read_word_d3):
        with pytest.raises(TimeoutError):
            read(hunt_polling.Fifo())


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_sums_agree_with_the_labs_checksums(left: bytes, right: bytes) -> None:
    whole, at = left + right, len(left)
    for ones_sum, combine, remove in (
        (hunt_checksums.ones_sum, hunt_checksums.combine, hunt_checksums.remove),
        (hunt_checksums._ones_sum_again, hunt_checksums._combine_again, hunt_checksums._remove_again),
    ):
        sums = ones_sum(left), ones_sum(right), ones_sum(whole)
        assert sums == (checksum.ones_sum(left), checksum.ones_sum(right), checksum.ones_sum(whole))
        # one's complement has two zeros, and the specification allows either
        assert combine(sums[0], sums[1], at) % 0xFFFF == sums[2] % 0xFFFF
        assert remove(sums[2], sums[1], at) % 0xFFFF == sums[0] % 0xFFFF


words = st.integers(0, 0xFFFF)


@given(st.lists(words, min_size=1, max_size=10), words, st.data())
def test_an_update_gives_what_computing_afresh_gives(
    header: list[int], new: int, data: st.DataObject
) -> None:
    header = [0x4500, *header]  # no header is all zeros
    at = data.draw(st.integers(1, len(header) - 1))
    fresh = [*header[:at], new, *header[at + 1 :]]
    before, after = (
        checksum.internet_checksum(b"".join(word.to_bytes(2, "big") for word in all_words))
        for all_words in (header, fresh)
    )
    assert hunt_checksums.update(before, header[at], new) == after
    assert hunt_checksums._update_again(before, header[at], new) == after


@given(words)
def test_a_udp_field_is_never_0(total: int) -> None:
    field = hunt_checksums.udp_field(total)
    assert field == hunt_checksums._udp_field_again(total)
    assert field
    assert (field + total) % 0xFFFF == 0


# tests and their verdicts


def cell(source: str, name: str) -> Any:
    """The learner's function, as a notebook makes it."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    run_cell(source, namespace, name)
    return namespace[name]


def body(hunt: Hunt, *lines: str) -> Any:
    """A test with these lines in it."""
    source = "\n    ".join([f"def {hunt.name}(lab):", *lines])
    return cell(f"{source}\n", hunt.name)


EXERCISE = "09_hunt_the_faults"


def solution_of(hunt: Hunt) -> Any:
    return cell(answers(EXERCISE)[hunt.name], hunt.name)


@every_hunt
def test_the_solution_catches_everything(hunt: Hunt) -> None:
    catch = hunt(solution_of(hunt))
    assert catch.rung is Rung.RIGHT
    assert all(hit for _, hit in catch.cases)
    assert catch.points() == len(hunt.mutants) == 7
    assert catch.require() is catch


def test_points_are_a_number_for_the_grader_and_a_narration_for_the_learner() -> None:
    catch = PTP(body(PTP, "assert lab.rx_time((3, 0), 9) == (2, 9)"))
    shown = catch.points()._repr_mimebundle_()
    assert float(shown["text/plain"]) == catch.points() == 1
    assert shown["text/html"] == catch.html()
    assert shown["text/markdown"] == catch.text()
    assert "Missed B6: " in catch.text()


@every_hunt
@pytest.mark.parametrize("line", ["pass", "assert True", "print(lab)"])
def test_a_test_that_calls_nothing_catches_nothing(hunt: Hunt, line: str) -> None:
    catch = hunt(body(hunt, line))
    assert catch.rung is Rung.WRONG
    assert catch.lines[1] == "It passes, and calls nothing of the lab: it would pass on every version."
    assert not any(hit for _, hit in catch.cases)
    with pytest.raises(AssertionError, match="calls nothing of the lab"):
        catch.points()


HEADER, PTP, RINGS, POLLING, CHECKSUMS = HUNTS
RING = ("ring = lab.RxRing(slots=2)", "ring.open()")

WEAK: list[tuple[Hunt, tuple[str, ...], list[str]]] = [
    # there and back
    (
        HEADER,
        ("h = bytearray(28)", "lab.set_field(h, 62, 9, 5)", "assert lab.get_field(h, 62, 9) == 5"),
        ["A1", "A2", "A3", "A4", "A6", "A7", "A8"],
    ),
    # a used header, but only values that fit
    (
        HEADER,
        (
            "h = bytearray(b'\\xff' * 28)",
            "lab.set_field(h, 62, 9, 0)",
            "assert lab.get_field(h, 62, 9) == 0",
            "assert lab.refuses(lab.set_field, h, 62, 9, 512)",
        ),
        ["A1", "A2", "A6", "A7", "A8"],
    ),
    # less than a second cannot tell the two wrong reads apart from each other, and need not
    (
        HEADER,
        (
            "assert lab.get_field(b'\\x80\\0\\0\\0', 0, 32) >> 2 < 10**9",
            "assert lab.ocelot_header(4)[10] == 32",
        ),
        ["A3", "A4", "A7", "A8"],
    ),
    # no borrow is needed
    (PTP, ("assert lab.rx_time((100, 500), 400) == (100, 400)",), [f"B{i}" for i in (1, 2, 3, 4, 6, 7, 10)]),
    # a second's worth of a millionth is seen, a microsecond's is not
    (PTP, ("assert lab.elapsed_ns(166) == 1002",), [f"B{i}" for i in (1, 2, 3, 4, 6, 7, 10)]),
    # who waits for the right message, and never for a lost one
    (
        PTP,
        (
            "t = lab.TxTimes()",
            "t.request(1, 0)",
            "t.request(2, 0)",
            "t.arrived(2, 50)",
            "assert t.time_of(2) == 50",
            "assert lab.drain([(True, 1, 2), (False, 3, 4)]) == [(1, 2)]",
        ),
        ["B2", "B3", "B4", "B6", "B7", "B10"],
    ),
    # one good frame
    (
        RINGS,
        (*RING, "ring.arrive(bytes(64))", "assert ring.poll() == [(0, bytes(64))]"),
        ["C4", "C9", "C10", "C11", "C12", "C18", "C19"],
    ),
    # a bad frame, and nothing after it
    (
        RINGS,
        (*RING, "ring.arrive(bytes(20))", "assert ring.poll() == []", "assert len(ring.mapped) == 2"),
        ["C4", "C9", "C10", "C11", "C18", "C19"],
    ),
    # down and up where both begin at 0 anyway
    (
        RINGS,
        (
            *RING,
            "ring.arrive(bytes(64))",
            "ring.arrive(bytes(64))",
            "ring.poll()",
            "ring.close()",
            "assert ring.mapped == {}",
            "ring.open()",
            "ring.arrive(bytes(64))",
            "assert len(ring.poll()) == 1",
        ),
        ["C4", "C9", "C10", "C12", "C18", "C19"],
    ),
    # ready at once, and never
    (
        POLLING,
        ("assert lab.wait_ready(lab.Device(0), 100)", "assert not lab.wait_ready(lab.Device(10**9), 100)"),
        ["C1", "C2", "C3", "C17", "D1", "D2", "D3"],
    ),
    # fewer frames than the budget, more slots than frames
    (
        POLLING,
        ("ring = lab.Ring('a', 'b')", "assert lab.poll(ring, 8) == 2", "assert ring.delivered == ['a', 'b']"),
        ["C2", "C3", "C17", "D1", "D2", "D3"],
    ),
    # the whole budget, and the words that are there at once
    (
        POLLING,
        (
            "ring = lab.Ring('a', 'b')",
            "assert lab.poll(ring, 2) == 2",
            "assert ring.completed == 0",
            "assert lab.read_word(lab.Fifo(7)) == 7",
        ),
        ["C3", "C17", "D1", "D2", "D3"],
    ),
    # even lengths, small numbers
    (
        CHECKSUMS,
        ("assert lab.ones_sum(bytes([0, 1, 0, 2])) == 3", "assert lab.combine(3, 4, 2) == 7"),
        ["E1", "E2", "E4", "E6", "E7", "E8", "E10"],
    ),
    # one carry is folded, a second one does not come up
    (
        CHECKSUMS,
        ("assert lab.ones_sum(b'\\xff\\xff\\x00\\x02') == 2", "assert lab.udp_field(0xFFFF) == 0xFFFF"),
        ["E1", "E2", "E4", "E6", "E7", "E10"],
    ),
    # a pad of 0x55 cannot be seen in a sum, and in what is returned it can
    (
        CHECKSUMS,
        (
            "packet = bytes([0x45, 0, 0, 40]) + bytes(36) + b'\\x55' * 6",
            "assert lab.ones_sum(lab.segment(packet)) in (0, 0xFFFF)",
            "assert lab.appended_sum([b'\\x01\\x02']) == 0x0201",
        ),
        ["E1", "E2", "E4", "E6", "E7", "E8", "E10"],
    ),
]


@pytest.mark.parametrize(("hunt", "lines", "missed"), WEAK)
def test_a_weak_test_gets_a_sentence_for_each_fault_that_it_misses(
    hunt: Hunt, lines: tuple[str, ...], missed: list[str]
) -> None:
    catch = hunt(body(hunt, *lines))
    caught = 7 - len(missed)
    assert catch.rung is (Rung.ALMOST if caught else Rung.WRONG)
    assert catch.passed == caught
    assert [case for case, hit in catch.cases if not hit] == missed
    said = [f"Missed {m.case}: {m.missed}" for _, m in hunt.mutants if m.case in missed]
    assert list(catch.lines[-len(missed) :]) == said
    assert catch.lines[0].startswith(
        f"{hunt.name}: {'almost' if caught else 'wrong'}. Caught {caught} of 7 with "
    )
    if caught:
        assert catch.points() == caught
        assert len(catch.lines) == 1 + len(missed)
    else:
        assert catch.lines[1] == "It asserts what every version does, right or faulty."


def test_the_whole_narration_of_a_weak_test() -> None:
    lines = (
        "ring = lab.Ring('a', 'b')",
        "assert lab.poll(ring, 8) == 2",
        "assert lab.read_word(lab.Fifo(7)) == 7",
    )
    assert POLLING(body(POLLING, *lines)).text() == (
        "test_polling: almost. Caught 1 of 7 with 2 calls.\n"
        "Missed C2: at high speed, reception stalls although frames wait.\n"
        "Missed C3: after one burst, nothing is received any more.\n"
        "Missed C17: the last frames of a burst may have to wait for the next burst.\n"
        "Missed D1: on a busy machine, devices that are ready are given up.\n"
        "Missed D2: the kernel complains about sleep in the wrong place, as soon as somebody has to wait.\n"
        "Missed D3: now and then a frame has a strange word in the middle, always the same one."
    )


@every_hunt
def test_a_sentence_for_a_miss_gives_no_call_and_no_number_away(hunt: Hunt) -> None:
    for part, mutant in hunt.mutants:
        words_said = mutant.missed.replace("65,536", "")
        assert part not in words_said
        assert "0x" not in words_said
        assert mutant.missed.endswith(".")


def said(hunt: Hunt, *lines: str) -> list[str]:
    catch = hunt(body(hunt, *lines))
    assert catch.rung is Rung.WRONG
    assert catch.passed == 0
    assert not any(hit for _, hit in catch.cases)
    return list(catch.lines)


def test_nothing_is_asserted() -> None:
    lines = said(HEADER, "h = bytearray(28)", "lab.set_field(h, 62, 9, 5)", "return lab.get_field(h, 62, 9)")
    assert lines[1] == "It passes even where nothing does anything: it asserts nothing about what it calls."
    used = (*RING, "ring.arrive(bytes(60))", "print(len(ring.poll()), len(ring.mapped))", "ring.close()")
    assert said(RINGS, *used)[1] == lines[1]


@pytest.mark.parametrize(
    "line",
    [
        "assert ring.arrive(bytes(60))",
        "assert len(ring.mapped) == 2",
        "assert ring.poll() == []",
        "assert not ring.poll()",
    ],
)
def test_an_assertion_is_seen_even_if_it_catches_nothing(line: str) -> None:
    assert said(RINGS, *RING, line)[1] == "It asserts what every version does, right or faulty."


def test_a_wrong_expectation_names_the_line_and_the_last_call() -> None:
    assert said(HEADER, "h = bytes([0, 6])", "assert lab.get_field(h, 1, 2) == 2") == [
        "test_header: wrong.",
        "It fails on the right version, in line 3 of the cell: assert lab.get_field(h, 1, 2) == 2",
        "Last call: lab.get_field(2 bytes 00 06, 1, 2) gave 3",
        "It fails on all 7 faulty ones, too: what always fails says nothing.",
        "Next: work out by hand what the specification promises for this call.",
    ]


def test_a_wrong_expectation_may_hold_for_a_fault() -> None:
    lines = said(PTP, "assert lab.rx_time((9, 0), 5) == (9, 5), 'same second'")
    assert lines[2:] == [
        "It says: same second",
        "Last call: lab.rx_time((9, 0), 5) gave (8, 5)",
        "Next: work out by hand what the specification promises for this call.",
    ]


def test_it_fails_on_everything() -> None:
    assert (
        said(HEADER, "assert False")[2] == "It has called nothing of the lab by then: it fails on everything."
    )
    lines = said(HEADER, "lab.get_field(b'a', 0, 1)", "assert False")
    assert lines[3] == "It fails on all 7 faulty ones, too: what always fails says nothing."


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("lab.get_field(b'a', 0, 9)", "ValueError: bits 0 to 8: the header has bits 0 to 7"),
        ("lab.get_feld(b'a')", "AttributeError: the lab has no 'get_feld'; it has get_field, set_field, "),
        (
            "lab.get_field = None",
            "AttributeError: lab.get_field is given: a test looks at it and leaves it as it is",
        ),
        ("lab.get_field(1)", "TypeError: get_field() missing 2 required positional arguments"),
        ("raise SystemExit", "SystemExit: "),
        ("assert lab.get_field(b'a', 0, 1) == undefined", "NameError: name 'undefined' is not defined"),
    ],
)
def test_another_exception_is_no_verdict(line: str, error: str) -> None:
    assert f"It breaks off on the right version with {error}" in said(HEADER, line)[1]


def test_not_defined_and_not_started() -> None:
    assert HEADER({}).text() == "test_header: not defined.\nRun the cell that defines it."
    assert HEADER({"test_header": ...}).rung is HEADER(None).rung is Rung.NOT_DEFINED
    catch = HEADER(body(HEADER, "raise NotImplementedError('begin with a field')"))
    assert catch.rung is Rung.NOT_STARTED
    assert catch.text() == "test_header: not started.\nIt says: begin with a field"
    with pytest.raises(AssertionError, match="not started"):
        catch.points()


def test_no_function_of_one_argument() -> None:
    how = "Write it as a function of one argument: def test_header(lab)."
    assert HEADER({"test_header": 7}).lines == ("test_header: wrong.", "It is of type int.", how)
    for source in ("def test_header(): pass", "def test_header(get, set): pass"):
        assert HEADER(cell(source, "test_header")).lines[2] == how


@pytest.mark.parametrize(
    "lines",
    [
        ("while True:", "    pass"),
        ("while lab.get_field(b'a', 0, 1) == 1:", "    pass"),
    ],
)
def test_it_does_not_end(lines: tuple[str, ...]) -> None:
    assert said(HEADER, *lines)[1:] == [
        f"It does not end on the right version, or not soon: it was stopped after {STEPS:,} lines.",
        "Next: give every loop of the test a bound.",
    ]


def test_a_test_of_many_cases_may_take_its_time() -> None:
    lines = (
        "for value in range(512):",
        "    for pos in range(8):",
        "        h = bytearray(4)",
        "        lab.set_field(h, pos, 9, value)",
        "        assert lab.get_field(h, pos, 9) == value",
    )
    assert said(HEADER, *lines)[1] == "It asserts what every version does, right or faulty."


def test_a_fault_that_makes_the_test_go_on_for_ever_is_caught() -> None:
    """A time-out is a red test, too."""
    lines = (*RING, "ring.short_of_memory = 1", "ring.arrive(bytes(60))", "ring.poll()")
    catch = RINGS(
        body(RINGS, *lines, "while not ring.arrive(bytes(60)) or not ring.arrive(bytes(60)):", "    pass")
    )
    assert [case for case, hit in catch.cases if hit] == ["C4", "C19"]  # C4 points nowhere after any drop


def test_exceptions_of_a_faulty_version_are_a_catch() -> None:
    catch = RINGS(body(RINGS, *RING, "ring.arrive(bytes(60), 15)", "ring.poll()"))
    assert [case for case, hit in catch.cases if hit] == ["C18"]


LOOKS_AT_THE_CODE = [
    "import inspect; assert '1 << i' in inspect.getsource(lab.get_field)",
    "assert lab.get_field.__module__.endswith('hunt_header')",
    "from lan966x_lab.workbook.classroom.hunts import header as h; assert lab.get_field is h.get_field",
    "assert lab.get_field.__code__.co_varnames[0] == 'header'",
]


@pytest.mark.parametrize("line", LOOKS_AT_THE_CODE)
def test_who_looks_at_the_code_sees_the_same_veil_everywhere(line: str) -> None:
    lines = said(HEADER, "lab.get_field(b'a', 0, 1)", line)
    assert lines[1].startswith("It fails on the right version, in line 3 of the cell:")


@pytest.mark.parametrize(
    "line",
    [
        "assert lab.get_field.__name__ == 'get_field'",
        "assert 'lowest bit' in lab.get_field.__doc__",
        "import inspect; assert 'calls.append' in inspect.getsource(lab.get_field)",
    ],
)
def test_what_the_veil_shows_is_the_same_in_every_version(line: str) -> None:
    assert HEADER(body(HEADER, "lab.get_field(b'a', 0, 1)", line)).passed == 0


def test_who_digs_below_the_veil_earns_nothing() -> None:
    dig = ("lab.get_field(b'a', 0, 1)", "thing = lab.get_field.__closure__[-1].cell_contents")
    assert "second right version" in said(HEADER, *dig, "assert thing.__name__ == 'get_field'")[1]
    assert "second right version" in said(HEADER, *dig, "assert thing.__code__.co_nlocals == 5")[1]


def test_who_asks_for_more_than_the_specification_is_told_so() -> None:
    lines = said(
        HEADER,
        "try:",
        "    lab.get_field(b'a', 0, 9)",
        "except ValueError as error:",
        "    assert 'the header' in str(error)",
    )
    assert lines[1:] == [
        "It passes on the right version, and fails on a second right version.",
        "That one is written another way and keeps the same specification. Your test asks for more than the "
        "specification promises, or it looks at how the code is written.",
        "Next: call the parts of the lab, and assert what the specification says about the result.",
    ]


def test_objects_are_veiled_too() -> None:
    private = said(RINGS, *RING, "assert ring._index == 0")
    assert "AttributeError: _index is private" in private[1]
    assert (
        RINGS(
            body(RINGS, *RING, "assert repr(ring) == 'RxRing'", "assert type(ring).__name__ == '_Veiled'")
        ).passed
        == 0
    )
    assert RINGS(body(RINGS, *RING, "assert ring.poll.__qualname__ == 'poll'")).passed == 0


def test_state_that_is_kept_between_runs_is_no_test() -> None:
    source = (
        "header = bytearray(4)\n"
        "def test_header(lab):\n"
        "    assert lab.get_field(header, 0, 8) == 0\n"
        "    lab.set_field(header, 0, 8, 1)\n"
    )
    assert HEADER(cell(source, "test_header")).lines[1:] == (
        "It passes on the right version once, and fails on it another time.",
        "Next: make what it needs inside the test, afresh each time, and leave nothing to chance.",
    )


def test_state_that_only_a_fault_spoils_is_no_test() -> None:
    source = (
        "seen = []\ndef test_header(lab):\n    assert not seen\n"
        "    if lab.get_field(b'\\x80\\0\\0\\0', 0, 32) >> 32:\n        seen.append(1)\n"
    )
    assert HEADER(cell(source, "test_header")).lines[1].startswith("It passes on the right version once")


def test_a_test_may_change_what_it_passes() -> None:
    """What it makes inside is fresh in each run."""
    lines = (
        "h = bytearray(4)",
        "lab.set_field(h, 0, 8, 255)",
        "h[3] ^= 1",
        "lab.set_field(h, 0, 4, 0)",
        "assert h[3] == 0xF0",
    )
    assert [case for case, hit in HEADER(body(HEADER, *lines)).cases if hit] == ["A3"]


def test_chance_is_the_same_for_every_version_and_is_put_back() -> None:
    source = (
        "import random\ndef test_header(lab):\n    for _ in range(50):\n"
        "        h = bytearray(random.randbytes(4))\n"
        "        value = random.getrandbits(9)\n        lab.set_field(h, 3, 9, value)\n"
        "        assert lab.get_field(h, 3, 9) == value\n"
    )
    random.seed(5)
    before = random.getstate()
    test = cell(source, "test_header")
    first, second = HEADER(test), HEADER(test)
    assert first == second
    assert [case for case, hit in first.cases if hit] == ["A3"]
    assert random.getstate() == before


def test_every_run_throws_the_same_dice() -> None:
    source = "import random\nthrown = []\ndef test_header(lab):\n    thrown.append(random.random())\n"
    test = cell(source + "    assert lab.get_field(b'a', 0, 8) == 97\n", "test_header")
    for state in (1, 2):
        random.seed(state)
        HEADER(test)
    thrown = test.__globals__["thrown"]
    assert len(thrown) > 2 * len(HEADER.mutants)
    assert len(set(thrown)) == 1


def test_what_a_test_prints_is_shown_once(capsys: pytest.CaptureFixture[str]) -> None:
    HEADER(body(HEADER, "print(lab.get_field(b'a', 0, 8))"))
    assert capsys.readouterr().out == "97\n"


def test_a_tracer_is_put_back() -> None:
    def tracer(*_: Any) -> None:
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        HEADER(body(HEADER, "assert lab.get_field(b'a', 0, 8) == 97"))
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)


def test_an_interrupt_goes_through() -> None:
    with pytest.raises(KeyboardInterrupt):
        HEADER(body(HEADER, "raise KeyboardInterrupt"))


def test_helpers_of_the_learner_may_be_called() -> None:
    source = (
        "def reads(lab, data, value):\n"
        "    assert lab.get_field(data, 0, 32) == value\n"
        "def test_header(lab):\n"
        "    reads(lab, b'\\x80\\0\\0\\0', 1 << 31)\n"
    )
    assert [case for case, hit in HEADER(cell(source, "test_header")).cases if hit] == ["A1", "A2"]


# a hole in one's own test


def faulty_get(header: bytes, pos: int, width: int) -> int:
    return hunt_header.get_field(header, pos, width) & 0xFF


def test_a_hole() -> None:
    test, args = body(HEADER, "assert lab.get_field(b'a', 0, 8) == 97"), (b"\1\2", 0, 16)
    found = HEADER.hole(test, args, get_field=faulty_get)
    assert found.rung is Rung.RIGHT
    assert found.text() == (
        "hole in test_header: right.\nThe right one gives 258, yours 2, and test_header passes on both."
    )
    assert HEADER.hole(test, (b"a", 0, 8), get_field=faulty_get).lines[1] == (
        "right and yours do the same here: 97. Find a call where they differ."
    )
    strong = body(HEADER, "assert lab.get_field(b'ab', 0, 16) == 0x6162")
    caught = HEADER.hole(strong, args, get_field=faulty_get)
    assert caught.rung is Rung.WRONG
    assert caught.lines[1] == "test_header fails on your get_field: it is caught."


def test_a_hole_in_what_changes_its_argument() -> None:
    def lazy(header: bytearray, pos: int, width: int, value: int) -> None:
        if value != 77:
            hunt_header.set_field(header, pos, width, value)

    test = body(HEADER, "h = bytearray(1)", "lab.set_field(h, 0, 8, 5)", "assert h[0] == 5")
    args = (bytearray(1), 0, 8, 77)
    assert HEADER.hole(test, args, set_field=lazy).lines[1] == (
        "The right one gives None, and 1 bytes 4d, yours None, and test_header passes on both."
    )
    assert args[0] == bytearray(1)


def test_a_hole_that_is_none() -> None:
    args = (b"a", 0, 8)
    assert HEADER.hole({}, args, get_field=faulty_get).rung is Rung.NOT_DEFINED
    stub = body(HEADER, "raise NotImplementedError('begin')")
    assert HEADER.hole(stub, args, get_field=faulty_get).rung is Rung.NOT_STARTED
    fine = body(HEADER, "assert lab.get_field(b'a', 0, 8) == 97")
    unwritten = cell("def mine(*_):\n    raise NotImplementedError('be wrong')", "mine")
    assert HEADER.hole(fine, args, get_field=unwritten).text() == (
        "hole in test_header: not started.\nIt says: be wrong"
    )
    wrong = body(HEADER, "assert lab.get_field(b'a', 0, 8) == 1")
    assert (
        HEADER.hole(wrong, args, get_field=faulty_get).lines[1].startswith("test_header fails on the right")
    )
    for parts in ({}, {"get_feld": faulty_get}, {"get_field": faulty_get, "set_field": faulty_get}):
        with pytest.raises(
            ValueError, match="replace one of get_field, set_field, ocelot_header, sync_header"
        ):
            HEADER.hole(wrong, args, **parts)


# pages


@every_hunt
def test_the_specification_shows_promises_and_no_code(hunt: Hunt) -> None:
    text = specification(hunt).text()
    assert text.startswith("# ---- lab: what you test\n")
    assert ("# ---- lab: what helps you\n" in text) == (hunt in (HEADER, POLLING))
    for part in hunt.right:
        assert f"\ndef {part}(" in text or f"\nclass {part}:\n" in text
    assert "_swapped" not in text
    assert "self._" not in text
    assert "return " not in text.replace("return value", "")


def test_the_specification_of_a_ring_has_both_halves() -> None:
    text = specification(RINGS).text()
    for method in ("open", "close", "poll", "arrive", "send", "clean"):
        assert f"    def {method}(" in text


@every_hunt
def test_the_faults_are_folded_and_differ_in_few_lines(hunt: Hunt) -> None:
    faults = Faults(hunt)
    assert faults.html().count("<details") == 1 + len(hunt.mutants) == faults.html().count("</details>")
    for _, mutant in hunt.mutants:
        assert f"{mutant.case}, " in faults.text()
        assert mutant.url in faults.text()
        assert mutant.url.startswith("https://")
    assert "\n? " not in faults.text()
    for entry in faults.text().split("\n\n"):
        changed = [line for line in entry.splitlines() if line[:2] in ("- ", "+ ")]
        assert 1 <= len(changed) <= 6, entry


def test_the_board_says_what_it_shows() -> None:
    catches = [
        HEADER(body(HEADER, "pass")),
        PTP({}),
        POLLING(body(POLLING, "assert lab.poll(lab.Ring('a'), 2) == 1")),
    ]
    board = hunt_board(catches)
    assert board.text() == ("1 of 21 faults are caught: header bits 0 of 7, PTP 0 of 7, polling 1 of 7.")
    drawing = board.drawing()
    assert drawing.count("stroke-dasharray") == 1 + 7  # the key, and the family without a test
    for _, mutant in HEADER.mutants:
        assert f">{mutant.case}</text>" in drawing
