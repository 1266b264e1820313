"""One rank that comes late makes all others wait: found by its local time, not by the iteration's."""

import pytest
from simulated_runs import watched

from itermon.analysis.findings import LedgerRow
from itermon.analysis.ranks.stragglers import KEPT, MOST_RANKS
from itermon.analysis.run import Run
from itermon.events import STRAGGLER, TRAINING, Event, Iteration, Phases


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
LATE = watched(together(5_000, {i: 5.0 if i in SLOW else 0.1 for i in range(5_000)}))
"""A run whose rank 2 is always late, and three times so late that these iterations have a cause of their own."""


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
def test_what_a_late_rank_costs_adds_up_over_any_part(first: int, last: int) -> None:
    run = LATE
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
    assert verdict.headline == "Rank 2 is slower than the others, and all wait for it."
    assert any("rank 2: 210 ms before the collective, others 110 ms" in line for line in verdict.evidence)


def test_ranks_that_are_alike_lose_nothing() -> None:
    run = watched(together(300, {}))
    assert set(rows(run)) == {TRAINING}
    assert run.findings().straggler is None


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
