"""The sampling thread: a hanging call is named while everything else goes on, and a flaw is said."""

from __future__ import annotations

import threading

from itermon.collectors.sampling import SamplingSource
from itermon.events import HostSample, Message


class Hanging:
    """Answers once, then hangs until the test lets it go."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.closed = threading.Event()
        self._passes = 0

    def sample(self):
        self._passes += 1
        if self._passes == 2:
            assert self.go_on.wait(10)
        return [HostSample(float(self._passes))]

    def hung(self, longer_than_s):
        return [Message(f"hangs for {longer_than_s} s")] if self._passes == 2 and not self.go_on.is_set() else []

    def close(self):
        self.closed.set()


def test_a_call_that_hangs_is_told_from_another_thread_and_the_samples_go_on_after_it():
    sampler, stop = Hanging(), threading.Event()
    seen = []
    for batch in SamplingSource("GPU", sampler, interval_s=0.001, hang_s=2.0).batches(stop):
        assert batch.state is None
        seen += batch.events
        if isinstance(batch.events[0], Message):
            sampler.go_on.set()
        elif batch.events[0].at_s >= 3:
            stop.set()
    assert seen[0] == HostSample(1.0)
    assert Message("hangs for 2.0 s") in seen
    assert HostSample(3.0) in seen
    assert sampler.closed.wait(10)


class Broken(Hanging):
    def sample(self):
        raise ZeroDivisionError("of ours")


def test_a_flaw_in_a_sampler_ends_it_with_a_word_and_harms_nobody():
    batches = list(SamplingSource("GPU sampling", Broken(), interval_s=0.001).batches(threading.Event()))
    (message,) = [event for batch in batches for event in batch.events]
    assert message.text.startswith("GPU sampling stopped: ZeroDivisionError: of ours")
    assert message.level == "error"


def test_a_source_that_was_stopped_already_samples_nothing():
    stop = threading.Event()
    stop.set()
    assert list(SamplingSource("GPU sampling", Broken(), interval_s=0.001).batches(stop)) == []
