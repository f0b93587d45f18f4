"""Static pictures of notebook 01: one row of bytes with two readings, and what many headers say together."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lan966x_lab import ifh

from ..palette import EDGE, INK, MUTED, PANEL, TONES, tone
from ..pictures import Picture, figure
from ..svg import WIDTH, Svg
from .bitrows import DIRECTION, owned, tone_of

__all__ = ["arrivals", "two_readings"]

LEFT, BYTE = 18, 28  # where the row of bytes begins, and the width of a byte
ZOOM = range(4, 6)  # the bytes with the bits that have two readings
START, BIT = 112, 43  # where their bits begin, and the width of one


def two_readings(header: bytes) -> Picture:
    """The bytes of a LAN966x header as one number, and two of them bit by bit, with both readings."""
    size, focus = len(header), TONES[0]
    svg = Svg(WIDTH, 234, "28 bytes, and 16 of their bits with two readings")
    right = LEFT + BYTE * size
    svg.text(LEFT, 22, f"bit {8 * size - 1}, the highest", size=12, fill=MUTED)
    svg.text(WIDTH / 2, 22, f"{size} bytes, one number", anchor="middle", bold=True)
    svg.text(right, 22, "bit 0, the lowest", size=12, anchor="end", fill=MUTED)
    svg.path(f"M{LEFT} 34v-6H{right}v6", stroke=EDGE)
    for index, octet in enumerate(header):
        x, zoomed = LEFT + BYTE * index, index in ZOOM
        svg.rect(x, 52, BYTE, 28, fill=focus.soft if zoomed else "none", stroke=EDGE)
        svg.text(x + BYTE / 2, 47, index, size=10, anchor="middle", fill=MUTED)
        svg.text(x + BYTE / 2, 71, f"{octet:02x}", anchor="middle", mono=True, bold=zoomed)
    ends = START + 8 * BIT * len(ZOOM)
    lens = f"M{LEFT + BYTE * ZOOM.start} 80L{START} 112H{ends}L{LEFT + BYTE * ZOOM.stop} 80z"
    svg.path(lens, fill=focus.soft, stroke=focus.strong, thick=0.8)
    top = 8 * (size - ZOOM.start) - 1
    bits = range(top, top - 8 * len(ZOOM), -1)
    svg.text(LEFT, 175, "bit", size=12, fill=MUTED)
    for bit in bits:
        x = START + BIT * (top - bit)
        svg.rect(x, 150, BIT, 36, fill=PANEL, stroke=EDGE)
        svg.text(
            x + BIT / 2, 166, int.from_bytes(header, "big") >> bit & 1, size=14, anchor="middle", bold=True
        )
        svg.text(x + BIT / 2, 180, bit, size=10, anchor="middle", fill=MUTED)
    said = []
    for layout, y in zip(ifh.LAN966X, (118, 190), strict=True):
        svg.text(LEFT, y + 18, f"on {DIRECTION[layout]}", size=12, bold=True)
        runs = owned(layout, bits)
        for run in runs:
            colour = tone_of(layout, run.field)
            x, width = START + BIT * (top - run.top), BIT * (run.top - run.pos + 1)
            svg.rect(x + 1, y, width - 2, 28, fill=colour.soft, stroke=colour.strong, radius=3)
            svg.text(x + width / 2, y + 18, run.name, size=10 if width == BIT else 12, anchor="middle")
        names = [
            f"{run.name} {run.top}–{run.pos}" if run.top > run.pos else f"{run.name} {run.top}"
            for run in runs
        ]
        said.append(f"on {DIRECTION[layout]} {', '.join(names)}")
    return Picture(
        svg,
        f"{size} bytes are one number of {8 * size} bits. "
        f"Its bits {top} to {bits[-1]} are {'; '.join(said)}.",
    )


def arrivals(columns: Mapping[str, NDArray[np.unsignedinteger]]) -> Picture:
    """When frames came in, port by port, from the columns SRCPORT, LEN and TIMESTAMP of their headers."""
    ports, lengths, milliseconds = columns["SRCPORT"], columns["LEN"], (columns["TIMESTAMP"] >> 2) / 1e6
    there = np.unique(ports)
    fig, ax = figure(height=90 + 42 * len(there))
    said = []
    for row, port in enumerate(there):
        mine = ports == port
        ax.eventplot(
            milliseconds[mine], lineoffsets=row, linelengths=0.7, colors=tone(row).strong, alpha=0.55
        )
        longest, shortest = int(lengths[mine].max()), int(lengths[mine].min())
        count = int(mine.sum())
        ax.text(
            1012, row, f"{count} frames\n{shortest}–{longest} bytes", va="center", fontsize=9.5, color=INK
        )
        said.append(f"port {port} had {count} frames of {shortest} to {longest} bytes")
    ax.set_yticks(range(len(there)), [f"port {port}" for port in there])
    ax.set(
        xlim=(0, 1000), ylim=(len(there) - 0.5, -0.5), xlabel="TIMESTAMP: milliseconds after a full second"
    )
    ax.grid(visible=False, axis="y")
    return Picture(fig, f"{len(ports):,} headers by port and time within the second: {'; '.join(said)}.")
