"""What a pipe brings."""

import os
import threading
from collections.abc import Iterator

import pytest

from itermon.collectors.logs.stdin import StreamSource
from itermon.events import Batch, EndOfFile, Iteration, RunInfo, SourceState, encode


class Pipe:
    """A pipe, and the source at its end."""

    def __init__(self) -> None:
        self.read_fd, self.write_fd = os.pipe()
        self.stop = threading.Event()
        source = StreamSource(self.read_fd, clock=lambda: 1000.0, wake_s=0.01)
        self.batches: Iterator[Batch] = source.batches(self.stop)

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
    last_words = EndOfFile(tail=("hello", "iter 1: loss 2.5, time 10.00ms, mfu 4.00%"))
    assert (end.state, end.events) == (SourceState.ENDED, [last_words])
    assert next(pipe.batches, None) is None


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
