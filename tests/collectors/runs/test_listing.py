"""Which runs there are on this machine, which one a name means, and which ranks belong to it."""

import fcntl
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from itermon import run_files
from itermon.collectors.runs.listing import (
    KnownRun,
    NoSuchRunError,
    age_s,
    find_run,
    first_of,
    has_runs,
    known_runs,
    other_ranks,
    run_names,
)
from itermon.events import End, EndReason, Event, Iteration, RunInfo, encode_all

BEGAN_S = time.mktime((2026, 1, 1, 12, 0, 0, 0, 1, -1))

Record = Callable[..., KnownRun]


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Record]:
    """Make a recording as the hooks do; `alive`: with the lock of a trainer that lives."""
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    (tmp_path / "runs").mkdir()
    locks = []

    def record(
        name: str, pid: int, *events: Event, after_s: float = 0, wrote_s: float = 60, alive: bool = False
    ) -> KnownRun:
        run_id = run_files.run_id(name, pid, BEGAN_S + after_s)
        path = tmp_path / "runs" / f"{run_id}.jsonl"
        path.write_bytes(encode_all(events or [RunInfo(name=name, started_at_s=BEGAN_S + after_s)]))
        os.utime(path, (BEGAN_S + wrote_s, BEGAN_S + wrote_s))
        if alive:
            locks.append(os.open(path, os.O_RDONLY))
            fcntl.flock(locks[-1], fcntl.LOCK_EX)
        (run,) = (run for run in known_runs(recent=10_000) if run.run_id == run_id)
        return run

    yield record
    for lock in locks:
        os.close(lock)


def pids(runs: list[KnownRun]) -> list[int]:
    return [run.pid for run in runs]


def test_living_runs_come_first_then_the_newest_recordings(record: Record) -> None:
    assert known_runs() == []
    for pid in range(1, 25):
        record("old", pid, wrote_s=pid)
    record("now", 30, wrote_s=2, alive=True)
    record("now", 31, wrote_s=1, alive=True)
    assert pids(known_runs()) == [30, 31, *range(24, 4, -1)]
    assert pids(known_runs(recent=2)) == [30, 31, 24, 23]


def test_a_run_is_described_by_the_first_and_the_newest_lines_of_its_recording(record: Record) -> None:
    iterations = [Iteration(i, None if i == 900 else float(i % 3)) for i in range(1000)]
    info = RunInfo(name="gpt", rank=3, output="run.20260101-115959.7", started_at_s=123.0)
    run = record("gpt", 40, info, *iterations)
    assert (run.name, run.pid, run.rank, run.started_as, run.started_at_s) == ("gpt", 40, 3, info.output, 123.0)
    assert (run.iteration, run.iteration_s, run.seen_at_s) == (999, 1.0, BEGAN_S + 60)
    assert (run.alive, run.ended, run.log, run.socket) == (False, EndReason.LOST, None, None)
    assert record("gpt", 41, info, End(EndReason.FAILED)).ended == EndReason.FAILED
    empty = record("gpt", 42, info, alive=True)
    assert (empty.alive, empty.ended, empty.iteration, empty.iteration_s) == (True, "", None, None)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("gpt", 52), ("50", 50), ("51", 51), ("be", 53), ("bert", 53), ("my run", 54), ("my-run", 54), ("ru", 55)],
)
def test_a_run_is_meant_by_its_name_its_pid_or_the_beginning_of_its_name(
    record: Record, text: str, meant: int
) -> None:
    for pid, name in enumerate(["gpt", "gpt", "gpt", "bert", "my run", "rust"], 50):
        record(name, pid, wrote_s=pid)
    assert find_run(text).pid == meant
    assert find_run(find_run(text).run_id).pid == meant


def test_exact_means_the_whole_name(record: Record) -> None:
    record("gpt", 50)
    assert find_run("gpt", exact=True).pid == 50
    with pytest.raises(NoSuchRunError, match=r"no run is called 'gp' \(did you mean gpt\?\)\. Known here: gpt"):
        find_run("gp", exact=True)


def test_the_living_run_is_meant_and_of_several_none(record: Record) -> None:
    record("gpt", 50, wrote_s=5, alive=True)
    record("gpt", 51, wrote_s=9)
    assert find_run("gpt").pid == 50
    record("gpt", 52, alive=True)
    with pytest.raises(NoSuchRunError, match=r"2 living runs are called 'gpt': name one by its PID: 5., 5."):
        find_run("gpt")


def test_eight_names_are_listed_where_none_fits(record: Record) -> None:
    with pytest.raises(NoSuchRunError, match="Known here: none"):
        find_run("gpt")
    for number in range(9):
        record(f"run{number}", 60 + number)
    with pytest.raises(NoSuchRunError, match=r"Known here: run0, run1, .*, run7$"):
        find_run("gpt")


def test_the_command_that_itermon_run_started_means_its_first_rank(record: Record) -> None:
    started = run_files.run_id("train", 7, BEGAN_S)
    run_files.logs_dir().mkdir()
    (run_files.logs_dir() / (started + run_files.LOG)).touch()  # its output, which `itermon run` keeps
    for rank in (1, 0):
        record("gpt", 70 + rank, RunInfo(rank=rank, output=started))
    assert [find_run(text).pid for text in ("train", "7", started)] == [70, 70, 70]


@pytest.mark.parametrize(
    ("others", "belong"),
    [
        ([("gpt-rank1", {}), ("gpt-rank2", {})], {1, 2}),
        ([("gpt-rank1", {"after_s": 120}), ("gpt-rank2", {"after_s": 121})], {1}),
        ([("gpt-rank1", {"after_s": -120}), ("gpt-rank2", {"after_s": -121})], {1}),
        ([("gpt-rank1", {"wrote_s": 0}), ("gpt-rank2", {"wrote_s": -1})], {1}),  # over when it began, or not
        ([("gpt-rank1", {"wrote_s": -1, "alive": True})], {1}),
        ([("gpt-rank1", {"after_s": 9}), ("gpt-rank1", {"after_s": -8})], {2}),  # the nearest start
        ([("gpt-rank1", {"after_s": 9}), ("gpt-rank1", {"after_s": -8, "alive": True})], {1}),  # ended, as it did
        ([("gpt-rank", {}), ("bert-rank1", {}), ("gpt-rank1x", {}), ("my-gpt-rank1", {})], set()),
    ],
)
def test_ranks_that_started_together_are_one_run(
    record: Record, others: list[tuple[str, dict[str, float]]], belong: set[int]
) -> None:
    run = record("gpt", 100)
    for pid, (name, options) in enumerate(others, 1):
        record(name, pid, **options)
    assert set(pids(other_ranks(run))) == belong


def test_the_age_is_the_time_since_the_last_writing(record: Record) -> None:
    run = record("gpt", 50, wrote_s=60)
    assert age_s(run, BEGAN_S + 100) == 40
    assert age_s(run, BEGAN_S) == 0
    assert age_s(KnownRun("x", "x", 1, alive=False)) is None


def test_the_names_of_runs_are_known_without_reading_any(record: Record) -> None:
    assert (run_names(), has_runs()) == (set(), False)
    record("gpt", 50)
    record("my run", 51)
    (run_files.runs_dir() / "no run.jsonl").touch()
    assert (run_names(), has_runs()) == ({"gpt", "my-run"}, True)


def test_the_newest_iterations_of_a_living_run_are_read_if_they_are_asked_for(record: Record) -> None:
    info = RunInfo(name="gpt", rank=0, output="run.20260101-115959.7", started_at_s=123.0)
    for pid, alive in ((50, True), (51, False)):
        record("gpt", pid, info, Iteration(7, 2.0), alive=alive)
    found = {(run.pid, run.iteration, run.iteration_s) for run in known_runs()}
    assert found == {(50, 7, 2.0), (51, 7, 2.0)}
    living, ended = known_runs(with_newest=False)
    assert (living.iteration, living.iteration_s, ended.iteration) == (None, None, 7)
    assert {(run.started_as, run.rank, run.started_at_s) for run in (living, ended)} == {(info.output, 0, 123.0)}


def test_the_time_of_an_iteration_is_that_of_the_newest(record: Record) -> None:
    iterations = [Iteration(n, 5.0 if n < 3_000 else 1.0) for n in range(3_500)]
    assert record("gpt", 50, RunInfo(), *iterations).iteration_s == 1.0


def test_a_recording_that_does_not_begin_with_its_run_is_one_all_the_same(record: Record) -> None:
    run = record("gpt", 50, Iteration(3, 0.5))
    assert (run.iteration, run.rank, run.started_as, run.started_at_s) == (3, None, "", None)


def launched(name: str, pid: int, exit_code: int | None = None) -> str:
    """What `itermon run` keeps of a training: its output, and how it ended where it has."""
    run_id = run_files.run_id(name, pid, BEGAN_S)
    run_files.logs_dir().mkdir(exist_ok=True)
    (run_files.logs_dir() / (run_id + run_files.LOG)).touch()
    if exit_code is not None:
        seen = json.dumps({"exit_code": exit_code, "at_s": BEGAN_S})
        (run_files.logs_dir() / (run_id + run_files.EXIT)).write_text(seen)
    return run_id


@pytest.mark.parametrize(("exit_code", "ended"), [(None, "ended"), (0, "ended"), (3, "failed"), (-9, "killed")])
def test_how_a_training_without_hooks_ended_is_what_its_exit_code_says(
    record: Record, exit_code: int | None, ended: str
) -> None:
    run_id = launched("train", 7, exit_code)
    (run,) = known_runs()
    assert (run.run_id, run.alive, run.ended) == (run_id, False, ended)
    assert run.log == str(run_files.logs_dir() / (run_id + run_files.LOG))


@pytest.mark.parametrize(
    ("exit_code", "ended"), [(None, EndReason.FINISHED), (0, EndReason.FINISHED), (1, EndReason.FAILED)]
)
def test_an_exit_code_says_more_than_the_good_bye_unless_it_is_0(
    record: Record, exit_code: int | None, ended: EndReason
) -> None:
    started = launched("train", 7, exit_code)
    run = record("gpt", 70, RunInfo(output=started), End())
    assert run.ended == ended


def test_a_recording_and_the_output_of_its_training_are_one_run(record: Record) -> None:
    started = launched("train", 7)
    log = str(run_files.logs_dir() / (started + run_files.LOG))
    assert record("gpt", 70, RunInfo(output=started)).log == log
    record("gpt", 71, RunInfo(rank=1, output=started))
    assert {run.pid: run.log for run in known_runs()} == {70: log, 71: None}
    record("gpt", 72, RunInfo(rank=0, output=started))
    found = {run.pid: run.log for run in known_runs()}
    assert found == {70: None, 71: None, 72: None}, "which of the two printed it nobody knows"


def test_a_trainer_without_a_recording_lives_as_long_as_its_socket_answers(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "sockets" / (run_files.run_id("gpt", 50, BEGAN_S) + run_files.SOCKET)
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        (run,) = known_runs()
        assert (run.alive, run.socket, run.recording, run.ended) == (True, str(path), None, "")
        assert run.seen_at_s is not None
    assert known_runs() == []
    assert not path.exists()


def test_a_link_in_the_folder_of_runs_is_no_recording(record: Record, tmp_path: Path) -> None:
    record("gpt", 50, RunInfo(rank=3))
    run_files.runs_dir().chmod(0o700)
    (path,) = run_files.runs_dir().iterdir()
    link = path.with_name(run_files.run_id("gpt", 51, BEGAN_S) + run_files.RECORDING)
    link.symlink_to(path)
    assert first_of(path) == RunInfo(rank=3)
    assert first_of(link) is None
    assert pids(known_runs()) == [50]
