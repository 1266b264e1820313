"""What is old lies elsewhere, and is the same."""

from __future__ import annotations

from array import array
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis import aside
from itermon.analysis.aside import Aside
from itermon.analysis.run import Run
from itermon.events import EVALUATION, ClockKind, Event, Iteration, PrintedLoss, RunInfo, SpanBegin, SpanEnd

if TYPE_CHECKING:
    from collections.abc import Iterator


class Shelf:
    """Has room for so many blocks."""

    def __init__(self, room: int = 1_000_000) -> None:
        self.room, self.kept = room, list[bytes]()

    def put(self, values: bytes) -> int | None:
        if len(self.kept) >= self.room:
            return None
        self.kept.append(values)
        return len(self.kept) - 1

    def get(self, place: int, size: int) -> bytes:
        assert len(self.kept[place]) == size
        return self.kept[place]


@pytest.fixture(autouse=True)
def _small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aside, "BLOCK", 4)
        patch.setattr(aside, "NEWEST", 8)
        yield


PLACES = st.none() | st.integers(-70, 70)


@given(st.lists(st.integers(0, 30), max_size=6), PLACES, PLACES, st.integers(0, 3), st.lists(st.integers(0, 90)))
def test_it_is_as_an_array_is(
    sizes: list[int], start: int | None, stop: int | None, room: int, changed: list[int]
) -> None:
    plain, put = array("d"), Aside("d", Shelf(room))
    for size in sizes:
        values = [float(len(plain) + n) for n in range(size)]
        plain.extend(values)
        put.extend(values)
        for place in changed:
            if place < len(plain):
                plain[place] = put[place] = -float(place)
    assert len(put) == len(plain)
    assert bool(put) == bool(plain)
    assert list(put) == list(plain)
    assert put[start:stop] == plain[start:stop]
    assert put[start:stop:2] == plain[start:stop:2]
    assert [put[-1 - n] for n in range(len(put))] == list(reversed(plain))
    for beyond in (len(plain), -1 - len(plain)):
        with pytest.raises(IndexError):
            put[beyond]


def test_only_the_newest_are_in_memory() -> None:
    shelf = Shelf()
    put = Aside("d", shelf)
    put.extend(range(100))
    assert len(shelf.kept) == 23
    assert len(put._newest) == 8


def _events(seed: int) -> list[Event]:
    """Evaluations, stalls, a loss that jumps, losses that come late, and a process that begins again."""
    random, at_s = Random(seed), 1_700_000_000.0
    events: list[Event] = [RunInfo(source_format="simulated", clock=ClockKind.HOOK)]
    for place in range(900):
        index = place if place < 600 else place - 100
        if index and index % 100 == 0:
            events.append(SpanBegin(EVALUATION, at_s=at_s, iteration=index))
            at_s += 20
            events.append(SpanEnd(EVALUATION, at_s=at_s, iteration=index, duration_s=20))
        duration_s = random.gauss(1, 0.02) + (400 if place == 333 else 0)
        at_s += duration_s
        loss = random.gauss(9 if place >= 700 else 3, 0.1)
        events.append(Iteration(index, duration_s, None if place % 7 == 0 else loss, at_s=at_s))
        if place % 7 == 0 and place > 20:
            events.append(PrintedLoss(index - place % 14, loss))
    return events


@pytest.mark.parametrize("seed", range(3))
def test_the_findings_are_the_same(seed: int) -> None:
    events = _events(seed)
    plain, put = Run(), Run()
    put.set_aside(Shelf(20))
    for start in range(0, len(events), 50):
        for run in (plain, put):
            run.apply(events[start : start + 50])
        assert put.findings() == plain.findings()
    assert {one.kind for one in put.findings().incidents} >= {"loss-grown", "silent"}
