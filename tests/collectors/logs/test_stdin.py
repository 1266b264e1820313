"""What a pipe brings."""

import os
import threading
from collections.abc import Iterator

import pytest

from itermon.collectors.logs.stdin import Arrivals, StreamSource
from itermon.events import Batch, EndOfFile, Iteration, RunInfo, SourceState, encode, expand


class Pipe:
    """A pipe, and the source at its end."""

    def __init__(self) -> None:
        self.read_fd, self.write_fd = os.pipe()
        self.stop = threading.Event()
        self.passes_s = 0.0  # a reading of the clock later
        source = StreamSource(self.read_fd, clock=lambda: 1000.0, monotonic=self._later, wake_s=0.01)
        self.batches: Iterator[Batch] = source.batches(self.stop)

    def _later(self) -> float:
        self.passes_s += 1.0
        return self.passes_s

    def write(self, data: bytes) -> Batch:
        os.write(self.write_fd, data)
        return next(self.batches)

    def end(self) -> Batch:
        os.close(self.write_fd)
        return next(self.batches)


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    assert next(pipe.batches).state == SourceState.WAITING
    yield pipe
    os.close(pipe.read_fd)


def test_a_text_log_is_read_as_it_comes(pipe: Pipe) -> None:
    assert pipe.write(b"hello\n").state == SourceState.WAITING
    assert pipe.write(b"iter 1: loss 2.5, time 10.0").events == []
    batch = pipe.write(b"0ms, mfu 4.00%\niter 2: loss 2")
    assert batch.state == SourceState.LIVE
    assert [(e.index, e.at_s) for e in batch.events if isinstance(e, Iteration)] == [(1, 1000.0)]
    end = pipe.end()
    row = "iter 1: loss 2.5, time 10.00ms, mfu 4.00%"
    last_words = EndOfFile(tail=("hello", row), lines=2, newest=2, row=row, row_line=2)
    assert (end.state, end.events) == (SourceState.ENDED, [last_words])
    assert next(pipe.batches, None) is None


@pytest.mark.parametrize(("wait_s", "busy_s", "live"), [(5.0, 1.0, True), (1.0, 1.0, True), (0.5, 1.0, False)])
def test_when_lines_come_tells_of_a_writer_that_makes_us_wait(*, wait_s: float, busy_s: float, live: bool) -> None:
    now_s = 0.0
    arrivals = Arrivals(lambda: now_s)
    arrivals.waits()
    now_s += 100.0  # until it begins
    assert not arrivals.is_live(), "what was there before us"
    for _ in range(3):
        now_s += busy_s
        arrivals.waits()
        now_s += wait_s
        assert arrivals.is_live() is live


def test_a_file_that_is_handed_on_is_no_training(pipe: Pipe) -> None:
    """Written faster than it is read: ever more is there at once, and nothing is waited for."""
    pipe.write(b"head\n")
    pipe.passes_s += 60.0  # of reading
    batch = pipe.write(b"".join(b"iter %d: loss 2.5\n" % n for n in range(50)))
    assert {event.at_s for event in batch.events if isinstance(event, Iteration)} == {None}


def test_events_are_told_by_their_content(pipe: Pipe) -> None:
    batch = pipe.write(encode(RunInfo(name="r", clock="hook")) + encode(Iteration(7, at_s=5.0)))
    assert [(e.index, e.at_s) for e in batch.events if isinstance(e, Iteration)] == [(7, 5.0)]


def test_nothing_known_says_so(pipe: Pipe) -> None:
    pipe.write(b"hello\n")
    assert "no line of a known log format" in pipe.end().note


def test_an_empty_stream_is_called_empty(pipe: Pipe) -> None:
    assert pipe.end().note == "standard input: empty"


def test_stop_is_heard_though_nothing_comes(pipe: Pipe) -> None:
    pipe.stop.set()
    assert next(pipe.batches, None) is None
    os.close(pipe.write_fd)


@pytest.mark.parametrize(
    ("last", "seen"), [(b"iter 3: loss 2.5, time 10.00ms, mfu 4.00%", [3]), (b"iter 3: lo", [])]
)
def test_a_last_row_without_a_newline_is_one_if_it_is_whole(pipe: Pipe, last: bytes, seen: list[int]) -> None:
    rows = b"".join(b"iter %d: loss 2.5, time 10.00ms, mfu 4.00%%\n" % n for n in (1, 2))
    pipe.write(rows + last)
    assert [e.index for e in expand(pipe.end().events) if isinstance(e, Iteration)] == seen


def test_a_last_row_that_ends_in_a_digit_is_one_if_it_is_like_those_before(pipe: Pipe) -> None:
    pipe.write(b"step,loss\n" + b"".join(b"%d,2.%d\n" % (n, n) for n in range(1, 9)) + b"9,1.9")
    assert [e.index for e in pipe.end().events if isinstance(e, Iteration)] == [9]
