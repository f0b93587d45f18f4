"""What a frame costs on each path: fitted on printed figures, then asked about what nobody measured.

The time per frame is ``fixed + per byte * bytes + per word * words + features``, and never less than the link
needs. A figure is rounded and figures are few, so the model is not one set of costs but all sets that agree
with the figures (``feasible``). Every answer is the band of what those sets say: narrow where the figures
decide, wide where they do not. Costs are never negative. The terms, and the figures behind each, stand in
``costpaths``.

    >>> model = fit()
    >>> print(f"{model.gain('lan966x manual tx', 1448, ['deadline first'], []):.2f}")
    [1.70, 1.71]
    >>> print(f"{model.gain('lan966x manual tx', 18, ['deadline first'], []):.2f}")
    [1.19, 1.23]
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import inf

from lan966x_lab.measure import claims, linerate
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.model import feasible
from lan966x_lab.measure.model.costpaths import (
    DO_CSUM,
    MTU,
    PATHS,
    UNIDENTIFIABLE,
    Figure,
    Path,
    Unidentifiable,
)
from lan966x_lab.measure.model.feasible import Corner

__all__ = ["Model", "Parameter", "Residual", "fit"]


@dataclass(frozen=True)
class Parameter:
    """A fitted cost."""

    path: str
    name: str
    per: str  # "frame", "byte" of payload, or "word"
    ns: Interval  # all values that the figures allow; other parameters restrict them together
    sources: tuple[str, ...]  # ids of claims


@dataclass(frozen=True)
class Residual:
    """A printed goodput against the model's, in Mbit/s."""

    path: str
    figure: Figure
    predicted: Interval

    @property
    def fitted(self) -> bool:
        """Whether the figure was used; then it agrees by construction."""
        return self.figure.use != "check"

    @property
    def agrees(self) -> bool:
        """Whether the model and the rounding of the figure allow one value."""
        return self.predicted.meets(self.figure.goodput)

    @property
    def percent(self) -> Interval:
        """By how much the model says more than the figure prints."""
        return (self.predicted / self.figure.goodput).scaled(100, -100)


@dataclass(frozen=True)
class Model:
    """All sets of costs that agree with the figures; ``corners`` span them, for each path of ``PATHS``."""

    corners: Mapping[str, tuple[Corner, ...]]

    def frame_ns(self, path: str, payload: int, features: Iterable[str] = ()) -> Interval:
        """The time from frame to frame in ns: of the CPU, or of the link where that takes longer.

        Args:
            path: a key of ``costpaths.PATHS``.
            payload: bytes of TCP or UDP payload, whichever the path's figures have.
            features: work that is there, names of ``PATHS[path].features``; ``PATHS[path].left_by(*patches)``
                gives those that patches leave.

        Raises:
            ValueError: one of the three is unknown or out of range; the message says what is allowed.
        """
        link = self._link_ns(path, payload)
        times = [max(link, cpu) for cpu in self._cpu_ns(path, payload, features)]
        return Interval(min(times), max(times))

    def goodput(self, path: str, payload: int, features: Iterable[str] = ()) -> Interval:
        """The same as goodput in Mbit/s, at most the line rate."""
        frame = self.frame_ns(path, payload, features)
        return Interval(*(8000 * payload / end for end in (frame.high, frame.low)))

    def gain(self, path: str, payload: int, before: Iterable[str], after: Iterable[str]) -> Interval:
        """How many times as fast frames are with the features ``after`` as with ``before``; 1 is no gain."""
        link = self._link_ns(path, payload)
        pairs = set(zip(self._cpu_ns(path, payload, before), self._cpu_ns(path, payload, after), strict=True))
        # Where the link takes over, the ratio has a kink, so its extremes can lie there too.
        kinks = [kink for ends in combinations(pairs, 2) for kink in _crossings(*ends, link)]
        gains = [max(link, old) / max(link, new) for old, new in (*pairs, *kinks)]
        return Interval(min(gains), max(gains))

    def shares_ns(self, path: str, payload: int, features: Iterable[str] = ()) -> dict[str, Interval]:
        """Where the CPU's time of one frame goes: the band of each term, in ns, that is paid."""
        times = self._times(path, payload, features)
        bands = zip(PATHS[path].terms, times, self._bands(path), strict=True)
        return {term.name: band.scaled(n) for term, n, band in bands if n}

    def assumed(self, path: str, payload: int, features: Iterable[str] = ()) -> tuple[str, ...]:
        """What such an answer rests on beside the figures; the more clauses, the less it is to be trusted."""
        self._times(path, payload, features)
        way, there = PATHS[path], frozenset(features)
        return (*way.assumed, *_stretches(way, payload, there))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Every term of every path with its band."""
        return tuple(
            Parameter(name, term.name, term.per, band, term.sources)
            for name, path in PATHS.items()
            for term, band in zip(path.terms, self._bands(name), strict=True)
        )

    def parameter(self, path: str, name: str) -> Parameter:
        """One of them.

        Raises:
            ValueError: there is none.
        """
        found = {p.name: p for p in self.parameters if p.path == _known(path)}
        if name not in found:
            raise ValueError(f"{path} has no parameter {name!r}: choose from {', '.join(found)}")
        return found[name]

    def residuals(self) -> tuple[Residual, ...]:
        """Every figure of every path, fitted or held out, against what the model says."""
        return tuple(
            Residual(name, figure, self.goodput(name, claims.get(figure.claim).payload, figure.features))
            for name, path in PATHS.items()
            for figure in path.figures
        )

    @property
    def unidentifiable(self) -> tuple[Unidentifiable, ...]:
        """What the figures cannot tell, with the reason."""
        return UNIDENTIFIABLE

    def _times(self, path: str, payload: int, features: Iterable[str]) -> tuple[int, ...]:
        way, there = PATHS[_known(path)], frozenset(features)
        if unknown := there - way.features:
            known = ", ".join(sorted(way.features))
            raise ValueError(f"{path} has no feature {', '.join(sorted(unknown))}: choose from {known}")
        most = MTU - linerate.HEADERS[way.transport]
        if not 0 <= payload <= most:
            raise ValueError(f"payload is {payload} bytes; a frame of {path} carries 0 to {most}")
        return way.times(payload, there)

    def _cpu_ns(self, path: str, payload: int, features: Iterable[str]) -> list[Fraction]:
        """The CPU's time at each corner."""
        row = feasible.Sum(self._times(path, payload, features), Interval(Fraction(0), inf))
        return [row.of(corner) for corner in self.corners[path]]

    def _link_ns(self, path: str, payload: int) -> Fraction:
        way = PATHS[_known(path)]
        return Fraction(8000 * linerate.wire_bytes(payload, way.transport), way.link_mbit)

    def _bands(self, path: str) -> list[Interval]:
        return [Interval(min(values), max(values)) for values in zip(*self.corners[path], strict=True)]


@cache
def fit(manual_fixed_ns: Interval | None = None) -> Model:
    """The model of all figures that can be used.

    Args:
        manual_fixed_ns: an assumption: what a frame of manual injection costs beside its words; no figure of
            seed 001 tells. Without it, a whole frame on the DMA path of the same chip: all times that the two
            sides of claim 000-tx-v1 allow.

    Raises:
        ValueError: no set of costs agrees with the figures and the assumption.
    """
    profile, rate = claims.get("004-do-csum"), claims.get("004-goodput")
    shortest = linerate.frame_ns(max(_ends(rate.interval("before"))), rate.payload)
    least = min(_ends(profile.interval("before"))) / 100 * shortest / rate.payload
    limits = {
        ("lan966x manual tx", "fixed"): manual_fixed_ns or _whole_frame("000-tx-v1"),
        ("ravb rx", DO_CSUM): Interval(least, inf),
    }
    return Model({name: _fit(name, path, limits) for name, path in PATHS.items()})


def _fit(name: str, path: Path, limits: Mapping[tuple[str, str], Interval]) -> tuple[Corner, ...]:
    sums = [
        feasible.Sum(tuple(int(other is term) for other in path.terms), limits[name, term.name])
        for term in path.terms
        if (name, term.name) in limits
    ]
    for figure in path.figures:
        time = figure.frame_ns
        span = {"fit": time, "bound": Interval(Fraction(0), time.high)}
        if figure.use in span:
            times = path.times(claims.get(figure.claim).payload, figure.features)
            sums.append(feasible.Sum(times, span[figure.use]))
    return feasible.corners(dict.fromkeys(sums), len(path.terms))


def _whole_frame(claim_id: str) -> Interval:
    """From the shortest to the longest time per frame that a claim's two figures allow."""
    claim = claims.get(claim_id)
    rates = [end for side in ("before", "after") for end in _ends(claim.interval(side))]
    return Interval(*(linerate.frame_ns(rate, claim.payload) for rate in (max(rates), min(rates))))


def _ends(interval: Interval) -> tuple[Fraction, Fraction]:
    return Fraction(interval.low), Fraction(interval.high)


def _crossings(
    one: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction], link: Fraction
) -> Iterator[tuple[Fraction, Fraction]]:
    """Where a line from one pair of times to another reaches the time of the link, in either of the two."""
    for a, b in zip(one, other, strict=True):
        if min(a, b) < link < max(a, b):
            part = (link - a) / (b - a)
            yield (one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1]))


def _known(path: str) -> str:
    if path not in PATHS:
        raise ValueError(f"there is no path {path!r}: choose from {', '.join(PATHS)}")
    return path


def _stretches(path: Path, payload: int, there: frozenset[str]) -> Iterator[str]:
    """In which ways a question goes beyond what was measured."""
    measured = [claims.get(f.claim) for f in path.figures if f.use != "check"]
    if any(claim.payload_is == "assumed" for claim in measured):
        yield f"the mail names no frame size: {measured[0].payload:,} bytes of payload were assumed"
    if payload not in path.payloads:
        sizes = " and ".join(f"{size:,}" for size in sorted(path.payloads))
        asked = f"{payload:,} bytes were not" if payload else "no frame with an empty payload was"
        yield f"{asked} measured, only {sizes}: costs per frame, byte, word do not change"
    if there not in {figure.features for figure in path.figures if figure.use != "check"}:
        yield "these features were not measured together: their costs add up"
