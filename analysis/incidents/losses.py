"""A loss that is no number: from the second one in a row, until numbers come again and stay."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ...words import plural
from ..findings import Incident
from ..verdict.losses import FEWEST, FROM_START, LOWER, OFTEN, ZERO
from .found import end_of, moment, position_of, process_of
from .kinds import COLLAPSED, KINDS, NOT_FINITE

if TYPE_CHECKING:
    from ..intake import Intake
    from ..stretches import Stretch
    from .found import Found

IN_A_ROW = 2
"""One alone is what mixed precision prints while its scale settles."""

CALM = 32
"""Losses in a row that are numbers: then it is over. Fewer are a part of the same trouble."""

_LOOKED_AT = 4096
"""Entries among which these are looked for: not each of them need have a loss."""


def not_finite(run: Intake) -> list[Found]:
    """The incidents, oldest first."""
    found: list[Found] = []
    for together in _together(run):
        bad = sum(stretch.losses for stretch in together)
        first, last = together[0].first, together[-1].last
        often = bad >= FEWEST and bad >= OFTEN * (last + 1 - first)
        if often or max(stretch.losses for stretch in together) >= IN_A_ROW:
            found.append((first, _made(run, first, last, bad)))
    return found


def _together(run: Intake) -> list[list[Stretch]]:
    """Stretches of one process between which there are few losses that are numbers."""
    groups: list[list[Stretch]] = []
    for stretch in run.columns.bad_losses.stretches:
        if groups and _goes_on(run, groups[-1][-1].last, stretch.first):
            groups[-1].append(stretch)
        else:
            groups.append([stretch])
    return groups


def _goes_on(run: Intake, last: int, position: int) -> bool:
    """Is what is at `position` the same trouble as that of `last`?"""
    same = _end_of_training(run, last) == _end_of_training(run, position)
    return same and position - last <= _LOOKED_AT and _numbers(run, last + 1, position) < CALM


def _numbers(run: Intake, first: int, end: int) -> int:
    return sum(1 for loss in run.columns.loss[first : min(end, first + _LOOKED_AT)] if loss == loss)


def _end_of_training(run: Intake, position: int) -> int:
    """Behind the last entry of the training that the one at `position` is of."""
    trainings = run.repeats.trainings
    next_one = bisect_right(trainings, position)
    end = end_of(run, process_of(run, position))
    return min(end, trainings[next_one]) if next_one < len(trainings) else end


def _made(run: Intake, first: int, last: int, bad: int) -> Incident:
    columns, process = run.columns, process_of(run, first)
    from_start, end = _is_from_start(run, first), _end_of_training(run, first)
    over = end < len(columns) or process < len(run.starts) or _numbers(run, last + 1, end) >= CALM
    whose = " of an earlier training" if end < len(columns) else ""
    since, ended = columns.index[first], min(last + 1, end - 1)  # what passes until the next training is not its
    return Incident(
        kind=NOT_FINITE,
        key=f"{NOT_FINITE}:{process}:{since}",
        severity=KINDS[NOT_FINITE].severity,
        began_at_s=moment(run, first),
        began_iteration=since,
        ended_at_s=moment(run, ended) if over else None,
        ended_iteration=columns.index[ended] if over else None,
        over=over,
        state=f"The loss{whose} is NaN or infinite since {_since(since, from_start=from_start)}.",
        evidence=(f"NaN or infinite: {plural(bad, 'loss', 'losses')}.",),
        action=f"Stop it and {FROM_START if from_start else LOWER}",
    )


def _since(iteration: int, *, from_start: bool) -> str:
    return f"its first iteration, {iteration:,}" if from_start else f"iteration {iteration:,}"


def _is_from_start(run: Intake, position: int) -> bool:
    """Was no loss of its training a number before `position`? Seldom is it far from the training's first."""
    trainings = run.repeats.trainings
    begun = trainings[bisect_right(trainings, position) - 1]
    return position - begun <= _LOOKED_AT and not _numbers(run, begun, position)


def collapsed(run: Intake, since: int | None) -> list[Found]:
    """The loss of the newest process fell to exactly 0, at iteration `since`."""
    if since is None:
        return []
    process = len(run.starts)
    one = Incident(
        kind=COLLAPSED,
        key=f"{COLLAPSED}:{process}",
        severity=KINDS[COLLAPSED].severity,
        began_iteration=since,
        state=f"The loss has mostly been 0 since about iteration {since:,}.",
        evidence=(ZERO,),
        action="Check whether labels or masks are empty, or the loss overflows.",
    )
    return [(position_of(run, since), one)]
