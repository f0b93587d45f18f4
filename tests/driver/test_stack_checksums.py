import pytest
from hypothesis import given
from hypothesis import strategies as st
from offload_frames import icmp, ipv4, ipv6, pseudo, slow_sum, tcp, udp

from lan966x_lab.driver.skb import IpSummed, Skb, SkbError, eth_type_trans, skb_from_frame
from lan966x_lab.driver.stack import (
    Stack,
    checksum_help,
    pull_rcsum,
    push_rcsum,
    trim_rcsum,
    vlan_untag,
)
from lan966x_lab.net.verdicts import Verdict

GOOD = {
    "udp": ipv4(udp(b"hello"), 17),
    "udp, odd": ipv4(udp(b"hell"), 17),
    "tcp": ipv4(tcp(b"hello world"), 6),
    "icmp": ipv4(icmp(b"ping"), 1),
    "udp6": ipv6(udp(b"hello", True), 17),
    "tcp6": ipv6(tcp(b"hello", True), 6),
    "options6": ipv6(tcp(b"hello", True), 6, options=b"\x06\x00" + bytes(6)),
    "vlan": ipv4(tcp(b"hello"), 6, vlans=(0x2005,)),
    "two tags": ipv4(tcp(b"hello"), 6, vlans=(0x2005, 7)),
    "padded with 0x20": ipv4(tcp(b""), 6, pad=b"\x20" * 6),
    "padded with 0x55": ipv4(tcp(b""), 6, pad=b"\x55" * 6),
    "odd, padded": ipv4(udp(b"abc"), 17, pad=b"\x20" * 15),
}


def received(frame: bytes, state: IpSummed, add: int = 0) -> Skb:
    skb = skb_from_frame(frame)
    eth_type_trans(skb)
    skb.ip_summed = state
    if state is IpSummed.COMPLETE:
        skb.csum = slow_sum(
            bytes(skb) + add.to_bytes(2, "big") if len(skb) % 2 == 0 else bytes(skb) + b"\0" + bytes([add])
        )
    return skb


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("state", [IpSummed.NONE, IpSummed.COMPLETE, IpSummed.UNNECESSARY])
def test_good_frames_are_right_in_every_state(name: str, state: IpSummed):
    stack = Stack()
    assert stack.receive(received(GOOD[name], state)) is Verdict.RIGHT
    assert (stack.stats.delivered, stack.stats.hw_csum_failure) == (1, 0)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("state", [IpSummed.NONE, IpSummed.COMPLETE])
def test_a_flipped_payload_bit_is_wrong(name: str, state: IpSummed):
    frame = bytearray(GOOD[name])
    pad = frame.find(b"\x20" * 6) if "0x20" in name or "odd, p" in name else frame.find(b"\x55" * 6)
    frame[(pad if pad > 0 else len(frame)) - 1] ^= 1
    stack = Stack()
    assert stack.receive(received(bytes(frame), state)) is Verdict.WRONG
    assert (stack.stats.checksum_errors, stack.stats.hw_csum_failure, stack.stats.delivered) == (1, 0, 0)


def test_unnecessary_is_believed():
    frame = bytearray(GOOD["tcp"])
    frame[-1] ^= 1
    stack = Stack()
    assert stack.receive(received(bytes(frame), IpSummed.UNNECESSARY)) is Verdict.RIGHT


def test_a_wrong_complete_sum_is_checked_again_and_counted():
    stack = Stack()
    assert stack.receive(received(GOOD["tcp"], IpSummed.COMPLETE, add=1)) is Verdict.RIGHT
    assert (stack.stats.hw_csum_failure, stack.stats.delivered) == (1, 1)


def test_work_of_the_cpu_is_counted():
    payload = bytes(1460)
    summed = {}
    for state in (IpSummed.NONE, IpSummed.COMPLETE, IpSummed.UNNECESSARY):
        stack = Stack()
        stack.receive(received(ipv4(tcp(payload), 6), state))
        summed[state] = stack.stats.bytes_summed
    assert summed == {
        IpSummed.NONE: 20 + 12 + 1480,
        IpSummed.COMPLETE: 20 + 12,
        IpSummed.UNNECESSARY: 20,
    }


@pytest.mark.parametrize(
    ("frame", "verdict", "counter"),
    [
        (ipv4(udp(b"x")[:6] + b"\0\0x", 17), Verdict.ABSENT, "delivered"),
        (ipv6(udp(b"x", True)[:6] + b"\0\0x", 17), Verdict.WRONG, "checksum_errors"),
        (ipv4(tcp(b"x"), 6, fragment=0x2000), Verdict.NOT_CHECKABLE, "delivered"),
        (ipv4(tcp(b"x"), 6, fragment=185), Verdict.NOT_CHECKABLE, "delivered"),
        (ipv6(b"\x06\0\0\1" + bytes(4) + tcp(b"x", True), 44), Verdict.NOT_CHECKABLE, "delivered"),
        (ipv6(b"\x06\0\0\x08" + bytes(4) + tcp(b"x", True), 44), Verdict.NOT_CHECKABLE, "delivered"),
        (ipv6(b"\x06\0\0\0" + bytes(4) + tcp(b"x", True), 44), Verdict.RIGHT, "delivered"),  # atomic: whole
        (ipv6(bytes(24), 44), Verdict.NOT_CHECKABLE, "malformed"),
        (ipv6(b"\x06\x02\x04\1" + bytes(20) + tcp(b"x", True), 43), Verdict.WRONG, "checksum_errors"),
        (ipv6(b"\x06\x02\x09\1" + bytes(20) + tcp(b"x", True), 43), Verdict.NOT_CHECKABLE, "delivered"),
        (ipv4(udp(b"x")[:6] + b"\0\0x", 17, fragment=0x2000), Verdict.ABSENT, "delivered"),
        (ipv4(b"sctp", 132), Verdict.NOT_CHECKABLE, "delivered"),
        (bytes(12) + b"\x88\xf7" + bytes(44), Verdict.NOT_CHECKABLE, "other_protocol"),
        (ipv4(b"", 6), Verdict.NOT_CHECKABLE, "malformed"),
        (ipv4(tcp(b"x"), 6)[:-1], Verdict.NOT_CHECKABLE, "malformed"),
        (ipv6(tcp(b"x", True), 6)[:-1], Verdict.NOT_CHECKABLE, "malformed"),
        (ipv6(b"", 6)[:30], Verdict.NOT_CHECKABLE, "malformed"),
        (ipv6(b"", 6, options=b"\x06\x09" + bytes(6)), Verdict.NOT_CHECKABLE, "malformed"),
        (ipv6(b"", 6, options=b"\x06\x00"), Verdict.NOT_CHECKABLE, "malformed"),
        (bytes(12) + b"\x08\0" + b"\x44" + bytes(30), Verdict.NOT_CHECKABLE, "malformed"),
        (ipv4(udp(b"x")[:4] + b"\0\x07" + udp(b"x")[6:], 17), Verdict.NOT_CHECKABLE, "malformed"),
        (bytes(12) + b"\x81\0\0", Verdict.NOT_CHECKABLE, "other_protocol"),
    ],
)
def test_the_other_ends_of_a_frame(frame: bytes, verdict: Verdict, counter: str):
    for state in (IpSummed.NONE, IpSummed.COMPLETE):
        stack = Stack()
        assert stack.receive(received(frame, state)) is verdict
        stats = stack.stats
        ends = ("delivered", "checksum_errors", "ip_header_errors", "malformed", "other_protocol")
        assert {name: getattr(stats, name) for name in ends if getattr(stats, name)} == {counter: 1}


def test_a_wrong_ip_header_is_found_in_software():
    frame = bytearray(GOOD["tcp"])
    frame[14 + 8] ^= 1  # the TTL
    for state in (IpSummed.NONE, IpSummed.COMPLETE, IpSummed.UNNECESSARY):
        stack = Stack()
        assert stack.receive(received(bytes(frame), state)) is Verdict.WRONG
        assert stack.stats.ip_header_errors == 1


def test_the_odd_trim_of_e1():
    """61 bytes of IP, 4 of FCS: the sum is 0xc94a with them, 0x7e6c without; unrotated 0xeaff."""
    fcs = bytes.fromhex("4e0a9040")
    body = bytearray(61)
    body[:2] = (0x7E6C).to_bytes(2, "big")
    assert slow_sum(bytes(body) + fcs) == 0xC94A
    skb = skb_from_frame(bytes(body) + fcs)
    skb.ip_summed, skb.csum = IpSummed.COMPLETE, 0xC94A
    assert trim_rcsum(skb, 61) == 4
    assert skb.csum == 0x7E6C


@given(
    data=st.binary(min_size=1, max_size=60),
    steps=st.lists(st.tuples(st.sampled_from("<>+"), st.integers(0, 20))),
)
def test_a_complete_sum_stays_the_sum_of_the_bytes(data: bytes, steps: list[tuple[str, int]]):
    skb = skb_from_frame(data, headroom=200)
    skb.ip_summed, skb.csum = IpSummed.COMPLETE, slow_sum(data)
    for what, n in steps[:10]:
        if what == "<":
            pull_rcsum(skb, min(n, len(skb)))
        elif what == ">":
            trim_rcsum(skb, max(0, len(skb) - n))
        elif n <= skb.headroom:
            push_rcsum(skb, bytes(range(1, n + 1)))
        assert skb.csum % 0xFFFF == slow_sum(bytes(skb)) % 0xFFFF


@pytest.mark.parametrize("front", [b"\x12\x34", b"\x12", b"\x12\x34\x56"])
@pytest.mark.parametrize(
    ("rest", "left"), [(b"\xff\xff", 0xFFFF), (b"\xff\xff\x00", 0xFFFF), (b"\x00", 0), (b"", 0)]
)
def test_what_is_left_of_a_sum_that_comes_out_as_zero(front: bytes, rest: bytes, left: int) -> None:
    """0xffff is the sum of bytes that verify; 0 that of none, or of one byte that is 0."""
    skb = skb_from_frame(front + rest)
    skb.ip_summed, skb.csum = IpSummed.COMPLETE, slow_sum(front + rest)
    assert pull_rcsum(skb, len(front)) == len(front)
    assert skb.csum == left == slow_sum(rest)


def test_without_a_sum_nothing_is_added_up():
    skb = skb_from_frame(b"abcdef")
    assert (pull_rcsum(skb, 1), trim_rcsum(skb, 3), push_rcsum(skb, b"xy")) == (0, 0, 0)
    assert bytes(skb) == b"xybcd"
    assert trim_rcsum(skb, 99) == 0


def test_vlan_untag_keeps_the_header_before_the_data():
    frame = ipv4(tcp(b"x"), 6, vlans=(0xA123,))
    skb = received(frame, IpSummed.COMPLETE)
    assert vlan_untag(skb) == 4
    assert (skb.vlan_proto, skb.vlan_tci, skb.protocol) == (0x8100, 0xA123, 0x0800)
    assert skb.csum == slow_sum(bytes(skb))
    assert skb.mac_header is not None
    skb.push(skb.data - skb.mac_header)
    assert bytes(skb) == frame[:12] + frame[16:]
    with pytest.raises(SkbError, match="4 needed"):
        vlan_untag(received(bytes(12) + b"\x81\0\0", IpSummed.NONE))


@pytest.mark.parametrize("size", range(9))
def test_checksum_help_fills_a_partial_checksum(size: int):
    segment = tcp(bytes(range(1, size + 1)))
    start = slow_sum(pseudo(6, len(segment)))
    partial = segment[:16] + start.to_bytes(2, "big") + segment[18:]
    skb = skb_from_frame(ipv4(partial, 6))
    skb.ip_summed, skb.csum_start, skb.csum_offset = IpSummed.PARTIAL, skb.data + 34, 16
    assert checksum_help(skb) == len(segment)
    assert bytes(skb) == ipv4(segment, 6)
    assert skb.ip_summed is IpSummed.NONE
    assert checksum_help(skb) == 0


def test_checksum_help_never_writes_zero():
    data = next(d for d in (n.to_bytes(2, "big") for n in range(1 << 16)) if udp(d)[6:8] == b"\xff\xff")
    good = udp(data)
    start = slow_sum(pseudo(17, len(good)))
    skb = skb_from_frame(ipv4(good[:6] + start.to_bytes(2, "big") + data, 17))
    skb.ip_summed, skb.csum_start, skb.csum_offset = IpSummed.PARTIAL, skb.data + 34, 6
    checksum_help(skb)
    assert bytes(skb)[40:42] == b"\xff\xff"


@pytest.mark.parametrize(("start", "offset"), [(-1, 0), (0, 5), (5, 1), (0, -1)])
def test_checksum_help_refuses_a_field_outside_the_frame(start: int, offset: int):
    skb = skb_from_frame(b"abcdef")
    skb.ip_summed, skb.csum_start, skb.csum_offset = IpSummed.PARTIAL, skb.data + start, offset
    with pytest.raises(SkbError, match="skb_checksum_help"):
        checksum_help(skb)
    assert bytes(skb) == b"abcdef"


@pytest.mark.parametrize(
    ("word", "pulled"), [(0, 40 + 8), (1, 40)], ids=["whole, in a fragment header", "first fragment"]
)
def test_a_fragment_is_handed_on_at_its_fragment_header(word: int, pulled: int):
    """Who collects the pieces needs it; a COMPLETE sum pays for each header that is taken off."""
    fragment = b"\x06\0" + word.to_bytes(2, "big") + bytes(4)
    up: list[bytes] = []
    stack = Stack(lambda skb, verdict: up.append(bytes(skb)))
    stack.receive(received(ipv6(fragment + tcp(b"x", True), 44), IpSummed.COMPLETE))
    assert stack.stats.bytes_summed == pulled + (36 if word == 0 else 0)
    assert up == [(b"" if word == 0 else fragment) + tcp(b"x", True)]
