"""The runs that may be a log's lie beside it, and began before it was last written to."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from campaigns import wandb_writer as w
from tracker_stores import mlflow_database, mlflow_folder, trackio_project

from itermon.collectors.trackers.beside.finding import MOST_RUNS, runs_beside


def run(folder: Path, began: str) -> Path:
    made = folder / "wandb" / f"run-{began}-x" / "run-x.wandb"
    made.parent.mkdir(parents=True)
    made.write_bytes(w.file_of([]))
    return made


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text("iter 0: loss 3.0\n")
    return path


def test_a_log_alone_has_none(log: Path) -> None:
    assert runs_beside(log) == []
    assert runs_beside(log.with_name("not there")) == []


def test_wandb_runs_that_began_before_the_log_was_last_written_the_newest_first(log: Path) -> None:
    runs = [run(log.parent, f"2024010{day}_000000") for day in (1, 2, 3, 4, 5, 6)]
    evening_s = time.mktime((2024, 1, 4, 20, 0, 0, 0, 0, -1))  # of the fourth, here
    os.utime(log, (evening_s, evening_s))
    assert runs_beside(log) == runs[3::-1][:MOST_RUNS]
    os.utime(log, (1_000_000_000,) * 2)  # a copy that lost its time
    assert runs_beside(log) == runs[::-1][:MOST_RUNS]


@pytest.mark.parametrize(("apart_s", "place"), [(0, 0), (60, 0), (-60, 0), (61, None), (-61, None)])
def test_the_run_that_was_written_to_when_the_log_was_comes_first(
    log: Path, apart_s: int, place: int | None
) -> None:
    """A long training beside short ones that began later: those came first, and it was not read at all."""
    long, *short = (run(log.parent, f"2024010{day}_000000") for day in (1, 2, 3, 4, 5))
    evening_s = time.mktime((2024, 1, 8, 20, 0, 0, 0, 0, -1))
    os.utime(log, (evening_s, evening_s))
    os.utime(long, (evening_s + apart_s,) * 2)
    found = runs_beside(log)
    assert (found.index(long) if long in found else None) == place
    assert found[-2:] == (short[:-3:-1] if place == 0 else short[-2:0:-1])


def test_what_wandb_kept_of_the_output_belongs_to_its_run(tmp_path: Path) -> None:
    run(tmp_path, "20240109_000000")
    mine = run(tmp_path, "20240102_000000")
    kept = mine.parent / "files" / "output.log"
    kept.parent.mkdir()
    kept.write_text("")
    assert runs_beside(kept) == [mine]


def test_stores_and_event_files_beside_it(log: Path) -> None:
    folder = mlflow_folder(log.parent)
    assert runs_beside(log) == [folder]
    project = trackio_project(log.parent / "gpt.db")
    database = mlflow_database(log.parent / "mlflow.db")
    os.utime(database, (0, 0))
    assert runs_beside(log) == [folder, project, database]


@pytest.mark.parametrize("place", [".", "runs/gpt"])
def test_event_files(log: Path, place: str) -> None:
    folder = log.parent / place
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "events.out.tfevents.1.x").write_bytes(b"H" + bytes(8) + b"\x1a\rbrain.Event:2\n")
    assert runs_beside(log) == [folder]


@pytest.mark.parametrize(("late_s", "found"), [(60, 1), (61, 0)])
def test_a_run_may_begin_a_minute_after_the_log_was_last_written_to(log: Path, late_s: int, found: int) -> None:
    """The clocks of a file system and of the machine differ; of runs that all began later, each may be it."""
    late = run(log.parent, "20240104_120000")
    written_s = time.mktime((2024, 1, 4, 12, 0, 0, 0, 0, -1)) - late_s
    os.utime(log, (written_s, written_s))
    assert runs_beside(log) == [late]
    early = run(log.parent, "20240101_000000")
    assert runs_beside(log) == [late, early][1 - found :]


def test_of_runs_of_several_trackers_no_more_are_read_than_of_one(log: Path) -> None:
    runs = [run(log.parent, f"2024010{day}_000000") for day in (1, 2, 3, 4)]
    mlflow_folder(log.parent)
    assert runs_beside(log) == runs[:0:-1]


def test_a_store_alone_beside_a_log(log: Path) -> None:
    project = trackio_project(log.parent / "gpt.db")
    assert runs_beside(log) == [project]


def test_a_file_of_wandb_alone_beside_a_log(log: Path) -> None:
    made = log.parent / "run-x.wandb"
    made.write_bytes(w.file_of([]))
    assert runs_beside(log) == [made]
