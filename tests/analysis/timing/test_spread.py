"""How much iterations differ is said where their times tell it, and of what."""

from random import Random

import pytest
from simulated_runs import plain, watched

from itermon.analysis.record.columns import Columns
from itermon.analysis.timing.spread import beside, is_told
from itermon.events import Iteration, RunInfo


@pytest.mark.parametrize(
    "durations",
    [
        [1.0 + i / 1_000 for i in range(11)],  # too few
        [1.5] * 64,  # what the log prints hides whether they differ
        [0.21, 0.21, 0.22, 0.21] * 16,  # ... and by how much
    ],
)
def test_how_much_iterations_differ_is_not_said_where_their_times_do_not_tell(durations: list[float]) -> None:
    findings = watched(plain(durations)).findings()
    assert findings.level.clean_s == pytest.approx(sorted(durations)[len(durations) // 2], rel=0.02)
    assert findings.level.p95_s is None
    assert findings.level.jitter is None
    assert not any("jitter" in text for text in (findings.verdict.headline, *findings.verdict.evidence))


def test_a_fine_last_digit_tells_how_little_iterations_differ() -> None:
    level = watched(plain([0.38124, 0.38125] * 32)).findings().level
    assert level.jitter is not None
    assert level.jitter < 0.001


def test_means_of_iterations_are_called_so() -> None:
    random = Random(3)
    rows = [
        Iteration(10 * n, duration_s=random.uniform(0.99, 1.01), averaged_over=10 if n else 1) for n in range(65)
    ]
    findings = watched([RunInfo(source_format="nanoGPT log"), *rows]).findings()
    assert findings.level.rests_on() == "64 means of 10 iterations"
    said = " ".join((findings.verdict.headline, *findings.verdict.evidence))
    assert "eans of 10 iterations differ by" in said
    assert "jitter" not in said


def test_of_means_of_different_numbers_it_is_said_what_most_are_of() -> None:
    rows = [Iteration(10 * n, duration_s=1.0 + n % 3 / 100, averaged_over=10) for n in range(40)]
    last = Iteration(396, duration_s=1.01, averaged_over=6)
    level = watched([RunInfo(source_format="nanoGPT log"), *rows, last]).findings().level
    assert level.rests_on() == "41 means, most of 10 iterations"


@pytest.mark.parametrize(
    ("durations", "level", "jitter", "told"),
    [
        ([1_000.0, 1_001.0] * 6, 1_000.0, 0.0, True),  # a thousandth of the time
        ([1_000.0, 1_001.0] * 6, 999.0, 0.0, False),
        ([100.0, 101.0] * 6, 100.0, 0.01, True),  # they differ by the last digit
        ([100.0, 101.0] * 6, 100.0, 0.009, False),
        ([100.0, 101.0, 105.0] * 4, 100.0, 0.01, True),
        ([100.0, 101.0] * 10 + [100.4], 100.0, 0.009, False),  # the two that come often tell of the digit
        ([100.0, 101.0] * 10 + [100.4] * 10, 100.0, 0.009, True),
        ([100.0, 101.0] * 10 + [102 + n / 8 for n in range(10)], 100.0, 0.009, True),
        ([100.0] * 12, 1e9, 1.0, False),
        ([1_000.0, 1_001.0] * 5 + [1_000.0], 1_000.0, 1.0, False),  # eleven are few
    ],
)
def test_times_tell_how_much_they_differ_where_their_last_digit_is_fine_or_less(
    durations: list[float], level: float, jitter: float, told: bool
) -> None:
    assert is_told(durations, level, jitter) is told


def test_of_a_mean_it_is_known_of_how_many_more_iterations_it_is_than_those_beside_it() -> None:
    columns = Columns()
    rows = [(100, 2.0)] * 8 + [(137, 3.0)] + [(100, 2.0)] * 4 + [(40, 9.0)]
    columns.extend([Iteration(n, took_s, averaged_over=over) for n, (over, took_s) in enumerate(rows)])
    assert beside(columns, 0, 8, {8}) == (2.0, 0.0, 37)
    assert beside(columns, 0, 7, {8}) == (2.0, 0.0, 0)
    assert beside(columns, 0, 8, range(7)) == (0.0, 0.0, 0), "few are known"
