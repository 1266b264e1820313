"""The recording, to the byte: what is bounded, what an overflow counts, where a viewer goes on."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.events import Dropped, Iteration, RunInfo, decode, encode
from itermon.trainer_hooks.delivery import recording as recording_module
from itermon.trainer_hooks.delivery.recording import Recording

from .conftest import LINES, everything

Disk = Callable[[int | None], None]


def dropped(lines: bytes) -> list[Dropped]:
    return [event for line in lines.splitlines() if line and isinstance(event := decode(line), Dropped)]


def overflow(recording: Recording) -> int:
    """Append lines until the memory is full; how many."""
    before, appended = recording.overflows, 0
    while recording.overflows == before:
        recording.append(LINES[appended])
        appended += 1
    return appended


def test_four_mebibytes_wait_in_memory() -> None:
    recording = Recording(None)
    recording.append(b"x" * ((4 << 20) - 1) + b"\n")
    assert recording.overflows == 0
    recording.append(b"\n")
    assert recording.overflows == 1


def test_a_viewer_gets_a_mebibyte_at_once() -> None:
    recording = Recording(None)
    recording.append(b"x" * (3 << 20) + b"\n")
    viewer: Any = SimpleNamespace(send=len)
    assert [recording.send(viewer, 0), recording.send(viewer, 3 << 20)] == [1 << 20, 1]


def test_what_somebody_else_wrote_behind_it_is_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recording = Recording(path)
    recording.append(LINES[0])
    with path.open("ab") as file:
        file.write(b"x" * 200)
    assert everything(recording, 10) == LINES[0][10:]
    recording.close()


def test_what_somebody_else_wrote_behind_a_whole_line_leaves_it_whole(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    path = tmp_path / "run.jsonl"
    recording = Recording(path)
    recording.append(LINES[0])
    with path.open("ab") as file:
        file.write(b"\n")
    disk(0)
    appended = overflow(recording)
    disk(None)
    recording.flush()
    assert [event.count for event in dropped(path.read_bytes())] == [appended - 1]
    recording.close()


def test_a_file_that_cannot_be_asked_is_gone_and_its_lines_are_taken_for_whole(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Any:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    path = tmp_path / "run.jsonl"
    recording = Recording(path)
    recording.append(LINES[0])
    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", broken)
        patch.setattr(os, "pread", broken)
        assert recording.gone()
        disk(0)
        appended = overflow(recording)
    disk(None)
    recording.flush()
    assert [event.count for event in dropped(path.read_bytes())] == [appended - 1]
    recording.close()


def test_the_lock_is_taken_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    flock = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", lambda fd, how: asked.append(how) or flock(fd, how))
    recording = Recording(tmp_path / "run.jsonl")
    for line in LINES:
        recording.append(line)
    assert len(asked) == 1
    recording.close()


@pytest.mark.parametrize("taken", [0, 1, 2])
def test_what_is_lost_after_the_disk_took_the_head_and_a_little_more_is_counted(
    taken: int, tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the head stands an empty line, and then the notice of what was lost before."""
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    path, head = tmp_path / "run.jsonl", encode(RunInfo(name="x"))
    recording = Recording(path)
    disk(0)
    recording.keep(head)
    appended = overflow(recording)
    disk(len(head) + taken)
    recording.flush()
    appended += overflow(recording)
    disk(None)
    recording.flush()
    events = [decode(line) for line in path.read_bytes().splitlines() if line]
    kept_count = sum(isinstance(event, Iteration) for event in events)
    assert sum(event.count for event in dropped(path.read_bytes())) + kept_count == appended
    recording.close()


def test_an_overflow_says_why(tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    nowhere, full = Recording(None), Recording(tmp_path / "run.jsonl")
    disk(0)
    for recording in (nowhere, full):
        overflow(recording)
    disk(None)
    full.flush()
    assert [event.what for event in dropped(everything(nowhere))] == ["events; no recording is kept"]
    (why,) = [event.what for event in dropped(everything(full))]
    assert why.startswith("events; ")
    assert why.endswith("run.jsonl: No space left on device")
    full.close()


def test_a_viewer_that_had_half_a_line_gets_its_other_half_after_an_overflow(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    recording = Recording(tmp_path / "run.jsonl")
    half = len(LINES[0]) + 10
    disk(half)
    overflow(recording)
    whole = len(LINES[0]) + len(LINES[1])
    assert [recording.relocate(offset) for offset in (0, half, whole)] == [0, half, whole]
    assert recording.relocate(whole + 1) == whole
    assert everything(recording, half).startswith(LINES[1][10:])
    recording.close()
