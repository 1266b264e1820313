"""trackio's projects: the newest run in it, its settings, its rows."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tracker_stores import mlflow_database, run_sql, trackio_project

from itermon.collectors.trackers.stores.store import Begun, Logged, StoreError
from itermon.collectors.trackers.stores.trackio import TrackioRun, is_trackio

BEGAN_S = 1_795_363_842.0


def test_a_run_and_its_rows(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db", 2)
    run = TrackioRun(path)
    assert run.begun() == Begun("run-a", BEGAN_S, {"batch_size": 16, "max_steps": 200})
    assert run.new() == [
        Logged(0, BEGAN_S + 1, {"train/loss": 3.0}),
        Logged(1, BEGAN_S + 2, {"train/loss": 2.99}),
    ]
    assert (run.new(), run.end()) == ([], None)


def test_of_several_runs_it_is_the_newest(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db", 5)
    trackio_project(path, 1, "run-b")
    run = TrackioRun(path)
    assert run.begun().name == "run-b"
    assert [one.step for one in run.new()] == [0]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{"loss": "NaN"}', math.nan),
        ('{"loss": "-Infinity"}', -math.inf),
        ('{"loss": 2, "note": "x", "flag": true, "image": {"a": 1}}', 2.0),
    ],
)
def test_numbers_are_read_as_trackio_writes_them(tmp_path: Path, written: str, read: float) -> None:
    path = trackio_project(tmp_path / "gpt.db", 1)
    run_sql(path, "UPDATE metrics SET metrics = ?", (written,))
    run = TrackioRun(path)
    run.begun()
    (row,) = run.new()
    assert row.values == pytest.approx({"loss": read}, nan_ok=True)


@pytest.mark.parametrize("written", ["", "[1]", "{", "[" * 100_000, '{"x": 1' + "0" * 400 + "}", None, 7])
def test_a_row_that_is_none_is_left_out(tmp_path: Path, written: object) -> None:
    path = trackio_project(tmp_path / "gpt.db", 2)
    run_sql(path, "UPDATE metrics SET metrics = ? WHERE step = 0", (written,))
    run = TrackioRun(path)
    run.begun()
    assert [one.step for one in run.new()] == [1]


def test_an_empty_project_says_so(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db")
    run_sql(path, "DELETE FROM metrics")
    with pytest.raises(StoreError, match="nothing was logged"):
        TrackioRun(path).begun()


def test_the_tables_tell_whose_a_database_is(tmp_path: Path) -> None:
    assert is_trackio(trackio_project(tmp_path / "gpt.db"))
    assert not is_trackio(mlflow_database(tmp_path / "mlflow.db"))
