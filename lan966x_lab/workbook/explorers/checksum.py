"""An explorer of the Internet checksum: an adder with end-around carry that takes one word at a time."""

from collections.abc import Collection, Sequence

from lan966x_lab.hw.ravb import ETH_HLEN, complete_sum
from lan966x_lab.net import checksum, frames, verdicts
from lan966x_lab.net.checksum import Addition

from ..figures.packets import (
    BLUE,
    CAPTURES,
    GREEN,
    LEFT,
    ORANGE,
    RIGHT,
    WINE,
    Part,
    Term,
    frames_of,
    limit,
    parts,
    strip,
    terms,
)
from ..palette import EDGE, INK, MUTED, PANEL, Tone
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, button, choice, number

__all__ = ["AddWords"]

PAD_VALUES = (0x00, 0x20, 0x55, 0xAA, 0xFF)


class AddWords(Explorer):
    """An adder with end-around carry that adds up what follows the Ethernet header, word by word.

    Choose a frame, step, flip bits, pad it. The lower line follows the whole sum to the receiver's verdict.

    Args:
        capture: a value of ``CAPTURES``.
        frame: which frame of it, from 1.
        words: how many words are added already.
    """

    def __init__(self, capture: str = "iperf3-tcp4-csum-ok", frame: int = 3, words: int = 4) -> None:
        self.capture = choice("Capture", CAPTURES, capture)
        self.frame = number("Frame", frame, 1, len(frames_of(capture)))
        self.words = number("Words added", words, 0, 10_000, tip="step through the packet")
        self.next = button("To the next carry", tip="add words until one overflows 16 bits")
        self.order = choice("A word is read", {"high byte first": "big", "low byte first": "little"})
        self.bit = number("Bit to flip", 0, 0, 15, tip="a bit of the word that was added last")
        self.flip = button("Flip it")
        self.undo = button("Undo all flips")
        self.pad = number("Padding bytes", 0, 0, 46)
        self.octet = choice("of value", {f"{value:#04x}": value for value in PAD_VALUES}, 0x20)
        self._flips: set[int] = set()  # bits of the packet, counted from the top bit of its first byte
        limit(self.words, "Words added", self._count())
        super().__init__(
            "A packet is added up, word by word",
            [
                [self.capture, self.frame],
                [self.words, self.next, self.order],
                [self.bit, self.flip, self.undo, self.pad, self.octet],
            ],
        )
        self.when(self.capture, self._other_capture)
        self.when(self.frame, self._other_frame)
        self.when(self.pad, lambda: limit(self.words, "Words added", self._count()))
        self.when(self.next, self._to_next_carry)
        self.when(self.flip, self._flip)
        self.when(self.undo, self._flips.clear)

    @property
    def packet(self) -> bytes:
        """What is added up: the frame behind its Ethernet header, with padding and flipped bits."""
        octets = bytearray(self._captured()[ETH_HLEN:] + bytes([self.octet.value]) * self.pad.value)
        for place in self._flips:
            if place // 8 < len(octets):
                octets[place // 8] ^= 0x80 >> place % 8
        return bytes(octets)

    def _captured(self) -> bytes:
        index: int = self.frame.value - 1
        return frames_of(self.capture.value)[index]

    def _count(self) -> int:
        padding: int = self.pad.value
        return (len(self._captured()) - ETH_HLEN + padding + 1) // 2

    def _other_capture(self) -> None:
        limit(self.frame, "Frame", len(frames_of(self.capture.value)))
        self._other_frame()

    def _other_frame(self) -> None:
        self._flips.clear()
        limit(self.words, "Words added", self._count())

    def _to_next_carry(self) -> None:
        additions = list(checksum.word_by_word(self.packet, self.order.value))
        following = (n for n, a in enumerate(additions, 1) if a.carry and n > self.words.value)
        self.words.value = next(following, len(additions))

    def _flip(self) -> None:
        if self.words.value == 0:
            raise ValueError("No word is added yet; step to a word first, then flip one of its bits.")
        place = 16 * (self.words.value - 1) + _mirrored(self.bit.value, self.order.value)
        if place // 8 >= len(self.packet):
            raise ValueError("This half of the last word is no byte of the packet; flip a bit of the other.")
        self._flips ^= {place}

    def draw(self) -> Picture:
        """The packet as a strip, the words around the present one, the adder, and the way to the verdict."""
        packet, order, at = self.packet, self.order.value, self.words.value - 1
        pieces = parts(frames.parse(self._captured() + bytes(self.pad.value)))
        additions = list(checksum.word_by_word(packet, order))
        flipped = {place for place in self._flips if place // 16 == at}
        svg = Svg(WIDTH, 432, "a packet, its words, and an adder with end-around carry")
        strip(svg, 34, pieces, len(packet))
        _mark(svg, 34, 2 * self.words.value, len(packet))
        _words(svg, 92, packet, pieces, at, {place // 16 for place in self._flips})
        said = _adder(svg, 180, additions, at, {_mirrored(place - 16 * at, order) for place in flipped})
        verdict = _verdict(svg, 376, frames.parse(self._captured()[:ETH_HLEN] + packet), order)
        flips = f" {len(self._flips)} flipped bit{'s' * (len(self._flips) > 1)}." if self._flips else ""
        return Picture(svg, f"{said}{flips} {verdict}")


def _mirrored(bit: int, order: str) -> int:
    """From a word's bit, 0 the lowest, to its place among the 16 bits in the packet, and back."""
    return 15 - bit if order == "big" else (23 - bit) % 16


def _mark(svg: Svg, y: int, done: int, length: int) -> None:
    """Below the strip: how far the adder has come."""
    here = LEFT + min(done, length) * (RIGHT - LEFT) / length
    svg.rect(LEFT, y + 21, here - LEFT, 4, fill=INK)
    svg.path(f"M{here:.1f} {y + 20}l-5 9h10z", fill=INK)


def _words(
    svg: Svg, y: int, packet: bytes, pieces: Sequence[Part], at: int, flipped: Collection[int]
) -> None:
    """Nine words, the present one in the middle as far as possible."""
    count, shown = (len(packet) + 1) // 2, 9
    first = max(0, min(at - shown // 2, count - shown))
    for place, word in enumerate(range(first, min(first + shown, count))):
        x, middle = LEFT + 12 + 84 * place, LEFT + 50 + 84 * place
        tone = next(part.tone for part in pieces if part.stop > 2 * word)
        fill = tone.soft if word <= at else PANEL
        octets = packet[2 * word : 2 * word + 2].ljust(2, b"\0").hex(" ")
        note, colour = f"byte {2 * word}", MUTED
        if word in flipped:
            note, colour = "flipped", WINE.strong
        elif word != at and place not in (0, shown - 1):
            note = ""
        if word == at:
            svg.rect(x, y, 76, 30, fill=fill, stroke=INK, thick=2.5, radius=3)
            svg.text(middle, y - 6, f"word {word + 1}", size=11, anchor="middle", bold=True)
        else:
            svg.rect(x, y, 76, 30, fill=fill, stroke=tone.strong, radius=3)
            svg.text(middle, y - 6, word + 1, size=11, anchor="middle", fill=MUTED)
        svg.text(middle, y + 20, octets, size=15, anchor="middle", mono=True)
        svg.text(middle, y + 44, note, size=11, anchor="middle", fill=colour)


def _adder(svg: Svg, y: int, additions: Sequence[Addition], at: int, flipped: Collection[int]) -> str:
    """One addition in binary, its carry led round to the low end; returns what happened, in words."""
    step = additions[at] if at >= 0 else Addition(0, 0, 0, 0)
    raw = step.before + step.word
    for bit in range(16):
        svg.text(_bit_x(bit) + 13, y - 5, bit, size=10, anchor="middle", fill=MUTED)
    _bits(svg, y, "sum so far", step.before)
    _bits(svg, y + 30, f"+ word {at + 1}" if at >= 0 else "no word yet", step.word, flipped)
    _bits(svg, y + 68, "= 17 bits", raw)
    _bits(svg, y + 144, "new sum", step.after, bold=True)
    for dy in (61, 137):
        svg.line(_bit_x(16), y + dy, RIGHT, y + dy)
    svg.text(158, y + 124, "+ carry", anchor="end")
    colour, note = MUTED, "no carry: nothing comes round"
    if step.carry:
        colour, note = ORANGE.strong, "the carry comes back in at the low end"
        svg.path(f"M{_bit_x(16) + 13} {y + 93}v27", stroke=colour, thick=2.5)
        svg.line(_bit_x(16) + 12, y + 119, _bit_x(0) - 3, y + 119, stroke=colour, thick=2.5, arrow=True)
    svg.text(_bit_x(8) + 13, y + 113, note, size=12, anchor="middle", fill=colour)
    _bit(svg, y + 107, 0, step.carry, ORANGE)
    carries = sum(a.carry for a in additions[: at + 1])
    svg.text(RIGHT, y + 124, f"carries so far: {carries}", size=12, anchor="end", fill=MUTED)
    if at < 0:
        return "No word is added yet, the sum is 0x0000."
    sum_ = f"Word {at + 1} of {len(additions)}: {step.before:#06x} + {step.word:#06x} = {raw:#06x}"
    return f"{sum_}, {f'the carry comes round: {step.after:#06x}' if step.carry else 'no carry'}."


def _bits(
    svg: Svg, y: int, label: str, value: int, flipped: Collection[int] = (), *, bold: bool = False
) -> None:
    """One row of the adder: a label, sixteen bits or seventeen, and the same in hexadecimal."""
    svg.text(158, y + 17, label, anchor="end", bold=bold)
    for bit in range(17 if value > 0xFFFF else 16):
        _bit(svg, y, bit, value >> bit & 1, ORANGE if bit == 16 else BLUE)
        if bit in flipped:
            svg.rect(_bit_x(bit), y, 26, 24, stroke=WINE.strong, thick=3, radius=2, title="flipped")
    svg.text(RIGHT, y + 17, f"0x{value:04x}", size=14, anchor="end", mono=True, bold=bold)


def _bit(svg: Svg, y: int, bit: int, one: int, tone: Tone) -> None:
    x = _bit_x(bit)
    svg.rect(x, y, 26, 24, fill=tone.soft if one else PANEL, stroke=tone.strong if one else EDGE, radius=2)
    svg.text(
        x + 13, y + 17, one, size=14, anchor="middle", mono=True, bold=bool(one), fill=INK if one else MUTED
    )


def _bit_x(bit: int) -> int:
    """The left edge of a bit's cell: sixteen cells in groups of four, the carry left of them."""
    place = 16 - bit
    return 172 + 28 * place + 8 * ((place + 3) // 4)


def _verdict(svg: Svg, y: int, frame: frames.Frame, order: str) -> str:
    """From the sum of everything to the verdict, as a row of terms; returns it in words.

    The IP header and the padding go out of the sum, the pseudo-header comes in: so a stack uses a sum of
    everything. The sum of a right IPv4 header is 0xffff, which takes nothing away.
    """
    packet, appended = frame.octets[ETH_HLEN:], complete_sum(frame.octets).hex(" ")
    total = checksum.ones_sum(packet)
    line = [Term("", total, "all words", BLUE)]
    planned = [(name, cover) for name, cover in verdicts.plan(frame).items() if name != "ipv4"]
    for _, cover in planned:
        if isinstance(cover, verdicts.Cover):
            start, stop = cover.start - ETH_HLEN, cover.stop - ETH_HLEN
            header = checksum.ones_sum(packet[:start])
            tail = checksum.combine(0, checksum.ones_sum(packet[stop:]), stop)
            packet_only = checksum.remove(total, checksum.ones_sum(packet[stop:]), stop)
            rest = checksum.fold(packet_only + (header ^ 0xFFFF))  # to add the inverse is to subtract
            end = checksum.fold(rest + cover.pseudo_sum)
            swapped = ", swapped" if stop % 2 and tail else ""
            line += [
                Term("−", header, "IP header", BLUE),
                Term("−", tail, f"padding{swapped}", ORANGE),
                Term("+", cover.pseudo_sum, "pseudo-header", BLUE),
                Term("=", end, "✓ right", GREEN) if end == 0xFFFF else Term("=", end, "✗ not 0xffff", WINE),
            ]
    if order == "little":
        line = [term._replace(value=checksum.combine(0, term.value, 1)) for term in line]  # bytes swapped
    terms(svg, LEFT + 34, y, line)
    svg.text(RIGHT, y + 43, "the unit appends", size=11, anchor="end", fill=MUTED)
    svg.text(RIGHT, y + 19, appended, size=15, anchor="end", mono=True, bold=True)
    said = "; ".join(_in_words(name, check) for name, check in verdicts.check(frame).items())
    way = f"All words come to {total:#06x}, and the unit appends {appended}."
    return f"{way} {f'Verdict: {said}.' if said else 'There is no Internet checksum in this frame.'}"


def _in_words(name: str, check: verdicts.Check) -> str:
    reason = f" ({check.reason})" if check.reason else ""
    return f"{name} {check.verdict.replace('_', ' ')}{reason}"
