"""Who is named as the late rank, from who came last and how late: each rule at its bound."""

from __future__ import annotations

from array import array

import pytest

from itermon.analysis.ranks.stragglers import Ranks
from itermon.analysis.record.columns import Columns
from itermon.analysis.run import Run
from itermon.analysis.timing.slow import Slow
from itermon.events import FORWARD, SYNC, Iteration

# The bounds as numbers of its own: from the code, a test would move with them.
FEWEST, LEAST, FARTHEST, BLOCK = 16, 0.05, 64, 64


def ranks_of(last: list[int], *, heard: int = 8, late_s: float = 0.5, took_s: float | None = 1.0) -> Ranks:
    """Of iterations in which these ranks came last, each as late."""
    columns = Columns()
    columns.extend([Iteration(index, took_s) for index in range(len(last))])
    found = Ranks(columns)
    found._last, found._late_s = array("i", last), array("f", [late_s] * len(last))
    found._heard, found._in_data = array("h", [heard] * len(last)), array("b", [0] * len(last))
    return found


def named(last: list[int], **more: float | None) -> int | None:
    return ranks_of(last, **more)._named(range(len(last)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("last", "heard", "rank"),
    [
        ([3] * FEWEST, 16, 3),
        ([3] * (FEWEST - 1), 16, None),
        ([3] * FEWEST + [-1] * 30, 16, 3),  # nobody knows who
        ([3] * 32 + [1] * 11 + [2] * 11 + [0] * 10, 8, 3),  # half of them
        ([3] * 31 + [1] * 11 + [2] * 11 + [0] * 11, 8, None),
        ([3] * 32 + [1] * 16 + [2] * 16, 8, 3),  # twice as often as the next
        ([3] * 32 + [1] * 17 + [2] * 15, 8, None),
        ([3] * 50 + [1] * 14, 2, 3),  # of two: by 4.5 deviations of 4 more than 32
        ([3] * 49 + [1] * 15, 2, None),
    ],
)
def test_one_is_named_that_is_last_in_half_and_more_often_than_by_chance(
    last: list[int], heard: int, rank: int | None
) -> None:
    assert named(last, heard=heard) == rank


@pytest.mark.parametrize(
    ("late_s", "took_s", "rank"),
    [(LEAST, 1.0, 3), (0.99 * LEAST, 1.0, None), (LEAST, 2.0, None), (2 * LEAST, 2.0, 3), (1.0, None, None)],
)
def test_it_costs_a_twentieth_of_an_iteration(late_s: float, took_s: float | None, rank: int | None) -> None:
    assert named([3] * 64, late_s=late_s, took_s=took_s) == rank
    spread = [3] * 32 + [0, 1] * 16
    assert named(spread, late_s=2 * late_s, took_s=took_s) == rank, "late in half of them, by twice as much"


def test_iterations_in_which_it_was_not_late_do_not_count_nor_slow_ones() -> None:
    found = ranks_of([3] * BLOCK, late_s=0.25)
    found._late_s[10:20] = array("f", [0.0] * 10)
    found._in_data[30:40] = array("b", [1] * 10)
    slow = Slow()
    assert found._sum(slow, 0, BLOCK) == (BLOCK - 10, 0.25 * (BLOCK - 10), 2.5)
    assert found._sum(slow, 15, 35) == (15, 3.75, 1.25)
    slow.add(25, 9.0, 1.0, itself=True)
    assert found._sum(slow, 15, 35) == (14, 3.5, 1.25)


@pytest.mark.parametrize(("more", "since"), [(1, 3), (0, 2), (BLOCK - 1, 3)])
def test_where_it_began_is_looked_for_in_so_many_blocks(more: int, since: int) -> None:
    """The block under way is one of them."""
    found = ranks_of([3] * ((FARTHEST + 2) * BLOCK + more))
    assert found._since(lambda _: True) == since * BLOCK
    assert found._since(lambda _: False) is None


def test_who_is_later_than_an_iteration_takes_was_not_so_late() -> None:
    run = Run()
    for index in range(BLOCK):
        phases = ({FORWARD: 0.1 + 5.0 * (rank == 2)} for rank in range(4))
        run.apply([Iteration(index, 0.5, rank=rank, phases=one) for rank, one in enumerate(phases)])
    assert run.intake.ranks.straggler() is None
    assert run.intake.ranks.late_between(Slow(), 0, BLOCK - 1).seconds == 0.0


@pytest.mark.parametrize(("often", "since"), [((3, 3, 0, 1), 0), ((3, 0, 1, 2), 4 * BLOCK)])
def test_a_rank_is_late_since_it_comes_last_in_half_of_the_iterations(often: tuple[int, ...], since: int) -> None:
    run = Run()
    for index in range(8 * BLOCK):
        late = often[index % 4] if index < 4 * BLOCK else 3
        for rank in range(4):
            own = {FORWARD: 0.1 + 0.2 * (rank == late), SYNC: 0.0}
            run.apply([Iteration(index, 0.4, rank=rank, phases=own)])
    found = run.findings().straggler
    assert found is not None
    assert (found.rank, found.since_iteration) == (3, since)


def test_a_rank_that_was_late_before_the_others_fell_silent_is_none_now() -> None:
    run = Run()
    for index in range(700):
        for rank in range(4 if index < 300 else 1):
            run.apply([Iteration(index, 0.5, rank=rank, phases={FORWARD: 0.1 + 0.2 * (rank == 2)})])
        if index == 299:
            assert run.intake.ranks.straggler() is not None
    assert run.intake.ranks.straggler() is None


def test_an_iteration_that_the_shown_rank_never_finished_names_nobody() -> None:
    run = Run()
    for index in range(BLOCK):
        for rank in range(4 if index % 2 else 1, 4) if index else range(4):
            run.apply([Iteration(index, 0.5, rank=rank, phases={FORWARD: 0.1 + 0.2 * (rank == 2)})])
    assert run.intake.ranks.straggler() is None
