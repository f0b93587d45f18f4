"""The cost model against the printed figures, against other arithmetic, and against its own promises.

Expected numbers: by hand from the mails' figures, 8000 * payload / Mbit/s = ns per frame.
"""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lan966x_lab.driver import PATCHES, Options
from lan966x_lab.measure import claims, linerate
from lan966x_lab.measure.counted import fifo
from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.model import costmodel, feasible
from lan966x_lab.measure.model.costpaths import MTU, PATHS, UNITS, words
from lan966x_lab.measure.model.twofigures import Row, TwoRows

MODEL = costmodel.fit()
MANUAL, POLL = "lan966x manual tx", ["deadline first"]
RESIDUALS = {(r.path, r.figure.claim, r.figure.side): r for r in MODEL.residuals()}


def ends(interval: Interval, digits: int = 2) -> tuple[float, float]:
    return round(float(interval.low), digits), round(float(interval.high), digits)


def sums_of(path_name: str, without: tuple[str, ...] = ()) -> list[feasible.Sum]:
    path = PATHS[path_name]
    return [
        feasible.Sum(path.times(claims.get(f.claim).payload, f.features), f.frame_ns)
        for f in path.figures
        if f.use == "fit" and f.claim not in without
    ]


# fitted figures -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "residual",
    [r for r in MODEL.residuals() if r.figure.use == "fit"],
    ids=lambda r: f"{r.figure.claim} {r.figure.side}",
)
def test_a_fitted_figure_comes_back_within_its_rounding(residual):
    assert residual.agrees
    assert residual.figure.goodput.low <= residual.predicted.low
    assert residual.predicted.high <= residual.figure.goodput.high


@pytest.mark.parametrize(
    ("path", "name", "ns"),
    [
        ("lan966x fdma rx", "time of day", (3443, 3540)),
        ("lan966x fdma rx", "packing routine", (143, 265)),  # 11584000/530.5 - /534, /529.5 - /536
        ("lan966x fdma tx", "packing routine", (6953, 7091)),
        ("lan966x fdma tx", "bit by bit", (607, 708)),
        (MANUAL, "fixed", (24_516, 31_607)),  # borrowed: 11584000/472.5, /366.5
        ("bcm4908 forward", "early skb", (167, 195)),
        ("bcm4908 forward", "GRO", (0, 28)),  # 917.5 and 917.5 may be the same rate
        ("bcm4908 forward", "early skb with GRO", (145, 201)),  # [340, 368] - [167, 195]
        ("ocelot fdma tx", "fields one by one", (11_409, 15_130)),
    ],
)
def test_parameters(path, name, ns):
    assert ends(MODEL.parameter(path, name).ns, 0) == ns


def test_the_poll_costs_the_whole_saving_over_all_words():
    saved = claims.get("001-sender").saving_ns()
    assert MODEL.parameter(MANUAL, "deadline first").ns == saved.scaled(Fraction(1, 386))
    assert ends(MODEL.parameter(MANUAL, "deadline first").ns, 1) == (268.3, 270.2)
    assert ends(MODEL.parameter(MANUAL, "per word").ns, 0) == (298, 317)


def test_two_frame_sizes_against_the_arithmetic_of_two_rows():
    rows = TwoRows(*(Row.of(claims.get(name)) for name in ("002-big", "002-small-corrected")))
    assert MODEL.parameter("ocelot fdma tx", "fields one by one").ns == rows.common
    line = MODEL.parameter("ocelot fdma tx", "per byte").ns
    assert line.low == max(rows.per_byte(side).low for side in ("before", "after"))
    assert line.high == min(rows.per_byte(side).high for side in ("before", "after"))


def test_as_first_printed_the_small_frames_fit_no_model():
    path = PATHS["ocelot fdma tx"]
    printed = [replace(f, use="fit") for f in path.figures if f.claim in ("002-big", "002-small")]
    sums = [feasible.Sum(path.times(claims.get(f.claim).payload, f.features), f.frame_ns) for f in printed]
    with pytest.raises(ValueError, match="no set of costs"):
        feasible.corners(sums, len(path.terms))


def test_without_the_interaction_the_four_rates_of_seed_003_fit_no_model():
    additive = [feasible.Sum(row.times[:4], row.lies_in) for row in sums_of("bcm4908 forward")]
    with pytest.raises(ValueError, match="no set of costs"):
        feasible.corners(additive, 4)
    apart = MODEL.parameter("bcm4908 forward", "early skb with GRO").ns.scaled(Fraction(1, 4))
    assert 36 < apart.low < 43 < apart.high < 51  # least squares leave a quarter of it on each rate: 0.04 µs


# held-out figures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "percent"),
    [
        ((MANUAL, "001-sender-v1", "after"), (2.87, 3.14)),  # 78.9 / 76.6
        ((MANUAL, "001-receiver", "before"), (2.44, 2.89)),  # 46.2 / 45.0
        ((MANUAL, "001-receiver", "after"), (0.0, 0.25)),  # 78.9 / 78.8
        (("ocelot fdma tx", "002-small", "before"), (-4.26, -3.06)),  # 15.8 / 16.4, labels exchanged
        (("ocelot fdma tx", "002-small", "after"), (3.15, 4.44)),
        (("ravb rx", "004-goodput", "after"), (0.29, 0.29)),  # 941.48 / 938.78
    ],
)
def test_residuals_of_figures_that_were_not_fitted(key, percent):
    residual = RESIDUALS[key]
    assert not residual.fitted
    assert ends(residual.percent) == percent
    assert residual.agrees == (percent[0] <= 0 <= percent[1])


def test_the_link_limits_seed_004():
    off = RESIDUALS["ravb rx", "004-goodput", "before"]
    assert off.predicted.high == linerate.line_rate(1448)
    assert round(float(off.percent.high), 2) == 0.04
    assert RESIDUALS["ravb rx", "004-goodput", "after"].predicted == Interval(
        *2 * (linerate.line_rate(1448),)
    )
    least = MODEL.parameter("ravb rx", "do_csum").ns.low * 1448
    assert 853 < least < 856  # 6.95 % of 12.309 µs, within rounding


# predictions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("payload", "gain"), [(1448, (1.7, 1.71)), (500, (1.53, 1.56)), (18, (1.19, 1.23))])
def test_the_gain_of_asking_first_shrinks_with_the_frame(payload, gain):
    assert ends(MODEL.gain(MANUAL, payload, POLL, [])) == gain


@pytest.mark.parametrize(("fixed_us", "gains"), [(0, (1.71, 1.71, 1.71)), (100, (1.71, 1.34, 1.07))])
def test_another_fixed_cost_is_an_input(fixed_us, gains):
    fixed = Fraction(1000 * fixed_us)
    model = costmodel.fit(manual_fixed_ns=Interval(fixed, fixed))
    for payload, gain in zip((1448, 500, 18), gains, strict=True):
        assert float(model.gain(MANUAL, payload, POLL, []).low) == pytest.approx(gain, abs=0.006)
        assert float(model.gain(MANUAL, payload, POLL, []).high) == pytest.approx(gain, abs=0.006)


def test_a_fixed_cost_longer_than_the_frame_is_refused():
    with pytest.raises(ValueError, match="no set of costs agrees"):
        costmodel.fit(manual_fixed_ns=Interval(Fraction(200_000), Fraction(200_000)))


def test_one_size_leaves_the_split_open_and_the_band_says_so():
    band = MODEL.frame_ns("lan966x fdma tx", 724)  # half of 1448: from half the time to all of it
    whole = MODEL.frame_ns("lan966x fdma tx", 1448)
    assert band == Interval(whole.low / 2, whole.high)
    assert MODEL.parameter("lan966x fdma tx", "fixed").ns.low == 0
    assert MODEL.parameter("lan966x fdma tx", "per byte").ns.low == 0


def test_words_are_those_that_the_driver_asks_for():
    assert words(1448) == 386
    for payload in (0, 1, 18, 64, 500, 1447, 1448):
        counted = fifo.inject(Options(), 100, nbytes=linerate.frame_bytes(payload)).asked
        assert words(payload) == counted


def test_what_an_answer_rests_on():
    measured = MODEL.assumed("ocelot fdma tx", 1460)
    assert measured == ("the labels of the small frames are exchanged, as their author later wrote",)
    assert "1,000 bytes were not measured, only 700 and 1,460" in MODEL.assumed("ocelot fdma tx", 1000)[-1]
    together = MODEL.assumed("lan966x fdma tx", 1448, ["packing routine"])
    assert together[-1] == "these features were not measured together: their costs add up"
    assert any("borrowed" in clause for clause in MODEL.assumed(MANUAL, 1448))


# promises -----------------------------------------------------------------------------------------

paths = st.sampled_from(list(PATHS))
questions = paths.flatmap(
    lambda path: st.tuples(
        st.just(path),
        st.integers(0, MTU - linerate.HEADERS[PATHS[path].transport]),
        st.frozensets(st.sampled_from(sorted(PATHS[path].features))),
    )
)


@settings(max_examples=60, deadline=None)
@given(questions, st.integers(1, 300))
def test_more_payload_never_takes_less_time_and_the_link_is_the_limit(question, more):
    path, payload, features = question
    now = MODEL.frame_ns(path, payload, features)
    smaller = MODEL.frame_ns(path, max(0, payload - more), features)
    assert smaller.low <= now.low
    assert smaller.high <= now.high
    limit = linerate.line_rate(payload, PATHS[path].transport, PATHS[path].link_mbit)
    assert MODEL.goodput(path, payload, features).high <= limit


@settings(max_examples=60, deadline=None)
@given(questions)
def test_work_that_is_taken_away_never_slows_a_frame(question):
    path, payload, features = question
    without, everything = [], PATHS[path].features
    with_it, less = (
        MODEL.frame_ns(path, payload, everything),
        MODEL.frame_ns(path, payload, everything - features),
    )
    assert less.low <= with_it.low
    assert less.high <= with_it.high
    gain = MODEL.gain(path, payload, everything, everything - features)
    assert gain.low >= 1
    assert gain.high <= with_it.high / less.low
    assert MODEL.gain(path, payload, features, features) == Interval(Fraction(1), Fraction(1))
    assert MODEL.gain(path, payload, without, features).high <= 1


@settings(max_examples=60, deadline=None)
@given(questions, st.data())
def test_no_set_of_costs_between_the_corners_leaves_the_bands(question, data):
    path, payload, features = question
    corners = MODEL.corners[path]
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(corners), max_size=len(corners)).filter(any))
    costs = [
        sum((w * c for w, c in zip(weights, column, strict=True)), Fraction()) / sum(weights)
        for column in zip(*corners, strict=True)
    ]
    link = Fraction(8 * linerate.wire_bytes(payload, PATHS[path].transport))  # ns at 1 Gbit/s

    def time(there: frozenset[str]) -> Fraction:
        terms = zip(PATHS[path].terms, costs, strict=True)
        paid = ((UNITS[t.per](payload, PATHS[path].transport) * c, t) for t, c in terms)
        return max(link, sum((cost for cost, t in paid if t.needs <= there), Fraction()))

    everything = PATHS[path].features
    assert time(features) in MODEL.frame_ns(path, payload, features)
    assert time(everything) / time(features) in MODEL.gain(path, payload, everything, features)


@pytest.mark.parametrize("path", PATHS)
def test_shares_cover_the_frame(path):
    payload = claims.get(PATHS[path].figures[0].claim).payload
    shares = MODEL.shares_ns(path, payload, PATHS[path].features)
    assert list(shares) == [term.name for term in PATHS[path].terms]
    frame = MODEL.frame_ns(path, payload, PATHS[path].features)
    assert sum(share.low for share in shares.values()) <= frame.high
    assert sum(share.high for share in shares.values()) >= frame.low
    bare = MODEL.shares_ns(path, payload)
    assert set(bare) == {term.name for term in PATHS[path].terms if not term.needs}


# the tables ---------------------------------------------------------------------------------------


def test_patches_take_features_away():
    assert PATHS["lan966x fdma tx"].left_by() == {"packing routine", "bit by bit"}
    assert PATHS["lan966x fdma tx"].left_by("000/2") == {"bit by bit"}
    assert PATHS["lan966x fdma tx"].left_by("000/2", "000/2 v2", "001") == set()
    assert PATHS["bcm4908 forward"].left_by() == {"early skb"}
    assert {patch for path in PATHS.values() for patch in path.patches} == set(PATCHES)


@pytest.mark.parametrize("parameter", MODEL.parameters, ids=lambda p: f"{p.path}: {p.name}")
def test_each_parameter_names_the_figures_that_decide_it(parameter):
    for source in parameter.sources:
        claims.get(source)
    if parameter.path in (MANUAL, "ravb rx"):  # borrowed, bounded: not decided by the path's figures alone
        return
    path = PATHS[parameter.path]
    index = [term.name for term in path.terms].index(parameter.name)
    sums, unknowns = sums_of(parameter.path, parameter.sources), len(path.terms)
    bounded = all(any(row.times[unknown] for row in sums) for unknown in range(unknowns))
    if bounded:
        values = [corner[index] for corner in feasible.corners(sums, unknowns)]
        assert max(values) - min(values) > parameter.ns.high - parameter.ns.low
    else:
        with pytest.raises(ValueError, match="no upper limit"):
            feasible.corners(sums, unknowns)


def test_what_cannot_be_identified_points_at_what_exists():
    assert len(MODEL.unidentifiable) == 9
    for entry in MODEL.unidentifiable:
        assert entry.why.endswith(".")
        assert all(claims.get(claim) for claim in entry.claims)
        assert all(MODEL.parameter(*term) for term in entry.terms)


# wrong calls --------------------------------------------------------------------------------------


def test_wrong_questions_name_what_is_allowed():
    with pytest.raises(ValueError, match="no path 'fdma': choose from lan966x fdma rx"):
        MODEL.frame_ns("fdma", 1448)
    with pytest.raises(ValueError, match="no feature GRO: choose from deadline first"):
        MODEL.goodput(MANUAL, 1448, ["GRO"])
    with pytest.raises(
        ValueError, match="payload is 1449 bytes; a frame of lan966x manual tx carries 0 to 1448"
    ):
        MODEL.gain(MANUAL, 1449, [], [])
    with pytest.raises(ValueError, match="payload is -1 bytes"):
        MODEL.assumed(MANUAL, -1)
    with pytest.raises(ValueError, match="no parameter 'GRO': choose from fixed"):
        MODEL.parameter(MANUAL, "GRO")
    with pytest.raises(ValueError, match="no patch '003/1': choose from 000/1"):
        PATHS[MANUAL].left_by("003/1")
