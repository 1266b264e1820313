"""Iterations are cut where their index steps back: another process began."""

from array import array

import pytest

from itermon.analysis.record.processes import by_process, of_rank
from itermon.events import Iteration, Iterations


@pytest.mark.parametrize(
    ("indices", "parts"),
    [
        ([1, 2, 3], [[1, 2, 3]]),
        ([1, 1, 2], [[1, 1, 2]]),
        ([3, 2, 1], [[3], [2], [1]]),
        ([0, 1, 0, 1], [[0, 1], [0, 1]]),
        ([5, 6, 2, 3, 9], [[5, 6], [2, 3, 9]]),
        ([7], [[7]]),
    ],
)
def test_a_part_ends_where_the_index_steps_back(indices: list[int], parts: list[list[int]]) -> None:
    found = [*by_process([Iteration(i) for i in indices])]
    assert [list(part_indices) for _, part_indices in found] == parts
    assert [[e.index for e in part] for part, _ in found] == parts


def test_a_block_ascends_as_it_is() -> None:
    block = Iterations(array("q", [3, 4]), *(array("d", [1.0, 1.0]) for _ in range(3)))
    assert [*by_process(block)] == [(block, block.index)]


def test_of_several_ranks_one_is_kept() -> None:
    events = [Iteration(1, rank=0), Iteration(1, rank=1), Iteration(2, rank=1)]
    assert of_rank(events, 1) == events[1:]
    assert of_rank(events[1:], 1) == events[1:]
    assert of_rank(events[1:], 0) == []
