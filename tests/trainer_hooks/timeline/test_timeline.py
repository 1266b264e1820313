"""Marks in, events out: durations, data waits and which iteration holds what."""

from __future__ import annotations

import pytest

from itermon.events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    GC,
    Event,
    Iteration,
    Message,
    Output,
    Phases,
    Progress,
    SpanBegin,
    SpanEnd,
    Strength,
)
from itermon.trainer_hooks.marks import (
    BEGIN,
    END,
    EVENT,
    ITERATION,
    LOOP,
    PHASES,
    PRINTED,
    PROGRESS,
    RULE,
    SPAN,
    STEPPED,
    VOID,
    WAITED,
    WAITING,
    IterationMark,
    Mark,
)
from itermon.trainer_hooks.timeline.timeline import Timeline

# The bounds as numbers of its own: from the code, a test would move with them.
LONG_WAIT_NS = 250_000_000

MS = 1_000_000


def events_of(*marks: Mark) -> list[Event]:
    return added(Timeline(), *marks)


def ended(at_ns: int, index: int | None = None, loss: object = None, norm: object = None, rate: object = None,
          tokens: object = None) -> IterationMark:  # fmt: skip
    return (ITERATION, at_ns, index, loss, norm, rate, tokens, None)


def added(timeline: Timeline, *marks: Mark) -> list[Event]:
    for mark in marks:
        timeline.add(mark)
    return timeline.take()


def iterations(*marks: Mark) -> list[Iteration]:
    return [event for event in events_of(*marks) if isinstance(event, Iteration)]


def test_an_iteration_lasts_from_the_end_of_the_one_before() -> None:
    first, second = iterations((LOOP, 0), ended(5 * MS), ended(7 * MS))
    assert (first.index, first.duration_s, first.at_s) == (0, 0.005, 0.005)
    assert (second.index, second.duration_s) == (1, 0.002)


def test_the_first_iteration_begins_with_the_first_thing_begun_in_it() -> None:
    assert iterations((LOOP, 2 * MS), (LOOP, 3 * MS), ended(5 * MS, 100))[0].duration_s == 0.003
    assert iterations((BEGIN, 2 * MS, EVALUATION, ""), ended(5 * MS, 100))[0].duration_s == 0.003
    assert iterations(ended(5 * MS, 100))[0].duration_s is None
    assert iterations((SPAN, 2 * MS, GC, MS, ""), ended(5 * MS, 100))[0].duration_s is None


def test_waits_for_data_add_up_and_those_of_an_evaluation_do_not_count() -> None:
    first, second = iterations(
        (LOOP, 0),
        (WAITED, 2 * MS, 0),
        (WAITED, 4 * MS, 3 * MS),
        (BEGIN, 5 * MS, EVALUATION, ""),
        (WAITED, 9 * MS, 6 * MS),
        (END, 9 * MS, EVALUATION, "", None),
        ended(10 * MS),
        ended(11 * MS),
    )
    assert first.data_wait_s == 0.003
    assert second.data_wait_s is None


def test_a_long_wait_for_data_is_reported_while_it_lasts_and_once() -> None:
    timeline = Timeline()
    assert added(timeline, (WAITING, LONG_WAIT_NS - 1, 0)) == []
    assert added(timeline, (WAITING, LONG_WAIT_NS, 0)) == [SpanBegin(kind=DATA, at_s=0.0, strength=Strength.HOOK)]
    assert added(timeline, (WAITING, 2 * LONG_WAIT_NS, 0)) == []
    (end,) = added(timeline, (WAITED, 3 * LONG_WAIT_NS, 0))
    assert end == SpanEnd(kind=DATA, at_s=0.75, duration_s=0.75, strength=Strength.HOOK)


def test_a_short_wait_late_in_the_run_is_short() -> None:
    assert events_of((WAITING, 5 * LONG_WAIT_NS, 5 * LONG_WAIT_NS - 1)) == []


def test_a_long_wait_that_is_over_is_not_reported_any_more() -> None:
    assert events_of((WAITED, LONG_WAIT_NS, 0), (WAITING, LONG_WAIT_NS, 0)) == []


def test_a_span_says_which_iteration_holds_it_and_what_came_out() -> None:
    events = events_of(
        ended(0, 7),
        (BEGIN, MS, EVALUATION, "validation"),
        (END, 3 * MS, EVALUATION, "validation", {"val_loss": 2.5, "odd": "no number", "nan": float("nan")}),
    )
    assert events[1:] == [
        SpanBegin(kind=EVALUATION, at_s=0.001, iteration=8, strength=Strength.HOOK, detail="validation"),
        SpanEnd(
            kind=EVALUATION,
            at_s=0.003,
            iteration=8,
            duration_s=0.002,
            strength=Strength.HOOK,
            detail="validation",
            values={"val_loss": 2.5},
        ),
    ]


def test_an_end_without_a_beginning_has_no_duration() -> None:
    (end,) = events_of((END, MS, EVALUATION, "", None))
    assert isinstance(end, SpanEnd)
    assert end.duration_s is None


@pytest.mark.parametrize("loss", [float("nan"), float("inf"), float("-inf")])
def test_a_loss_that_is_no_finite_number_is_reported_as_what_it_is(loss: float) -> None:
    (event,) = iterations(ended(0, 0, loss))
    assert (event.loss, event.bad_loss) == (None, str(loss))


def test_a_value_on_the_gpu_is_not_waited_for_and_no_number_is_no_value() -> None:
    class OnGpu:
        is_cpu = False  # as a tensor has it on CUDA, on Apple's GPU and on a TPU

        def __float__(self) -> float:
            raise AssertionError("read: that would wait for the GPU")

    (event,) = iterations(ended(0, 0, 1, OnGpu(), "much"))
    assert (event.loss, event.gradient_norm, event.learning_rate) == (1.0, None, None)


@pytest.mark.parametrize(("tokens", "reported_tokens"), [(8.0, 8), ("many", None), (-5, None), (1 << 60, None)])
def test_a_count_that_is_none_costs_the_iteration_nothing(tokens: object, reported_tokens: int | None) -> None:
    (event,) = iterations(ended(0, 0, 1.0, None, None, tokens))
    assert (event.tokens, event.loss) == (reported_tokens, 1.0)


def test_the_same_warning_is_reported_once() -> None:
    warning = Message(text="careful", level="warning")
    assert events_of((EVENT, MS, warning), (EVENT, MS, warning)) == [
        Message(text="careful", level="warning", at_s=0.001)
    ]


def test_a_micro_step_is_reported_of_the_iteration_that_runs() -> None:
    assert events_of((PROGRESS, 9 * MS, 3, None)) == [Progress(iteration=0, micro_step=3, at_s=0.009)]
    assert events_of(ended(0, 7), (PROGRESS, 9 * MS, 3, 4))[1:] == [
        Progress(iteration=8, micro_step=3, micro_steps=4, at_s=0.009)
    ]


def test_a_long_wait_from_the_clocks_very_beginning_is_reported() -> None:
    begun = [event for event in events_of((WAITING, LONG_WAIT_NS, 0)) if isinstance(event, SpanBegin)]
    assert [event.at_s for event in begun] == [0.0]


def test_an_inner_span_that_never_ended_leaves_the_outer_ones_duration_right() -> None:
    events = events_of(
        (BEGIN, 0, EVALUATION, ""),
        (BEGIN, 2 * MS, "sampling", ""),
        (BEGIN, 3 * MS, EVALUATION, ""),
        (END, 5 * MS, EVALUATION, "", None),
        (END, 9 * MS, EVALUATION, "", None),
        (END, 10 * MS, EVALUATION, "", None),
    )
    assert [event.duration_s for event in events if isinstance(event, SpanEnd)] == [0.002, 0.009, None]


@pytest.mark.parametrize(("index", "taken"), [(-1, False), (0, True), ((1 << 53) - 1, True), (1 << 53, False)])
def test_an_index_that_no_reader_takes_is_refused(index: int, taken: bool) -> None:
    timeline = Timeline()
    if not taken:
        with pytest.raises(ValueError, match="counted from 0"):
            timeline.add(ended(0, index))
        return
    (event,) = added(timeline, ended(0, index))
    assert isinstance(event, Iteration)
    assert event.index == index


def test_an_error_is_shown_each_time_and_an_event_with_a_time_keeps_it() -> None:
    error = Message(text="careful", level="error", at_s=5.0)
    assert events_of((EVENT, MS, error), (EVENT, MS, error)) == [error, error]


def test_a_long_wait_that_begins_as_another_ends_is_reported() -> None:
    events = events_of((WAITED, MS, 0), (WAITING, MS + LONG_WAIT_NS, MS))
    assert [event.at_s for event in events if isinstance(event, SpanBegin)] == [0.001]


@pytest.mark.parametrize(("mfu", "kept"), [(0.0, True), (1e4, True), (-0.1, False), (1.1e4, False)])
def test_a_share_that_no_reader_takes_is_left_out(mfu: float, kept: bool) -> None:
    (event,) = iterations((ITERATION, 0, 0, None, None, None, None, mfu))
    assert event.mfu == (mfu if kept else None)


def test_times_are_in_whole_microseconds_of_unix_time() -> None:
    timeline = Timeline(unix_minus_ns=10**18)
    (event,) = added(timeline, ended(2_999))
    assert isinstance(event, Iteration)
    assert event.at_s == 1e9 + 2e-6


def test_of_a_thousand_messages_each_is_shown_once() -> None:
    marks: list[Mark] = [(EVENT, MS, Message(text=f"message {number}")) for number in range(1001)]
    assert len(events_of(*marks, *marks)) == 1001 + 1, "the last one is not remembered"
    assert len(events_of(*marks[:-1], *marks[:-1])) == 1000


def test_phases_belong_to_the_iteration_that_they_name() -> None:
    assert events_of((PHASES, 5, Phases, (7, {"forward": 0.5}))) == [Phases(iteration=7, phases={"forward": 0.5})]


def test_what_looked_like_a_span_and_was_none_is_told_so() -> None:
    marks = ((LOOP, 0), (BEGIN, MS, EVALUATION, ""), (VOID, 2 * MS, EVALUATION), (VOID, 3 * MS, EVALUATION))
    begin, void = events_of(*marks)
    assert isinstance(begin, SpanBegin)
    assert void == SpanEnd(EVALUATION, 0.002, strength=Strength.HOOK, void=True)
    first = iterations(*marks, (WAITED, 5 * MS, 4 * MS), ended(6 * MS))[0]
    assert first.data_wait_s == 0.001, "it is open no more"


def test_what_is_under_way_at_the_end_ends_then() -> None:
    timeline = Timeline()
    added(timeline, (LOOP, 0), ended(MS), (BEGIN, 2 * MS, EVALUATION, ""), (BEGIN, 3 * MS, GC, ""))
    timeline.finish(7 * MS)
    ends = [
        (event.kind, event.iteration, event.duration_s) for event in timeline.take() if isinstance(event, SpanEnd)
    ]
    assert ends == [(GC, 1, 0.004), (EVALUATION, 1, 0.005)]


@pytest.mark.parametrize(
    ("inside", "over_ns"),
    [
        ([(WAITED, 4 * MS, 3 * MS), (WAITED, 5 * MS, 5 * MS)], 5 * MS),
        (
            [(WAITED, 4 * MS, 3 * MS), (BEGIN, 6 * MS, CHECKPOINT, "a.pt"), (END, 8 * MS, CHECKPOINT, "", None)],
            6 * MS,
        ),
        ([(SPAN, 8 * MS, CHECKPOINT, 2 * MS, "a file object")], 6 * MS),
        ([(BEGIN, 6 * MS, GC, ""), (END, 7 * MS, GC, "", None)], 9 * MS),
    ],
)
def test_a_last_evaluation_lasts_until_its_last_batch_or_the_save_after_it(
    inside: list[Mark], over_ns: int
) -> None:
    timeline = Timeline()
    added(timeline, (BEGIN, 0, EVALUATION, ""), (WAITED, MS, MS), (END, MS, EVALUATION, "", None), ended(MS))
    added(timeline, (BEGIN, 2 * MS, EVALUATION, ""), *inside)
    timeline.finish(9 * MS)
    (end,) = [event for event in timeline.take() if isinstance(event, SpanEnd)]
    assert (end.kind, end.at_s, end.duration_s) == (EVALUATION, over_ns / 1e9, (over_ns - 2 * MS) / 1e9)


def test_a_wait_that_finds_no_more_batches_is_told_where_it_took_time() -> None:
    for waited_ns, found in ((3 * MS, [(DATA, 1, 0.005, 0.003)]), (MS // 2, [])):
        timeline = Timeline()
        added(timeline, (LOOP, 0), ended(MS), (WAITED, 5 * MS, 5 * MS - waited_ns))
        timeline.finish(9 * MS)
        ends = [event for event in timeline.take() if isinstance(event, SpanEnd)]
        assert [(end.kind, end.iteration, end.at_s, end.duration_s) for end in ends] == found


def test_steps_are_iterations_once_it_is_known_whose() -> None:
    timeline = Timeline()
    assert added(timeline, (STEPPED, MS, 0, 0.5), (WAITED, 3 * MS, 2 * MS), (STEPPED, 4 * MS, 1, 0.25)) == []
    (first,) = added(timeline, (RULE, 5 * MS, 1, 11))
    assert isinstance(first, Iteration)
    assert (first.index, first.at_s, first.learning_rate, first.data_wait_s) == (10, 0.004, 0.25, 0.001)
    assert [event.index for event in added(timeline, ended(6 * MS, 11)) if isinstance(event, Iteration)] == [11]
    added(timeline, (STEPPED, 7 * MS, 0, 0.5))
    timeline.finish(9 * MS)
    assert [event.index for event in timeline.take() if isinstance(event, Iteration)] == [12]
    assert added(timeline, (RULE, 9 * MS, None, 5)) == [], "nothing waits"


def test_the_parts_of_a_checkpoint_are_one_with_all_their_bytes() -> None:
    timeline = Timeline()
    events = added(
        timeline,
        (BEGIN, 1 * MS, CHECKPOINT, "folder"),
        (BEGIN, 2 * MS, CHECKPOINT, "folder/model"),
        (END, 4 * MS, CHECKPOINT, "folder/model", {"bytes": 10}),
        (SPAN, 5 * MS, CHECKPOINT, 1 * MS, "to no file"),
        (BEGIN, 5 * MS, CHECKPOINT, "folder/optimizer"),
        (END, 6 * MS, CHECKPOINT, "folder/optimizer", {"bytes": 20}),
        (END, 9 * MS, CHECKPOINT, "folder", None),
    )
    assert [event.detail for event in events if isinstance(event, SpanBegin)] == ["folder"]
    (save,) = [event for event in events if isinstance(event, SpanEnd)]
    assert (save.detail, save.duration_s, save.values) == ("folder", 0.008, {"bytes": 30.0})
    of_its_own = added(timeline, (BEGIN, 0, CHECKPOINT, "b"), (END, 1, CHECKPOINT, "b", {"bytes": 5}))
    assert [event.values for event in of_its_own if isinstance(event, SpanEnd)] == [{"bytes": 5.0}]


def test_printed_lines_stand_behind_the_iteration_that_had_ended() -> None:
    events = events_of(
        (PRINTED, 0, "a"),
        (PRINTED, MS, "b"),
        ended(2 * MS),
        (PRINTED, 3 * MS, "c"),
        ended(4 * MS),
        (PRINTED, 5 * MS, "d"),
    )
    assert [event.index if isinstance(event, Iteration) else event for event in events] == [
        Output(("a", "b"), 0.001),
        0,
        Output(("c",), 0.003),
        1,
        Output(("d",), 0.005),
    ]


def test_lines_of_a_flood_come_in_several_events() -> None:
    events = events_of(*((PRINTED, 0, "x") for _ in range(100)))
    assert [len(event.lines) for event in events if isinstance(event, Output)] == [64, 36]


def test_when_the_newest_iteration_ended_is_known_once_one_has() -> None:
    timeline = Timeline()
    timeline.add((LOOP, 2 * MS))
    assert timeline.newest_iteration_ns is None
    timeline.add(ended(5 * MS))
    assert timeline.newest_iteration_ns == 5 * MS
