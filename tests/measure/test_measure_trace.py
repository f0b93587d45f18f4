"""Counted work against counts made by hand.

By hand: DSTS is bits 70 to 62 of 28 bytes, so it has bits 6 and 7 of byte 20 and bits 0 to 6 of byte 19: two
bytes, nine bits. TIMESTAMP is bits 223 to 192: bytes 3 to 0, 32 bits.
"""

import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import ifh
from lan966x_lab.measure.counted.trace import Counts, counted_get, counted_set, run

TX, RX = ifh.LAN966X
DSTS, TIMESTAMP = TX["DSTS"], TX["TIMESTAMP"]
ALL = {**ifh.CODECS, **ifh.PUBLISHED}

#                  set DSTS    set TIMESTAMP   get DSTS    get TIMESTAMP: (loads, stores, bit tests)
BY_HAND = {
    "packing": ((2, 2, 0), (4, 4, 0), (2, 0, 0), (4, 0, 0)),
    "bit_loop": ((2, 2, 9), (4, 4, 32), (2, 0, 9), (4, 0, 32)),
    "byte_shift": ((2, 2, 0), (4, 4, 0), (2, 0, 0), (4, 0, 0)),
    "whole_int": ((28, 28, 0), (28, 28, 0), (28, 0, 0), (28, 0, 0)),
    "bit_loop_v1": ((2, 2, 9), (4, 4, 32), (2, 0, 9), (4, 0, 32)),
    # two steps of eight bits, each a load and a store of two bytes; four steps for TIMESTAMP
    "byte_shift_v2": ((4, 4, 0), (8, 8, 0), (2, 0, 9), (4, 0, 32)),
}


def three(c: Counts) -> tuple[int, int, int]:
    return c.loads, c.stores, c.bit_tests


@pytest.mark.parametrize("name", ALL)
def test_counts_by_hand(name):
    codec = ALL[name]
    dirty = bytes(range(200, 228))
    for header in (bytes(28), dirty):
        assert (
            three(run(codec.set, header, DSTS, 0x155).counts),
            three(run(codec.set, header, TIMESTAMP, 0xDEADBEEF).counts),
            three(run(codec.get, header, DSTS).counts),
            three(run(codec.get, header, TIMESTAMP).counts),
        ) == BY_HAND[name]


def test_the_run_does_the_real_thing():
    dirty = bytes(range(200, 228))
    for codec in ALL.values():
        expected = bytearray(dirty)
        codec.set(expected, DSTS, 0x1AA)
        done = run(codec.set, dirty, DSTS, 0x1AA)
        assert done.header == done.steps[-1].header == bytes(expected), codec.name
        assert run(codec.get, dirty, TIMESTAMP).result == codec.get(dirty, TIMESTAMP), codec.name


def test_work_of_several_fields_adds_up():
    five = {
        "BYPASS": 1,
        "DSTS": 1,
        "QOS_CLASS": 3,
        "IPV": 3,
        "TCI": 5,
    }  # what a TCP frame sets: 33 bits, 9 bytes
    assert three(counted_set(ifh.CODECS["bit_loop"], TX, five)) == (9, 9, 33)
    assert three(counted_set(ifh.CODECS["whole_int"], TX, five)) == (140, 140, 0)
    rx = ["SRCPORT", "LEN", "TIMESTAMP"]  # 4 + 14 + 32 bits in 2 + 2 + 4 bytes
    assert three(counted_get(ifh.CODECS["bit_loop"], RX, rx)) == (8, 0, 50)
    assert three(counted_get(ifh.CODECS["byte_shift"], RX, rx, bytes(range(28)))) == (8, 0, 0)


def test_each_set_starts_where_the_last_one_ended():
    def load_as_often_as_byte_0_says(header, field, value):
        for _ in range(header[0]):
            header[1]
        header[0] = value

    codec = ifh.Codec("greedy", "", load_as_often_as_byte_0_says, ifh.CODECS["bit_loop"].get)
    assert three(counted_set(codec, TX, {"DSTS": 3, "IPV": 5, "TCI": 0})) == (1 + 1 + 3 + 1 + 5, 3, 0)
    assert three(counted_set(codec, TX, {"DSTS": 3}, b"\2" * 28)) == (1 + 2, 1, 0)


def test_work_adds_up():
    assert Counts(1, 2, 3, 4) + Counts(10, 20, 30, 40) == Counts(11, 22, 33, 44)


def test_steps_of_a_byte_shift():
    steps = run(ifh.CODECS["byte_shift"].set, bytes(28), DSTS, 0x155).steps
    assert {step.function for step in steps} == {"byte_shift_set"}
    stores = [step for step in steps if step.stored]
    assert [(step.loaded, step.stored) for step in stores] == [((20,), (20,)), ((19,), (19,))]
    assert [step.header[19:21].hex() for step in stores] == ["0040", "5540"]
    assert [three(step.counts) for step in stores] == [(1, 1, 0), (2, 2, 0)]
    assert stores[0].values["value"] == 0x155 << 6
    assert stores[0].source.strip().startswith("header[index] =")
    assert steps[0].header == bytes(28)


def test_a_step_knows_its_place_in_the_source():
    done = run(ifh.CODECS["packing"].set, bytes(28), DSTS, 0x155)
    assert set(done.sources) == {"packing_set", "pack"}  # handed the header; _share and _address are not
    for step in done.steps:
        assert done.sources[step.function].splitlines()[step.line - 1] == step.source
    assert [step.function for step in done.steps].index("pack") == 2  # the calling line comes first
    assert done.counts.lines > len(done.steps)  # the helpers' lines count, too


def test_counters_never_go_back_and_end_at_the_total():
    for codec in ALL.values():
        done = run(codec.set, bytes(28), TIMESTAMP, 0x80000001)
        tallies = [three(step.counts) for step in done.steps]
        assert tallies == sorted(tallies)
        assert tallies[-1] == three(done.counts)
        assert sum(len(step.loaded) for step in done.steps) == done.counts.loads
        assert sum(len(step.stored) for step in done.steps) == done.counts.stores


@pytest.mark.parametrize("name", ALL)
def test_the_lines_do_not_depend_on_what_ran_before(name):
    fresh = ifh.Field("FRESH", 62, 9)  # nothing of it is worked out yet
    first, second = (run(ALL[name].set, bytes(28), fresh, 0x155).counts for _ in range(2))
    assert first == second


def test_the_index_before_the_header_is_shown():
    steps = run(ifh.PUBLISHED["byte_shift_v2"].set, bytes(28), TIMESTAMP, 1).steps
    assert [step.stored for step in steps if -1 in step.stored] == [(-1,)]


def test_bit_tests_are_conditions_with_an_ampersand():
    def mixed(header, value):
        masked = value & 0xF  # no test
        if value & 1:
            masked += 1
        if value > 3 and not masked:
            masked += 1
        while value & 0x10:
            value >>= 1
        return 1 if value & 2 else header[0]

    done = run(mixed, bytes([7]), 0x30)
    assert done.result == 7
    # if value & 1; while: 0x30, 0x18, 0x0c; the conditional expression
    assert three(done.counts) == (1, 0, 1 + 3 + 1)


def test_whatever_takes_the_whole_header_loads_every_byte():
    def whole(header):
        bytes(header)
        int.from_bytes(header, "big")
        sum(header)
        header[1:3]
        header[:] = b"abcd"
        header[-1] += 1
        return len(header)

    done = run(whole, bytes(4))
    assert (done.counts.loads, done.counts.stores) == (4 + 4 + 4 + 2 + 1, 4 + 1)
    assert done.header == b"abce"
    assert [step.loaded for step in done.steps][3] == (1, 2)


@pytest.mark.parametrize("before", [None, lambda frame, event, argument: None])
def test_the_trace_function_before_is_put_back(before):
    found = sys.gettrace()
    try:
        sys.settrace(before)
        run(ifh.CODECS["bit_loop"].set, bytes(28), DSTS, 1)
        after_success = sys.gettrace()
        with pytest.raises(ifh.FieldRangeError):
            run(ifh.CODECS["bit_loop"].set, bytes(28), DSTS, 512)
        after_failure = sys.gettrace()
    finally:
        sys.settrace(found)
    assert after_success is before
    assert after_failure is before


def test_other_threads_are_left_alone():
    ready, stop, seen = threading.Event(), threading.Event(), []

    def other():
        ready.set()
        stop.wait(10)
        seen.append(sys.gettrace())

    thread = threading.Thread(target=other)
    thread.start()
    ready.wait(10)

    def end(header):
        stop.set()
        thread.join(10)

    run(end, bytes(28))
    assert seen == [None]


def test_no_source_text_is_said():
    namespace: dict[str, object] = {}
    exec("def nowhere(header):\n    return header[0]\n", namespace)
    with pytest.raises(OSError, match="source"):
        run(namespace["nowhere"], bytes(1))  # type: ignore[arg-type]


@given(st.sampled_from(TX.fields), st.binary(min_size=28, max_size=28), st.data())
def test_the_count_is_that_of_the_bytes_and_bits_of_the_field(field, header, data):
    """For every field, dirty headers too: the bytes that the layout names, and one test for every bit."""
    value = data.draw(st.integers(0, field.maximum))
    touched = len(field.bytes_in(28))
    assert three(run(ifh.CODECS["bit_loop"].set, header, field, value).counts) == (
        touched,
        touched,
        field.width,
    )
    assert three(run(ifh.CODECS["byte_shift"].set, header, field, value).counts) == (touched, touched, 0)
    assert three(run(ifh.CODECS["packing"].get, header, field).counts) == (touched, 0, 0)
