"""What is kept of the events of a run."""

from collections.abc import Sequence

import pytest
from simulated_runs import NANOGPT, nanogpt, times, watched

from itermon.events import (
    End,
    EndReason,
    Iteration,
    Message,
    RunInfo,
    SpanEnd,
)


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
