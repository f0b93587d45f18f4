"""The network stack as a driver sees it: who adds up which bytes, and what the sum is worth.

A driver hands up an skb whose ``ip_summed`` says what the device already knows. The stack believes it,
completes it or does the whole work:

===========  ======================================================================================
NONE         add up the transport segment and the pseudo-header
UNNECESSARY  nothing: the device has judged
COMPLETE     add the pseudo-header to ``csum``; on a mismatch add up everything: when that comes out
             right the device was wrong, and the kernel logs "hw csum failure"
===========  ======================================================================================

COMPLETE means "the sum of all bytes from ``data`` to ``tail``". So every step that moves ``data`` or ``tail``
has to take the bytes out of the sum again, with their two halves swapped where they stood at an odd offset:
`pull_rcsum`, `push_rcsum`, `trim_rcsum`. The IPv4 header is always added up in software: it is short, and in
the cache anyway.

Sources: include/linux/skbuff.h, net/core/skbuff.c, net/core/dev.c, net/ipv4/ip_input.c,
Documentation/networking/checksum-offloads.rst.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lan966x_lab.driver.skb import ETH_ALEN, ETH_HLEN, VLAN_HLEN, IpSummed, Skb, SkbError
from lan966x_lab.net import checksum, frames
from lan966x_lab.net.headers import TRANSPORTS, IPv4, IPv6, Network, Protocol, Upper
from lan966x_lab.net.verdicts import Check, Cover, Verdict, plan

ETH_P_IP = 0x0800
ETH_P_IPV6 = 0x86DD
ETH_P_8021Q = 0x8100
ETH_P_8021AD = 0x88A8
VLANS = frozenset((ETH_P_8021Q, ETH_P_8021AD))

NO_CHECKSUM = Check(Verdict.NOT_CHECKABLE, "a protocol whose checksum the stack does not know")


# Operations that keep a COMPLETE sum right. Each returns the number of bytes that it had to add up.


def pull_rcsum(skb: Skb, n: int) -> int:
    """Take `n` bytes off the front, and out of the sum."""
    front = skb.pull(n)
    if skb.ip_summed is not IpSummed.COMPLETE:
        return 0
    # In a sum, what stood in front may as well stand behind the rest, at an even offset as before.
    rest = checksum.remove(skb.csum, checksum.ones_sum(front), len(skb) & ~1)
    skb.csum = _swap(rest) if n % 2 else rest
    return n


def push_rcsum(skb: Skb, data: bytes) -> int:
    """Put `data` before the frame, and into the sum."""
    skb.push(len(data))[:] = data
    if skb.ip_summed is not IpSummed.COMPLETE:
        return 0
    skb.csum = checksum.combine(checksum.ones_sum(data), skb.csum, len(data))
    return len(data)


def trim_rcsum(skb: Skb, length: int) -> int:
    """Cut the frame to `length` bytes, and take the tail out of the sum; longer frames only."""
    if length >= len(skb):
        return 0
    tail = skb.view()[length:]
    skb.trim(length)
    if skb.ip_summed is not IpSummed.COMPLETE:
        return 0
    skb.csum = checksum.remove(skb.csum, checksum.ones_sum(tail), length)
    return len(tail)


def vlan_untag(skb: Skb) -> int:
    """Move the tag from the frame to ``vlan_tci``; `data` stands behind the Ethernet header, at the TCI.

    The two addresses move up by four bytes, so that the Ethernet header stands before ``data`` again. Bytes
    before ``data`` are not in the sum: only the tag is taken out.
    """
    if skb.mac_header is None or len(skb) < VLAN_HLEN:
        raise SkbError(f"vlan_untag: {len(skb)} bytes behind the Ethernet header, {VLAN_HLEN} needed")
    tag = bytes(skb.view()[:VLAN_HLEN])
    summed = pull_rcsum(skb, VLAN_HLEN)
    skb.vlan_proto = skb.protocol
    skb.vlan_tci = int.from_bytes(tag[:2], "big")
    skb.protocol = int.from_bytes(tag[2:], "big")
    start = skb.mac_header
    addresses = bytes(skb.buffer[start : start + 2 * ETH_ALEN])
    skb.buffer[start + VLAN_HLEN : start + VLAN_HLEN + 2 * ETH_ALEN] = addresses
    skb.mac_header = start + VLAN_HLEN
    return summed


def _is_zero(total: int) -> bool:
    """Whether a sum over data and its checksum says "right": 0 and 0xffff are the same zero."""
    return total % 0xFFFF == 0


def _swap(total: int) -> int:
    return (total & 0xFF) << 8 | total >> 8


# Transmit


def checksum_help(skb: Skb) -> int:
    """``skb_checksum_help``: resolve PARTIAL in software; returns the number of bytes that were added up.

    The field at ``csum_start + csum_offset`` holds the sum of the pseudo-header; the sum from ``csum_start``
    to the tail, inverted, replaces it. A result of 0 is written as 0xffff: in UDP a 0 would say "no
    checksum".
    """
    if skb.ip_summed is not IpSummed.PARTIAL:
        return 0
    field = skb.csum_start + skb.csum_offset
    if not skb.data <= skb.csum_start <= field <= skb.tail - 2:
        raise SkbError(
            f"skb_checksum_help: start {skb.csum_start}, field {field}: both must lie in "
            f"{skb.data}..{skb.tail - 2}, the field not before the start"
        )
    segment = memoryview(skb.buffer)[skb.csum_start : skb.tail]
    value = checksum.udp_checksum(segment)
    skb.buffer[field : field + 2] = value.to_bytes(2, "big")
    skb.ip_summed = IpSummed.NONE
    return len(segment)


# Receive


def _end_of_headers(ip: Network | None, upper: Upper) -> int:
    """Where the stack hands an IPv6 packet on, in the frame: a fragment stays whole for who collects them."""
    extensions = ip.extensions if upper.fragment and isinstance(ip, IPv6) else ()
    return next((each.start for each in extensions if each.kind == Protocol.FRAGMENT), upper.start)


@dataclass(slots=True)
class StackStats:
    """Counters of a `Stack`. Every frame is in exactly one of the first five."""

    delivered: int = 0
    checksum_errors: int = 0
    ip_header_errors: int = 0
    malformed: int = 0
    other_protocol: int = 0
    traversals: int = 0
    """Packets that went up; GRO makes them fewer than frames."""
    hw_csum_failure: int = 0
    bytes_summed: int = 0


class Stack:
    """Takes skbs from a driver, verifies their checksums, and owns them from then on.

    Args:
        deliver: called with every good skb (``data`` at the transport header, or behind the Ethernet header
            where there is none) and its verdict; it becomes the owner. Without it the skb is freed.
    """

    def __init__(self, deliver: Callable[[Skb, Verdict], None] | None = None) -> None:
        self.deliver = deliver
        self.stats = StackStats()

    def receive(self, skb: Skb) -> Verdict:
        """``netif_receive_skb``: one skb, after `eth_type_trans`; returns the verdict on its transport
        checksum.

        Which bytes a checksum covers, and which frames cannot be judged, `net.verdicts` knows. Three things
        a receiver sees differently from somebody who reads a capture. PARTIAL is never the verdict: it cannot
        know that a wrong sum was to be completed by a sender. An IPv4 packet of total length 0 is malformed,
        not one that a sender's hardware was still to cut up. A wrong IPv4 header makes the whole frame WRONG.
        """
        while skb.protocol in VLANS and len(skb) >= VLAN_HLEN:
            self.stats.bytes_summed += vlan_untag(skb)
        if skb.protocol in (ETH_P_IP, ETH_P_IPV6):
            return self._ip(skb)
        return self._pass(skb, Verdict.NOT_CHECKABLE, "other_protocol")

    def _ip(self, skb: Skb) -> Verdict:
        """Both versions: the headers by `net`, the sums here, because some were added up already."""
        assert skb.mac_header is not None
        frame = frames.parse(skb.buffer[skb.mac_header : skb.tail])
        ip, upper = frame.network, frame.upper
        if upper is None or upper.stop > len(frame.octets) or (isinstance(ip, IPv4) and not ip.total_length):
            return self._drop(skb, "malformed", Verdict.NOT_CHECKABLE)
        if isinstance(ip, IPv4):
            self.stats.bytes_summed += ip.header_length
            if checksum.ones_sum(skb.view()[: ip.header_length]) != 0xFFFF:
                return self._drop(skb, "ip_header_errors", Verdict.WRONG)
        self.stats.bytes_summed += trim_rcsum(skb, upper.stop - ETH_HLEN)
        if isinstance(ip, IPv4):
            skb.pull(ip.header_length)  # a right header adds up to zero: COMPLETE stays right without work
        else:
            self.stats.bytes_summed += pull_rcsum(skb, _end_of_headers(ip, upper) - ETH_HLEN)
        kind = TRANSPORTS.get((len(upper.source), upper.protocol))
        return self._transport(skb, frame, upper, plan(frame)[kind.name] if kind else NO_CHECKSUM)

    def _transport(self, skb: Skb, frame: frames.Frame, upper: Upper, cover: Cover | Check) -> Verdict:
        if isinstance(cover, Check):
            if cover.verdict is Verdict.WRONG:
                return self._drop(skb, "checksum_errors", cover.verdict)
            if cover is not NO_CHECKSUM and frame.stopped is not None and not upper.fragment:
                return self._drop(skb, "malformed", cover.verdict)
            return self._pass(skb, cover.verdict)
        self.stats.bytes_summed += trim_rcsum(skb, cover.stop - cover.start)
        if skb.ip_summed is IpSummed.UNNECESSARY or self._is_right(skb, self._pseudo(upper, cover)):
            return self._pass(skb, Verdict.RIGHT)
        return self._drop(skb, "checksum_errors", Verdict.WRONG)

    def _pseudo(self, upper: Upper, cover: Cover) -> int:
        """The sum of the pseudo-header: two addresses, protocol and length; 0 where there is none (ICMP)."""
        if cover.pseudo_sum:
            self.stats.bytes_summed += 2 * len(upper.source) + 4
        return cover.pseudo_sum

    def _is_right(self, skb: Skb, start: int) -> bool:
        if skb.ip_summed is IpSummed.COMPLETE and _is_zero(start + skb.csum):
            return True
        self.stats.bytes_summed += len(skb)
        if not _is_zero(checksum.ones_sum(skb.view(), start)):
            return False
        if skb.ip_summed is IpSummed.COMPLETE:
            self.stats.hw_csum_failure += 1
        return True

    def _pass(self, skb: Skb, verdict: Verdict, counter: str = "delivered") -> Verdict:
        self._count(counter, skb)
        if self.deliver is None:
            skb.free()
        else:
            self.deliver(skb, verdict)
        return verdict

    def _drop(self, skb: Skb, counter: str, verdict: Verdict) -> Verdict:
        self._count(counter, skb)
        skb.free()
        return verdict

    def _count(self, counter: str, skb: Skb) -> None:
        frames = 1 + len(skb.frag_list)
        setattr(self.stats, counter, getattr(self.stats, counter) + frames)
        self.stats.traversals += 1
