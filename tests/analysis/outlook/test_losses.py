"""Losses: the newest, the smoothed, the evaluations', and since when they are no numbers."""

import pytest

from itermon.analysis.outlook.losses import losses
from itermon.analysis.record.columns import Columns
from itermon.events import Iteration, PrintedLoss

# The bounds as numbers of its own: from the code, a test would move with them.
SMOOTHED_OVER = 64


def columns(values: list[float | str | None]) -> Columns:
    """Iterations of these losses; a string is one that is no finite number."""
    found = Columns()
    for i, loss in enumerate(values):
        bad = {"bad_loss": loss} if isinstance(loss, str) else {"loss": loss}
        found.extend([Iteration(i, 1.0, **bad)])  # type: ignore[arg-type]
    return found


def test_the_newest_loss_and_the_mean_of_the_last_sixty_four() -> None:
    found = losses(columns([9.0] * 2 * SMOOTHED_OVER + [2.0] * (SMOOTHED_OVER - 1) + [4.0]), [], None)
    assert found.train == 4.0
    assert found.train_smooth == pytest.approx((2.0 * (SMOOTHED_OVER - 1) + 4.0) / SMOOTHED_OVER)
    assert (found.not_finite, found.first_not_finite, found.not_finite_since) == (0, None, None)
    assert not found.not_finite_from_start


@pytest.mark.parametrize(("rows", "over"), [(1, 1), (5, 1), (6, 2), (15, 5), (191, 63), (192, 64), (500, 64)])
def test_the_newest_losses_are_a_third_of_the_training_at_most(rows: int, over: int) -> None:
    """A mean over all rows of a short training has its first, highest ones in it."""
    found = losses(columns([float(rows - n) for n in range(rows)]), [], None)
    assert (found.smooth_over, found.train_smooth) == (over, (over + 1) / 2)


def test_iterations_without_a_loss_are_passed_over() -> None:
    found = losses(columns([3.0, None, 2.0, None]), [], None)
    assert (found.train, found.train_smooth) == (2.0, 2.0)
    assert found.train_at == 2, "not of the newest one"
    assert losses(columns([3.0, 2.0]), [], None).train_at is None
    assert losses(columns([3.0, *[None] * 999]), [], None).train == 3.0
    assert losses(columns([3.0, *[None] * 1_000]), [], None).train is None


def test_a_newest_loss_that_is_no_finite_number_is_none() -> None:
    found = losses(columns([3.0, "nan", 2.0, "inf", "nan"]), [], None)
    assert found.train is None
    assert (found.not_finite, found.first_not_finite, found.not_finite_since) == (3, 1, 3)
    healed = losses(columns([3.0, "nan", 2.0]), [], None)
    assert (healed.train, healed.not_finite) == (2.0, 1)


def test_evaluations_are_the_newest_and_the_best() -> None:
    found = losses(columns([3.0]), [(0, 9.0), (50, 3.5), (100, 3.75)], (50, 3.5))
    assert (found.validation_at, found.validation) == (100, 3.75)
    assert (found.best_validation_at, found.best_validation) == (50, 3.5)
    assert found.best_validation_again is None
    twice = losses(columns([3.0]), [(0, 9.0), (50, 3.5), (100, 3.75), (150, 3.5), (200, 4.0)], (50, 3.5))
    assert (twice.best_validation_at, twice.best_validation_again) == (50, 150)


def test_nothing_seen_is_nothing_known() -> None:
    found = losses(Columns(), [], None)
    assert (found.train, found.train_smooth, found.validation, found.best_validation) == (None,) * 4


@pytest.mark.parametrize(("newest", "share"), [(1, 30 / 41), (30, 0.0), (60, 0.0)])
def test_a_process_that_is_young_does_not_hide_what_was_no_number_before_it(newest: int, share: float) -> None:
    losses_so_far = columns([*["nan"] * 30, *[2.0] * 10, *[2.0] * newest])
    assert losses(losses_so_far, [], None, (40, 30)).not_finite_share == pytest.approx(share)


def test_evaluations_above_the_best_are_counted_back_from_the_newest() -> None:
    def above(*validations: float) -> int:
        numbered = list(enumerate(validations))
        return losses(columns([3.0]), numbered, min(numbered, key=lambda one: one[1])).above_best

    assert above(9.0, 3.0, 4.0, 3.1) == 2
    assert above(9.0, 3.0, 4.0, 3.06, 3.07) == 1
    assert above(9.0, 3.0) == 0
    assert above(-1.0, 2.0) == 0
    assert losses(columns([3.0]), [], None).above_best == 0


def test_the_newest_counts_from_its_own_position_and_process() -> None:
    found = losses(columns([3.0, "nan", 2.0]), [], None)
    assert (found.train, found.not_finite_share) == (2.0, pytest.approx(1 / 3))
    assert losses(columns([3.0, 2.0, "nan"]), [], None).train is None
    assert losses(columns(["nan", "nan", 3.0, "nan"]), [], None, (2, 2)).not_finite_share == 0.5
    assert losses(columns(["nan", "nan", 3.0, 3.0]), [], None, (3, 2)).not_finite_share == 0.5
    late = columns([2.0])
    late.set_loss(0, PrintedLoss(0, bad_loss="nan"))
    assert losses(late, [], None).train == 2.0
    both = columns([3.0, None])
    both.set_loss(1, PrintedLoss(1, bad_loss="nan"))
    both.set_loss(1, PrintedLoss(1, loss=2.0))
    assert losses(both, [], None).train == 2.0


@pytest.mark.parametrize(
    ("best", "above"), [((9, 2.0), 2), ((0, 2.0), 2), ((9, 0.5), 3), ((9, 0.0), 0), ((9, -1.0), 0)]
)
def test_the_newest_evaluations_above_the_best_are_counted(best: tuple[int, float], above: int) -> None:
    validations = [(10, 3.0), (20, 2.0), (30, 3.0), (40, 3.0)]
    if best[1] == 0.5:
        validations = [(10, 0.5), *((at, 0.9) for at in (20, 30, 40))]
    assert losses(columns([3.0]), validations, best).above_best == above
    assert losses(columns([3.0]), validations, None).above_best == 0


def test_what_is_said_of_losses_is_of_the_newest_training() -> None:
    found = columns([3.0, "nan", "nan"])
    found.begin_training()
    found.extend([Iteration(0, 1.0, bad_loss="inf"), Iteration(1, 1.0, 8.0), Iteration(2, 1.0, 6.0)])
    said = losses(found, [], None, (3, 2), training=3)
    assert (said.train, said.train_smooth) == (6.0, 6.0)
    assert (said.not_finite, said.not_finite_earlier, said.not_finite_share) == (1, 2, pytest.approx(1 / 3))
    assert (said.first_not_finite, said.not_finite_since, said.not_finite_from_start) == (0, 0, True)
    found.begin_training()
    found.extend([Iteration(0, 1.0)])
    said = losses(found, [], None, (6, 3), training=6)
    assert (said.train, said.train_smooth, said.not_finite, said.not_finite_earlier) == (None, None, 0, 3)


@pytest.mark.parametrize(
    ("values", "risen"),
    [
        ([1.0] * 5, None),  # two stretches of three are the least
        ([1.0, 1.0, 9.0, 1.0, 1.0, 1.0, 2.0, 2.0, 0.1, 2.0, 2.0, 2.0], 2.0),  # neither the lowest nor the highest
        ([1.0, 1.0, 9.0, 2.0, 2.0, 0.1], 1.0),  # of so few it may be chance
        ([4.2, 1.2, 4.5, 5.5, 3.9, 4.8] * 3, 1.0),  # one lies farther from the next than any level from another
        ([3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 1.5, 1.5, 1.5], 1.5),
        ([3.0, 3.0, 3.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5], 1.0),
        ([1.0, 0.2, 1.0, 1.0, 1.0, 1.0] * 200 + [1.0] * 11, 1.0),  # one low value long ago
        ([0.0] * 6, None),
    ],
)
def test_whether_validation_has_risen_is_told_by_stretches(values: list[float], risen: float | None) -> None:
    assert losses(columns([]), list(enumerate(values)), (0, 1.0)).validation_risen == risen


@pytest.mark.parametrize(
    ("values", "scatter"),
    [
        ([1.0, 2.0], None),
        ([4.0, 2.0, 1.0, 1.5, 2.0, 2.5], 0.25),  # 0.5, 0.75, 0, 0: it falls, then it grows
        ([1.0, 2.0, 1.0, 2.0, 1.0], 1.0),
        ([1.0, 9.0] * 50 + [1.0] * 64, 0.0),  # the newest 64
    ],
)
def test_how_far_validation_losses_jump_is_told_by_their_neighbours(
    values: list[float], scatter: float | None
) -> None:
    assert losses(columns([]), list(enumerate(values)), (0, 1.0)).validation_scatter == scatter


@pytest.mark.parametrize(
    ("values", "zeros"),
    [
        ([0.0] * 5, 5),
        ([0.0] * 4, 0),
        ([0.0, None] * 6, 6),
        ([1e-9, *[0.0] * 9], 0),
        ([*[0.0] * 9, 2.0], 0),
        ([2.5] * 9, 0),
    ],
)
def test_losses_that_are_all_0_are_counted(values: list[float | str | None], zeros: int) -> None:
    assert losses(columns(values), [], None).zeros == zeros


def test_losses_that_are_all_0_are_those_of_the_newest_training() -> None:
    assert losses(columns([*[2.5] * 9, *[0.0] * 6]), [], None, training=9).zeros == 6


@pytest.mark.parametrize(
    ("values", "since"),
    [
        ([3.5, 2.75, *[2.1657] * 20], 2),
        ([3.5, 2.75, *[2.1657] * 19], None),
        ([*[3.0 - n / 1024 for n in range(400)], *[2.1657] * 20], None),
        ([3.5, 2.75, *[2.17] * 40], None),
        ([3.5, 2.75, *[0.0] * 40], None),
        ([*[3.1234] * 20, *[2.8765] * 20, *[2.1657] * 20], None),
        ([3.5, *[None, 2.1657] * 20], 2),
    ],
    ids=["stands", "too few", "a small part", "few digits", "zero", "a mean in row after row", "every second row"],
)
def test_a_loss_that_stands_still_learns_nothing(values: list[float | str | None], since: int | None) -> None:
    assert losses(columns(values), [], None).unchanged_since == since


@pytest.mark.parametrize(("has_row", "named"), [(True, 2), (False, None)])
def test_the_iteration_of_the_best_evaluation_is_known_by_its_row(has_row: bool, named: int | None) -> None:
    found = losses(columns([3.0] * 5), [(2, 2.0), (9, 2.5)], (2, 2.0), best_has_row=has_row)
    assert (found.best_validation, found.best_validation_at) == (2.0, named)


def test_evaluations_of_a_phase_long_over_are_not_told_beside_the_newest_loss() -> None:
    rows, found = columns([3.0] * 400), [(n, 2.0) for n in (10, 20, 30)]
    assert losses(rows, [*found, (300, 2.0)], found[0]).validation == 2.0
    old = losses(rows, found, found[0])
    assert (old.train, old.validation, old.best_validation) == (3.0, None, None)
