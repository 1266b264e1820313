"""What is known of a slow iteration: what it waited for data, and what was usual."""

import pytest
from simulated_runs import watched

from itermon.analysis.findings import Cause
from itermon.events import DATA, Event, Iteration, RunInfo, Strength


def data_causes(waits_s: list[float], slow: int, took_s: float) -> list[Cause]:
    """Of an iteration in a run of iterations of 1 s that wait for data as long as this."""
    events: list[Event] = [
        Iteration(i, took_s if i == slow else 1.0, data_wait_s=wait_s) for i, wait_s in enumerate(waits_s)
    ]
    spike = watched([RunInfo(), *events]).spike(slow)
    assert spike is not None
    return [cause for cause in spike.causes if cause.kind == DATA]


@pytest.mark.parametrize(
    ("before", "usual_s", "usually"),
    [
        ([0.1] * 100, 0.1, "100 ms"),
        ([0.1] * 68 + [0.1, 0.2] * 16, 0.1, "100 ms"),
        ([0.1] * 36 + [0.1, 0.2] * 32, 0.2, "200 ms"),  # of 65, of which it is one itself, 33 are longer
        ([0.2] * 37 + [0.1] * 63, 0.1, "100 ms"),
        ([0.2] * 68 + [0.1] * 32, 0.2, "200 ms"),
    ],
)
def test_what_is_usual_is_the_median_of_the_newest_65_waits(
    before: list[float], usual_s: float, usually: str
) -> None:
    (cause,) = data_causes([*before, 2.1, *[0.1] * 50], 100, 3.5)
    evidence = f"waited 2.10 s for data, usually {usually}"
    assert cause == Cause(DATA, pytest.approx(2.1 - usual_s), Strength.HOOK, evidence)


def test_the_wait_of_the_very_first_iteration_is_its_own_usual() -> None:
    assert data_causes([4.0, *[0.1] * 99], 0, 5.0) == []
