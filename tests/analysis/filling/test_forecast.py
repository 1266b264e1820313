"""An iteration and its interval, of growth that is proven."""

from __future__ import annotations

from itermon.analysis.filling.course import Course
from itermon.analysis.filling.forecast import FARTHEST, forecast
from itermon.analysis.filling.jumps import Jump


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
    jump = Jump("evaluation", 50.0, 0.0, 8, 50, 399)
    found = forecast("memory", None, course(1.0), 100.0 + 399 + 120.0, jump)
    assert found is not None
    assert (found.full_at_iteration, found.jump_bytes, found.jumps) == (399 + 150, 50.0, 8)
    assert (found.low_iteration, found.high_iteration) == (399 + 100, 399 + 200)


def test_what_does_not_grow_is_not_forecast() -> None:
    assert forecast("disk", None, course(0.0), 1_000.0, None) is None
    small = Jump("evaluation", 0.1, 0.0, 8, 50, 399)
    assert forecast("memory", None, course(0.0), 1_000.0, small) is None
