"""The extraction group: the stream of a frame against an independent reader, faults, bulk reads."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.hw import extraction
from lan966x_lab.hw.clock import Clock
from lan966x_lab.hw.extraction import ExtractionGroup, encode
from lan966x_lab.hw.lan966x import Lan966x
from lan966x_lab.hw.lan966x_regs import MARKERS, GrpCfg, Marker
from lan966x_lab.hw.registers import Door

marker_words = st.sampled_from([bytes.fromhex(f"8000000{n}") for n in range(8)])
packets = st.lists(st.one_of(marker_words, st.binary(min_size=1, max_size=9)), min_size=5, max_size=40).map(
    b"".join
)


def read_by_the_rules(words):
    """The rules of the stream, written down once more: the end before the last word, ESCAPE first."""
    words = iter(words)
    data = b""
    for word in words:
        if word == Marker.ESCAPE:
            data += struct.pack("<I", next(words))
        elif word in (Marker.EOF_0, Marker.EOF_1, Marker.EOF_2, Marker.EOF_3):
            last = next(words)
            last = next(words) if last == Marker.ESCAPE else last
            data += struct.pack("<I", last)[: 4 - (word >> 24 & 3)]
            assert next(words, None) is None
        else:
            assert word not in MARKERS
            data += struct.pack("<I", word)
    return data


@given(packets)
def test_the_stream_reads_back_as_the_packet(packet):
    assert read_by_the_rules(encode(packet).words) == packet


@given(packets)
def test_marked_words_are_those_that_look_like_markers(packet):
    stream = encode(packet)
    assert stream.marked == [i for i, word in enumerate(stream.words) if word in MARKERS]


def bench(bulk=True, **kwargs):
    door = Door(Clock(), bulk=bulk)
    group = ExtractionGroup(door, 0, **kwargs)
    door.write("QS_XTR_GRP_CFG[0]", GrpCfg.MODE.put(1) | GrpCfg.BYTE_SWAP.put(1))
    return door, group


def read_all(door, group, n=1000):
    words = []
    while group.data_present and len(words) < n:
        words += door.read_run("QS_XTR_RD[0]", 17)
    return words


@given(st.lists(packets, max_size=3), st.integers(0, 20), st.sampled_from([None, "pause", *"aptl"]))
def test_reads_in_bulk_equal_single_reads(frames, event, fault):
    def once(bulk):
        door, group = bench(bulk)
        if fault == "pause":
            group.order(extraction.not_ready(1700))
        elif fault:
            names = {"a": "abort_frame", "p": "prune_frame", "t": "truncate_frame", "l": "lose_word"}
            group.order(getattr(extraction, names[fault]))
        for frame in frames:
            group.offer(frame)
        door.clock.after(event * 1000, lambda: group.offer(bytes(40)))
        words = read_all(door, group)
        return words, dict(door.reads), door.clock.now_ns

    assert once(True) == once(False)


def test_an_empty_group_says_not_ready_and_keeps_the_next_word():
    door, group = bench()
    assert door.read("QS_XTR_RD[0]") == Marker.NOT_READY
    group.offer(bytes(range(8)))
    assert read_all(door, group) == [0x03020100, Marker.EOF_0, 0x07060504]


def test_without_byte_swap_markers_read_in_network_order():
    door, group = bench()
    door.write("QS_XTR_GRP_CFG[0]", GrpCfg.MODE.put(1))
    group.offer(bytes(range(7)))
    assert read_all(door, group) == [0x00010203, 0x80000001, 0x04050600]


@pytest.mark.parametrize(
    ("fault", "marker"),
    [
        (extraction.abort_frame, Marker.ABORT),
        (extraction.prune_frame, Marker.PRUNED),
        (extraction.truncate_frame, Marker.EOF_0),
    ],
)
def test_a_frame_ends_early_with_a_marker_and_one_word(fault, marker):
    door, group = bench()
    group.order(fault)
    group.offer(bytes(100))
    group.offer(bytes(8))
    words = read_all(door, group)
    assert words[:13] == [0] * 13
    assert words[13] == marker
    assert words[15:] == [0, Marker.EOF_0, 0]


def test_a_lost_word_takes_its_escape_along():
    door, group = bench()
    packet = bytes.fromhex("80000000") * 30
    group.order(extraction.lose_word)
    group.offer(packet)
    assert read_by_the_rules(read_all(door, group)) == packet[4:]


def test_full_memory_refuses_and_a_flush_makes_room():
    _, group = bench(capacity=100)
    assert group.offer(bytes(60))
    assert not group.offer(bytes(60))
    group.flush()
    assert group.offer(bytes(100))
    assert group.frames == {"offered": 2, "refused": 1, "flushed": 1}


def test_while_the_flush_bit_is_set_what_arrives_is_flushed_too():
    chip = Lan966x()
    group = chip.extraction[0]
    group.offer(bytes(60))
    chip.door.write("QS_XTR_FLUSH", 1)
    assert group.offer(bytes(60))
    assert not group.data_present
    chip.door.write("QS_XTR_FLUSH", 2)  # the other group
    assert group.offer(bytes(60))
    assert group.data_present
    assert group.frames == {"offered": 3, "flushed": 2}


def test_reading_gives_the_memory_back():
    door, group = bench(capacity=100)
    for _ in range(5):
        assert group.offer(bytes(100))
        read_all(door, group)
