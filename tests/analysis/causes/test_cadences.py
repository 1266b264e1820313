"""When cadences are searched for: as labels become final, in one process at a time, the open ones for a while."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from itermon.analysis.causes import cadences
from itermon.analysis.causes.cadences import Cadences
from itermon.analysis.causes.causes import Case
from itermon.analysis.causes.periods import Period, Slow
from itermon.analysis.record.spans import Note
from itermon.events import EVALUATION, Strength

HUNDREDS = (Period(100, 0),)


class Slowed:
    """Iterations 0 to 999 of which some are slow, in processes that begin at `starts`; some are explained."""

    def __init__(self, slow: list[int], starts: tuple[int, ...] = (0,), explained: frozenset[int] = frozenset()):
        self.done, self.left_s = 999, 0.0
        self.slow = SimpleNamespace(position=slow)
        self._explained = explained
        record = SimpleNamespace(columns=SimpleNamespace(index=range(1_000)), starts=starts)
        self.cadences = Cadences(SlowTiming(slow, self.done), record, self)  # type: ignore[arg-type]

    def unexplained(self, place: int) -> Slow | None:
        position = self.slow.position[place]
        return None if position in self._explained else (position, 3.0)

    def case(self, place: int, _periods: tuple[Period, ...], *, is_final: bool) -> Case:
        """An explained one: an evaluation took 60 s of it, and `left_s` are left."""
        assert self.slow.position[place] in self._explained, is_final
        told = (Note(EVALUATION, Strength.LOG, duration_s=60.0),)
        return Case(duration_s=61.0 + self.left_s, clean_s=1.0, notes=told)

    def changes(self, places: range | None = None) -> list[bool]:
        """Whether each label changed the cadences as it became final."""
        return [self.cadences.add_final(place) for place in places or range(len(self.slow.position))]


class SlowTiming:
    """The places of the slow iterations, as `Timing` gives them."""

    def __init__(self, slow: list[int], done: int) -> None:
        self.done = done
        self.slow = SlowPlaces(slow)


class SlowPlaces:
    def __init__(self, position: list[int]) -> None:
        self.position = position

    def __len__(self) -> int:
        return len(self.position)


def test_the_third_of_a_cadence_shows_it_and_the_next_change_nothing() -> None:
    run = Slowed([100, 200, 300, 400, 500])
    assert run.changes() == [False, False, True, False, False]
    assert run.cadences.found == run.cadences.shown == HUNDREDS


def test_what_is_explained_is_no_member() -> None:
    run = Slowed([100, 200, 300, 400], explained=frozenset({200}))
    assert run.changes() == [False] * 4
    assert run.cadences.found == ()


def test_a_label_counts_once_however_often_it_becomes_final() -> None:
    run = Slowed([100, 200, 300])
    assert run.changes(range(2)) == [False, False]
    assert run.changes(range(2)) == [False, False]
    assert run.changes() == [False, False, True]


def test_a_cadence_that_what_comes_later_contradicts_was_none() -> None:
    run = Slowed([100, 200, 300, 331, 442, 487, 513, 559, 601, 655, 671, 713, 733, 741])
    assert run.changes(range(3)) == [False, False, True]
    run.changes()
    assert run.cadences.found == ()


def test_a_new_process_has_cadences_of_its_own() -> None:
    run = Slowed([100, 200, 310, 410], starts=(0, 250))
    assert not any(run.changes())


def test_the_open_ones_count_as_long_as_nothing_more_has_come() -> None:
    run = Slowed([100, 200, 300])
    assert run.changes(range(2)) == [False, False]
    run.cadences.refresh(2)
    assert (run.cadences.found, run.cadences.shown) == ((), HUNDREDS)
    run.cadences.forget_open()
    assert run.cadences.shown == ()


def test_of_too_many_open_ones_none_counts() -> None:
    run = Slowed(list(range(100, 1_000, 10)))
    run.cadences.refresh(0)
    assert run.cadences.shown == ()
    run.cadences.refresh(26)  # 64 of them
    assert run.cadences.shown == (Period(10, 0),)


def searched(slow: list[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """After how many slow iterations cadences were searched for."""
    found: list[int] = []
    run = Slowed(slow)
    monkeypatch.setattr(cadences, "find", lambda *_: found.append(run.cadences._examined) or ())
    run.changes()
    return found


def test_each_sixteenth_label_more_is_searched_for() -> None:
    with pytest.MonkeyPatch.context() as patch:
        at = searched(list(range(0, 200, 2)), patch)
    assert at[:30] == list(range(3, 33))
    assert at[30:45] == [34, 36, 38, 40, 42, 44, 46, 48, 51, 54, 57, 60, 63, 66, 70]


def test_a_search_sees_the_iterations_of_its_process_up_to_the_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr(cadences, "SeenIterations", lambda _, start, stop: seen.append((start, stop)))
    monkeypatch.setattr(cadences, "find", lambda *_: ())
    run = Slowed([10, 20, 510, 520, 530], starts=(0, 500))
    run.done = 999
    run.changes()
    assert seen == [(500, 511), (500, 521), (500, 531)]
    seen.clear()
    run.cadences.refresh(3)
    assert seen == [(500, 531)]


def test_only_the_newest_unexplained_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cadences, "NEWEST", 4)
    kept: list[int] = []
    monkeypatch.setattr(cadences, "find", lambda slow, _: kept.append(len(slow)) or ())
    Slowed(list(range(0, 20, 2))).changes()
    assert kept == [3, 4, 4, 4, 4, 4, 4, 4]


@pytest.mark.parametrize(("left_s", "interval"), [(2.0, 100), (1.0, 200), (0.0, 200)])
def test_what_evaluations_leave_of_each_second_of_a_cadence_tells_its_interval(
    left_s: float, interval: int
) -> None:
    run = Slowed(list(range(100, 1_000, 100)), explained=frozenset(range(200, 1_000, 200)))
    run.left_s = left_s
    run.changes()
    assert run.cadences.found == (Period(interval, 100 % interval),)


def test_two_of_three_may_be_told_of_and_some_may_be_none_of_it() -> None:
    explained = frozenset(one for one in range(50, 1_000, 50) if one % 150)
    run = Slowed(list(range(50, 1_000, 50)), explained=explained)
    run.left_s = 2.5
    run.changes()
    assert run.cadences.found == (Period(50, 0),)
    run = Slowed([one for one in range(50, 1_000, 50) if one not in (250, 350, 550, 650)], explained=explained)
    run.left_s = 2.5
    run.changes()
    assert run.cadences.found == (Period(150, 0),)
