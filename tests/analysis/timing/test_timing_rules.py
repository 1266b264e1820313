"""Each rule of `timing.py` at both sides of its bound: columns, spans and the level are given."""

from __future__ import annotations

from array import array
from math import nan
from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis.findings import Shift
from itermon.analysis.record.spans import Note
from itermon.analysis.timing.slow import Slow
from itermon.analysis.timing.timing import Timing
from itermon.events import EVALUATION, ClockKind, Iteration, RunInfo, Strength, Witness

# The bounds as numbers of its own: from the code, a test would move with them.
FAR, FIRST, LEAST_CHANGE, PASSING, VERIFY = 1.25, 64, 0.05, 256, 10


def rows(slow: Slow) -> list[tuple[int, float, float, float]]:
    return [*zip(slow.position, slow.duration_s, slow.level_s, slow.gap_s, strict=True)]


def test_slow_iterations_stand_in_order_and_a_gap_joins_its_iteration() -> None:
    slow = Slow()
    slow.add(5, 3.0, 1.0, itself=True)
    slow.add(9, nan, 2.0, 4.0)
    slow.add(7, 2.5, 1.5, 1.0)
    slow.add(9, 8.0, 8.0, 0.5)
    slow.add(5, 8.0, 8.0, 0.25)
    assert rows(slow) == [(5, 3.0, 1.0, 0.25), (7, 2.5, 1.5, 1.0), (9, 0.0, 2.0, 4.5)]
    assert (len(slow), list(slow.itself), slow.changes) == (3, [5], 0)
    slow.drop(0)
    assert rows(slow) == [(7, 2.5, 1.5, 1.0), (9, 0.0, 2.0, 4.5)]
    assert (list(slow.itself), slow.changes) == ([], 1)


def test_only_what_is_taken_out_or_put_between_changes_what_was_there() -> None:
    slow = Slow()
    changes = []
    for position, itself in ((5, True), (5, True), (9, True), (7, True), (7, False), (7, False), (9, False)):
        slow.note(position, itself=itself)
        changes.append(slow.changes)
    assert changes == [0, 0, 0, 1, 2, 2, 3]
    assert list(slow.itself) == [5]


class Columns(list[float]):
    """Iterations 0, 10, 20, ... with these times; their stamps and clock where given."""

    def __init__(self, took: list[float], at_s: list[float] | None = None, *, elapsed: bool = False) -> None:
        super().__init__(took)
        self.duration_s, self.index = array("d", took), [10 * n for n in range(len(took))]
        self._at_s, self.clocked = at_s, at_s is not None
        self.uncounted: dict[int, int] = {}
        self.averaged_over: list[int] = []
        self.tick_s, self.witness, self.elapsed_s = 0.0, Witness.ELAPSED, [1.0] if elapsed else []

    def time_at(self, position: int) -> float:
        return self._at_s[position] if self._at_s else nan

    def elapsed_at(self, _: int) -> float:
        return nan

    def averaged_at(self, _: int) -> int:
        return 1


def note(*, inside: bool = True, duration_s: float | None = None) -> Note:
    return Note(EVALUATION, Strength.LOG, duration_s=duration_s, inside=inside)


def timing(
    took: list[float], notes: dict[int, Note] | None = None, starts: tuple[int, ...] = (0,), **columns: Any
) -> Timing:
    spans: Any = SimpleNamespace(
        positions=sorted(notes or {}), by_position={at: (one,) for at, one in (notes or {}).items()}
    )
    return Timing(Columns(took, **columns), spans, starts)  # type: ignore[arg-type]


class Level:
    """A baseline of which only the level and the limit are known; it notes what it is given."""

    def __init__(self, level: float = 1.0, limit: float = 1.5) -> None:
        self.level, self.limit, self.room, self.alarmed = level, limit, 100, False
        self.told: list[Any] = []

    def slow(self) -> None:
        self.told.append("slow")

    def take(self, durations: Any) -> int:
        self.told.append(tuple(durations))
        return len(durations)

    def rebase(self, durations: list[float]) -> None:
        self.told.append(durations)
        self.level = 3.0


@pytest.mark.parametrize(
    ("took", "notes", "start", "warmup"),
    [
        ([1.0] * 30, {}, 0, 0),
        ([1.21, *[1.0] * 29], {}, 0, 1),
        ([1.2, *[1.0] * 29], {}, 0, 0),
        ([nan, 9.0, 9.0, *[1.0] * 30], {}, 0, 3),
        ([9.0, 9.0, *[1.0] * 30], {0: note()}, 0, 2),
        ([9.0, *[1.0] * 30], {0: note()}, 0, 1),
        ([9.0, 9.0, *[1.0] * 30], {0: note(inside=False)}, 0, 2),
    ],
)
def test_warm_up_ends_where_the_level_has_settled(
    took: list[float], notes: dict[int, Note], start: int, warmup: int
) -> None:
    of = timing(took, notes)
    of._begin(len(took))
    assert (of.warmup, of._levels) == (warmup, [(start, 1.0)])


def test_of_a_long_history_the_newest_few_hundred_give_the_level() -> None:
    count = 4 * FIRST
    of = timing([5.0, 2.0, *[1.0] * (count - 1)])
    of._begin(count + 1)
    assert (of.warmup, of.baseline and of.baseline.level) == (2, 1.0)
    of = timing([5.0, *[1.0] * count])
    of._begin(count + 1)
    assert of.warmup == 0, "what came before is not looked at"


@pytest.mark.parametrize(("known", "fewest", "begins"), [(3, 4, False), (4, 4, True), (0, 1, False), (1, 1, True)])
def test_a_level_needs_a_few_times(known: int, fewest: int, begins: bool) -> None:
    of = timing([1.0] * known + [nan] * 20)
    of._begin(20, fewest=fewest)
    assert (of.baseline is not None) is begins


@pytest.mark.parametrize(
    ("levels", "count", "since"),
    [
        ([], 900, 900),
        ([(0, 1.0)], 900, 0),
        ([(0, 9.0), (100, 1.0)], 900, 100),
        ([(0, 1.0), (100, 9.0), (100 + PASSING - 1, 1.0)], 900, 0),
        ([(0, 1.0), (100, 9.0), (100 + PASSING, 1.0)], 900, 100 + PASSING),
        ([(0, FAR), (100, 1.0)], 900, 0),
        ([(0, 1 / FAR), (100, 1.0)], 900, 0),
        ([(0, FAR + 0.1), (200, 1.0)], 900, 200),
        ([(0, 1 / FAR - 0.1), (200, 1.0)], 900, 200),
    ],
)
def test_what_is_comparable_began_at_about_this_level(
    levels: list[tuple[int, float]], count: int, since: int
) -> None:
    of = timing([1.0] * count)
    of._levels = levels
    of.baseline = Level()  # type: ignore[assignment]
    assert of.comparable() == since
    of.baseline = None
    assert of.comparable() == count


@pytest.mark.parametrize(
    ("notes", "speaks"),
    [
        ({}, True),
        ({5: note(inside=False)}, False),
        ({4: note(), 5: note(inside=False)}, True),
        ({4: note(), 5: note()}, False),
        ({3: note(), 5: note(inside=False)}, False),
    ],
)
def test_a_time_beside_an_evaluation_speaks_where_each_row_has_one(notes: dict[int, Note], speaks: bool) -> None:
    assert timing([1.0] * 9, notes).speaks(5) is speaks


@pytest.mark.parametrize(
    ("position", "took", "told", "alarmed"),
    [
        (5, 1.4, [(1.4,)], False),
        (5, 1.5, [(1.5,)], True),
        (5, 1.6, ["slow"], True),
        (5, 0.0, [], True),
        (5, nan, [], True),
        (2, 1.4, [(1.4,)], True),
        (1, 1.4, [], True),
    ],
)
def test_a_marked_time_counts_after_warm_up(position: int, took: float, told: list[Any], alarmed: bool) -> None:
    of, level = timing([took] * 9, {position: note(inside=False), position - 1: note()}), Level()
    of.warmup, of.done, level.alarmed = 2, 7, alarmed
    of._take_marked(level, position)  # type: ignore[arg-type]
    assert (level.told, of._alarm) == (told, 7 if told and alarmed else None)


@pytest.mark.parametrize(
    ("clock", "stamped", "elapsed", "by"),
    [
        (ClockKind.HOOK, True, True, "time_at"),
        (ClockKind.LOG, True, True, "time_at"),
        (ClockKind.ARRIVAL, True, True, "elapsed_at"),
        (ClockKind.HOOK, False, True, "elapsed_at"),
        (ClockKind.ARRIVAL, True, False, "time_at"),
        (ClockKind.SUM, True, False, None),
        (None, False, False, None),
        (None, True, False, "time_at"),
    ],
)
def test_the_own_clock_goes_before_one_in_the_log_and_that_before_ours(
    clock: ClockKind | None, stamped: bool, elapsed: bool, by: str | None
) -> None:
    of = timing([1.0], at_s=[5.0] if stamped else None, elapsed=elapsed)
    found = of.clock.moments(clock)
    assert (found and found.__name__) == by
    assert not by or of.clock.at == found


@pytest.mark.parametrize(
    ("starts", "change", "done", "so"),
    [
        ((0,), 3, 50, False),
        ((0, 20), 20, 50, True),
        ((0, 20), 20, 20, False),
        ((0, 20), 20, 21, True),
        ((0, 20), 20 + VERIFY, 50, True),
        ((0, 20), 21 + VERIFY, 50, False),
        ((0, 20), 15, 50, True),
        ((0, 1), 5, 50, True),
    ],
)
def test_a_level_that_changes_where_a_process_begins_became_nothing(
    starts: tuple[int, ...], change: int, done: int, so: bool
) -> None:
    of = timing([1.0], starts=starts)
    of.done = done
    assert of._is_another_process(change) is so


@pytest.mark.parametrize(
    ("shifts", "kept"),
    [
        ([(50, 1.0, 2.0)], [(50, 1.0, 2.0)]),
        ([(50, 1.0, 2.0), (50 + VERIFY, 2.0, 3.0)], [(50, 1.0, 2.0), (50 + VERIFY, 2.0, 3.0)]),
        ([(9, 4.0, 1.0), (50, 1.0, 2.0), (49 + VERIFY, 2.0, 3.0)], [(9, 4.0, 1.0), (49 + VERIFY, 1.0, 3.0)]),
        ([(50, 1.0, 1.0 + 0.5 * LEAST_CHANGE)], []),
        ([(50, 1.0, 1.0 + 0.7 * LEAST_CHANGE)], [(50, 1.0, 1.0 + 0.7 * LEAST_CHANGE)]),
        ([(50, 1.0, 1.0 - 0.7 * LEAST_CHANGE)], [(50, 1.0, 1.0 - 0.7 * LEAST_CHANGE)]),
    ],
)
def test_a_change_that_follows_at_once_corrects_the_last(
    shifts: list[tuple[int, float, float]], kept: list[tuple[int, float, float]]
) -> None:
    of = timing([1.0])
    for position, before_s, after_s in shifts:
        of._add_shift(Shift(index=position, before_s=before_s, after_s=after_s, position=position))
    assert [(s.position, s.before_s, s.after_s) for s in of.shifts] == kept


def test_a_change_takes_what_was_slow_for_the_old_level_out() -> None:
    """It came at 3: 4 is normal now, 5 has a gap, 6 an evaluation, 7 is slow for the new level too."""
    of = timing([1.0, 9.0, 1.0, 3.0, 3.0, 3.0, 3.0, 9.0], {6: note(inside=False)}, at_s=[nan] * 8)
    level = Level(level=1.0, limit=4.0)
    for position in (1, 4, 5, 6, 7):
        of.slow.add(position, of._columns.duration_s[position], 1.0, 2.0 * (position == 5), itself=True)
    of.done, of._alarm = 8, 7
    of._shift(level, [(3, 3.0), (4, 3.0), (5, 13.5), (6, 14.0)], 9.0)  # type: ignore[arg-type]
    assert level.told == [[3.0, 3.0, 13.5]]
    assert [(position, level_s) for position, _, level_s, _ in rows(of.slow)] == [
        (1, 1.0),
        (5, 3.0),
        (6, 3.0),
        (7, 3.0),
    ]
    assert list(of.slow.itself) == [1, 7]
    assert (of._alarm, of._settled, of._levels) == (None, 3, [(3, 3.0)])
    (shift,) = of.shifts
    assert (shift.index, shift.position, shift.before_s, shift.after_s, shift.at_s) == (30, 3, 1.0, 3.0, None)


@pytest.mark.parametrize(
    ("by_s", "took", "marked", "left"),
    [
        (1.0, 1.0, False, [1.0]),
        (2.0, 1.0, False, []),
        (2.0, 1.5, False, []),
        (2.0, 1.6, False, [0.0]),
        (2.0, 1.0, True, [0.0]),
        (2.5, 1.6, False, [0.0]),
    ],
)
def test_a_gap_that_was_iterations_goes(by_s: float, took: float, marked: bool, left: list[float]) -> None:
    slow = Slow()
    slow.add(5, took, 1.0, 2.0)
    slow.shorten_gap(5, by_s, 1.0, told=marked)
    assert list(slow.gap_s) == left


@pytest.mark.parametrize(
    ("notes", "place"),
    [
        ({}, 7),
        ({5: note(inside=False)}, 5),
        ({5: note()}, 7),
        ({3: note(inside=False)}, 7),
        ({4: note(inside=False), 6: note(inside=False)}, 4),
        ({7: note(inside=False)}, 7),
    ],
)
def test_a_gap_stands_before_the_iteration_of_a_span(notes: dict[int, Note], place: int) -> None:
    assert timing([1.0] * 9, notes)._place_of_gap(3, 7) == place


def test_without_a_time_what_the_log_gives_for_stops_is_known() -> None:
    notes = {2: note(inside=False, duration_s=3.0), 4: note(duration_s=3.0), 6: note(inside=False)}
    of = timing([nan] * 9, notes)
    of._spans.by_position[2] = (notes[2], notes[6])  # of two stops there one has a time
    of._note_spans()
    assert rows(of.slow) == [(2, 0.0, 0.0, 0.0)]


@pytest.mark.parametrize(("plain", "each"), [(0, True), (8, True), (9, False), (12, False)])
def test_each_iteration_evaluates_where_one_in_eight_at_most_does_not(plain: int, each: bool) -> None:
    of = timing([1.0] * FIRST, {at: note() for at in range(plain, FIRST)})
    of.advance(None)
    assert (of.within.evaluations == 1) is each
    assert (of.baseline is not None) is (each or plain >= 12)


@pytest.mark.parametrize(("uncounted", "slow"), [(None, True), (3, True), (4, False)])
def test_a_row_behind_an_epoch_of_unknown_length_may_hold_more_than_is_counted(
    uncounted: int | None, slow: bool
) -> None:
    columns = Columns([1.0] * 40)
    columns.uncounted = {} if uncounted is None else {7: uncounted}
    of = Timing(columns, SimpleNamespace(positions=[], by_position={}), (0,))  # type: ignore[arg-type]
    assert of._may_hold_more(7, 5.0, 1.0) is not slow
    assert not of._may_hold_more(8, 5.0, 1.0)


@pytest.mark.parametrize(("more_s", "gaps"), [(2, 0), (3, 1)])
def test_two_readings_of_a_clock_of_whole_seconds_tell_what_is_between_them_to_less_than_two(
    more_s: int, gaps: int
) -> None:
    mean = {"duration_s": 1.0, "averaged_over": 10, "witness": Witness.ELAPSED}
    lines = [Iteration(10 * n, elapsed_s=10.0 * n + more_s * (n > 50), **mean) for n in range(100)]
    run = watched([RunInfo(), *lines]).intake
    assert (run.columns.tick_s, len(run.timing.slow.position)) == (1.0, gaps)
