"""Rows that are as slow as those that are listed, and what is listed where they are many."""

from types import SimpleNamespace
from typing import Any

import pytest

from itermon.analysis.findings import Cause, Findings, LedgerRow, Spike
from itermon.analysis.record.columns import Columns
from itermon.analysis.second_look.slow_rows import as_slow, looked_again
from itermon.events import EVALUATION, TRAINING, UNEXPLAINED, Iteration, Strength


def rows(durations: list[float], over: int = 1) -> Columns:
    made = Columns()
    made.extend([Iteration((n + 1) * over, d, averaged_over=over) for n, d in enumerate(durations)])
    return made


def listed(columns: Columns, *positions: int, kind: str = UNEXPLAINED) -> tuple[Spike, ...]:
    cause = Cause(kind, 0.5, Strength.GUESS)
    return tuple(Spike(columns.index[n], n, columns.duration_s[n], 1.0, (cause,)) for n in positions)


def timing(*positions: int, begun: int = 0) -> Any:
    return SimpleNamespace(
        begun=begun, over=[SimpleNamespace(begun=0)], slow=SimpleNamespace(itself=positions, position=positions)
    )


STEADY = [1.0] * 200
"""Beside these a row of 1.5 s takes one and a half times as long as those around it, whatever few of them take."""


def with_slow(*slow: tuple[int, float]) -> list[float]:
    made = [*STEADY]
    for position, seconds in slow:
        made[position] = seconds
    return made


def test_rows_are_held_against_those_around_them() -> None:
    columns = rows(with_slow((50, 1.5), (60, 1.6), (70, 1.4), (80, 1.5)))
    assert as_slow(listed(columns, 50), timing(50), columns) == (2, 1.5)
    assert as_slow(listed(columns, 50, 60, 80), timing(50, 60, 80), columns) == (0, 1.5)
    assert as_slow((), timing(50), columns) == (0, 0.0)
    slower = rows([*with_slow((50, 1.5)), *(4 * d for d in with_slow((60, 1.6), (70, 1.4)))])
    assert as_slow(listed(slower, 50), timing(50), slower) == (1, 1.5), "of a level of four seconds, no more"


def test_what_no_row_is_told_of_singly_is_not_counted() -> None:
    columns = rows(with_slow((3, 9.0), (31, 9.0), (50, 1.5), (60, 1.6)))
    assert as_slow(listed(columns, 50), timing(50), columns) == (1, 1.5), "a warm-up's first rows are not"
    assert as_slow(listed(columns, 50), timing(50, 60), columns)[0] == 0, "one that has a cause of its own is not"
    assert as_slow(listed(columns, 50, kind=EVALUATION), timing(50), columns) == (0, 0.0)
    columns.uncounted[60] = 5
    assert as_slow(listed(columns, 50), timing(50), columns)[0] == 0
    means = rows(with_slow((50, 1.5)), over=10)
    means.extend([Iteration(2_001, 9.0)])
    assert as_slow(listed(means, 50), timing(50), means)[0] == 0, "a row of one is none of those of ten"


def test_a_listed_row_that_took_no_longer_than_those_around_it_makes_no_other_one_slow() -> None:
    columns = rows(with_slow((50, 0.9), (60, 1.6), (70, 1.04), (80, 1.06)))
    assert as_slow(listed(columns, 50), timing(50), columns) == (2, 1.05)
    assert as_slow(listed(columns, 50, 70), timing(50, 70), columns) == (2, 1.05)


@pytest.mark.parametrize("more", [2, 3])
def test_where_most_of_them_would_not_be_listed_none_without_a_cause_is(more: int) -> None:
    columns = rows(with_slow((50, 1.5), (60, 1.5), *((70 + 9 * n, 1.7) for n in range(more)), (150, 9.0)))
    spikes = (*listed(columns, 50, 60), *listed(columns, 150, kind=EVALUATION))
    ledger = (LedgerRow(TRAINING, 200.0, 0.99), LedgerRow(UNEXPLAINED, 1.0, 0.01, 2, least_s=0.5, most_s=0.5))
    found = looked_again(Findings(spikes=spikes, ledger=ledger), timing(50, 60, 150), columns)
    part = (ledger[0], LedgerRow(UNEXPLAINED, 1.0, 0.01, at_least=True))
    assert found.ledger == part, "a part of what there is"
    if more == 2:
        assert (found.slow_untold, found.slow_unnamed, found.spikes) == (2, None, spikes)
        return
    assert (found.slow_untold, found.slow_unnamed) == (5, 1.5)
    assert found.spikes == spikes[2:], "what a line tells the cause of"


def test_what_costs_far_more_than_what_returns_or_was_there_twice_is_not_said_to_return() -> None:
    columns = rows(STEADY)

    def period(*seconds: float, said: str = "every 8 iterations, cause unknown") -> tuple[Spike, ...]:
        causes = [(Cause(UNEXPLAINED, s, Strength.PERIOD, said),) for s in seconds]
        return tuple(Spike(n, n, 1.0 + c[0].seconds, 1.0, c) for n, c in enumerate(causes))

    found = looked_again(Findings(spikes=period(0.3, 0.34, 0.36, 3.4)), timing(), columns)
    assert [one.causes[0].strength for one in found.spikes] == [*["period"] * 3, "guess"]
    twice = looked_again(Findings(spikes=period(3.4, 2.6)), timing(), columns)
    assert {(one.causes[0].strength, one.causes[0].evidence) for one in twice.spikes} == {
        ("guess", "no cause was found")
    }


@pytest.mark.parametrize(("every", "slow"), [(1, [40]), (2, [*range(1, 80, 2)])])
def test_a_stop_that_most_rows_have_makes_none_of_them_slow_but_the_one_that_took_far_longer(
    every: int, slow: list[int]
) -> None:
    """Epochs with an evaluation each, and a row of steps in which every second one has its evaluation."""
    positions = range(1, 80, every)
    cost = {n: Cause(EVALUATION, 5.0 if n == 40 else 0.5, Strength.LOG) for n in positions}
    spikes = tuple(Spike(n, n, 1.0, 1.0, (cost[n],)) for n in positions)
    found = looked_again(Findings(spikes=spikes), timing(), rows([1.0] * 80))
    assert [one.position for one in found.spikes] == slow
