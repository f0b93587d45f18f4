"""What the cost model is made of: the paths of a frame, what a frame costs on each, the figures that say so.

A path's time per frame is a sum of terms. A term is paid once per frame, per byte of payload or per 32-bit
word that is written; some are paid only while a *feature* is there: work that a patch takes away. No number
stands here: each term names the claims that it is fitted on (``measure.claims``), each figure the features
that were there when it was measured.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from lan966x_lab import ifh
from lan966x_lab.driver import PATCHES
from lan966x_lab.measure import claims, linerate
from lan966x_lab.measure.interval import Interval, printed

__all__ = ["PATHS", "UNIDENTIFIABLE", "UNITS", "Figure", "Path", "Term", "Unidentifiable", "words"]

MTU = 1500


def words(payload: int, transport: str = "tcp") -> int:
    """How many words the driver asks the injection FIFO for: the header of 7 words, then the frame.

    386 for 1448 bytes of TCP payload. For the check sequence, one word more, it does not ask.
    """
    return ifh.LAN966X.tx.nbytes // 4 + -(-linerate.frame_bytes(payload, transport) // 4)


UNITS: Mapping[str, Callable[[int, str], int]] = {
    "frame": lambda payload, transport: 1,
    "byte": lambda payload, transport: payload,
    "word": words,
}
"""How often a term is paid: from what it is counted by to a function of payload and transport."""


@dataclass(frozen=True)
class Term:
    """One summand of a frame's time."""

    name: str
    per: str  # a key of UNITS
    sources: tuple[str, ...]  # ids of the claims that it is fitted on
    needs: frozenset[str] = frozenset()  # features that have to be there; none: it is always paid


@dataclass(frozen=True)
class Figure:
    """One printed goodput, and the features that were there when it was measured.

    ``use`` is ``"fit"`` (the time per frame equals it), ``"bound"`` (the link was the limit, so the CPU
    needed no more than it) or ``"check"`` (held out: only compared with what the model says).
    """

    claim: str
    side: str  # "before" or "after", or "stated": so much more than the figure before it in the path
    features: frozenset[str]
    use: str = "fit"
    more_than: "Figure | None" = None

    @property
    def goodput(self) -> Interval:
        """In Mbit/s, as wide as its rounding."""
        claim = claims.get(self.claim)
        if self.more_than is None:
            return claim.interval(self.side)
        return printed(claim.stated) - self.more_than.goodput.scaled(-1)

    @property
    def frame_ns(self) -> Interval:
        """The time per frame that follows."""
        once = linerate.frame_ns(1, claims.get(self.claim).payload)
        return Interval(once, once) / self.goodput


@dataclass(frozen=True)
class Path:
    """One way of a frame through one driver.

    ``patches`` maps a patch (a key of ``driver.PATCHES``) to the features that it takes away. ``assumed``
    says what every statement about the path rests on beside its figures.
    """

    terms: tuple[Term, ...]
    figures: tuple[Figure, ...]
    patches: Mapping[str, frozenset[str]]
    assumed: tuple[str, ...] = ()

    @cached_property
    def features(self) -> frozenset[str]:
        """Every feature of the path."""
        return _set().union(*(term.needs for term in self.terms))

    @cached_property
    def transport(self) -> str:
        """``"tcp"`` or ``"udp"``, as in the figures."""
        return claims.get(self.figures[0].claim).transport

    @cached_property
    def link_mbit(self) -> int:
        """The speed of the link in the figures."""
        return claims.get(self.figures[0].claim).link_mbit

    @cached_property
    def payloads(self) -> frozenset[int]:
        """The payloads, in bytes, that the figures it is fitted on were measured with."""
        return frozenset(claims.get(f.claim).payload for f in self.figures if f.use != "check")

    def times(self, payload: int, features: Iterable[str]) -> tuple[int, ...]:
        """How often each term is paid for one frame."""
        there = frozenset(features)
        return tuple(
            UNITS[term.per](payload, self.transport) if term.needs <= there else 0 for term in self.terms
        )

    def left_by(self, *patches: str) -> frozenset[str]:
        """The features that are there once these patches are applied, out of those that patches take away.

        Raises:
            ValueError: a name that is not in ``driver.PATCHES``.
        """
        for patch in patches:
            if patch not in PATCHES:
                raise ValueError(f"there is no patch {patch!r}: choose from {', '.join(PATCHES)}")
        removable = _set().union(*self.patches.values())
        return removable.difference(*(self.patches.get(patch, ()) for patch in patches))


def _set(*names: str) -> frozenset[str]:
    return frozenset(names)


def _feature(name: str, per: str, *sources: str, needs: Iterable[str] = ()) -> Term:
    return Term(name, per, sources, frozenset(needs) or _set(name))


def _one_size(*sources: str) -> tuple[Term, Term]:
    return Term("fixed", "frame", sources), Term("per byte", "byte", sources)


CLOCK, ROUTINE, BITS, POLL = "time of day", "packing routine", "bit by bit", "deadline first"
FIELDS, EARLY, GRO, DO_CSUM = "fields one by one", "early skb", "GRO", "do_csum"

_GATED = Figure("000-rx", "after", _set(ROUTINE))

PATHS: Mapping[str, Path] = MappingProxyType(
    {
        "lan966x fdma rx": Path(
            (
                *_one_size("000-rx", "000-rx-packing"),
                _feature(CLOCK, "frame", "000-rx"),
                _feature(ROUTINE, "frame", "000-rx-packing"),
            ),
            (
                Figure("000-rx", "before", _set(CLOCK, ROUTINE)),
                _GATED,
                Figure("000-rx-packing", "stated", _set(), more_than=_GATED),
            ),
            {"000/1": _set(CLOCK), "000/2": _set(ROUTINE), "000/2 v2": _set(ROUTINE)},
            ("the rate printed for the gate is right, and the bytes beside it, which say more, are wrong",),
        ),
        "lan966x fdma tx": Path(
            (
                *_one_size("000-tx-v2"),
                _feature(ROUTINE, "frame", "000-tx-v1"),
                _feature(BITS, "frame", "000-tx-v1", "000-tx-v2"),
            ),
            (
                Figure("000-tx-v1", "before", _set(ROUTINE, BITS)),
                Figure("000-tx-v1", "after", _set(BITS)),
                Figure("000-tx-v2", "before", _set(ROUTINE, BITS)),
                Figure("000-tx-v2", "after", _set()),
            ),
            {"000/2": _set(ROUTINE), "000/2 v2": _set(ROUTINE, BITS)},
        ),
        "lan966x manual tx": Path(
            (
                Term("fixed", "frame", ("000-tx-v1",)),
                Term("per word", "word", ("001-sender",)),
                _feature(POLL, "word", "001-sender"),
            ),
            (
                Figure("001-sender", "before", _set(POLL)),
                Figure("001-sender", "after", _set()),
                Figure("001-sender-v1", "after", _set(), use="check"),
                Figure("001-receiver", "before", _set(POLL), use="check"),
                Figure("001-receiver", "after", _set(), use="check"),
            ),
            {"001": _set(POLL)},
            ("the fixed cost is borrowed: a whole frame sent with DMA, as measured by 000-tx-v1",),
        ),
        "ocelot fdma tx": Path(
            (
                *_one_size("002-big", "002-small-corrected"),
                _feature(FIELDS, "frame", "002-big", "002-small-corrected"),
            ),
            (
                Figure("002-big", "before", _set(FIELDS)),
                Figure("002-big", "after", _set()),
                Figure("002-small-corrected", "before", _set(FIELDS)),
                Figure("002-small-corrected", "after", _set()),
                Figure("002-small", "before", _set(FIELDS), use="check"),
                Figure("002-small", "after", _set(), use="check"),
            ),
            {"002": _set(FIELDS)},
            ("the labels of the small frames are exchanged, as their author later wrote",),
        ),
        "bcm4908 forward": Path(
            (
                *_one_size("003-netif"),
                _feature(EARLY, "frame", "003-netif"),
                _feature(GRO, "frame", "003-netif", "003-gro"),
                _feature(f"{EARLY} with {GRO}", "frame", "003-netif", "003-gro", needs=(EARLY, GRO)),
            ),
            (
                Figure("003-netif", "before", _set(EARLY)),
                Figure("003-netif", "after", _set()),
                Figure("003-gro", "before", _set(EARLY, GRO)),
                Figure("003-gro", "after", _set(GRO)),
            ),
            {"003": _set(EARLY)},
            ("each rate is a single run, though the speed jumps from run to run",),
        ),
        "ravb rx": Path(
            (*_one_size("004-goodput"), _feature(DO_CSUM, "byte", "004-do-csum")),
            (
                Figure("004-goodput", "before", _set(DO_CSUM), use="bound"),
                Figure("004-goodput", "after", _set(), use="check"),
            ),
            {"004": _set(DO_CSUM)},
            ("at least one CPU was sampled, so do_csum takes at least its share of one CPU",),
        ),
    }
)
"""The paths by name: the device, how frames cross, the direction."""


@dataclass(frozen=True)
class Unidentifiable:
    """A question that the printed figures leave open.

    ``terms`` are the parameters, as pairs of path and term, whose bands show how open it is; empty where no
    term stands for it.
    """

    what: str
    why: str
    claims: tuple[str, ...]
    terms: tuple[tuple[str, str], ...] = ()


UNIDENTIFIABLE = (
    Unidentifiable(
        "the fixed cost of a frame against the cost of its bytes",
        "All frames of a table had one size; any split of one time into two parts fits it.",
        ("000-rx", "000-tx-v1", "000-tx-v2", "003-netif", "003-gro", "004-goodput"),
        tuple(
            (path, term)
            for path in ("lan966x fdma rx", "lan966x fdma tx", "bcm4908 forward", "ravb rx")
            for term in ("fixed", "per byte")
        ),
    ),
    Unidentifiable(
        "the fixed cost of manual injection against the cost of its words",
        "One frame size again; the fixed cost is borrowed from another path.",
        ("001-sender",),
        (("lan966x manual tx", "fixed"), ("lan966x manual tx", "per word")),
    ),
    Unidentifiable(
        "what one header field costs",
        "Fields set on TX and read on RX were replaced all at once, and their costs per field differ many "
        "times over; no cost per field fits both, so each path has a term of its own.",
        ("000-tx-v1", "000-rx-packing"),
        (("lan966x fdma tx", ROUTINE), ("lan966x fdma rx", ROUTINE)),
    ),
    Unidentifiable(
        "what reading the time of day costs, to better than a sixth",
        "The line with the gate contradicts itself: its bytes and seconds give a higher rate than it prints, "
        "and with that rate the clock would cost more. The band covers the printed rate only.",
        ("000-rx",),
        (("lan966x fdma rx", CLOCK),),
    ),
    Unidentifiable(
        "the work for acknowledgements",
        "Who receives TCP also sends acknowledgements, and the other way round; no figure separates them, so "
        "they hide in the fixed costs.",
        ("000-rx", "000-tx-v1", "001-sender", "003-netif"),
    ),
    Unidentifiable(
        "what the manual path of seed 002's chip costs",
        "Its one figure comes without the other side, and the mail does not say whether it had the template.",
        ("002-manual",),
    ),
    Unidentifiable(
        "why the late skb is faster: fewer bytes copied and cleared, or warmer caches",
        "Both happen in the same call, and the figures are rates of whole frames.",
        ("003-netif", "003-gro"),
        (("bcm4908 forward", EARLY),),
    ),
    Unidentifiable(
        "whether the late skb helps more with GRO than without",
        "Each of the four rates is one run. Without this term nothing fits them all within their rounding; "
        "but on routers of the same author changes to code that never ran moved the rate by more.",
        ("003-netif", "003-gro", "003-elsewhere-slower", "003-elsewhere-faster"),
        (("bcm4908 forward", f"{EARLY} with {GRO}"),),
    ),
    Unidentifiable(
        "the CPU time that checksum offload saves",
        "The link limits both sides, so the goodput bounds the CPU's time from above and says nothing of the "
        "saving. The profile gives a share of all samples, but not how many CPUs were sampled or how idle.",
        ("004-goodput", "004-do-csum"),
        (("ravb rx", DO_CSUM),),
    ),
)
"""What no fit can tell, with the reason."""
