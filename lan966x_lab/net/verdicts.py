"""Say of each checksum in a frame whether it is right, as a receiver would.

Three steps, three functions: ``plan`` finds the bytes that a checksum covers, the Internet checksum adds them
up (one frame at a time in ``check``, many at once in ``check_batch``), ``judge`` draws the conclusion.

Only the outermost headers count: not the packet that an ICMP error quotes, nor one inside a tunnel.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from lan966x_lab.net import batch, checksum
from lan966x_lab.net.headers import TRANSPORTS, EtherType, IPv4, TransportKind, Udp, Upper
from lan966x_lab.net.parse import Frame

__all__ = ["Check", "Checks", "Cover", "Verdict", "check", "check_batch", "judge", "plan"]

_ROWS = 4096  # frames copied into one batch


class Verdict(StrEnum):
    """What can be said of one checksum."""

    RIGHT = "right"
    WRONG = "wrong"
    PARTIAL = "partial"  # the pseudo-header sum only: the sender's hardware was to add the rest
    ABSENT = "absent"  # 0 in UDP over IPv4: the sender chose to send none
    NOT_CHECKABLE = "not_checkable"  # a fragment, a frame that was cut off, a length that cannot be true


class Check(NamedTuple):
    """A verdict; ``reason`` says why, where the word alone does not."""

    verdict: Verdict
    reason: str = ""


class Cover(NamedTuple):
    """What a checksum covers: the bytes ``start`` to ``stop`` of a frame, and perhaps a pseudo-header."""

    start: int
    stop: int
    field: int  # where the checksum stands
    pseudo_sum: int = 0  # folded; 0 where there is no pseudo-header


_RIGHT = Check(Verdict.RIGHT)

Checks: TypeAlias = dict[str, Check]  # by header: "ipv4", and one of "tcp", "udp", "icmp", "icmpv6"
Plan: TypeAlias = dict[str, Cover | Check]


def check(frame: Frame) -> Checks:
    """The verdict on each checksum of a frame, the outer header first; only those that are there."""
    planned = plan(frame)
    totals = (
        checksum.ones_sum(frame.octets[cover.start : cover.stop], cover.pseudo_sum)
        for cover in planned.values()
        if isinstance(cover, Cover)
    )
    return _conclude(frame, planned, totals)


def check_batch(frames: Sequence[Frame]) -> list[Checks]:
    """``check`` of many frames: the same verdicts, the sums by ``checksum.ones_sum_batch``."""
    plans = [plan(frame) for frame in frames]
    totals = iter(
        _totals(
            [
                (frame.octets, cover)
                for frame, planned in zip(frames, plans, strict=True)
                for cover in planned.values()
                if isinstance(cover, Cover)
            ]
        )
    )
    return [_conclude(frame, planned, totals) for frame, planned in zip(frames, plans, strict=True)]


def plan(frame: Frame) -> Plan:
    """For each checksum of a frame the bytes that it covers, or the verdict where no sum is needed."""
    planned: Plan = {}
    end = len(frame.octets) - len(frame.fcs)
    if frame.ethernet is not None and frame.ethernet.ethertype == EtherType.IPV4:
        ip = frame.network
        if isinstance(ip, IPv4) and ip.start + ip.header_length <= end:
            planned["ipv4"] = Cover(ip.start, ip.start + ip.header_length, ip.start + 10)
        else:
            planned["ipv4"] = _not_checkable(frame.stopped.reason if frame.stopped else "")
    if frame.upper is not None:
        kind = TRANSPORTS.get((len(frame.upper.source), frame.upper.protocol))
        if kind is not None:
            planned[kind.name] = _plan_upper(frame, frame.upper, kind, end)
    return planned


def judge(field: int, total: int, pseudo_sum: int = 0) -> Check:
    """The verdict on a checksum.

    Args:
        field: the checksum as it stands in the frame.
        total: the folded sum of everything that it covers, itself and the pseudo-header included. In a right
            frame that is 0xffff.
        pseudo_sum: the folded sum of the pseudo-header, 0 if there is none.
    """
    if total == 0xFFFF:
        return _RIGHT
    if pseudo_sum and field == pseudo_sum:
        return Check(Verdict.PARTIAL, "only the pseudo-header sum; the sender's hardware adds the rest")
    fitting = checksum.fold(total + (field ^ 0xFFFF)) ^ 0xFFFF
    return Check(Verdict.WRONG, f"{field:#06x} should be {fitting:#06x}")


def _plan_upper(frame: Frame, upper: Upper, kind: TransportKind, end: int) -> Cover | Check:
    start, stop, transport = upper.start, upper.stop, frame.transport
    ipv6 = len(upper.source) == 16
    if isinstance(transport, Udp):
        length = transport.datagram_length(stop - start, first_fragment=upper.fragment)
        if length is None:
            return _not_checkable(f"UDP length {transport.length}, IP carries {stop - start} bytes")
        if transport.checksum == 0 and ipv6:
            # RFC 8200 section 8.1; RFC 6935 exempts tunnels that agreed on it, which a frame cannot show
            return Check(Verdict.WRONG, "UDP over IPv6 must have a checksum")
        if transport.checksum == 0:
            return Check(Verdict.ABSENT, "the sender sent none")
        stop = start + length
    if upper.fragment:
        return _not_checkable("a fragment; the checksum covers the whole datagram")
    if transport is None:
        return _not_checkable(frame.stopped.reason if frame.stopped else "")
    if stop > end:
        return _not_checkable(f"cut off: {end - start} of {stop - start} bytes")
    if not kind.pseudo_header:
        return Cover(start, stop, start + kind.checksum_at)
    if upper.destination is None:
        return _not_checkable("a routing header of a type that does not tell the last stop")
    if not ipv6 and stop - start > 0xFFFF:
        return _not_checkable(f"{stop - start} bytes, the IPv4 pseudo-header counts up to 65535")
    pseudo_sum = checksum.pseudo_header_sum(upper.source, upper.destination, upper.protocol, stop - start)
    return Cover(start, stop, start + kind.checksum_at, pseudo_sum)


def _not_checkable(reason: str) -> Check:
    return Check(Verdict.NOT_CHECKABLE, reason)


def _conclude(frame: Frame, planned: Plan, totals: Iterator[int]) -> Checks:
    """Take one total for each cover in turn."""
    checks = {}
    for name, cover in planned.items():
        if isinstance(cover, Cover):
            field = frame.octets[cover.field] << 8 | frame.octets[cover.field + 1]
            checks[name] = judge(field, next(totals), cover.pseudo_sum)
        else:
            checks[name] = cover
    return checks


def _totals(covers: Sequence[tuple[bytes, Cover]]) -> list[int]:
    """The sums, in order. Pieces of about the same length go together, so that rows need little padding."""
    groups = defaultdict(list)
    for index, (_, cover) in enumerate(covers):
        groups[(cover.stop - cover.start) // 64].append(index)
    totals = [0] * len(covers)
    for indexes in groups.values():
        for first in range(0, len(indexes), _ROWS):
            some = indexes[first : first + _ROWS]
            pieces = [covers[index] for index in some]
            rows, lengths = batch.stack([octets[cover.start : cover.stop] for octets, cover in pieces])
            starts = [cover.pseudo_sum for _, cover in pieces]
            for index, total in zip(
                some, checksum.ones_sum_batch(rows, lengths, starts).tolist(), strict=True
            ):
                totals[index] = total
    return totals
