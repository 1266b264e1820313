"""Waits and spans that the end of the process leaves."""

from __future__ import annotations

import pytest

from itermon.events import CHECKPOINT, DATA, EVALUATION, SpanBegin, SpanEnd
from itermon.trainer_hooks.timeline.course import Course
from itermon.trainer_hooks.timeline.open_spans import OpenSpans

# The bounds as numbers of its own: from the code, a test would move with them.
LONG_WAIT_NS = 250_000_000

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


def ended(course: Course) -> list[SpanEnd]:
    return [event for event in course.events if isinstance(event, SpanEnd)]


def test_what_the_process_leaves_open_ends_with_it_or_where_it_was_last_seen(course: Course) -> None:
    spans = OpenSpans(course)
    spans.begin(10 * MS, CHECKPOINT, "")
    spans.finish(90 * MS, 50 * MS)
    spans.begin(100 * MS, EVALUATION, "")
    spans.finish(200 * MS, 150 * MS)
    found = [(end.kind, end.at_s, end.detail) for end in ended(course)]
    assert found == [(CHECKPOINT, 0.09, "until the process ended"), (EVALUATION, 0.15, "as far as it was seen")]


@pytest.mark.parametrize("until_ns", [None, 100 * MS])
def test_an_evaluation_that_was_not_seen_at_work_ends_with_the_process(
    until_ns: int | None, course: Course
) -> None:
    spans = OpenSpans(course)
    spans.begin(100 * MS, EVALUATION, "")
    spans.finish(200 * MS, until_ns)
    assert [(end.at_s, end.detail) for end in ended(course)] == [(0.2, "until the process ended")]


def test_a_save_shows_how_far_the_evaluation_around_it_came(course: Course) -> None:
    spans = OpenSpans(course)
    spans.begin(10 * MS, EVALUATION, "")
    spans.past(40 * MS, CHECKPOINT, 10 * MS, "")
    spans.begin(50 * MS, "compile", "")
    spans.end(60 * MS, "compile", "", None)
    spans.finish(90 * MS, None)
    assert [(end.at_s, end.duration_s) for end in ended(course)][-1] == (0.03, 0.02)


@pytest.mark.parametrize(("waited_ns", "told"), [(MS, 1), (MS - 1, 0)])
def test_the_last_wait_is_reported_from_a_millisecond_on(waited_ns: int, told: int, course: Course) -> None:
    spans = OpenSpans(course)
    spans.waited(10 * MS + waited_ns, 10 * MS)
    spans.finish(99 * MS, None)
    assert len(ended(course)) == told
    spans.finish(99 * MS, None)
    assert len(ended(course)) == told, "once"


@pytest.mark.parametrize(("lasts_ns", "told"), [(LONG_WAIT_NS, 1), (LONG_WAIT_NS - 1, 0)])
def test_a_long_wait_is_reported_while_it_lasts_and_once(lasts_ns: int, told: int, course: Course) -> None:
    spans = OpenSpans(course)
    since_ns = 5 * MS
    spans.waiting(since_ns + lasts_ns, since_ns)
    spans.waiting(since_ns + lasts_ns, since_ns)
    assert [event.at_s for event in course.events if isinstance(event, SpanBegin)] == [0.005] * told
    spans.waited(since_ns + 400 * MS, since_ns)
    assert [end.duration_s for end in ended(course)] == [0.4] * told


def test_a_wait_that_is_over_is_no_news(course: Course) -> None:
    spans = OpenSpans(course)
    spans.waited(500 * MS, 5 * MS)
    spans.waiting(500 * MS, 5 * MS)
    assert course.events == []
    spans.waiting(500 * MS + LONG_WAIT_NS, 500 * MS)  # the next began as that one ended
    assert len(course.events) == 1


def test_waits_of_the_first_batches_are_those_of_the_evaluation_that_shows_afterwards(course: Course) -> None:
    spans = OpenSpans(course)
    spans.waited(20 * MS, 10 * MS)
    spans.waited(45 * MS, 40 * MS)
    spans.waited(60 * MS, 50 * MS)
    spans.begin(40 * MS, EVALUATION, "")
    assert spans.take_wait() == 0.01
    spans.waited(80 * MS, 70 * MS)
    spans.begin(70 * MS, CHECKPOINT, "")
    assert spans.take_wait() is None


def test_a_checkpoint_of_parts_has_their_bytes_unless_it_says_its_own(course: Course) -> None:
    spans = OpenSpans(course)
    for values in (None, {"bytes": 7.0}):
        spans.begin(10 * MS, CHECKPOINT, "whole")
        for size in (2.0, 3.0):
            spans.begin(11 * MS, CHECKPOINT, "part")
            spans.end(12 * MS, CHECKPOINT, "part", {"bytes": size})
        spans.end(20 * MS, CHECKPOINT, "whole", values)
    spans.begin(30 * MS, CHECKPOINT, "alone")
    spans.end(40 * MS, CHECKPOINT, "alone", {"odd": "text"})
    found = [(end.detail, end.values, end.duration_s) for end in ended(course)]
    assert found == [("whole", {"bytes": 5.0}, 0.01), ("whole", {"bytes": 7.0}, 0.01), ("alone", {}, 0.01)]
    assert len([event for event in course.events if isinstance(event, SpanBegin)]) == 3


def test_an_end_without_its_beginning_has_no_duration_and_none_of_what_was_none(course: Course) -> None:
    spans = OpenSpans(course)
    spans.end(20 * MS, EVALUATION, "", {"val_loss": 0.5})
    spans.void(30 * MS, EVALUATION)
    (end,) = ended(course)
    assert (end.duration_s, end.values, end.void) == (None, {"val_loss": 0.5}, False)
    spans.begin(40 * MS, EVALUATION, "")
    assert spans.is_open
    spans.void(50 * MS, EVALUATION)
    assert [(end.at_s, end.void) for end in ended(course)][1:] == [(0.05, True)]
    assert not spans.is_open


def test_what_is_reported_when_it_is_over_counts_from_the_loop_on_and_in_no_save(course: Course) -> None:
    spans = OpenSpans(course)
    spans.past(20 * MS, "gc", 5 * MS, "")
    spans.begin(30 * MS, CHECKPOINT, "")
    spans.past(40 * MS, CHECKPOINT, 5 * MS, "part")
    spans.past(40 * MS, "gc", 5 * MS, "")
    course.boundary_ns = None
    spans.past(50 * MS, "gc", 5 * MS, "")
    assert [(end.kind, end.at_s, end.duration_s) for end in ended(course)] == [
        ("gc", 0.02, 0.005),
        ("gc", 0.04, 0.005),
    ]


def test_the_innermost_of_a_kind_is_what_ends(course: Course) -> None:
    spans = OpenSpans(course)
    spans.begin(10 * MS, EVALUATION, "")
    spans.begin(20 * MS, "gc", "")
    spans.begin(30 * MS, EVALUATION, "")
    spans.end(40 * MS, EVALUATION, "", None)
    spans.end(60 * MS, EVALUATION, "", None)  # an exception left the other open
    assert [end.duration_s for end in ended(course)] == [0.01, 0.05]
    assert spans.is_open


def test_a_wait_that_began_before_a_span_is_the_iteration_s(course: Course) -> None:
    spans = OpenSpans(course)
    spans.waited(80 * MS, 70 * MS)
    spans.begin(75 * MS, EVALUATION, "")
    assert spans.take_wait() == 0.01


def test_of_the_waits_before_it_shows_four_are_an_evaluation_s_own(course: Course) -> None:
    spans = OpenSpans(course)
    for n in range(6):
        spans.waited((20 * n + 2 + n) * MS, 20 * n * MS)
    spans.begin(0, EVALUATION, "")
    assert spans.take_wait() == 0.005  # 2 and 3 ms, of the first two
