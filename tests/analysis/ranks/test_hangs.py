"""Who stands elsewhere than the others, by processes, collectives and stacks."""

from __future__ import annotations

import pytest

from itermon.analysis.findings import Hang, Now
from itermon.analysis.ranks import hangs
from itermon.analysis.ranks.collectives import Collectives
from itermon.analysis.ranks.hangs import Heard, RankStates, hang_of
from itermon.analysis.ranks.why import BEHIND, DEAD, DIFFERENT, ELSEWHERE
from itermon.analysis.run import Run
from itermon.events import Collective, CollectiveWitness, Event, Iteration, RankState, RunInfo, Stack

C10D = "torch/distributed/distributed_c10d.py:2810"
SILENT = Now("silent", elapsed_s=60.0, usual_s=1.0)
HEARD = Heard(total=4, newest=dict.fromkeys(range(4), 9), since_s=100.0)


def hang(*events: Event, now: Now = SILENT, heard: Heard = HEARD) -> Hang | None:
    ranks, collectives = RankStates(), Collectives()
    for event in events:
        if isinstance(event, Stack):
            ranks.add_stack(event)
        elif isinstance(event, RankState):
            ranks.add(event)
        elif isinstance(event, Collective):
            collectives.add(event)
    return hang_of(ranks, collectives, now, heard)


def in_collective(rank: int, name: str = "all_reduce", line: int = 48) -> Stack:
    frames = (f"{C10D} {name}", f"train.py:{line} step")
    return Stack(130.0, 10, frames=frames, user_frame=1, rank=rank)


def at(rank: int, own: str, *, iteration: int | None = 10, at_s: float = 130.0) -> Stack:
    return Stack(at_s, iteration, frames=(own,), user_frame=0, rank=rank)


def in_backward(rank: int) -> Stack:
    frames = ("torch/autograd/graph.py:824 _engine_run_backward", "train.py:40 step")
    return Stack(130.0, 10, frames=frames, user_frame=1, rank=rank)


@pytest.mark.parametrize(
    ("stacks", "suspects", "operation"),
    [
        ([in_collective(0), in_collective(1), at(2, "data.py:7 read")], {2: ELSEWHERE}, "all_reduce"),
        ([in_collective(0), at(1, "data.py:7 read")], {1: ELSEWHERE}, "all_reduce"),
        (
            [in_backward(0), in_backward(1), in_backward(2), at(3, "data.py:7 read")],
            {3: ELSEWHERE},
            "gradient sync",
        ),
        ([in_collective(0), in_collective(1), in_collective(2, "barrier", 60)], {2: DIFFERENT}, "all_reduce"),
        ([in_collective(0), in_collective(1), in_backward(2)], {2: ELSEWHERE}, "all_reduce"),
        ([at(0, "a.py:1 f"), at(1, "a.py:1 f"), at(2, "b.py:2 g")], {2: ELSEWHERE}, ""),
    ],
)
def test_by_stacks_the_one_that_the_others_wait_for_is_named(
    stacks: list[Stack], suspects: dict[int, str], operation: str
) -> None:
    found = hang(*stacks)
    assert found is not None
    assert {rank.rank: rank.why for rank in found.suspects} == suspects
    assert (found.operation, found.nobody) == (operation, "")
    assert {rank.rank for rank in found.others} == {stack.rank for stack in stacks} - {*suspects}


@pytest.mark.parametrize(
    ("stacks", "reason"),
    [
        ([in_collective(0), in_collective(1)], "all ranks stand in the same place"),
        ([at(0, "a.py:1 f")], "only one rank is heard"),
        ([], "no rank said where it is"),
        ([in_collective(0), in_collective(1, "barrier")], "the ranks stand in different places, none with most"),
        ([at(0, "a.py:1 f"), at(1, "b.py:1 f"), at(2, "c.py:1 f")], "the ranks stand in different places"),
        # Three work while one waits: who calls a collective too early is not known by that.
        (
            [in_collective(0), at(1, "a.py:1 f"), at(2, "a.py:2 f"), at(3, "a.py:3 f")],
            "the ranks stand in different",
        ),
    ],
)
def test_nobody_is_accused_where_stacks_do_not_tell(stacks: list[Stack], reason: str) -> None:
    found = hang(*stacks)
    assert found is not None
    assert found.suspects == ()
    assert found.nobody.startswith(reason)


def test_a_rank_whose_process_is_gone_is_named_first_with_what_the_others_wait_in() -> None:
    dead = RankState(2, 100.0, pid=42, host="gpu-7", ended="lost")
    found = hang(dead, RankState(0, pid=40), RankState(1, pid=41), in_collective(0), at(1, "data.py:7 read"))
    assert found is not None
    assert [(one.rank, one.why, one.pid, one.host, one.ended) for one in found.suspects] == [
        (2, DEAD, 42, "gpu-7", "lost")
    ]
    assert found.operation == "all_reduce"
    assert [(one.rank, one.pid) for one in found.others] == [(0, 40), (1, 41)]


def test_most_ranks_gone_is_the_end_of_the_run_and_not_its_cause() -> None:
    ended = [RankState(rank, ended="killed") for rank in (0, 1, 2)]
    found = hang(*ended, RankState(3))
    assert found is not None
    assert found.suspects == ()


@pytest.mark.parametrize(
    ("ends", "gone"),
    [
        (("failed: RuntimeError: Connection closed by peer", "lost: gone without a word", "failed"), [1]),
        (("failed: ValueError", "killed: SIGKILL (signal 9)"), [1]),
        (("lost", "lost", "failed"), []),  # the launcher has killed the others
        (("killed", "finished"), []),
        (("failed", "failed"), []),
    ],
)
def test_a_rank_that_is_gone_is_told_where_the_others_failed_with_it(
    ends: tuple[str, ...], gone: list[int]
) -> None:
    found = hang(*(RankState(rank, ended=ended) for rank, ended in enumerate(ends)), now=Now("ended"))
    assert [rank.rank for rank in found.suspects] == gone if found else not gone


def test_a_rank_that_began_again_is_no_longer_gone_and_keeps_what_it_said() -> None:
    found = hang(RankState(0, pid=1), RankState(1, ended="lost"), RankState(1, pid=7), RankState(1, host="a"))
    assert found is not None
    assert [(one.rank, one.pid, one.host, one.ended) for one in found.others] == [(0, 1, "", ""), (1, 7, "a", "")]


def test_collectives_are_believed_before_stacks_and_stacks_say_where() -> None:
    states = [Collective(rank, "w", 58, "ALLREDUCE", enqueued=60, completed=57) for rank in (0, 1)]
    late = Collective(2, "w", enqueued=57, completed=57)
    found = hang(*states, late, at(2, "data.py:7 read"), now=Now("training"))
    assert found is not None
    assert [(one.rank, one.why, one.place) for one in found.suspects] == [(2, BEHIND, "data.py:7 read")]
    assert (found.sequence, found.operation) == (58, "ALLREDUCE")
    # Where they do not tell, the stacks may.
    found = hang(*states, in_collective(0), in_collective(1), at(3, "data.py:7 read"))
    assert found is not None
    assert [one.rank for one in found.suspects] == [3]


def test_a_run_that_is_not_silent_hangs_only_if_ranks_say_so() -> None:
    assert hang(in_collective(0), at(1, "data.py:7 read"), now=Now("training")) is None


def test_stacks_of_an_iteration_that_has_ended_are_old() -> None:
    old = at(1, "data.py:7 read", iteration=9)
    found = hang(in_collective(0), old)
    assert found is not None
    assert [rank.rank for rank in found.others] == [0]
    unnumbered = [at(1, "a.py:1 f", iteration=None, at_s=at_s) for at_s in (99.0, 100.0)]
    assert [len(found.others) for stack in unnumbered if (found := hang(stack)) is not None] == [0, 1]


def test_a_hang_says_since_when_and_after_which_iteration() -> None:
    found = hang(in_collective(0), at(1, "data.py:7 read"))
    assert found is not None
    assert (found.begin_at_s, found.last_iteration) == (100.0, 9)
    assert found.seen_by == ("the stacks of its ranks",)


def test_a_rank_in_a_stop_stands_there_for_nobody_looks_where_it_is() -> None:
    """Stacks are not taken in a checkpoint, whose disk may be the trouble; when it is over, they count again."""
    saving, over = RankState(0, doing="checkpoint"), RankState(0)
    found = hang(saving, in_collective(0, line=1), in_collective(1), in_collective(2))
    assert found is not None
    assert [(one.rank, one.place) for one in found.suspects] == [(0, "its checkpoint")]
    found = hang(saving, over, in_collective(0), in_collective(1))
    assert found is not None
    assert found.suspects == ()


def test_stacks_of_a_process_before_say_nothing_of_the_one_that_runs_now() -> None:
    run = Run()
    run.apply([RunInfo(pid=1), *(Iteration(i, 1.0, at_s=i) for i in range(500)), at(0, "a.py:1 f", iteration=500)])
    assert [stack.iteration for stack in run.newest_stacks().now] == [500]
    run.apply([RunInfo(pid=2), *(Iteration(i, 1.0, at_s=1_000 + i) for i in range(20))])
    assert not any(run.newest_stacks())


def states(*of: RankState) -> RankStates:
    ranks = RankStates()
    for one in of:
        ranks.add(one)
    return ranks


def test_what_is_kept_of_the_ranks_is_bounded_and_the_newest_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hangs, "MOST_RANKS", 2)
    ranks = states(*(RankState(rank, pid=rank + 1) for rank in range(3)), RankState(1, host="b"))
    assert {rank: (one.pid, one.host) for rank, one in ranks.states.items()} == {0: (1, ""), 1: (2, "b")}
    for rank in (0, 1, 2, 1):
        ranks.add_stack(at(rank, f"{len(ranks.stacks)}.py:1 f"))
    ranks.add_stack(Stack(1.0, 9, frames=(), rank=0))
    ranks.add_stack(Stack(1.0, 9, frames=("x.py:1 f",), rank=0, thread="loader"))
    assert {rank: one.innermost for rank, one in ranks.stacks.items()} == {0: "0.py:1 f", 1: "2.py:1 f"}


def test_looks_are_of_what_is_under_way_or_of_before() -> None:
    ranks = RankStates()
    for rank, iteration in ((2, 10), (1, 9), (0, 11)):
        ranks.add_stack(at(rank, "a.py:1 f", iteration=iteration))
    now, before = ranks.newest_stacks({0: 10, 1: 9, 2: 9}, 100.0)
    assert ([one.rank for one in now], [one.rank for one in before]) == ([0, 2], [1])
    ranks = RankStates()
    ranks.add_stack(Stack(130.0, 10, frames=("a.py:1 f",)))
    assert len(ranks.newest_stacks({0: 10}, None).now) == 0
    assert len(ranks.newest_stacks({0: 9}, None).now) == 1
    ranks.add_stack(at(0, "a.py:1 f", iteration=None, at_s=99.0))
    assert [len(part) for part in ranks.newest_stacks({0: 9}, 100.0)] == [0, 1]
    assert [len(part) for part in ranks.newest_stacks({0: 9}, 99.0)] == [1, 0]


WAITS, READS, SAVES, OTHER = "all_reduce", "data.py:7 read", "save.py:9 save", "broadcast"


def standing(*places: str) -> Hang:
    """Each rank waits in a collective of this name, or stands in this place."""
    found = hang(
        *(in_collective(n, place) if ":" not in place else at(n, place) for n, place in enumerate(places)),
        heard=HEARD._replace(newest=dict.fromkeys(range(len(places)), 9)),
    )
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("places", "suspects", "operation"),
    [
        ((WAITS, WAITS, READS), {2: ELSEWHERE}, WAITS),
        ((WAITS, READS), {1: ELSEWHERE}, WAITS),
        ((WAITS, WAITS, READS, READS), {2: ELSEWHERE, 3: ELSEWHERE}, WAITS),
        ((WAITS, READS, READS), {0: DIFFERENT}, WAITS),
        ((WAITS, READS, SAVES), {}, WAITS),
        ((WAITS, WAITS, READS, SAVES, READS), {2: ELSEWHERE, 3: ELSEWHERE, 4: ELSEWHERE}, WAITS),
        ((WAITS, WAITS, OTHER), {2: DIFFERENT}, WAITS),
        ((WAITS, WAITS, OTHER, OTHER), {}, WAITS),
        ((READS, READS, SAVES), {2: ELSEWHERE}, ""),
        ((READS, SAVES), {}, ""),
        ((READS, READS), {}, ""),
        ((READS,), {}, ""),
    ],
)
def test_who_stands_elsewhere_than_most_is_accused(
    places: tuple[str, ...], suspects: dict[int, str], operation: str
) -> None:
    found = standing(*places)
    assert {one.rank: one.why for one in found.suspects} == suspects
    assert found.operation == operation
    assert {one.rank for one in found.others} == set(range(len(places))) - set(suspects)
    assert bool(found.nobody) is not bool(suspects)
    assert found.last_iteration == 9


def test_a_collective_in_which_one_alone_or_all_wait_accuses_nobody() -> None:
    alone = hang(Collective(0, "w", 5, "ALLREDUCE"))
    every = hang(*(Collective(rank, "w", 5, "ALLREDUCE") for rank in range(2)))
    assert alone is not None
    assert every is not None
    assert (alone.nobody, every.nobody) == ("one rank alone is heard", "all ranks that are heard wait in it")
    by_stacks = hang(Collective(0, "w", 5, "ALLREDUCE"), in_collective(0), at(1, READS))
    assert by_stacks is not None
    assert [one.rank for one in by_stacks.suspects] == [1]
    one_stack = hang(Collective(0, "w", 5, "ALLREDUCE"), in_collective(0))
    assert one_stack is not None
    assert one_stack.nobody == "one rank alone is heard"


def test_the_newest_iteration_of_any_rank_is_the_last() -> None:
    found = hang(in_collective(0), at(1, READS), heard=Heard(newest={0: 9, 1: 7}))
    assert found is not None
    assert found.last_iteration == 9
    nothing = hang(heard=Heard())
    assert nothing is not None
    assert (nothing.last_iteration, nothing.nobody) == (None, "no rank said where it is")


def test_of_the_dead_what_is_known_of_them_stays() -> None:
    dead = RankState(2, pid=44, host="n1", ended="killed: signal 9")
    found = hang(dead, *(Collective(rank, "w", 5, "ALLREDUCE") for rank in (0, 1)))
    assert found is not None
    (suspect,) = found.suspects
    assert (suspect.rank, suspect.pid, suspect.host, suspect.ended) == (2, 44, "n1", "killed: signal 9")
    assert [one.rank for one in found.others] == [0, 1]
    assert (found.operation, found.sequence) == ("ALLREDUCE", 5)
    both = hang(dead, RankState(1, ended="killed: signal 9"), in_collective(0))
    assert both is not None
    assert all(one.why != DEAD for one in both.suspects)


def look(*, late: int, at_s: float, waits: bool = True) -> list[Collective]:
    """What NCCL RAS says: rank `late` has called one collective less."""
    ras = CollectiveWitness.RAS
    return [
        Collective(rank, "0x1", enqueued=7, witness=ras, at_s=at_s)
        if rank == late
        else Collective(rank, "0x1", 8 if waits else None, "ALLREDUCE", enqueued=8, witness=ras, at_s=at_s)
        for rank in range(4)
    ]


def test_a_look_from_outside_accuses_in_silence_alone() -> None:
    found = hang(*look(late=2, at_s=160.0))
    assert found is not None
    assert [(at.rank, at.why) for at in found.suspects] == [(2, BEHIND)]
    assert hang(*look(late=2, at_s=160.0), now=Now("training", elapsed_s=1.0, usual_s=1.0)) is None
    alone = hang(*look(late=2, at_s=160.0), now=Now(), heard=Heard())
    assert alone is not None, "itermon stack knows of no iteration: there it is asked for"


def test_of_looks_from_outside_the_newest_counts_and_none_of_before_the_newest_word() -> None:
    found = hang(*look(late=2, at_s=160.0), *look(late=1, at_s=220.0))
    assert found is not None
    assert [at.rank for at in found.suspects] == [1]
    found = hang(*look(late=2, at_s=160.0), *look(late=2, at_s=220.0, waits=False))
    assert found is not None
    assert found.suspects == (), "they went on meanwhile"
    collectives = Collectives()
    for state in look(late=2, at_s=99.0):
        collectives.add(state, 100.0)
    assert collectives.judged(4) is None
