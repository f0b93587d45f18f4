"""The way of a frame through the CPU port, station by station, with the place of each patch.

The map is drawn for the LAN966x. Seeds 003 and 004 are about other chips; their marks stand where the same
work is done here.
"""

from collections.abc import Callable
from typing import NamedTuple

from lan966x_lab.driver.headers import IFH_LEN_BYTES
from lan966x_lab.hw.fcs import FCS_LEN
from lan966x_lab.hw.lan966x_regs import BUFFER_MIN_SZ
from lan966x_lab.hw.wires import GAP, PREAMBLE

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, choice, number

Parts = list[tuple[str, int]]


class Patch(NamedTuple):
    """A mark on the map: the notebooks that stand behind it, and the question in a few words."""

    notebooks: str
    question: str


class Station(NamedTuple):
    """Where a frame is, who has it, what happens there, and which bytes exist (from the frame's length)."""

    name: str
    who: str
    what: str
    parts: Callable[[int], Parts]
    patch: Patch | None = None


def _frame(length: int) -> Parts:
    return [("frame", length)]


def _padded(length: int) -> Parts:
    return (
        [("frame", length), ("padding", BUFFER_MIN_SZ - length)] if length < BUFFER_MIN_SZ else _frame(length)
    )


def _with_ifh(parts: Parts) -> Parts:
    return [("IFH", IFH_LEN_BYTES), *parts]


def _with_fcs(parts: Parts) -> Parts:
    return [*parts, ("FCS", FCS_LEN)]


def _on_wire(length: int) -> Parts:
    return [("preamble", PREAMBLE), *_with_fcs(_padded(length)), ("gap", GAP)]


WAYS: dict[str, tuple[Station, ...]] = {
    "transmit": (
        Station("stack", "software", "The stack has a frame for one port and hands it to the driver", _frame),
        Station(
            "build header",
            "software",
            "The driver builds the inter-frame header, which names the port",
            lambda length: _with_ifh(_frame(length)),
            Patch("02, 05", "what does a header field cost?"),
        ),
        Station(
            "inject",
            "software",
            "The CPU asks whether the FIFO has room, then writes a word, for each word",
            lambda length: _with_ifh(_padded(length)),
            Patch("04", "what does the question cost?"),
        ),
        Station(
            "switch",
            "hardware",
            "The switch reads the header, takes it off, and queues the frame at the port",
            _padded,
        ),
        Station(
            "port",
            "hardware",
            "The port stamps the time if the header asked for it, and adds the check sequence (FCS)",
            lambda length: _with_fcs(_padded(length)),
        ),
        Station("wire", "hardware", "The frame is on the wire", _on_wire),
    ),
    "receive": (
        Station("wire", "hardware", "A frame comes in on the wire", _on_wire),
        Station(
            "port",
            "hardware",
            "The port checks the FCS and notes the nanosecond of the arrival",
            lambda length: _with_fcs(_padded(length)),
        ),
        Station(
            "CPU port",
            "hardware",
            "The switch puts a header in front: source port, length, nanosecond",
            lambda length: _with_ifh(_with_fcs(_padded(length))),
        ),
        Station(
            "take the bytes",
            "software",
            "The driver finds memory for the frame and takes it over, by words or by DMA",
            lambda length: _with_ifh(_with_fcs(_padded(length))),
            Patch("06", "when is the skb made?"),
        ),
        Station(
            "read header",
            "software",
            "The driver reads the header and takes it off; for a full time it also reads the clock's second",
            lambda length: _with_ifh(_with_fcs(_padded(length))),
            Patch("02, 03", "who needs the second?"),
        ),
        Station(
            "stack",
            "software",
            "The stack gets the frame and checks its checksums",
            _padded,
            Patch("07", "who adds up the bytes?"),
        ),
    ),
}

_TONE = {
    "IFH": palette.TONES[0],
    "frame": palette.SLATE,
    "padding": palette.TONES[4],
    "FCS": palette.TONES[2],
    "preamble": palette.TONES[3],
    "gap": palette.TONES[3],
}
_BOX, _STEP, _TOP = 112, 132, {"transmit": 64, "receive": 212}
_LEFT = 24


class JourneyExplorer(Explorer):
    """Follow one frame: choose ``way``, ``station`` (from 1), and ``length`` (bytes, without the FCS)."""

    def __init__(self, way: str = "transmit", station: int = 1, length: int = 1514) -> None:
        self.way = choice("Direction", list(WAYS), way)
        self.station = number("Station", station, 1, len(WAYS[way]))
        self.length = number("Frame length in bytes", length, 14, 1514)
        super().__init__("The way of a frame", [self.way, self.station, self.length])

    def draw(self) -> Picture:
        """The map, with one station marked, and the bytes that exist there."""
        way, at, length = self.way.value, self.station.value - 1, self.length.value
        station = WAYS[way][at]
        parts = station.parts(length)
        svg = Svg(WIDTH, 424, f"{way}, station {at + 1}: {station.name}")
        _draw_map(svg, way, at)
        _draw_bytes(svg, parts)
        total = sum(nbytes for _, nbytes in parts)
        listed = " + ".join(f"{name} {nbytes:,}" for name, nbytes in parts)
        summed = f" = {total:,}" if len(parts) > 1 else ""
        patch = f" Patches changed this place: see {station.patch.notebooks}." if station.patch else ""
        return Picture(
            svg,
            f"{way.capitalize()}, station {at + 1} of {len(WAYS[way])}. {station.what} ({station.who}). "
            f"The bytes here: {listed}{summed}.{patch}",
        )


def _draw_map(svg: Svg, way: str, at: int) -> None:
    svg.text(_LEFT, 30, "The way of a frame through the CPU port", bold=True, size=15)
    for lane, stations in WAYS.items():
        top = _TOP[lane]
        svg.text(_LEFT, top - 10, lane, bold=lane == way, fill=palette.INK if lane == way else palette.MUTED)
        for index, station in enumerate(stations):
            x = _LEFT + index * _STEP
            if index:
                svg.line(
                    x - _STEP + _BOX + 2,
                    top + 24,
                    x - 3,
                    top + 24,
                    stroke=palette.EDGE,
                    thick=1.5,
                    arrow=True,
                )
            _draw_station(svg, x, top, station, marked=lane == way and index == at)


def _draw_station(svg: Svg, x: int, top: int, station: Station, *, marked: bool) -> None:
    software = station.who == "software"
    soft = palette.TONES[4].soft if software else palette.SLATE.soft
    fill, ink = (palette.TONES[0].strong, palette.PANEL) if marked else (soft, palette.INK)
    svg.rect(x, top, _BOX, 48, fill=fill, stroke=palette.INK if marked else palette.EDGE, radius=5)
    svg.text(
        x + _BOX / 2, top + 21, station.name, size=12.5, anchor="middle", fill=ink, bold=True, fit=_BOX - 6
    )
    svg.text(x + _BOX / 2, top + 38, station.who, size=11.5, anchor="middle", fill=ink)
    if station.patch:
        tone = palette.TONES[1]
        svg.rect(x, top + 54, _BOX, 48, fill=tone.soft, stroke=tone.strong, radius=5)
        svg.text(
            x + _BOX / 2,
            top + 71,
            f"patch → {station.patch.notebooks}",
            size=11.5,
            anchor="middle",
            bold=True,
        )
        for line, words in enumerate(_two_lines(station.patch.question)):
            svg.text(x + _BOX / 2, top + 84 + 12 * line, words, size=10.5, anchor="middle", fit=_BOX - 4)


def _two_lines(words: str) -> tuple[str, str]:
    """The words on two lines of about the same length."""
    middle = min((i for i, char in enumerate(words) if char == " "), key=lambda i: abs(i - len(words) / 2))
    return words[:middle], words[middle + 1 :]


def _draw_bytes(svg: Svg, parts: Parts) -> None:
    """The bytes at the marked station: every part is labelled; short parts are drawn wider than they are."""
    top, width, least = 356, WIDTH - 2 * _LEFT, 78
    svg.text(
        _LEFT, top - 10, "the bytes that exist there (short parts are drawn wider than they are)", size=12
    )
    long = max(nbytes for _, nbytes in parts)
    rest = width - least * (len(parts) - 1)
    x: float = _LEFT
    for name, nbytes in parts:
        tone = _TONE[name]
        share = rest if nbytes == long and name == "frame" else least
        svg.rect(x, top, share, 36, fill=tone.soft, stroke=tone.strong)
        svg.text(x + share / 2, top + 16, name, size=12, anchor="middle", bold=True)
        svg.text(x + share / 2, top + 30, f"{nbytes:,} bytes", size=11, anchor="middle")
        x += share
