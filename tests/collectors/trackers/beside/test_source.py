"""A log with the record of the same run beside it: one run, nothing missing and nothing twice."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from campaigns import wandb_writer as w
from click.testing import CliRunner
from tracker_stores import BEGAN_MS, mlflow_database, mlflow_folder, trackio_project

from itermon.cli.main import main
from itermon.cli.sources import OpenOptions, open_sources
from itermon.collectors.source import Source
from itermon.collectors.trackers.beside import source as beside_source
from itermon.collectors.trackers.beside.source import WithTracker
from itermon.events import Batch, Config, End, Event, GpuSample, Iteration, Message, SourceState, expand

from ..wandb.runs import START_S, nanogpt

LINES = "".join(f"iter {n}: loss {3 - n / 100:.4f}, time 2000.00ms, mfu 15.00%\n" for n in range(60))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return written(tmp_path / "train.log", LINES)


def written(path: Path, text: str, at_s: float = START_S + 131) -> Path:
    path.write_text(text)
    os.utime(path, (at_s, at_s))
    return path


def wandb_beside(log: Path, *records: bytes) -> Path:
    folder = log.parent / "wandb" / "run-20231114_000000-x"
    folder.mkdir(parents=True)
    (folder / "run-x.wandb").write_bytes(w.file_of(records or [*nanogpt(), w.exited(1, 140)]))
    return folder


def read(log: Path) -> list[Event]:
    source = open_sources([str(log)], OpenOptions())
    return [event for batch in source.batches(threading.Event()) for event in expand(batch.events)]


def of(kind: type, events: list[Event]) -> list[Event]:
    return [event for event in events if isinstance(event, kind)]


def joined(events: list[Event]) -> bool:
    return any("the same run" in message.text for message in events if isinstance(message, Message))


def test_the_log_has_the_times_samples_settings_and_the_end_of_its_wandb_run(log: Path) -> None:
    wandb_beside(log)
    events = read(log)
    iterations = of(Iteration, events)
    assert joined(events)
    assert [one.index for one in iterations] == list(range(60))
    assert [one.at_s for one in iterations][:2] == pytest.approx([START_S + 12, START_S + 14], abs=0.01)
    assert iterations[0].scalars == {"learning_rate": 6e-4}
    assert len(of(GpuSample, events)) == 4
    assert any(config.max_iterations == 600 for config in of(Config, events))
    assert [end.exit_code for end in of(End, events)] == [1]


@pytest.mark.parametrize("other", [LINES.replace("loss 2", "loss 1").replace("loss 3", "loss 4"), "step 1\n" * 60])
def test_the_log_of_another_run_stays_alone(log: Path, other: str) -> None:
    alone = read(written(log, other))
    wandb_beside(log)
    found = read(log)
    assert not joined(found)
    assert found[:-1] == alone[:-1]  # the last has the time of reading


def test_equal_losses_in_a_log_of_another_day_are_another_run(log: Path) -> None:
    wandb_beside(log)
    again = LINES.replace("time 2000.00ms", "time 2100.00ms")
    assert joined(read(written(log, again)))
    assert not joined(read(written(log, again, START_S + 86_400)))


def test_a_log_without_iterations_names_the_run_that_has_them(log: Path) -> None:
    folder = wandb_beside(log)
    done = CliRunner().invoke(main, ["report", str(written(log, "nothing here\n"))])
    assert f"beside it {folder / 'run-x.wandb'} has 60 iterations" in done.output


@pytest.mark.parametrize("make", [mlflow_database, mlflow_folder, trackio_project])
def test_stores_give_their_times_too(log: Path, make: object) -> None:
    name = {mlflow_folder: ""}.get(make, "runs.db")  # type: ignore[call-overload]
    make(log.parent / name, 16)  # type: ignore[operator]
    text = "".join(f"iter {n}: loss {3 - n / 100:.4f}\n" for n in range(16))
    events = read(written(log, text, BEGAN_MS / 1e3 + 17))
    assert joined(events)
    assert {one.at_s is not None for one in of(Iteration, events)} == {True}


class Script(Source):
    """Gives what it is told, and waits for its turn."""

    title = "script"

    def __init__(self, *batches: Batch | threading.Event) -> None:
        self._batches = batches

    def batches(self, stop: threading.Event):
        for batch in self._batches:
            if isinstance(batch, threading.Event):
                batch.wait()
            else:
                yield batch


def live(*iterations: Iteration, state: SourceState = SourceState.LIVE) -> Batch:
    return Batch(iterations, state=state)


def test_a_log_that_is_young_is_proven_as_it_grows() -> None:
    rows = [Iteration(n, loss=3 - n / 100, at_s=1_000.0 + n) for n in range(10)]
    compared, over = threading.Event(), threading.Event()
    record = Script(live(rows[0]), Batch([*rows[1:], GpuSample(1_003.0)], state=SourceState.LIVE), over)
    log = Script(live(), compared, live(*rows), over, Batch(state=SourceState.ENDED))
    found: list[Event] = []
    source = WithTracker(log, [record], written_s=None)
    compared.set()
    for batch in source.batches(threading.Event()):
        found += batch.events
        if of(GpuSample, found):
            over.set()
        assert batch.state is not SourceState.FAILED
    assert [one.index for one in of(Iteration, found)] == list(range(10))
    assert joined(found)
    assert len(of(GpuSample, found)) == 1


def test_the_preview_waits_for_no_tracker() -> None:
    log = Script(Batch(preview=True), live(state=SourceState.ENDED))
    record = Script(threading.Event())
    first = next(WithTracker(log, [record], written_s=None).batches(threading.Event()))
    assert first.preview


ROWS = [Iteration(n, loss=3 - n / 100, at_s=1_000.0 + n) for n in range(60)]


def both(log: Script, *records: Script) -> list[Batch]:
    return list(WithTracker(log, records, written_s=None).batches(threading.Event()))


def test_of_several_runs_the_one_that_is_the_logs_is_joined() -> None:
    others = [Iteration(n, loss=9.0 + n % 7, at_s=1_000.0 + n) for n in range(60)]
    log = Script(live(*ROWS, state=SourceState.ENDED))
    other, mine = Script(live(*others)), Script(live(*ROWS), live(GpuSample(1_003.0)))  # type: ignore[arg-type]
    batches = both(log, other, mine)
    assert joined([event for batch in batches for event in batch.events])
    assert [batch.state for batch in batches] == [SourceState.READING, SourceState.ENDED]


def test_a_long_history_is_held_back_until_it_is_compared_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []

    class Reads(Script):
        def batches(self, stop: threading.Event):
            for batch in super().batches(stop):
                read.append(1)
                yield batch

    monkeypatch.setattr(beside_source, "MOST_HELD", 3)
    parts = [Batch([row], state=SourceState.READING) for row in ROWS[:6]]
    source = WithTracker(Reads(*parts, Batch(state=SourceState.ENDED)), [], written_s=None)
    batches = source.batches(threading.Event())
    next(batches)
    assert len(read) == 3
    rest = list(batches)
    assert [batch.state for batch in rest] == [SourceState.READING] * 5 + [SourceState.ENDED]


@pytest.mark.parametrize("state", [SourceState.ENDED, SourceState.FAILED])
def test_of_a_run_that_is_over_what_stands_behind_its_end_is_not_waited_for(state: SourceState) -> None:
    never = threading.Event()
    batches = both(Script(live(*ROWS, state=state), never), Script(live(*ROWS, state=SourceState.ENDED), never))
    assert batches[-1].state is state


def test_a_run_that_its_source_begins_anew_is_read_anew_and_a_preview_is_no_part_of_it() -> None:
    wrong = [Iteration(n, loss=9.0, at_s=1.0) for n in range(60)]
    record = Script(
        Batch([Iteration(99, loss=1.0, at_s=9e9)], state=SourceState.READING, preview=True),
        Batch([*wrong, GpuSample(1.0)], state=SourceState.READING),
        Batch(ROWS, state=SourceState.ENDED, restart=True),
    )
    found = [
        event for batch in both(Script(live(*ROWS, state=SourceState.ENDED)), record) for event in batch.events
    ]
    assert joined(found)
    assert of(GpuSample, found) == []


def test_a_log_without_iterations_that_says_nothing_names_no_run() -> None:
    record = Script(live(*ROWS, state=SourceState.ENDED))
    (silent,) = both(Script(Batch(state=SourceState.ENDED)), record)
    assert silent.note == ""
    (said,) = both(Script(Batch(state=SourceState.ENDED, note="no iteration")), Script(*record._batches))
    assert said.note == "no iteration; beside it script has 60 iterations"
    (full,) = both(Script(Batch(ROWS[:1], state=SourceState.ENDED, note="one")), Script(*record._batches))
    assert full.note == "one"


def test_what_a_joined_run_measures_later_comes_though_the_log_says_nothing() -> None:
    measured, over = threading.Event(), threading.Event()
    record = Script(live(*ROWS), measured, live(GpuSample(1_003.0)), over)  # type: ignore[arg-type]
    log = Script(live(*ROWS), over, Batch(state=SourceState.ENDED))
    found: list[Event] = []
    for batch in WithTracker(log, [record], written_s=None).batches(threading.Event()):
        found += batch.events
        measured.set()
        if of(GpuSample, found):
            over.set()
    assert len(of(GpuSample, found)) == 1
    assert joined(found)


def test_after_a_history_that_was_held_the_log_goes_on() -> None:
    log = Script(live(*ROWS[:30]), live(*ROWS[30:]), Batch(state=SourceState.ENDED))
    found = [event for batch in both(log) for event in batch.events]
    assert [one.index for one in of(Iteration, found)] == list(range(60))


def test_a_living_log_beside_a_living_run_is_read_on_to_its_end() -> None:
    more, last, over = threading.Event(), threading.Event(), threading.Event()
    log = Script(live(*ROWS[:30]), more, live(*ROWS[30:40]), last, live(*ROWS[40:], state=SourceState.ENDED))
    found: list[Event] = []
    for batch in WithTracker(log, [Script(live(*ROWS), over)], written_s=None).batches(threading.Event()):
        found += batch.events
        count = len(of(Iteration, found))
        for one, at in ((more, 30), (last, 40), (over, 60)):
            if count >= at:
                one.set()
    assert [one.index for one in of(Iteration, found)] == list(range(60))


def test_a_log_that_says_nothing_at_all_gives_nothing_of_the_run_beside_it() -> None:
    assert both(Script(), Script(live(*ROWS, state=SourceState.ENDED))) == []
