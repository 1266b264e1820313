"""What a rank is asked for every few seconds."""

from __future__ import annotations

from math import isnan, nan
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from simulated_runs import plain, times, watched

from itermon.analysis import pulse
from itermon.analysis.pulse import count_open, pulse_of
from itermon.events import DATA, EVALUATION, FORWARD, SYNC, Iteration, RunInfo, SpanEnd

if TYPE_CHECKING:
    from itermon.analysis.causes.tally import Sum


def test_of_a_run_without_iterations_only_its_causes_are_known() -> None:
    found = pulse_of(watched([RunInfo()]).intake)
    assert found == pulse.Pulse()


def test_the_newest_iteration_is_told() -> None:
    run = watched([*plain(times(40)), Iteration(40, 0.5, 2.5, at_s=1_000.0, gradient_norm=1.5)]).intake
    found = pulse_of(run)
    assert (found.index, found.duration_s, found.at_s, found.loss) == (40, 0.5, 1_000.0, 2.5)
    assert found.usual_s == pytest.approx(0.2, rel=0.05)
    assert found.gradient_norm == 1.5
    run.apply([Iteration(41)])
    found = pulse_of(run)
    assert (found.index, found.duration_s, found.at_s, found.loss) == (41, None, None, 2.5)


@pytest.mark.parametrize(
    ("losses", "newest"),
    [
        ([3.0, 2.0], 2.0),
        ([3.0, None], 3.0),
        ([3.0, *[None] * 127], 3.0),
        ([3.0, *[None] * 128], None),
        (["nan", 2.0], 2.0),
        (["nan", None], None),
        ([2.0, "nan", None], 2.0),
    ],
)
def test_the_newest_loss_is_that_of_the_newest_that_has_one(losses: list[Any], newest: float | None) -> None:
    events = [
        Iteration(i, 1.0, bad_loss=loss) if isinstance(loss, str) else Iteration(i, 1.0, loss)
        for i, loss in enumerate(losses)
    ]
    assert pulse_of(watched([*events]).intake).loss == newest


def test_a_newest_loss_that_is_no_number_is_none() -> None:
    found = pulse_of(watched([Iteration(0, 1.0, 3.0), Iteration(1, 1.0, bad_loss="nan")]).intake)
    assert found.loss is not None
    assert isnan(found.loss)


def phases(usual_s: dict[str, float], wait_s: float | None) -> tuple[dict[str, float], float | None]:
    run: Any = SimpleNamespace(
        newest_iterations=lambda: [Iteration(0, data_wait_s=wait_s)],
        gpu_phases=SimpleNamespace(usual_s=lambda: usual_s),
    )
    return pulse._phases(run)


@pytest.mark.parametrize(
    ("usual_s", "wait_s", "local_s", "sync_s"),
    [
        ({FORWARD: 1.0, SYNC: 0.5}, None, {FORWARD: 1.0}, 0.5),
        ({FORWARD: 1.0, SYNC: 0.5}, 0.25, {FORWARD: 0.75, DATA: 0.25}, 0.5),
        ({FORWARD: 1.0}, 0.25, {FORWARD: 1.0, DATA: 0.25}, None),
        ({}, 0.25, {DATA: 0.25}, None),
        ({}, None, {}, None),
    ],
)
def test_what_is_local_is_told_apart_from_the_wait_for_others(
    usual_s: dict[str, float], wait_s: float | None, local_s: dict[str, float], sync_s: float | None
) -> None:
    assert phases(usual_s, wait_s) == (local_s, sync_s)


def test_what_is_open_counts_at_the_end_and_what_came_after_the_last_iteration() -> None:
    def counted(*, over: bool) -> dict[str, Sum]:
        run = watched([*plain(times(300)), SpanEnd(EVALUATION, None, 300, 7.0)])
        run.end_process(over=over)
        return dict(pulse_of(run.intake).counted)

    assert counted(over=True)[EVALUATION].seconds == 7.0
    assert EVALUATION not in counted(over=False)
    empty = watched([RunInfo()]).intake
    count_open(empty, over=True)
    assert dict(empty.final_labels.counted.sums) == {}
    assert pulse._known(nan) is None
