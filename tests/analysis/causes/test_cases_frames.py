"""A stop told of between two frames of a bar is of the one that took long, be it the one behind the lines.

What a clock shows that began anew lies behind its beginning; a pause begins with the last row of a training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from simulated_runs import watched

from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    PAUSE,
    ClockKind,
    Iteration,
    RunInfo,
    SpanEnd,
    Strength,
    Witness,
)

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings
    from itermon.events import Event


@pytest.mark.parametrize("evaluates", [True, False])
def test_an_evaluation_heard_before_the_frame_that_was_held_back_is_the_slow_frame_s_behind_it(
    *, evaluates: bool
) -> None:
    events: list[RunInfo | Iteration | SpanEnd] = [RunInfo(time_includes=(EVALUATION, CHECKPOINT))]
    passed_s = 0.0
    for n in range(1, 400):
        slow = n % 20 == 2
        if n % 20 == 1:  # the frame of n was held back
            told = SpanEnd(EVALUATION, None, n - 1, told=True)
            events += [told] * evaluates + [SpanEnd(CHECKPOINT, None, n - 1, strength=Strength.GUESS)]
        took_s = 9.0 if slow else 1.0 + 0.01 * (n % 3)
        passed_s += took_s
        events.append(Iteration(n, took_s, elapsed_s=passed_s, witness=Witness.RATE))
    found = watched([*events]).findings(spikes=None)
    stops = [row.count for row in found.ledger if row.cause in (EVALUATION_AND_CHECKPOINT, CHECKPOINT)]
    slow = [one.index for one in found.spikes if any(c.kind == EVALUATION_AND_CHECKPOINT for c in one.causes)]
    if evaluates:
        assert stops[0] >= 18
        assert not found.progress.hidden_stops
        assert {index % 20 for index in slow} == {2}
    else:  # beside a save alone anything may have taken the time
        assert stops == slow == []


@pytest.mark.parametrize("apart", [True, False])
def test_an_evaluation_that_no_row_has_in_its_time_is_not_a_later_row_s(*, apart: bool) -> None:
    """Its bar began anew behind it: what took long in the bar is something else."""
    events: list[Event] = [RunInfo(time_includes=(EVALUATION, CHECKPOINT))]
    for n in range(1, 400):
        if n % 20 == 1:
            events.append(SpanEnd(EVALUATION, None, n, told=True, apart=apart))
        took_s = 9.0 if n % 100 == 2 else 1.0 + 0.01 * (n % 3)
        events.append(Iteration(n, took_s, witness=Witness.RATE))
    found = watched(events).findings(spikes=None)
    evaluated = {one.index for one in found.spikes if any(c.kind == EVALUATION for c in one.causes)}
    assert ({102, 202, 302} <= evaluated) is not apart
    assert not apart or not evaluated & {102, 202, 302}


def of_a_clock(*, anew: bool) -> Findings:
    """Six epochs of ten rows, 40 s apart by a clock in the log, and an evaluation told of behind each.

    The first row of an epoch is 200 s later; `anew`: that is what a clock shows that began with the epoch.
    """
    events: list[Event] = [RunInfo(source_format="rows", time_includes=("evaluation",))]
    clock_s, index = 0.0, 0
    for epoch in range(6):
        clock_s = 0.0 if anew else clock_s
        for row in range(10):
            clock_s += 200.0 if epoch and not row else 40.0
            timed_s = 0.4 if row else None
            events.append(Iteration(index, timed_s, 2.5, averaged_over=100 if row else 1, elapsed_s=clock_s))
            index += 100 if row < 9 else 1
        events.append(SpanEnd(EVALUATION, iteration=index, values={"val_loss": 2.0}))
    return watched(events).findings(spikes=None)


def test_what_a_clock_shows_that_began_anew_is_no_evaluation_in_front_of_it() -> None:
    taken = {row.cause: row.seconds for row in of_a_clock(anew=False).ledger}
    assert taken[EVALUATION] == pytest.approx(5 * 200, rel=0.01)
    assert EVALUATION not in {row.cause for row in of_a_clock(anew=True).ledger}


@pytest.mark.parametrize(("every", "at_most"), [(1, False), (50, True)])
def test_a_pause_may_hold_the_iterations_behind_a_training_s_last_row(*, every: int, at_most: bool) -> None:
    """Two trainings of 40 rows, each the mean of `every` iterations; 100 s lie between them."""
    events: list[Event] = []
    at_s = 1_700_000_000.0
    for _ in range(2):
        events.append(RunInfo(source_format="rows", clock=ClockKind.LOG, resumed=False))
        for n in range(1, 41):
            at_s += every
            events.append(Iteration(n * every, 1.0, 2.5, at_s=at_s, averaged_over=every))
        at_s += 100.0
    (pause,) = [row for row in watched(events).findings().ledger if row.cause == PAUSE]
    assert (pause.at_most, pause.seconds) == (at_most, pytest.approx(100.0))


@pytest.mark.parametrize("witness", [Witness.RATE, Witness.PRINTED])
def test_what_lines_tell_of_is_moved_to_the_row_behind_only_where_a_bar_may_have_held_it_back(
    witness: Witness,
) -> None:
    """A row that prints a time is written when it is over: what is told before it is its own."""
    events: list[Event] = [RunInfo(time_includes=(EVALUATION, CHECKPOINT))]
    for n in range(1, 400):
        if n % 20 == 1:
            events.append(SpanEnd(EVALUATION, None, n, told=True))
        events.append(Iteration(n, 9.0 if n % 100 == 2 else 1.0 + 0.01 * (n % 3), witness=witness))
    found = watched(events).findings(spikes=None)
    evaluated = {one.index for one in found.spikes if any(c.kind == EVALUATION for c in one.causes)}
    assert ({102, 202, 302} <= evaluated) is (witness == Witness.RATE)


@pytest.mark.parametrize(("saves", "cause"), [(True, EVALUATION_AND_CHECKPOINT), (False, EVALUATION)])
def test_an_evaluation_and_a_save_that_only_a_line_tells_of_share_what_their_row_took(
    *, saves: bool, cause: str
) -> None:
    """`Saved model to out/1.pt` between two rows of a script: no format reads it, and it may have taken most."""
    events: list[Event] = [RunInfo(time_includes=(EVALUATION, CHECKPOINT))]
    for n in range(1, 61):
        stop_s = 9.0 if n % 20 == 1 and n > 1 else 0.0
        if stop_s:
            events.append(SpanEnd(EVALUATION, iteration=n, values={"val_loss": 0.5}))
            events += [SpanEnd(CHECKPOINT, None, n - 1, strength=Strength.GUESS)] * saves
        events.append(Iteration(n, 0.1 + stop_s, loss=0.5))
    found = watched(events).findings(spikes=None)
    assert {one.causes[0].kind for one in found.spikes} == {cause}
