"""A very small SVG writer: a few hundred shapes in about a millisecond, the same bytes every time.

Coordinates are CSS pixels from the top left corner. Numbers are rounded to a hundredth, every string is
escaped, and characters that XML forbids become U+FFFD, so whatever a learner types can be drawn.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape

from .palette import EDGE, HAIRLINE, INK, MONO, PANEL, SANS

Number = int | float

WIDTH = 820
"""The width of a picture, in CSS pixels: the text column of a notebook on a 1280-pixel screen."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Advance widths of DejaVu Sans in em: the widest of the fonts that the pictures ask for, so all fit.
_WIDTHS = {
    char: width
    for width, chars in (
        (0.28, "ijl'"),
        (0.32, " ,.·I"),
        (0.35, "fr:;/\\|"),
        (0.40, 't()[]-J"'),
        (0.53, "scz_?"),
        (0.59, "kvxyTYL"),
        (0.61, "aoebdghnpquF*"),
        (0.64, "ESBKPZ0123456789$µ§"),
        (0.71, "ARCVXU"),
        (0.77, "DNHGOQ&"),
        (0.82, "w+=<>~#^−×≤≥±→←"),
        (0.98, "mMW@%—…"),
    )
    for char in chars
}


def text_width(string: str, size: Number = 13, *, mono: bool = False, bold: bool = False) -> float:
    """About how wide ``string`` is, in pixels, at a font size of ``size`` pixels; never far too narrow."""
    if mono:
        return 0.603 * size * len(string)
    return size * sum(_WIDTHS.get(char, 0.7) for char in string) * (1.16 if bold else 1)


def shorten(string: str, width: Number, size: Number = 13, *, mono: bool = False, bold: bool = False) -> str:
    """``string`` if it fits into ``width`` pixels, else its longest start that fits, with an ellipsis."""
    if text_width(string, size, mono=mono, bold=bold) <= width:
        return string
    while string and text_width(string + "…", size, mono=mono, bold=bold) > width:
        string = string[:-1]
    return string.rstrip() + "…" if string else ""


def clean(string: object) -> str:
    """``string`` escaped for XML text and attributes."""
    return escape(printable(str(string)))


def printable(string: str) -> str:
    """``string`` with a mark in place of each character that XML does not know."""
    return _NOT_XML.sub("\ufffd", string)


def number(value: Number) -> str:
    """A coordinate, rounded to a hundredth, in its shortest form."""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


class Svg:
    """A picture of a fixed size, built shape by shape, last one on top.

    Args:
        width: CSS pixels; ``WIDTH`` fills the text column.
        height: CSS pixels.
        label: the accessible name, a few words; what the picture *says* belongs into the sentence beside it.
        panel: draw the light panel that makes the picture look right on every background.

    >>> svg = Svg(40, 20, "one box", panel=False)
    >>> svg.rect(1, 2.5, 10, 10, fill="#d7e6f8")
    >>> "<rect x='1' y='2.5' width='10' height='10' fill='#d7e6f8'/>" in str(svg)
    True
    """

    def __init__(self, width: int, height: int, label: str, *, panel: bool = True) -> None:
        self.width, self.height, self.label = width, height, label
        self._parts: list[str] = []
        if panel:
            self.rect(0.5, 0.5, width - 1, height - 1, fill=PANEL, stroke=HAIRLINE, radius=6)

    def rect(
        self,
        x: Number,
        y: Number,
        width: Number,
        height: Number,
        *,
        fill: str = "none",
        stroke: str = "",
        thick: Number = 1,
        radius: Number = 0,
        dash: str = "",
        title: str = "",
    ) -> None:
        """A rectangle; ``title`` is shown when the pointer rests on it."""
        attributes = f"x='{number(x)}' y='{number(y)}' width='{number(width)}' height='{number(height)}'"
        if radius:
            attributes += f" rx='{number(radius)}'"
        self._shape("rect", f"{attributes} fill='{fill}'", stroke, thick, dash, title)

    def circle(
        self, x: Number, y: Number, radius: Number, *, fill: str = "none", stroke: str = "", thick: Number = 1
    ) -> None:
        """A circle around (x, y)."""
        attributes = f"cx='{number(x)}' cy='{number(y)}' r='{number(radius)}' fill='{fill}'"
        self._shape("circle", attributes, stroke, thick)

    def line(
        self,
        x1: Number,
        y1: Number,
        x2: Number,
        y2: Number,
        *,
        stroke: str = EDGE,
        thick: Number = 1,
        dash: str = "",
        arrow: bool = False,
    ) -> None:
        """A straight line; with ``arrow``, a head at its end (x2, y2)."""
        ends = f"x1='{number(x1)}' y1='{number(y1)}' x2='{number(x2)}' y2='{number(y2)}'"
        self._shape("line", ends, stroke, thick, dash)
        if arrow:
            length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1
            ux, uy = (x2 - x1) / length, (y2 - y1) / length
            size = 4 + 2 * thick
            corners = [
                (x2, y2),
                (x2 - size * ux - size * uy / 2, y2 - size * uy + size * ux / 2),
                (x2 - size * ux + size * uy / 2, y2 - size * uy - size * ux / 2),
            ]
            self.path("M" + "L".join(f"{number(x)} {number(y)}" for x, y in corners) + "Z", fill=stroke)

    def path(
        self,
        d: str,
        *,
        fill: str = "none",
        stroke: str = "",
        thick: Number = 1,
        dash: str = "",
        title: str = "",
    ) -> None:
        """A path in SVG's own path language; the caller writes ``d`` with ``number``."""
        self._shape("path", f"d='{clean(d)}' fill='{fill}'", stroke, thick, dash, title)

    def polyline(
        self, points: Sequence[tuple[Number, Number]], *, stroke: str = INK, thick: Number = 2, dash: str = ""
    ) -> None:
        """An open line through ``points``."""
        joined = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self._shape("polyline", f"points='{joined}' fill='none'", stroke, thick, dash)

    def text(
        self,
        x: Number,
        y: Number,
        string: object,
        *,
        size: Number = 13,
        anchor: str = "start",
        fill: str = INK,
        bold: bool = False,
        mono: bool = False,
        fit: Number | None = None,
    ) -> None:
        """Text with its baseline at ``y``; ``anchor`` is start, middle or end; ``fit`` cuts it to a width."""
        string = str(string)
        if fit is not None:
            string = shorten(string, fit, size, mono=mono, bold=bold)
        extra = "" if anchor == "start" else f" text-anchor='{anchor}'"
        extra += " font-weight='600'" if bold else ""
        extra += f' font-family="{MONO}"' if mono else ""
        self._parts.append(
            f"<text x='{number(x)}' y='{number(y)}' font-size='{number(size)}' fill='{fill}'{extra}>"
            f"{clean(string)}</text>"
        )

    def spaced(
        self,
        xs: Sequence[Number],
        y: Number,
        string: str,
        *,
        size: Number = 13,
        fill: str = INK,
        bold: bool = False,
    ) -> None:
        """Single characters as one element, each beginning at its own x; no characters draw nothing."""
        if string:
            extra = " font-weight='600'" if bold else ""
            self._parts.append(
                f"<text x='{' '.join(map(number, xs))}' y='{number(y)}' font-size='{number(size)}' "
                f"fill='{fill}'{extra}>{clean(string)}</text>"
            )

    @contextmanager
    def group(self, *, x: Number = 0, y: Number = 0, opacity: Number = 1, title: str = "") -> Iterator[None]:
        """Everything drawn inside is moved by (x, y)."""
        extra = "" if opacity == 1 else f" opacity='{number(opacity)}'"
        self._parts.append(f"<g transform='translate({number(x)} {number(y)})'{extra}>")
        if title:
            self._parts.append(f"<title>{clean(title)}</title>")
        yield
        self._parts.append("</g>")

    def _shape(
        self, name: str, attributes: str, stroke: str, thick: Number, dash: str = "", title: str = ""
    ) -> None:
        if stroke:
            attributes += f" stroke='{stroke}'"
            if thick != 1:
                attributes += f" stroke-width='{number(thick)}'"
            if dash:
                attributes += f" stroke-dasharray='{dash}'"
        end = f"><title>{clean(title)}</title></{name}>" if title else "/>"
        self._parts.append(f"<{name} {attributes}{end}")

    def __str__(self) -> str:
        label = clean(self.label)
        return (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{self.width}' height='{self.height}' "
            f"viewBox='0 0 {self.width} {self.height}' role='img' aria-label='{label}' "
            f"font-family=\"{SANS}\" style='max-width:100%;height:auto;display:block'>"
            f"<title>{label}</title>{''.join(self._parts)}</svg>"
        )
