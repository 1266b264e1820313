"""What the level that is told rests on."""

from random import Random

import pytest
from simulated_runs import NANOGPT, watched

from itermon.analysis.findings import Level
from itermon.events import Iteration


def found(durations: list[float]) -> Level:
    return watched([NANOGPT, *(Iteration(n, d) for n, d in enumerate(durations))]).findings().level


def noisy(count: int, base_s: float) -> list[float]:
    random = Random(4)
    return [base_s * (1 + random.gauss(0, 0.02)) for _ in range(count)]


BLIP = [0.392, 0.368, 0.408, 0.402, 0.370, 0.414, 0.405, 0.403, 0.400, 0.378, 0.401, 0.410]
"""A dozen rows, a tenth above the others, that overlap them."""


def test_no_level_is_founded_on_a_dozen_noisy_rows_of_thousands() -> None:
    level = found([*noisy(2_000, 0.36), *BLIP, *noisy(9, 0.366)])
    assert level.clean_s == pytest.approx(0.363, rel=0.01)
    assert level.iterations == 64
    assert (level.crept, level.left, level.shifts) == (False, False, ())


def test_what_is_told_is_not_what_the_newest_rows_have_left() -> None:
    """A level that forty rows had, and the newest nine have no more."""
    level = found([*noisy(500, 1.0), *noisy(40, 1.06), *noisy(9, 1.0)])
    assert level.clean_s == pytest.approx(1.05, rel=0.02)
    assert level.iterations > 40


@pytest.mark.parametrize("count", [64, 84, 120, 192])
def test_rows_that_drift_by_less_than_a_change_of_level_are_told_as_they_are_now(count: int) -> None:
    level = found([*noisy(500, 1.0), *noisy(count, 0.96)])
    assert level.clean_s == pytest.approx(0.96, rel=0.008)
    assert level.iterations == 64


@pytest.mark.parametrize("count", [15, 31, 32, 63])
def test_rows_that_are_clearly_of_a_new_level_are_one_however_few(count: int) -> None:
    level = found([*noisy(2_000, 0.36), *noisy(count, 0.5)])
    assert level.clean_s == pytest.approx(0.5, rel=0.02)
    assert level.iterations <= count


def test_the_rows_of_the_process_before_it_tell_nothing_of_the_newest() -> None:
    first = [Iteration(n, d) for n, d in enumerate(noisy(300, 1.0))]
    run = watched([*first, *(Iteration(n, d) for n, d in enumerate([*noisy(200, 0.36), *BLIP]))])
    level = run.findings().level
    assert level.clean_s is not None
    assert level.clean_s < 0.42


def test_a_level_that_was_measured_while_it_came_down_is_measured_anew() -> None:
    """After a change it is measured rarely: meanwhile it may be above each of the newest."""
    down = [1.3, 1.2, 1.15, 1.12, 1.1, 1.1, 1.09, 1.09, 1.08, 1.08]
    rows = [*noisy(64, 2.0), *down, *[1.0 + 0.002 * (n % 3) for n in range(30)]]
    level = found(rows)
    assert level.clean_s is not None
    assert min(rows[-9:]) <= level.clean_s <= max(rows[-9:])
