"""The recording: whole lines whatever the disk does, and viewers that miss nothing and learn what was lost."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from itermon.events import (
    Config,
    Dropped,
    Iteration,
    RunInfo,
    decode,
    encode,
)
from itermon.trainer_hooks.delivery import recording as recording_module
from itermon.trainer_hooks.delivery.recording import Recording

from .conftest import LINES, everything


def test_what_was_appended_is_in_the_file_and_is_what_viewers_get(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "deep" / "run.jsonl")
    recording.append(b"".join(LINES))
    assert (tmp_path / "deep" / "run.jsonl").read_bytes() == b"".join(LINES) == everything(recording)
    assert (tmp_path / "deep" / "run.jsonl").stat().st_mode & 0o777 == 0o600
    assert everything(recording, 500) == b"".join(LINES)[500:]


def test_a_full_disk_loses_nothing_while_memory_lasts(tmp_path: Path, disk: Callable[[int | None], None]) -> None:
    path = tmp_path / "run.jsonl"
    recording = Recording(path)
    disk(100)  # the third line is written by half
    for line in LINES:
        recording.append(line)
    assert path.stat().st_size == 100
    assert "No space left" in recording.trouble
    assert everything(recording) == b"".join(LINES)
    disk(None)
    recording.flush()
    assert recording.trouble == ""
    assert path.read_bytes() == b"".join(LINES)


def test_an_overflow_is_counted_and_told_and_no_line_is_left_broken(
    tmp_path: Path, disk: Callable[[int | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    path = tmp_path / "run.jsonl"
    recording = Recording(path)
    disk(100)
    appended = 0
    while not recording.overflows:
        recording.append(LINES[appended])
        appended += 1
    disk(None)
    recording.append(LINES[99])
    events = [decode(line) for line in path.read_bytes().splitlines() if line]
    (dropped,) = [event for event in events if isinstance(event, Dropped)]
    kept = [event.index for event in events if isinstance(event, Iteration)]
    assert kept[-2:] == [appended - 1, 99]
    assert dropped.count + len(kept) == appended + 1
    assert everything(recording) == path.read_bytes()


@pytest.mark.parametrize("had", ["nothing", "half a line", "some", "all"])
def test_after_an_overflow_a_viewer_goes_on_where_it_should(had: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    recording = Recording(None)
    head = encode(RunInfo(name="x")) + encode(Config(block_size=8))
    recording.keep(head)
    recording.append(b"".join(LINES[:10]))
    had_bytes = {"nothing": 0, "half a line": len(head) + 10, "some": len(head + LINES[0]), "all": recording.size}[
        had
    ]
    first = everything(recording)[:had_bytes]
    before = recording.size
    recording.append(b"".join(LINES[10:20]))  # overflows
    assert (recording.overflows, recording.size < before + 400) == (1, True)
    rest = everything(recording, recording.relocate(had_bytes))
    whole = [line for line in (first + rest).splitlines() if line.startswith(b"{") and line.endswith(b"}")]
    events = [decode(line) for line in whole]
    assert [type(event) for event in events[:2]] == [RunInfo, Config]
    assert sum(isinstance(event, RunInfo) for event in events) == 1
    assert [event.index for event in events if isinstance(event, Iteration)][-10:] == list(range(10, 20))
    lost = [event.count for event in events if isinstance(event, Dropped)]
    assert lost == ([] if had == "all" else [10])


def test_a_directory_that_cannot_be_made_is_told_and_viewers_get_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    recording = Recording(tmp_path / "file" / "run.jsonl")
    assert recording.trouble == f"{tmp_path / 'file'}: Not a directory"
    recording.append(LINES[0])
    assert everything(recording) == LINES[0]


def test_a_deleted_file_is_noticed_and_still_feeds_viewers(tmp_path: Path) -> None:
    recording = Recording(tmp_path / "run.jsonl")
    assert not recording.gone()
    (tmp_path / "run.jsonl").unlink()
    assert recording.gone()
    recording.append(LINES[0])
    assert everything(recording) == LINES[0]


def test_what_two_overflows_lost_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    recording = Recording(None)
    recording.keep(encode(RunInfo(name="x")))
    appended = 0
    while recording.overflows < 3:
        recording.append(LINES[appended])
        appended += 1
    events = [decode(line) for line in everything(recording).splitlines() if line]
    (dropped,) = [event for event in events if isinstance(event, Dropped)]
    assert dropped.count + sum(isinstance(event, Iteration) for event in events) == appended


def test_an_overflow_after_a_whole_line_keeps_nothing_of_the_tail(
    tmp_path: Path, disk: Callable[[int | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    recording = Recording(tmp_path / "run.jsonl")
    disk(len(LINES[0]))
    appended = 0
    while not recording.overflows:
        recording.append(LINES[appended])
        appended += 1
    disk(None)
    recording.flush()
    events = [decode(line) for line in (tmp_path / "run.jsonl").read_bytes().splitlines() if line]
    assert [event.index for event in events if isinstance(event, Iteration)] == [0, appended - 1]
    assert [event.count for event in events if isinstance(event, Dropped)] == [appended - 2]


APPEND = st.tuples(st.just("append"), st.integers(1, 40))
DISK = st.tuples(st.just("disk"), st.none() | st.integers(0, 400))
READ = st.tuples(st.just("read"), st.integers(1, 2_000))


# The empty line before a notice is the last byte that the disk takes.
@example([("disk", 244), ("append", 41), ("disk", 45), ("append", 2)], True)
@settings(max_examples=100)
@given(st.lists(APPEND | DISK | READ, max_size=30), st.booleans())
def test_whatever_the_disk_does_each_event_is_read_or_counted_as_lost(
    acts: list[tuple[str, int | None]], with_file: bool
) -> None:
    free: list[int | None] = [None]
    write = os.write

    def limited(fd: int, data: bytes) -> int:
        if free[0] == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = write(fd, bytes(data[: free[0]]))
        free[0] = None if free[0] is None else free[0] - done
        return done

    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as folder:
        patch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
        patch.setattr(recording_module.os, "write", limited)
        path = Path(folder) / "run.jsonl"
        recording = Recording(path if with_file else None)
        recording.keep(encode(RunInfo(name="x")))
        appended, got, offset, overflows = 0, b"", 0, 0
        for act, number in [*acts, ("disk", None), ("append", 1), ("read", 1 << 20)]:
            if act == "append":
                for _ in range(number or 0):
                    recording.append(encode(Iteration(appended, 0.5)))
                    appended += 1
                    if recording.overflows != overflows:  # as the server does, after every append
                        overflows, offset = recording.overflows, recording.relocate(offset)
            elif act == "disk":
                free[0] = number
            else:
                read = everything(recording, offset)[:number]
                got, offset = got + read, offset + len(read)
        whole = everything(recording)
        recording.close()
        assert not with_file or path.read_bytes() == whole
    events = [decode(line) for line in whole.splitlines() if line]
    indices = [event.index for event in events if isinstance(event, Iteration)]
    assert sum(isinstance(event, RunInfo) for event in events) == 1
    assert indices == sorted(set(indices))
    assert len(indices) + sum(event.count for event in events if isinstance(event, Dropped)) == appended
    # A viewer that read now and then has no event twice, and the newest; of a lost one it may have had a half.
    lines = [line for line in got.splitlines() if line.startswith(b"{") and line.endswith(b"}")]
    seen = [event.index for line in lines if isinstance(event := decode(line), Iteration)]
    assert seen == sorted(set(seen))
    assert seen[-1] == appended - 1
    assert set(indices) <= set(seen)


@pytest.mark.parametrize(("size", "is_kept"), [(250, True), (251, False)])
def test_a_head_of_a_quarter_of_the_memory_is_written_again_after_an_overflow(
    size: int, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "MOST_TAIL_BYTES", 1000)
    recording = Recording(None)
    head = b"h" * (size - 1) + b"\n"
    recording.keep(head)
    recording.append(b"x" * (999 - size) + b"\n")
    assert recording.overflows == 0, "just full"
    recording.append(b"y\n")
    assert recording.overflows == 1
    assert everything(recording).startswith(head) == is_kept


@pytest.mark.parametrize("with_file", [True, False])
def test_a_viewer_gets_a_bounded_piece_at_once_from_the_file_and_from_memory(
    with_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording_module, "_AT_ONCE_BYTES", 100)
    recording = Recording(tmp_path / "run.jsonl" if with_file else None)
    recording.append(b"x" * 149 + b"\n")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert [recording.send(ours, 0), recording.send(ours, 100)] == [100, 50]
        assert theirs.recv(1000) == b"x" * 149 + b"\n"
    recording.close()


def test_a_lock_that_somebody_holds_is_taken_when_he_lets_go(tmp_path: Path) -> None:
    """Who lists runs tries the lock of each, to see whether its trainer lives."""
    path = tmp_path / "run.jsonl"
    path.touch()
    with path.open() as lister, path.open() as second:
        fcntl.flock(lister, fcntl.LOCK_EX)
        recording = Recording(path)
        recording.append(LINES[0])
        assert recording.trouble == ""
        fcntl.flock(lister, fcntl.LOCK_UN)
        recording.append(LINES[1])
        with pytest.raises(BlockingIOError):
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        recording.close()
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert path.read_bytes() == LINES[0] + LINES[1]


def test_a_close_writes_what_waits_but_not_in_a_forked_child(
    tmp_path: Path, disk: Callable[[int | None], None]
) -> None:
    for forked, written in ((False, LINES[0]), (True, b"")):
        recording = Recording(tmp_path / f"{forked}.jsonl")
        disk(0)
        recording.append(LINES[0])
        disk(None)
        recording.close(**({"forked": True} if forked else {}))
        recording.close(forked=forked)
        assert (tmp_path / f"{forked}.jsonl").read_bytes() == written


def test_a_file_that_is_cut_short_is_gone_and_one_that_grew_is_not(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    recording = Recording(path)
    recording.append(LINES[0])
    assert not recording.gone()
    with path.open("ab") as file:
        file.write(b"x")
    assert not recording.gone()
    os.truncate(path, len(LINES[0]) - 1)
    assert recording.gone()
    recording.close()
    assert not recording.gone(), "there is none any more"
