"""Losses: the newest, the smoothed, those of evaluations, and since when they are no finite numbers."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice, pairwise, takewhile
from operator import eq
from statistics import median
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from ..findings import Losses
from ..ratios import ratio
from ..record.pyramid import known
from .loss_levels import loss_levels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..record.columns import Columns
    from ..record.scalars import Scalars
    from .loss_levels import LossLevels

AGENTS = ("Stable-Baselines", "RL progress.csv", "Ray Tune", "CleanRL")
"""What trains agents: their loss follows what they meet, and grows with the rewards."""

SMOOTHED_OVER = 64
"""Iterations. nanoGPT prints the loss of a single micro-batch: one alone says little."""

NEWEST = 3
"""One part of so many of a training, at most, is its newest: all losses of a short one are not."""

CLEARLY = 1.02
"""Times the best validation loss: what differs by less may be the noise of a few batches."""

STRETCHES, PER_STRETCH = 10, 3
"""Of the evaluations, at most, and so many in one of them at least."""

FEWEST_ZEROS = 5
"""Losses of 0 that are worth a word, where there is no other."""

UNCHANGED, OF_ALL, DIGITS = 20, 0.05, 4
"""So many of the newest losses, and such a part of the training's, are one number of so many digits: nothing
moves. Of fewer digits it may move unseen."""

OLD, FEWEST_GAPS = 10, 2
"""So many times the longest gap between evaluations, of so many at least: they were of an earlier phase."""

_FOLLOWED = 0.75
"""Of the iterations since a loss was at its lowest: so far at least evaluations have followed it."""

_AGAIN = 0.1
"""Of the losses before those, that are the same as the one before: a mean that is printed in row after row."""

_PRINTED_WITHIN = 1000
"""Iterations among which the newest loss is looked for: with hooks, only some of them have one."""


def of_agents(scalars: Scalars, source_format: str) -> bool:
    """Are its losses those of agents, by what else comes with them or by its format?"""
    return scalars.of_agents or source_format.removesuffix(" log") in AGENTS


def losses(
    columns: Columns,
    validations: Sequence[tuple[int, float]],
    best: tuple[int, float] | None,
    process: tuple[int, int] = (0, 0),
    *,
    training: int = 0,
    may_grow: bool = False,
    best_has_row: bool = True,
) -> Losses:
    """The finding; a newest loss that is no finite number is `None`.

    Args:
        columns: of all iterations.
        validations: the losses of the newest training's evaluations, each with its iteration.
        best: the lowest of them.
        process: the newest one: its first position, and how many losses before it were no finite numbers.
        training: the first position of the newest training, of which the process is a part.
        may_grow: is growing no fault of this loss?
        best_has_row: else nobody knows at which iteration it was.
    """
    (start, bad_before), levels = process, loss_levels(columns, process[0])
    bad_losses, earlier = columns.bad_losses, columns.bad_losses.earlier
    # A process that has not shown yet that its losses are numbers, where those before it were none.
    is_young = bad_before - earlier > len(columns) - start
    since, since_bad = (training, earlier) if is_young else (start, bad_before)
    newest = _newest_that_is(columns, training)
    validations, best = ([], None) if newest and _are_old(validations, columns.index[-1]) else (validations, best)
    newest = None if newest and _is_lone(columns, training, newest[0], validations) else newest
    learns = levels.grown_to is not None and still_learns(validations, levels.best_at, columns.index[-1])
    recent = _recent(columns, training)
    return Losses(
        train=newest[1] if newest else None,
        train_at=columns.index[newest[0]] if newest and newest[0] < len(columns) - 1 else None,
        train_smooth=sum(recent) / len(recent) if recent else None,
        smooth_over=len(recent),
        train_then=_train_then(columns, training, best),
        **_of_evaluations(validations, best, best_has_row=best_has_row),
        not_finite=columns.not_finite - earlier,
        not_finite_earlier=earlier,
        not_finite_from_start=bad_losses.from_start,
        first_not_finite=None if bad_losses.first is None else columns.index[bad_losses.first],
        not_finite_since=None if bad_losses.since is None else columns.index[bad_losses.since],
        not_finite_share=ratio(columns.not_finite - since_bad, len(columns) - since),
        **_of_levels(levels),
        grown_to=None if may_grow or learns else levels.grown_to,
        unchanged_since=unchanged_since(columns, training) if newest else None,
        zeros=_zeros(columns, training) if newest and not newest[1] else 0,
    )


def _of_levels(levels: LossLevels) -> dict[str, Any]:
    """The fields of `Losses` that are of them, whatever the loss is of."""
    return {
        "best_level": levels.best,
        "best_level_at": levels.best_at,
        "best_over": levels.best_over,
        "grown_over": levels.grown_over,
        "zero_since": levels.zero_since,
    }


def _are_old(validations: Sequence[tuple[int, float]], newest: int) -> bool:
    """Has the training gone on for so long without one that they must be an earlier phase's?"""
    if len(validations) <= FEWEST_GAPS:
        return False
    since, places = newest - validations[-1][0], [at for at, _ in validations]
    if since * (len(places) - 1) <= OLD * abs(places[-1] - places[0]):
        return False
    return since > OLD * max(abs(b - a) for a, b in pairwise(places))


def _is_lone(columns: Columns, training: int, place: int, validations: Sequence[tuple[int, float]]) -> bool:
    """Is the loss at `place` the only one of many rows, and older than what an evaluation found?"""
    if not validations or len(columns) - place <= UNCHANGED or columns.index[place] >= validations[-1][0]:
        return False
    return len(list(islice(_newest(columns, training), 2))) < 2


def _train_then(columns: Columns, training: int, best: tuple[int, float] | None) -> float | None:
    """The mean of the losses up to the best evaluation, of as many as the newest one is of."""
    if best is None:
        return None
    place = bisect_right(columns.index, best[0], min(training, len(columns)))
    losses = known(columns.loss[max(training, place - SMOOTHED_OVER) : place])
    losses = losses[-max(1, (len(columns) - training) // NEWEST) :]
    return sum(losses) / len(losses) if losses else None


def _recent(columns: Columns, training: int) -> Sequence[float]:
    """The newest losses of the training that begins at `training`."""
    recent = known(columns.loss[max(training, len(columns) - SMOOTHED_OVER) :])
    return recent[-max(1, (len(columns) - training) // NEWEST) :]


def unchanged_since(columns: Columns, training: int) -> int | None:
    """The iteration since which the loss is one number and not 0, in the training that begins at `training`."""
    _, newest = next(_newest(columns, training), (0, 0.0))
    if len(f"{abs(newest):.6f}".replace(".", "").strip("0")) < DIGITS:
        return None
    same, first = _same_to_the_end(columns, training, newest)
    if same < UNCHANGED:
        return None
    before = known(columns.loss[training:first])
    if same < OF_ALL * (same + len(before)):
        return None
    again = sum(map(eq, before, islice(before, 1, None)))
    return columns.index[first] if again <= _AGAIN * len(before) else None


def _same_to_the_end(columns: Columns, training: int, newest: float) -> tuple[int, int]:
    """How many of the training's newest losses are `newest`, one after another, and the position of the first."""
    same, first, losses = 0, len(columns), columns.loss
    for position in range(first - 1, training - 1, -1):
        loss = losses[position]
        if loss == newest:
            same, first = same + 1, position
        elif loss == loss:
            break
    return same, first


def _zeros(columns: Columns, training: int) -> int:
    """How many losses the training that begins at `training` has, where all are 0; else, and of few ones, none."""
    own = columns.loss[training:]
    zeros = own.count(0.0)
    return zeros if zeros >= FEWEST_ZEROS and zeros == len(known(own)) else 0


def _of_evaluations(
    validations: Sequence[tuple[int, float]], best: tuple[int, float] | None, *, best_has_row: bool
) -> dict[str, Any]:
    """The fields of `Losses` that are of them."""
    return {
        "validation": validations[-1][1] if validations else None,
        "validation_at": validations[-1][0] if validations else None,
        "best_validation": best[1] if best else None,
        "best_validation_at": best[0] if best and best_has_row else None,
        "best_validation_again": _again(validations, best),
        "above_best": _above(validations, best),
        "validation_risen": _risen(validations),
        "validation_scatter": _scatter(validations),
    }


def without_places(found: Losses) -> Losses:
    """The same of rows that nothing counts: a number that no line has is no place to look at."""
    return replace(found, validation_at=None, best_validation_at=None, best_validation_again=None, train_at=None)


def still_learns(validations: Sequence[tuple[int, float]], since: int | None, newest: int | None) -> bool:
    """Is the validation loss at its best, and better than it was at iteration `since`, to near the `newest` one?

    A training loss that has grown since may be of harder data, or of another weight.
    """
    if since is None or newest is None:
        return False
    behind = [loss for at, loss in validations if at > since]
    if len(behind) < PER_STRETCH or validations[-1][0] < since + _FOLLOWED * (newest - since):
        return False
    before = min((loss for at, loss in validations if at <= since), default=behind[0])
    best = min(behind)
    return 0 < best <= before / CLEARLY and behind[-1] <= CLEARLY * best


def _again(validations: Sequence[tuple[int, float]], best: tuple[int, float] | None) -> int | None:
    """Where the best came once more, the newest time: which was lower only digits say that nobody printed."""
    if best is None:
        return None
    newest = next((at for at, loss in reversed(validations) if loss == best[1]), best[0])
    return None if newest == best[0] else newest


def _above(validations: Sequence[tuple[int, float]], best: tuple[int, float] | None) -> int:
    """How many of the newest evaluations, one after another, are clearly above the best."""
    if best is None or best[1] <= 0:
        return 0
    return sum(1 for _ in takewhile(lambda one: one[1] > CLEARLY * best[1], reversed(validations)))


def _risen(validations: Sequence[tuple[int, float]]) -> float | None:
    """Times the best level that the newest evaluations are at: levels are medians of stretches of them.

    One low value among many is chance, and so is a high one; so are two levels that lie no farther apart than one
    value from its neighbours. `None` where there are too few for two stretches.
    """
    count = len(validations)
    stretches = min(STRETCHES, count // PER_STRETCH)
    if stretches < 2:
        return None
    bounds = [count * n // stretches for n in range(stretches + 1)]
    step = max(1, count // stretches // SMOOTHED_OVER)
    levels = [median([loss for _, loss in validations[a:b:step]]) for a, b in pairwise(bounds)]
    best = min(levels)
    if levels[-1] - best < (_scatter(validations) or 0.0):
        return 1.0
    return levels[-1] / best if best > 0 else None


def _scatter(validations: Sequence[tuple[int, float]]) -> float | None:
    """How far one of the newest losses lies from the middle of its neighbours, as the median: a slope has none."""
    newest = [loss for _, loss in validations[-SMOOTHED_OVER:]]
    apart = [abs(b - (a + c) / 2) for a, b, c in zip(newest, newest[1:], newest[2:], strict=False)]
    return median(apart) if apart else None


def _newest_that_is(columns: Columns, training: int) -> tuple[int, float] | None:
    """The newest loss with its position; `None` where one that is no finite number is newer."""
    newest, bad = next(_newest(columns, training), None), columns.newest_not_finite
    return newest if newest is None or bad is None or bad <= newest[0] else None


def _newest(columns: Columns, training: int) -> Iterator[tuple[int, float]]:
    """Positions from the end with their losses, where they have one, of the training that begins at `training`."""
    last = len(columns) - 1
    recent = columns.loss[max(training, last + 1 - _PRINTED_WITHIN) :]
    return ((last - back, loss) for back, loss in enumerate(reversed(recent)) if loss == loss)
