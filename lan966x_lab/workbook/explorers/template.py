"""Two explorers of the prepared header: frames that reuse it, and what a mix of frames costs."""

from collections.abc import Mapping, Sequence
from textwrap import wrap

from lan966x_lab.measure.counted import header_ways
from lan966x_lab.measure.counted.header_ways import (
    DRIVERS,
    KINDS,
    LINE,
    REUSES,
    WAYS,
    Cost,
    Number,
    lines_touched,
)

from .. import palette
from ..pictures import Picture
from ..svg import WIDTH, Svg, text_width
from ..widgets import Explorer, choice, number

__all__ = ["FrameMixExplorer", "ReuseExplorer"]

FIXED, VARYING, STALE = palette.TONES[0], palette.TONES[1], palette.TONES[5]
LOAD, STORE, TEMPLATE = palette.TONES[4], palette.TONES[1], palette.TONES[3]
WAY_TONES = dict(zip(WAYS, (palette.BEFORE, palette.TONES[2], palette.AFTER), strict=True))
CODECS = {"general routine": "packing", "byte shift": "byte_shift"}
PORTS = 8


class ReuseExplorer(Explorer):
    """Frames that leave one after the other, made from one prepared header: with which bytes?

    The traits to drive it: ``reuse`` (a name of ``REUSES``), ``driver`` (of ``DRIVERS``), ``frames`` (a
    choice of ``KINDS`` for each).
    """

    def __init__(
        self,
        reuse: str = "copy, then patch",
        driver: str = "Ocelot, 2021",
        kinds: Sequence[str] = ("PTP", "plain", "VLAN", "plain"),
    ) -> None:
        self.reuse = choice("The prepared header", list(REUSES), reuse)
        self.driver = choice("Driver", list(DRIVERS), driver)
        self.frames = [choice(f"Frame {n}", list(KINDS), kind) for n, kind in enumerate(kinds, 1)]
        super().__init__("Several frames, one prepared header", [[self.reuse, self.driver], self.frames])

    def draw(self) -> Picture:
        """A row for each frame: what it leaves with, what it set itself, what it should not have."""
        made, kinds = DRIVERS[self.driver.value], [frame.value for frame in self.frames]
        headers = header_ways.in_turn(self.driver.value, self.reuse.value, kinds)
        svg = Svg(WIDTH, 50 + 46 * (1 + len(kinds)), "headers, byte by byte")
        _draw_key(svg)
        _draw_header(svg, 44, "prepared", made.prepared, made.prepared, made.prepared)
        _draw_fields(svg, 44, made, made.prepared)
        for row, (kind, header) in enumerate(zip(kinds, headers, strict=True), 1):
            y = 44 + 46 * row
            _draw_header(svg, y, f"{row} {kind}", header, made.header(kind), made.prepared)
            _draw_fields(svg, y, made, header, made.header(kind))
        wrong = [n for n, kind in enumerate(kinds) if headers[n] != made.header(kind)]
        said = f"{self.driver.value}, {self.reuse.value}: "
        if not wrong:
            return Picture(svg, said + "all headers are right.")
        first = wrong[0]
        left_over = _differing(made, headers[first], made.header(kinds[first]))
        said += f"{len(wrong)} of {len(kinds)} headers are wrong. In frame {first + 1} ({kinds[first]}) "
        return Picture(svg, said + f"something is left over: {left_over}.")


def _draw_key(svg: Svg) -> None:
    svg.text(20, 26, "What each frame leaves with", size=15, bold=True)
    x = 440.0
    for tone, name, width in (
        (FIXED, "prepared", 72.0),
        (VARYING, "set for this frame", 128.0),
        (STALE, "≠ left over", 0.0),
    ):
        svg.rect(x, 15, 12, 12, fill=tone.soft, stroke=tone.strong, thick=2.5 if tone is STALE else 1)
        svg.text(x + 18, 26, name, size=12, fill=palette.MUTED)
        x += width + 26


def _draw_header(svg: Svg, y: int, name: str, header: bytes, right: bytes, prepared: bytes) -> None:
    """One header as a row of bytes; a wrong byte has a thick edge and a mark below."""
    wide = 26 if len(header) == 16 else 15
    svg.text(20, y + 19, name, bold=name == "prepared", fit=116)
    for index, byte in enumerate(header):
        x, wrong = 140 + wide * index, byte != right[index]
        tone = VARYING if right[index] != prepared[index] else FIXED
        on = right[index] != 0
        svg.rect(
            x,
            y,
            wide - 1,
            26,
            fill=tone.soft if on else palette.PANEL,
            stroke=tone.strong if on else palette.EDGE,
        )
        if wrong:
            svg.rect(x + 1, y + 1, wide - 3, 24, fill=STALE.soft, stroke=STALE.strong, thick=2.5)
            svg.text(x + wide / 2, y + 39, "≠", size=12, anchor="middle", fill=STALE.strong, bold=True)
        svg.text(
            x + wide / 2 - 0.5,
            y + 18,
            f"{byte:02x}" if byte or wide > 20 else "·",
            size=13 if wide > 20 else 10.5,
            anchor="middle",
            mono=True,
            bold=wrong,
            fill=palette.INK if byte else palette.MUTED,
        )


def _draw_fields(
    svg: Svg, y: int, made: header_ways.Driver, header: bytes, right: bytes | None = None
) -> None:
    """What the switch makes of it, in words; what is left over below, in its own colour."""
    right = header if right is None else right
    lines = [
        (line, False) for line in wrap(_differing(made, right, made.prepared) or "nothing but the port", 36)
    ]
    if header != right:
        lines += [(line, True) for line in wrap(f"≠ {_differing(made, header, right)}", 32)]
    top = y + 18 - 7 * (len(lines) - 1)
    for row, (line, stale) in enumerate(lines):
        fill = STALE.strong if stale else palette.INK
        svg.text(572, top + 14 * row, line, size=11.5, bold=stale, fill=fill)


def _differing(made: header_ways.Driver, header: bytes, other: bytes) -> str:
    """The fields of a header that differ from those of another one, as a reader would say them."""
    ours, theirs = (made.layout.decode(one, _names(made)) for one in (header, other))
    return ", ".join(_say(name, ours[name]) for name in ours if ours[name] != theirs[name])


def _names(made: header_ways.Driver) -> list[str]:
    return sorted(set().union(*made.varying.values()), key=lambda name: made.layout[name].pos)


def _say(name: str, value: int) -> str:
    words = {"TCI": f"VLAN {value & 0xFFF}", "REW_OP": f"asks for its time (number {value >> 3})"}
    return words.get(name, f"{name} {value}")


class FrameMixExplorer(Explorer):
    """What one header costs on average, in three ways, for a mix of frames that you choose.

    The traits to drive it: ``driver`` (a name of ``DRIVERS``), ``codec`` (a value of ``CODECS``), ``vlan``
    and ``ptp`` (percent of the frames), ``ports`` (each with a template).
    """

    def __init__(
        self,
        driver: str = "Ocelot, 2021",
        codec: str = "packing",
        vlan: int = 0,
        ptp: int = 0,
        ports: int = PORTS,
    ) -> None:
        self.driver = choice("Driver", list(DRIVERS), driver)
        self.codec = choice("Fields are set by", CODECS, codec)
        self.vlan = number("% with a VLAN tag", vlan, 0, 100, step=5)
        self.ptp = number("% that ask for a time", ptp, 0, 100, step=5)
        self.ports = number("Ports", ports, 1, PORTS)
        super().__init__(
            "A mix of frames, three ways", [[self.driver, self.codec], [self.vlan, self.ptp, self.ports]]
        )

    def _costs(self, vlan: int) -> dict[str, Cost]:
        driver, codec, ptp = self.driver.value, self.codec.value, self.ptp.value
        return {way: header_ways.mixed(driver, way, codec, vlan, ptp) for way in WAYS}

    def draw(self) -> Picture:
        """Bars for the present mix, a curve over the share of VLAN tags, the templates in memory."""
        costs, size = self._costs(self.vlan.value), DRIVERS[self.driver.value].layout.nbytes
        svg = Svg(WIDTH, 474, "the work of one header in three ways")
        svg.text(20, 28, "Work for one header, on average", size=15, bold=True)
        svg.text(WIDTH - 20, 28, "counted", size=12, anchor="end", fill=palette.EVIDENCE["counted"].strong)
        _draw_bars(svg, costs, size)
        curves = {share: self._costs(share) for share in (0, 100)}  # a straight line between
        _draw_curves(svg, curves, self.vlan.value, costs)
        _draw_memory(svg, self.ports.value, size)
        return Picture(svg, self._sentence(costs, size))

    def _sentence(self, costs: Mapping[str, Cost], size: int) -> str:
        every, template = costs["every field"], costs["template"]
        calls, lines = every.calls - template.calls, every.lines - template.lines
        packed = len({line for port in range(self.ports.value) for line in lines_touched(port * size, size)})
        mix = f"{self.vlan.value} % VLAN, {self.ptp.value} % PTP"
        return (
            f"{self.driver.value}, {self.codec.label}, {mix}: the template saves {_n(calls)} of "
            f"{_n(every.calls)} set calls and {_n(lines)} of {_n(every.lines)} lines a header. It touches "
            f"{_n(template.touched)} bytes, setting every field {_n(every.touched)}. "
            f"{_some(self.ports.value, 'template')} in {_some(packed, 'cache line')}."
        )


def _n(value: Number) -> str:
    """A count, with one decimal where it is an average."""
    return f"{float(value):.1f}".removesuffix(".0")


def _some(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def _draw_bars(svg: Svg, costs: Mapping[str, Cost], size: int) -> None:
    for x, title in ((138, "set calls"), (222, "lines of Python"), (520, "bytes loaded and stored")):
        svg.text(x, 58, title, size=12, bold=True)
    at = 476.0
    for tone, name in ((LOAD, "load"), (TEMPLATE, "load of the template"), (STORE, "store")):
        svg.rect(at, 18, 10, 10, fill=tone.strong)
        svg.text(at + 14, 27, name, size=11, fill=palette.MUTED)
        at += 30 + text_width(name, 11)
    for row, (way, cost) in enumerate(costs.items()):
        y, mine = 68 + 40 * row, WAY_TONES[way]
        svg.text(20, y + 20, way, bold=True, fill=mine.strong)
        svg.text(184, y + 20, _n(cost.calls), anchor="end", bold=True)
        long = 0.72 * float(cost.lines)
        svg.rect(222, y + 4, max(1.0, long), 22, fill=mine.strong)
        svg.text(230 + long, y + 20, _n(cost.lines), bold=True)
        copied = size if way == "template" else 0
        left = 520.0
        for part, count in ((LOAD, cost.loads - copied), (TEMPLATE, copied), (STORE, cost.stores)):
            if count:
                svg.rect(left, y + 4, 2.6 * float(count), 22, fill=part.strong, stroke=palette.PANEL)
            left += 2.6 * float(count)
        svg.text(left + 8, y + 20, _n(cost.touched), bold=True)
    svg.line(20, 196, WIDTH - 20, 196, stroke=palette.HAIRLINE)


def _draw_curves(
    svg: Svg, curves: Mapping[int, Mapping[str, Cost]], now: int, costs: Mapping[str, Cost]
) -> None:
    """Lines of Python against the share of frames with a VLAN tag; the present mix is marked."""
    left, right, top, bottom = 50, 372, 240, 426
    highest = 350

    def at(share: float, lines: float) -> tuple[float, float]:
        return left + (right - left) * share / 100, bottom - (bottom - top) * lines / highest

    svg.text(20, 220, "Lines for one header, as VLAN tags become common", bold=True)
    for lines in range(0, highest, 100):
        y = at(0, lines)[1]
        svg.line(left, y, right, y, stroke=palette.HAIRLINE if lines else palette.EDGE)
        svg.text(left - 8, y + 4, lines, size=12, anchor="end", fill=palette.MUTED)
    for share in (0, 50, 100):
        svg.text(at(share, 0)[0], bottom + 17, f"{share} %", size=12, anchor="middle", fill=palette.MUTED)
    svg.text(
        (left + right) / 2, bottom + 33, "frames with a tag", size=12, anchor="middle", fill=palette.MUTED
    )
    svg.line(at(now, 0)[0], top, at(now, 0)[0], bottom, stroke=palette.INK, dash="4 3")
    ends = {}
    for way, tone in WAY_TONES.items():
        points = [at(share, float(curve[way].lines)) for share, curve in curves.items()]
        svg.polyline(points, stroke=tone.strong, dash="6 3" if way == "zeros skipped" else "")
        svg.circle(*at(now, float(costs[way].lines)), 4, fill=tone.strong)
        ends[way] = points[-1][1]
    y = 0.0
    for way, end in sorted(ends.items(), key=lambda item: item[1]):
        y = max(end, y + 14)  # names do not cover each other
        svg.text(right + 6, y + 4, way, size=11, fill=WAY_TONES[way].strong)


def _draw_memory(svg: Svg, ports: int, size: int) -> None:
    """The templates of all ports, one behind the other, in cache lines."""
    left, top, wide = 500, 246, 4.6
    svg.text(left, 220, f"The templates in memory, {LINE} bytes a line", bold=True)
    lines = [lines_touched(port * size, size) for port in range(ports)]
    last = lines[-1][-1]
    for line in range(last + 1):
        svg.text(left - 10, top + 21 + 38 * line, line, size=12, anchor="end", fill=palette.MUTED)
        svg.rect(left, top + 38 * line, LINE * wide, 30, fill=palette.PANEL, stroke=palette.EDGE)
    for port, touched in enumerate(lines):
        split = len(touched) > 1
        for line in touched:
            start, stop = max(port * size, line * LINE), min((port + 1) * size, (line + 1) * LINE)
            x, y = left + wide * (start - line * LINE), top + 38 * line
            svg.rect(
                x + 1,
                y + 1,
                wide * (stop - start) - 2,
                28,
                fill=TEMPLATE.soft,
                stroke=TEMPLATE.strong,
                dash="4 3" if split else "",
            )
            svg.text(x + wide * (stop - start) / 2, y + 20, port, size=12, anchor="middle")
    straddling = sum(len(touched) > 1 for touched in lines)
    note = f"{ports * size} bytes, {_some(last + 1, 'line')}"
    svg.text(left, 416, note + (f"; {straddling} lie in two lines (dashed)" if straddling else ""), size=12)
    svg.text(
        left,
        436,
        f"each in its port's own record: {_some(ports, 'line')} or more",
        size=12,
        fill=palette.MUTED,
    )
