"""What is kept of the events of a run."""

from array import array
from collections.abc import Sequence

import pytest
from simulated_runs import NANOGPT, nanogpt, times, watched

from itermon.analysis.intake import Intake
from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    ClockKind,
    Config,
    Dropped,
    End,
    EndReason,
    Event,
    GpuSample,
    Iteration,
    Iterations,
    Message,
    Phases,
    RunInfo,
    Severity,
    SpanBegin,
    SpanEnd,
    Stack,
    Total,
)

# The bounds as numbers of its own: from the code, a test would move with them.
MOST_GPUS = 128


def test_a_resumed_run_steps_back_and_nothing_counts_twice_in_its_progress() -> None:
    first = nanogpt(times(300))
    again = [NANOGPT, *(Iteration(i, d, 3.0) for i, d in enumerate(times(100, seed=2), 250))]
    again[1] = Iteration(250, 9.0, 3.0)
    progress = watched([*first, *again]).findings().progress
    assert (progress.iteration, progress.restarts) == (349, 1)
    assert progress.iterations_seen == 400
    assert progress.iterations_unseen == 0
    spike = watched([*first, *again]).spike(300)
    assert spike is not None
    assert [c.kind for c in spike.causes] == ["warmup"]


def test_losses_count_what_is_no_number() -> None:
    events = [Iteration(0, 1.0, 4.0), Iteration(1, 1.0, bad_loss="nan"), Iteration(2, 1.0, bad_loss="inf")]
    best = SpanEnd("evaluation", iteration=0, values={"val_loss": 3.5})
    losses = (
        watched([best, SpanEnd("evaluation", iteration=1, values={"val_loss": 3.9}), *events]).findings().losses
    )
    assert (losses.not_finite, losses.first_not_finite, losses.train) == (2, 1, None)
    assert (losses.validation, losses.best_validation, losses.best_validation_at) == (3.9, 3.5, 0)


def test_an_evaluation_told_before_the_first_iteration_of_another_training_is_of_that_training() -> None:
    """A table's row has both: its validation loss, and then its iteration."""
    events: list[Event] = []
    for losses in ((2.5, 2.25), (9.5, 3.5, 3.25)):
        events.append(RunInfo())
        for n, loss in enumerate(losses):
            events += [SpanEnd(EVALUATION, iteration=n, values={"val_loss": loss}), Iteration(n, None, loss)]
    run = watched(events)
    losses = run.findings().losses
    assert (losses.best_validation, losses.validation) == (3.25, 3.25)
    (scalar,) = (one for one in run.findings(spikes=None).scalars if one.name == "val_loss")
    assert (scalar.least, scalar.most, scalar.values) == (3.25, 9.5, 3)


def test_an_evaluation_before_the_first_line_of_a_log_is_at_its_first_iteration() -> None:
    """A log that begins with `val loss 11.01`: nobody knew yet which iteration comes."""
    before = SpanEnd("evaluation", values={"val_loss": 11.0, "accuracy": 0.25})
    run = watched([before, *(Iteration(i, 1.0, 4.0) for i in range(250, 260))])
    losses = run.findings().losses
    assert (losses.validation, losses.best_validation_at) == (11.0, 250)
    assert list(run.intake.spans.seen["evaluation"]) == [250]
    assert run.scalars_at(0)["val_accuracy"] == 0.25


def test_other_ranks_do_not_mix_with_the_one_that_is_shown() -> None:
    events = [Iteration(i // 2, 1.0 + i % 2, rank=i % 2) for i in range(200)]
    run = watched(list(events))
    assert len(run.columns) == 100
    assert run.findings().level.clean_s == 1.0


def test_messages_are_counted_and_bounded() -> None:
    run = watched([Message("x", level="error"), *(Message(f"line {i}") for i in range(500)), Message("line 499")])
    messages = run.findings().messages
    assert len(messages) == 200
    assert (messages[-1].text, messages[-1].count) == ("line 499", 2)


@pytest.mark.parametrize(
    ("indices", "restarts", "trainings"),
    [
        (range(3_000, 0, -1), 0, 3_000),
        ([0, 1] * 1_500, 0, 1_500),
        ([0, 1, 2, 3, 4, *([3, 4] * 1_498)], 1_498, 1),
    ],
    ids=["counts down", "0, 1, 0, 1", "3, 4, 3, 4"],
)
def test_indices_that_step_back_thousands_of_times_are_thousands_of_processes(
    indices: Sequence[int], restarts: int, trainings: int
) -> None:
    progress = watched([RunInfo(), *(Iteration(i, 1.0) for i in indices)]).findings().progress
    assert (progress.restarts, progress.trainings) == (restarts, trainings)
    assert progress.iterations_seen == len(indices)


def test_a_training_from_the_beginning_is_another_one_and_no_restart_unless_it_says_that_it_resumes() -> None:
    fold = [Iteration(i, 1.0) for i in range(1, 11)]
    progress = watched([RunInfo(), *fold, *fold, *fold]).findings().progress
    assert (progress.trainings, progress.restarts) == (3, 0)
    resumed = watched([RunInfo(), *fold, RunInfo(resumed=True), *fold]).findings().progress
    assert (resumed.trainings, resumed.restarts) == (1, 1)


def test_the_words_of_a_log_are_no_end_of_a_process_that_somebody_saw() -> None:
    said = watched([*nanogpt(times(30)), End(EndReason.FAILED, detail="RuntimeError: out of memory")])
    seen = watched([*nanogpt(times(30)), End(EndReason.FAILED, detail="exit code 1", exit_code=1)])
    gone = watched([*nanogpt(times(30)), End(EndReason.LOST, detail="the connection broke")])
    assert [run.intake.exit for run in (said, seen, gone)] == ["", "exit code 1", "the connection broke"]
    assert said.intake.ended == EndReason.FAILED


class Heard:
    """Stands where the incidents are: notes what it is told, and asks to be told before the third event."""

    def __init__(self) -> None:
        self.heard: list[float | None] = []
        self.looked: list[int] = []

    def stops(self, _: Intake, events: Sequence[Iteration]) -> list[int]:
        return [2, 2, 4] if len(events) > 4 else []

    def hear(self, _: Intake, at_s: float | None, *, ends: bool = False) -> None:
        self.heard.append(at_s)

    def look(self, run: Intake) -> None:
        self.looked.append(len(run.columns))


def intake(*events: Event, predicted: list[int] | None = None) -> tuple[Intake, Heard]:
    heard, counts = Heard(), predicted if predicted is not None else []
    run = Intake(lambda of: counts.append(len(of.columns)) or float("nan"), heard)  # type: ignore[arg-type]
    for event in events:
        run.apply([event])
    return run, heard


def test_a_run_of_which_nothing_came_has_counted_nothing() -> None:
    run, _ = intake()
    found = (run.version, run.bad_losses_before, run.dropped, run.heard_at, run.process_start, run.starts)
    assert found == (0, 0, 0, 0, 0, [])
    run.apply([Dropped(3), Dropped(4)])
    assert (run.version, run.dropped) == (2, 7)


def test_what_watches_is_told_of_each_part_before_it_is_taken_in() -> None:
    run, heard = intake()
    run.apply([Iteration(i, 1.0, at_s=100.0 + i) for i in range(6)])
    assert heard.heard == [100.0, 102.0, 104.0]
    assert heard.looked == [2, 2, 4]
    assert [run.columns.index[i] for i in range(6)] == [0, 1, 2, 3, 4, 5]
    run.apply([SpanEnd(EVALUATION, 110.0, 5), Message("x", at_s=111.0), End(at_s=112.0)])
    assert heard.heard[3:] == [110.0, 112.0]


def test_predictions_are_made_at_their_shares_in_the_middle_of_a_batch() -> None:
    counts: list[int] = []
    run, heard = intake(Config(max_iterations=100), predicted=counts)
    run.apply([Iteration(i, 1.0, at_s=100.0 + i) for i in range(60)])
    assert counts == sorted(set(counts))
    assert len(counts) >= 2
    assert heard.heard[0] == 100.0
    assert {100.0 + count for count in counts} <= set(heard.heard)
    assert list(run.columns.index) == list(range(60))


@pytest.mark.parametrize(
    ("second", "starts"),
    [([5, 6], [0]), ([4, 5], [0]), ([3, 4], [0, 5]), ([0, 1, 0, 1], [0, 5, 7])],
)
def test_a_process_begins_where_the_index_steps_back(second: list[int], starts: list[int]) -> None:
    run, _ = intake()
    run.apply([Iteration(i, 1.0) for i in range(5)])
    run.apply([Iteration(i, 1.0) for i in second])
    assert (run.starts, run.process_start) == (starts, starts[-1])


def test_the_newest_iterations_are_those_of_the_newest_process() -> None:
    run, _ = intake(*(Iteration(i, 1.0) for i in [*range(5), 0, 1]))
    assert [event.index for event in run.newest_iterations()] == [0, 1]
    assert run.bad_losses_before == 0


@pytest.mark.parametrize(("averaged_over", "trainings"), [(8, 2), (1, 1)])
def test_the_first_row_says_where_a_training_begins(averaged_over: int, trainings: int) -> None:
    run, _ = intake(Iteration(7, 1.0, averaged_over=8), Iteration(60, 1.0))
    run.apply([Iteration(9, 1.0, averaged_over=averaged_over + 2 * (averaged_over > 1)), Iteration(20, 1.0)])
    assert (len(run.starts), len(run.repeats.trainings)) == (2, trainings)


def test_time_goes_on_by_the_newest_stamp_and_never_back() -> None:
    run, _ = intake(Iteration(0, 1.0, at_s=100.0), Iteration(1, 1.0, at_s=90.0), Iteration(2, 1.0))
    assert (run.last_at_s, run.heard_at) == (100.0, 2)
    run.apply([Iteration(3, 1.0, at_s=110.0), Iteration(4, 1.0, at_s=120.0)])
    assert (run.last_at_s, run.heard_at) == (120.0, 5)
    run.apply([SpanBegin(EVALUATION, 130.0, 4)])
    assert run.last_at_s == 130.0


@pytest.mark.parametrize(
    ("events", "totals"),
    [
        ([], []),
        ([Total(1.0)], [1.0]),
        ([Total(1.0), Total(2.0)], [2.0]),
        ([Iteration(5, 1.0), Total(1.0), Iteration(0, 1.0), Total(2.0)], [1.0, 2.0]),
        ([Iteration(5, 1.0), Total(1.0), Iteration(0, 1.0), Total(2.0), Total(3.0)], [1.0, 3.0]),
        ([Iteration(5, 1.0), Iteration(0, 1.0), Total(2.0), Total(2.0)], [2.0]),  # the first one said none
    ],
)
def test_each_process_has_one_total_its_newest(events: list[Event], totals: list[float]) -> None:
    assert [total.duration_s for total in intake(*events)[0].totals.values()] == totals


def test_stops_and_samples_fill_at_the_newest_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    run, _ = intake(*(Iteration(i, 1.0) for i in (3, 5, 9)))
    filled: list[int] = []
    monkeypatch.setattr(run.fillings, "stop", lambda _, index: filled.append(index))
    monkeypatch.setattr(run.fillings, "add", lambda _, index, *_epoch: filled.append(index))
    run.apply([SpanEnd(EVALUATION, None, 9, 1.0), GpuSample(1.0)])
    assert filled == [9, 9]


@pytest.mark.parametrize(
    ("span", "kept"),
    [
        (SpanEnd(EVALUATION, None, 2, values={"val_loss": 2.0}), [(2, 2.0)]),
        (SpanEnd(EVALUATION, None, 2, values={"val_loss": 2.0}, void=True), []),
        (SpanEnd(EVALUATION, None, 2), []),
        (SpanEnd(CHECKPOINT, None, 2, values={"val_loss": 2.0}), []),
    ],
)
def test_only_what_an_evaluation_found_is_a_result(span: SpanEnd, kept: list[tuple[int, float]]) -> None:
    run, _ = intake(*(Iteration(i, 1.0) for i in range(4)), span)
    assert run.evaluations.losses == kept
    assert bool(run.scalars.at(2)) is bool(kept)


def test_more_gpus_than_are_kept_are_told_of_once() -> None:
    run, _ = intake(*(GpuSample(1.0, gpu=n) for n in range(MOST_GPUS + 3)))
    texts = [message.text for message in run.messages.newest()]
    assert texts == [f"more than {MOST_GPUS:,} GPUs: the samples of the others are left out"]
    assert intake(GpuSample(1.0))[0].messages.newest() == ()


def test_what_was_said_before_a_finish_was_no_end() -> None:
    failed = Message("boom", level=Severity.ERROR, ending=EndReason.FAILED)
    done = Message("done", ending=EndReason.FINISHED)
    for said, reason, kept in (
        (failed, EndReason.FINISHED, []),
        (failed, EndReason.FAILED, ["boom"]),
        (done, EndReason.FINISHED, ["done"]),
        (done, EndReason.FAILED, ["done"]),
    ):
        run, _ = intake(Iteration(0, 1.0), said, End(reason))
        assert [word.text for word in run.messages.last_words] == kept


def test_another_process_of_hooks_begins_with_its_first_iteration() -> None:
    run, _ = intake(RunInfo(clock=ClockKind.HOOK), RunInfo(clock=ClockKind.HOOK), Iteration(5, 1.0))
    assert (run.starts, run.spans.by_hooks) == ([0], True)
    run.apply([SpanBegin(EVALUATION, 1.0, 5), RunInfo(clock=ClockKind.LOG)])
    assert (run.starts, run.spans.by_hooks, run.spans.open) == ([0], False, [])
    run.apply([Iteration(6, 1.0), Iteration(7, 1.0)])
    assert run.starts == [0, 1]


def test_phases_and_stacks_of_the_shown_rank_are_kept() -> None:
    run, _ = intake(RunInfo(), Iteration(0, 1.0, rank=1))
    for rank in (0, 1):
        run.apply(
            [Phases(0, {"forward": 1.0 + rank}, rank), Stack(1.0, 0, 1.0, (f"{rank}.py:1 f",), 0, rank=rank)]
        )
    assert [phase.seconds for phase in run.gpu_phases.of(0)] == [2.0]
    assert [stack.rank for stack in run.stacks.of(0)] == [1]


def test_labels_of_a_beginning_are_made_anew_when_iterations_come() -> None:
    run, _ = intake(*(Iteration(i, 1.0) for i in range(4)))
    first = run.labels
    assert run.labels is first
    assert first is not run.final_labels
    run.apply([Message("x")])
    assert run.labels is first
    run.apply([Iteration(4, 1.0)])
    assert run.labels is not first
    run.apply([Iteration(i, 1.0) for i in range(5, 200)])
    assert run.labels is run.final_labels


def test_a_block_of_rows_that_goes_on_from_an_early_one_is_no_other_training() -> None:
    again = Iterations(array("q", range(2, 20)), *(array("d", [1.0] * 18) for _ in range(3)))
    for events in ([again], [*again]):
        run = watched([Iteration(n, 1.0) for n in range(10)])
        run.apply(events)
        assert (run.intake.repeats.trainings, run.intake.starts) == ([0], [0, 10])
