"""When cadences are searched for: as labels become final, in one process at a time, the open ones for a while."""

from __future__ import annotations

from types import SimpleNamespace

from itermon.analysis.causes.cadences import Cadences
from itermon.analysis.causes.periods import Period, Slow

HUNDREDS = (Period(100, 0),)


class Slowed:
    """Iterations 0 to 999 of which some are slow, in processes that begin at `starts`; some are explained."""

    def __init__(self, slow: list[int], starts: tuple[int, ...] = (0,), explained: frozenset[int] = frozenset()):
        self.done = 999
        self.slow = SimpleNamespace(position=slow)
        self._explained = explained
        record = SimpleNamespace(columns=SimpleNamespace(index=range(1_000)), starts=starts)
        self.cadences = Cadences(SlowTiming(slow, self.done), record, self)  # type: ignore[arg-type]

    def unexplained(self, place: int) -> Slow | None:
        position = self.slow.position[place]
        return None if position in self._explained else (position, 3.0)

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
