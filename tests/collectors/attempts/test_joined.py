"""The attempts of a training, read one after another, are one run with its restarts."""

import threading
from collections.abc import Iterator
from pathlib import Path

from itermon.analysis.run import Run
from itermon.collectors.attempts.joined import AttemptsSource
from itermon.collectors.logs.text import LogText
from itermon.collectors.runs.recording import RecordingSource
from itermon.collectors.source import Source
from itermon.events import Batch, End, EndReason, Iteration, RunInfo, SourceState, encode_all


def recorded(path: Path, first: int, end: End) -> RecordingSource:
    steps = [Iteration(i, 0.1, at_s=1_000.0 * first + i) for i in range(first, first + 50)]
    path.write_bytes(encode_all([RunInfo(name=path.name), *steps, end]))
    return RecordingSource(path)


def test_all_of_each_comes_and_only_the_newest_ends(tmp_path: Path) -> None:
    parts = [
        recorded(tmp_path / name, first, End(reason))
        for name, first, reason in (("a", 1, EndReason.FAILED), ("b", 40, EndReason.FINISHED))
    ]
    source, run, states = AttemptsSource(parts), Run(), []
    for batch in source.batches(threading.Event()):
        run.apply(batch.events)
        states.append(batch.state)
    assert source.title == parts[1].title
    assert states[-1] == SourceState.ENDED
    assert SourceState.ENDED not in states[:-1]
    found = run.findings()
    assert (found.progress.restarts, found.progress.iteration, found.ended) == (1, 89, EndReason.FINISHED)


def test_who_leaves_is_not_kept(tmp_path: Path) -> None:
    source = AttemptsSource([recorded(tmp_path / name, 1, End()) for name in "ab"])
    stop = threading.Event()
    stop.set()
    events = [event for batch in source.batches(stop) for event in batch.events]
    assert not any(type(event) is Iteration for event in events)


class Attempt(Source):
    """One that brings these batches."""

    def __init__(self, title: str, *batches: Batch) -> None:
        self.title, self.text, self._batches = title, LogText(), batches

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        return iter(self._batches)


def test_the_title_and_the_lines_are_those_of_the_newest() -> None:
    attempts = [Attempt(title) for title in "abc"]
    source = AttemptsSource(attempts)
    assert source.title == "c"
    assert source.text is attempts[2].text


def test_no_attempt_makes_those_before_it_void_nor_shows_its_newest_lines_first() -> None:
    parts = [Batch([Iteration(n)], SourceState.LIVE, restart=True) for n in range(3)]
    preview = Batch([Iteration(9)], preview=True)
    attempts = [Attempt("a", preview, parts[0]), Attempt("b", parts[1]), Attempt("c", preview, parts[2])]
    found = [*AttemptsSource(attempts).batches(threading.Event())]
    assert [one.events[0].index for one in found] == [0, 1, 2]
    assert [one.restart for one in found] == [False, False, True]
    assert [one.state for one in found] == [SourceState.READING, SourceState.READING, SourceState.LIVE]
