"""Blocks of iterations: the same as one by one, at half the cost."""

from array import array

from itermon.events import Dropped, Iteration, Iterations, expand

BLOCK = Iterations(array("q", [7, 8]), array("d", [0.5, 0.25]), array("d", [3, 2]), array("d", [0.4, 0.5]))
EACH = [Iteration(7, 0.5, 3.0, 0.4), Iteration(8, 0.25, 2.0, 0.5)]


def test_a_block_is_expanded_in_its_place() -> None:
    assert [*expand([Dropped(1), BLOCK, Dropped(2)])] == [Dropped(1), *EACH, Dropped(2)]


def test_a_block_has_a_length_places_and_slices() -> None:
    assert (len(BLOCK), BLOCK[0], BLOCK[-1], [*BLOCK]) == (2, *EACH, EACH)
    assert [*BLOCK[1:]] == EACH[1:]
    assert isinstance(BLOCK[1:], Iterations)
    assert not BLOCK[2:]
