"""Static pictures of notebooks 01 and 02: a header as a row of bytes, and what many headers say together."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lan966x_lab import ifh
from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import header_work

from ..palette import AFTER, BEFORE, EDGE, EVIDENCE, HAIRLINE, INK, MUTED, PANEL, TONES, tone
from ..pictures import Picture, figure
from ..svg import WIDTH, Svg
from .bitrows import DIRECTION, owned, tone_of

__all__ = ["arrivals", "five_fields", "two_readings"]

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


def five_fields() -> Picture:
    """How little a driver writes into the header of a TCP frame, and how long its frame took by seed 000."""
    layout = ifh.LAN966X.tx
    header, size = layout.encode(header_work.TCP), layout.nbytes
    fields = sorted((layout[name] for name in header_work.TCP), key=lambda field: -field.pos)
    svg = Svg(WIDTH, 318, "five fields of a header, and the time of a frame")
    svg.text(LEFT, 28, f"{len(fields)} small numbers in {size} bytes …", size=15, bold=True)
    for index, octet in enumerate(header):
        x = LEFT + BYTE * index
        svg.rect(x, 42, BYTE, 26, stroke=EDGE)
        svg.text(x + BYTE / 2, 60, f"{octet:02x}", anchor="middle", mono=True, bold=octet > 0)
    slot = BYTE / 8
    svg.rect(LEFT, 72, BYTE * size, 12, fill=PANEL, stroke=HAIRLINE)
    for index, field in enumerate(fields):
        start, width = LEFT + slot * (8 * size - 1 - field.top), slot * field.width
        middle = start + width / 2
        y, colour = 122 - 20 * (index % 2), tone(index)
        svg.rect(start, 72, width, 12, fill=colour.strong)
        svg.line(middle, 84, middle, y - 11, stroke=colour.strong)
        label = f"{field.name} = {header_work.TCP[field.name]}"
        svg.text(middle, y, label, size=12, anchor="middle", fill=colour.strong, bold=True)
    v1, v2, read = (claims.get(f"000-{name}") for name in ("tx-v1", "tx-v2", "rx-packing"))
    svg.text(LEFT, 164, "… and the time of the whole frame", size=15, bold=True)
    basis = f"{v1.payload:,} bytes of payload ({v1.payload_is}), from the rates of the mails"
    svg.text(WIDTH - LEFT, 164, basis, size=12, anchor="end", fill=MUTED)
    before_ns = v1.per_frame_ns()[0]
    rows = [("general routine", before_ns, v1.before, BEFORE)]
    rows += [
        (name, claim.per_frame_ns()[1], claim.after, AFTER)
        for name, claim in (("bit by bit (v1)", v1), ("byte by byte (v2)", v2))
    ]
    left, scale = 150, 390 / before_ns
    for row, (name, ns, rate, colour) in enumerate(rows):
        y, end = 178 + 34 * row, left + ns * scale
        svg.text(left - 12, y + 18, name, anchor="end")
        svg.rect(left, y, ns * scale, 26, fill=colour.soft, stroke=colour.strong)
        svg.text(left + 10, y + 18, f"{ns / 1000:.1f} µs", bold=True)
        if ns < before_ns:
            svg.rect(end, y, (before_ns - ns) * scale, 26, stroke=EDGE, dash="4 3")
            svg.text(end + 8, y + 18, f"−{(before_ns - ns) / 1000:.1f} µs", bold=True)
        svg.text(left + 402, y + 18, f"{rate} Mbit/s")
    mail = EVIDENCE["reported"].strong
    svg.text(WIDTH - LEFT, 196, "reported", size=12, anchor="end", fill=mail, bold=True)
    for y, claim in ((230, v1), (264, v2)):
        svg.text(WIDTH - LEFT, y, f"the claim {claim.verdict}", size=12, anchor="end", fill=MUTED)
    gain = f"On reception, where fields are read, the mail states a gain of {read.stated} {read.stated_unit}"
    svg.text(left, 300, f"{gain}: {read.verdict}.", size=12, fill=MUTED)
    said = "; ".join(f"{name} {ns / 1000:.1f} µs, {rate} Mbit/s" for name, ns, rate, _ in rows)
    bits = sum(field.width for field in fields)
    return Picture(
        svg,
        f"For a TCP frame the driver sets {len(fields)} fields, {bits} of the header's {8 * size} bits. "
        f"Time of a whole frame, from the reported rates: {said}.",
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
