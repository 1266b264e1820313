"""What a tracker wrote is opened by its reader, from its file, its folder or the folder that holds it."""

from __future__ import annotations

import os
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


def test_a_run_is_found_by_its_name_and_the_newest_says_of_how_many(tmp_path: Path) -> None:
    first, second = (mlflow_folder(tmp_path, run=name) for name in ("aa", "bb"))
    os.utime(first / "metrics" / "lr", (2e9, 2e9))
    assert newest_run(tmp_path) == Found("MLflow", first, 2)
    assert newest_run(tmp_path, "bb") == newest_run(tmp_path, "run bb") == Found("MLflow", second, 2)
    assert newest_run(tmp_path, "cc") is None


def test_a_run_in_a_database_is_found_by_its_name(tmp_path: Path) -> None:
    database = mlflow_database(tmp_path / "mlflow.db", run="aa")
    project = trackio_project(tmp_path / "gpt.db", run="run-a")
    assert newest_run(tmp_path, "run aa") == Found("MLflow", database)
    assert newest_run(tmp_path, "run-a") == Found("trackio", project)
    assert newest_run(tmp_path, "run-b") is None


def test_a_wandb_run_is_found_by_its_number_and_its_folder(tmp_path: Path) -> None:
    for day in (1, 2):
        run = tmp_path / "wandb" / f"run-2024010{day}_000000-id{day}" / f"run-id{day}.wandb"
        run.parent.mkdir(parents=True)
        run.write_bytes(b":W&B")
    assert newest_run(tmp_path) == Found("W&B", run, 2)
    older = newest_run(tmp_path, "id1")
    assert older == newest_run(tmp_path / "wandb", "run-20240101_000000-id1")
    assert older
    assert older.path.name == "run-id1.wandb"


def test_the_newest_checkpoint_of_hugging_face_has_the_whole_history(tmp_path: Path) -> None:
    for step in (500, 1_000):
        state = tmp_path / f"checkpoint-{step}" / "trainer_state.json"
        state.parent.mkdir()
        state.write_text("{}")
    assert newest_run(tmp_path) == Found("Hugging Face", state)
