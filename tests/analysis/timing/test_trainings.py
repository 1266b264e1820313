"""Several trainings in one source: each has a level of its own, and what is said of now is of the newest."""

from itertools import accumulate
from types import SimpleNamespace

import pytest
from simulated_runs import NANOGPT, times, watched

from itermon.analysis.record.columns import Columns
from itermon.analysis.record.spans import Note
from itermon.analysis.run import Run
from itermon.analysis.timing.timing import Timing
from itermon.analysis.timing.trainings import Over, Within, holding, within
from itermon.analysis.verdict import sentences
from itermon.analysis.verdict.facts import Facts
from itermon.events import CHECKPOINT, EVALUATION, ClockKind, Event, Iteration, RunInfo, SpanEnd, Strength, Witness


def one_after_another(*trainings: list[float], resumed: bool = False) -> list[Event]:
    """Trainings with these times, each counted from 0; `resumed`: from where the one before it stopped."""
    events: list[Event] = [NANOGPT]
    begin = 0
    for durations in trainings:
        events += [Iteration(n, d, 3.0) for n, d in enumerate(durations, begin)]
        begin += len(durations) if resumed else 0
        events.append(RunInfo(source_format="nanoGPT log", resumed=resumed or None))
    return events[:-1]


def test_the_level_is_of_the_newest_training_alone() -> None:
    run = watched(one_after_another(times(300, base_s=0.05), times(100, base_s=0.4)))
    level = run.findings().level
    assert level.clean_s == pytest.approx(0.4, rel=0.02)
    assert level.jitter == pytest.approx(0.01, abs=0.01)
    assert (level.shifts, run.findings().spikes) == ((), ())


@pytest.mark.parametrize("count", [5, 63, 64, 200])
def test_no_training_is_slow_by_the_level_of_another(count: int) -> None:
    events = one_after_another(times(count), times(count, base_s=36.0), times(count, base_s=0.004))
    assert watched(events).findings().spikes == ()


def test_a_slow_iteration_is_slow_against_its_own_training() -> None:
    first, second = times(100), times(100, base_s=5.0)
    first[70], second[30] = 2.0, 20.0
    spikes = watched(one_after_another(first, second, times(20, base_s=30.0))).findings().spikes
    assert [(s.index, pytest.approx(s.clean_s, rel=0.05)) for s in spikes] == [(70, 0.2), (30, 5.0)]


@pytest.mark.parametrize("count", [1, 3])
def test_of_a_newest_training_with_few_iterations_no_level_of_an_earlier_one_is_said(count: int) -> None:
    run = watched(one_after_another(times(300, base_s=0.05), [0.4] * count))
    level = run.findings().level
    assert (level.clean_s, level.iterations, level.jitter) == (0.4, count, None)


def test_a_restart_of_the_same_training_goes_on_with_it() -> None:
    run = watched(one_after_another(times(100), times(10), resumed=True))
    assert run.findings().level.iterations == 64
    assert run.intake.timing.over == []


def test_each_training_has_a_warm_up() -> None:
    events = one_after_another([3.0, 1.0, *times(98)], [9.0, 8.0, 7.0, *times(97, base_s=1.0)])
    found = watched(events).findings()
    assert [(s.index, [c.kind for c in s.causes]) for s in found.spikes] == [
        (n, ["warmup"]) for n in (0, 1, 0, 1, 2)
    ]
    assert found.level.warmup_iterations == 3


def test_it_makes_no_difference_in_which_portions_the_events_came() -> None:
    events = one_after_another(times(100), [5.0, *times(30, base_s=2.0)], times(70, base_s=0.1))
    whole, parts = watched(events), Run()
    for event in events:
        parts.apply([event])
        parts.findings()
    assert parts.findings() == whole.findings()


def test_between_trainings_of_one_line_the_clock_goes_on() -> None:
    clocked = RunInfo(clock=ClockKind.LOG)
    stamps = [*accumulate([1e9, 60.0, 60.0, 60.0]), 2e9, *accumulate([3e9, 30.0, 30.0])]
    indices = [0, 1, 2, 3, 0, 0, 1, 2]
    events: list[Event] = [clocked, *(Iteration(n, at_s=at_s) for n, at_s in zip(indices, stamps, strict=True))]
    found = watched([*events[:6], clocked, *events[6:]]).findings()
    assert found.progress.wall_s == pytest.approx(stamps[-1] - stamps[0])
    assert {row.cause: round(row.seconds) for row in found.ledger}["pause"] == pytest.approx(2e9, abs=500)


def test_which_training_holds_a_position() -> None:
    over = [Over(0, 2, Within()), Over(10, 10, Within(often=1))]
    assert [holding(over, position).begun for position in (0, 9, 10, 40)] == [0, 0, 10, 10]


SAVE, EVALUATED = [CHECKPOINT], [EVALUATION]


@pytest.mark.parametrize(
    ("held", "by_clock", "found"),
    [
        ([SAVE] * 9 + [EVALUATED], True, Within(CHECKPOINT, 1)),
        ([SAVE] * 9 + [EVALUATED], False, Within(EVALUATION, 1)),  # its own time, in which a save is none of it
        ([EVALUATED * 2] * 9 + [SAVE], True, Within(EVALUATION, 2)),
        ([[EVALUATION, CHECKPOINT]] * 9, True, Within(EVALUATION, 0)),
    ],
)
def test_what_is_in_most_times_is_in_each(held: list[list[str]], by_clock: bool, found: Within) -> None:
    assert within(held, by_clock=by_clock) == found


@pytest.mark.parametrize(
    ("kind", "witness", "level_s"),
    [
        (CHECKPOINT, Witness.STAMPS, 11.0),
        (EVALUATION, Witness.STAMPS, 11.0),
        (EVALUATION, Witness.PRINTED, 30.0),
        (CHECKPOINT, Witness.PRINTED, 30.0),
    ],
)
def test_a_stop_in_nearly_each_time_is_in_what_is_usual(
    kind: str, witness: Witness, level_s: float | None
) -> None:
    """The few of the beginning that hold none, and took long, are not."""
    columns = Columns()
    columns.extend([Iteration(n, 30.0 if n < 4 else 11.0) for n in range(50)])
    columns.witness = witness
    notes = {n: (Note(kind, Strength.LOG),) for n in range(4, 50)}
    of = Timing(columns, SimpleNamespace(positions=[*notes], by_position=notes), [0])  # type: ignore[arg-type]
    of._begin(50, fewest=1)
    assert (of.baseline and of.baseline.level) == level_s


def test_the_first_iteration_of_a_training_is_training_and_no_gap_where_its_line_gives_no_time() -> None:
    """Lines have stamps alone: what the first of them took nobody says, and it is no less than is normal."""
    clocked = RunInfo(clock=ClockKind.LOG)
    events: list[Event] = []
    for begun_s in (1e9, 1.1e9, 1.2e9):
        events += [clocked, *(Iteration(n, at_s=begun_s + 600.0 * n) for n in range(20))]
    seconds = {row.cause: row.seconds for row in watched(events).findings().ledger}
    assert set(seconds) == {"training", "pause"}
    assert seconds["training"] == pytest.approx(3 * 19 * 600 + 2 * 600)


@pytest.mark.parametrize(
    ("levels", "drifts"),
    [([9.0, 3.0, 1.0], True), ([9.0, 3.0, 3.0, 1.0], True), ([9.0, 1.0], False), ([1.0, 3.0, 9.0], False),
     ([9.0, 1.0, 3.0], False), ([1.25, 1.1, 1.0], False), ([1.35, 1.1, 1.0], True), ([], False)],
)  # fmt: skip
def test_a_level_drifts_where_it_goes_down_in_steps_and_far(levels: list[float], drifts: bool) -> None:
    of = Timing(Columns(), SimpleNamespace(positions=[], by_position={}), (0,))  # type: ignore[arg-type]
    of._levels = list(enumerate(levels))
    assert of.drifts is drifts


def test_an_evaluation_more_than_in_each_iteration_is_none_of_the_usual_ones() -> None:
    events: list[Event] = [RunInfo(clock=ClockKind.LOG, time_includes=(EVALUATION,))]
    for n in range(1, 41):
        extra = 60.0 if n in (15, 30) else 0.0
        evaluations = [SpanEnd(EVALUATION, iteration=n, values={"val_loss": 0.5})] * (2 if extra else 1)
        events += [*evaluations, Iteration(n, 100.0 + extra + n % 3, 3.0)]
    found = watched(events).findings()
    assert [(s.index, {cause.kind for cause in s.causes}) for s in found.spikes] == [
        (15, {EVALUATION}),
        (30, {EVALUATION}),
    ]


@pytest.mark.parametrize(("first", "each"), [(0, True), (1, True), (2, False)])
def test_one_first_iteration_without_an_evaluation_is_no_level_of_those_with_one(first: int, each: bool) -> None:
    columns = Columns()
    columns.extend([Iteration(n, 12.0 if n < first else 15.0) for n in range(20)])
    notes = {n: (Note(EVALUATION, Strength.LOG),) for n in range(first, 20)}
    of = Timing(columns, SimpleNamespace(positions=[*notes], by_position=notes), [0])  # type: ignore[arg-type]
    of._begin(20, fewest=1)
    assert (of.within.evaluations > 0) is each
    assert of.baseline is not None
    assert of.baseline.level == (15.0 if each else 12.0)


def test_rows_of_one_iteration_alone_have_no_wall_time() -> None:
    found = watched(
        [RunInfo(clock=ClockKind.LOG), *(Iteration(5, at_s=at_s) for at_s in (1e9, 1e9 + 60))]
    ).findings()
    assert (found.progress.wall_s, found.spikes) == (None, ())


def test_behind_epochs_of_no_known_length_no_gap_is_guessed_and_their_first_rows_are_no_level() -> None:
    """Rows of batch 0 and 50 of 97: what passed from one epoch to the next were 46 batches, slower for once."""
    at_s, index, events = 1e6, 0, [RunInfo(framework="f", clock=ClockKind.LOG)]
    for epoch in range(60):
        each_s = 1.0 if epoch == 50 else 0.64
        at_s += 46 * each_s + 2.5 if epoch else 2.5
        events.append(Iteration(index, 2.5, at_s=round(at_s), data_wait_s=1.8, uncounted=49 if epoch else 0))
        at_s += 50 * 0.64
        events.append(Iteration(index + 50, 0.64, at_s=round(at_s), averaged_over=50, data_wait_s=0.001))
        index += 51
    found = watched(events).findings()
    assert found.level.clean_s == pytest.approx(0.64)
    assert found.level.between is None
    assert "gap" not in {row.cause for row in found.ledger}
    assert not sentences.data(Facts(found, RunInfo())), "the newest waited 1 ms, and the ledger has 36 ms for each"
