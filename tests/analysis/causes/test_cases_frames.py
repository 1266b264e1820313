"""A stop told of between two frames of a bar is of the one that took long, be it the one behind the lines."""

from __future__ import annotations

import pytest
from simulated_runs import watched

from itermon.events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    Iteration,
    RunInfo,
    SpanEnd,
    Strength,
    Witness,
)


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
