"""Sockets of trainers that are busy, of strangers, or none."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from itermon.collectors.runs.connecting import answers, connect
from itermon.collectors.runs.listing import known_runs
from itermon.collectors.runs.socket import SocketSource
from itermon.events import SourceState

NAME = "train.20260101-000000.1.sock"


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The socket of a listener that accepts nobody, with as many waiting as it lets wait."""
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path))
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    path = tmp_path / NAME
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as waiting:
        listener.bind(str(path))
        listener.listen(0)
        waiting.connect(str(path))
        yield path


def test_a_trainer_that_accepts_nobody_is_given_up_and_lives(full: Path) -> None:
    with pytest.raises(TimeoutError, match="accepts nobody"):
        connect(full, wait_s=0.05)
    assert answers(full)
    assert [run.alive for run in known_runs()] == [True]


def test_attaching_to_it_ends_with_one_line(full: Path) -> None:
    batches = []
    attached = threading.Thread(target=lambda: batches.extend(SocketSource(full).batches(threading.Event())))
    attached.daemon = True
    attached.start()
    attached.join(30.0)
    assert [batch.state for batch in batches] == [SourceState.FAILED]
    assert batches[0].note.endswith("its trainer lives but accepts nobody: stopped, or too busy. Try again")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_another_users_socket_is_no_run_and_never_connected_to(full: Path) -> None:
    os.chown(full, 4343, 4343)
    with pytest.raises(OSError, match="belongs to another user \\(uid 4343\\)"):
        connect(full)
    assert not answers(full)
    assert known_runs() == []
    assert full.exists()  # in a folder that is not ours alone we remove nothing of a stranger's


def test_what_is_no_socket_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="a directory, not a socket"):
        connect(tmp_path)
