"""Who came last in one iteration, how late, and in what."""

from __future__ import annotations

import pytest

from itermon.analysis.ranks.leads import Lead, Local, lead_of, own_phases, phase_of
from itermon.events import BACKWARD, BEFORE_STEP, DATA, FORWARD, OPTIMIZER, SYNC

WORK = {DATA: 0.004, FORWARD: 0.008, BACKWARD: 0.008, BEFORE_STEP: 0.002, OPTIMIZER: 0.001}


def ranks_late_in(phase: str, late_s: float = 0.05) -> dict[int, Local]:
    """Of four ranks, which take the same, 2 is late, and the others wait in their sync."""
    late = Local(phases={**WORK, phase: WORK[phase] + late_s, SYNC: 0.001})
    return {rank: late if rank == 2 else Local(phases={**WORK, SYNC: 0.001 + late_s}) for rank in range(4)}


@pytest.mark.parametrize("phase", WORK)
def test_the_last_is_the_one_that_does_most_without_waiting(phase: str) -> None:
    lead = lead_of(ranks_late_in(phase))
    assert lead is not None
    assert (lead.rank, lead.phase, lead.seconds) == (2, phase, pytest.approx(0.05))


def test_late_by_a_little_in_each_phase_is_late_in_none() -> None:
    ranks = {
        r: Local(phases={phase: s * (1 + (r == 2)) for phase, s in WORK.items()} | {SYNC: 0.0}) for r in range(4)
    }
    lead = lead_of(ranks)
    assert lead is not None
    assert (lead.rank, lead.phase) == (2, "")


def test_where_the_sync_is_not_told_apart_a_backward_tells_nothing() -> None:
    ranks = {rank: Local(0.01, {FORWARD: 0.1, BACKWARD: 0.3 + rank}) for rank in range(4)}
    ranks[1] = Local(0.01, {FORWARD: 0.2, BACKWARD: 0.1})
    lead = lead_of(ranks)
    assert lead is not None
    assert (lead.rank, lead.phase, lead.local_s) == (1, FORWARD, pytest.approx(0.21))


def test_where_not_all_tell_their_phases_the_waits_for_data_remain() -> None:
    lead = lead_of({0: Local(0.01), 1: Local(0.5), 2: Local(0.01, {FORWARD: 3.0}), 3: Local()})
    assert lead is not None
    assert (lead.rank, lead.phase, lead.others_s) == (1, DATA, pytest.approx(0.01))


def test_on_a_gpu_whose_forward_contains_the_wait_it_is_told_by_the_loops_own() -> None:
    phases = {FORWARD: 0.1, BACKWARD: 0.2, SYNC: 0.05}
    ranks = {rank: Local(0.001, phases) for rank in range(4)}
    ranks[3] = Local(0.051, {**phases, FORWARD: 0.15, SYNC: 0.0})
    lead = lead_of(ranks)
    assert lead is not None
    assert (lead.rank, lead.phase, lead.seconds) == (3, DATA, pytest.approx(0.05))


@pytest.mark.parametrize("ranks", [{}, {0: Local(0.1)}, {0: Local(), 1: Local()}, {0: Local(0.1), 1: Local()}])
def test_nobody_is_last_of_one(ranks: dict[int, Local]) -> None:
    assert lead_of(ranks) is None


def test_a_rank_that_is_slower_in_all_that_it_does_is_late_in_no_phase() -> None:
    """As a worker on a slow GPU: its backward lost most seconds, and its forward as much of its own."""
    slow = {phase: 2 * s for phase, s in {FORWARD: 0.1, BACKWARD: 0.2}.items()}
    lead = lead_of(
        {r: Local(phases={**(slow if r == 0 else {FORWARD: 0.1, BACKWARD: 0.2}), SYNC: 0}) for r in range(4)}
    )
    assert lead is not None
    assert (lead.phase, phase_of([lead])) == (BACKWARD, "")


@pytest.mark.parametrize(("forward_s", "phase"), [(0.0249, BACKWARD), (0.0251, "")])
def test_half_as_much_in_the_rest_is_as_much(forward_s: float, phase: str) -> None:
    lead = Lead(1, 1.0, 0.7, parts={FORWARD: (0.1 + forward_s, 0.1), BACKWARD: (0.3, 0.2)})
    assert phase_of([lead._replace(local_s=0.4 + forward_s, others_s=0.3)] * 3) == phase


def test_the_phase_of_many_is_the_one_that_is_longer_by_the_median() -> None:
    once = {DATA: (0.9, 0.1), FORWARD: (0.1, 0.1)}
    often = {DATA: (0.1, 0.1), FORWARD: (0.3, 0.1)}
    leads = [Lead(0, 1.0, 0.2, DATA, once), *(Lead(0, 0.4, 0.2, FORWARD, often) for _ in range(3))]
    assert phase_of(leads) == FORWARD
    assert phase_of([]) == phase_of([Lead(0, 0.4, 0.2)]) == ""


def test_data_and_forward_alone_are_compared_where_no_more_is_told() -> None:
    found = lead_of({0: Local(None, {FORWARD: 1.0}), 1: Local(0.5, {FORWARD: 1.0})})
    assert found is not None
    assert (found.rank, found.local_s, found.others_s, found.phase) == (1, 1.5, 1.0, DATA)
    some = lead_of({0: Local(0.0, {FORWARD: 0.3, BACKWARD: 9.0, SYNC: 0.0}), 1: Local(0.5, {FORWARD: 1.0})})
    assert some is not None
    assert (some.rank, some.others_s) == (1, 0.3), "of one that told its backward alone that says nothing"
    alone = lead_of({0: Local(0.2), 1: Local(0.5), 2: Local(None)})
    assert alone is not None
    assert (alone.rank, alone.local_s, alone.others_s) == (1, 0.5, 0.2)
    assert lead_of({0: Local(0.2), 1: Local(None)}) is None


def test_a_phase_that_others_do_not_have_took_them_no_time() -> None:
    found = lead_of(
        {0: Local(phases={FORWARD: 1.0, SYNC: 0.0}), 1: Local(phases={FORWARD: 1.0, OPTIMIZER: 0.5, SYNC: 0.0})}
    )
    assert found is not None
    assert found.parts[OPTIMIZER] == (0.5, 0.0)
    assert (found.phase, found.seconds) == (OPTIMIZER, 0.5)


@pytest.mark.parametrize(
    ("wait_s", "phases", "own"),
    [
        (0.3, {FORWARD: 1.0}, {FORWARD: 0.7, DATA: 0.3}),
        (3.0, {FORWARD: 1.0}, {FORWARD: 0.0, DATA: 1.0}),
        (0.3, {BACKWARD: 1.0}, {FORWARD: 0.0, DATA: 0.0, BACKWARD: 1.0}),
        (None, {FORWARD: 1.0, SYNC: 5.0}, {FORWARD: 1.0}),
        (0.3, {FORWARD: 1.0, DATA: 0.1}, {FORWARD: 1.0, DATA: 0.1}),
    ],
)
def test_on_a_gpu_a_wait_for_data_is_in_the_forward_pass(
    wait_s: float | None, phases: dict[str, float], own: dict[str, float]
) -> None:
    assert own_phases(Local(wait_s, phases)) == pytest.approx(own)


def lead(**parts: tuple[float, float]) -> Lead:
    own, others = (sum(pair[place] for pair in parts.values()) for place in (0, 1))
    return Lead(1, own, others, parts=parts)


@pytest.mark.parametrize(
    ("leads", "phase"),
    [
        ([], ""),
        ([lead(forward=(2.0, 1.0), backward=(1.0, 1.0))] * 3, "forward"),
        ([lead(forward=(2.0, 1.0)), lead(backward=(2.0, 1.0)), lead(optimizer=(2.0, 1.0))], ""),
        ([lead(forward=(2.0, 1.0), backward=(2.0, 1.0))] * 3, ""),  # it is slower in all that it does
        ([lead(forward=(2.0, 1.0))] * 3, "forward"),
        ([lead(forward=(1.0, 1.0))] * 3, "forward"),
    ],
)
def test_one_phase_again_and_again_is_where_a_rank_is_late(leads: list[Lead], phase: str) -> None:
    assert phase_of(leads) == phase


@pytest.mark.parametrize(("forward_s", "phase"), [(0.25, FORWARD), (0.249, "")])
def test_half_of_what_it_was_late_is_most_of_it(forward_s: float, phase: str) -> None:
    late = {
        FORWARD: 1.0 + forward_s,
        BACKWARD: 1.0 + (0.5 - forward_s) / 2,
        OPTIMIZER: 1.0 + (0.5 - forward_s) / 2,
    }
    usual = Local(phases={FORWARD: 1.0, BACKWARD: 1.0, OPTIMIZER: 1.0, SYNC: 0.0})
    found = lead_of({0: usual, 1: Local(phases={**late, SYNC: 0.0}), 2: usual})
    assert found is not None
    assert (found.rank, found.seconds, found.phase) == (1, pytest.approx(0.5), phase)


def test_of_ranks_that_take_the_same_none_is_late_in_anything() -> None:
    found = lead_of({rank: Local(phases={**WORK, SYNC: 0.1}) for rank in range(3)})
    assert found is not None
    assert (found.seconds, found.phase) == (0.0, "")
