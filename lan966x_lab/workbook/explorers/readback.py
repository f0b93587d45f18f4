"""A time goes into the header and comes out again: which bits come back as they were?"""

from lan966x_lab import ifh

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, choice, number

GETTERS = {"published getter": ifh.PUBLISHED["bit_loop_v1"], "byte shift": ifh.CODECS["byte_shift"]}
LAST_NS = 999_999_999  # a field of nanoseconds goes back to 0 with every second
SUB_NS_BITS = 2  # TIMESTAMP counts quarters of a nanosecond
ONE, WRONG = palette.TONES[0], palette.TONES[1]


def read_back(time_ns: int, codec: ifh.Codec) -> tuple[int, int]:
    """What a driver finds in TIMESTAMP: the value that the switch wrote for this time, and what is read."""
    field = ifh.LAN966X.rx["TIMESTAMP"]
    written = time_ns << SUB_NS_BITS
    return written, codec.get(ifh.LAN966X.rx.encode(TIMESTAMP=written), field)


def comes_back(time_ns: object, codec: ifh.Codec = GETTERS["published getter"]) -> str:
    """``"right"`` or ``"wrong"``, or why the question makes no sense."""
    if not isinstance(time_ns, int) or not 0 <= time_ns <= LAST_NS:
        return f"no time in nanoseconds from 0 to {LAST_NS:,}"
    written, read = read_back(time_ns, codec)
    return "right" if written == read else "wrong"


class ReadbackExplorer(Explorer):
    """The 32 bits that the switch writes for a time, and the 64 bits that a getter makes of them.

    The traits to drive it: ``time`` (ns) and ``getter``.
    """

    def __init__(self, time_ns: int = 250_000_000) -> None:
        self.time = number("Time in ns", time_ns, 0, LAST_NS)
        self.getter = choice("Read with", GETTERS)
        super().__init__("A time of arrival, written and read", [self.time, self.getter])

    def draw(self) -> Picture:
        """Both numbers bit by bit, one below the other."""
        time, name = self.time.value, self.getter.label
        written, read = read_back(time, self.getter.value)
        svg = Svg(WIDTH, 158, "the bits written and the bits read")
        svg.text(26, 34, "The switch writes TIMESTAMP, 32 bits:", bold=True)
        svg.text(26, 52, f"{time:,} ns × {1 << SUB_NS_BITS}", size=12, fill=palette.MUTED)
        _draw_word(svg, 20, written, 32, written)
        svg.text(26, 144, f"The driver reads 64 bits with the {name}: {read >> SUB_NS_BITS:,} ns", bold=True)
        _draw_word(svg, 78, read, 64, written)
        for bit in (63, 48, 31, 16, 0):
            svg.text(_left(bit) + 6, 71, bit, size=10.5, anchor="middle", fill=palette.MUTED)
        verdict = f"{(read ^ written).bit_count()} bits differ" if read != written else "all bits agree"
        svg.text(794, 144, verdict, anchor="end", bold=True, fill=palette.INK)
        back = "and comes back as it was" if read == written else f"and comes back as {read:#x}"
        return Picture(
            svg,
            f"{time:,} ns goes in as {written:#010x} {back}: the {name} says {read >> SUB_NS_BITS:,} ns, "
            f"{verdict}.",
        )


def _left(bit: int) -> float:
    return 26 + 12 * (63 - bit)


def _draw_word(svg: Svg, y: int, word: int, width: int, right: int) -> None:
    """One cell a bit: 1 is filled, and a bit that is not what was written has a thick edge and a mark."""
    for bit in range(width):
        on, wrong = word >> bit & 1, (word ^ right) >> bit & 1
        tone = WRONG if wrong else ONE
        svg.rect(
            _left(bit), y, 12, 34, fill=tone.strong if on else palette.PANEL, stroke=palette.EDGE, thick=0.8
        )
        colour = palette.PANEL if on else palette.MUTED
        svg.text(
            _left(bit) + 6, y + 22, on, size=11.5, anchor="middle", mono=True, fill=colour, bold=bool(on)
        )
        if wrong:
            svg.text(_left(bit) + 6, y + 46, "≠", size=11, anchor="middle", fill=tone.strong, bold=True)
