"""A database of somebody else's is read in short looks that leave nothing behind and keep nobody waiting."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tracker_stores import TRACKIO, run_sql, trackio_project

from itermon.collectors.trackers.stores import database
from itermon.collectors.trackers.stores.database import is_database, look, tables
from itermon.collectors.trackers.stores.store import StoreError


def test_a_look_at_one_with_a_log_leaves_no_file_behind(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db")
    assert [*tmp_path.iterdir()] == [path]
    assert [step for (step,) in look(path, "SELECT step FROM metrics ORDER BY id")] == [0, 1, 2]
    assert [*tmp_path.iterdir()] == [path]


def test_what_stands_only_in_the_log_of_a_living_writer_is_seen(tmp_path: Path) -> None:
    path = trackio_project(tmp_path / "gpt.db")
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("INSERT INTO metrics (step) VALUES (7)")
        writer.commit()
        assert look(path, "SELECT max(step) FROM metrics") == [(7,)]


def test_a_writer_in_the_midst_of_a_change_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    run_sql(path, TRACKIO)
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked"):
            look(path, "SELECT 1 FROM metrics")
        writer.execute("COMMIT")
    assert look(path, "SELECT 1 FROM metrics") == []


def test_nothing_is_held_between_two_looks(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    run_sql(path, TRACKIO)
    look(path, "SELECT 1 FROM metrics")
    with closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as writer:
        writer.execute("BEGIN EXCLUSIVE")


def test_a_look_that_takes_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.db"
    run_sql(path, "CREATE TABLE t (n); INSERT INTO t VALUES (1)")
    monkeypatch.setattr(database, "LONGEST_LOOK_S", 0.0)
    forever = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c"
    with pytest.raises(StoreError, match="longer"):
        look(path, forever)


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0", b"SQLite format 3\0" + bytes(5_000), b"step,loss\n"]
)
def test_what_is_none_says_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    assert tables(path) == set()
    assert is_database(path) is content.startswith(b"SQLite format 3\0")


def test_a_pipe_and_a_folder_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "nothing"):
        assert not is_database(path)
        with pytest.raises(StoreError):
            look(path, "SELECT 1")


def test_bytes_cut_anywhere_raise_nothing_else(tmp_path: Path) -> None:
    whole = trackio_project(tmp_path / "gpt.db", 40).read_bytes()
    path = tmp_path / "cut.db"
    for cut in range(0, len(whole), 977):
        path.write_bytes(whole[:cut] + bytes(len(whole) - cut))
        with contextlib.suppress(StoreError):
            assert len(look(path, "SELECT step, metrics FROM metrics ORDER BY id")) <= 40
