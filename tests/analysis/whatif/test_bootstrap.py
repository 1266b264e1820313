"""The interval of a ratio of medians, against a bootstrap that draws its samples."""

from random import Random
from statistics import median

import pytest

from itermon.analysis.whatif.bootstrap import Interval, ratio_of_medians


def test_the_interval_is_that_of_a_real_bootstrap() -> None:
    random = Random(1)
    one = [random.lognormvariate(0.0, 0.5) for _ in range(101)]
    two = [random.lognormvariate(0.9, 0.5) for _ in range(80)]
    drawn = sorted(median(random.choices(two, k=80)) / median(random.choices(one, k=101)) for _ in range(2_000))
    found = ratio_of_medians(two, one)
    assert found is not None
    assert found.low == pytest.approx(drawn[50], rel=0.015)
    assert found.high == pytest.approx(drawn[-51], rel=0.015)
    assert found.ratio == pytest.approx(median(two) / median(one))
    assert found.clear
    assert found == ratio_of_medians(two, one), "the same runs give the same interval"


def test_it_is_exact_where_nothing_scatters() -> None:
    assert ratio_of_medians([3.0] * 9, [2.0] * 9) == Interval(1.5, 1.5, 1.5)


def test_it_does_not_ask_for_an_order() -> None:
    assert ratio_of_medians([5.0, 1.0, 3.0], [2.0, 2.0]) == ratio_of_medians([1.0, 3.0, 5.0], [2.0, 2.0])


@pytest.mark.parametrize(("above", "below"), [([1.0], [1.0, 1.0]), ([1.0, 1.0], [1.0]), ([], [])])
def test_one_value_has_no_interval(above: list[float], below: list[float]) -> None:
    assert ratio_of_medians(above, below) is None
    assert ratio_of_medians([1.0, 1.0], [1.0, 1.0]) is not None


@pytest.mark.parametrize(
    ("low", "high", "clear"),
    [(1.01, 1.2, True), (0.8, 0.99, True), (0.9, 1.1, False), (1.0, 1.2, False), (0.9, 1.0, False)],
)
def test_a_difference_is_clear_if_one_lies_outside(low: float, high: float, clear: bool) -> None:
    assert Interval(1.0, low, high).clear is clear


def test_the_least_and_the_greatest_value_are_drawn_too() -> None:
    assert ratio_of_medians([1.0, 3.0], [1.0, 1.0]) == Interval(2.0, 1.0, 3.0)
    assert ratio_of_medians([6.0, 6.0], [1.0, 3.0]) == Interval(3.0, 2.0, 6.0)
