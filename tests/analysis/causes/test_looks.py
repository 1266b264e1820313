"""Which looks say where an iteration lost its time."""

import pytest
from msgspec.structs import replace

from itermon.analysis.causes.causes import Case, within
from itermon.analysis.causes.looks import BESIDE_DATA, deciding, stands_for, waits_for_a_loader
from itermon.analysis.record.spans import Note
from itermon.events import CHECKPOINT, DATA, EVALUATION, UNEXPLAINED, Stack, Strength

LOADER = ("threading.py:5 wait", "torch/utils/data/dataloader.py:701 _BaseDataLoaderIter.__next__", "train.py:3 f")


def look(waited_s: float | None, count: int = 1, *, native: bool = False, frames: tuple[str, ...] = ()) -> Stack:
    return Stack(1.0, 5, waited_s, frames or ("data.py:48 read",), 0, count, native)


def test_a_look_at_the_very_end_may_have_found_the_normal_work_after_what_was_slow() -> None:
    assert deciding([look(0.6), look(1.8), look(1.81)], 2.0, 0.2) == [look(0.6), look(1.8)]
    assert deciding([look(0.6)], 0.7, 0.2) == []


def test_what_was_blocked_was_looked_at_when_that_was_over() -> None:
    assert deciding([look(1.95, native=True)], 2.0, 0.2) == [look(1.95, native=True)]


def test_of_equal_looks_one_at_most_was_at_the_very_end() -> None:
    assert deciding([look(1.9, 3)], 2.0, 0.2) == [look(1.8, 2)]


def test_without_a_moment_it_says_nothing_and_they_stand_in_their_order() -> None:
    assert deciding([look(None, native=True), look(1.5), look(0.5)], 2.0, 0.2)[-2:] == [look(0.5), look(1.5)]


@pytest.mark.parametrize(
    ("moments", "until_s", "spans"),
    [((0.5,), 2.0, [2.0]), ((0.5, 1.5), 4.0, [1.0, 3.0]),
     ((1.0, 2.0, 8.0), 8.0, [1.5, 3.5, 3.0]), ((3.0,), 2.0, [3.0])],
)  # fmt: skip
def test_a_look_stands_for_the_time_around_it(
    moments: tuple[float, ...], until_s: float, spans: list[float]
) -> None:
    assert stands_for([look(moment) for moment in moments], until_s) == spans


def test_who_is_found_in_a_loader_waits_for_data() -> None:
    cause = waits_for_a_loader([look(0.5, frames=LOADER), look(1.5, 4, frames=LOADER)], 3.0, 0.2)
    assert cause is not None
    assert (cause.kind, cause.strength) == (DATA, Strength.HOOK)
    assert cause.evidence == "5 looks found it in the DataLoader's __next__"
    assert waits_for_a_loader([look(0.5, frames=LOADER), look(1.5)], 3.0, 0.2) is None
    assert waits_for_a_loader([look(2.9, frames=LOADER)], 3.0, 0.2) is None
    assert waits_for_a_loader([], 3.0, 0.2) is None
    own = ("loader.py:9 __next__", "my/torch/utils/data/dataloader.py:7 __next__")
    assert waits_for_a_loader([look(0.5, frames=own)], 3.0, 0.2) is None


def test_a_look_that_does_not_say_when_it_was_is_of_the_beginning() -> None:
    unknown = Stack(1e9, 5, None, ("a.py:1 f",), 0)
    assert deciding([unknown], 0.6, 0.1) == [unknown]
    assert stands_for([unknown, replace(unknown, waited_s=4.0)], 5.0) == [2.0, 3.0]
    assert stands_for([replace(unknown, waited_s=7.0)], 5.0) == [7.0]


def test_of_two_looks_that_found_the_same_one_may_have_come_too_late() -> None:
    late = Stack(1e9, 5, 3.0, ("a.py:1 f",), 0, 2)
    assert deciding([late], 2.1, 0.1) == [replace(late, count=1, waited_s=2.0)]
    assert deciding([replace(late, count=1)], 2.1, 0.1) == []
    assert deciding([replace(late, count=1, native=True)], 2.1, 0.1) == [replace(late, count=1, native=True)]


def test_a_wait_for_a_loader_has_no_seconds_of_its_own() -> None:
    look = Stack(1e9, 5, 1.0, ("torch/utils/data/dataloader.py:701 __next__",), None, 2)
    cause = waits_for_a_loader([look], 3.0, 0.1)
    assert cause is not None
    assert (cause.seconds, cause.evidence) == (0.0, "2 looks found it in the DataLoader's __next__")
    assert waits_for_a_loader([look, replace(look, frames=("a.py:1 f",))], 3.0, 0.1) is None


EVALUATED = Note(EVALUATION, Strength.LOG, duration_s=10.0)
SAVED, LOADED = Note(CHECKPOINT, Strength.LOG), Note(DATA, Strength.LOG, duration_s=8.0)


def took(*notes: Note) -> list[tuple[str, float]]:
    return [(cause.kind, cause.seconds) for cause in within(Case(duration_s=60.0, clean_s=30.0, notes=notes))]


def test_a_save_without_a_time_has_none_beside_data_that_were_loaded() -> None:
    assert took(EVALUATED, SAVED, LOADED) == [(EVALUATION, 10.0), (DATA, 8.0), (UNEXPLAINED, 12.0)]
    untimed = Note(DATA, Strength.LOG)
    found = within(Case(duration_s=60.0, clean_s=30.0, notes=(SAVED, untimed)))
    assert [(one.kind, one.evidence) for one in found] == [(UNEXPLAINED, BESIDE_DATA)]


def test_without_data_it_has_all_that_is_left_and_hooks_that_waited_say_nothing_of_it() -> None:
    assert took(SAVED) == [(CHECKPOINT, 30.0)]
    waited = Note(DATA, Strength.HOOK, duration_s=8.0)
    assert took(waited, SAVED) == [(DATA, 8.0), (CHECKPOINT, 22.0)]
