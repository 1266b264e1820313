"""Stores as MLflow and trackio lay them out: the tables and files that their own libraries made, in small."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

MLFLOW = """
CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE runs (run_uuid TEXT PRIMARY KEY, name TEXT, status TEXT, start_time BIGINT, end_time BIGINT);
CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);
CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT, step BIGINT, is_nan BOOLEAN,
                      PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan));
"""
TRACKIO = """
CREATE TABLE metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT, timestamp TEXT, run_name TEXT,
                      step INTEGER, metrics TEXT);
CREATE TABLE configs (id INTEGER PRIMARY KEY, run_id TEXT, run_name TEXT, config TEXT, created_at TEXT);
"""
BEGAN_MS = 1_795_363_842_000


def run_sql(path: Path, sql: str, *rows: tuple[object, ...]) -> None:
    """Run a script, or one statement with each of the rows."""
    with closing(sqlite3.connect(path)) as database, database:
        if rows:
            database.executemany(sql, rows)
        else:
            database.executescript(sql)


def mlflow_database(path: Path, steps: int = 3, run: str = "aa") -> Path:
    """A database with one run more, of `steps` steps of a second each."""
    if not path.exists():
        run_sql(path, MLFLOW)
    run_sql(path, "INSERT INTO runs VALUES (?, ?, ?, ?, ?)", (run, f"run {run}", "RUNNING", BEGAN_MS, None))
    run_sql(path, "INSERT INTO params VALUES (?, ?, ?)", ("batch_size", "16", run), ("max_steps", "200", run))
    log_to_mlflow(path, range(steps), run)
    return path


def log_to_mlflow(path: Path, steps: range, run: str = "aa") -> None:
    """A loss and a learning rate for each step."""
    rows = [
        (name, value, BEGAN_MS + 1_000 * (step + 1), run, step, 0)
        for step in steps
        for name, value in (("train_loss", 3.0 - 0.01 * step), ("lr", 3e-4))
    ]
    if rows:
        run_sql(path, "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", *rows)


def mlflow_folder(path: Path, steps: int = 3, *, status: int = 1, run: str = "aa") -> Path:
    """`mlruns/1/aa`: the folder of a run."""
    folder = path / "mlruns" / "1" / run
    (folder / "metrics" / "train").mkdir(parents=True)
    (folder / "params").mkdir()
    (folder.parent / "meta.yaml").write_text("experiment_id: '1'\nname: gpt\n")
    (folder / "params" / "batch_size").write_text("16")
    meta = f"run_name: 'run {run}'\nstart_time: {BEGAN_MS}\nend_time: {BEGAN_MS + 9_000}\nstatus: {status}\n"
    (folder / "meta.yaml").write_text(meta)
    with (
        (folder / "metrics" / "train" / "loss").open("w") as losses,
        (folder / "metrics" / "lr").open("w") as rates,
    ):
        for step in range(steps):
            at_ms = BEGAN_MS + 1_000 * (step + 1)
            losses.write(f"{at_ms} {3.0 - 0.01 * step} {step}\n")
            rates.write(f"{at_ms} 0.0003 {step}\n")
    return folder


def trackio_project(path: Path, steps: int = 3, run: str = "run-a") -> Path:
    """A project with one run more."""
    if not path.exists():
        run_sql(path, f"PRAGMA journal_mode = WAL; {TRACKIO}")
    config = json.dumps({"batch_size": 16, "max_steps": 200, "_Username": "ana"})
    run_sql(
        path,
        "INSERT INTO configs (run_id, run_name, config, created_at) VALUES (?, ?, ?, ?)",
        ("id", run, config, "2026-11-22T16:10:42+00:00"),
    )
    rows = [
        ("id", f"2026-11-22T16:10:{43 + step}+00:00", run, step, json.dumps({"train/loss": 3.0 - 0.01 * step}))
        for step in range(steps)
    ]
    run_sql(path, "INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES (?, ?, ?, ?, ?)", *rows)
    return path
