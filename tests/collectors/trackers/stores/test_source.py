"""A store as a source: all that it has, then what is logged to it, nothing missing and nothing twice."""

from __future__ import annotations

import threading
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tracker_stores import BEGAN_MS, log_to_mlflow, mlflow_database, mlflow_folder, run_sql, trackio_project

from itermon.collectors.trackers.stores.mlflow import MlflowDatabaseRun, MlflowFolderRun
from itermon.collectors.trackers.stores.source import StoreSource
from itermon.collectors.trackers.stores.trackio import TrackioRun
from itermon.events import Batch, Config, End, EndOfFile, Event, GpuSample, Iteration, Message, SourceState


def read(source: StoreSource) -> list[Batch]:
    return [*source.batches(threading.Event())]


def events(batches: list[Batch]) -> list[Event]:
    return [event for batch in batches for event in batch.events]


def indices(found: list[Event]) -> list[int]:
    return [event.index for event in found if isinstance(event, Iteration)]


def test_a_database_is_read_to_its_end(tmp_path: Path) -> None:
    path = mlflow_database(tmp_path / "mlflow.db", 3_000)
    batches = read(StoreSource(MlflowDatabaseRun(path), follow=False))
    found = events(batches)
    assert indices(found) == [*range(3_000)]
    assert (batches[-1].state, type(found[-1])) == (SourceState.ENDED, EndOfFile)
    (config,) = (event for event in found if isinstance(event, Config))
    assert (config.max_iterations, config.origin) == (200, "MLflow parameters")
    assert {event.duration_s for event in found if isinstance(event, Iteration)} == {None, 1.0}


def test_a_run_that_says_how_it_ended_has_ended_so(tmp_path: Path) -> None:
    batches = read(StoreSource(MlflowFolderRun(mlflow_folder(tmp_path, 3, status=4)), follow=True))
    found = events(batches)
    assert (indices(found), batches[-1].state) == ([0, 1, 2], SourceState.ENDED)
    assert isinstance(found[-1], End)
    assert found[-1].reason == "failed"


def test_what_is_logged_while_it_is_watched_comes_once(tmp_path: Path) -> None:
    path = mlflow_database(tmp_path / "mlflow.db", 3)
    stop = threading.Event()
    batches = StoreSource(MlflowDatabaseRun(path), poll_s=0.0).batches(stop)
    found: list[Event] = []
    for begin in range(3, 30, 3):
        for batch in iter(lambda: next(batches), None):
            found += batch.events
            if batch.state == SourceState.LIVE:
                break
        log_to_mlflow(path, range(begin, begin + 3))
    run_sql(path, "UPDATE runs SET status = 'FINISHED'")
    found += events([*batches])
    assert indices(found) == [*range(30)]


def test_a_project_that_is_locked_or_empty_is_waited_for(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db", 2)
    run_sql(path, "DELETE FROM metrics")
    batches = StoreSource(TrackioRun(path), poll_s=0.0).batches(threading.Event())
    (waiting,) = islice(batches, 1)
    assert waiting.state == SourceState.WAITING
    assert "nothing was logged yet" in waiting.note
    run_sql(path, "INSERT INTO metrics (timestamp, run_name, step, metrics) VALUES ('', 'r', 5, '{\"loss\": 1}')")
    assert SourceState.LIVE in [batch.state for batch in islice(batches, 4)]


def test_what_cannot_be_read_says_why(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db", 2)
    path.write_bytes(path.read_bytes()[:4_000])
    (last,) = read(StoreSource(TrackioRun(path), follow=False))
    assert last.state == SourceState.FAILED
    assert last.note.startswith(str(path))


def test_what_was_measured_of_the_machine_is_no_iteration(tmp_path: Path) -> None:
    path = mlflow_database(tmp_path / "mlflow.db", 2)
    rows = [("system/gpu_0_power_usage_watts", 300.0 + n, BEGAN_MS + 1_000 * n, "aa", n, 0) for n in range(3)]
    run_sql(path, "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", *rows)
    found = events(read(StoreSource(MlflowDatabaseRun(path), follow=False)))
    assert indices(found) == [0, 1]
    assert [event.power_w for event in found if isinstance(event, GpuSample)] == [300.0, 301.0, 302.0]


def test_so_it_is_in_trackios_own_table(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db", 2)
    columns = "id INTEGER PRIMARY KEY, timestamp TEXT, run_name TEXT, metrics TEXT"
    run_sql(path, f"CREATE TABLE system_metrics ({columns})")
    row = ("2026-11-22T16:10:50+00:00", "run-a", '{"gpu/0/power": 250.0}')
    run_sql(path, "INSERT INTO system_metrics (timestamp, run_name, metrics) VALUES (?, ?, ?)", row)
    found = events(read(StoreSource(TrackioRun(path), follow=False)))
    assert indices(found) == [0, 1]
    assert [event.power_w for event in found if isinstance(event, GpuSample)] == [250.0]


@pytest.mark.parametrize(("make", "run"), [(mlflow_database, MlflowDatabaseRun), (trackio_project, TrackioRun)])
def test_of_several_runs_the_newest_or_the_one_that_is_named(tmp_path: Path, make: Any, run: Any) -> None:
    path = make(tmp_path / "runs.db", 5, "old")
    make(path, 3, "new")

    def read_run(named: str = "") -> list[Event]:
        return events(read(StoreSource(run(path, named), follow=False)))

    newest, older = read_run(), read_run("old")
    assert (len(indices(newest)), len(indices(older))) == (3, 5)
    said = [event.text for event in newest if isinstance(event, Message)]
    assert any("new is one of 2 runs in it; another: --run NAME" in text for text in said)
    (failed,) = read(StoreSource(run(path, "none"), follow=False))
    assert failed.note.endswith("no run 'none' in it")
