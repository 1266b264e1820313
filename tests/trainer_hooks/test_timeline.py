"""Marks in, events out: durations, data waits and which iteration holds what."""

from __future__ import annotations

import pytest

from itermon.events import DATA, EVALUATION, GC, HOOK, Event, Iteration, Message, Progress, SpanBegin, SpanEnd
from itermon.trainer_hooks.timeline import (
    BEGIN,
    END,
    EVENT,
    ITERATION,
    LONG_WAIT_NS,
    LOOP,
    PROGRESS,
    SPAN,
    Mark,
    Timeline,
)

MS = 1_000_000


def told(*marks: Mark) -> list[Event]:
    timeline = Timeline(lambda: 0)
    return [event for mark in marks for event in timeline.events(mark)]


def iterations(*marks: Mark) -> list[Iteration]:
    return [event for event in told(*marks) if isinstance(event, Iteration)]


def test_an_iteration_lasts_from_the_end_of_the_one_before() -> None:
    first, second = iterations((LOOP, 0), (ITERATION, 5 * MS, None), (ITERATION, 7 * MS, None))
    assert (first.index, first.duration_s, first.at_s) == (0, 0.005, 0.005)
    assert (second.index, second.duration_s) == (1, 0.002)


def test_the_first_iteration_begins_with_the_first_thing_begun_in_it() -> None:
    assert iterations((PROGRESS, 2 * MS, 1, 4), (ITERATION, 5 * MS, 100))[0].duration_s == 0.003
    assert iterations((ITERATION, 5 * MS, 100))[0].duration_s is None
    assert iterations((SPAN, 2 * MS, GC, MS), (ITERATION, 5 * MS, 100))[0].duration_s is None


def test_waits_for_data_add_up_and_those_of_an_evaluation_do_not_count() -> None:
    first, second = iterations(
        (LOOP, 0),
        (BEGIN, 0, DATA),
        (END, 2 * MS, DATA),
        (BEGIN, 3 * MS, DATA),
        (END, 4 * MS, DATA),
        (BEGIN, 5 * MS, EVALUATION),
        (BEGIN, 6 * MS, DATA),
        (END, 9 * MS, DATA),
        (END, 9 * MS, EVALUATION),
        (ITERATION, 10 * MS, None),
        (ITERATION, 11 * MS, None),
    )
    assert first.data_wait_s == 0.003
    assert second.data_wait_s is None


def test_a_long_wait_for_data_is_told_while_it_lasts_and_once() -> None:
    timeline = Timeline(lambda: 0)
    timeline.events((BEGIN, 0, DATA))
    assert timeline.meanwhile(LONG_WAIT_NS - 1) == []
    assert timeline.meanwhile(LONG_WAIT_NS) == [SpanBegin(kind=DATA, at_s=0.0, strength=HOOK)]
    assert timeline.meanwhile(2 * LONG_WAIT_NS) == []
    (end,) = timeline.events((END, 3 * LONG_WAIT_NS, DATA))
    assert end == SpanEnd(kind=DATA, at_s=0.75, duration_s=0.75, strength=HOOK)
    assert timeline.meanwhile(9 * LONG_WAIT_NS) == []


def test_a_span_says_which_iteration_holds_it_and_what_came_out() -> None:
    events = told(
        (ITERATION, 0, 7),
        (BEGIN, MS, EVALUATION, "validation"),
        (END, 3 * MS, EVALUATION, "validation", {"val_loss": 2.5, "odd": "no number", "nan": float("nan")}),
    )
    assert events[1:] == [
        SpanBegin(kind=EVALUATION, at_s=0.001, iteration=8, strength=HOOK, detail="validation"),
        SpanEnd(
            kind=EVALUATION,
            at_s=0.003,
            iteration=8,
            duration_s=0.002,
            strength=HOOK,
            detail="validation",
            values={"val_loss": 2.5},
        ),
    ]


def test_an_end_without_a_beginning_has_no_duration() -> None:
    (end,) = told((END, MS, EVALUATION))
    assert isinstance(end, SpanEnd)
    assert end.duration_s is None


@pytest.mark.parametrize("loss", [float("nan"), float("inf"), float("-inf")])
def test_a_loss_that_is_no_finite_number_is_told_as_what_it_is(loss: float) -> None:
    (event,) = iterations((ITERATION, 0, 0, loss))
    assert (event.loss, event.bad_loss) == (None, str(loss))


def test_a_value_on_the_gpu_is_not_waited_for_and_no_number_is_no_value() -> None:
    class OnGpu:
        is_cuda = True

        def __float__(self) -> float:
            raise AssertionError("read: that would wait for the GPU")

    (event,) = iterations((ITERATION, 0, 0, 1, OnGpu(), "much"))
    assert (event.loss, event.gradient_norm, event.learning_rate) == (1.0, None, None)


def test_the_same_warning_is_told_once() -> None:
    warning = Message(text="careful", level="warning")
    assert told((EVENT, MS, warning), (EVENT, MS, warning)) == [
        Message(text="careful", level="warning", at_s=0.001)
    ]


def test_of_the_micro_steps_since_the_last_tick_the_newest_is_told() -> None:
    timeline = Timeline(lambda: 0)
    for micro_step in (1, 2, 3):
        assert timeline.events((PROGRESS, micro_step * MS, micro_step, 4)) == []
    assert timeline.meanwhile(9 * MS) == [Progress(iteration=0, micro_step=3, micro_steps=4, at_s=0.003)]
    assert timeline.meanwhile(9 * MS) == []
    timeline.events((PROGRESS, 4 * MS, 4, 4))
    timeline.events((ITERATION, 5 * MS, 0))
    assert timeline.meanwhile(9 * MS) == [], "the iteration it was part of is over"
