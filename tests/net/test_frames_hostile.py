"""Two hundred thousand hostile frames: cut, flipped, random. Nothing raises, and what is said stays true."""

import struct
from collections.abc import Iterable

import pytest
from edge_frames import EDGES, HERE6, MAC, THERE6
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab import data_path
from lan966x_lab.net import captures, frames, ptp, report, verdicts
from lan966x_lab.net.build import ethernet, ipv6
from lan966x_lab.net.frames import EtherType, Protocol
from lan966x_lab.net.verdicts import Verdict

HEADERS = 72  # bytes; only PTP messages reach further
CAPTURED = [
    frame for path in sorted(data_path("captures").glob("*.pcap")) for frame in captures.read(path).frames
]
# One frame of each kind: the same headers, and the same length.
KINDS = list({(frames.parse(frame).layers, len(frame)): frame for frame in CAPTURED}.values())


def examine(octets: bytes, fcs_length: int = 0) -> frames.Frame:
    """Everything that ``inspect`` does with a frame, and what must hold for each."""
    frame = frames.parse(octets, fcs_length)
    checks = verdicts.check(frame)
    entry = report.Entry(1, 0, len(octets), frame, ptp.classify(octets), checks)
    assert report.as_json(entry)["layers"] == list(frame.layers)
    assert report.as_line(entry)
    assert frame.padding + frame.fcs == octets[len(octets) - len(frame.padding) - len(frame.fcs) :]
    assert len(frame.payload) + len(frame.padding) + len(frame.fcs) <= len(octets)
    assert frame.payload in octets
    if frame.stopped:
        assert 0 <= frame.stopped.offset <= len(octets)
        assert frame.stopped.reason
    for check in checks.values():
        assert bool(check.reason) == (check.verdict is not Verdict.RIGHT)
    return frame


def assert_batch_agrees(hostile: Iterable[frames.Frame]) -> int:
    parsed = list(hostile)
    assert verdicts.check_batch(parsed) == [verdicts.check(frame) for frame in parsed]
    return len(parsed)


def test_every_capture_frame_cut_at_every_length() -> None:
    cuts = 0
    for octets in CAPTURED:
        for length in range(len(octets)):
            # behind the headers a cut changes the verdict at most, and the next test looks at that
            (examine if length < HEADERS else frames.parse)(octets[:length])
            cuts += 1
    assert cuts > 1_000_000


def test_every_kind_of_frame_cut_at_every_length() -> None:
    """What is cut off is neither right nor wrong, and the headers before the cut stay what they were."""
    cuts = 0
    for octets in KINDS:
        whole = frames.parse(octets)
        hostile = []
        for length in range(len(octets)):
            frame = frames.parse(octets[:length])
            hostile.append(frame)
            assert frame.layers == whole.layers[: len(frame.layers)]
            for header, complete in ((frame.network, whole.network), (frame.transport, whole.transport)):
                if header is not None:  # but for options and extension headers, which stand last
                    assert complete is not None
                    assert header[:-1] == complete[:-1]
            if whole.upper is not None and length < whole.upper.stop:
                assert frame.stopped is not None
                said = {check.verdict for name, check in verdicts.check(frame).items() if name != "ipv4"}
                assert said <= {Verdict.NOT_CHECKABLE}
        cuts += assert_batch_agrees(hostile)
    assert cuts > 15_000


def test_every_bit_of_the_headers_flipped() -> None:
    flips = 0
    for octets in [*KINDS, *(edge.frame for edge in EDGES if len(edge.frame) < 2000)]:
        size = min(len(octets), HEADERS)
        number = int.from_bytes(octets[:size], "big")
        flipped = ((number ^ 1 << bit).to_bytes(size, "big") + octets[size:] for bit in range(8 * size))
        flips += assert_batch_agrees(map(examine, flipped))
    assert flips > 40_000


STARTS = [
    b"",
    bytes(12),
    *(bytes(12) + struct.pack(">H", kind) for kind in EtherType),
    bytes(12) + bytes.fromhex("88a80001 81000002 0800 45"),
    *(bytes(12) + bytes.fromhex(f"0800 4500 0000 0000 0000 40 {protocol:02x}") for protocol in (1, 6, 17)),
    *(bytes(12) + bytes.fromhex(f"0800 4f00 0080 0000 0000 40 {protocol:02x}") for protocol in (1, 6, 17)),
    *(bytes(12) + bytes.fromhex(f"86dd 6000 0000 0040 {kind:02x} 40") for kind in Protocol),
    *(bytes(12) + bytes.fromhex(f"86dd 6000 0000 0040 {kind:02x} 40") + bytes(32) for kind in Protocol),
]


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 8))
def test_made_bytes(tail: bytes, fcs_length: int) -> None:
    """Each tail stands behind starts that lead deep into the parser."""
    assert_batch_agrees(examine(start + tail, fcs_length) for start in STARTS)


def options_chain(count: int) -> bytes:
    """A jumbogram of two megabytes that holds nothing but extension headers."""
    jumbo = bytes([Protocol.DESTINATION_OPTIONS, 0, 0xC2, 4]) + (8 + 8 * count).to_bytes(4, "big")
    packet = ipv6(HERE6, THERE6, Protocol.HOP_BY_HOP, jumbo)
    chain = bytes([Protocol.DESTINATION_OPTIONS, 0, 1, 4, 0, 0, 0, 0]) * count
    return ethernet(*MAC, EtherType.IPV6, packet[:4] + b"\0\0" + packet[6:] + chain)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("layer", "octets"),
    [
        ("vlan", bytes(12) + bytes.fromhex("81000001") * 200_000),
        ("destination_options", options_chain(100_000)),
    ],
    ids=["tags", "extension headers"],
)
def test_a_long_chain_takes_linear_time(layer: str, octets: bytes) -> None:
    """A reader that copies what is left at each step would move 80 GB here and run into the time-out."""
    frame = examine(octets)
    assert frame.layers.count(layer) in (100_000, 199_999)
    assert frame.stopped is not None


def test_an_option_that_claims_too_much() -> None:
    """Hop-by-hop options whose lengths lead out of the header, and pads without end."""
    for option in (
        bytes([0xC2, 255, 0, 0, 0, 0]),
        bytes(6),
        bytes([0xC2, 4, 0, 0, 0, 0]),
        bytes([1, 4, 0, 0, 0xC2, 4]),
    ):
        header = bytes([Protocol.UDP, 0]) + option
        packet = ipv6(HERE6, THERE6, Protocol.HOP_BY_HOP, header)
        frame = examine(ethernet(*MAC, EtherType.IPV6, packet[:4] + b"\0\0" + packet[6:], minimum=0))
        assert isinstance(frame.network, frames.IPv6)
        assert frame.network.payload_length == 0
