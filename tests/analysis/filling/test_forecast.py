"""An iteration and its interval, of growth that is proven."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from itermon.analysis.filling import forecast as forecast_module
from itermon.analysis.filling.course import Course
from itermon.analysis.filling.forecast import forecast
from itermon.analysis.filling.jumps import Jump

# The bounds as numbers of its own: from the code, a test would move with them.
FARTHEST, LEAST = 1.15, 0.02


def course(each: float, count: int = 400) -> Course:
    made = Course()
    for number in range(count):
        made.add(number, 10.0 * number, 100.0 + each * number)
    return made


def test_it_is_drawn_on_no_farther_than_it_was_seen() -> None:
    seen = 399 - 20
    near = forecast("disk", None, course(1.0), 100.0 + 399 + FARTHEST * seen - 2, None)
    assert near is not None
    assert (near.full_at_iteration, near.since_iteration) == (round(399 + FARTHEST * seen - 2), 20)
    assert forecast("disk", None, course(1.0), 100.0 + 399 + FARTHEST * seen + 2, None) is None


def test_a_jump_fills_it_at_a_stop() -> None:
    jump = Jump("evaluation", 50.0, 0.0, 8, 50, 399, 0, 0.0)
    found = forecast("memory", None, course(1.0), 100.0 + 399 + 120.0, jump)
    assert found is not None
    assert (found.full_at_iteration, found.jump_bytes, found.jumps) == (399 + 150, 50.0, 8)
    assert (found.low_iteration, found.high_iteration) == (399 + 100, 399 + 200)


def test_what_does_not_grow_is_not_forecast() -> None:
    assert forecast("disk", None, course(0.0), 1_000.0, None) is None
    small = Jump("evaluation", 0.1, 0.0, 8, 50, 399, 0, 0.0)
    assert forecast("memory", None, course(0.0), 1_000.0, small) is None


def test_what_is_full_in_a_moment_is_full_when_it_grows_on_at_its_pace() -> None:
    """One byte an iteration of 10 s; the newest sample is of iteration 399."""
    found = forecast("disk", 3, course(1.0), 100.0 + 399 + 50, None)
    assert found is not None
    assert (found.full_at_iteration, found.bytes_per_iteration) == (449, pytest.approx(1.0))
    assert (found.full_at_s, found.at_s) == (pytest.approx(3_990.0 + 50 * 10.0), 3_990.0)
    assert (found.since_iteration, found.since_at_s, found.gpu) == (20, 200.0, 3)
    assert (found.jump_at, found.jump_bytes, found.jumps) == ("", None, 0)


def test_what_is_over_its_limit_is_full_now() -> None:
    found = forecast("disk", None, course(1.0), 100.0 + 380, None)
    assert found is not None
    assert (found.left_bytes, found.full_at_iteration, found.full_at_s) == (0, 399, 3_990.0)


@pytest.mark.parametrize(
    ("jump", "room", "here", "full"),
    [
        (Jump("evaluation", 50.0, 0.0, 8, 50, 399, 0, 0.0), 120.0, 399, (549, 499, 599)),
        (Jump("evaluation", 50.0, 0.0, 8, 50, 399, 0, 0.0), 100.0, 399, (499, 449, 549)),
        (Jump("evaluation", 50.0, 0.0, 8, 50, 399, 0, 0.0), -10.0, 399, (449, 399, 499)),
        (Jump("evaluation", 50.0, 0.0, 8, 50, 399, 0, 0.0), 10.0, 470, (470, 420, 520)),
        (Jump("evaluation", 50.0, 10.0, 8, 50, 399, 0, 0.0), 240.0, 399, (649, 549, 749)),
        (Jump("evaluation", 50.0, 90.0, 8, 50, 399, 0, 0.0), 300.0, 399, (699, 549, 1_049)),
    ],
)
def test_at_jumps_it_is_full_at_a_stop_and_one_more_or_less_is_said(
    jump: Jump, room: float, here: int, full: tuple[int, int, int]
) -> None:
    assert forecast_module._at_a_jump(jump, room, here) == full


@pytest.mark.parametrize(
    ("limit", "beside", "full"),
    [
        (1_100.0, -2.5, (490, 448, 580)),
        (1_010.0, -2.5, (400, 400, 400)),
        (900.0, -2.5, (400, 400, 400)),
        (1_100.0, 12.5, (490, 440, 610)),  # it may be 15 off: sooner and later
        (1_010.0, 12.5, (400, 400, 430)),
    ],
)
def test_on_a_line_it_is_full_between_its_slopes(limit: float, beside: float, full: tuple[int, int, int]) -> None:
    """At iteration 400 it stands at 1,000, its samples 10 above it; 1 byte an iteration, or 0.5 to 1.875."""
    growth: Any = SimpleNamespace(
        newest=SimpleNamespace(iteration=400),
        low=1_000.0,
        above=10.0,
        beside=beside,
        each=1.0,
        each_low=0.5,
        each_high=1.875,
    )
    found = forecast_module._on_the_line(growth, limit)
    assert found == full
    growth.each_low = 0.1
    assert forecast_module._on_the_line(growth, limit) == found, "no less than half of the slope"


def test_jumps_that_are_too_small_leave_a_growth_as_it_is() -> None:
    small = Jump("evaluation", 0.1, 0.0, 8, 50, 399, 0, 0.0)
    limit = 100.0 + 399 + 50
    assert forecast("disk", None, course(1.0), limit, small) == forecast("disk", None, course(1.0), limit, None)


@pytest.mark.parametrize(("each", "is_enough"), [(12.5 * LEAST, True), (12.4 * LEAST, False)])
def test_jumps_count_from_a_part_of_the_limit_on(each: float, is_enough: bool) -> None:
    """Eight of them, where 100 are to be filled."""
    jump = Jump("evaluation", each * (100.0 + each / 2) / 100.0, 0.0, 8, 50, 399, 0, 0.0)
    assert (forecast("memory", None, course(0.0), 100.0 + each / 2, jump) is not None) == is_enough


@pytest.mark.parametrize(("stops", "full"), [(4, 599), (5, None)])
def test_jumps_are_drawn_on_no_farther_than_they_were_seen(stops: int, full: int | None) -> None:
    """Four jumps, one each 50 iterations: since iteration 199, and so many stops from where it would be full."""
    jump = Jump("evaluation", 50.0, 0.0, 4, 50, 399, 0, 0.0)
    found = forecast("memory", None, course(0.0), 100.0 + 50.0 * stops, jump)
    assert (found and found.full_at_iteration) == full
    if found is not None:
        assert (found.since_iteration, found.since_at_s, found.bytes_per_iteration) == (199, 1_990.0, 1.0)
        assert (found.left_bytes, found.jump_at, found.jumps) == (200, "evaluation", 4)


def test_of_jumps_since_the_newest_sample_alone_no_pace_is_known() -> None:
    seen = Course()
    for iteration, value in ((0, 100.0), (400, 150.0)):
        seen.add(iteration, 10.0 * iteration, value)
    found = forecast("memory", None, seen, 175.0, Jump("evaluation", 20.0, 0.0, 8, 10, 420, 0, 0.0))
    assert found is not None
    assert (found.full_at_iteration, found.full_at_s, found.since_iteration) == (440, 4_000.0, 400)


def test_a_jump_begins_at_the_highest_of_the_newest_two_stretches() -> None:
    seen = course(0.0)
    for iteration, value in ((400, 170.0), (401, 160.0), (402, 155.0)):
        seen.add(iteration, 10.0 * iteration, value)
    found = forecast("memory", None, seen, 210.0, Jump("evaluation", 10.0, 0.0, 8, 50, 402, 0, 0.0))
    assert found is not None
    assert (found.full_at_iteration, found.left_bytes) == (402 + 5 * 50, 55)


@pytest.mark.parametrize(
    ("samples", "newest", "limit", "lifted"),
    [
        ([(0, 20.0), (99, 39.0), (100, 50.0)], 40.0, 100.0, True),
        ([(0, 40.0), (99, 20.0)], 40.0, 100.0, False),  # so high it was before
        ([(0, 39.0), (99, 40.0)], 40.0, 100.0, False),
        ([(100, 50.0)], 40.0, 100.0, True),  # nothing was sampled before
        ([(0, 20.0)], 35.0, 100.0, True),
        ([(0, 20.0)], 34.0, 100.0, False),  # it went down again
        ([(0, 20.0)], 40.0, 30.0 / LEAST, True),
        ([(0, 20.0)], 40.0, 31.0 / LEAST, False),
    ],
)
def test_jumps_lift_it_to_where_it_has_never_been(
    samples: list[tuple[int, float]], newest: float, limit: float, lifted: bool
) -> None:
    """Three jumps of 10, to 40, the first at iteration 100."""
    made = Course()
    for iteration, value in samples:
        made.add(iteration, 10.0 * iteration, value)
    jump = Jump("evaluation", 10.0, 0.0, 3, 100, 300, 100, 40.0)
    assert forecast_module.lifts(jump, made, newest, limit) is lifted
