"""A run and the samples next to it, in one stream."""

from __future__ import annotations

import threading

from itermon.collectors.run_and_machine import RunAndMachineSource
from itermon.collectors.source import Source
from itermon.events import Batch, HostSample, Iteration, SourceState


class Run(Source):
    title = "train.log"

    def __init__(self, sampled: threading.Event) -> None:
        self._sampled = sampled

    def batches(self, stop):
        yield Batch([Iteration(0)])
        assert self._sampled.wait(10)
        for index in range(1, 100):
            yield Batch([Iteration(index)])
        yield Batch(state=SourceState.ENDED)


class Samples(Source):
    title = "host"

    def __init__(self, sampled: threading.Event) -> None:
        self._sampled = sampled

    def batches(self, stop):
        yield Batch([HostSample(1.0)])
        self._sampled.set()
        stop.wait(10)  # a sampler never ends by itself


def test_the_stream_has_all_of_the_run_and_its_samples_and_ends_with_the_run():
    sampled = threading.Event()
    batches = list(RunAndMachineSource(Run(sampled), [Samples(sampled)]).batches(threading.Event()))
    events = [event for batch in batches for event in batch.events]
    assert [e.index for e in events if isinstance(e, Iteration)] == list(range(100))
    assert HostSample(1.0) in events
    assert batches[-1].state == SourceState.ENDED


class Short(Source):
    title = "old.log"

    def __init__(self) -> None:
        self.done = threading.Event()

    def batches(self, stop):
        for index in range(3):  # one is being read, and two wait in the queue
            yield Batch([Iteration(index)])
        self.done.set()


def test_what_still_waits_when_the_run_ends_is_not_lost():
    run, seen = Short(), []
    for batch in RunAndMachineSource(run, []).batches(threading.Event()):
        assert run.done.wait(10)  # a slow reader: all of it is said before he goes on
        seen += batch.events
    assert [event.index for event in seen] == list(range(3))
