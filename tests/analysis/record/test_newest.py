"""The newest iterations, whole: bounded, and the same for any batches."""

from array import array

from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis.record.newest import Newest
from itermon.events import Iteration, Iterations

# The bounds as numbers of its own: from the code, a test would move with them.
MOST = 256


@given(st.lists(st.integers(1, 400), max_size=8), st.integers(0, 600))
def test_the_last_of_them_are_kept_whatever_the_batches(sizes: list[int], wanted: int) -> None:
    newest, total = Newest(), 0
    for size in sizes:
        newest.add([Iteration(i) for i in range(total, total + size)])
        total += size
    kept = [e.index for e in newest.last(wanted)]
    assert kept == list(range(total))[-min(wanted, MOST) or total :]
    assert sum(map(len, newest._parts)) <= MOST + max(sizes, default=0)


def test_a_block_counts_as_its_iterations_and_the_rank_is_that_of_the_newest() -> None:
    newest = Newest()
    assert newest.rank is None
    newest.add([Iteration(0, rank=3)])
    assert newest.rank == 3
    newest.add(Iterations(array("q", [1, 2]), *(array("d", [v, v]) for v in (0.5, 2.0, 0.4))))
    assert newest.rank is None
    assert newest.last(2) == [Iteration(1, 0.5, 2.0, 0.4), Iteration(2, 0.5, 2.0, 0.4)]


def test_old_parts_are_let_go() -> None:
    newest = Newest()
    for i in range(10 * MOST):
        newest.add([Iteration(i)])
    assert len(newest._parts) == MOST
    assert [e.index for e in newest.last(MOST)] == list(range(9 * MOST, 10 * MOST))


def test_a_batch_is_cut_and_the_rank_is_that_of_its_last() -> None:
    newest = Newest()
    newest.add([Iteration(i, rank=int(i == 299)) for i in range(300)])
    assert [len(part) for part in newest._parts] == [256]
    assert newest.rank == 1
