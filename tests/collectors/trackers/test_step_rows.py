"""Values that are logged one by one are one row a step, read once the next step begins."""

from __future__ import annotations

from itermon.collectors.trackers.step_rows import StepRows
from itermon.events import Iteration, RunInfo

RUN = RunInfo(name="run a", source_format="MLflow", framework="MLflow")


def test_the_values_of_a_step_are_one_iteration() -> None:
    rows = StepRows(None, RUN)
    assert rows.add(100.0, 0, {"train_loss": 3.0}) == []
    assert rows.add(100.5, 0, {"lr": 3e-4}) == []
    first, *rest = rows.add(102.0, 1, {"train_loss": 2.5})
    assert isinstance(first, RunInfo)
    assert (first.name, first.source_format) == ("run a", "MLflow")
    assert [(e.index, e.loss, e.at_s) for e in rest if isinstance(e, Iteration)] == [(0, 3.0, 100.0)]
    assert [(e.index, e.duration_s) for e in rows.finish() if isinstance(e, Iteration)] == [(1, 2.0)]
    assert (rows.finish(), rows.step) == ([], 1)


def test_without_a_time_an_iteration_has_none() -> None:
    rows = StepRows(None, RUN)
    for step in range(3):
        rows.add(None, step, {"train_loss": 3.0})
    (last,) = (e for e in rows.finish() if isinstance(e, Iteration))
    assert (last.index, last.duration_s, last.at_s) == (2, None, None)
