"""Ranks that wait for each other although none is at fault: a part of them is slower, or each in turn."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from pipeline_traces import of_trace
from real_logs import CORPUS
from simulated_runs import watched

from itermon.analysis.ranks.turns import group_of
from itermon.events import BACKWARD, DATA, FORWARD, SYNC, Event, Iteration

if TYPE_CHECKING:
    from itermon.analysis.findings import Findings

# The bounds as numbers of its own: from the code, a test would move with them.
FEWEST, BLOCK = 32, 64

TRACES = CORPUS / "gpu" / "bytedance-stragglers"


def in_turns(count: int, phase: str, ranks: int = 4, *, first: int = 0, late_s: float = 0.1) -> Findings:
    """Each iteration one of the ranks from `first` on is late, drawn anew."""
    chance = random.Random(5)
    events: list[Event] = []
    for index in range(count):
        late = chance.randrange(first, ranks)
        for rank in range(ranks):
            own = {DATA: 0.01, FORWARD: 0.1, BACKWARD: 0.2}
            own[phase] += late_s if rank == late else 0.9 * late_s * (rank >= first > 0)
            events.append(Iteration(index, 0.32 + late_s, rank=rank, phases={**own, SYNC: 0.0}))
    return watched(events).findings()


@pytest.mark.parametrize(
    ("phase", "step"), [(DATA, "Slow data moves from rank to rank"), (BACKWARD, "No rank is at")]
)
def test_ranks_that_are_late_in_turns_are_an_imbalance_and_nobody_is_named(phase: str, step: str) -> None:
    found = in_turns(100, phase)
    assert found.straggler is None
    assert found.imbalance is not None
    assert (found.imbalance.group, found.imbalance.phase, found.imbalance.last_ranks) == (None, phase, 4)
    assert found.imbalance.share == pytest.approx(0.1 / 0.42)
    assert (found.imbalance.since_iteration, found.imbalance.iterations) == (0, 100)
    assert (
        found.verdict.headline == "The ranks are late in turns: they wait 23.8 % of each iteration for the last."
    )
    assert found.verdict.next_step.startswith(step)


@pytest.mark.parametrize(("late_s", "said"), [(0.035, False), (0.037, True)])
def test_turns_that_cost_less_than_a_tenth_of_an_iteration_are_not_said(late_s: float, said: bool) -> None:
    assert (in_turns(100, FORWARD, late_s=late_s).imbalance is not None) == said


def test_ranks_that_lie_side_by_side_are_late_together() -> None:
    found = in_turns(100, FORWARD, ranks=8, first=4)
    assert found.imbalance is not None
    assert (found.imbalance.group, found.straggler) == ((4, 7), None)
    assert found.verdict.headline == "Ranks 4 to 7 are late together: the others wait 23.8 % of each iteration."
    assert "it is one of ranks 4 to 7 in nearly all of the newest 100 iterations" in " ".join(
        found.verdict.evidence
    )


def test_nobody_was_late_in_turns_as_long_as_nobody_knew_who_came_last() -> None:
    found = watched([Iteration(index, 0.42, rank=0) for index in range(4 * BLOCK)])
    chance = random.Random(5)
    for index in range(4 * BLOCK, 10 * BLOCK):
        late = chance.randrange(4)
        for rank in range(4):
            phases = {FORWARD: 0.1 + 0.1 * (rank == late), BACKWARD: 0.2, SYNC: 0.0}
            found.apply([Iteration(index, 0.42, rank=rank, phases=phases)])
    imbalance = found.findings().imbalance
    assert imbalance is not None
    assert (imbalance.group, imbalance.since_iteration) == (None, 4 * BLOCK)


def test_a_group_is_late_since_it_is_half_of_the_last_ones() -> None:
    """Before, it was two in five of them."""
    events: list[Event] = []
    for index in range(10 * BLOCK):
        late = (0, 1, 2, 4, 5)[index % 5] if index < 5 * BLOCK else 4 + index % 4
        for rank in range(8):
            phases = {FORWARD: 0.1 + 0.1 * (rank == late), BACKWARD: 0.2, SYNC: 0.0}
            events.append(Iteration(index, 0.4, rank=rank, phases=phases))
    found = watched(events).findings().imbalance
    assert found is not None
    assert (found.group, found.since_iteration) == ((4, 7), 5 * BLOCK)


def test_fewer_iterations_say_nothing() -> None:
    assert in_turns(FEWEST - 1, DATA).imbalance is None
    assert in_turns(FEWEST, DATA).imbalance is not None


@pytest.mark.parametrize(
    ("last", "ranks", "group"),
    [
        ([4, 5, 6, 7] * 10, 8, (4, 7)),
        ([6, 7] * 20, 8, (6, 7)),
        ([3, 4] * 20, 8, None),  # they lie side by side, and are of two groups
        ([6, 6, 6, 7] * 10, 8, None),  # one of them more than the other
        ([6] * 24 + [7] * 12, 8, None),  # twice as often
        ([6] * 25 + [7] * 13, 8, (6, 7)),
        ([6] * 26 + [7] * 11, 8, None),
        (([4, 5, 6, 7] * 8) + [0] * 8, 8, (4, 7)),
        (([4, 5, 6, 7] * 8) + [0] * 9, 8, None),
        ([4, 5, 6, 7] * 8, 8, (4, 7)),
        ([4, 5, 6, 7] * 7, 8, None),
        ([9, 8] * 20, 8, None),  # a number beyond the ranks that report
        ([4, 5, 6, 7] * 9 + [8] * 4, 8, None),
        ([4, 5, 6, 7] * 9 + [3] * 4, 8, (4, 7)),
        ([0, 1] * 20, 2, None),
        ([0, 1] * 20, 3, None),
    ],
)
def test_a_group_is_the_smallest_equal_part_that_most_of_the_last_ones_are_of(
    last: list[int], ranks: int, group: tuple[int, int] | None
) -> None:
    assert group_of(last, ranks) == group


@pytest.mark.skipif(not TRACES.is_dir(), reason="the recorded traces are not at hand")
def test_of_recorded_jobs_the_slow_worker_is_named_and_unequal_samples_name_nobody() -> None:
    """Their authors found: AR has one slow worker, rank 0 of stage 0; SE has sequences of unequal length."""
    slow = of_trace(TRACES / "timeline-AR.json.gz").findings()
    assert slow.straggler is not None
    assert (slow.straggler.rank, slow.straggler.phase, slow.imbalance) == (0, "", None)
    unequal = of_trace(TRACES / "timeline-SE.json.gz").findings()
    assert unequal.imbalance is not None
    assert (unequal.straggler, unequal.imbalance.group) == (None, (32, 63))
    assert unequal.imbalance.most_often < 0.1
