"""Events of a source that has ended, each at its time, up to where they are asked for."""

import threading
from collections.abc import Iterator, Sequence

import pytest

from itermon.collectors.runs.player import Player
from itermon.collectors.source import Source
from itermon.events import (
    Batch,
    ClockKind,
    Config,
    End,
    Event,
    GpuSample,
    Iteration,
    Message,
    RunInfo,
    SourceState,
)


class Scripted(Source):
    """Says what it was given, one batch at a time, until it is stopped."""

    title = "scripted"

    def __init__(self, *batches: Batch) -> None:
        self._batches = batches
        self.closed = False

    def batches(self, stop: threading.Event) -> Iterator[Batch]:
        for batch in self._batches:
            if stop.is_set():
                break
            yield batch
        self.closed = True


def part(events: Sequence[Event], history: float | None = None, **more: object) -> Batch:
    return Batch(list(events), SourceState.READING, history=history, **more)  # type: ignore[arg-type]


def unclocked(*durations: float | None, over: int = 1) -> Player:
    rows = [Iteration(n, duration_s, averaged_over=over) for n, duration_s in enumerate(durations)]
    return Player(Scripted(part([RunInfo(), *rows], 1.0), Batch(state=SourceState.ENDED)), start_s=1000.0)


def kinds(events: Sequence[Event]) -> list[type]:
    return [type(event) for event in events]


def test_without_a_clock_the_time_is_the_sum_of_all_iterations() -> None:
    player = unclocked(2.0, None, 0.5, over=3)
    assert (player.at_s, player.next_s()) == (1000.0, 1000.0)
    events = player.until(1006.0, 99)
    assert [event.clock for event in events if isinstance(event, RunInfo)] == [ClockKind.SUM]
    assert [event.at_s for event in events if isinstance(event, Iteration)] == [1006.0, 1006.0]
    assert player.next_s() == 1007.5
    assert player.until(1007.4, 99) == []
    assert [event.at_s for event in player.until(1007.5, 99)] == [1007.5]
    assert player.next_s() is None


def test_no_more_come_than_were_asked_for() -> None:
    player = unclocked(*[1.0] * 9)
    assert [len(player.until(2000.0, most)) for most in (0, 1, 3, 99)] == [0, 1, 3, 6]


def test_an_iteration_comes_with_what_stands_before_it() -> None:
    player = unclocked(1.0, 1.0)
    assert [kinds(player.iteration()) for _ in range(3)] == [[RunInfo, Iteration], [Iteration], []]


def test_a_sources_own_times_never_run_back() -> None:
    times = (None, 50.0, None, 40.0, 60.0)
    events = [Message(str(at_s), at_s=at_s) for at_s in times] + [
        Iteration(0, 9.0, at_s=70.0),
        Config(),
        Iteration(1),
    ]
    player = Player(Scripted(part(events, 1.0)), start_s=1000.0)
    found = []
    while (next_s := player.next_s()) is not None:
        found.append(next_s)
        assert player.until(next_s, 1)
        assert player.at_s == next_s
    assert found == [50.0, 50.0, 50.0, 50.0, 60.0, 70.0, 70.0, 70.0]


def test_what_is_shown_ahead_is_not_played() -> None:
    shown = part([Iteration(9, 1.0)], 0.0, preview=True)
    player = Player(Scripted(shown, part([Iteration(0, 1.0)], 1.0)), start_s=0.0)
    assert [event.index for event in player.until(99.0, 99) if isinstance(event, Iteration)] == [0]


def test_how_much_was_played_is_counted_within_a_chunk() -> None:
    first, second = ([Iteration(n, 1.0, at_s=float(n)) for n in range(begin, begin + 4)] for begin in (0, 4))
    player = Player(Scripted(part(first, 0.2), part(second, 0.6), Batch([End()], SourceState.ENDED)), start_s=0.0)
    found = [player.fraction]
    while player.next_s() is not None:
        player.until(99.0, 1)
        found.append(player.fraction)
    assert found == pytest.approx([0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0])


@pytest.mark.parametrize(
    ("fraction", "played"), [(0.0, 0), (0.1, 10), (0.5, 50), (0.505, 50), (0.515, 51), (1.0, 100), (2.0, 100)]
)
def test_a_jump_goes_to_its_part_of_the_source(fraction: float, played: int) -> None:
    chunks = [
        part([Iteration(n, 1.0) for n in range(begin, begin + 20)], (begin + 20) / 100)
        for begin in range(0, 100, 20)
    ]
    player = Player(Scripted(*chunks), start_s=0.0)
    events: list[Event] = []
    while more := player.to(fraction):
        assert len(more) <= 20
        events += more
    assert abs(len(events) - played) <= 1
    assert events == [] or player.fraction >= min(fraction, 1.0) - 1e-9


def test_a_source_without_iterations_has_failed_and_says_why() -> None:
    broken = Player(
        Scripted(Batch(state=SourceState.FAILED, note="no permission"), Batch([Message("x")])), start_s=0.0
    )
    assert (broken.failed, broken.note) == (True, "no permission")
    silent = Player(Scripted(part([Message("x")], 1.0)), start_s=0.0)
    assert (silent.failed, silent.note) == (True, "")
    half = Player(
        Scripted(part([Iteration(0, 1.0)], 0.5), Batch(state=SourceState.FAILED, note="cut")), start_s=0.0
    )
    assert not half.failed
    half.until(99.0, 99)
    assert half.next_s() is None
    assert (half.failed, half.note) == (True, "cut")


def test_a_source_is_let_go_of() -> None:
    source = Scripted(*(part([Iteration(n, 1.0)], 0.1 * n) for n in range(9)))
    player = Player(source, start_s=0.0)
    assert not source.closed
    player.close()
    assert source.closed
    assert player.next_s() is not None  # what was read already


def test_samples_of_a_recording_are_no_clock_of_a_log_without_one() -> None:
    rows: list[Event] = [Iteration(n, 2.0) for n in range(3)]
    sampled = [RunInfo(), *rows, GpuSample(50_000.0, utilization=0.5)]
    player = Player(Scripted(part(sampled, 1.0), Batch(state=SourceState.ENDED)), start_s=1000.0)
    assert player.at_s == 1000.0
    played = player.until(1004.0, 10)
    assert [event.at_s for event in played if isinstance(event, Iteration)] == [1002.0, 1004.0]


def test_half_of_a_chunk_of_one_event_is_no_event() -> None:
    player = Player(Scripted(part([Iteration(0, 1.0)], 0.4), part([Iteration(1, 1.0)], 0.8)), start_s=0.0)
    assert player.fraction == 0.0
    assert [len(player.until(9.0, 1)) for _ in range(2)] == [1, 1]
    assert player.fraction == 0.8


@pytest.mark.parametrize(("fraction", "played"), [(0.3, 30), (0.75, 75), (0.98, 98)])
def test_a_jump_within_one_chunk_leaves_the_rest_of_it(fraction: float, played: int) -> None:
    player = Player(Scripted(part([Iteration(n, 1.0) for n in range(100)], 1.0)), start_s=0.0)
    assert len(player.to(fraction)) == played
    assert player.to(fraction) == []


def test_a_jump_always_plays_something_before_it_has_arrived() -> None:
    player = Player(Scripted(part([Iteration(0, 1.0), Iteration(1, 1.0)], 0.5)), start_s=0.0)
    assert len(player.to(0.01)) == 1
    assert player.to(0.01) == []


def test_a_jump_through_a_source_that_does_not_say_how_far_it_is_goes_to_its_end() -> None:
    player = Player(Scripted(part([Iteration(n, 1.0) for n in range(4)]), part([Iteration(4, 1.0)])), start_s=0.0)
    assert [len(player.to(1.0)) for _ in range(3)] == [4, 1, 0]


def test_what_has_no_time_of_its_own_is_played_as_it_is() -> None:
    player = Player(Scripted(part([Config(), Message("x"), Iteration(0, 2.0)], 1.0)), start_s=1000.0)
    events = player.until(1002.0, 9)
    assert events[:2] == [Config(), Message("x")]
    assert [event.at_s for event in events if isinstance(event, Iteration)] == [1002.0]
