"""Waits and spans that the end of the process leaves."""

from __future__ import annotations

import pytest

from itermon.events import DATA, EVALUATION, SpanEnd
from itermon.trainer_hooks.timeline.course import Course
from itermon.trainer_hooks.timeline.open_spans import OpenSpans

MS = 1_000_000


@pytest.fixture
def course() -> Course:
    course = Course()
    course.index, course.boundary_ns = 7, 0
    return course


def test_the_wait_after_the_last_iteration_ends_before_the_evaluation_that_waits_too(course: Course) -> None:
    """imagenet: workers stop, then `validate` has a loader of its own."""
    spans = OpenSpans(course)
    spans.waited(30 * MS, 0)
    spans.begin(31 * MS, EVALUATION, "")
    spans.waited(50 * MS, 40 * MS)
    spans.finish(99 * MS, None)
    found = [(event.kind, event.at_s, event.duration_s) for event in course.events if isinstance(event, SpanEnd)]
    assert found == [(EVALUATION, 0.05, 0.019), (DATA, 0.03, 0.03)]


def test_of_no_iteration_no_wait_is_the_last(course: Course) -> None:
    course.index = None
    spans = OpenSpans(course)
    spans.waited(30 * MS, 0)
    spans.finish(99 * MS, None)
    assert course.events == []


def test_the_wait_of_an_iteration_is_taken_once(course: Course) -> None:
    spans = OpenSpans(course)
    assert spans.take_wait() is None
    spans.waited(30 * MS, 10 * MS)
    spans.waited(50 * MS, 40 * MS)
    assert (spans.take_wait(), spans.take_wait()) == (0.03, None)
