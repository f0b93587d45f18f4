"""What the explorers of the checksum share: frames of the captures, and how packets and sums are drawn."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from lan966x_lab.hw.ravb import ETH_HLEN
from lan966x_lab.net import captures, frames

from ..palette import MUTED, SLATE, TONES, Tone
from ..svg import WIDTH, Svg, text_width
from ..widgets import Control

BLUE, ORANGE, GREEN, _, _, WINE = TONES
LEFT, RIGHT = 20, WIDTH - 20

CAPTURES: Mapping[str, str] = {
    "TCP over IPv4 (iperf3)": "iperf3-tcp4-csum-ok",
    "the same, captured at the sender": "iperf3-tcp4-csum-partial",
    "TCP over IPv6 (iperf3)": "iperf3-tcp6-csum-ok",
    "UDP over IPv4, 701 bytes (iperf3)": "iperf3-udp4-701",
    "ping, odd lengths and fragments": "ping-odd",
    "PTP over Ethernet": "ptp-l2-e2e",
    "PTP over Ethernet, peer to peer": "ptp-l2-p2p",
    "PTP over UDP and IPv4": "ptp-udp4-e2e",
    "PTP over UDP and IPv6": "ptp-udp6-e2e",
}
"""The captures, by what they hold."""


@cache
def frames_of(name: str) -> tuple[bytes, ...]:
    """The frames of the capture ``name`` (without ``.pcap``)."""
    return tuple(captures.recorded(name).frames)


def frames_by_kind() -> dict[str, list[bytes]]:
    """The frames of all captures by their headers; those that were captured at the sender apart."""
    kinds: dict[str, list[bytes]] = {}
    for name in CAPTURES.values():
        for octets in frames_of(name):
            kind = " ".join(frames.parse(octets).layers[1:])
            kinds.setdefault(f"{kind}, sender" if "partial" in name else kind, []).append(octets)
    return kinds


class Part(NamedTuple):
    """A piece of the packet, by byte offsets behind the Ethernet header."""

    name: str
    start: int
    stop: int
    tone: Tone


def parts(frame: frames.Frame) -> list[Part]:
    """What stands behind the Ethernet header of a frame, in order, without gaps."""
    marks = list(_marks(frame))
    stops = [start for _, start, _ in marks[1:]] + [len(frame.octets)]
    return [
        Part(name, start - ETH_HLEN, stop - ETH_HLEN, tone)
        for (name, start, tone), stop in zip(marks, stops, strict=True)
        if stop > start
    ]


def _marks(frame: frames.Frame) -> Iterator[tuple[str, int, Tone]]:
    """Where each part starts, as an offset in the frame."""
    if frame.upper is None:
        yield ("PTP message" if frame.ptp else "rest of the frame"), ETH_HLEN, SLATE
    else:
        version, start = ("IPv4", "IPv6")[len(frame.upper.source) == 16], frame.upper.start
        yield f"{version} header", ETH_HLEN, BLUE
        if frame.transport is not None:
            kind = frames.TRANSPORTS[len(frame.upper.source), frame.upper.protocol]
            yield f"{_NAMES[kind.name]} header", start, GREEN
            options = frame.transport.options if isinstance(frame.transport, frames.Tcp) else b""
            start += kind.header_length + len(options)
        yield "payload", start, SLATE
    yield "padding", len(frame.octets) - len(frame.padding), ORANGE


_NAMES = {"tcp": "TCP", "udp": "UDP", "icmp": "ICMP", "icmpv6": "ICMPv6"}


def limit(control: Control, name: str, high: int) -> None:
    """Give a number field a new highest value, in its label too."""
    control.max = high
    control.description = f"{name} ({control.min:,}–{high:,})"


def strip(svg: Svg, y: int, pieces: Sequence[Part], length: int) -> None:
    """The whole packet in proportion, with a key above."""
    scale, origin = (RIGHT - LEFT) / length, pieces[0].start
    x: float = LEFT
    for part in pieces:
        start, stop = part.start - origin, part.stop - origin
        name = f"{part.name} {stop - start:,}"
        svg.rect(x, y - 20, 12, 12, fill=part.tone.soft, stroke=part.tone.strong)
        svg.text(x + 18, y - 10, name, size=12)
        x += 34 + text_width(name, 12)
        left, wide = LEFT + start * scale, (stop - start) * scale
        where = f"{part.name}: bytes {start} to {stop - 1}"
        svg.rect(left, y, wide, 18, fill=part.tone.soft, stroke=part.tone.strong, title=where)
    svg.text(RIGHT, y - 10, f"{length:,} bytes in all", size=12, anchor="end", fill=MUTED)


class Term(NamedTuple):
    """A sum in a line of arithmetic, with the sign before it and a label below."""

    sign: str
    value: int
    label: str
    tone: Tone


def terms(svg: Svg, x: int, y: int, line: Sequence[Term], *, pitch: int = 122) -> None:
    """A line of arithmetic on sums; the last term is the result."""
    for place, term in enumerate(line):
        at, last = x + pitch * place, place > 0 and place == len(line) - 1
        tone = term.tone
        svg.text(at - (pitch - 92) / 2, y + 20, term.sign, size=16, anchor="middle")
        svg.rect(at, y, 92, 28, fill=tone.soft, stroke=tone.strong, thick=2 if last else 1, radius=3)
        svg.text(at + 46, y + 19, f"0x{term.value:04x}", size=14, anchor="middle", mono=True, bold=last)
        colour = tone.strong if last else MUTED
        svg.text(at + 46, y + 43, term.label, size=11, anchor="middle", fill=colour, bold=last)
