"""How far a run has come."""

from __future__ import annotations

from itermon.trainer_hooks.timeline.course import Course


def test_the_first_thing_begins_the_first_iteration_and_no_other_does() -> None:
    course = Course()
    assert (course.current, course.boundary_ns) == (None, None)
    course.begin(5)
    course.begin(9)
    assert course.boundary_ns == 5
    course.index = 41
    assert course.current == 42


def test_times_have_microseconds_and_no_more() -> None:
    assert Course(unix_minus_ns=10**18).at_s(1_234_567) == 1e9 + 0.001234
