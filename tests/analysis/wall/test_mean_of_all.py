"""The mean of all iterations, where none has a time: only where the printed rate confirms what was counted."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from simulated_runs import watched

from itermon.analysis.wall.mean_of_all import mean_of_all_s
from itermon.events import Iteration, RunInfo, Total


def fake(rows: int, totals: list[Total], *, duration_s: float | None = None) -> Any:
    """A process with these rows, whose log prints these totals."""
    first = Iteration(1, duration_s=duration_s)
    columns = watched([RunInfo(), first, *(Iteration(n) for n in range(2, rows + 1))]).intake.columns
    return SimpleNamespace(columns=columns, totals=dict(enumerate(totals)), starts=[0])


@pytest.mark.parametrize(
    ("rate", "mean_s"),
    [
        (0.125, 8.0),
        (0.135, None),  # 108 iterations
        (0.1, None),
        (0.06, None),  # the trainer counted those of an earlier process too, or has but half as many
        (None, None),
        (0.0, None),
    ],
)
def test_the_mean_is_told_where_the_printed_rate_makes_as_many_iterations(
    rate: float | None, mean_s: float | None
) -> None:
    assert mean_of_all_s(fake(100, [Total(800.0, iterations_per_s=rate)]), 100) == mean_s


def test_a_rate_of_one_digit_confirms_no_count() -> None:
    assert mean_of_all_s(fake(100, [Total(50_000.0, iterations_per_s=0.002)]), 100) is None


def test_it_is_told_of_one_process_alone_and_where_no_row_has_a_time() -> None:
    total = Total(800.0, iterations_per_s=0.125)
    assert mean_of_all_s(fake(100, [total, total]), 100) is None
    assert mean_of_all_s(fake(100, [total], duration_s=7.5), 100) is None
    assert mean_of_all_s(fake(1, [total]), 100) is None, "one row"
