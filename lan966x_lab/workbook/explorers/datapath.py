"""The whole datapath in one picture: a path, a switch for each patch, a frame size."""

from collections.abc import Mapping, Sequence

from lan966x_lab.measure.model.datapath import LONGEST, SHORTEST, SWITCHES, View

from ..figures.datapath import DEVICES, draw_gains, draw_key, draw_rates, draw_time, times, us
from ..palette import EVIDENCE, HAIRLINE, INK, MUTED
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..widgets import Explorer, choice, number, switch

__all__ = ["DatapathExplorer", "datapath_picture"]

_TITLES = {
    "000/1": "000/1 clock gate",
    "000/2 v2": "000/2 v2 byte shift",
    "001": "001 FIFO first",
    "002": "002 template",
    "003": "003 late skb",
    "004": "004 checksum",
}


class DatapathExplorer(Explorer):
    """Switch patches on and off, and see what every kind of evidence says of a frame.

    The traits to drive it: ``path`` (a key of ``costpaths.PATHS``), ``switches`` (patch → check box),
    ``frame`` (bytes, without FCS).
    """

    def __init__(
        self, path: str = "lan966x fdma rx", patches: Sequence[str] = SWITCHES[:1], frame: int = LONGEST
    ) -> None:
        self.path = choice("Path", {words: name for name, words in DEVICES.items()}, path)
        self.frame = number("Frame, bytes", frame, SHORTEST, LONGEST, step=10, tip="length without FCS")
        self.switches = {patch: switch(_TITLES[patch], patch in patches) for patch in SWITCHES}
        rows = [[self.path, self.frame], list(self.switches.values())]
        super().__init__("All patches as switches", rows)

    def draw(self) -> Picture:
        """Stacked bars, two plots on one axis of frame sizes, and the counted work."""
        patches = frozenset(patch for patch, box in self.switches.items() if box.value)
        return datapath_picture(View(self.path.value, patches), self.frame.value)


def datapath_picture(view: View, frame: int) -> Picture:
    """The explorer's view as a picture: frame length in bytes, without FCS."""
    svg = Svg(WIDTH, 584, "one frame's time, throughput and gain by size, counted work")
    draw_time(svg, 28, view, frame)
    svg.line(20, 168, WIDTH - 20, 168, stroke=HAIRLINE)
    draw_rates(svg, 190, view, frame)
    draw_gains(svg, 420, view, frame)
    draw_key(svg, 196, view)
    before, after = view.before.counted(frame), view.counted(frame)
    _draw_counts(svg, 404, before, after)
    return Picture(svg, _sentence(view, frame, before, after))


def _draw_counts(svg: Svg, y: int, before: Mapping[str, float], after: Mapping[str, float]) -> None:
    """Work per frame, off and on, in the column of the key."""
    x = 584
    svg.text(x, y, "Work for one frame", size=13, bold=True)
    svg.text(WIDTH - 20, y, "counted", size=12, anchor="end", fill=EVIDENCE["counted"].strong, bold=True)
    for index, (name, was) in enumerate(before.items()):
        top, now = y + 20 + 30 * index, after[name]
        svg.text(x, top, name, size=12, fill=MUTED)
        changed = was != now
        words = f"{_n(was)} → {_n(now)}" if changed else f"{_n(was)}, unchanged"
        svg.text(x + 12, top + 14, words, size=12, bold=changed, fill=INK)


def _n(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def _sentence(view: View, frame: int, before: Mapping[str, float], after: Mapping[str, float]) -> str:
    on = [patch for patch in SWITCHES if patch in view.patches]
    said = f"{DEVICES[view.path]}, {frame:,} bytes, patches on: {', '.join(on) or 'none'}. "
    off, now, gain = view.before.frame_ns(frame), view.frame_ns(frame), view.gain(frame)
    if view.biting:
        said += f"By the model a frame takes {us(now)} instead of {us(off)}, {times(gain)}. "
    elif on:
        said += f"By the model a frame takes {us(off)}; no figure of this path speaks of these patches. "
    else:
        said += f"By the model a frame takes {us(off)}. "
    changes = [f"{name} {_n(was)} to {_n(after[name])}" for name, was in before.items() if was != after[name]]
    said += f"Counted: {'; '.join(changes)}. " if changes else "Counted: nothing changes. "
    if view.live:
        near = min(view.live, key=lambda live: abs(live.frame - frame))
        said += f"Live wire at {near.frame:,} bytes: {near.percent:+.0f} %. ".replace("-", "−")
    if not view.measured(frame):
        said += "No figure has this size: the model extrapolates."
    return said.rstrip()
