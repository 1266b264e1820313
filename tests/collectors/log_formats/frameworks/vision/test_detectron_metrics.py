"""detectron2's `metrics.json`: which row is the last of its training."""

from __future__ import annotations

import json

from log_examples import read

from itermon.events import Config, Iteration, RunInfo


def _row(number: int, left_s: float | None) -> str:
    row = {"data_time": 0.125, "iteration": number, "time": 0.5, "total_loss": 2.5}
    return json.dumps(row if left_s is None else row | {"eta_seconds": left_s})


def _read(*rows: str) -> list[object]:
    return [*read("detectron2 metrics.json", "\n".join(rows))]


def test_nothing_is_left_behind_the_last_iteration_alone() -> None:
    found = _read(_row(19, 20.0), _row(39, 10.0), _row(59, 0.0))
    assert [one.max_iterations for one in found if isinstance(one, Config)] == [60]
    assert [one.index for one in found if isinstance(one, Iteration)] == [19, 39, 59]


def test_what_begins_again_behind_the_last_iteration_repeats_none() -> None:
    found = _read(_row(19, 10.0), _row(39, 0.0), _row(19, 10.0), _row(39, None))
    assert [one.resumed for one in found if isinstance(one, RunInfo)][1:] == [False]
    stopped = _read(_row(19, 20.0), _row(39, 10.0), _row(19, 20.0), _row(39, None))
    assert [one.resumed for one in stopped if isinstance(one, RunInfo)][1:] == [None]
