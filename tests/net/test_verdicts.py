"""Which checksums are right: edge cases decided by hand, and properties of every frame."""

import pytest
from edge_frames import DATA, EDGES, TCP4, UDP4, UDP6, Edge, four, put, six
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab import data_path
from lan966x_lab.net import build, captures, checksum, frames, verdicts
from lan966x_lab.net.frames import EtherType, Protocol
from lan966x_lab.net.verdicts import Verdict

CAPTURES = sorted(path.name for path in data_path("captures").glob("*.pcap"))
PARSED = [
    frames.parse(frame) for name in CAPTURES for frame in captures.read(data_path("captures", name)).frames
]


def verdict_words(frame: bytes) -> dict[str, str]:
    return {name: check.verdict.value for name, check in verdicts.check(frames.parse(frame)).items()}


@pytest.mark.parametrize("edge", EDGES, ids=lambda edge: edge.name)
def test_edges(edge: Edge) -> None:
    assert verdict_words(edge.frame) == edge.verdicts


def test_a_verdict_other_than_right_has_its_reason() -> None:
    checks = [check for edge in EDGES for check in verdicts.check(frames.parse(edge.frame)).values()]
    assert {check.verdict for check in checks} == set(Verdict)
    assert all(bool(check.reason) == (check.verdict is not Verdict.RIGHT) for check in checks)


def test_the_batch_says_the_same() -> None:
    parsed = [*PARSED, *(frames.parse(edge.frame) for edge in EDGES)]
    assert verdicts.check_batch(parsed) == [verdicts.check(frame) for frame in parsed]
    assert verdicts.check_batch([]) == []


def test_a_long_batch_is_cut_into_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdicts, "_ROWS", 3)
    assert verdicts.check_batch(PARSED[:50]) == [verdicts.check(frame) for frame in PARSED[:50]]


def test_what_should_stand_in_a_wrong_field() -> None:
    right = TCP4[50:52]
    check = verdicts.check(frames.parse(put(TCP4, 50, b"\x12\x34")))["tcp"]
    assert check == (Verdict.WRONG, f"0x1234 should be 0x{right.hex()}")


def test_a_frame_check_sequence_is_no_payload() -> None:
    """An odd packet with its FCS: told about it or not, the checksum stays right."""
    frame = four(Protocol.UDP, build.udp(1, 2, DATA))
    with_fcs = frame + build.fcs(frame)
    for fcs_length in (0, 4):
        checks = verdicts.check(frames.parse(with_fcs, fcs_length))
        assert {name: check.verdict for name, check in checks.items()} == {"ipv4": "right", "udp": "right"}
    cut = verdicts.check(frames.parse(frame[:-2] + bytes(2), 2))
    assert cut["udp"].verdict is Verdict.NOT_CHECKABLE


def test_ipv4_cannot_count_a_longer_pseudo_header() -> None:
    segment = build.tcp(1, 2, bytes(70_000))
    header = put(TCP4[14:34], 2, b"\0\0")  # total length 0, as segmentation hardware gets it
    frame = build.ethernet("02:00:00:00:00:02", "02:00:00:00:00:01", EtherType.IPV4, header + segment)
    check = verdicts.check(frames.parse(frame))["tcp"]
    assert check.verdict is Verdict.NOT_CHECKABLE
    assert "65535" in check.reason


def test_capture_frames_in_words() -> None:
    """The partial capture is partial throughout; in the others nothing is wrong or partial."""
    for name in CAPTURES:
        seen = {
            (header, check.verdict)
            for frame in captures.read(data_path("captures", name)).frames
            for header, check in verdicts.check(frames.parse(frame)).items()
        }
        partial = {("ipv4", Verdict.RIGHT), ("tcp", Verdict.PARTIAL)}
        assert seen == partial if "partial" in name else all(v in ("right", "not_checkable") for _, v in seen)


@given(
    payload=st.binary(max_size=70),
    ports=st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)),
    address=st.binary(min_size=16, max_size=16),
    protocol=st.sampled_from([Protocol.TCP, Protocol.UDP]),
    padding=st.binary(max_size=9),
    fill=st.sampled_from(["right", "partial"]),
)
def test_what_is_built_is_judged(
    payload: bytes, ports: tuple[int, int], address: bytes, protocol: int, padding: bytes, fill: build.Fill
) -> None:
    transport = (build.tcp if protocol == Protocol.TCP else build.udp)(*ports, payload)
    for pack, ethertype, size in ((build.ipv4, EtherType.IPV4, 4), (build.ipv6, EtherType.IPV6, 16)):
        packet = pack(address[:size], address[-size:], protocol, transport, fill_checksum=fill)
        frame = build.ethernet(bytes(6), bytes(6), ethertype, packet) + padding
        words = verdict_words(frame)
        name = "tcp" if protocol == Protocol.TCP else "udp"
        field = packet[-len(transport) :][16:18] if name == "tcp" else packet[-len(transport) :][6:8]
        if fill == "right" or words[name] == "right":  # a partial sum may happen to be the right one
            assert words[name] == "right"
        elif field != b"\0\0":
            assert words[name] == "partial"
        assert words.get("ipv4", "right") == "right"


@given(at=st.integers(0, 10**6), bit=st.integers(0, 7), frame=st.sampled_from(PARSED))
def test_one_flipped_bit_in_the_payload_is_wrong(at: int, bit: int, frame: frames.Frame) -> None:
    """A sum finds every single flipped bit; so no frame stays right that has one in its payload."""
    covers = [
        cover
        for name, cover in verdicts.plan(frame).items()
        if isinstance(cover, verdicts.Cover) and name != "ipv4"
    ]
    if not covers or not frame.payload:
        return
    start = covers[0].stop - len(frame.payload)
    at = start + at % len(frame.payload)
    flipped = put(frame.octets, at, bytes([frame.octets[at] ^ 1 << bit]))
    before, after = verdict_words(frame.octets), verdict_words(flipped)
    assert {**before, **after} == after
    changed = {name for name in after if before[name] != after[name]}
    assert changed == {name for name in before if name != "ipv4" and before[name] == "right"}


@pytest.mark.parametrize(("total", "verdict"), [(0xFFFF, "right"), (0, "wrong"), (0xFFFE, "wrong")])
def test_judge(total: int, verdict: str) -> None:
    assert verdicts.judge(0x1234, total).verdict == verdict


def test_judge_partial_needs_a_pseudo_header() -> None:
    assert verdicts.judge(0x1234, 0x2468, 0x1234).verdict is Verdict.PARTIAL
    assert verdicts.judge(0, 0x2468).verdict is Verdict.WRONG


def test_plan_gives_ranges_of_the_frame() -> None:
    assert verdicts.plan(frames.parse(UDP4)) == {
        "ipv4": verdicts.Cover(14, 34, 24),
        "udp": verdicts.Cover(
            34, len(UDP4), 40, checksum.pseudo_header_sum(b"\n\0\0\1", b"\n\0\0\2", 17, 19)
        ),
    }
    covered = verdicts.plan(frames.parse(UDP6 + b"padding"))["udp"]
    assert isinstance(covered, verdicts.Cover)
    assert (covered.start, covered.stop) == (54, len(UDP6))


def test_hop_by_hop_cut_off_gives_no_verdict() -> None:
    frame = six(Protocol.UDP, build.udp(1, 2, DATA), extensions=[(Protocol.HOP_BY_HOP, bytes(8))])
    assert verdict_words(frame) == {"udp": "right"}
    assert verdict_words(frame[:60]) == {}
