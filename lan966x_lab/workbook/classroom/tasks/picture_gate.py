"""The picture of exercise 04: four frames that need a time, and the bytes that say so."""

from collections.abc import Sequence
from typing import NamedTuple

from lan966x_lab.net import ptp
from lan966x_lab.workbook.figures.bitrows import spread
from lan966x_lab.workbook.palette import INK, MUTED, SLATE, TONES, Tone
from lan966x_lab.workbook.pictures import Picture
from lan966x_lab.workbook.svg import WIDTH, Svg, text_width

__all__ = ["where_to_look"]

LEFT, BYTE, ROW = 20, 9.2, 92
BAR, STRIP = 32, 9  # height of a frame, and of the strip in it that marks the bytes to look at
SHOWN = 12  # bytes of the message that are drawn
SIZE = 11  # of the labels


class Look(NamedTuple):
    """Bytes that a driver looks at: the first, how many, and what they are."""

    at: int
    size: int
    name: str


def where_to_look(frames: dict[str, bytes]) -> Picture:
    """Each frame as a bar with its headers, and below it the bytes that decide whether it needs a time."""
    svg = Svg(WIDTH, 30 + ROW * len(frames), "Where the message begins, and which bytes tell")
    said = []
    for row, (name, frame) in enumerate(frames.items()):
        y = 16 + ROW * row
        pieces, looks = _anatomy(frame)
        svg.text(LEFT, y + 12, name, bold=True)
        for title, start, stop, tone in pieces:
            x, wide = LEFT + BYTE * start, BYTE * (stop - start)
            svg.rect(x, y + 20, wide, BAR, fill=tone.soft, stroke=tone.strong)
            svg.text(x + wide / 2, y + 35, title, size=11.5, anchor="middle")
        labels = [f"{look.at}: {look.name}" for look in looks]
        centres = [LEFT + BYTE * (look.at + look.size / 2) for look in looks]
        widths = [text_width(label, SIZE) + 12 for label in labels]
        for look, label, centre, x in zip(
            looks, labels, centres, spread(centres, widths, LEFT, WIDTH - LEFT), strict=True
        ):
            wide, foot = BYTE * look.size, y + 20 + BAR
            svg.rect(centre - wide / 2 + 1, foot - STRIP, wide - 2, STRIP, fill=INK)
            svg.line(centre, foot, x, foot + 9, stroke=INK)
            svg.text(x, foot + 20, label, size=SIZE, anchor="middle")
        message = pieces[-1][1]
        svg.text(LEFT + BYTE * (message + SHOWN) + 6, y + 39, "…", fill=MUTED)
        said.append(
            f"{name}, message at byte {message}, looks at " + ", ".join(str(each.at) for each in looks)
        )
    return Picture(svg, f"Offsets in bytes from the start of the frame. {'; '.join(said)}.")


Piece = tuple[str, int, int, Tone]


def _anatomy(frame: bytes) -> tuple[Sequence[Piece], Sequence[Look]]:
    """The headers of an event message as drawn pieces, and the bytes that say what it is."""
    kind = ptp.classify(frame)
    shift = 4 if kind & ptp.VLAN else 0
    pieces: list[Piece] = [("addresses", 0, 12, SLATE)]
    looks = []
    if shift:
        pieces.append(("tag", 12, 16, TONES[1]))
        looks.append(Look(12, 2, "8100"))
    at = 14 + shift
    pieces.append(("", at - 2, at, TONES[0]))
    looks.append(Look(at - 2, 2, frame[at - 2 : at].hex()))
    if kind & ptp.PMASK == ptp.L2:
        looks.append(Look(at, 1, "type"))
    else:
        version, length = (4, 4 * (frame[at] & 15)) if kind & ptp.PMASK == ptp.IPV4 else (6, 40)
        pieces.append((f"IPv{version} header", at, at + length, TONES[2]))
        looks += (
            [Look(at, 1, "length"), Look(at + 6, 2, "fragment"), Look(at + 9, 1, "17")]
            if version == 4
            else [Look(at + 6, 1, "17")]
        )
        at += length
        pieces.append(("UDP", at, at + 8, TONES[4]))
        looks.append(Look(at + 2, 2, str(int.from_bytes(frame[at + 2 : at + 4], "big"))))
        at += 8
    pieces.append(("PTP message", at, at + SHOWN, TONES[3]))
    return pieces, looks
