"""Several ranks of one run: one run, in which each rank is heard."""

import threading
from collections.abc import Iterator, Sequence

import pytest
from waiting import eventually

from itermon.collectors.runs import ranks
from itermon.collectors.runs.ranks import RanksSource
from itermon.collectors.source import Feed, Source
from itermon.events import (
    CHECKPOINT,
    DATA,
    Batch,
    Collective,
    Config,
    End,
    Event,
    Iteration,
    Message,
    Phases,
    RankState,
    RunInfo,
    SourceState,
    SpanBegin,
    SpanEnd,
    Stack,
)

OVER = Batch(state=SourceState.ENDED)


class Scripted(Source):
    """A source that says what it was given, one batch at a time."""

    def __init__(self, title: str, batches: Sequence[Batch]) -> None:
        self.title = title
        self._batches = batches

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        yield from self._batches


def recorded(rank: int | None, count: int, *more: Event, chunk: int = 100) -> Scripted:
    events: list[Event] = [RunInfo(rank=rank), Config(block_size=64)]
    events += [Iteration(i, 0.5) for i in range(count)]
    events += more
    parts = [Batch(events[i : i + chunk], state=SourceState.READING) for i in range(0, len(events), chunk)]
    return Scripted(
        f"rank {rank}",
        [
            Batch([Iteration(count - 1, 0.5)], SourceState.READING, preview=True),
            *parts,
            Batch(state=SourceState.ENDED),
        ],
    )


def events_of(source: RanksSource) -> list[Event]:
    return [event for batch in source.batches(threading.Event()) for event in batch.events if not batch.preview]


def test_the_lowest_rank_tells_the_run_and_all_tell_their_iterations_side_by_side() -> None:
    one = recorded(1, 900, Message("out of memory"), End("failed"), chunk=70)
    events = events_of(RanksSource([one, recorded(0, 900, End())]))
    assert [e.rank for e in events if isinstance(e, RunInfo)] == [0]
    assert sum(isinstance(e, Config) for e in events) == 1
    assert [e.reason for e in events if isinstance(e, End)] == ["finished"]
    assert [e.text for e in events if isinstance(e, Message)] == ["rank 1: out of memory", "rank 1: failed"]
    iterations = [(e.index, e.rank) for e in events if isinstance(e, Iteration)]
    assert iterations == [(index, rank) for index in range(900) for rank in (0, 1)]


def test_two_recordings_of_one_rank_are_no_run() -> None:
    (batch,) = RanksSource([recorded(None, 9), recorded(0, 9)]).batches(threading.Event())
    assert batch.state == SourceState.FAILED
    assert "both of rank 0" in batch.note


def test_a_rank_that_cannot_be_read_is_named() -> None:
    broken = Scripted("gone", [Batch(state=SourceState.FAILED, note="gone: no permission")])
    (batch,) = RanksSource([recorded(0, 9), broken]).batches(threading.Event())
    assert (batch.state, batch.note) == (SourceState.FAILED, "gone: no permission")


def test_a_rank_that_does_not_answer_is_named_and_the_others_are_heard() -> None:
    hanging = Scripted(
        "train-rank1",
        [Batch(state=SourceState.WAITING, note="train-rank1: no word"), Batch(state=SourceState.FAILED)],
    )
    events = events_of(RanksSource([hanging, recorded(0, 9)]))
    assert [e.text for e in events if isinstance(e, Message)] == ["train-rank1: no word"]
    assert sum(isinstance(e, Iteration) for e in events) == 9


def test_what_says_nothing_of_the_state_does_not_end_the_history() -> None:
    batches = [Batch([RunInfo(rank=0), Iteration(0, 0.5)], SourceState.READING), Batch([Message("printed")])]
    batches += [Batch([Iteration(1, 0.5)], SourceState.READING), Batch(state=SourceState.ENDED)]
    history, end = RanksSource([Scripted("rank 0", batches), recorded(1, 2)]).batches(threading.Event())
    assert sum(isinstance(event, Iteration) for event in history.events) == 4
    assert end.state == SourceState.ENDED


def test_what_the_others_say_after_the_lowest_has_ended_is_told() -> None:
    told_of_the_end = threading.Event()

    class Late(Scripted):
        def batches(self, stop: threading.Event) -> Iterator[Batch]:
            yield Batch([RunInfo(rank=1)], state=SourceState.LIVE)
            told_of_the_end.wait()
            yield from super().batches(stop)

    died = End("lost", detail="killed")
    lowest = Scripted(
        "rank 0",
        [Batch([RunInfo(rank=0)], state=SourceState.LIVE), Batch([End()], state=SourceState.ENDED, note="over")],
    )
    late = Late("rank 1", [Batch([Iteration(1, 0.5), died], state=SourceState.ENDED)])
    batches: list[Batch] = []
    for batch in RanksSource([lowest, late]).batches(threading.Event()):
        batches.append(batch)
        if any(isinstance(event, End) for event in batch.events):
            told_of_the_end.set()
    *batches, end = batches
    events = [event for batch in batches for event in batch.events]
    assert [e.text for e in events if isinstance(e, Message)] == ["rank 1: lost: killed"]
    assert [e.index for e in events if isinstance(e, Iteration)] == [1]
    assert (end.state, end.note) == (SourceState.ENDED, "over")
    assert SourceState.ENDED not in [batch.state for batch in batches]


def test_what_is_new_comes_from_all_ranks() -> None:
    def living(rank: int) -> Scripted:
        history = Batch([RunInfo(rank=rank), Iteration(0, 0.5)], state=SourceState.LIVE)
        new = Batch([Iteration(1, 0.5), Phases(1, {"forward": 0.1}), Stack(2.0)], state=SourceState.LIVE)
        return Scripted(f"rank {rank}", [history, new])

    feed, heard = Feed(), list[Event]()
    feed.add(RanksSource([living(0), living(1)]))

    def reported() -> bool:
        heard.extend(event for batch in feed.drain() for event in batch.events)
        return {(type(e), e.rank) for e in heard if isinstance(e, Iteration | Phases | Stack)} == {
            (kind, rank) for kind in (Iteration, Phases, Stack) for rank in (0, 1)
        }

    eventually(reported)
    feed.stop()
    assert sum(isinstance(e, RunInfo) for e in heard) == 1


def test_what_is_new_comes_together_however_many_ranks_there_are() -> None:
    begun, spoken = threading.Event(), list[int]()

    class Talking(Scripted):
        def batches(self, stop: threading.Event) -> Iterator[Batch]:
            yield from super().batches(stop)
            begun.wait(60)
            yield from (Batch([Iteration(i, 0.5)], state=SourceState.LIVE) for i in range(40))
            spoken.append(1)

    talking = [Talking(f"rank {rank}", [Batch([RunInfo(rank=rank)], state=SourceState.LIVE)]) for rank in range(4)]
    batches = RanksSource(talking).batches(threading.Event())
    assert [next(batches).state, next(batches).state] == [SourceState.READING, SourceState.LIVE]
    begun.set()
    heard = len(next(batches).events)
    eventually(lambda: len(spoken) == 4)  # nobody waits for a slow screen
    count = 0
    while heard < 4 * 40:
        heard += len(next(batches).events)
        count += 1
    batches.close()  # type: ignore[attr-defined]
    assert count <= 10


def test_a_rank_that_nobody_numbered_is_the_first_and_a_source_without_a_run_too() -> None:
    events = events_of(RanksSource([recorded(1, 2), recorded(None, 2)]))
    assert {e.rank for e in events if isinstance(e, Iteration)} == {0, 1}
    silent = Scripted("rank 0", [Batch([Iteration(5, 0.5)], SourceState.READING), Batch(state=SourceState.ENDED)])
    assert [e.rank for e in events_of(RanksSource([recorded(1, 0), silent])) if isinstance(e, Iteration)] == [0]


def test_where_no_rank_answers_the_first_is_waited_for() -> None:
    mute = [Scripted(f"rank {n}", [Batch(state=SourceState.WAITING, note=f"rank {n}: no word")]) for n in (0, 1)]
    first, *_, last = RanksSource(mute).batches(threading.Event())
    assert [e.text for e in first.events if isinstance(e, Message)] == ["rank 0: no word", "rank 1: no word"]
    assert first.state == SourceState.READING
    assert last.note == "rank 0: no word"


def test_a_history_of_many_events_comes_in_parts() -> None:
    batches = list(RanksSource([recorded(0, 5_000), recorded(1, 5_000)]).batches(threading.Event()))
    assert [len(batch.events) for batch in batches] == [4096, 4096, 10_004 - 2 * 4096, 0]
    assert [batch.state for batch in batches] == [*[SourceState.READING] * 3, SourceState.ENDED]


def test_of_another_rank_that_is_lost_its_last_words_are_told() -> None:
    def living(rank: int, *rest: Batch) -> Scripted:
        return Scripted(f"rank {rank}", [Batch([RunInfo(rank=rank)], state=SourceState.LIVE), *rest])

    broken = living(
        1, Batch([Iteration(3, 0.5)], state=SourceState.FAILED, note="cut"), Batch(state=SourceState.LIVE)
    )
    lowest = living(0, Batch([Iteration(3, 0.5), End()], state=SourceState.ENDED, note="over"))
    events = events_of(RanksSource([broken, lowest]))
    assert [e.text for e in events if isinstance(e, Message)] == ["rank 1: cut"]
    assert sorted(e.rank for e in events if isinstance(e, Iteration)) == [0, 1]
    assert [e.reason for e in events if isinstance(e, End)] == ["finished"]


def test_the_processes_of_all_ranks_are_told_their_stops_and_how_they_ended() -> None:
    stops = [SpanBegin(DATA, 1.0), SpanEnd(DATA, 2.0), SpanBegin(CHECKPOINT, 3.0), SpanEnd(CHECKPOINT, 4.0)]
    ends = {0: End(at_s=9.0), 1: End("lost", 8.0, "gone", exit_code=-9)}
    living = [
        Scripted(
            f"rank {n}", [Batch([RunInfo(rank=n, pid=40 + n, host="a"), *stops, end], SourceState.READING), OVER]
        )
        for n, end in ends.items()
    ]
    states = [event for event in events_of(RanksSource(living)) if isinstance(event, RankState)]
    assert [state for state in states if state.rank == 1] == [
        RankState(1, pid=41, host="a"),
        RankState(1, 3.0, doing=CHECKPOINT),
        RankState(1, 4.0),
        RankState(1, 8.0, ended="lost: gone", exit_code=-9),
    ]
    assert [state.ended for state in states if state.rank == 0] == ["", "", "", "finished"]


def test_where_a_rank_stands_is_told_of_each() -> None:
    said = Collective(7, "w", 58)
    events = events_of(RanksSource([recorded(0, 3, Stack(1.0)), recorded(1, 3, Stack(1.0), said)]))
    assert [event.rank for event in events if isinstance(event, Stack)] == [0, 1]
    assert said in events


def test_a_source_that_holds_several_ranks_already_keeps_them() -> None:
    """Another machine's stream of eight ranks is one source, whose lowest rank is the eighth."""
    there = Scripted(
        "box",
        [
            Batch(
                [
                    RunInfo(rank=8),
                    Iteration(0, 0.5, rank=8),
                    Iteration(0, 0.5, rank=9),
                    RankState(9, 5.0, doing=CHECKPOINT),
                    Message("rank 9: late"),
                ],
                state=SourceState.READING,
            ),
            OVER,
        ],
    )
    events = events_of(RanksSource([recorded(0, 1), there]))
    assert [event.rank for event in events if isinstance(event, Iteration)] == [0, 8, 9]
    assert RankState(9, 5.0, doing=CHECKPOINT) in events
    assert [event.text for event in events if isinstance(event, Message)] == ["rank 9: late"]


def test_the_title_says_how_many_ranks_there_are_besides() -> None:
    assert RanksSource([recorded(0, 1), recorded(1, 1), recorded(2, 1)]).title == "rank 0 and 2 more"


def test_others_that_live_on_are_waited_for_a_little_when_the_lowest_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranks, "_WAIT_S", 0.0)

    class Endless(Scripted):
        def batches(self, stop: threading.Event) -> Iterator[Batch]:
            yield Batch([RunInfo(rank=1)], state=SourceState.LIVE)
            stop.wait(60)

    lowest = Scripted(
        "rank 0",
        [Batch([RunInfo(rank=0)], state=SourceState.LIVE), Batch(state=SourceState.ENDED, note="over")],
    )
    *_, end = RanksSource([lowest, Endless("rank 1", ())]).batches(threading.Event())
    assert (end.state, end.note) == (SourceState.ENDED, "over")


def test_one_rank_that_has_ended_does_not_end_the_others() -> None:
    gone = threading.Event()

    class Ended(Scripted):
        def batches(self, stop: threading.Event) -> Iterator[Batch]:
            yield Batch([RunInfo(rank=1)], state=SourceState.LIVE)
            gone.set()

    class Lowest(Scripted):
        def batches(self, stop: threading.Event) -> Iterator[Batch]:
            yield Batch([RunInfo(rank=0)], state=SourceState.LIVE)
            gone.wait(60)
            stop.wait(0.5)
            yield Batch([Iteration(5, 0.5)], state=SourceState.LIVE)
            yield Batch(state=SourceState.ENDED, note="over")

    batches = list(RanksSource([Lowest("rank 0", ()), Ended("rank 1", ())]).batches(threading.Event()))
    assert [e.index for batch in batches for e in batch.events if isinstance(e, Iteration)] == [5]
    assert batches[-1].note == "over"


def test_what_a_rank_says_before_its_first_iteration_stands_at_the_runs_beginning() -> None:
    history = ranks._RankSource(recorded(1, 3), threading.Event()).history()
    assert [(index, type(event)) for index, event in history] == [
        (0, RankState),
        *((n, Iteration) for n in range(3)),
    ]
