"""One rank that comes late makes all others wait: found by its local time, not by the iteration's."""

import random
from collections import Counter
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from simulated_runs import watched

from itermon.analysis.findings import LedgerRow
from itermon.analysis.ranks.stragglers import Ranks
from itermon.analysis.record.columns import Columns
from itermon.analysis.run import Run
from itermon.events import (
    BACKWARD,
    BEFORE_FORWARD,
    BEFORE_STEP,
    DATA,
    FORWARD,
    OPTIMIZER,
    STRAGGLER,
    SYNC,
    TRAINING,
    UNEXPLAINED,
    Event,
    Iteration,
    Phases,
)

# The bounds as numbers of its own: from the code, a test would move with them.
KEPT, MOST_RANKS, FARTHEST, BLOCK = 256, 1_024, 64, 64


def together(
    count: int, late: dict[int, float], *, rank: int = 2, ranks: int = 4, waits: float = 0.01
) -> list[Event]:
    """Iterations of 0.5 s on all ranks at once; `rank` comes late by `late` seconds in some of them."""
    return [
        Iteration(
            index,
            0.5 + late.get(index, 0.0),
            rank=r,
            data_wait_s=waits,
            phases={"forward": 0.1 + (late.get(index, 0.0) if r == rank else 0.0), "backward": 0.3},
        )
        for index in range(count)
        for r in range(ranks)
    ]


SLOW = (290, 1_300, 3_000)


@pytest.fixture(scope="module")
def always_late() -> Run:
    """A run whose rank 2 is always late, three times so late that these iterations have a cause of their own."""
    return watched(together(5_000, {i: 5.0 if i in SLOW else 0.1 for i in range(5_000)}))


def rows(run: Run) -> dict[str, LedgerRow]:
    return {row.cause: row for row in run.findings().ledger}


def test_a_rank_that_came_late_once_is_named() -> None:
    run = watched(together(300, {150: 0.4}))
    spike = run.spike(150)
    assert spike is not None
    (cause,) = spike.causes
    assert (cause.kind, cause.seconds) == (STRAGGLER, pytest.approx(0.4))
    assert cause.evidence.startswith("rank 2 took 510 ms before the collective, the others usually 110 ms")


def test_a_late_rank_that_does_not_explain_the_excess_is_no_cause() -> None:
    events = [
        e if e.index != 150 else Iteration(150, 1.5, rank=e.rank, phases=e.phases)
        for e in together(300, {150: 0.4})
        if isinstance(e, Iteration)
    ]
    spike = watched(list(events)).spike(150)
    assert spike is not None
    assert [c.kind for c in spike.causes] == ["unexplained"]


def test_gpu_times_that_come_later_name_the_late_rank_too() -> None:
    events: list[Event] = []
    for index in range(300):
        late_s = 0.4 if index == 150 else 0.0
        events += [Iteration(index, 0.5 + late_s, rank=r, data_wait_s=0.01) for r in range(4)]
        events += [Phases(index, {"forward": 0.1 + late_s * (r == 2)}, rank=r) for r in (*range(4), None, 9)]
        events.append(Phases(index, {"backward": 3.0}, rank=1))
    spike = watched(events).spike(150)
    assert spike is not None
    assert [(c.kind, c.evidence) for c in spike.causes] == [
        (STRAGGLER, "rank 2 took 510 ms before the collective, the others usually 110 ms")
    ]


@pytest.mark.parametrize("first", [0, 100, 255, 256, 300])
@pytest.mark.parametrize("last", [300, 511, 512, 1_400, 4_999])
def test_what_a_late_rank_costs_adds_up_over_any_part(always_late: Run, first: int, last: int) -> None:
    run = always_late
    found = run.intake.ranks.late_between(run.intake.timing.slow, first, last)
    count = last - first + 1 - sum(first <= i <= last for i in SLOW)
    assert (found.iterations, found.seconds) == (count, pytest.approx(0.1 * count))


def test_two_ranks_are_enough() -> None:
    spike = watched(together(300, {150: 0.4}, rank=1, ranks=2)).spike(150)
    assert spike is not None
    assert [c.kind for c in spike.causes] == [STRAGGLER]


def test_a_rank_that_is_always_late_reaches_ledger_and_verdict() -> None:
    run = watched(together(300, dict.fromkeys(range(300), 0.1)))
    found = rows(run)
    assert run.findings().spikes == ()
    assert (found[STRAGGLER].seconds, found[STRAGGLER].count) == (pytest.approx(30), 300)
    assert found[STRAGGLER].estimated
    assert found[TRAINING].seconds == pytest.approx(150)
    verdict = run.findings().verdict
    assert verdict.headline == "Rank 2 is late in its forward pass, and all wait for it."
    assert any("Rank 2 takes 210 ms, the others 110 ms" in line for line in verdict.evidence)


def test_ranks_that_are_alike_lose_nothing() -> None:
    run = watched(together(300, {}))
    assert set(rows(run)) == {TRAINING}
    assert run.findings().straggler is None
    assert run.findings().messages == ()


def test_what_ranks_say_does_not_depend_on_batches_and_is_kept() -> None:
    events = together(4 * KEPT, {150: 0.4, 700: 0.4})
    whole, single = watched(events), Run()
    for event in events:
        single.apply([event])
    assert whole.findings() == single.findings()
    assert rows(whole)[STRAGGLER].count == 2
    assert [c.kind for s in whole.findings().spikes for c in s.causes] == [STRAGGLER, STRAGGLER]
    assert len(whole.intake.ranks._recent) == KEPT


def test_more_ranks_than_there_can_be_are_left_out_and_reported_once() -> None:
    run = Run()
    run.apply([Iteration(7, 0.5, rank=rank, data_wait_s=0.1) for rank in range(3 * MOST_RANKS)])
    assert len(run.intake.ranks._recent[7]) == MOST_RANKS
    (message,) = run.findings().messages
    assert message.text == "more than 1,024 ranks: the others are left out of the search for stragglers"


WORK = {DATA: 0.004, BEFORE_FORWARD: 0.0003, FORWARD: 0.008, BACKWARD: 0.008, BEFORE_STEP: 0.002, OPTIMIZER: 0.001}
SEEDS = range(25)


def job(seed: int, late_in: str = "", late_s: float = 0.05, noise: float = 0.2) -> tuple[int, Run]:
    """Four ranks on a busy machine: each phase varies by `noise`, and now and then one of them is held up.

    One, drawn by the seed, is late in each iteration; all leave the backward with the last.
    """
    chance = random.Random(f"{seed} {late_in}")
    late = chance.randrange(4)
    events: list[Event] = []
    for index in range(60):
        own = [{phase: s * chance.lognormvariate(0, noise) for phase, s in WORK.items()} for _ in range(4)]
        if chance.random() < 0.1:
            own[chance.randrange(4)][FORWARD] += chance.uniform(0.005, 0.06)
        if late_in:
            own[late][late_in] += late_s
        last_s = max(sum(phases.values()) for phases in own)
        for rank, phases in enumerate(own):
            sync_s = last_s - sum(phases.values()) + 0.002
            events.append(Iteration(index, last_s + 0.002, rank=rank, data_wait_s=phases[DATA]))
            events.append(Phases(index, {**phases, SYNC: sync_s}, rank=rank, on_host=True))
    return late, watched(events)


@pytest.mark.parametrize("phase", [DATA, FORWARD, BACKWARD, BEFORE_STEP])
def test_of_four_ranks_the_late_one_and_its_phase_are_named(phase: str) -> None:
    named = []
    for seed in SEEDS:
        late, run = job(seed, phase)
        found = run.findings()
        straggler = found.straggler
        assert found.verdict.kind == "straggler"
        assert straggler is not None
        named.append((straggler.rank, straggler.phase) == (late, phase))
        assert found.verdict.headline.startswith(f"Rank {straggler.rank} ")
        assert phase in found.verdict.headline
        assert sum(row.share for row in found.ledger) == pytest.approx(1)
        assert rows(run)[STRAGGLER].share == pytest.approx(0.05 / 0.081, rel=0.1)
    assert all(named)


def test_of_four_ranks_that_are_alike_nobody_is_named_and_nothing_lost() -> None:
    found = [job(seed)[1] for seed in range(4 * len(SEEDS))]
    assert [run.findings().straggler for run in found if run.findings().straggler] == []
    assert [rows(run)[STRAGGLER] for run in found if STRAGGLER in rows(run)] == []


def held_up(ranks: Callable[[int], int]) -> list[str]:
    """Causes of the slow iterations: each seventh, one of four ranks is held up for 50 ms."""
    events: list[Event] = []
    for index in range(300):
        late = ranks(index) if index % 7 == 0 and index >= 100 else None
        for rank in range(4):
            forward_s = 0.1 + 0.05 * (rank == late)
            events.append(
                Iteration(index, 0.2 + 0.05 * (late is not None), rank=rank, phases={FORWARD: forward_s})
            )
    return [cause.kind for spike in watched(events).findings().spikes for cause in spike.causes]


def test_one_that_is_held_up_again_and_again_is_a_straggler_and_ranks_in_turn_are_none() -> None:
    assert Counter(held_up(lambda _: 2)) == {UNEXPLAINED: 6, STRAGGLER: 22}, "the first six might be anybody's"
    assert Counter(held_up(lambda index: index % 4)) == {UNEXPLAINED: 28}
    assert held_up(lambda index: 2 if index % 6 else 1).count(STRAGGLER) > 5, "another one, at times"


def test_a_wait_for_data_that_all_wait_for_is_counted_once() -> None:
    late, run = next(found for seed in SEEDS if (found := job(seed, DATA))[0] == 0)
    assert late == 0
    found = rows(run)
    assert found[STRAGGLER].share > 0.55
    assert found[DATA].share < 0.1
    assert found[TRAINING].share > 0.2


def test_what_is_too_old_to_change_is_added_up_once(always_late: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    ranks, added_up = always_late.intake.ranks, []
    add_up = ranks._sum
    monkeypatch.setattr(ranks, "_sum", lambda slow, a, b: added_up.append(b - a) or add_up(slow, a, b))  # type: ignore[func-returns-value]
    assert ranks.late_between(always_late.intake.timing.slow, 0, 4_999).iterations == 5_000 - len(SLOW)
    assert sum(added_up) <= KEPT + 2 * BLOCK


NOW_S = 3 / 32
"""Less than a tenth of a second: that one was late once says nothing, that it was again does."""


def named_at(position: int, *late: tuple[int, int, float]) -> int | None:
    """The rank that is named at `position`: rank 0 is late there for `NOW_S`, and before it those of `late`."""
    behind = {at: (rank, late_s) for at, rank, late_s in (*late, (position, 0, NOW_S))}
    events: list[Event] = []
    for index in range(position + 1):
        last, late_s = behind.get(index, (0, 0.0))
        for rank in range(4):
            forward_s = 0.125 + late_s * (rank == last)
            events.append(Iteration(index, 0.5 + late_s, rank=rank, phases={FORWARD: forward_s}))
    lead = watched(events).intake.ranks.late_rank_at(position)
    return None if lead is None else lead.rank


@pytest.mark.parametrize(
    ("before", "others", "named"),
    [(5, 0, None), (6, 0, 0), (6, 1, 0), (6, 2, None), (7, 2, None), (8, 2, 0), (8, 3, None), (12, 3, 0)],
)
def test_one_is_named_that_was_late_six_times_and_four_times_as_often_as_the_others(
    before: int, others: int, named: int | None
) -> None:
    late = [(40 + 3 * n, 0, NOW_S) for n in range(before)] + [(41 + 3 * n, 1, NOW_S) for n in range(others)]
    assert named_at(99, *late) == named


@pytest.mark.parametrize(("late_s", "named"), [(1 / 32, 0), (0.03, None)])
def test_it_was_late_before_if_by_a_third_of_it(late_s: float, named: int | None) -> None:
    assert named_at(99, *((60 + 3 * n, 0, late_s) for n in range(6))) == named


@pytest.mark.parametrize(("first", "named"), [(136, 0), (135, None), (80, None)])
def test_it_was_late_lately_if_in_the_64_iterations_before(first: int, named: int | None) -> None:
    assert named_at(200, *((first + n, 0, NOW_S) for n in range(6))) == named


def test_one_rank_alone_and_ranks_that_took_no_time_name_nobody() -> None:
    alone = watched(together(100, {50: 0.4}, ranks=1, rank=0))
    idle = watched([Iteration(i, 0.5, rank=r, phases={FORWARD: 0.0}) for i in range(100) for r in range(4)])
    assert [run.intake.ranks.late_rank_at(50) for run in (alone, idle)] == [None, None]


def test_what_is_left_out_hides_nothing_that_comes_after_it() -> None:
    ranks = Ranks(Columns())
    crowd = [Iteration(7, 0.5, rank=rank) for rank in range(MOST_RANKS + 1)]
    nobodys = [Iteration(5, 0.5), Iteration(6, 0.5, rank=0, averaged_over=2)]
    ranks.add([*nobodys, *crowd, Iteration(8, 0.5, rank=0)], 0)
    assert [(index, len(heard)) for index, heard in ranks._recent.items()] == [(7, MOST_RANKS), (8, 1)]


def test_a_rank_that_is_late_only_later_costs_what_it_costs_then() -> None:
    run = watched(together(3 * BLOCK, dict.fromkeys(range(BLOCK, 3 * BLOCK), 0.1)))
    found = run.intake.ranks.late_between(run.intake.timing.slow, BLOCK // 2, 2 * BLOCK - 1)
    assert (found.iterations, found.seconds) == (BLOCK, pytest.approx(0.1 * BLOCK))


@pytest.mark.parametrize("phase", [DATA, FORWARD, BACKWARD])
def test_a_tenth_of_an_iteration_is_enough(phase: str) -> None:
    """By single iterations it is one of several that are late; together they name it."""
    found = [(late, run.findings().straggler) for late, run in (job(seed, phase, 0.0026, 0.1) for seed in SEEDS)]
    right = sum(one is not None and (one.rank, one.phase) == (late, phase) for late, one in found)
    assert [one for late, one in found if one is not None and one.rank != late] == []
    assert right >= 0.95 * len(SEEDS)


def test_where_it_began_is_said_as_far_back_as_is_looked(always_late: Run) -> None:
    run = watched(together(10 * BLOCK, dict.fromkeys(range(5 * BLOCK, 10 * BLOCK), 0.1)))
    found = run.findings().straggler
    assert found is not None
    assert (found.since_iteration, found.iterations) == (5 * BLOCK, KEPT)
    always = always_late.findings().straggler
    assert always is not None
    assert 5_000 - FARTHEST * BLOCK <= (always.since_iteration or 0) < 5_000 - (FARTHEST - 1) * BLOCK


def test_ranks_of_machines_whose_clocks_differ_are_joined_by_iteration() -> None:
    """Only what a rank took by its own clock is compared: one is an hour ahead, and heard of later."""
    late = together(300, dict.fromkeys(range(300), 0.1))
    here = [e for e in late if isinstance(e, Iteration)]
    apart: list[Event] = [replace(e, at_s=1e9 + 0.6 * e.index + 3_600 * (e.rank or 0)) for e in here]
    apart.sort(key=lambda e: (e.index + 20 * (e.rank == 3)) if isinstance(e, Iteration) else 0)
    assert watched(apart).findings().straggler == watched(late).findings().straggler is not None


def test_where_one_rank_is_at_fault_nobody_is_said_to_be_late_in_turn() -> None:
    run = watched(together(300, dict.fromkeys(range(300), 0.4)))
    assert run.intake.ranks.straggler() is not None
    assert run.intake.ranks.imbalance() is None
