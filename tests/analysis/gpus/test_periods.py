"""The period in which GPUs rise and fall."""

import random
from itertools import accumulate

import pytest

from itermon.analysis.gpus.periods import period_of


def fed(period: float, noise: float = 0.1, count: int = 400) -> list[float]:
    chance = random.Random(1)
    return [(1.0 if n % period < 0.3 * period else 0.1) + chance.gauss(0, noise) for n in range(count)]


def square(period: int, count: int = 400, low: float = 0.1, high: float = 1.0) -> list[float]:
    return [high if n % period < 0.3 * period else low for n in range(count)]


def pulses(many: int, apart: int, base: float, to: float) -> list[float]:
    values = [base] * 400
    for n in range(many):
        values[n * apart] = to
    return values


@pytest.mark.parametrize("period", [5, 7.3, 11, 20.5])
def test_a_loop_that_waits_has_one(period: float) -> None:
    assert period_of(fed(period)) == pytest.approx(period, abs=0.51)


def test_noise_ramps_ripples_and_too_fast_ones_have_none() -> None:
    for seed in range(40):
        chance = random.Random(seed)
        walk = [0.0]
        for _ in range(400):
            walk.append(0.95 * walk[-1] + chance.gauss(0, 1))
        assert period_of([10 + x for x in walk]) is None
        assert period_of([chance.random() for _ in range(400)]) is None
    assert period_of([n / 400 for n in range(400)]) is None
    assert period_of([75 + 0.02 * (n % 15) for n in range(400)]) is None, "the ripple of a sensor"
    assert period_of(fed(2)) is None, "two samples a period: it may be any"
    for nothing in ([], [0.0], [0.0] * 100, [-1.0], [-1.0] * 100):
        assert period_of(nothing) is None


@pytest.mark.parametrize(
    ("period", "count", "found"),
    [(3, 400, None), (4, 400, 4), (5, 400, 5), (99, 400, 99), (100, 400, None), (103, 400, None), (130, 400, None),
     (4, 19, None), (4, 20, 4), (60, 250, 60), (63, 250, None)],
)  # fmt: skip
def test_a_period_has_four_samples_at_least_and_fits_in_four_times(
    period: int, count: int, found: int | None
) -> None:
    assert period_of(square(period, count)) == found


def test_only_the_newest_eight_minutes_count() -> None:
    assert period_of([*square(23, high=9.0, count=2_000), *square(11, count=480)]) == 11
    assert period_of([*square(11, count=470), *square(23, high=9.0, count=480)]) == 23
    assert period_of([*[0.0] * 60, *square(12, count=420)]) == 12


@pytest.mark.parametrize(
    ("low", "more", "found"), [(9.0, (), None), (8.9, (), 10), (8.9, (12.0,), None), (8.9, (-12.0,), None)]
)
def test_what_moves_by_a_tenth_of_the_highest_is_a_ripple(
    low: float, more: tuple[float, ...], found: int | None
) -> None:
    assert period_of([*square(10, low=low, high=10.0), *more]) == found


@pytest.mark.parametrize(("base", "to"), [(1.0, 2.0), (2.0, 1.0)])
def test_what_is_seen_in_a_twentieth_of_the_samples_alone_is_no_period(base: float, to: float) -> None:
    assert period_of(pulses(20, 19, base, to)) is None
    assert period_of(pulses(21, 19, base, to)) == 19


@pytest.mark.parametrize(("step", "found"), [(3.99, None), (4.0, None), (4.01, 8)])
def test_of_changes_a_hundredth_of_the_highest_is_a_ripple(step: float, found: int | None) -> None:
    """It rises slowly and falls slowly, once, and trembles all the while."""
    up, down = [step] * 5 + [-step] * 3, [step] * 3 + [-step] * 5
    values = list(accumulate(up * 25 + down * 25, initial=0.0))
    assert period_of([value + 400.0 - max(values) for value in values]) == found


def test_a_period_on_a_slow_rise_shows_in_the_changes() -> None:
    assert period_of([value + n / 20 for n, value in enumerate(square(9))]) == 9


@pytest.mark.parametrize(("noise", "found"), [(0.3, 11), (0.6, 11), (0.8, None)])
def test_noise_may_be_as_large_as_what_comes_again(noise: float, found: int | None) -> None:
    assert period_of(fed(11, noise)) == found


def test_what_rises_twice_in_a_period_at_unlike_distances_has_none_that_is_sure() -> None:
    assert period_of([0.1, 1.0, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0] * 10) is None
    assert period_of([1.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 1.0, 0.1, 0.1] * 8) is None
