"""Hooks that see no iteration: the log is the run, until they do."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.logs.text import LogText
from itermon.collectors.runs import hooks_with_log
from itermon.collectors.runs.hooks_or_log import HooksOrLogSource
from itermon.collectors.source import Source
from itermon.events import DATA, Batch, Event, Iteration, SourceState, SpanEnd, expand

WAITED = Batch([SpanEnd(DATA, iteration=0, duration_s=1.0)], state=SourceState.LIVE)


class Hooks(Source):
    """What hooks tell, batch by batch; then their end, unless they live."""

    title = "hooks"

    def __init__(self, *told: Batch, lives: bool = False) -> None:
        self._told, self._lives = told, lives

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield from self._told
        if self._lives:
            stop.wait()
        else:
            yield Batch(state=SourceState.ENDED, note="over")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "train.log"
    path.write_text("".join(f"iter {n}: loss {4 - n}.0000, time 100.00ms, mfu -100.00%\n" for n in range(4)))
    return path


def told(batches: list[Batch]) -> list[list[Event]]:
    """The events, anew from each restart on."""
    found: list[list[Event]] = [[]]
    for batch in batches:
        if batch.restart:
            found.append([])
        if not batch.preview:
            found[-1] += expand(batch.events)
    return found


def indices(events: list[Event]) -> list[tuple[int, float | None]]:
    return [(event.index, event.duration_s) for event in events if isinstance(event, Iteration)]


def source(hooks: list[Hooks], log: Path, *, follow: bool = False) -> HooksOrLogSource:
    output = functools.partial(LogSource, log, follow=follow, text=LogText())
    return HooksOrLogSource(lambda: hooks.pop(0), output)


def test_hooks_that_counted_nothing_leave_the_run_to_its_log(log: Path) -> None:
    one = source([Hooks(WAITED), Hooks(WAITED)], log)
    batches = list(one.batches(threading.Event()))
    before, after = told(batches)
    assert indices(before) == []
    assert indices(after) == [(n, 0.1) for n in range(4)]
    assert [batch.state for batch in batches].count(SourceState.ENDED) == 1
    assert batches[-1].state == SourceState.ENDED
    assert one.text.path == log


def test_hooks_that_count_are_the_run(log: Path) -> None:
    hooks = Hooks(Batch([Iteration(n, 0.2) for n in range(4)], state=SourceState.LIVE))
    (events,) = told(list(source([hooks], log).batches(threading.Event())))
    assert indices(events) == [(n, 0.2) for n in range(4)]


def test_a_log_that_counts_nothing_either_ends_with_the_hooks(log: Path) -> None:
    log.write_text("loading\n")
    batches = list(source([Hooks(WAITED)], log).batches(threading.Event()))
    assert len(told(batches)) == 1
    assert (batches[-1].state, batches[-1].note) == (SourceState.ENDED, "over")


def test_while_the_trainer_lives_the_hooks_have_their_time_and_may_count_later(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks_with_log, "_PATIENCE_S", 0.0)
    counting = Batch([Iteration(0, 0.2)], state=SourceState.LIVE)
    hooks = [Hooks(WAITED, lives=True), Hooks(WAITED, counting), Hooks(WAITED, counting)]
    one = source(hooks, log, follow=True)
    found = told(list(one.batches(threading.Event())))
    assert indices(found[0]) == []
    assert indices(found[-1]) == [(0, 0.2)]
    assert len(found) == 3, "the hooks, the log alone, and both"


def test_who_stops_gets_no_log(log: Path) -> None:
    stop = threading.Event()
    batches = []
    for batch in source([Hooks(WAITED, lives=True)], log).batches(stop):
        batches.append(batch)
        stop.set()
    assert len(told(batches)) == 1
