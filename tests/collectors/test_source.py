"""The queue between sources and the screen: what lives is never late, and history waits until it is wanted."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator, Sequence

from waiting import eventually

from itermon.collectors.source import MOST_WAITING, Feed
from itermon.events import Batch, Iteration, Iterations, SourceState


class Telling:
    title = "telling"

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.batches_given = 0
        self._batches = batches

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        for batch in self._batches:
            self.batches_given += 1
            yield batch
        if not self._batches:
            raise ValueError("nothing to tell")


def block(first: int) -> Batch:
    count = MOST_WAITING * 2 // 3
    nothing = array("d", [0.5]) * count
    return Batch(
        [Iterations(array("q", range(first, first + count)), nothing, nothing, nothing)], state=SourceState.READING
    )


def test_a_living_source_is_not_held_back_by_a_screen_that_ticks_slowly() -> None:
    feed, source = Feed(), Telling([Batch([Iteration(i)], state=SourceState.LIVE) for i in range(500)])
    thread = feed.add(source)
    eventually(lambda: not thread.is_alive())
    assert [event.index for batch in feed.drain() for event in batch.events] == [*range(500)]
    assert feed.drain() == []


def test_history_waits_for_the_screen_two_batches_ahead() -> None:
    feed, source = Feed(), Telling([block(i) for i in range(10)])
    thread = feed.add(source)
    eventually(lambda: source.batches_given == 3, lambda: source.batches_given)
    assert len(feed.drain(1)) == 1
    eventually(lambda: source.batches_given == 4, lambda: source.batches_given)
    firsts = []
    while len(firsts) < 9:
        firsts += [batch.events[0].index[0] for batch in feed.wait(1.0)]
    assert firsts == [*range(1, 10)]
    eventually(lambda: not thread.is_alive())
    assert feed.wait(0.0) == []


def test_stopping_lets_a_source_go_that_waits_for_room() -> None:
    feed, source = Feed(), Telling([block(i) for i in range(10)])
    thread = feed.add(source)
    eventually(lambda: source.batches_given == 3, lambda: source.batches_given)
    feed.stop()
    eventually(lambda: not thread.is_alive())
    assert source.batches_given == 3


def test_a_source_that_breaks_is_shown() -> None:
    feed = Feed()
    feed.add(Telling([]))
    (batch,) = eventually(feed.drain)
    assert (batch.state, batch.note) == (SourceState.FAILED, "telling: ValueError: nothing to tell")
