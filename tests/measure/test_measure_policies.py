"""The six ways to receive deliver the same bytes, and differ in what they take."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab import data_path
from lan966x_lab.measure.counted.policies import COPYBREAK, POLICIES, receive
from lan966x_lab.net import captures

CAPTURE = tuple(captures.read(data_path("captures", "iperf3-tcp4-csum-ok.pcap")).frames)


@pytest.mark.parametrize("name", POLICIES)
def test_a_real_stream_arrives_as_it_was_sent(name: str):
    result = receive(CAPTURE, POLICIES[name])
    assert result.frames == CAPTURE
    assert (result.errors, result.pages) == (0, 110 if "copybreak" in name else 150)


def test_what_differs_and_what_does_not():
    early, early_gro, late, late_gro, bulk, copy = (receive(CAPTURE, policy) for policy in POLICIES.values())
    assert [r.age for r in (early, early_gro, late, late_gro, bulk, copy)] == [200, 200, 0, 0, 0, 0]
    assert [r.made_before for r in (early, early_gro, late, late_gro)] == [200, 200, 0, 0]
    assert {r.allocator_calls for r in (early, early_gro, late, late_gro, copy)} == {len(CAPTURE)}
    assert bulk.allocator_calls == -(-len(CAPTURE) // 16)
    assert early_gro.bytes_summed == late_gro.bytes_summed > 0 == early.bytes_summed == late.bytes_summed
    assert early_gro.packets == late_gro.packets < early.packets == len(CAPTURE)
    small = [frame for frame in CAPTURE if len(frame) <= COPYBREAK]
    assert copy.copied == sum(map(len, small)) > 0 == late.copied
    assert copy.truesize < late.truesize == 2176 * len(CAPTURE)


@given(
    sizes=st.lists(st.integers(50, 1535), max_size=12),
    name=st.sampled_from(sorted(POLICIES)),
    ring=st.integers(2, 5),
    octet=st.integers(0, 255),
)
@settings(max_examples=80, deadline=None)
def test_good_frames_go_up_and_bad_ones_are_counted(sizes: list[int], name: str, ring: int, octet: int):
    frames = [bytes([octet]) * size for size in sizes]
    result = receive(frames, POLICIES[name], ring=ring, dirty=True)
    good = tuple(frame for frame in frames if 60 <= len(frame) + 4 <= 1532)
    assert (result.frames, result.errors) == (good, len(frames) - len(good))
