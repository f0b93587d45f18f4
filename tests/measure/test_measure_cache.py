"""The cache model: what is touched when, and an LRU of any size against one that is worked out by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab.measure.counted import cache

RING = 20


@pytest.fixture(scope="module")
def journals() -> dict[bool, list[cache.Step]]:
    return {late: cache.journal(late=late, ring=RING, frames=3 * RING) for late in (False, True)}


def test_a_structure_waits_for_one_round_or_not_at_all(journals: dict[bool, list[cache.Step]]):
    early, late = (cache.lives(journals[late]) for late in (False, True))
    assert early[:3] == [(0, 0), (0, 1), (0, 2)]  # made when the interface was opened
    assert {used - made for made, used in early[RING:]} == {RING}
    assert late == [(n, n) for n in range(3 * RING)]


def test_what_is_touched_for_a_frame(journals: dict[bool, list[cache.Step]]):
    kinds = [[what for what, _ in frame] for frame in cache.touches(journals[True], gro=False)]
    skb = ["structure"] * 4 + ["shared info"]
    assert kinds == [[*skb, "frame", "frame", *skb]] * (3 * RING)
    whole = next(cache.touches(journals[True], gro=True))
    assert [what for what, _ in whole].count("frame") == 24  # 1,514 bytes
    early = list(cache.touches(journals[False], gro=False))
    assert len(early[0]) == 5 * (RING + 1) + 2 + 5  # opening the interface made a ring of them
    assert [len(frame) for frame in early[1:]] == [12] * (3 * RING - 1)


def test_structures_go_round(journals: dict[bool, list[cache.Step]]):
    """Late needs one, early a ring and one."""
    for late, count in ((True, 1), (False, RING + 1)):
        lines = {touch for frame in cache.touches(journals[late], gro=False) for touch in frame}
        assert len([line for line in lines if line[0] == "structure"]) == 4 * count


def test_the_structure_freed_last_is_handed_out_first():
    steps = [("build", 0), ("build", 1), ("up", 0), ("up", 1), ("build", 0), ("up", 0)]
    touched = cache.touches(steps, gro=False)
    _, second, third = ({line for line in frame if line[0] == "structure"} for frame in touched)
    assert third == second == {("structure", n) for n in range(4, 8)}


def test_misses_by_hand():
    a, b, c = (("structure", n) for n in range(3))
    frames = [[a, b], [a, c], [b], [a]]
    assert cache.misses(frames, 2 * 64, skip=0) == {"structure": 5}  # a b | c | b | a
    assert cache.misses(frames, 3 * 64, skip=0) == {"structure": 3}
    assert cache.misses(frames, 2 * 64, skip=2) == {"structure": 2}


@given(
    lines=st.lists(st.lists(st.integers(0, 9), max_size=8), max_size=30),
    room=st.integers(1, 12),
    skip=st.integers(0, 5),
)
@settings(max_examples=150, deadline=None)
def test_misses_against_the_definition(lines: list[list[int]], room: int, skip: int):
    """A line is there if fewer than `room` other lines were touched since its own last touch."""
    flat = [(number, line) for number, frame in enumerate(lines) for line in frame]
    want = 0
    for at, (number, line) in enumerate(flat):
        since: set[int] = set()
        for _, other in reversed(flat[:at]):
            if other == line:
                break
            since.add(other)
        else:
            since = set(range(room))  # never touched before
        want += number >= skip and len(since) >= room
    frames = [[("frame", line) for line in frame] for frame in lines]
    assert cache.misses(frames, room * 64, skip=skip)["frame"] == want


def test_the_curves_of_the_notebook(journals: dict[bool, list[cache.Step]]):
    kib = (1, 16, 64)
    late, late_gro = (cache.miss_curve(journals[True], gro=gro, sizes_kib=kib) for gro in (False, True))
    early, early_gro = (cache.miss_curve(journals[False], gro=gro, sizes_kib=kib) for gro in (False, True))
    assert late == {1: 1, 16: 1, 64: 1}  # the shared info of a fresh buffer
    assert late_gro[16] == 1
    assert early == {1: 6, 16: 1, 64: 1}
    assert early_gro == {1: 6, 16: 6, 64: 1}  # only here GRO makes the difference


def test_walks_read_as_much_from_few_as_from_many():
    walks = cache.walks((1, 7, 300), reads=100)
    assert list(walks) == ["1", "7", "300"]
    for walk in walks.values():
        read = walk()
        assert isinstance(read, np.ndarray)
        assert read.tolist() == [1] * 400
