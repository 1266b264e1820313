"""A training that `itermon run` started: what is shown while it runs, and what is left of it afterwards."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from itermon import run_files
from itermon.collectors.runs import launched
from itermon.collectors.runs.launched import LaunchedSource
from itermon.events import Batch, End, Event, Iteration, RunInfo, SourceState, encode_all, expand
from itermon.trainer_hooks import Hooks

BEGAN_S = 1_790_000_000.0
LINES = "".join(f"iter {n}: loss 2.5000, time 100.00ms, mfu 40.00%\n" for n in range(3))


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the output of this very process would be kept."""
    monkeypatch.setenv("ITERMON_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.setenv("ITERMON_SOCKETS_DIR", str(tmp_path / "sockets"))
    monkeypatch.setattr(launched, "_LOOK_S", 0.001)
    for folder in (run_files.runs_dir(), run_files.logs_dir()):
        folder.mkdir(mode=0o700)
    (tmp_path / "sockets").mkdir(mode=0o700)
    return run_files.logs_dir() / (run_files.run_id("train", os.getpid(), BEGAN_S) + run_files.LOG)


@pytest.fixture
def living(log: Path) -> Iterator[Path]:
    """The output of a training that lives: its lock is held."""
    log.write_text("")
    lock = os.open(log, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield log
    os.close(lock)


def record(name: str, *events: Event) -> None:
    path = run_files.runs_dir() / (run_files.run_id(name, 1 << 30, BEGAN_S) + run_files.RECORDING)
    path.write_bytes(encode_all(events))


def read(source: LaunchedSource, until: Callable[[Batch], bool] = lambda batch: False) -> list[Batch]:
    stop, batches = threading.Event(), list[Batch]()
    timer = threading.Timer(30, stop.set)
    timer.start()
    for batch in source.batches(stop):
        batches.append(batch)
        if until(batch):
            break
    timer.cancel()
    assert not stop.is_set(), "it never came"
    return batches


def iterations(batches: list[Batch]) -> list[Iteration]:
    return [e for b in batches if not b.preview for e in expand(b.events) if isinstance(e, Iteration)]


def test_of_one_that_is_over_and_had_no_hooks_its_output_is_read_and_its_exit_code(log: Path) -> None:
    log.write_text(LINES)
    log.with_suffix(run_files.EXIT).write_text(json.dumps({"exit_code": 3, "at_s": BEGAN_S}))
    source = LaunchedSource(log)
    batches = read(source)
    assert source.title == log.stem
    assert [(event.index, event.loss) for event in iterations(batches)] == [(n, 2.5) for n in range(3)]
    assert source.text.lines == 3
    assert [event.exit_code for event in batches[-1].events if isinstance(event, End)] == [3]
    assert batches[-1].state == SourceState.ENDED
    assert not any(batch.restart for batch in batches)


def test_of_several_ranks_that_are_over_the_recording_of_the_lowest_is_read(log: Path) -> None:
    log.touch()
    for rank in (2, 1, 3):
        record(f"gpt-rank{rank}", RunInfo(rank=rank, output=log.stem), Iteration(10 * rank, 0.1), End())
    record("other", RunInfo(rank=0, output="else.20260101-120000.77"), Iteration(5, 0.1), End())
    assert [event.index for event in iterations(read(LaunchedSource(log)))] == [10]


def test_the_rank_that_nobody_numbered_is_the_lowest(log: Path) -> None:
    log.touch()
    record("gpt-rank1", RunInfo(rank=1, output=log.stem), Iteration(10, 0.1), End())
    record("gpt", RunInfo(output=log.stem), Iteration(0, 0.1), End())
    assert [event.index for event in iterations(read(LaunchedSource(log)))] == [0]


def test_what_a_training_without_hooks_prints_comes_while_it_lives(living: Path) -> None:
    source = LaunchedSource(living, "no hooks: it is no Python")
    waiting = read(source, lambda batch: bool(batch.state == SourceState.WAITING and living.write_text(LINES)))
    assert [batch.note for batch in waiting] == ["no hooks: it is no Python"]
    batches = read(LaunchedSource(living), lambda batch: batch.state == SourceState.LIVE)
    assert [event.index for event in iterations(batches)] == [0, 1, 2]


def test_the_note_is_shown_for_as_long_as_nothing_is_printed(living: Path) -> None:
    seen = iter(range(2))
    batches = read(LaunchedSource(living, "no hooks"), lambda batch: next(seen) == 1)
    assert [(batch.state, batch.note) for batch in batches] == [(SourceState.WAITING, "no hooks")] * 2


def test_without_following_a_living_training_is_read_as_far_as_it_is(living: Path) -> None:
    living.write_text(LINES)
    batches = read(LaunchedSource(living, follow=False))
    assert [event.index for event in iterations(batches)] == [0, 1, 2]
    assert batches[-1].state == SourceState.ENDED


def test_a_trainer_that_begins_to_serve_takes_the_place_of_what_is_printed(living: Path) -> None:
    living.write_text(LINES)
    hooks: list[Hooks] = []

    def begin(batch: Batch) -> bool:
        if batch.state == SourceState.LIVE and not hooks:
            hooks.append(Hooks("gpt"))
            hooks[0].iteration(7)
        return any(event.index == 7 for event in iterations([batch]))

    batches = read(LaunchedSource(living), begin)
    hooks[0].close()
    (anew,) = [number for number, batch in enumerate(batches) if batch.restart]
    assert [event.index for event in iterations(batches[:anew])] == [0, 1, 2]
    assert [event.index for event in iterations(batches[anew:])] == [7]


def test_a_trainer_of_another_process_is_left_alone(living: Path) -> None:
    mine = living.with_name(run_files.run_id("train", 1 << 30, BEGAN_S) + run_files.LOG)
    mine.write_text(LINES)
    with Hooks("gpt") as hooks:
        hooks.iteration(7)
        assert [event.index for event in iterations(read(LaunchedSource(mine)))] == [0, 1, 2]


def test_a_higher_rank_is_followed_when_the_lowest_has_not_come_for_a_while(living: Path) -> None:
    looks = list[int]()

    class Counting(LaunchedSource):
        def _socket(self) -> Path | None:
            looks.append(1)
            return super()._socket()

    with Hooks("gpt-rank2") as two, Hooks("gpt-rank1") as one:
        two.iteration(2)
        one.iteration(1)
        batches = read(Counting(living), lambda batch: bool(iterations([batch])))
        assert [event.index for event in iterations(batches)] == [1]
        assert len(looks) == 11, "ten looks, and the one that takes it"
        looks.clear()
        with Hooks("gpt-rank0") as lowest:
            lowest.iteration(0)
            batches = read(Counting(living), lambda batch: bool(iterations([batch])))
            assert [event.index for event in iterations(batches)] == [0]
            assert not any(batch.restart for batch in batches), "it was there at the first look"


def test_a_trainer_that_nobody_numbered_is_the_lowest_rank(living: Path) -> None:
    with Hooks("gpt") as hooks, Hooks("gpt-rank1") as other:
        hooks.iteration(0)
        other.iteration(1)
        batches = read(LaunchedSource(living), lambda batch: bool(iterations([batch])))
        assert [event.index for event in iterations(batches)] == [0]
        assert not any(batch.restart for batch in batches), "it was there at the first look"
