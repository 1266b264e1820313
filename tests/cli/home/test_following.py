"""A run that goes on is taken in step by step; its line is worked out every few seconds."""

import threading
from collections.abc import Iterator

import pytest
from waiting import WITHIN_S, eventually

from itermon.cli.home import following
from itermon.cli.home.following import Followed
from itermon.collectors.runs.recording import RecordingSource
from itermon.events import Batch, Iteration, RunInfo, SourceState

LIVE, READING, ENDED, FAILED = SourceState.LIVE, SourceState.READING, SourceState.ENDED, SourceState.FAILED


class Given(RecordingSource):
    """A source that never waits, and hands on what it was given."""

    def __init__(self, *given: Batch) -> None:
        self.title, self.given, self.closed = "given", given, False

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        try:
            yield from self.given
        finally:
            self.closed = True


def iteration(index: int) -> Iteration:
    return Iteration(index, 0.1, 3.0, at_s=1_000.0 + index)


def followed(*given: Batch, steps: int = 1) -> Followed:
    of = Followed(Given(*given), ())
    for _ in range(steps):
        of.step()
    return of


def test_a_step_takes_in_what_there_is_and_no_more() -> None:
    given = [Batch([RunInfo(name="gpt"), iteration(0)], LIVE), Batch((), LIVE), Batch([iteration(1)], LIVE)]
    of = followed(*given)
    assert (of.line(0.0).iteration, of.caught_up, of.over) == (0, True, False)
    assert followed(*given, steps=2).line(0.0).iteration == 1


@pytest.mark.parametrize(("state", "goes_on"), [(None, False), (SourceState.WAITING, False), (READING, True)])
def test_an_empty_batch_ends_a_step_but_not_while_history_is_read(
    state: SourceState | None, goes_on: bool
) -> None:
    of = followed(Batch([iteration(0)], LIVE), Batch((), state), Batch([iteration(1)], LIVE))
    assert of.line(0.0).iteration == int(goes_on)


def test_a_step_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_s = iter((0.0, 0.05, 0.06, 0.2))
    monkeypatch.setattr(following.time, "monotonic", lambda: next(clock_s))
    of = followed(*(Batch([iteration(i)], READING) for i in range(3)))
    assert of.line(0.0).iteration == 1


@pytest.mark.parametrize(
    ("state", "caught_up", "over"),
    [(READING, False, False), (LIVE, True, False), (ENDED, True, True), (FAILED, True, True)],
)
def test_it_is_over_when_its_source_says_so(state: SourceState, caught_up: bool, over: bool) -> None:
    of = followed(Batch([iteration(0)], state), Batch([iteration(1)]))
    assert (of.caught_up, of.over) == (caught_up, over)


def test_a_preview_is_no_part_of_the_run_and_a_restart_begins_anew() -> None:
    of = followed(Batch([iteration(5)], LIVE, preview=True))
    assert (of.line(0.0).iteration, of.caught_up) == (None, False)
    again = followed(Batch([iteration(5)], LIVE), Batch([iteration(2)], LIVE, restart=True))
    assert again.line(0.0).iteration == 2


@pytest.mark.parametrize(("many", "stands_s"), [(1, 4.0), (4, 4.0), (20, 20.0)])
def test_a_line_stands_for_four_seconds_or_one_for_each_run_that_is_followed(many: int, stands_s: float) -> None:
    of = followed(Batch([iteration(0)], LIVE), Batch((), LIVE), Batch([iteration(1)], LIVE))
    assert not of.over
    assert of.line(100.0, many).iteration == 0
    of.step()
    assert of.line(100.0 + stands_s - 0.5, many).iteration == 0
    assert of.line(100.0 + stands_s, many).iteration == 1


def test_while_history_is_read_each_line_is_new() -> None:
    of = followed(Batch([iteration(0)], READING), Batch((), None), Batch([iteration(1)], READING))
    assert not of.over
    assert of.line(100.0).iteration == 0
    of.step()
    assert of.line(100.0).iteration == 1


def test_a_source_is_closed_when_nobody_looks() -> None:
    source = Given(Batch([iteration(0)], LIVE), Batch((), LIVE))
    of = Followed(source, ())
    of.step()
    assert not source.closed
    of.close()
    assert source.closed


class Waits:
    """A source that waits for its trainer: it is read in a thread."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.title, self.text, self.never_waits = "waits", None, False

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield Batch([iteration(7)], LIVE)
        stop.wait(WITHIN_S)
        self.stopped.set()


def test_one_that_waits_is_read_in_a_thread_of_its_own() -> None:
    source = Waits()
    of = Followed(source, ())  # type: ignore[arg-type]

    def newest() -> int | None:
        of.step()
        return of.line(0.0).iteration

    assert eventually(newest) == 7
    of.close()
    assert source.stopped.wait(WITHIN_S)
