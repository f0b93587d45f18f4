"""The corners of what figures allow: bodies drawn by hand, and truths that must lie inside."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lan966x_lab.measure.interval import Interval
from lan966x_lab.measure.model.feasible import Sum, corners


def lies(low: float, high: float) -> Interval:
    return Interval(Fraction(low), Fraction(high) if high < inf else inf)


def test_one_unknown_is_an_interval():
    assert sorted(corners([Sum((2,), lies(3, 5))], 1)) == [(Fraction(3, 2),), (Fraction(5, 2),)]


def test_two_unknowns_by_hand():
    # x + y in [2, 4], x at most 3: a triangle's strip, cut on the right
    found = corners([Sum((1, 1), lies(2, 4)), Sum((1, 0), lies(0, 3))], 2)
    assert set(found) == {(0, 2), (0, 4), (2, 0), (3, 0), (3, 1)}


def test_the_same_sum_twice_and_a_one_sided_one():
    found = corners([Sum((1, 2), lies(4, 4)), Sum((1, 2), lies(4, 4)), Sum((0, 1), lies(1, inf))], 2)
    assert set(found) == {(2, 1), (0, 2)}


def test_figures_that_contradict_each_other():
    with pytest.raises(ValueError, match="no set of costs agrees"):
        corners([Sum((1,), lies(1, 2)), Sum((1,), lies(3, 4))], 1)


@pytest.mark.parametrize("sums", [[], [Sum((1, 0), lies(0, 1))], [Sum((1, 1), lies(1, inf))]])
def test_a_body_without_end_is_refused(sums):
    with pytest.raises(ValueError, match="has no upper limit"):
        corners(sums, 2)


costs = st.lists(st.integers(0, 40), min_size=1, max_size=3)


@given(st.data(), costs)
def test_the_truth_lies_inside_and_every_mixture_of_corners_agrees(data, truth):
    n = len(truth)
    some = st.lists(st.integers(0, 5), min_size=n, max_size=n).map(tuple)
    slack = st.integers(0, 6)
    sums = []
    for times in [(1,) * n, *data.draw(st.lists(some, max_size=3))]:
        value = sum(a * b for a, b in zip(times, truth, strict=True))
        sums.append(Sum(times, lies(value - data.draw(slack), value + data.draw(slack))))
    found = corners(sums, n)
    asked = data.draw(some)
    answers = [Sum(asked, lies(0, inf)).of(corner) for corner in found]
    assert min(answers) <= sum(a * b for a, b in zip(asked, truth, strict=True)) <= max(answers)
    weights = data.draw(st.lists(st.integers(0, 9), min_size=len(found), max_size=len(found)).filter(any))
    mixture = [
        sum((w * c[i] for w, c in zip(weights, found, strict=True)), Fraction()) / sum(weights)
        for i in range(n)
    ]
    assert all(row.of(mixture) in row.lies_in for row in sums)
    assert all(value >= 0 for value in mixture)
