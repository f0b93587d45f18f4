"""Static pictures: a drawing and one sentence that says what it shows."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import quote

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from .palette import AFTER, BEFORE, EDGE, EVIDENCE, HAIRLINE, INK, MUTED, PANEL, TONES
from .svg import WIDTH, Svg, clean
from .twin import Twin

_DPI = 96  # a CSS pixel is 1/96 inch
_SHARP = 2  # bitmap pixels per CSS pixel, so that a plot stays crisp on dense screens
_TEXT_STYLE = "color:var(--jp-content-font-color1,#1b2027)"


@dataclass(frozen=True, eq=False)
class Picture(Twin):
    """A drawing and the sentence that says what it shows.

    The drawing is embedded as an ``<img>``: JupyterLab shows that even in a notebook it does not trust yet,
    so a freshly cloned notebook has its pictures before the first cell runs.

    Args:
        body: an :class:`Svg` (or its string), or a Matplotlib ``Figure`` made without pyplot.
        sentence: what a reader should see in it, with the numbers; the text twin and the caption.

    >>> print(Picture(Svg(60, 20, "empty"), "Nothing is in the queue."))
    Nothing is in the queue.
    """

    body: Svg | str | Figure
    sentence: str

    def drawing(self) -> str:
        """The drawing as HTML that stands in the page itself: inline SVG, or an ``<img>`` with PNG bytes."""
        return _png_image(self.body, self.sentence) if isinstance(self.body, Figure) else str(self.body)

    def html(self) -> str:
        """A ``<figure>`` with the drawing as an image and the sentence as its caption."""
        if isinstance(self.body, Figure):
            image = _png_image(self.body, self.sentence)
        else:
            source = "data:image/svg+xml," + quote(str(self.body), safe=" ='/:;,.-()!?*+@[]_")
            image = f'<img alt="{clean(self.sentence)}" src="{source}" style="max-width:100%">'
        return (
            f'<figure style="margin:4px 0">{image}'
            f'<figcaption style="margin-top:4px;{_TEXT_STYLE}">{clean(self.sentence)}</figcaption></figure>'
        )

    def text(self) -> str:
        """The sentence."""
        return self.sentence


def _png_image(figure: Figure, sentence: str) -> str:
    buffer = BytesIO()
    # metadata: without the writer's version the same picture gives the same bytes
    figure.savefig(buffer, format="png", dpi=_DPI * _SHARP, metadata={"Software": None})
    source = f"data:image/png;base64,{b64encode(buffer.getvalue()).decode()}"
    width = round(figure.get_figwidth() * _DPI)
    style = f"max-width:100%;border:1px solid {HAIRLINE};border-radius:6px"
    return f'<img alt="{clean(sentence)}" width="{width}" src="{source}" style="{style}">'


def figure(width: int = WIDTH, height: int = 340, *, title: str = "", **subplots: Any) -> tuple[Figure, Any]:
    """A Matplotlib figure in the workbook's style, and its axes; the object-oriented ``plt.subplots``.

    Nothing is registered with pyplot, so a notebook can make any number of them.

    Args:
        width: CSS pixels; ``WIDTH`` fills the text column.
        height: CSS pixels.
        title: stands above the axes, on the left.
        subplots: passed to ``Figure.subplots`` (``nrows``, ``ncols``, ``sharex``, ``width_ratios``, …).

    >>> fig, ax = figure(400, 200)
    >>> line, = ax.plot([64, 512, 1518], [36, 290, 472])
    >>> print(Picture(fig, "Longer frames carry more."))
    Longer frames carry more.
    """
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
    fig = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor=PANEL, layout=layout)
    if title:
        fig.suptitle(title, x=0.02, ha="left", fontsize=11.5, fontweight="bold", color=INK)
    axes = fig.subplots(**subplots)
    for ax in fig.axes:
        ax.set_prop_cycle(color=[tone.strong for tone in TONES])
        ax.set_axisbelow(True)
        ax.set_facecolor(PANEL)
        ax.grid(color=HAIRLINE, linewidth=0.8)
        ax.tick_params(colors=INK, labelsize=9.5, length=3, color=EDGE)
        for side, spine in ax.spines.items():
            spine.set_visible(side in ("left", "bottom"))
            spine.set_color(EDGE)
        ax.xaxis.label.set_color(INK)
        ax.yaxis.label.set_color(INK)
    return fig, axes


class Pair(NamedTuple):
    """One row of :func:`bar_pairs`: the same quantity before and after a patch.

    A ``Decimal`` is shown with the digits that were printed. ``evidence`` is ``"reported"``, ``"counted"`` or
    ``"timed here"``.
    """

    label: str
    before: float | Decimal
    after: float | Decimal
    evidence: str


def bar_pairs(
    title: str, unit: str, pairs: Sequence[Pair], *, sentence: str = "", width: int = WIDTH
) -> Picture:
    """Before and after a patch as pairs of bars on one scale that starts at 0, each pair with its evidence.

    Args:
        title: what is measured, without the unit.
        unit: ``"Mbit/s"``, ``"ns per frame"``, ….
        pairs: the rows, top to bottom.
        sentence: the caption; when empty, the numbers and the changes in per cent are written out.
        width: CSS pixels.

    >>> print(bar_pairs("Throughput", "Mbit/s", [Pair("iperf3", 367, 472, "reported")]))
    Throughput in Mbit/s: iperf3 goes from 367 to 472 (+28.6 %, reported).
    """
    left, right, row = 190, 150, 62
    largest = max((float(value) for p in pairs for value in (p.before, p.after)), default=0)
    scale = (width - left - right) / (largest or 1)
    svg = Svg(width, 62 + row * len(pairs), title)
    svg.text(20, 30, f"{title}, {unit}", size=15, bold=True)
    key = width - 190
    for name, tone, x in (("before", BEFORE, key), ("after", AFTER, key + 90)):
        svg.rect(x, 20, 12, 12, fill=tone.strong)
        svg.text(x + 18, 31, name, fill=MUTED)
    for index, pair in enumerate(pairs):
        y = 52 + row * index
        svg.text(left - 14, y + 20, pair.label, anchor="end", bold=True, fit=left - 34)
        svg.text(left - 14, y + 38, pair.evidence, anchor="end", size=12, fill=EVIDENCE[pair.evidence].strong)
        for tone, value, dy in ((BEFORE, pair.before, 2), (AFTER, pair.after, 25)):
            long = float(value) * scale
            svg.rect(left, y + dy, max(1.0, long), 20, fill=tone.strong)
            note = f"{value:,g}" + (f"  ({_change(pair)})" if tone is AFTER else "")
            svg.text(left + long + 8, y + dy + 15, note, bold=tone is AFTER)
    svg.line(left, 46, left, 50 + row * len(pairs))
    said = "; ".join(
        f"{p.label} goes from {p.before:,g} to {p.after:,g} ({_change(p)}, {p.evidence})" for p in pairs
    )
    return Picture(svg, sentence or f"{title} in {unit}: {said}.")


def _change(pair: Pair) -> str:
    if pair.after == pair.before:
        return "no change"
    if not pair.before:
        return "from 0"
    return f"{(float(pair.after) / float(pair.before) - 1) * 100:+.1f} %".replace("-", "−")
