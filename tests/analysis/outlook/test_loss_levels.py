"""A loss that has grown far beyond its best or fallen to nothing, told from one that is only noisy."""

from __future__ import annotations

from math import exp
from random import Random
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from itermon.analysis.outlook.loss_levels import LossLevels, loss_levels, zero_since
from itermon.analysis.record.columns import Columns
from itermon.events import Iteration

# The bounds as numbers of its own: from the code, a test would move with them.
COLLAPSED_FROM, FEWEST_STRETCHES, LEAST_LOSSES = 0.05, 5, 8


def levels(losses: list[float | None], start: int = 0) -> LossLevels:
    columns = Columns()
    columns.extend([Iteration(i, 1.0, loss) for i, loss in enumerate(losses)])
    return loss_levels(columns, start)


def falling(count: int, seed: int = 1, floor: float = 1.5, noise: float = 0.1) -> list[float]:
    random = Random(seed)
    return [(floor + 9 * exp(-8 * i / count)) * random.gauss(1, noise) for i in range(count)]


@pytest.mark.parametrize("count", [100, 1_000, 20_000])
def test_a_loss_that_grew_and_stays_is_told_with_both_levels(count: int) -> None:
    broken = [*falling(count), *([13.0] * (count // 4))]
    found = levels([*broken])
    assert found.grown_to == pytest.approx(13.0)
    assert found.best == pytest.approx(1.5, rel=0.15)
    assert found.best_at is not None
    assert count * 0.4 < found.best_at < count
    assert levels([*broken, *falling(count)], len(broken)).grown_to is None, "another process"


@given(seed=st.integers(0, 10_000), count=st.integers(1, 3_000), noise=st.floats(0, 0.3))
def test_a_loss_that_falls_has_not_grown_nor_collapsed(seed: int, count: int, noise: float) -> None:
    found = levels([*falling(count, seed, noise=noise)])
    assert (found.grown_to, found.zero_since) == (None, None)


def test_a_loss_that_jumps_above_its_first_and_falls_from_there_is_of_something_else() -> None:
    before, behind = [9.0 * 0.8**n for n in range(20)], [30.0 + 5 * exp(-n / 30) for n in range(100)]
    assert levels([*before, *behind]).grown_to is None
    assert levels([*before, *reversed(behind)]).grown_to, "it grows from there on"
    assert levels([*before, *[loss / 4 for loss in behind]]).grown_to, "no worse than what knew nothing"
    assert levels([*before, 12.0, *behind]).grown_to, "in several rows"
    assert levels([*before, *[12.0 + 150 * exp(-n / 5) for n in range(100)]]).grown_to, "a break that calms down"
    assert levels([*before, *[30.0 - n % 2 / 9 for n in range(100)]]).grown_to, "it wavers"


def test_a_loss_that_had_hardly_learnt_is_of_something_else_where_it_falls_all_the_way_behind_its_jump() -> None:
    """As where a second stage weighs one part a thousand times."""
    before, behind = [2.0 + 0.9 * exp(-n / 5) for n in range(40)], [900.0 + 400 * exp(-n / 30) for n in range(60)]
    assert levels([*before, *behind]).grown_to is None
    late = [loss + 20 * (n % 2) * (n > 20) for n, loss in enumerate(behind)]
    assert levels([*before, *late]).grown_to, "it wavers, as a break does that calms down"


def test_what_passes_or_is_small_is_no_growth() -> None:
    spikes = falling(2_000)
    for at in range(0, 2_000, 50):
        spikes[at] = 40.0
    assert levels([*spikes]).grown_to is None
    assert levels([*falling(2_000), *([13.0] * 40)]).grown_to is None, "two in a hundred may come back"
    overfitted = [*falling(1_000, floor=0.01), *([0.03] * 300)]
    assert levels([*overfitted]).grown_to is None, "of ten that were won, nothing is lost"
    assert levels([-5.0 + 0.004 * i for i in range(2_000)]).grown_to is None, "below zero there is no factor"


def test_a_loss_of_exactly_nothing_is_told_from_one_that_learnt_everything() -> None:
    fallen = levels([*falling(1_000), *([0.0] * 300)])
    assert fallen.zero_since is not None
    assert 950 < fallen.zero_since < 1_050
    learnt = [round(2.0 * exp(-i / 50), 4) for i in range(2_000)]
    assert learnt[-1] == 0.0
    assert levels([*learnt]).zero_since is None
    assert levels([0.0] * 1_000).zero_since is None, "it was never more"


@pytest.mark.parametrize(("every", "collapsed"), [(10, False), (100, True)])
def test_a_loss_that_was_nothing_ever_more_often_has_learnt_its_margin(every: int, collapsed: bool) -> None:
    """Once in a hundred a batch has no labels."""
    before = [0.0 if n % every == every - 1 else 0.25 for n in range(2_000)]
    behind = [0.5 if n % 5 == 0 else 0.0 for n in range(2_000)]
    assert (levels([*before, *behind]).zero_since is not None) is collapsed


def test_losses_that_are_not_printed_are_passed_over_and_few_say_nothing() -> None:
    sparse: list[float | None] = [x for loss in [*falling(500), *([13.0] * 200)] for x in (loss, None)]
    assert levels(sparse).grown_to == pytest.approx(13.0)
    whole = [*falling(60_000), *([13.0] * 20_000)]
    tenth = [loss if i % 10 == 7 else None for i, loss in enumerate(whole)]
    assert levels(tenth).grown_to == pytest.approx(13.0)
    assert levels([1.0] * 20 + [13.0] * 19) == LossLevels()
    assert levels([None] * 500) == LossLevels()


def test_a_best_of_nothing_is_no_level_that_a_loss_could_have_grown_from() -> None:
    assert levels([4.0] * 400 + [0.0] * 100 + [9.0] * 400).grown_to is None
    assert levels([4.0] * 400 + [0.01] * 100 + [9.0] * 400).grown_to == 9.0


@pytest.mark.parametrize(
    ("before", "since"),
    [((0.06, 0.01), 24), ((0.01, 0.06), 24), ((0.05, 0.05), 24), ((0.04, 0.04), None), ((0.04, 0.01), None)],
)
def test_a_loss_fell_to_nothing_from_a_level_that_was_something(
    before: tuple[float, float], since: int | None
) -> None:
    stretches = (2.0, *before, 0.0, 0.0)
    assert levels([loss for level in stretches for loss in [level] * 8]).zero_since == since


def stretches(*heights: float) -> list[float | None]:
    """So many losses of each height as a stretch has."""
    return [height for height in heights for _ in range(LEAST_LOSSES)]


@pytest.mark.parametrize(
    ("heights", "grown_to"),
    [
        ([5.0, 2.0, 1.0, 4.0, 4.0, 4.0], 4.0),
        ([5.0, 2.0, 1.0, 4.0, 4.0], None),  # the newest three stretches at least
        ([5.0, 2.0, 1.0, 3.0, 3.0, 3.0], 3.0),  # half of what was won since the beginning
        ([5.0, 2.0, 1.0, 2.9, 3.0, 3.0], None),
        ([1.5, 1.2, 1.0, 2.0, 2.0, 2.0], 2.0),  # twice the best
        ([1.5, 1.2, 1.0, 1.9, 2.0, 2.0], None),
        ([5.0, 9.0, 1.0, 3.0, 3.0, 3.0], 3.0),
        ([5.0, 2.0, 0.0, 4.0, 4.0, 4.0], None),
        ([5.0, 2.0, 1.0, 4.0, 1.0, 4.0], None),
        ([5.0, 2.0, -1.0, 4.0, 4.0, 4.0], None),
    ],
)
def test_a_loss_has_grown_where_its_newest_stretches_lost_half_and_doubled(
    heights: list[float], grown_to: float | None
) -> None:
    found = levels(stretches(*heights))
    assert found.grown_to == grown_to
    if grown_to:
        assert (found.best, found.best_at) == (1.0, 2 * LEAST_LOSSES)


@pytest.mark.parametrize(
    ("heights", "since"),
    [
        ([5.0, 2.0, 1.0, 0.0, 0.0], 3 * LEAST_LOSSES),
        ([5.0, 2.0, 1.0, 1.0, 0.0], None),
        ([0.0] * 5, None),
        ([5.0, 0.2, 0.05, 0.0, 0.0], 3 * LEAST_LOSSES),
        ([0.01, 0.01, 0.04, 0.0, 0.0], None),
        ([0.01, 0.01, COLLAPSED_FROM, 0.0, 0.0], 3 * LEAST_LOSSES),
        ([5.0, 0.0, 1.0, 0.0, 0.0], 3 * LEAST_LOSSES),
    ],
)
def test_a_loss_has_collapsed_where_two_stretches_are_nothing(heights: list[float], since: int | None) -> None:
    assert levels(stretches(*heights)).zero_since == since


def test_the_figures_of_a_loss_that_has_grown_are_medians_of_all_losses_of_their_stretches() -> None:
    random = Random(4)
    losses = [random.gauss(1.0 if n < 6_000 else 4.0, 0.3) for n in range(9_000)]
    found = levels(losses)
    begin = found.best_at or 0
    assert found.best == pytest.approx(median(losses[begin : begin + found.best_over]))
    assert found.grown_to == pytest.approx(median(losses[-found.grown_over :]))


@pytest.mark.parametrize("before", [0, 8, 100])
def test_only_losses_of_the_process_count(before: int) -> None:
    found = levels([1.0] * before + stretches(5.0, 2.0, 1.0, 4.0, 4.0, 4.0), before)
    assert (found.grown_to, found.best_at) == (4.0, before + 2 * LEAST_LOSSES)
    assert levels([1.0] * before + stretches(1.0, 2.0, 3.0, 4.0), before) == LossLevels()


@pytest.mark.parametrize(
    ("own", "best"), [(FEWEST_STRETCHES * LEAST_LOSSES, 4.0), (FEWEST_STRETCHES * LEAST_LOSSES - 1, None)]
)
def test_a_process_has_to_have_enough_losses_of_its_own(own: int, best: float | None) -> None:
    """However many another had before it."""
    assert levels([9.0] * 160 + [4.0] * own, 160).best == best


def test_a_loss_of_nothing_is_found_in_the_newest_stretch_of_the_process_alone() -> None:
    """Its median is 0, though its last three are not."""
    own = [*stretches(5.0, 2.0, 1.0, 0.0, 0.0)[:-3], 1.0, 1.0, 1.0]
    columns = Columns()
    columns.extend([Iteration(i, 1.0, loss) for i, loss in enumerate([9.0, 9.0, 9.0, *own])])
    assert zero_since(columns, 3) == loss_levels(columns, 3).zero_since == 3 + 3 * LEAST_LOSSES


def test_losses_of_single_samples_that_scatter_have_not_grown_by_chance() -> None:
    """The lowest of many stretches lies far below the newest ones, though nothing changes."""
    random = Random(5)
    for _ in range(40):
        assert levels([random.expovariate(0.7) ** 2 for _ in range(1_000)]).grown_to is None
    grown = [random.expovariate(0.7) for _ in range(800)] + [20 * random.expovariate(0.7) for _ in range(400)]
    assert levels(grown).grown_to is not None
