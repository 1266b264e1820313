"""What a tracker wrote is opened by its reader, from its file, its folder or the folder that holds it."""

from __future__ import annotations

from pathlib import Path

from tracker_stores import mlflow_database, mlflow_folder, run_sql, trackio_project

from itermon.collectors.trackers.known import Found, holds_only_runs, newest_run, source_of
from itermon.collectors.trackers.stores.mlflow import MlflowDatabaseRun, MlflowFolderRun
from itermon.collectors.trackers.stores.source import StoreSource
from itermon.collectors.trackers.stores.trackio import TrackioRun


def opened(path: Path) -> type | None:
    source = source_of(path, follow=False, formats=None)
    return type(source._store) if isinstance(source, StoreSource) else type(source) if source else None


def test_mlflow_and_trackio_are_told_apart_by_what_they_hold(tmp_path: Path) -> None:
    assert opened(mlflow_database(tmp_path / "a.db")) is MlflowDatabaseRun
    assert opened(trackio_project(tmp_path / "b.db")) is TrackioRun
    assert opened(mlflow_folder(tmp_path)) is MlflowFolderRun


def test_another_database_and_a_log_are_no_trackers(tmp_path: Path) -> None:
    run_sql(tmp_path / "other.db", "CREATE TABLE t (x)")
    (tmp_path / "train.log").write_text("iter 0: loss 1.0\n")
    assert opened(tmp_path / "other.db") is None
    assert opened(tmp_path / "train.log") is None


def test_the_newest_run_of_a_folder(tmp_path: Path) -> None:
    assert newest_run(tmp_path) is None
    project = trackio_project(tmp_path / "gpt.db")
    assert newest_run(tmp_path) == Found("trackio", project)
    run = mlflow_folder(tmp_path)
    assert newest_run(tmp_path) == Found("MLflow", run)
    assert newest_run(run) == Found("MLflow", run)


def test_a_trackers_own_folder_holds_no_logs(tmp_path: Path) -> None:
    run = mlflow_folder(tmp_path)
    assert holds_only_runs(run)
    assert holds_only_runs(tmp_path / "mlruns")
    assert not holds_only_runs(tmp_path)


def test_a_folder_that_is_not_there_has_none(tmp_path: Path) -> None:
    assert newest_run(tmp_path / "nothing") is None
