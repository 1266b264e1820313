"""One bar that goes on through all epochs."""

from __future__ import annotations

from itermon.collectors.log_formats.epoch_bars.runs_on import RunsOn
from itermon.collectors.log_formats.parsing.bars import Bar


def frames_of_passes(*, anew: bool) -> list[Bar]:
    """Ten passes of 100 steps, 100 s each; the clock and the rates are those since the first began, or since each."""
    found = []
    for n in range(10, 1001, 10):
        steps = (n - 1) % 100 + 1
        found.append(Bar(f"Epoch {(n - 1) // 100}", steps, 100, s := float(steps if anew else n), s / steps, ""))
        if steps == 100 and not anew:  # drawn once more
            found.append(found[-1]._replace(title=f"Epoch {n // 100}"))
    return found


def test_a_clock_that_runs_on_over_epochs_begins_anew_with_each() -> None:
    runs_on = RunsOn()
    runs_on.learn(frames_of_passes(anew=False))
    assert runs_on.known
    told = [own for bar in frames_of_passes(anew=False) if (own := runs_on.of(bar))]
    assert [one.elapsed_s for one in told] == [float((n - 1) % 100 + 1) for n in range(10, 1001, 10)]
    assert {one.seconds_each for one in told} == {1.0}


def test_a_clock_that_begins_anew_is_left_alone() -> None:
    runs_on = RunsOn()
    runs_on.learn(frames_of_passes(anew=True))
    assert not runs_on.known
    assert [runs_on.of(bar) for bar in frames_of_passes(anew=True)] == frames_of_passes(anew=True)
