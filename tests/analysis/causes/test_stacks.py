"""The stacks that are kept of a run."""

from itermon.analysis.causes.stacks import Stacks
from itermon.events import Stack

# The bounds as numbers of its own: from the code, a test would move with them.
KEPT = 1_024


def look(iteration: int | None, waited_s: float | None = 1.0, frames: tuple[str, ...] = ("x.py:1 f",)) -> Stack:
    return Stack(1.0, iteration, waited_s, frames)


def test_they_are_kept_by_their_iteration_in_their_order() -> None:
    stacks = Stacks()
    for stack in (look(7), look(9), look(7, 2.0)):
        stacks.add(stack)
    assert (stacks.of(7), stacks.of(8), [*stacks]) == ([look(7), look(7, 2.0)], (), [7, 9])


def test_what_says_neither_when_nor_where_is_not() -> None:
    stacks = Stacks()
    for stack in (look(None), look(7, None), look(7, frames=())):
        stacks.add(stack)
    assert [*stacks] == []


def test_the_newest_are_and_of_each_a_bounded_number() -> None:
    stacks = Stacks()
    for index in range(KEPT + 5):
        stacks.found[index] = ("x", 1.0)
        stacks.add(look(index))
    for _ in range(1000):
        stacks.add(look(KEPT))
    assert ([*stacks], [*stacks.found]) == ([*range(5, KEPT + 5)],) * 2
    assert len(stacks.of(KEPT)) == 64
    stacks.clear()
    assert ([*stacks], stacks.found) == ([], {})
