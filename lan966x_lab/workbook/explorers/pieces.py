"""An explorer of the Internet checksum: a packet cut in two, and how the sums of its pieces go together."""

from collections.abc import Callable, Mapping

from lan966x_lab.hw.fcs import fcs
from lan966x_lab.hw.ravb import ETH_HLEN
from lan966x_lab.net import checksum

from ..figures.packets import (
    BLUE,
    GREEN,
    LEFT,
    ORANGE,
    RIGHT,
    WINE,
    Part,
    Term,
    frames_of,
    limit,
    strip,
    terms,
)
from ..palette import EDGE, INK, MUTED, SLATE
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, button, choice, number, switch

__all__ = ["CutInTwo"]

SAMPLES: Mapping[str, tuple[str, int]] = {
    "UDP, 729 bytes": ("iperf3-udp4-701", 20),
    "ping over IPv6, 81 bytes": ("ping-odd", 19),
    "ping over IPv4, 29 bytes": ("ping-odd", 5),
    "TCP acknowledgement, 52 bytes": ("iperf3-tcp4-csum-ok", 3),
}
"""Packets to cut: capture and number of the frame."""

TAILS: Mapping[str, Callable[[bytes], bytes]] = {
    "nothing": lambda frame: b"",
    "the frame check sequence, 4 bytes": fcs,
    "padding, 6 bytes of 0x20": lambda frame: b"\x20" * 6,
    "padding, 6 bytes of 0x55": lambda frame: b"\x55" * 6,
}
"""What may stand behind a packet."""


class CutInTwo(Explorer):
    """A packet in two pieces: their sums, joined and taken apart, with and without the swap at an odd cut."""

    def __init__(self) -> None:
        self.sample = choice("Packet", SAMPLES)
        self.tail = choice("Behind it stands", TAILS, fcs)
        self.cut = number("Cut at byte", 1, 1, 10_000)
        self.end = button("Cut where the packet ends")
        self.swap = switch("Swap the second piece's sum where the cut is odd", True)
        self._limit()
        self._to_the_end()
        super().__init__(
            "A packet is cut in two", [[self.sample, self.tail], [self.cut, self.end], [self.swap]]
        )
        self.when(self.sample, self._other_sample)
        self.when(self.tail, self._limit)
        self.when(self.end, self._to_the_end)

    def _captured(self) -> bytes:
        name, number_ = self.sample.value
        index: int = number_ - 1
        return frames_of(name)[index]

    def _octets(self) -> bytes:
        tail: bytes = self.tail.value(self._captured())
        return self._captured()[ETH_HLEN:] + tail

    def _limit(self) -> None:
        limit(self.cut, "Cut at byte", len(self._octets()))

    def _to_the_end(self) -> None:
        self.cut.value = len(self._captured()) - ETH_HLEN

    def _other_sample(self) -> None:
        self._limit()
        self._to_the_end()

    def draw(self) -> Picture:
        """The two pieces in proportion, the bytes around the cut, and both sums of sums."""
        octets, cut, end = self._octets(), self.cut.value, len(self._captured()) - ETH_HLEN
        whole, first, second = (checksum.ones_sum(piece) for piece in (octets, octets[:cut], octets[cut:]))
        offset = cut if self.swap.value else cut - cut % 2  # an even offset swaps nothing
        swapped = offset % 2 == 1
        piece = Term(
            "+", checksum.combine(0, second, offset), "second, swapped" if swapped else "second", ORANGE
        )
        joined = checksum.combine(first, second, offset)
        kept = checksum.remove(whole, second, offset)
        svg = Svg(WIDTH, 366, "a packet cut in two, and the sums of its pieces")
        strip(
            svg,
            34,
            [Part("first piece", 0, cut, BLUE), Part("second piece", cut, len(octets), ORANGE)],
            len(octets),
        )
        _mark_end(svg, 34, end, len(octets))
        _around_the_cut(svg, 124, octets, cut)
        _line(svg, 248, "put together", [Term("", first, "first", BLUE), piece], joined, whole, "the whole")
        minus = [Term("", whole, "whole", SLATE), piece._replace(sign="−")]
        _line(svg, 308, "cut off", minus, kept, first, "the first piece")
        parity, how = ("even", "odd")[cut % 2], "swapped" if swapped else "as it is"
        said = f"Cut at byte {cut}, {parity}, the second sum {how}: "
        said += f"together they make {joined:#06x}, and cutting off leaves {kept:#06x}"
        fits = _is_same(joined, whole) and _is_same(kept, first)
        return Picture(svg, f"{said}: {'right' if fits else f'wrong, it is {whole:#06x} and {first:#06x}'}.")


def _is_same(one: int, other: int) -> bool:
    """Whether two sums are equal, 0 and 0xffff being the same zero."""
    return (one - other) % 0xFFFF == 0


def _mark_end(svg: Svg, y: int, end: int, length: int) -> None:
    """Where the packet ends and the tail begins."""
    if end < length:
        x = LEFT + end * (RIGHT - LEFT) / length
        svg.line(x, y - 4, x, y + 24, stroke=INK, thick=2, dash="4 3")
        svg.text(x + 4, y + 37, f"the packet ends at byte {end}", size=11, anchor="end", fill=MUTED)


def _around_the_cut(svg: Svg, y: int, octets: bytes, cut: int) -> None:
    """Fourteen bytes, with the words that they form in the whole (above) and in each piece (below)."""
    shown, width = 14, 46
    first = max(0, min(cut - cut % 2 - 6, len(octets) + len(octets) % 2 - shown))
    svg.text(LEFT, y - 13, "words of the whole", size=12)
    svg.text(LEFT, y + 56, "words of each piece", size=12)
    for place, at in enumerate(range(first, min(first + shown, len(octets)))):
        x, tone = 156 + place * width, BLUE if at < cut else ORANGE
        svg.rect(x, y, width - 4, 30, fill=tone.soft, stroke=tone.strong, radius=3)
        svg.text(x + 21, y + 20, f"{octets[at]:02x}", size=15, anchor="middle", mono=True)
        own = at if at < cut else at - cut
        _half(svg, x, y - 8, at, -1, moved=False)
        _half(svg, x, y + 38, own, 1, moved=(own - at) % 2 == 1)
    x = 154 + (cut - first) * width
    svg.line(x, y - 26, x, y + 66, stroke=INK, thick=2)
    svg.text(x, y + 80, f"cut at byte {cut}", size=12, anchor="middle", bold=True)


def _half(svg: Svg, x: int, y: int, place: int, down: int, *, moved: bool) -> None:
    """Half a bracket at a byte: even places are the high half of a word, odd ones the low half."""
    name, outer, inner = ("high", x + 2, x + 44) if place % 2 == 0 else ("low", x + 40, x - 2)
    stroke, text = (WINE.strong, WINE.strong) if moved else (EDGE, MUTED)
    svg.path(f"M{outer} {y}v{5 * down}H{inner}", stroke=stroke, thick=2 if moved else 1)
    svg.text(x + 21, y + (18 if down > 0 else -9), name, size=11, anchor="middle", fill=text, bold=moved)


def _line(svg: Svg, y: int, title: str, line: list[Term], result: int, want: int, name: str) -> None:
    """One line of arithmetic, and whether it comes out right."""
    svg.text(136, y + 19, title, anchor="end", bold=True)
    tone, note = (
        (GREEN, f"✓ the sum of {name}") if _is_same(result, want) else (WINE, f"✗ {name} has 0x{want:04x}")
    )
    terms(svg, 156, y, [*line, Term("=", result, "", tone)], pitch=134)
    svg.text(544, y + 19, note, fill=tone.strong, bold=True)
