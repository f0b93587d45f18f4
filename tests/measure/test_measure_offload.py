"""Counted work of receive checksum offload: the figures against those worked out by hand."""

import pytest

from lan966x_lab import data_path
from lan966x_lab.driver.skb import IpSummed
from lan966x_lab.hw import ravb
from lan966x_lab.measure.counted import offload
from lan966x_lab.net import captures, frames, verdicts
from lan966x_lab.net.verdicts import Verdict


def capture(name: str) -> list[bytes]:
    return captures.read(data_path("captures", f"{name}.pcap")).frames


TCP4, TCP6, PING = capture("iperf3-tcp4-csum-ok"), capture("iperf3-tcp6-csum-ok"), capture("ping-odd")


def by_hand(frame: bytes) -> int:
    """IPv4 header, pseudo-header and segment, or for IPv6 pseudo-header and segment."""
    parsed = frames.parse(frame)
    assert parsed.upper is not None
    header = 20 if len(parsed.upper.source) == 4 else 0
    return header + 2 * len(parsed.upper.source) + 4 + parsed.upper.stop - parsed.upper.start


@pytest.mark.parametrize("name", ["iperf3-tcp4-csum-ok", "iperf3-tcp6-csum-ok", "iperf3-udp4-701"])
def test_without_offload_every_byte_of_the_segment_is_added(name: str) -> None:
    some = capture(name)
    run = offload.run(some, offload=False)
    assert [frame.bytes_summed for frame in run.frames] == [by_hand(frame) for frame in some]
    assert [frame.length for frame in run.frames] == [len(frame) for frame in some]
    assert set(run.states) == {IpSummed.NONE}
    assert run.bytes_summed == sum(map(by_hand, some))


def test_with_offload_the_headers_are_left() -> None:
    assert {f.bytes_summed for f in offload.run(TCP4).frames} == {20 + 12}
    assert {f.bytes_summed for f in offload.run(TCP6).frames} == {
        40 + 36
    }  # its header is taken out of the sum
    judged = offload.run(TCP6, ravb.protocol_status)
    assert {f.bytes_summed for f in judged.frames} == {0}
    assert judged.states == {IpSummed.UNNECESSARY: len(TCP6)}


def test_verdicts_are_those_of_the_lab() -> None:
    want = [verdicts.check(frames.parse(frame))["tcp"].verdict for frame in TCP4]
    assert list(offload.run(TCP4).verdicts) == want
    partial = capture("iperf3-tcp4-csum-partial")
    assert set(offload.run(partial).verdicts) == {Verdict.WRONG}
    assert offload.run(partial).bytes_summed == offload.run(partial, offload=False).bytes_summed


def test_a_hypothesis_that_does_not_fit_costs_a_second_sum() -> None:
    def inverted(frame: bytes) -> bytes:
        return bytes(octet ^ 0xFF for octet in ravb.complete_sum(frame))

    run = offload.run(TCP4, inverted)
    assert run.hw_csum_failures == len(TCP4)
    assert set(run.verdicts) == {Verdict.RIGHT}
    assert run.bytes_summed == offload.run(TCP4, offload=False).bytes_summed
    # An IPv4 ping has no pseudo-header: everything adds up to 0xffff, and 0 is the same zero.
    icmp = [f for f in PING if frames.parse(f).layers[-1] == "icmp" and not frames.parse(f).upper.fragment]
    assert offload.run(icmp, inverted).hw_csum_failures == 0


def test_frames_in_pieces_are_copied_and_counted() -> None:
    whole, pieces = offload.run(TCP4), offload.run(TCP4, buffer=127)
    assert pieces.frames == whole.frames
    assert whole.bytes_copied == 0
    assert pieces.bytes_copied == sum(len(f) + 2 for f in TCP4 if len(f) + 2 > 127)


def test_no_frames_and_frames_that_do_not_fit() -> None:
    assert offload.run([]).bytes_per_frame == 0
    with pytest.raises(ValueError, match="more than 64 buffers of 100 bytes"):
        offload.run([bytes(9000)], buffer=100)
    with pytest.raises(ValueError, match=r"the allowed range is 1\.\."):
        offload.run([], buffer=0)


def test_a_cut_at_an_odd_place_needs_the_swap() -> None:
    odd, even = bytes(14) + b"\x12\x34\x56", bytes(14) + b"\x12\x34\x56\x78"
    names = list(offload.cut_off([]))
    assert list(offload.cut_off([odd]).values()) == [1, 1, 1, 0, 0]
    assert list(offload.cut_off([even]).values()) == [1, 0, 0, 0, 0]
    some = [*TCP4, *TCP6, *PING]
    counts = offload.cut_off(some)
    assert counts[names[0]] == len(some)
    assert counts[names[1]] == sum(len(frame) % 2 for frame in some)
    assert counts[names[1]] == counts[names[2]] + counts[names[4]]
    assert counts[names[3]] == 0
