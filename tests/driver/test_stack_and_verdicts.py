"""The stack and `net.verdicts` judge the same frames and say the same; of an untouched one, "right"."""

import struct

from hypothesis import example, given, settings
from hypothesis import strategies as st
from offload_frames import DESTINATION6, SOURCE6, icmp, ipv4, ipv6, slow_sum, tcp, udp

from lan966x_lab.driver.skb import IpSummed, eth_type_trans, skb_from_frame
from lan966x_lab.driver.stack import Stack
from lan966x_lab.net import frames, verdicts
from lan966x_lab.net.headers import IPv4
from lan966x_lab.net.verdicts import Verdict

HOP, ROUTING, FRAGMENT, AUTHENTICATION, DESTINATION = 0, 43, 44, 51, 60
LAST_STOP, HOME = bytes(range(100, 116)), bytes(range(200, 216))

hop = st.tuples(st.just(HOP), st.sampled_from([bytes(6), b"\x01\x04" + bytes(4), b"\x01\x0c" + bytes(12)]))
options = st.tuples(st.just(DESTINATION), st.sampled_from([bytes(6), b"\x01\x02\0\0\xc9\x10" + HOME]))
routing = st.tuples(
    st.just(ROUTING),
    st.builds(
        lambda kind, left, stops: bytes([kind, left]) + bytes(4) + b"".join(stops),
        st.sampled_from([0, 2, 3, 4, 253]),
        st.integers(0, 3),
        st.lists(st.sampled_from([LAST_STOP, bytes(16)]), max_size=2),
    ),
)
fragment = st.tuples(
    st.just(FRAGMENT),
    st.builds(lambda word: struct.pack("!HI", word, 9), st.sampled_from([0, 0, 1, 8, 9, 6])),
)
authentication = st.tuples(st.just(AUTHENTICATION), st.just(bytes(14)))
chains = st.lists(st.one_of(hop, options, routing, fragment, authentication), max_size=3)
damage = st.lists(st.tuples(st.integers(14, 200), st.integers(1, 255)), max_size=2)
STATES = (IpSummed.NONE, IpSummed.COMPLETE)


def headers(chain: list[tuple[int, bytes]], protocol: int) -> tuple[int, bytes]:
    """The first next-header value, and the extension headers that lead to `protocol`."""
    octets = b""
    for kind, body in reversed(chain):
        size = len(body) + 2
        units = {FRAGMENT: 0, AUTHENTICATION: size // 4 - 2}.get(kind, size // 8 - 1)
        octets = bytes([protocol, units]) + body + octets
        protocol = kind
    return protocol, octets


def ends(chain: list[tuple[int, bytes]]) -> tuple[bytes, bytes | None]:
    """Source and destination of the pseudo-header, worked out from the chain as it was meant."""
    source: bytes = SOURCE6
    destination: bytes | None = DESTINATION6
    for kind, body in chain:
        if kind == DESTINATION and HOME in body:
            source = HOME
        if kind == ROUTING and body[1]:  # a later route has the last word, whatever the first one was
            known = body[0] in (0, 2, 4) and len(body) >= 22
            destination = (body[6:22] if body[0] == 4 else body[-16:]) if known else None
    return source, destination


def with_checksum(segment: bytes, at: int, protocol: int, source: bytes, destination: bytes) -> bytes:
    blank = segment[:at] + b"\0\0" + segment[at + 2 :]
    pseudo = source + destination + struct.pack("!II", len(segment), protocol)
    value = slow_sum(pseudo + blank) ^ 0xFFFF or 0xFFFF
    return blank[:at] + value.to_bytes(2, "big") + blank[at + 2 :]


def by_the_stack(frame: bytes, state: IpSummed) -> Verdict:
    skb = skb_from_frame(frame)
    eth_type_trans(skb)
    skb.ip_summed = state
    if state is IpSummed.COMPLETE:
        skb.csum = slow_sum(bytes(skb))
    stack = Stack()
    verdict = stack.receive(skb)
    assert stack.stats.hw_csum_failure == 0
    assert skb.freed
    return verdict


def by_net(frame: bytes) -> Verdict:
    """What `net.verdicts` says, seen by a receiver: the differences that `Stack.receive` names."""
    read = frames.parse(frame)
    upper, checks = read.upper, verdicts.check(read)
    if upper is None or upper.stop > len(frame):
        return Verdict.NOT_CHECKABLE
    if isinstance(read.network, IPv4):
        if read.network.total_length == 0:
            return Verdict.NOT_CHECKABLE
        if checks.pop("ipv4").verdict is Verdict.WRONG:
            return Verdict.WRONG
    verdict = next((check.verdict for check in checks.values()), Verdict.NOT_CHECKABLE)
    return Verdict.WRONG if verdict is Verdict.PARTIAL else verdict


def damaged(frame: bytes, changes: list[tuple[int, int]]) -> bytes:
    octets = bytearray(frame)
    for at, change in changes:
        if at < len(octets):
            octets[at] ^= change
    return bytes(octets)


@settings(max_examples=400, deadline=None)
@given(
    chain=chains,
    segment=st.sampled_from([(tcp(b"hello", True), 16, 6), (udp(b"hell", True), 6, 17), (bytes(12), 2, 58)]),
    changes=damage,
    cut=st.integers(0, 3),
)
@example(
    chain=[(ROUTING, b"\x04\x01" + bytes(4) + LAST_STOP)], segment=(tcp(b"", True), 16, 6), changes=[], cut=0
)
@example(chain=[(FRAGMENT, bytes(6))], segment=(tcp(b"", True), 16, 6), changes=[], cut=0)
@example(chain=[(AUTHENTICATION, bytes(14))], segment=(tcp(b"", True), 16, 6), changes=[], cut=0)
@example(
    chain=[(FRAGMENT, b"\0\1" + bytes(4)), (FRAGMENT, bytes(6))],
    segment=(tcp(b"", True), 16, 6),
    changes=[],
    cut=0,
)
def test_extension_headers(
    chain: list[tuple[int, bytes]],
    segment: tuple[bytes, int, int],
    changes: list[tuple[int, int]],
    cut: int,
) -> None:
    """A route that is not at its end, a fragment that is whole, a home address: IPv6 only."""
    octets, at, protocol = segment
    source, destination = ends(chain)
    first, before = headers(chain, protocol)
    whole = with_checksum(octets, at, protocol, source, destination or DESTINATION6)
    sound = ipv6(before + whole, first)
    pieces = any(kind == FRAGMENT and int.from_bytes(body[:2], "big") & 0xFFF9 for kind, body in chain)
    meant = Verdict.NOT_CHECKABLE if pieces or destination is None else Verdict.RIGHT
    frame = damaged(sound, changes)[: len(sound) - (cut if cut < 3 else 0)]
    for state in STATES:
        assert by_the_stack(sound, state) is by_net(sound) is meant
        assert by_the_stack(frame, state) is by_net(frame)


@settings(max_examples=300, deadline=None)
@given(
    segment=st.sampled_from(
        [
            (tcp(b"hello"), 6),
            (udp(b"hell"), 17),
            (udp(b"")[:6] + b"\0\0", 17),
            (icmp(b"x"), 1),
            (b"sctp", 132),
        ]
    ),
    fragment=st.sampled_from([0, 0, 0x4000, 0x2000, 5]),
    tags=st.sampled_from([(), (5,), (5, 6)]),
    pad=st.sampled_from([b"", b"\x20" * 7]),
    changes=damage,
)
def test_ipv4(
    segment: tuple[bytes, int],
    fragment: int,
    tags: tuple[int, ...],
    pad: bytes,
    changes: list[tuple[int, int]],
) -> None:
    sound = ipv4(*segment, fragment=fragment, vlans=tags, pad=pad)
    for frame in (sound, damaged(sound, changes)):
        for state in STATES:
            assert by_the_stack(frame, state) is by_net(frame)
