"""Spikes: what an iteration took, divided among its causes; from one to the next."""

import pytest
from msgspec.structs import replace
from simulated_runs import NANOGPT, plain, times, watched

from itermon.analysis.causes import spikes
from itermon.analysis.causes.labels import Labels
from itermon.analysis.findings import Cause, Level, Progress, Shift, Spike
from itermon.analysis.run import Run
from itermon.events import (
    CHECKPOINT,
    COMPILE,
    DATA,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    GAP,
    PAUSE,
    UNEXPLAINED,
    WARMUP,
    ClockKind,
    Event,
    Iteration,
    RunInfo,
    SpanBegin,
    SpanEnd,
    Strength,
    Witness,
)


def run_with(*stalls: tuple[int, float], count: int = 300) -> Run:
    durations = [0.2] * count
    for position, seconds in stalls:
        durations[position] += seconds
    return watched(plain(durations))


def test_what_costs_less_than_a_fifth_of_an_iteration_is_no_spike() -> None:
    durations = times(300, noise=0.002)
    durations[100], durations[200] = 0.2 * 1.199, 0.2 * 1.4
    run = watched(plain(durations))
    assert [s.index for s in run.findings().spikes] == [200]
    events: list[Event] = [*plain([1.0] * 100)]
    events.insert(51, SpanEnd("gc", iteration=50, duration_s=0.19))
    events.insert(71, SpanEnd("gc", iteration=70, duration_s=0.2))
    assert [s.index for s in watched(events).findings().spikes] == [70]


def test_the_newest_are_given_oldest_first() -> None:
    run = run_with((100, 1.0), (150, 1.0), (270, 2.0))
    assert [s.index for s in run.findings(spikes=2).spikes] == [150, 270]
    assert [s.index for s in run.findings(spikes=0).spikes] == []
    assert [s.index for s in run.findings(spikes=None).spikes] == [100, 150, 270]


@pytest.mark.parametrize(
    ("position", "direction", "found"),
    [
        (None, 1, 270),
        (None, -1, 270),
        (0, 1, 100),
        (100, 1, 150),
        (99, 1, 100),
        (150, -1, 100),
        (151, -1, 150),
        (299, -1, 270),
        (100, -1, None),
        (270, 1, None),
    ],
)
def test_the_next_one_lies_beyond_the_position(position: int | None, direction: int, found: int | None) -> None:
    spike = run_with((100, 1.0), (150, 1.0), (270, 2.0)).next_spike(position, direction)
    assert (spike and spike.index) == found


def test_small_ones_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    spike_at = spikes.spike_at

    def look(labels: Labels, position: int) -> Spike | None:
        looked.append(position)
        assert len(looked) < 1_000, "it would go on for ever"
        return spike_at(labels, position)

    monkeypatch.setattr(spikes, "spike_at", look)
    events: list[Event] = [*plain([0.2] * 300)]
    for iteration, seconds in ((250, 1.0), (150, 0.01), (100, 1.0)):
        events.insert(iteration + 1, SpanEnd("gc", iteration=iteration, duration_s=seconds))
    run = watched([RunInfo(time_includes=()), *events[1:]])
    spike, back = run.next_spike(100, 1), run.next_spike(250, -1)
    assert spike is not None
    assert back is not None
    assert (spike.index, back.index) == (250, 100)
    events.insert(281, SpanEnd("gc", iteration=280, duration_s=0.01))
    events.insert(281, SpanEnd("gc", iteration=281, duration_s=0.01))
    newest = watched([RunInfo(time_includes=()), *events[1:]]).next_spike(None, 1)
    assert newest is not None
    assert newest.index == 250


def test_an_iteration_that_was_not_slow_has_no_causes() -> None:
    run = run_with((100, 1.0))
    spike = run.spike(50)
    assert spike is not None
    assert (spike.index, spike.position, spike.duration_s, spike.clean_s, spike.causes) == (50, 50, 0.2, 0.2, ())
    assert run.spike(-1) is None
    assert run.spike(300) is None


def test_an_iteration_without_a_time_is_no_spike() -> None:
    events = [NANOGPT, *(Iteration(i, None if i == 50 else 0.2) for i in range(100))]
    assert watched(events).spike(50) is None


def test_a_spike_that_is_a_mean_over_several_iterations_took_the_time_of_all() -> None:
    events = [NANOGPT, *(Iteration(i, 0.5 if i == 500 else 0.2, averaged_over=10) for i in range(0, 1_000, 10))]
    (spike,) = watched(events).findings().spikes
    assert (spike.index, spike.duration_s, spike.averaged_over) == (500, 5.0, 10)
    assert sum(c.seconds for c in spike.causes) == pytest.approx(3.0)
    assert spike.clean_s == pytest.approx(2.0)


def test_causes_stand_in_the_order_of_their_cost() -> None:
    events: list[Event] = [*plain([0.2] * 99), Iteration(99, 9.2)]
    events.insert(100, SpanEnd("gc", iteration=99, duration_s=1.0, strength="hook"))
    events.insert(100, SpanEnd("evaluation", iteration=99, duration_s=3.0, strength="hook"))
    events.insert(100, SpanEnd("checkpoint", iteration=99, duration_s=2.0, strength="hook"))
    spike = watched([RunInfo(time_includes=("gc", "evaluation", "checkpoint")), *events[1:]]).spike(99)
    assert spike is not None
    assert [(c.kind, round(c.seconds, 6)) for c in spike.causes] == [
        ("evaluation", 3.0),
        ("unexplained", 3.0),
        ("checkpoint", 2.0),
        ("gc", 1.0),
    ]
    assert spike.clean_s == pytest.approx(0.2)


def test_what_passed_before_an_iteration_whose_time_is_not_known_is_all_of_it() -> None:
    """A process began again a minute after the last line: nobody knows what its first iteration took."""
    events: list[Event] = [RunInfo(clock="log"), *(Iteration(i, 1.0, at_s=1_000.0 + i) for i in range(100))]
    events += [RunInfo(clock="log", resumed=True), Iteration(100, None, at_s=1_159.0)]
    events += [Iteration(i, 1.0, at_s=1_059.0 + i) for i in range(101, 200)]
    spike = watched(events).spike(100)
    assert spike is not None
    assert spike.duration_s == sum(cause.seconds for cause in spike.causes) == pytest.approx(59.0)
    assert spike.clean_s == 0.0


def test_of_several_trainings_a_spike_names_its_own() -> None:
    first, second = times(100), times(100)
    first[70] = second[40] = 2.0
    run = watched([*plain(first), *plain(second)])
    assert [(s.training, s.index) for s in run.findings().spikes] == [(1, 70), (2, 40)]
    assert [s.training for s in watched(plain(first)).findings().spikes] == [None]


def test_within_the_last_digit_that_a_log_prints_nothing_was_slow() -> None:
    """An evaluation is told of beside a row of 9 s: of whole seconds that are 8 and 9 by turns it took none."""
    took = [8.0, 9.0, 8.0, 8.0, 9.0] * 8
    events: list[Event] = [RunInfo()]
    for n, took_s in enumerate(took):
        events += [SpanEnd(EVALUATION, iteration=n)] if n % 3 else []
        events += [Iteration(n, took_s)]
    events += [Iteration(len(took), 20.0)]
    run = watched(events)
    assert sum(cause.seconds for n in range(len(took)) for cause in run.spike(n).causes) == 0
    assert sum(cause.seconds for cause in run.spike(len(took)).causes) > 3


def test_within_the_last_digit_of_a_mean_that_is_of_no_unit_nothing_was_slow() -> None:
    """`4us/step` or `5us/step`, of epochs of 9,000 samples and ten batches: the other training has others."""
    events: list[Event] = []
    for samples in (9_000, 7_777):
        events += [RunInfo()]
        for n in range(120):
            each_us = 9.0 if n == 70 else 5.0 if n % 14 in (3, 4, 9) else 4.0
            events += [Iteration(10 * n + 10, each_us * 1e-6 * samples / 10, averaged_over=10)]
    spikes = watched(events).findings(spikes=None).spikes
    assert [(one.training, one.index) for one in spikes] == [(1, 710), (2, 710)]


def test_a_row_that_is_faster_than_the_usual_one_with_its_evaluation_is_not_slow() -> None:
    """Each mean of a hundred has an evaluation of 2 s behind it, which is in none of the printed times."""
    events: list[Event] = [RunInfo(time_includes=())]
    for n in range(40):
        each_s = {20: 0.15, 30: 0.25}.get(n, 0.2)
        events += [
            Iteration(100 * n + 100, each_s, averaged_over=100),
            SpanEnd(EVALUATION, None, 100 * n + 101, 2.0),
        ]
    found = {spike.index: spike.duration_s for spike in watched(events).findings(spikes=None).spikes}
    assert 2_100 not in found
    assert found[3_100] == pytest.approx(27.0)


@pytest.mark.parametrize(("at_s", "duration_s"), [(103.0, 6.5), (103.5, 7.5)])
def test_what_a_coarse_clock_shows_beside_a_printed_time_is_none(at_s: float, duration_s: float) -> None:
    """Rows of 4.0 s, by stamps of whole seconds, and an evaluation that the log gives 2.5 s."""
    events: list[Event] = [RunInfo(time_includes=(), clock=ClockKind.LOG)]
    for n in range(50):
        later_s = 0.0 if n < 30 else at_s - 100.0
        events += [SpanEnd(EVALUATION, None, n, 2.5)] if n == 30 else []
        events += [Iteration(n, 4.0, at_s=1_000.0 + 4.0 * n + later_s)]
    found = {spike.index: spike.duration_s for spike in watched(events).findings(spikes=None).spikes}
    assert found[30] == pytest.approx(duration_s)


def slow(kind: str, lost_s: float = 9.0, clean_s: float = 1.0, training: int | None = None) -> Spike:
    return Spike(9, 9, clean_s + lost_s, clean_s, (Cause(kind, lost_s, "guess"),), training=training)


TOLD = slow(EVALUATION)


@pytest.mark.parametrize(
    ("spike", "most_s", "kept"),
    [
        (slow(UNEXPLAINED), 20.0, False),
        (slow(UNEXPLAINED), 8.0, True),
        (slow(WARMUP), 20.0, False),
        (TOLD, 20.0, True),
    ],
)
def test_where_no_one_time_is_usual_what_lost_less_than_nearly_all_rows_take_is_not_slow(
    *, spike: Spike, most_s: float, kept: bool
) -> None:
    assert spikes.beyond((spike,), Level(between=(1.0, most_s, 64))) == (spike,) * kept
    assert spikes.beyond((spike,), Level()) == (spike,)
    older = (replace(spike, training=1),)
    assert spikes.beyond(older, Level(between=(1.0, most_s, 64)), training=2) == older


def test_times_that_go_on_to_rise_are_not_slow_for_that() -> None:
    """Of epochs that each have an evaluation, which hides that the level creeps."""
    took = [100.0 + 4 * max(0, n - 35) + 20 * (n > 57) for n in range(80)]
    rows = (event for n, s in enumerate(took) for event in (Iteration(n, s), SpanEnd(EVALUATION, iteration=n)))
    found = watched([RunInfo(), *rows]).findings(spikes=None)
    assert found.level.between is not None
    assert found.spikes == ()
    assert UNEXPLAINED not in {row.cause for row in found.ledger}


@pytest.mark.parametrize(
    ("spike", "level", "tick_s", "kept"),
    [
        (TOLD, Level(), 1.0, True),
        (TOLD, Level(between=(1.0, 9.0, 9)), 1.0, False),
        (TOLD, Level(evaluates=True), 1.0, False),
        (TOLD, Level(evaluates=True), None, True),
        (slow(UNEXPLAINED), Level(), 1.0, True),
        (slow(UNEXPLAINED), Level(), 5.0, False),
        (slow(UNEXPLAINED), Level(9.0), 1.0, True),
        (slow(UNEXPLAINED), Level(9.2), 1.0, False),  # it is usual, and others were faster for a while
        (slow(UNEXPLAINED), Level(9.2), None, True),
        (slow(UNEXPLAINED), Level(9.2, shifts=(Shift(5, 1.0, 9.2, position=5),)), 1.0, True),
        (TOLD, Level(9.2), 1.0, True),
        (slow(WARMUP), Level(), 1.0, False),
        (slow(WARMUP), Level(), None, True),
        (slow(GAP), Level(), None, False),
        (slow(PAUSE), Level(), 1.0, False),
        (slow(EVALUATION, clean_s=0.0), Level(), 1.0, False),
    ],
)
def test_of_times_from_row_to_row_only_what_is_sure_is_slow(
    *, spike: Spike, level: Level, tick_s: float | None, kept: bool
) -> None:
    found = spikes.doubted((spike,), level, Progress(trainings=1), tick_s)
    assert [one.index for one in found] == [9] * kept


def test_and_a_stop_took_roughly_what_the_sum_of_all_gives_it() -> None:
    causes = (Cause(EVALUATION, 3.0, "log", "the log gives its time"), Cause(UNEXPLAINED, 6.0, "guess"))
    both = (*causes, Cause(CHECKPOINT, 1.0, "log"))
    told, unknown, two = (
        spikes.doubted((Spike(9, 9, 10.0, 1.0, found),), Level(), Progress(trainings=1), 1.0)[0].causes[0]
        for found in (causes, causes[1:], both)
    )
    assert (told.kind, told.seconds, told.evidence, told.at_most) == (EVALUATION, 3.0, spikes.ROUGHLY, False)
    assert (unknown.kind, unknown.seconds, unknown.at_most) == (UNEXPLAINED, 6.0, False)
    assert (two.kind, two.seconds) == (EVALUATION_AND_CHECKPOINT, 4.0)


@pytest.mark.parametrize(("openings", "trainings"), [(2, [1, 2]), (5, [None])])
def test_where_it_is_not_sure_how_often_it_began_only_the_newest_training_is_spoken_of(
    openings: int, trainings: list[int | None]
) -> None:
    two = (slow(DATA, training=1), slow(DATA, training=2))
    found = spikes.doubted(two, Level(), Progress(trainings=2, openings=openings), None)
    assert [one.training for one in found] == trainings


def test_a_stop_within_the_time_that_a_row_prints_took_roughly_that() -> None:
    causes = (Cause(EVALUATION, 3.0, "log", "the log gives its time"), Cause(UNEXPLAINED, 6.0, "guess"))
    one = Spike(9, 9, 10.0, 1.0, causes)
    (within,) = spikes.doubted((one,), Level(), Progress(trainings=1), None, within_rows=True)
    assert [(c.kind, c.seconds, c.at_most) for c in within.causes] == [
        (EVALUATION, 3.0, False),
        (UNEXPLAINED, 6.0, False),
    ]
    assert spikes.doubted((one,), Level(), Progress(trainings=1), None) == (one,)


def test_a_stop_whose_begin_a_line_tells_has_its_own_time_and_not_all_that_the_row_took_more() -> None:
    known = Cause(EVALUATION, 5.0, "log", bracketed=True)
    one = Spike(9, 9, 10.0, 1.0, (known, Cause(UNEXPLAINED, 4.0, "guess")))
    assert spikes.doubted((one,), Level(), Progress(trainings=1), 1.0) == (one,)


def test_what_lines_tell_the_begin_and_the_end_of_is_known_to_be_so() -> None:
    rows = [Iteration(n, 1.0, 3.0, at_s=100.0 + n, witness=Witness.STAMPS) for n in range(1, 101)]
    began = SpanBegin(EVALUATION, 200.5, strength=Strength.GUESS)
    later = Iteration(101, 44.0, 3.0, at_s=244.0, witness=Witness.STAMPS)
    run = watched([RunInfo(undescribed=True), *rows, began, SpanEnd(EVALUATION, 242.5, 101), later])
    spike = spikes.spike_at(run.intake.labels, 100)
    assert spike is not None
    assert [(c.kind, c.seconds) for c in spike.causes if c.bracketed] == [(EVALUATION, 42.0)]


def test_one_time_for_two_is_divided_by_what_one_takes_alone() -> None:
    both, other = Cause(EVALUATION_AND_CHECKPOINT, 10.0, "log"), Cause(COMPILE, 3.0, "log")
    assert spikes.divided([both, other], lambda _: None) == [both, other]
    parts = [(cause.kind, cause.seconds) for cause in spikes.divided([both, other], lambda _: 4.0)]
    assert parts[:2] == [(EVALUATION, 4.0), (CHECKPOINT, 6.0)]
    (alone,) = spikes.divided([both], lambda _: 40.0)  # "+0 s checkpoint" says nothing
    assert (alone.kind, alone.seconds) == (EVALUATION, 10.0)


@pytest.mark.parametrize(
    ("saved", "near"), [([8], True), ([7], True), ([9], False), ([4, 20], False), ([], False)]
)
def test_what_nothing_explains_beside_a_save_says_that_a_line_tells_of_one(
    saved: list[int], *, near: bool
) -> None:
    (found,) = spikes.doubted((slow(UNEXPLAINED),), Level(), Progress(trainings=1), 1.0, saved=saved)
    assert [cause.evidence for cause in found.causes] == [spikes.NEAR_A_SAVE if near else spikes.UNTOLD]
