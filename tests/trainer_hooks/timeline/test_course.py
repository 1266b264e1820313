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


def test_what_explains_an_iteration_counts_for_that_one_alone_and_only_within_it() -> None:
    course = Course()
    course.explain(0, 5)  # before the loop
    course.begin(10)
    course.explain(4, 13)
    course.explain(14, 16)
    course.end_iteration(30, 0)
    assert (course.explained_ns, [*course.lately_ns]) == (0, [20 - 5])
    course.end_iteration(50, 1)
    assert [*course.lately_ns] == [15, 20]
