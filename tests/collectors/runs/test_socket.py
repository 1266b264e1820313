"""Attached to a trainer, a broken trainer, or something that is none."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from itermon import run_files
from itermon.collectors.runs import socket as runs_socket
from itermon.collectors.runs.listing import NoSuchRunError, find_run, known_runs
from itermon.collectors.runs.socket import SocketSource
from itermon.events import Batch, End, Event, Iteration, Message, RunInfo, SourceState, encode
from itermon.trainer_hooks import Hooks


@pytest.fixture(autouse=True)
def run_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    (tmp_path / "sockets").mkdir(mode=0o700)
    return tmp_path


@pytest.fixture
def peer(run_folders: Path) -> Iterator[Callable[[list[bytes]], SocketSource]]:
    """A peer that says what it is asked to, hangs up, and can be attached to."""
    listeners: list[socket.socket] = []

    def serve(parts: list[bytes]) -> SocketSource:
        path = run_folders / "sockets" / "peer.20260101-000000.1.sock"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listeners.append(listener)
        listener.bind(str(path))
        listener.listen()

        def talk() -> None:
            connection, _ = listener.accept()
            with connection:
                for part in parts:
                    try:
                        connection.sendall(part)
                    except BrokenPipeError:
                        return

        threading.Thread(target=talk, daemon=True).start()
        return SocketSource(path)

    yield serve
    for listener in listeners:
        listener.close()


HELLO = encode(RunInfo(name="x"))


def read(source: SocketSource, until: Callable[[Batch], bool] | None = None) -> list[Batch]:
    """All batches up to the one that `until` wants, or to the end."""
    stop = threading.Event()
    timer = threading.Timer(30, stop.set)
    timer.start()
    batches = []
    for batch in source.batches(stop):
        batches.append(batch)
        if until and until(batch):
            break
    timer.cancel()
    assert not stop.is_set(), "it never came"
    return batches


def events(batches: list[Batch]) -> list[Event]:
    return [event for batch in batches if not batch.preview for event in batch.events]


def indices(batches: list[Batch]) -> list[int]:
    return [event.index for event in events(batches) if isinstance(event, Iteration)]


def test_a_trainer_is_read_from_its_beginning_to_its_good_bye() -> None:
    hooks = Hooks("run")
    for index in range(5000):
        hooks.iteration(index, loss=1.0)
    assert hooks.address is not None
    assert hooks.recording is not None
    while hooks.recording.stat().st_size < 300_000:
        pass  # until the history is long enough for a preview

    def follow(batch: Batch) -> bool:
        if batch.state == SourceState.LIVE and hooks.alive:
            hooks.iteration(5000)
            hooks.close()
        return False

    batches = read(SocketSource(hooks.address), follow)
    assert indices(batches) == list(range(5001))
    assert (batches[-1].state, batches[-1].note) == (SourceState.ENDED, "")
    assert isinstance(events(batches)[-1], End)
    assert any(batch.preview for batch in batches)


def test_a_killed_trainer_is_told_as_lost_and_listed_so(run_folders: Path) -> None:
    script = "import itermon, time; h = itermon.Hooks('doomed')\nfor i in range(9): h.iteration(i)\ninput()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE) as trainer:
        path: list[Path] = []
        while not path:
            path = list((run_folders / "sockets").glob("doomed.*.sock"))

        def kill(batch: Batch) -> bool:
            if any(isinstance(event, Iteration) and event.index == 8 for event in batch.events):
                trainer.kill()
            return False

        batches = read(SocketSource(path[0]), kill)
    last = events(batches)[-1]
    assert isinstance(last, End)
    assert (batches[-1].state, last.reason) == (SourceState.ENDED, "lost")
    (run,) = known_runs()
    assert (run.alive, run.ended, run.iteration, run.socket) == (False, "lost", 8, None)
    assert not path[0].exists(), "the socket of a dead trainer is cleaned away"


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ([b"HTTP/1.1 200 OK\r\n\r\n"], "no trainer"),
        ([encode(Iteration(index=1))], "no trainer"),
        ([], "no trainer"),
        ([encode(Message(text="this trainer has 128 viewers already", level="error"))], "128 viewers"),
        ([b"x" * (1 << 20)] * 3, "no trainer"),
    ],
)
def test_what_is_no_trainer_gets_one_clear_line(
    said: list[bytes], problem: str, peer: Callable[[list[bytes]], SocketSource]
) -> None:
    *_, last = read(peer(said))
    assert last.state == SourceState.FAILED
    assert problem in last.note
    assert "peer.20260101-000000.1.sock" in last.note


def test_garbage_after_a_good_beginning_is_counted_and_the_rest_is_read(
    peer: Callable[[list[bytes]], SocketSource],
) -> None:
    line = encode(Iteration(index=7))
    batches = read(
        peer([HELLO, line[:10], line[10:], b"garbage\n", b"y" * (3 << 20), b"\n" + line, b'{"type":"ite'])
    )
    assert indices(batches) == [7, 7]
    assert batches[-1].state == SourceState.ENDED
    assert "2 lines without an event" in batches[-1].note


def test_a_silent_peer_is_waited_for_and_said_so(run_folders: Path) -> None:
    path = run_folders / "sockets" / "mute.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        *_, last = read(SocketSource(path), lambda batch: batch.state == SourceState.WAITING)
    assert "waiting" in last.note


def test_a_peer_that_never_says_a_word_is_left_with_one_clear_line(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("itermon.collectors.runs.socket._POLL_S", 0.0)
    monkeypatch.setattr("itermon.collectors.runs.socket._PATIENCE_S", 0.0)
    path = run_folders / "sockets" / "mute.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        *_, last = read(SocketSource(path))
    assert last.state == SourceState.FAILED
    assert "not a word within 30 s" in last.note


def test_a_stale_or_missing_socket_says_what_to_do(run_folders: Path) -> None:
    (batch,) = read(SocketSource(run_folders / "none.sock"))
    assert "no such socket" in batch.note
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(run_folders / "stale.sock"))
    (batch,) = read(SocketSource(run_folders / "stale.sock"))
    assert "its trainer is gone" in batch.note


def test_what_could_not_be_sent_before_the_end_is_read_from_the_recording(
    run_folders: Path, peer: Callable[[list[bytes]], SocketSource]
) -> None:
    rest = b"".join(encode(Iteration(index=i)) for i in range(100)) + encode(End())
    (run_folders / "runs").mkdir()
    (run_folders / "runs" / "peer.20260101-000000.1.jsonl").write_bytes(HELLO + rest)
    batches = read(peer([HELLO + rest[:333]]))
    assert indices(batches) == list(range(100))
    assert events(batches)[-1] == End()


def test_runs_are_found_by_name_pid_and_stem(run_folders: Path) -> None:
    with Hooks("alpha") as hooks:
        hooks.iteration(3)
        assert hooks.address is not None
        run = find_run("alpha")
        assert run.alive
        assert run.socket == str(hooks.address)
        same = [find_run(named).run_id for named in (str(run.pid), run.run_id, "alp")]
        assert same == [run.run_id] * 3
        with Hooks("alpha2"):
            assert find_run("alpha").run_id == run.run_id
        with pytest.raises(NoSuchRunError, match="Known here: alpha"):
            find_run("beta")
    assert not find_run("alpha").alive
    assert find_run("alpha").ended == "finished"


def test_a_name_that_is_too_long_for_a_socket_still_works(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(run_folders / ("x" * 150)))
    with Hooks("far") as hooks:
        hooks.iteration(0)
        assert hooks.address is not None
        assert len(str(hooks.address)) > 108
        batches = read(SocketSource(hooks.address), lambda batch: any(type(e) is Iteration for e in batch.events))
        assert indices(batches) == [0]
        assert known_runs()[0].socket == str(hooks.address)
        assert run_files.parse_run_id(known_runs()[0].run_id) is not None


def test_where_a_file_system_has_no_locks_the_process_says_whether_it_lives(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(fd: int, how: int) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(fcntl, "flock", no_locks)
    with Hooks("here") as hooks:
        hooks.iteration(0)
        (run,) = known_runs()
        assert run.alive
    gone = run_folders / "runs" / f"gone.20260101-000000.{1 << 30}.jsonl"
    gone.write_bytes(encode(RunInfo()))
    assert not find_run("gone").alive


class Script:
    """A trainer whose words come when `select` is asked for them; `None`: nothing for a quarter of a second."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *words: bytes | None) -> None:
        self.ours, self.theirs = socket.socketpair()
        self.words = list(words)
        self.asked = 0
        monkeypatch.setattr(runs_socket, "connect", lambda path: self.ours)
        monkeypatch.setattr(runs_socket, "select", self)
        monkeypatch.setattr(runs_socket, "_POLL_S", 0.25)

    def select(self, *args: object) -> tuple[bool]:
        self.asked += 1
        word = self.words.pop(0) if self.words else b""
        if word == b"":
            self.theirs.close()
        elif word is not None:
            self.theirs.sendall(word)
        return (word is not None,)

    def read(self, run_folders: Path) -> list[Batch]:
        return read(SocketSource(run_folders / "sockets" / "peer.20260101-000000.1.sock"))


def test_silence_is_said_once_after_two_seconds_and_waited_for_for_thirty(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(monkeypatch, *[None] * 200)
    asked = []
    read(SocketSource(run_folders / "x.sock"), lambda batch: bool(asked.append((batch.state, script.asked))))
    assert asked == [(SourceState.WAITING, 8), (SourceState.FAILED, 120)]


def test_one_that_has_said_who_it_is_is_live_when_it_is_quiet_and_may_be_so_for_long(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = encode(Iteration(index=7))
    batches = Script(monkeypatch, HELLO, *[None] * 150, step, None, None, encode(End())).read(run_folders)
    assert [batch.state for batch in batches] == [SourceState.LIVE] * 5 + [SourceState.ENDED]
    assert [len(batch.events) for batch in batches] == [1, 0, 1, 0, 1, 0]


def test_how_much_of_the_history_has_come_is_said_until_it_pauses(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = encode(Iteration(index=7))
    (run_folders / "runs").mkdir()
    recording = run_folders / "runs" / "peer.20260101-000000.1.jsonl"
    recording.write_bytes(HELLO + step * 4)
    whole, batches = len(HELLO + step * 4), Script(monkeypatch, HELLO, step, step * 3, step).read(run_folders)
    assert [batch.history for batch in batches[:2]] == [len(HELLO) / whole, len(HELLO + step) / whole]
    assert [batch.state for batch in batches] == [SourceState.READING] * 2 + [SourceState.LIVE] * 2 + [
        SourceState.ENDED
    ]
    batches = Script(monkeypatch, HELLO, None, step).read(run_folders)
    assert [batch.state for batch in batches[:-1]] == [SourceState.READING, SourceState.LIVE, SourceState.LIVE]


def test_the_ends_of_a_long_recording_are_shown_before_its_trainer_says_a_word(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_folders / "runs").mkdir()
    steps = b"".join(encode(Iteration(index=n)) for n in range(20_000))
    (run_folders / "runs" / "peer.20260101-000000.1.jsonl").write_bytes(HELLO + steps)
    shown, *_ = Script(monkeypatch, HELLO).read(run_folders)
    assert (shown.preview, shown.history, shown.state) == (True, 0.0, SourceState.READING)
    assert shown.events[-1] == Iteration(index=19_999)


def test_of_a_recording_that_goes_on_from_something_else_nothing_is_taken(
    run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (run_folders / "runs").mkdir()
    other = encode(RunInfo(name="y")) + b"".join(encode(Iteration(index=n)) for n in range(9))
    (run_folders / "runs" / "peer.20260101-000000.1.jsonl").write_bytes(other)
    for said in (HELLO, HELLO + encode(Iteration(index=50)) * 9):
        batches = Script(monkeypatch, said).read(run_folders)
        assert set(indices(batches)) <= {50}
        (end,) = (event for event in events(batches) if isinstance(event, End))
        assert (end.reason, "killed, or crashed" in end.detail) == ("lost", True)


@pytest.mark.parametrize(("more", "patient"), [(0, True), (1, False)])
def test_so_much_is_read_of_one_that_does_not_say_who_it_is(
    more: int, patient: bool, run_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(monkeypatch, b"x" * (1 << 15), b"x" * ((1 << 15) + more), None)
    assert script.read(run_folders)[-1].state == SourceState.FAILED
    assert (script.asked > 2) == patient


def test_the_first_word_of_one_that_refuses_is_why(run_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = encode(Message("128 viewers already", level="error")) + encode(Iteration(index=1))
    (batch,) = Script(monkeypatch, said).read(run_folders)
    assert batch.note.endswith("no trainer of itermon answers here: 128 viewers already")
