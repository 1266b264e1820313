"""What the trainer does right now: concluded from silence, or reported by hooks."""

from __future__ import annotations

import pytest

from itermon.analysis.causes.periods import Period
from itermon.analysis.findings import Activity, Now, Schedule
from itermon.analysis.outlook.gaps import Usual
from itermon.analysis.outlook.now import Expected, LastSeen, current_activity, next_stop
from itermon.analysis.record.spans import Spans
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    Progress,
    SpanBegin,
    SpanEnd,
    Strength,
)

EVALUATION_AT_100 = Schedule(EVALUATION, 50, mean_s=30.0, next_iteration=100)
USUAL = Expected(clean_s=2.0, plan=(), last_iteration=1_000)


def seen(
    iteration: int | None = 99,
    *,
    printed_every: int = 1,
    at_s: float | None = 1_000.0,
    spans: tuple[SpanBegin | SpanEnd, ...] = (),
    micro_step: Progress | None = None,
    ended: str = "",
) -> LastSeen:
    kept = Spans()
    for event in spans:
        if isinstance(event, SpanBegin):
            kept.begin(event)
        else:
            kept.end(event)
    return LastSeen(iteration, printed_every, at_s, at_s, kept, micro_step, ended)


@pytest.mark.parametrize(
    ("plan", "last", "found"),
    [
        ((), None, (None, None)),
        ((), 1_000, ("end", 1_000)),
        ((EVALUATION_AT_100,), 1_000, (EVALUATION, 100)),
        ((EVALUATION_AT_100, Schedule(CHECKPOINT, next_iteration=80)), 1_000, (CHECKPOINT, 80)),
        ((EVALUATION_AT_100, Schedule(CHECKPOINT, next_iteration=100)), 1_000, (EVALUATION_AND_CHECKPOINT, 100)),
        ((EVALUATION_AT_100,), 100, (EVALUATION, 100)),
        ((Schedule(EVALUATION),), None, (None, None)),
    ],
)
def test_what_comes_next_names_all_that_falls_on_one_iteration(
    plan: tuple[Schedule, ...], last: int | None, found: tuple[str | None, int | None]
) -> None:
    assert next_stop(plan, last) == found


def test_nothing_is_said_of_a_run_that_has_shown_nothing() -> None:
    assert current_activity(seen(None, at_s=None), USUAL, 1_000.0) == Now()


def test_an_end_that_was_reported_is_no_estimate() -> None:
    now = current_activity(seen(ended="finished"), USUAL, 2_000.0)
    assert (now.activity, now.iteration, now.estimated, now.next_kind) == ("ended", 99, False, None)


def test_training_is_told_by_the_time_since_the_newest_line() -> None:
    now = current_activity(seen(), USUAL, 1_001.5)
    assert (now.activity, now.iteration, now.estimated) == ("training", 100, True)
    assert (now.elapsed_s, now.usual_s) == (1.5, 2.0)
    assert (now.next_kind, now.next_iteration) == ("end", 1_000)
    assert now.next_in_s == 901 * 2.0 - 1.5
    assert now.next_note == ""


def test_a_line_every_ten_iterations_comes_ten_times_as_late() -> None:
    now = current_activity(seen(printed_every=10), USUAL, 1_015.0)
    assert (now.iteration, now.usual_s) == (None, 20.0)
    assert now.activity == "training"


def test_a_clock_that_lags_is_not_taken_for_negative_time() -> None:
    assert current_activity(seen(), USUAL, 990.0).elapsed_s == 0.0
    assert current_activity(seen(), USUAL, None).elapsed_s is None
    assert current_activity(seen(at_s=None), USUAL, 1_000.0).elapsed_s is None


@pytest.mark.parametrize(
    ("clean_s", "elapsed_s", "activity"),
    [
        (40.0, 120.0, "training"),
        (40.0, 120.1, "silent"),
        (0.5, 30.0, "training"),
        (0.5, 30.1, "silent"),
        (None, 60.0, "training"),
        (None, 3_601.0, "silent"),
    ],
)
def test_silence_is_three_times_what_is_usual_and_half_a_minute_at_least(
    clean_s: float | None, elapsed_s: float, activity: str
) -> None:
    now = current_activity(seen(), Expected(clean_s, (), 1_000), 1_000.0 + elapsed_s)
    assert now.activity == activity
    if activity == "silent":
        assert (now.next_in_s, now.next_note) == (None, "when it goes on")


def test_silence_of_a_run_that_nothing_is_ahead_of_has_no_note() -> None:
    now = current_activity(seen(), Expected(2.0, (), None), 2_000.0)
    assert (now.activity, now.next_kind, now.next_note) == ("silent", None, "")


@pytest.mark.parametrize(("elapsed_s", "activity"), [(2.1, "training"), (2.3, EVALUATION), (40.0, EVALUATION)])
def test_an_iteration_that_is_late_is_in_the_stop_that_is_due(elapsed_s: float, activity: str) -> None:
    now = current_activity(seen(), Expected(2.0, (EVALUATION_AT_100,), 1_000), 1_000.0 + elapsed_s)
    assert (now.activity, now.usual_s) == (activity, 32.0)
    assert (now.next_kind, now.next_iteration) == (EVALUATION, 100)
    assert (now.next_in_s, now.next_note) == (None, "due")


def test_two_stops_that_are_due_take_the_sum() -> None:
    plan = (EVALUATION_AT_100, Schedule(CHECKPOINT, next_iteration=100, mean_s=5.0))
    now = current_activity(seen(), Expected(2.0, plan, None), 1_010.0)
    assert (now.activity, now.usual_s) == (EVALUATION, 37.0)


def test_a_stop_is_not_due_before_its_iteration_nor_without_a_cost() -> None:
    later = Schedule(EVALUATION, next_iteration=101, mean_s=30.0)
    assert current_activity(seen(), Expected(2.0, (later,), None), 1_003.0).usual_s == 2.0
    free = Schedule(EVALUATION, next_iteration=100)
    assert current_activity(seen(), Expected(2.0, (free,), None), 1_003.0).activity == "training"
    assert current_activity(seen(None), Expected(2.0, (EVALUATION_AT_100,), None), 1_003.0).usual_s == 2.0


def test_an_evaluation_that_a_line_reported_is_over() -> None:
    done = (SpanEnd(EVALUATION, iteration=100, at_s=1_000.0),)
    now = current_activity(seen(spans=done), Expected(2.0, (EVALUATION_AT_100,), None), 1_009.0)
    assert (now.activity, now.usual_s) == ("training", 2.0)


def test_an_open_span_of_a_log_is_named_and_still_an_estimate() -> None:
    begun = (SpanBegin(CHECKPOINT, iteration=100, at_s=1_000.0, strength=Strength.LOG),)
    plan = (Schedule(CHECKPOINT, 100, mean_s=7.0, next_iteration=200),)
    now = current_activity(seen(spans=begun), Expected(2.0, plan, 1_000), 1_004.0)
    assert (now.activity, now.usual_s, now.elapsed_s, now.estimated) == (CHECKPOINT, 7.0, 4.0, True)


@pytest.mark.parametrize(
    ("kind", "usual_s"),
    [(EVALUATION, 9.0), (CHECKPOINT, 9.0), ("compile", None), (EVALUATION_AND_CHECKPOINT, 9.0)],
)
def test_a_span_whose_own_cost_is_not_known_may_take_as_long_as_both(kind: str, usual_s: float | None) -> None:
    begun = (SpanBegin(kind, iteration=100, at_s=1_000.0, strength=Strength.LOG),)
    plan = (Schedule(EVALUATION_AND_CHECKPOINT, 100, mean_s=9.0),)
    assert current_activity(seen(spans=begun), Expected(2.0, plan, None), 1_004.0).usual_s == usual_s


def test_hooks_report_the_span_and_its_beginning_and_silence_is_none() -> None:
    begun = (SpanBegin(EVALUATION, iteration=100, at_s=1_100.0, strength=Strength.HOOK),)
    now = current_activity(seen(spans=begun), Expected(2.0, (), 1_000), 1_400.0)
    assert (now.activity, now.elapsed_s, now.estimated) == (EVALUATION, 300.0, False)
    assert (now.next_in_s, now.next_note) == (901 * 2.0, "")


def test_a_log_s_span_inside_a_hooked_one_does_not_hide_when_it_began() -> None:
    begun = (
        SpanBegin(EVALUATION, iteration=100, at_s=1_100.0, strength=Strength.HOOK),
        SpanBegin(CHECKPOINT, iteration=100, at_s=1_150.0, strength=Strength.LOG),
    )
    now = current_activity(seen(spans=begun), USUAL, 1_160.0)
    assert (now.activity, now.elapsed_s, now.estimated) == (CHECKPOINT, 60.0, False)


def test_micro_steps_are_no_estimate() -> None:
    now = current_activity(seen(micro_step=Progress(100, 12, 64)), USUAL, 1_001.0)
    assert (now.micro_step, now.micro_steps, now.estimated) == (12, 64, False)
    plain = current_activity(seen(), USUAL, 1_001.0)
    assert (plain.micro_step, plain.micro_steps) == (None, None)


def test_an_iteration_past_the_end_has_nothing_left() -> None:
    now = current_activity(seen(1_005), USUAL, 1_000.0)
    assert now.next_in_s == 0.0


@pytest.mark.parametrize(("iteration", "usual_s"), [(99, 62.0), (98, 2.0), (100, 2.0)])
def test_a_stop_that_returns_is_no_silence_though_nobody_knows_what_it_is(iteration: int, usual_s: float) -> None:
    expected = Expected(2.0, (), 1_000, [Period(50, 0)], stop_s=60.0)
    now = current_activity(seen(iteration), expected, 1_050.0)
    assert (now.activity, now.usual_s) == ("training" if usual_s > 2.0 else "silent", usual_s)
    assert now.next_kind == "end", "what has no name is not announced"


def test_no_iteration_comes_after_the_last() -> None:
    """Never `19,561 of 19,560`."""
    assert current_activity(seen(999), USUAL, 1_001.0).iteration == 1_000
    assert current_activity(seen(1_000), USUAL, 1_001.0).iteration is None


@pytest.mark.parametrize(("kind", "silent_after_s"), [(EVALUATION, 90.0), (CHECKPOINT, 3_600.0)])
def test_a_stop_that_hooks_report_is_silent_after_three_times_its_own_usual_time(
    kind: str, silent_after_s: float
) -> None:
    """An evaluation takes 30 s here; what a checkpoint takes nobody knows, so that the first is waited for."""
    begun = SpanBegin(kind, 1_000.0, strength=Strength.HOOK)
    expected = Expected(2.0, (EVALUATION_AT_100,), 1_000)
    for late_s, activity in ((0.0, kind), (0.1, "silent")):
        now = current_activity(seen(spans=(begun,)), expected, 1_000.0 + silent_after_s + late_s)
        assert now.activity == activity


def test_after_a_span_of_a_log_an_iteration_passes_before_anything_is_heard() -> None:
    begun = (SpanBegin(CHECKPOINT, iteration=100, at_s=1_000.0, strength=Strength.LOG),)
    plan = (Schedule(CHECKPOINT, 100, mean_s=20.0),)
    waits = seen(spans=begun)._replace(printed_every=10)
    assert current_activity(waits, Expected(10.0, plan, None), 1_110.0).activity == CHECKPOINT
    silent = current_activity(waits, Expected(10.0, plan, None), 1_370.0)
    assert (silent.activity, silent.usual_s) == (Activity.SILENT, 20.0 + 10 * 10.0), "until something new comes"


@pytest.mark.parametrize(
    ("elapsed_s", "activity"),
    [
        (60.0, Activity.TRAINING),
        (60.1, Activity.QUIET),
        (3_600.0, Activity.QUIET),
        (3_601.0, Activity.SILENT),
    ],
)
def test_without_a_usual_time_an_hour_is_silence(elapsed_s: float, activity: str) -> None:
    unknown = Expected(clean_s=None, plan=(), last_iteration=None)
    assert unknown.stop_s == 0.0
    assert current_activity(seen(), unknown, 1_000.0 + elapsed_s).activity == activity
    assert current_activity(seen(at_s=None), unknown, 9e9).activity == Activity.TRAINING


@pytest.mark.parametrize(("elapsed_s", "activity"), [(30.0, Activity.TRAINING), (30.1, Activity.SILENT)])
def test_three_times_the_usual_is_silence_and_no_less_than_half_a_minute(elapsed_s: float, activity: str) -> None:
    assert current_activity(seen(), USUAL, 1_000.0 + elapsed_s).activity == activity


def test_hooks_and_lines_that_name_what_it_does_are_believed_without_a_usual_time() -> None:
    unknown = Expected(clean_s=None, plan=(), last_iteration=None)
    for strength in (Strength.HOOK, Strength.LOG):
        begun = (SpanBegin(EVALUATION, iteration=100, at_s=1_000.0, strength=strength),)
        assert current_activity(seen(spans=begun), unknown, 1_300.0).activity == EVALUATION
    hooked = (SpanBegin(Activity.TRAINING, iteration=100, at_s=1_000.0, strength=Strength.HOOK),)
    assert current_activity(seen(spans=hooked), unknown, 1_300.0).activity == Activity.TRAINING


def test_what_a_line_stands_for_counts_while_it_trains() -> None:
    tenths = seen(printed_every=10)
    assert current_activity(tenths, USUAL, 1_001.0).iterations == 10
    assert current_activity(tenths, USUAL, 9_000.0).iterations == 1
    assert current_activity(seen(), USUAL, 1_001.0).iterations == 1


def test_an_open_span_is_the_newest_and_a_log_tells_of_its_end_with_the_next_line() -> None:
    hooked = SpanBegin(EVALUATION, 1_000.0, 99, Strength.HOOK)
    logged = SpanBegin(CHECKPOINT, 1_000.0, 99)
    plan = (EVALUATION_AT_100, Schedule(CHECKPOINT, mean_s=30.0))
    for spans, kind, longest_s in (
        ((hooked, logged), CHECKPOINT, 3 * (30.0 + 10 * 2.0)),
        ((logged, hooked), EVALUATION, 3 * 30.0),
    ):
        of = seen(printed_every=10, spans=spans)
        expected = Expected(clean_s=2.0, plan=plan, last_iteration=1_000)
        assert current_activity(of, expected, 1_000.0 + longest_s).activity == kind
        assert current_activity(of, expected, 1_000.1 + longest_s).activity == Activity.SILENT
        assert current_activity(of, expected._replace(clean_s=None), 1_000.0 + 90.0).activity == kind


@pytest.mark.parametrize(("median_s", "usual_s"), [(0.5, 20.0), (30.0, 20.0), (30.1, 30.1)])
def test_where_rows_come_irregularly_the_median_gap_is_usual(median_s: float, usual_s: float) -> None:
    expected = USUAL._replace(gaps=Usual(median_s, long_s=40.0))
    assert current_activity(seen(printed_every=10), expected, 1_001.0).usual_s == usual_s
