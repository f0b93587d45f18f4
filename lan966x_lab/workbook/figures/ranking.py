"""The patches in the order of their gain, for three workloads, by the figures and by counts."""

from collections.abc import Mapping, Sequence
from math import log2

from lan966x_lab.measure import claims
from lan966x_lab.measure.counted import offload
from lan966x_lab.measure.live.recording import change_percent
from lan966x_lab.measure.model.datapath import recording
from lan966x_lab.measure.model.ranking import WORKLOADS, Counted, Workload

from ..palette import AFTER, EDGE, EVIDENCE, HAIRLINE, MUTED, TONES
from ..pictures import Picture
from ..svg import WIDTH, Svg
from ..tables import Table, table
from .datapath import times

__all__ = ["ranking_picture", "threads_table"]

_GREEN = TONES[2]
_HIGHEST = 12
"""Where the axis of the gains ends; a longer band is drawn to here."""


def ranking_picture(workloads: Mapping[str, Workload] = WORKLOADS) -> Picture:
    """For each workload the patches in order, three times: the figures' bands, and counts on both paths."""
    columns = list(workloads.values())
    wide, gap = 244, 20
    svg = Svg(WIDTH, 560, "the patches in order of their gain, for three workloads")
    for column, workload in enumerate(columns):
        x = 20 + (wide + gap) * column
        svg.text(x, 30, workload.name, size=15, bold=True)
        _reported_panel(svg, x, 58, wide, workload)
        for row, (path, words) in enumerate((("manual", "word by word"), ("fdma", "DMA"))):
            _counted_panel(svg, x, 238 + 162 * row, wide, workload, path, words)
    return Picture(svg, _say_ranking(columns))


def _reported_panel(svg: Svg, x: int, y: int, wide: int, workload: Workload) -> None:
    """Bands of the gain on a logarithmic axis; solid as far as the figures vouch for it, numbers beside."""
    svg.text(x, y, "times as fast, each on its own chip", size=12, bold=True)
    svg.text(x, y + 15, "computed from reported", size=11, fill=EVIDENCE["reported"].strong)
    left, top = x + 64, y + 26
    scale = (wide - 64 - 68) / log2(_HIGHEST)
    for gain in (1, 2, 4, 8):
        at = left + scale * log2(gain)
        svg.line(at, top, at, top + 20 * 6, stroke=EDGE if gain == 1 else HAIRLINE)
        svg.text(at, top + 20 * 6 + 12, f"× {gain}", size=10, anchor="middle", fill=MUTED)
    for index, row in enumerate(workload.reported()):
        low, high = (scale * log2(min(float(end), _HIGHEST)) for end in (row.gain.low, row.gain.high))
        line = top + 20 * index
        svg.text(x, line + 14, row.patch, size=12, mono=True)
        if high - low > 1:
            svg.rect(left + low, line + 4, high - low, 12, fill=AFTER.soft, stroke=AFTER.strong, dash="3 2")
        svg.rect(left, line + 4, max(1.5, low), 12, fill=AFTER.strong)
        svg.text(x + wide, line + 14, times(row.gain).removeprefix("× "), size=11, anchor="end")


def _counted_panel(svg: Svg, x: int, y: int, wide: int, workload: Workload, path: str, words: str) -> None:
    """Shares of the priced work that each patch takes away, alone and all together."""
    svg.line(x, y - 18, x + wide, y - 18, stroke=HAIRLINE)
    svg.text(x, y, f"work taken away, {words}", size=12, bold=True)
    svg.text(x, y + 15, "counted; prices assumed", size=11, fill=EVIDENCE["counted"].strong)
    left, top = x + 64, y + 24
    scale = (wide - 64 - 46) / 70
    rows = [*workload.counted(path), workload.together(path)]
    for index, row in enumerate(rows):
        line, percent = top + 19 * index, row.percent()
        last = index == len(rows) - 1
        svg.text(x, line + 14, row.patch, size=12, mono=not last, bold=last)
        svg.rect(left, line + 4, max(1.5, scale * percent), 12, fill=_GREEN.strong if last else AFTER.strong)
        note = f"{percent:.1f} %" if percent else "nothing"
        svg.text(left + scale * percent + 6, line + 14, note, size=11, bold=last)
    svg.line(left, top, left, top + 19 * len(rows), stroke=EDGE)


def _say_ranking(workloads: Sequence[Workload]) -> str:
    """The three patches that the figures put first, and the first by count: the rest is in the picture."""
    said = []
    for workload in workloads:
        first = ", ".join(f"{row.patch} {times(row.gain)}" for row in workload.reported()[:3])
        counts = []
        for path, words in (("manual", "word by word"), ("fdma", "with DMA")):
            best, all_on = workload.counted(path)[0], workload.together(path)
            counts.append(f"{words} {best.patch} ({best.percent():.1f} %, all {all_on.percent():.1f} %)")
        said.append(f"{workload.name}: by the figures {first}; counted, first are {' and '.join(counts)}")
    return ". ".join(said) + "."


_THREADS: Mapping[str, tuple[str, str, str]] = {
    "000/1": ("clock gate", "000-rx", "merged; its best line contradicts itself"),
    "000/2 v2": ("byte shift", "000-tx-v2", "merged; the getter that stayed had a fault"),
    "001": ("FIFO first", "001-sender", "merged as the reviewers designed it"),
    "002": ("template", "002-big", "not merged; zeros are skipped instead"),
    "003": ("late skb", "003-netif", "merged without a review that we found"),
    "004": ("checksum offload", "004-goodput", "merged; its gain is idle time"),
}
"""A name for each patch, its first measurement, and what became of it."""


def threads_table() -> Table:
    """The five threads on one page: what a patch gained by the mail, by count, on the live wire; its fate."""
    bulk = WORKLOADS["bulk TCP"]
    rows = []
    for patch, (name, claim, fate) in _THREADS.items():
        path = "manual" if patch == "001" else "fdma"
        saved = {row.patch: _saved(row) for row in bulk.counted(path)}
        reported = f"{claims.get(claim).gain_percent:+.1f} %".replace("-", "−")
        rows.append(
            [
                f"{name} ({patch})",
                reported,
                saved.get(patch) or _summed(bulk),
                _on_the_wire(patch, path),
                fate,
            ]
        )
    heads = ["patch", "reported", "counted: saved for a full frame", "live wire", "what became of it"]
    return table(rows, heads, "The threads on one page")


def _saved(row: Counted) -> str:
    before, after = row.before, row.after
    parts = {
        "register accesses": before.accesses - after.accesses,
        "clock reads": before.clock_reads - after.clock_reads,
        "lines of header code": before.lines - after.lines,
    }
    return ", ".join(f"{count} {name}" for name, count in parts.items() if count) or "nothing"


def _summed(workload: Workload) -> str:
    off, on = (offload.run(workload.frames(), offload=side).bytes_per_frame for side in (False, True))
    return f"{off - on:,.0f} bytes added up"


def _on_the_wire(patch: str, path: str) -> str:
    if patch == "004":
        return "another device"
    return f"{change_percent(recording([patch], path=path).comparison('tcp').mbit):+.0f} %".replace("-", "−")
