"""The demo's trainer does all that costs time in a training, and each of it is found in its report."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from itermon.analysis.run import Run
from itermon.collectors.runs.event_reader import EventReader
from itermon.events import Iteration
from itermon.launch import demo_trainer
from itermon.launch.demo_trainer import Schedule, Training, main
from itermon.trainer_hooks import Hooks

SHORTENED = {"BLOCK_SIZE": 2, "TUNING_S": 0.2, "SHARD_SENTENCES": 500, "GARBAGE": 20_000, "STALL_S": 0.3}


@pytest.fixture
def shortened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for name, value in SHORTENED.items():
        monkeypatch.setattr(demo_trainer, name, value)
    for what in ("runs", "sockets"):
        monkeypatch.setenv(f"ITERMON_{what.upper()}_DIR", str(tmp_path / what))
    before = signal.getsignal(signal.SIGTERM)
    yield tmp_path
    signal.signal(signal.SIGTERM, before)
    gc.enable()


def test_every_cause_that_the_demo_shows_is_in_its_report(shortened: Path) -> None:
    """What the hooks measure by name; the two that have none by their times, which a busy machine makes longer."""
    main([str(shortened), "--iterations", "48", "--batch-size", "1"])
    (recording,) = (shortened / "runs").glob("*.jsonl")
    events = EventReader().feed(recording.read_bytes())
    run = Run()
    run.apply(events)
    found = run.findings(spikes=None)
    assert found.ended == "finished"
    assert {row.cause for row in found.ledger} >= {"evaluation", "checkpoint", "data", "gc"}
    took_s = {event.index: event.duration_s or 0.0 for event in events if isinstance(event, Iteration)}
    assert took_s[0] > SHORTENED["TUNING_S"] / 2
    assert all(took_s[index] > SHORTENED["STALL_S"] for index in Schedule(48).stalls)
    assert len(Schedule(48).stalls) == 2


def test_its_log_is_one_that_itermon_reads(shortened: Path) -> None:
    main([str(shortened), "--iterations", "8", "--silent", "--batch-size", "1"])
    lines = (shortened / "train.log").read_text().splitlines()
    assert sum(line.startswith("iter ") for line in lines) == 9
    assert any(line.startswith("step 4: train loss") for line in lines)
    assert not (shortened / "runs").exists()


@pytest.mark.parametrize("iterations", [60, 200])
def test_each_cause_comes_alone_at_least_once_in_the_first_half(iterations: int) -> None:
    """So its letter and its seconds are its own; and who watches for half a minute has seen all."""
    one = Schedule(iterations)
    happen = {
        "E": {i for i in range(1, iterations) if i % one.evaluation == 0},
        "C": {i for i in range(1, iterations) if i % one.checkpoint == 0},
        "D": {i for i in range(1, iterations) if i % one.shard == 0},
        "G": {i for i in range(1, iterations) if i % one.collection == 0},
        "?": one.stalls,
    }
    for letter, mine in happen.items():
        others = set().union(*(at for other, at in happen.items() if other != letter))
        assert any(at <= iterations // 2 for at in mine - others), letter


@pytest.mark.parametrize(("block_s", "batch"), [(0.5, 1), (0.03, 1), (0.01, 5), (0.0001, 8)])
def test_the_batch_is_as_large_as_the_machine_can_take(
    block_s: float, batch: int, shortened: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo_trainer.Model, "time_of", lambda *_: block_s)
    with Hooks("demo", record=False, serve=False) as hooks:
        assert Training(shortened, 1, hooks, lambda: None).batch_size == batch
