"""A source that is read when somebody asks: what it gives, and one that never answers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from itermon.collectors import polled
from itermon.collectors.logs.log_source import LogSource
from itermon.collectors.polled import Polled
from itermon.collectors.source import Source
from itermon.events import Batch, Iterations, SourceState

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def readers_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polled, "_READERS", {})
    monkeypatch.setattr(polled, "_AT_ONCE_S", 60.0)  # however busy the machine


def lines(first: int, last: int) -> str:
    return "".join(f"iter {i}: loss 3.0000, time 200.00ms, mfu 20.00%\n" for i in range(first, last))


def iterations(batches: list[Batch]) -> int:
    events = [event for batch in batches if not batch.preview for event in batch.events]
    return sum(len(e) if isinstance(e, Iterations) else type(e).__name__ == "Iteration" for e in events)


def test_each_line_comes_once_and_without_news_nothing_comes(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(lines(0, 100))
    source = Polled(LogSource(log, poll_s=0.0), log)
    found = source.drain()
    assert iterations(found) == 100
    assert found[-1].state == SourceState.LIVE
    assert source.drain() == []
    with log.open("a") as file:
        file.write(lines(100, 103))
    assert iterations(source.drain()) == 3
    source.stop()
    assert source.drain() == []


def test_a_long_history_comes_in_parts(tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(lines(0, 40_000))
    source = Polled(LogSource(log, poll_s=0.0), log)
    parts = []
    while not parts or parts[-1]:
        parts.append(iterations(source.drain()))
    assert sum(parts) == 40_000
    assert max(parts) < 20_000


class Broken(Source):
    title = "broken"

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch(state=SourceState.READING)
        raise ZeroDivisionError("so it is")


def test_a_fault_is_told(tmp_path: Path) -> None:
    found = Polled(Broken(), tmp_path).drain()
    assert [batch.state for batch in found] == [SourceState.READING, SourceState.FAILED]
    assert found[-1].note == "broken: ZeroDivisionError: so it is"


class Hanging(Source):
    """On a drive that answers when it is let."""

    title = "hanging"

    def __init__(self) -> None:
        self.answers = threading.Event()

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        self.answers.wait()
        yield Batch(state=SourceState.LIVE)


def test_a_drive_that_does_not_answer_holds_up_only_what_lies_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polled, "PATIENCE_S", 0.01)
    log = tmp_path / "train.log"
    log.write_text(lines(0, 10))
    hanging = Hanging()
    there, nowhere = Polled(LogSource(log, poll_s=0.0), log), tmp_path / "no" / "such" / "file"
    first, second = Polled(hanging, nowhere), Polled(Hanging(), nowhere)
    assert first.drain() == []
    monkeypatch.setattr(polled, "PATIENCE_S", -1.0)  # to wait so long is an error
    assert first.drain() == second.drain() == [], "nobody waits again"
    monkeypatch.setattr(polled, "PATIENCE_S", 60.0)
    assert iterations(there.drain()) == 10
    hanging.answers.set()
    found: list[Batch] = []
    while not found:
        found = first.drain()
    assert found[0].state == SourceState.LIVE


class Endless(Hanging):
    """Each look at it gives one batch more."""

    given = 0

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        self.answers.wait()
        while True:
            self.given += 1
            yield Batch(state=SourceState.LIVE)


def test_a_drive_that_does_not_answer_is_asked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(polled, "PATIENCE_S", 0.01)
    hanging, nowhere = Endless(), tmp_path / "no" / "such" / "file"
    source, behind = Polled(hanging, nowhere), Polled(Broken(), nowhere)
    assert [source.drain() for _ in range(3)] == [[], [], []]
    hanging.answers.set()
    while not behind.drain():  # what it was asked is done by then
        pass
    assert hanging.given == 1
