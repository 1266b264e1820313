"""Marks that wait until it is known whose steps end an iteration."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from itermon.trainer_hooks.marks import ITERATION, RULE, STEPPED, WAITED, Mark
from itermon.trainer_hooks.timeline import held_marks
from itermon.trainer_hooks.timeline.held_marks import HeldMarks

if TYPE_CHECKING:
    import pytest


def stepped(at_ns: int, number: int) -> Mark:
    return (STEPPED, at_ns, number, 0.5)


WAIT: Mark = (WAITED, 15, 11)


def ended(marks: list[Mark]) -> list[tuple[int, int | None]]:
    return [(mark[1], mark[2]) for mark in marks if mark[0] == ITERATION]


def test_what_waits_is_told_in_its_order_with_iterations_for_steps() -> None:
    held = HeldMarks()
    assert not held
    for mark in (stepped(10, 0), WAIT, stepped(20, 1), stepped(30, 0), stepped(40, 1)):
        assert held.add(mark) == []
        assert held
    marks = held.add((RULE, 45, 1, 102))
    assert [mark[0] for mark in marks] == [WAITED, ITERATION, ITERATION]
    assert ended(marks) == [(20, 100), (40, None)], "the first with its number, each other one more"
    assert marks[1][5] == 0.5  # type: ignore[misc]
    assert not held


def test_where_each_step_is_an_iteration_all_are() -> None:
    held = HeldMarks()
    for place, number in enumerate((0, 0, 1)):
        held.add(stepped(place, number))
    assert ended(held.add((RULE, 9, None, 3))) == [(0, 0), (1, None), (2, None)]


def test_at_the_end_what_there_is_decides() -> None:
    held = HeldMarks()
    for place, number in enumerate((0, 0, 0, 1)):
        held.add(stepped(place, number))
    assert ended(held.rest()) == [(3, None)]
    assert held.rest() == []


def test_too_many_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_marks, "_MOST", 10)
    held = HeldMarks()
    held.add(stepped(1, 0))
    *waiting, last = [held.add(WAIT) for _ in range(9)]
    assert not any(waiting)
    assert last == [WAIT] * 9, "and its step is nobody's"
    held.add(stepped(2, 0))
    held.add(stepped(3, 1))
    assert ended(held.add((RULE, 4, 1, 7))) == [(3, 6)]
    assert list(itertools.chain(*waiting)) == []
