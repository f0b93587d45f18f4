"""The published numbers of the five patch threads, and what becomes of them when they are recomputed.

``data/claims.csv`` has one row per printed measurement or statement. Figures are kept as printed, as
``Decimal``, so that ``15.8`` stays ``15.8``; verdicts are not stored but computed, by the rules in
``measure.verdict``. The text of a claim is ours; the mail is named as the source. No notebook types a
published number:

    >>> from lan966x_lab.measure import claims
    >>> tx = claims.get("000-tx-v1")
    >>> print(f"{tx.before} -> {tx.after} {tx.unit}: {tx.gain_percent:+.1f} %, {tx.verdict}")
    367 -> 472 Mbit/s: +28.6 %, holds
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from lan966x_lab import data_path
from lan966x_lab.hw.limits import UnknownNameError
from lan966x_lab.measure import linerate, tables
from lan966x_lab.measure.interval import Interval, printed
from lan966x_lab.measure.verdict import RULES, Verdict, judge

__all__ = ["Claim", "Verdict", "by_seed", "get", "load", "table"]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One printed measurement or statement.

    ``before`` and ``after`` are the figures without and with the patch. A statement ("about 70 Mbit/s more")
    keeps its figure in ``stated`` and takes ``before`` and ``after`` from the first measurement it is about.
    """

    id: str
    seed: str  # "000" … "004"
    version: str  # of the patch: "v1", "v2", "merged", …
    kind: str  # which rule judges it, see measure.verdict.RULES
    metric: str
    direction: str
    before: Decimal | None
    after: Decimal | None
    unit: str
    stated: str  # a figure in prose, as printed() reads it: "6.5", "~70"; empty for a measurement
    stated_unit: str
    before_mbytes: Decimal | None  # of 2^20 bytes: transferred, or the size of a file
    before_seconds: Decimal | None
    after_mbytes: Decimal | None
    after_seconds: Decimal | None
    payload: int  # bytes per frame
    payload_is: str  # "stated" in the mail, or "assumed": the largest TCP segment of a 1500-byte MTU
    transport: str  # "tcp" or "udp"
    link_mbit: int
    compare_with: tuple[
        str, ...
    ]  # the measurements a statement is about; another frame size of a measurement
    tool: str
    context: str
    text: str  # the claim in our own terms
    source: str  # message or commit id
    others: tuple["Claim", ...] = ()  # the claims of compare_with

    @property
    def verdict(self) -> Verdict:
        """``holds``, ``off``, ``inconsistent`` or ``not measurable``, computed."""
        return self._judgement[0]

    @property
    def arithmetic(self) -> str:
        """How the verdict came about, a sentence per line; brackets hold the range that rounding leaves."""
        return self._judgement[1]

    @cached_property
    def _judgement(self) -> tuple[Verdict, str]:
        return judge(self)

    def figure(self, side: str) -> Decimal:
        """The printed figure ``"before"`` or ``"after"``; a ValueError if the mail prints none."""
        figure: Decimal | None = {"before": self.before, "after": self.after}[side]
        if figure is None:
            raise ValueError(
                f"claim {self.id} prints no figure {side}; its arithmetic says what it does print"
            )
        return figure

    def both(self) -> tuple[Decimal, Decimal]:
        """The printed figures before and after."""
        return self.figure("before"), self.figure("after")

    def interval(self, side: str) -> Interval:
        """What the printed figure stands for: half a unit of its last digit either way."""
        return printed(str(self.figure(side)))

    @property
    def gain(self) -> Decimal:
        """After minus before, in ``unit``."""
        before, after = self.both()
        return after - before

    @property
    def gain_percent(self) -> Decimal:
        """After against before, in percent, unrounded: format it (``f"{claim.gain_percent:+.1f} %"``)."""
        before, _ = self.both()
        return self.gain / before * 100

    def per_frame_ns(self, payload: int | None = None) -> tuple[int, int]:
        """Time from frame to frame before and after, in ns; ``payload`` bytes per frame if not its own."""
        self._demand_goodput()
        before, after = (round(linerate.frame_ns(rate, self._payload(payload))) for rate in self.both())
        return before, after

    def saved_ns(self, payload: int | None = None) -> int:
        """Time saved per frame, in ns; negative if a frame takes longer."""
        self._demand_goodput()
        before, after = (linerate.frame_ns(rate, self._payload(payload)) for rate in self.both())
        return round(before - after)

    def saving_ns(self, payload: int | None = None) -> Interval:
        """The range of the time saved per frame, in ns, that the rounding of both figures allows."""
        self._demand_goodput()
        frame = Interval(*2 * (linerate.frame_ns(1, self._payload(payload)),))  # exact, at 1 Mbit/s
        return frame / self.interval("before") - frame / self.interval("after")

    @property
    def transfers(self) -> Mapping[str, tuple[Decimal, Decimal]]:
        """The MBytes and seconds that iperf3 printed, for each side that has them."""
        pairs = {
            "before": (self.before_mbytes, self.before_seconds),
            "after": (self.after_mbytes, self.after_seconds),
        }
        return {side: (m, s) for side, (m, s) in pairs.items() if m is not None and s is not None}

    @property
    def recomputed(self) -> Mapping[str, Fraction]:
        """The goodput in Mbit/s that follows from those MBytes and seconds."""
        return {side: linerate.goodput(*transfer) for side, transfer in self.transfers.items()}

    @property
    def file_mbytes(self) -> Mapping[str, Decimal]:
        """MBytes printed without a time: the size of a file, for each side that has one."""
        sizes = {"before": self.before_mbytes, "after": self.after_mbytes}
        return {side: m for side, m in sizes.items() if m is not None and side not in self.transfers}

    def _payload(self, payload: int | None) -> int:
        return self.payload if payload is None else payload

    def _demand_goodput(self) -> None:
        if self.unit != "Mbit/s":
            raise ValueError(
                f"claim {self.id} is in {self.unit}; only Mbit/s can be turned into time per frame"
            )


def load() -> list[Claim]:
    """All claims, in the order of the file: by seed, each measurement before the statements about it.

    Raises:
        tables.DamagedTableError: the file does not hold what it should; names the line and the column.
    """
    return list(_read(data_path("claims.csv")))


def by_seed(seed: str) -> list[Claim]:
    """The claims of one seed, ``"000"`` to ``"004"``.

    Raises:
        UnknownNameError: no claim has this seed (a KeyError); the message has the seeds.
    """
    found = [claim for claim in load() if claim.seed == seed]
    if not found:
        raise UnknownNameError("seed", seed, sorted({claim.seed for claim in load()}), offer=5)
    return found


def get(claim_id: str) -> Claim:
    """The claim with this id, such as ``"000-tx-v1"``.

    Raises:
        UnknownNameError: there is none (a KeyError); the message has the nearest ids.
    """
    known = {claim.id: claim for claim in load()}
    if not isinstance(claim_id, str) or claim_id not in known:
        raise UnknownNameError("claim", claim_id, known, offer=3)
    return known[claim_id]


def table(claims: Iterable[Claim]) -> str:
    """The claims as a Markdown table: what was printed, what it comes to, the verdict."""
    head = ("claim", "before", "after", "unit", "gain", "stated", "verdict")
    rows = [head, ("---",) * len(head)]
    for c in claims:
        gain = "" if None in (c.before, c.after) else f"{c.gain_percent:+.2f} %"
        figures = ("" if figure is None else str(figure) for figure in (c.before, c.after))
        rows.append((c.id, *figures, c.unit, gain, f"{c.stated} {c.stated_unit}".strip(), str(c.verdict)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _text(cell: str) -> str:
    if not cell.strip():
        raise ValueError("it must not be empty")
    return cell


def _stated(cell: str) -> str:
    if cell:
        printed(cell)  # refuses what is no figure
    return cell


def _one_of(*allowed: str) -> Callable[[str], str]:
    def check(cell: str) -> str:
        if cell not in allowed:
            raise ValueError(f"allowed are {', '.join(allowed)}")
        return cell

    return check


COLUMNS: dict[str, Callable[[str], Any]] = {
    "id": _text,
    "seed": _text,
    "version": _text,
    "kind": _one_of(*RULES),
    "metric": _text,
    "direction": _text,
    "before": tables.number_or_none,
    "after": tables.number_or_none,
    "unit": str,
    "stated": _stated,
    "stated_unit": str,
    "before_mbytes": tables.number_or_none,
    "before_seconds": tables.number_or_none,
    "after_mbytes": tables.number_or_none,
    "after_seconds": tables.number_or_none,
    "payload": int,
    "payload_is": _one_of("stated", "assumed"),
    "transport": _one_of(*linerate.HEADERS),
    "link_mbit": int,
    "compare_with": lambda cell: tuple(cell.split()),
    "tool": _text,
    "context": str,
    "text": _text,
    "source": _text,
}


@cache
def _read(path: Path) -> tuple[Claim, ...]:
    claims: dict[str, Claim] = {}
    for line, row in tables.read(path, COLUMNS):
        claim = Claim(**row)
        if claim.id in claims:
            raise tables.DamagedTableError(path, line, "id", f"{claim.id!r} stands there twice")
        for other in claim.compare_with:
            if other not in claims:
                problem = f"{other!r} is not the id of an earlier row"
                raise tables.DamagedTableError(path, line, "compare_with", problem)
        for column in RULES[claim.kind].needs:
            if getattr(claim, column) in (None, "", ()):
                raise tables.DamagedTableError(path, line, column, f"a {claim.kind!r} row needs it")
        claims[claim.id] = _with_others(claim, [claims[other] for other in claim.compare_with])
    return tuple(claims.values())


def _with_others(claim: Claim, others: list[Claim]) -> Claim:
    """Attach the claims of ``compare_with``; a statement without own figures takes those of the first."""
    claim = replace(claim, others=tuple(others))
    if others and claim.before is None and claim.after is None:
        return replace(claim, before=others[0].before, after=others[0].after, unit=others[0].unit)
    return claim
