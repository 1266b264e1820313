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
    assert Course().at_s(999) == 0


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


def test_the_usual_time_is_that_of_the_newest_64_iterations() -> None:
    course = Course()
    course.begin(0)
    for index in range(66):
        course.end_iteration((index + 1) * (index + 2) // 2, index)
    assert [*course.lately_ns] == list(range(3, 67))


def test_what_was_timed_apart_is_taken_up_to_a_time_and_the_rest_waits() -> None:
    course = Course()
    course.passed(1, "backward", 0)  # before the loop
    course.begin(2)
    for at_ns in (5, 10, 15):
        course.passed(at_ns, "backward", at_ns - 1)
    assert course.take_apart(4) == []
    assert course.take_apart(10) == [("backward", 5, 4), ("backward", 10, 9)]
    assert course.take_apart(20) == [("backward", 15, 14)]
