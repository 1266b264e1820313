"""Growth is what lifts the lowest of each window."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import pytest

from itermon.analysis.filling.course import Stretch
from itermon.analysis.filling.growth import _goes_on, _proven, growth_of

if TYPE_CHECKING:
    from collections.abc import Callable

# The bounds as numbers of its own: from the code, a test would move with them.
LARGEST, LEAST, SHORTEST_S, WINDOWS = 0.35, 0.02, 600.0, 16


def stretches(at: Callable[[int], float], count: int = 100, every_s: float = 60.0) -> list[Stretch]:
    return [Stretch(10 * n, n * every_s, at(n), at(n)) for n in range(count)]


def test_a_straight_line_is_growth_from_its_beginning_on() -> None:
    growth = growth_of(stretches(lambda n: 20.0 + n), 1_000.0)
    assert growth is not None
    assert (growth.each, growth.each_low, growth.each_high) == pytest.approx((0.1, 0.1, 0.1))
    assert (growth.begin.iteration, growth.low) == (50, pytest.approx(119.0))


@pytest.mark.parametrize(
    ("at", "is_growth"),
    [
        (lambda _: 5.0, False),
        (lambda n: -float(n), False),
        (lambda n: 50.0 + n % 12, False),
        (lambda n: 50.0 + n + 9 * (n % 3), True),
        (lambda n: 50.0 + 40.0 * (n >= 30) + 40.0 * (n >= 60), False),
        (lambda n: 50.0 + min(n, 60), False),
        (lambda n: 200.0 - 5.0 * min(n, 10) + 0.5 * max(0, n - 10), False),  # it was there before
        (lambda n: 990.0 if n < 5 else 10.0 * n, False),  # as high as that, and no higher
        (lambda n: 989.0 if n < 5 else 10.0 * n, True),
        (lambda n: 50.0 + max(0, n - 40), True),
    ],
)
def test_a_sawtooth_a_step_and_a_plateau_are_none(at: Callable[[int], float], is_growth: bool) -> None:
    assert (growth_of(stretches(at), 1_000.0) is not None) == is_growth


def test_too_short_or_too_little_is_no_growth() -> None:
    assert growth_of(stretches(lambda n: n, every_s=SHORTEST_S / 94), 100.0) is not None
    assert growth_of(stretches(lambda n: n, every_s=SHORTEST_S / 95), 100.0) is None
    assert growth_of(stretches(lambda n: n, count=2 * WINDOWS), 100.0) is None
    assert growth_of(stretches(lambda n: n), 88.0 / LEAST) is not None
    assert growth_of(stretches(lambda n: n), 98.0 / LEAST) is None
    assert LARGEST < 0.5


@pytest.mark.parametrize(
    ("newest", "goes_on"),
    [
        ([1] * 8, True),
        ([1, 0.125, 2.5, 1, 0.125, 0, 1, 0], False),  # in the last four too little, with one before them enough
        ([1, 0.125, 2, 1.5, 2.5, 0.5, 0.125, 0], True),  # in the last four enough, in three of them too little
        ([0, 2, 2.5, 0.125, 0, 1, 0.25, 0], True),
        ([1, 0.25, 0.25, 0.5, 0.125, 1, 2, 2.5], False),  # the same of the first four
        ([0, 0.125, 0.125, 0, 2.5, 0, 1, 0.5], True),
        ([0.5, 0, 0.5, 0.125, 0.5, 2, 2.5, 0.125], False),
        ([2.5, 1, 0.25, 0, 0, 0.125, 2.5, 2.5], True),
    ],
)
def test_it_goes_on_in_both_quarters_of_the_newest_half(newest: list[float], goes_on: bool) -> None:
    """After seven rises of 1, of sixteen points."""
    heights = accumulate([0.0, *[1.0] * 7, *newest])
    assert _goes_on([(float(place), height) for place, height in enumerate(heights)], 1.0) is goes_on


def test_a_single_step_is_no_growth_whatever_comes_after_it() -> None:
    for step, goes_on in ((8.0, False), (7.3, True)):
        heights = accumulate([0.0, 1.0, step, *[1.0] * 13])
        assert _goes_on([(float(place), height) for place, height in enumerate(heights)], 1.0) is goes_on


@pytest.mark.parametrize(("slope", "goes_on"), [(0.6, True), (0.59, False), (1.3, True), (1.31, False)])
def test_the_newest_half_grows_about_as_fast_as_all(slope: float, goes_on: bool) -> None:
    heights = [float(place) if place < 8 else 7 + slope * (place - 7) for place in range(16)]
    assert _goes_on([(float(place), height) for place, height in enumerate(heights)], 1.0) is goes_on


def of_windows(heights: list[float], *, above: float = 0.0, every_s: float = 20.0) -> list[Stretch]:
    """Two stretches of each window, the first of them the lower."""
    return [
        Stretch(10 * n, n * every_s, heights[n // 2] + n % 2 / 8, heights[n // 2] + above + n % 2 / 8)
        for n in range(2 * len(heights))
    ]


LINE = [float(height) for height in range(20, 36)]


def test_what_lies_above_and_beside_the_line_is_told_with_its_slope() -> None:
    wavy = [height + (0.0, 0.5, -0.25, 0.25)[place % 4] for place, height in enumerate(LINE)]
    found = _proven(of_windows(wavy, above=2.0), 100.0)
    assert found is not None
    assert (found.begin.iteration, found.newest.iteration, found.iterations) == (0, 310, 310)
    assert (found.each, found.each_low, found.each_high) == pytest.approx((0.05, 0.04875, 0.0517857), rel=1e-4)
    assert (found.low, found.above, found.beside) == pytest.approx((35.625, 1.625, 0.25), rel=1e-4)


@pytest.mark.parametrize(
    ("stretches", "limit", "proven"),
    [
        (of_windows(LINE), 100.0, True),
        (of_windows(LINE)[1:], 100.0, False),  # too few
        (of_windows(LINE, every_s=SHORTEST_S / 31), 100.0, True),
        (of_windows(LINE, every_s=SHORTEST_S / 31 - 0.01), 100.0, False),
        (of_windows(LINE), 15.0 / LEAST, True),
        (of_windows(LINE), 15.1 / LEAST, False),
        (of_windows([height - 1_000 for height in LINE]), 0.0, True),  # of a disk: what is free, below nothing
        (of_windows([height - 1_000 for height in LINE]), -15.1 / LEAST, False),
        (of_windows([20.0] * 16), 100.0, False),
        (of_windows(LINE[::-1]), 100.0, False),
        (of_windows([height + place % 2 * 2 for place, height in enumerate(LINE)]), 100.0, True),
        (of_windows([height + place % 2 * 6 for place, height in enumerate(LINE)]), 100.0, False),  # falls too
    ],
)
def test_growth_is_long_and_large_enough(stretches: list[Stretch], limit: float, proven: bool) -> None:
    assert (_proven(stretches, limit) is not None) is proven


def test_stretches_of_fewer_iterations_than_there_are_windows_prove_nothing() -> None:
    for each, is_growth in ((0.48, False), (0.5, True)):
        rows = [Stretch(int(each * n), n * 60.0, 20.0 + n, 20.0 + n) for n in range(2 * WINDOWS + 1)]
        assert (_proven(rows, 100.0) is not None) is is_growth
