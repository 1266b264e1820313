"""Who holds the others up, by what each rank says of its collectives; and when nobody is accused."""

from __future__ import annotations

import pytest

from itermon.analysis.ranks.collectives import DIFFER, STUCK, Collectives, Judged
from itermon.analysis.ranks.why import AHEAD, BEHIND, DIFFERENT, MISSING, UNHEARD
from itermon.events import Collective, CollectiveWitness

WORLD = "0(default_pg)"


def judged(*states: Collective, ranks: int | None = None) -> Judged | None:
    collectives = Collectives()
    for state in states:
        collectives.add(state)
    return collectives.judged(ranks)


def waits(rank: int, sequence: int = 58, operation: str = "ALLREDUCE", **more: object) -> Collective:
    return Collective(rank, WORLD, sequence, operation, enqueued=60, completed=57, **more)  # type: ignore[arg-type]


def at(rank: int, enqueued: int, completed: int, group: str = WORLD) -> Collective:
    return Collective(rank, group, enqueued=enqueued, completed=completed)


def accused(found: Judged | None) -> dict[int, str]:
    assert found is not None
    return {suspect.rank: suspect.why for suspect in found.suspects}


@pytest.mark.parametrize(
    ("states", "suspects"),
    [
        ((waits(0), waits(1), at(2, 57, 57)), {2: BEHIND}),  # it has not called what the others wait in
        ((waits(0), at(1, 57, 57)), {1: BEHIND}),
        ((waits(0), waits(1), waits(2, 56)), {2: BEHIND}),  # it waits in an earlier one
        ((waits(0), at(1, 57, 57), at(2, 57, 57)), {0: AHEAD}),  # it alone waits in what nobody else knows
        ((waits(0), waits(1), at(2, 63, 60)), {2: AHEAD}),  # it has passed it
        ((waits(0), at(1, 63, 62), at(2, 63, 62)), {0: BEHIND}),
        ((waits(0), waits(1), waits(2, operation="BROADCAST")), {2: DIFFERENT}),
        ((waits(0, elements=(4, 4)), waits(1, elements=(4, 4)), waits(2, elements=(8, 8))), {2: DIFFERENT}),
        ((waits(0), waits(1), waits(3)), {2: UNHEARD}),
    ],
)
def test_the_one_that_stands_elsewhere_is_named(states: tuple[Collective, ...], suspects: dict[int, str]) -> None:
    assert accused(judged(*states)) == suspects


@pytest.mark.parametrize(
    "states",
    [
        (waits(0),),
        (waits(7),),  # only one watchdog fired before the launcher ended all
        (waits(0), waits(1), waits(2)),
        (waits(0), at(1, 63, 60)),  # one has passed what the other waits in
        (waits(0), waits(1), waits(7)),  # 2 to 6 said nothing: most are cut off
        (waits(0), Collective(1, sequence=58), waits(3)),  # the log is cut in the midst of the reports
        (waits(0), waits(1, operation="BROADCAST")),
        (
            waits(0, operation="ALLTOALL_BASE", elements=(1, 2)),
            waits(1, operation="ALLTOALL_BASE", elements=(3, 4)),
        ),
    ],
)
def test_nobody_is_accused_where_the_text_does_not_tell(states: tuple[Collective, ...]) -> None:
    assert accused(judged(*states)) == {}


def test_no_word_of_collectives_is_no_hang() -> None:
    assert judged() is None
    assert judged(at(0, 57, 57), at(1, 57, 57)) is None


def test_numbers_of_two_groups_say_nothing_of_each_other() -> None:
    other = Collective(5, "tensor", 7, "ALLGATHER")
    assert accused(judged(waits(0), waits(1), other)) == {}
    # Old torch names no group, and the numbers are in the ratio of two groups' collectives in an iteration.
    far = judged(Collective(0, sequence=96_117), Collective(0, sequence=96_120), Collective(7, sequence=64_088))
    assert far is not None
    assert (far.suspects, "too far apart" in far.nobody) == ((), True)
    assert accused(
        judged(Collective(1, sequence=680), Collective(2, sequence=680), Collective(3, sequence=678))
    ) == {3: BEHIND}


def test_a_line_without_a_group_is_of_the_one_that_waits_at_its_number() -> None:
    lines = [Collective(rank, sequence=58, operation="ALLREDUCE") for rank in (0, 1)]
    assert accused(judged(*lines, waits(0), at(2, 57, 57))) == {2: BEHIND}


def test_two_groups_that_point_at_different_ranks_accuse_nobody() -> None:
    one = (waits(0), waits(1), at(2, 57, 57))
    other = (Collective(0, "b", 9, "REDUCE"), Collective(2, "b", 9, "REDUCE"), at(1, 8, 8, "b"))
    found = judged(*one, *other)
    assert found is not None
    assert (found.suspects, found.nobody) == ((), "two groups of ranks point at different ones")
    assert accused(judged(*one, Collective(0, "b", 9, "REDUCE"), at(2, 8, 8, "b"))) == {2: BEHIND}


def test_the_monitored_barrier_and_torchs_check_are_believed_first() -> None:
    missing = Collective(4, operation="monitored barrier", missing=True, witness=CollectiveWitness.BARRIER)
    assert accused(judged(waits(0), at(1, 57, 57), missing)) == {4: MISSING}
    pair = [Collective(rank, "", 7, "REDUCE", (rank,), witness=CollectiveWitness.WRAPPER) for rank in (0, 1)]
    found = judged(*pair)
    assert found is not None
    assert (found.suspects, found.nobody) == ((), DIFFER)


def test_who_said_nothing_is_not_told_where_so_many_ranks_were_never_heard() -> None:
    assert accused(judged(waits(0), waits(1), waits(2), ranks=4)) == {3: UNHEARD}
    assert accused(judged(waits(0), waits(1), waits(2), ranks=8)) == {}


def test_an_iteration_ends_all_waiting() -> None:
    collectives = Collectives()
    collectives.add(waits(0))
    collectives.go_on()
    assert collectives.judged(None) is None


def test_a_number_of_ranks_that_nobody_can_have_is_not_gone_through() -> None:
    """A list of them all would take 24 GB and the monitor with it."""
    found = judged(*(waits(rank) for rank in range(8)), ranks=10**12)
    assert found is not None
    assert not found.suspects


def stuck(rank: int, waited_s: float | None = 600.0) -> Collective:
    return Collective(rank, waited_s=waited_s, witness=CollectiveWitness.HEARTBEAT)


def test_watchdogs_that_stand_still_accuse_nobody() -> None:
    found = judged(stuck(0), stuck(1, None), stuck(1))
    assert found is not None
    assert ([at.rank for at in found.others], found.suspects, found.nobody) == ([0, 1], (), STUCK)


def test_what_a_watchdog_says_of_its_collectives_goes_before_that_it_stands_still() -> None:
    told = [Collective(rank, sequence=58, operation="ALLREDUCE", enqueued=58, completed=57) for rank in (0, 1, 2)]
    late = Collective(3, sequence=57, operation="ALLREDUCE", enqueued=57, completed=56)
    found = judged(*told, late, stuck(0), stuck(4))
    assert found is not None
    assert [at.rank for at in found.suspects] == [3]


def others(found: Judged | None) -> set[int]:
    assert found is not None
    return {rank.rank for rank in found.others}


def state(rank: int, sequence: int | None = None, group: str = WORLD, **more: object) -> Collective:
    return Collective(rank, group, sequence, **more)  # type: ignore[arg-type]


def test_the_first_of_several_witnesses_of_one_kind_gives_the_operation() -> None:
    missing = [state(3, 7, operation="BARRIER", missing=True), state(4, 9, operation="BROADCAST", missing=True)]
    found = judged(*missing)
    assert found is not None
    assert (found.operation, found.sequence, accused(found)) == ("BARRIER", 7, {3: MISSING, 4: MISSING})
    wrapper = {"witness": CollectiveWitness.WRAPPER}
    found = judged(*(state(rank, 5 + rank, operation="ALLREDUCE", **wrapper) for rank in range(3)))
    assert found is not None
    assert (found.sequence, found.witness) == (5, CollectiveWitness.WRAPPER)


def test_two_groups_that_point_at_different_ranks_accuse_nobody_and_the_same_rank_is_accused_by_the_larger() -> (
    None
):
    first = [state(0, 5, "a"), state(1, 5, "a"), state(2, None, "a", enqueued=4)]
    other = [state(3, 9, "b"), state(4, 9, "b"), state(5, None, "b", enqueued=8)]
    found = judged(*first, *other)
    assert found is not None
    assert (found.suspects, found.group) == ((), "a")
    assert found.nobody == "two groups of ranks point at different ones"
    same = [state(rank, 9, "b") for rank in (3, 4, 6)] + [state(2, None, "b", enqueued=8)]
    for states in ((*first, *same), (*same, *first)):
        found = judged(*states)
        assert (found and found.group, accused(found)) == ("b", {2: BEHIND})


def test_where_none_is_accused_the_group_of_most_ranks_is_told() -> None:
    small = [state(0, 5, "a", operation="ALLREDUCE")]
    large = [state(rank, 9, "b", operation="ALLREDUCE") for rank in (0, 1)]
    for states in ((*small, *large), (*large, *small)):
        found = judged(*states)
        assert found is not None
        assert (found.group, found.suspects) == ("b", ())


@pytest.mark.parametrize(
    ("states", "group", "ranks"),
    [
        ((state(0, 5, "a"), state(0, 5, "", operation="ALLREDUCE")), "a", {0}),
        ((state(0, 5, "a"), state(1, 5, "")), "a", {0, 1}),  # the only group that waits at that number
        ((state(0, 5, "a"), state(0, None, "")), "a", {0}),
        ((state(0, 5, "a"), state(1, 5, "b"), state(2, 5, ""), state(3, 5, "")), "", {2, 3}),
    ],
)
def test_a_group_that_is_not_said_is_found_by_the_number_where_one_alone_waits(
    states: tuple[Collective, ...], group: str, ranks: set[int]
) -> None:
    found = judged(*states)
    assert found is not None
    assert (found.group, others(found)) == (group, ranks)


def test_of_several_that_a_rank_waits_in_the_first_counts_with_all_that_is_said_of_it() -> None:
    found = judged(
        state(0, 7, operation="BROADCAST", place="b.py:2 g", enqueued=9, completed=4),
        state(0, 5, place="a.py:1 f", waited_s=600.0),
        state(0, 5, operation="ALLREDUCE", elements=(4,), enqueued=10),
        state(1, 5, operation="ALLREDUCE", elements=(4,)),
    )
    assert found is not None
    rank = next(one for one in found.others if one.rank == 0)
    assert (rank.sequence, rank.waits_in, rank.place) == (5, "ALLREDUCE", "a.py:1 f")
    assert (rank.enqueued, rank.completed) == (10, 4)
    zero = judged(state(0, 0, operation="ALLREDUCE"), state(0, 1, operation="BROADCAST"), state(1, 0))
    assert zero is not None
    assert zero.sequence == 0


@pytest.mark.parametrize(("apart", "said"), [(16, False), (17, True)])
def test_numbers_too_far_apart_are_of_two_groups(apart: int, said: bool) -> None:
    found = judged(state(0, 100, ""), state(1, 100, ""), state(2, 100 - apart, ""))
    assert found is not None
    assert ("too far apart" in found.nobody) is said
    assert accused(found) == ({} if said else {2: BEHIND})


@pytest.mark.parametrize(
    ("states", "suspects"),
    [
        ((state(0, 5), state(1, 6)), {0: BEHIND}),  # of as many the newest is where they are stuck
        ((state(0, 5), state(1, 5), state(2, None, enqueued=5)), {}),
        ((state(0, 5), state(1, 5), state(2, None, enqueued=4)), {2: BEHIND}),
        ((state(0, 5), state(1, 5), state(2, None, completed=5)), {2: AHEAD}),
        ((state(0, 5), state(1, 5), state(2, None, completed=4)), {}),
        ((state(0, 5), state(1, 5), state(2, 6)), {2: AHEAD}),
        ((state(0, 5), state(1, 5), state(2, None, completed=5), state(3, None, completed=5)), {}),
        ((state(0, 5), state(1, None, completed=5), state(2, None, completed=5)), {0: BEHIND}),
    ],
)
def test_who_has_not_reached_it_is_behind_and_who_has_left_it_ahead(
    states: tuple[Collective, ...], suspects: dict[int, str]
) -> None:
    assert accused(judged(*states)) == suspects


@pytest.mark.parametrize(
    ("heard", "total", "unheard"),
    [
        ((0, 1, 3), None, {2}),
        ((0, 1, 2), 4, {3}),
        ((0, 1, 2), 3, set()),
        ((0, 1, 2), 5, set()),  # as many as a third of those that are heard
        ((0, 1, 2, 3, 4, 5), 8, {6, 7}),
        ((0, 1, 2, 3, 4, 5), 9, set()),
        ((0, 2), 3, set()),
        ((0, 1, 2), 7, set()),
        ((0, 1, 2), 1_000_000_000, set()),
    ],
)
def test_who_says_nothing_is_told_where_most_are_heard(
    heard: tuple[int, ...], total: int | None, unheard: set[int]
) -> None:
    found = judged(*(waits(rank) for rank in heard), ranks=total)
    assert set(accused(found)) == unheard
    part = judged(
        *(state(rank, 58, operation="ALLREDUCE", enqueued=60 if rank else None) for rank in heard), ranks=total
    )
    assert accused(part) == {}


def test_who_differs_is_accused_where_the_others_are_most() -> None:
    sizes = [state(rank, 5, operation="ALLTOALL", elements=(rank,)) for rank in range(3)]
    assert accused(judged(*sizes)) == {}
    assert judged(*sizes).nobody == ""  # type: ignore[union-attr]
    recorded = [
        state(rank, 5, operation="ALLTOALL", elements=(rank // 2,), witness=CollectiveWitness.RECORDER)
        for rank in range(3)
    ]
    assert accused(judged(*recorded)) == {2: DIFFERENT}
    assert others(judged(*recorded)) == {0, 1}
    halves = [state(rank, 5, operation=("ALLREDUCE", "BROADCAST")[rank % 2]) for rank in range(4)]
    found = judged(*halves)
    assert found is not None
    assert (found.nobody, found.suspects, others(found)) == (DIFFER, (), {0, 1, 2, 3})


def test_what_is_kept_of_one_hang_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("itermon.analysis.ranks.collectives.MOST_STATES", 2)
    found = judged(waits(0), waits(1), at(2, 57, 57))
    assert accused(found) == {}
    stuck = [state(rank, operation="x", witness=CollectiveWitness.HEARTBEAT) for rank in range(2)]
    found = judged(*stuck)
    assert found is not None
    assert (found.nobody, others(found), found.witness) == (STUCK, {0, 1}, CollectiveWitness.HEARTBEAT)


def test_what_most_wait_in_is_the_one_that_is_told() -> None:
    found = judged(waits(0), waits(1), waits(2), waits(3, 57, "BROADCAST"))
    assert found is not None
    assert (found.sequence, found.operation, accused(found)) == (58, "ALLREDUCE", {3: BEHIND})


def test_two_groups_of_which_one_points_at_more_ranks_still_accuse_those_of_the_larger() -> None:
    one = (waits(0), waits(1), waits(4), at(2, 57, 57))
    other = (Collective(0, "b", 9), Collective(1, "b", 9), at(2, 8, 8, "b"), at(3, 8, 8, "b"))
    assert accused(judged(*one, *other)) == {2: BEHIND}


def test_of_several_that_a_rank_waits_in_the_first_counts() -> None:
    for sequences in ((1, 0), (0, 1)):
        found = judged(*(Collective(0, WORLD, sequence) for sequence in sequences), Collective(1, WORLD, 0))
        assert found is not None
        assert (found.sequence, found.suspects) == (0, ())
