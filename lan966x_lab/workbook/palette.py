"""The one colour table of the workbook, and the arithmetic that judges it.

Every picture carries its own light panel, so it looks the same in JupyterLab's light and dark themes and in a
saved page. Colour is never the only signal: each tone has a hatch, each mark has a label.

The six tones stay apart for readers with protanopia, deuteranopia and tritanopia, and each is dark enough for
white text; the tests compute both from this table. Contrast: WCAG 2.2, success criteria 1.4.3 and 1.4.11.
"""

from typing import NamedTuple


class Tone(NamedTuple):
    """A named colour in two strengths.

    ``strong`` is for lines, bars and small areas (white text stands on it), ``soft`` for large areas under
    ink, and ``hatch`` is Matplotlib's pattern that tells the tone apart without colour.
    """

    name: str
    strong: str
    soft: str
    hatch: str


PANEL = "#ffffff"
"""The background of every picture."""
INK = "#1b2027"
"""Text and axes on the panel and on soft tones."""
MUTED = "#535d69"
"""Secondary text on the panel and on soft tones."""
EDGE = "#7f8894"
"""Lines that carry meaning: borders of cells, ticks, arrows (at least 3:1 on the panel)."""
HAIRLINE = "#d5dbe1"
"""Lines that only help the eye: grids, the border of the panel. Never the only carrier of a fact."""

TONES = (
    Tone("blue", "#0058bd", "#d7e6f8", ""),
    Tone("orange", "#c04f0a", "#fbe3d2", "//"),
    Tone("green", "#09674e", "#d2ece2", "\\\\"),
    Tone("plum", "#8a3a9c", "#eedff2", ".."),
    Tone("cyan", "#0f7f99", "#d3edf3", "xx"),
    Tone("wine", "#7a1230", "#f6dbe2", "--"),
)
SLATE = Tone("slate", "#535d69", "#e8ebee", "oo")
"""What is not the subject: reserved bits, the rest of a frame, the part that did not change."""

BEFORE, AFTER = SLATE, TONES[0]
"""The two sides of a patch, everywhere."""
MARK = {"good": "#1a8566", "almost": "#c2560f", "bad": "#d0355a", "neutral": "#7f8894"}
"""The bar beside a verdict. It stands on the page itself, so it is visible on JupyterLab's light and dark
backgrounds; the verdict is always written out."""
EVIDENCE = {"reported": TONES[3], "counted": TONES[0], "timed here": TONES[1]}
"""The three kinds of evidence, never mixed: a mail says it, the lab counts it, this computer measured it."""

SANS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"
MONO = "ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def tone(index: int) -> Tone:
    """The tone for the ``index``-th thing; more things than tones start over, so label each one."""
    return TONES[index % len(TONES)]


def rgb(colour: str) -> tuple[float, float, float]:
    """``"#rrggbb"`` as linear-light red, green and blue between 0 and 1 (sRGB transfer function)."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return red, green, blue


def luminance(colour: str) -> float:
    """The relative luminance of ``"#rrggbb"``: 0 is black, 1 is white."""
    red, green, blue = rgb(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21. Text needs 4.5, graphics need 3."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)
