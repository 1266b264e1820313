"""MLflow's runs, from its database and from its files: the newest one, its settings, its values, its end."""

from __future__ import annotations

import math
import os
from pathlib import Path

from tracker_stores import BEGAN_MS, log_to_mlflow, mlflow_database, mlflow_folder, run_sql, trackio_project

from itermon.collectors.trackers.stores.mlflow import (
    MlflowDatabaseRun,
    MlflowFolderRun,
    is_mlflow,
    is_run_folder,
    newest_run,
)
from itermon.collectors.trackers.stores.store import Begun, Logged
from itermon.events import End


def test_a_run_of_the_database(tmp_path: Path) -> None:
    path = mlflow_database(tmp_path / "mlflow.db", 2)
    run = MlflowDatabaseRun(path)
    assert run.begun() == Begun("run aa", BEGAN_MS / 1e3, {"batch_size": "16", "max_steps": "200"})
    at_s = BEGAN_MS / 1e3
    assert run.new() == [
        Logged(0, at_s + 1, {"train_loss": 3.0}),
        Logged(0, at_s + 1, {"lr": 3e-4}),
        Logged(1, at_s + 2, {"train_loss": 2.99}),
        Logged(1, at_s + 2, {"lr": 3e-4}),
    ]
    assert (run.new(), run.end()) == ([], None)
    log_to_mlflow(path, range(2, 3))
    assert [one.step for one in run.new()] == [2, 2]
    run_sql(path, f"UPDATE runs SET status = 'KILLED', end_time = {BEGAN_MS + 5_000}")
    assert run.end() == End("killed", at_s=at_s + 5)


def test_of_several_runs_it_is_the_one_that_was_written_last(tmp_path: Path) -> None:
    path = mlflow_database(tmp_path / "mlflow.db", 3_000, "old")
    mlflow_database(path, 2, "new")
    run = MlflowDatabaseRun(path)
    assert run.begun().name == "run new"
    assert [one.step for one in run.new()] == [0, 0, 1, 1]


def test_what_is_no_number_is_none(tmp_path: Path) -> None:
    path = mlflow_database(tmp_path / "mlflow.db", 0)
    rows = [
        ("loss", 0.0, 1, "aa", 1, 1),
        ("loss", -1.7976931348623157e308, 1, "aa", 2, 0),
        ("x", "text", 1, "aa", 3, 0),
    ]
    run_sql(path, "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", *rows)
    run = MlflowDatabaseRun(path)
    run.begun()
    first, second = (one.values["loss"] for one in run.new())
    assert math.isnan(first)
    assert second == -math.inf


def test_the_tables_tell_whose_a_database_is(tmp_path: Path) -> None:
    assert is_mlflow(mlflow_database(tmp_path / "mlflow.db"))
    assert not is_mlflow(trackio_project(tmp_path / "gpt.db"))


def test_a_run_of_files(tmp_path: Path) -> None:
    folder = mlflow_folder(tmp_path, 2, status=3)
    run = MlflowFolderRun(folder)
    at_s = BEGAN_MS / 1e3
    assert run.begun() == Begun("run aa", at_s, {"batch_size": "16"})
    assert run.new() == [
        Logged(0, at_s + 1, {"lr": 3e-4}),
        Logged(0, at_s + 1, {"train/loss": 3.0}),
        Logged(1, at_s + 2, {"lr": 3e-4}),
        Logged(1, at_s + 2, {"train/loss": 2.99}),
    ]
    assert run.new() == []
    assert run.end() == End("finished", at_s=at_s + 9)


def test_the_newest_run_is_found_in_the_tree(tmp_path: Path) -> None:
    old, new = mlflow_folder(tmp_path, run="aa"), mlflow_folder(tmp_path, run="bb")
    for file in (old / "metrics").glob("*"):
        os.utime(file, (1e9, 1e9))
    for place in (tmp_path, tmp_path / "mlruns", new.parent, new):
        assert newest_run(place) == new
    assert newest_run(old) == old
    assert is_run_folder(new)
    assert not is_run_folder(new.parent)
    assert newest_run(new / "params") is None


def test_of_a_parameter_no_more_than_64_kib_is_read(tmp_path: Path) -> None:
    folder = mlflow_folder(tmp_path)
    (folder / "params" / "prompt").write_text("x" * ((1 << 16) + 1))
    assert len(MlflowFolderRun(folder).begun().settings["prompt"]) == 1 << 16
