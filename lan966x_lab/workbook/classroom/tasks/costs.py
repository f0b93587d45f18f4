"""Exercise 08, fit a cost model: printed figures as points, the visible checks, the tables of predictions."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from lan966x_lab import workbook as wb
from lan966x_lab.measure import claims, linerate
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.model import costmodel
from lan966x_lab.workbook import palette

__all__ = [
    "PATH",
    "Point",
    "band_picture",
    "ends",
    "fit_check",
    "frame_times_check",
    "interpolated",
    "judge_check",
    "judge_mine",
    "per_byte_share_check",
    "point",
    "predict_check",
    "splits_check",
    "third_figure",
    "time_at_check",
    "unidentified",
]

PATH = "ocelot fdma tx"
"""The path of the lab's cost model that seed 002 is about."""


class Point(NamedTuple):
    """One printed figure: bytes of payload, and the times per frame, in ns, that its rounding allows."""

    payload: int
    times: Interval


def point(claim_id: str, side: str) -> Point:
    """The figure that a claim prints ``"before"`` or ``"after"`` the patch."""
    claim = claims.get(claim_id)
    once = linerate.frame_ns(1, claim.payload)
    return Point(claim.payload, Interval(once, once) / claim.interval(side))


def ends(result: Any, args: tuple[Any, ...] = ()) -> Any:
    """Intervals as pairs of rounded ends; what is none stays as it is."""
    if isinstance(result, Interval):
        digits = 3 if abs(float(result.high)) < 1000 else None
        return tuple(round(float(end), digits) for end in (result.low, result.high))
    if isinstance(result, tuple | list):
        return tuple(ends(part) for part in result)
    return result


def interpolated(big: Point, small: Point, payload: int) -> Interval:
    """The times at a payload that the lines through two figures give: what ``time_at`` is held against."""
    weight = Fraction(payload - small.payload, big.payload - small.payload)
    one, other = big.times.scaled(weight), small.times.scaled(1 - weight)
    return Interval(one.low + other.low, one.high + other.high)


def _slope(big: Point, small: Point) -> Interval:
    return (big.times - small.times).scaled(Fraction(1, big.payload - small.payload))


# ---- a figure becomes a time


def _rate(low: int, high: int, payload: int, *, edge: bool = False) -> wb.Step:
    rates = Interval(Fraction(low), Fraction(high))
    want = Interval(linerate.frame_ns(high, payload), linerate.frame_ns(low, payload))
    return wb.Step(
        ends(want),
        (rates, payload),
        did=f"frame_times({rates:g} Mbit/s, {payload} bytes), its ends in ns",
        look=ends,
        edge=edge,
        mistakes=[
            (ends(want.scaled(Fraction(1, 1000))), "that is µs: a bit at 1 Mbit/s takes 1 µs, or 1000 ns."),
            (ends(want.scaled(Fraction(1, 8))), "a byte has 8 bits."),
            (
                lambda seen: isinstance(seen, tuple) and seen[0] == seen[1],
                "a printed figure is an interval: the slowest rate gives the longest time.",
            ),
        ],
    )


frame_times_check = wb.Check(
    "frame_times",
    [_rate(100, 200, 1000), _rate(10, 10, 1250), _rate(1, 1000, 1448, edge=True)],
    hint="8 bits a byte, 1000 ns a bit at 1 Mbit/s; Interval(low, high) wants the shorter time first.",
)

# ---- a line through two figures

_BIG = Point(1000, Interval(Fraction(300), Fraction(320)))
_SMALL = Point(500, Interval(Fraction(200), Fraction(204)))
_FIGURES = f"{_BIG.payload} bytes take {_BIG.times:g} ns, {_SMALL.payload} bytes {_SMALL.times:g} ns"


def _wider(want: Interval) -> Callable[[Any], bool]:
    """Whether what is seen holds all of ``want`` and more, as when a figure counts twice."""
    low, high = ends(want)

    def sign(seen: Any) -> bool:
        try:
            least, most = seen
            return bool(least <= low and high <= most and (least, most) != (low, high))
        except (TypeError, ValueError):  # no pair of numbers
            return False

    return sign


def _same_ends(payload: int) -> Any:
    """The line through both low ends, and the line through both high ends."""
    weight = Fraction(payload - _SMALL.payload, _BIG.payload - _SMALL.payload)
    low = weight * Fraction(_BIG.times.low) + (1 - weight) * Fraction(_SMALL.times.low)
    high = weight * Fraction(_BIG.times.high) + (1 - weight) * Fraction(_SMALL.times.high)
    return ends(Interval(min(low, high), max(low, high)))


_WIDER = (
    "wider than the figures allow: fixed and per byte come from the same two figures, and each may stand in "
    "the answer once, with one weight."
)
_OUTSIDE = "outside the two sizes one weight is negative, and what lengthens that figure shortens the answer."


def _at(payload: int, *, edge: bool = False) -> wb.Step:
    return wb.Step(
        ends(interpolated(_BIG, _SMALL, payload)),
        (_BIG, _SMALL, payload),
        did=f"{_FIGURES}; time_at {payload} bytes, its ends in ns",
        look=ends,
        edge=edge,
        mistakes=[
            (_wider(interpolated(_BIG, _SMALL, payload)), _WIDER),
            (_same_ends(payload), _OUTSIDE),
            (
                lambda seen: isinstance(seen, tuple) and len(seen) == 2 and seen[0] == seen[1],
                "from intervals comes an interval: both ends of both figures count.",
            ),
        ],
    )


time_at_check = wb.Check(
    "time_at",
    [_at(750), _at(600), _at(0), _at(1400), _at(500, edge=True), _at(1000, edge=True)],
    hint="a line is a weighted sum of its two points; the weights add up to 1. Interval.scaled knows signs.",
)

fit_check = wb.Check(
    "fit",
    [
        wb.Step(
            ends((interpolated(_BIG, _SMALL, 0), _slope(_BIG, _SMALL))),
            (_BIG, _SMALL),
            did=f"{_FIGURES}; fit, the ends of fixed and of per byte",
            look=ends,
            mistakes=[
                (
                    lambda seen: (
                        isinstance(seen, tuple)
                        and len(seen) == 2
                        and seen[1] in ((0.2, 0.232), (Fraction(1, 5), Fraction(29, 125)))
                    ),
                    "the steepest line goes from the small one's shortest time to the big one's longest.",
                ),
                (
                    ends((_slope(_BIG, _SMALL), interpolated(_BIG, _SMALL, 0))),
                    "fixed comes first, per byte second.",
                ),
                (
                    lambda seen: (
                        isinstance(seen, tuple) and len(seen) == 2 and seen[1] == ends(_slope(_BIG, _SMALL))
                    ),
                    "per byte is right. Fixed is the time of a frame without payload: use time_at.",
                ),
                (
                    lambda seen: (
                        isinstance(seen, tuple) and len(seen) == 2 and _wider(_slope(_BIG, _SMALL))(seen[1])
                    ),
                    "per byte is too wide: subtract the two figures themselves, then divide by the bytes "
                    "that lie between.",
                ),
            ],
        ),
        wb.Step(
            ends((Interval(Fraction(100), Fraction(100)), Interval(Fraction(1, 5), Fraction(1, 5)))),
            (
                _BIG._replace(times=Interval(Fraction(300), Fraction(300))),
                _SMALL._replace(times=Interval(Fraction(200), Fraction(200))),
            ),
            did="1000 bytes take 300 ns, 500 bytes 200 ns, nothing is rounded; fit",
            look=ends,
            edge=True,
        ),
    ],
    hint="fixed is time_at for no payload; per byte is a difference of times over a difference of bytes.",
)

# ---- a prediction

_BEFORE = Point(1000, Interval(Fraction(350), Fraction(370)))


def _predicted(saving: Interval, small: Point) -> Interval:
    times = Interval(small.times.low + saving.low, small.times.high + saving.high)
    return Interval(8000 * small.payload / Fraction(times.high), 8000 * small.payload / Fraction(times.low))


_SAVING = _BEFORE.times - _BIG.times
_NARROW = Interval(_BEFORE.times.low - _BIG.times.low, _BEFORE.times.high - _BIG.times.high)

predict_check = wb.Check(
    "predict",
    [
        wb.Step(
            ends(_predicted(_SAVING, _SMALL)),
            (_BEFORE, _BIG, _SMALL),
            did=f"1000 bytes take {_BEFORE.times:g} ns before and {_BIG.times:g} ns after a patch, 500 bytes "
            f"{_SMALL.times:g} ns after it; the rate of 500 bytes before, its ends in Mbit/s",
            look=ends,
            mistakes=[
                (
                    ends(_predicted(_NARROW, _SMALL)),
                    "too narrow: one figure may be rounded up and the other down; subtract intervals.",
                ),
                (
                    ends(_predicted(Interval(Fraction(0), Fraction(0)), _SMALL)),
                    "that is the rate after the patch; before it, each frame takes the saving longer.",
                ),
                (
                    ends(_predicted(_SAVING.scaled(-1), _SMALL)),
                    "before the patch a frame takes longer, not shorter: add the saving.",
                ),
                (
                    lambda seen: (
                        isinstance(seen, tuple) and seen and type(seen[0]) is float and seen[0] < 300
                    ),
                    "that is a time; a rate is 8000 times payload over it.",
                ),
            ],
        ),
        wb.Step(
            ends(Interval(Fraction(16_000), Fraction(16_000))),
            tuple(
                Point(size, Interval(Fraction(ns), Fraction(ns)))
                for size, ns in ((1000, 350), (1000, 300), (500, 200))
            ),
            did="1000 bytes take 350 ns before and 300 ns after, 500 bytes 200 ns after, nothing is rounded",
            look=ends,
            edge=True,
        ),
    ],
    hint="the saving is before minus after, for the big frames; add it to the time of the small ones.",
)

# ---- a residual


def _judged(
    did: str,
    one: tuple[int, int],
    other: tuple[int, int],
    agrees: bool,
    *mistakes: tuple[Any, str],
    edge: bool = False,
) -> wb.Step:
    predicted, printed = (Interval(Fraction(low), Fraction(high)) for low, high in (one, other))
    return wb.Step(
        (agrees, ends((predicted / printed).scaled(100, -100))),
        (predicted, printed),
        did=f"judge({predicted:g}, {printed:g}): {did}",
        look=ends,
        edge=edge,
        mistakes=(
            *mistakes,
            (
                lambda seen: isinstance(seen, tuple) and seen and seen[0] is (not agrees),
                "they agree when some number lies in both, however little they overlap.",
            ),
            (
                (agrees, ends((predicted - printed).scaled(1))),
                "the residual is in percent of the printed figure, not in Mbit/s.",
            ),
            (
                lambda seen: isinstance(seen, tuple) and seen and seen[0] is agrees,
                "residual: predicted over printed, and 0 where they are equal: scaled(100, -100).",
            ),
        ),
    )


judge_check = wb.Check(
    "judge",
    [
        _judged("one lies in the other", (90, 110), (99, 101), True),
        _judged("they overlap a little", (90, 100), (99, 101), True),
        _judged("the prediction is too low", (80, 90), (99, 101), False),
        _judged("the printed figure is the wider one", (99, 101), (90, 110), True, edge=True),
        _judged("they touch", (90, 99), (99, 101), True, edge=True),
    ],
    hint="Interval.meets tells whether two intervals have a number in common.",
)

# ---- one size


def _split(low: int, high: int, payload: int, *, edge: bool = False) -> wb.Step:
    times = Interval(Fraction(low), Fraction(high))
    want = (Interval(Fraction(0), Fraction(high)), Interval(Fraction(0), Fraction(high, payload)))
    return wb.Step(
        ends(want),
        (Point(payload, times),),
        did=f"{payload} bytes take {times:g} ns and no other size was measured; splits, its ends",
        look=ends,
        edge=edge,
        mistakes=[
            (
                ends((times, Interval(Fraction(0), Fraction(0)))),
                "all of it fixed is one split; all of it per byte is another, and so is everything between.",
            ),
            (
                ends((Interval(Fraction(0), Fraction(low)), Interval(Fraction(0), Fraction(low, payload)))),
                "the longest time that the rounding allows is the limit, not the shortest.",
            ),
            (
                ends((times, times.scaled(Fraction(1, payload)))),
                "each of the two may be 0: then the other one is all of the time.",
            ),
        ],
    )


splits_check = wb.Check(
    "splits",
    [_split(1000, 1010, 100), _split(24_000, 25_000, 1000, edge=True)],
    hint="costs are never negative. If nothing is fixed, how much is per byte? And the other way round?",
)

# ---- for the quick


def _share(payload: int, steepest: bool) -> float:
    """The part of a frame's time that is per byte, on the steepest or on the flattest line."""
    big, small = (_BIG.times.high, _SMALL.times.low) if steepest else (_BIG.times.low, _SMALL.times.high)
    slope = Fraction(big - small) / (_BIG.payload - _SMALL.payload)
    return float(slope * payload / (Fraction(small) + slope * (payload - _SMALL.payload)))


per_byte_share_check = wb.Check(
    "per_byte_share",
    [
        wb.Step(
            (round(_share(size, False), 6), round(_share(size, True), 6)),
            (_BIG, _SMALL, size),
            did=f"{_FIGURES}; the share of {size} bytes that is per byte, its ends",
            look=lambda result, args: (round(float(result.low), 6), round(float(result.high), 6)),
            mistakes=[
                (
                    lambda seen: True,
                    "take both parts of the share from one line: the flattest, then the steepest.",
                )
            ],
        )
        for size in (60, 800, 1400)
    ],
    hint="one line is one slope and one fixed cost; ends of two intervals need not lie on one line.",
)

# ---- the real figures


def third_figure(namespace: Mapping[str, Any]) -> wb.Table:
    """Your prediction for small frames without the template, beside both figures that were printed for it."""
    before, after = point("002-big", "before"), point("002-big", "after")
    rows: list[list[object]] = []
    for said, claim_id in (("as first printed", "002-small"), ("as corrected", "002-small-corrected")):
        claim = claims.get(claim_id)
        printed = claim.interval("before")
        try:
            predicted = namespace["predict"](before, after, point(claim_id, "after"))
            agrees, residual = namespace["judge"](predicted, printed)
            told = [f"{predicted:.2f}", "agrees" if agrees else "refuted", f"{residual:+.1f} %"]
        except (KeyError, NotImplementedError):
            told = ["not started", "—", "—"]
        except Exception as error:  # whatever the learner's code raises belongs into the table
            told = [type(error).__name__, "—", "—"]
        rows.append([said, str(claim.after), told[0], str(claim.before), *told[1:]])
    heads = [
        "700 bytes",
        "with the template",
        "without, predicted",
        "without, printed",
        "verdict",
        "residual",
    ]
    return wb.table(rows, heads, "Three figures predict the fourth, Mbit/s")


def judge_mine(time_at: Callable[[Point, Point, int], Interval], payload: int) -> wb.Table:
    """Your prediction for a payload of your choice, beside what the lab's cost model says of it."""
    big, small = point("002-big", "after"), point("002-small-corrected", "after")
    model = costmodel.fit()
    lab = model.frame_ns(PATH, payload)
    try:
        mine = time_at(big, small, payload)
        rate = Interval(8000 * payload / Fraction(mine.high), 8000 * payload / Fraction(mine.low))
    except NotImplementedError:
        told = ["not started", "—", "—"]
    except Exception as error:  # whatever the learner's code raises belongs into the table
        told = [type(error).__name__, "—", "—"]
    else:
        told = [f"{mine.scaled(Fraction(1, 1000)):.1f}", f"{rate:.2f}", "yes" if mine.meets(lab) else "no"]
    rows = [
        ["yours, from two figures", *told],
        [
            "the lab's, from all four",
            f"{lab.scaled(Fraction(1, 1000)):.1f}",
            f"{model.goodput(PATH, payload):.2f}",
            "—",
        ],
    ]
    heads = [f"{payload} bytes", "µs per frame", "Mbit/s", "agree"]
    return wb.table(rows, heads, "A frame that nobody has measured")


def unidentified(namespace: Mapping[str, Any]) -> wb.Table:
    """For figures of one size only: what your ``splits`` says, beside the lab's model."""
    rows: list[list[object]] = []
    model = costmodel.fit()
    for path, claim_id, side in (
        ("lan966x fdma tx", "000-tx-v2", "after"),
        ("bcm4908 forward", "003-netif", "after"),
    ):
        figure = point(claim_id, side)
        try:
            fixed, per_byte = namespace["splits"](figure)
            told = [f"{fixed:,.0f}", f"{per_byte:.2f}"]
        except (KeyError, NotImplementedError):
            told = ["not started", "—"]
        except Exception as error:  # whatever the learner's code raises belongs into the table
            told = [type(error).__name__, "—"]
        lab = [model.parameter(path, name).ns for name in ("fixed", "per byte")]
        rows.append([path, figure.payload, *told, f"{lab[0]:,.0f}", f"{lab[1]:.2f}"])
    heads = [
        "path",
        "bytes",
        "fixed, ns: yours",
        "per byte: yours",
        "fixed: the lab's",
        "per byte: the lab's",
    ]
    return wb.table(rows, heads, "One size was measured: any split fits")


# ---- the picture


def band_picture() -> wb.Picture:
    """The three figures that are used, the lines that two of them allow, and the one that is asked for."""
    before, after = point("002-big", "before"), point("002-big", "after")
    small = point("002-small-corrected", "after")
    fig, ax = wb.figure(height=330, title="Two sizes, with and without the template: reported")
    sizes = range(0, 1501, 20)
    bands = [interpolated(after, small, size) for size in sizes]
    blue, orange = palette.TONES[0], palette.TONES[1]
    low, high = ([float(getattr(band, end)) / 1000 for band in bands] for end in ("low", "high"))
    ax.fill_between(sizes, low, high, color=blue.soft, label="lines that both figures with it allow")
    for where, tone, name in (
        (after, blue, "with the template"),
        (small, blue, ""),
        (before, orange, "without"),
    ):
        times = where.times.scaled(Fraction(1, 1000))
        ax.plot(
            [where.payload] * 2,
            [float(times.low), float(times.high)],
            color=tone.strong,
            linewidth=6,
            label=name or None,
        )
    ax.annotate(
        "without: which time?",
        (small.payload, 372),
        ha="center",
        color=orange.strong,
        fontweight="bold",
    )
    ax.set_xlabel("bytes of payload")
    ax.set_ylabel("µs per frame")
    ax.set_xlim(0, 1500)
    ax.legend(loc="lower right", fontsize=9, frameon=False)
    spans = [f"{p.times.scaled(Fraction(1, 1000)):.1f}" for p in (after, small, before)]
    return wb.Picture(
        fig,
        f"With the template, {after.payload} bytes take {spans[0]} µs, {small.payload} bytes {spans[1]} µs; "
        f"without it, {before.payload} bytes take {spans[2]} µs. The bars are as long as the rounding of the "
        f"printed figures. How long do {small.payload} bytes take without it?",
    )
