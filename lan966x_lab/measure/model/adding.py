"""The gains of single patches put together in four ways: which one does a measurement of all of them meet?

Percentages add only where they are small. Rates multiply only where each patch takes a share of whatever time
is left. Saved times add where the patches save different work; two patches of header code do not, and the
lines that both would save are counted here once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from lan966x_lab.measure.live import Comparison
from lan966x_lab.measure.live.recording import change_percent
from lan966x_lab.measure.model.datapath import header_lines

__all__ = ["Overlap", "gain", "header_overlap", "put_together"]


@dataclass(frozen=True)
class Overlap:
    """Lines of header code that a frame saves: by each of some patches alone, and by all of them at once."""

    alone: Mapping[str, int]
    at_once: int

    @property
    def twice(self) -> int:
        """Lines that a sum over the single patches would count more than once."""
        return sum(self.alone.values()) - self.at_once


def gain(comparison: Comparison) -> float:
    """How many times as fast the stream is with the patches."""
    return 1 + change_percent(comparison.mbit) / 100


def header_overlap(*patches: str) -> Overlap:
    """What these patches save of the header code of one plain frame, sent and received with DMA."""
    before = _lines(())
    return Overlap({patch: before - _lines([patch]) for patch in patches}, before - _lines(patches))


def put_together(gains: Mapping[str, float], overlap: Overlap) -> dict[str, float]:
    """The gain of all patches together, worked out from the single ``gains`` in four ways.

    Raises:
        ValueError: the overlap is about a patch that has no gain here, or the times saved, added, would
            leave nothing of a frame.
    """
    if missing := overlap.alone.keys() - gains.keys():
        raise ValueError(f"no gain for {', '.join(sorted(missing))}: there is one for {', '.join(gains)}")
    saved = {patch: 1 - 1 / each for patch, each in gains.items()}  # shares of a frame's time
    if (total := sum(saved.values())) >= 1:
        raise ValueError(
            f"the saved times add up to {total:.2f} of a frame's time, and nothing would be left"
        )
    in_header = sum(saved[patch] for patch in overlap.alone)
    counted_twice = in_header * overlap.twice / (sum(overlap.alone.values()) or 1)
    return {
        "percentages added": 1 + sum(each - 1 for each in gains.values()),
        "rates multiplied": prod(gains.values()),
        "saved times added": 1 / (1 - total),
        "saved times added, shared lines once": 1 / (1 - total + counted_twice),
    }


def _lines(patches: Iterable[str]) -> int:
    return sum(header_lines(patches).values())
