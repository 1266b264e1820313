"""When evaluations and checkpoints return: from the config, or from when they came. Timings name nothing."""

from __future__ import annotations

from itertools import pairwise
from statistics import mode
from typing import TYPE_CHECKING

import msgspec

from ...events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT, STOPS, WITH_EVALUATION
from ..findings import Schedule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...events import Config
    from ..causes.tally import Sum, Tally

SEEN = "seen every"
"""Begins the origin of a schedule that no settings give: so far apart they came."""

FEW = 8
"""If only one of so many was timed, its time says nothing of the others: often it is the last one of all."""

ALIKE, ENOUGH = 0.75, 5
"""Evaluations, so many at least, whose times scatter by more of their mean are of several kinds: each epoch's, and
one of a new best."""

ODD = 0.1
"""Of the distances, or one: no more than so many are no whole multiples of an interval that was seen."""

AS_OFTEN, SOME = 0.1, 2
"""More or fewer than the interval says, by this part of them and by so many: another kind is among them."""


def schedules(
    config: Config,
    seen: Mapping[str, Sequence[int]],
    tally: Tally,
    *,
    current: int | None,
    last: int | None,
) -> tuple[Schedule, ...]:
    """What returns, its measured cost, and how often it is still to come.

    Where evaluation and checkpoint come together and only their common time is known, they are one schedule. What
    one or two evaluations took alone divides nothing where most come together.

    Args:
        config: may give the intervals.
        seen: iterations at which each kind came, ascending.
        tally: what each kind took.
        current: the newest iteration.
        last: the iteration at which the run ends.
    """
    evaluation = _cadence(config.evaluation_interval, "evaluation_interval", seen.get(EVALUATION, ()))
    saving = _cadence(config.checkpoint_interval, "checkpoint_interval", seen.get(CHECKPOINT, ()))
    together = tally.of(EVALUATION_AND_CHECKPOINT)
    alone = tally.of(EVALUATION)
    if evaluation and together.count > alone.count and tally.evaluation_s() is None:
        both = _schedule(EVALUATION_AND_CHECKPOINT, evaluation, together, current, last, places=())
        return (_even(both, together, seen.get(EVALUATION, ())),)
    found = []
    if evaluation:
        regular = _schedule(EVALUATION, evaluation, alone, current, last, places=seen.get(EVALUATION, ()))
        found.append(_even(regular, alone, seen.get(EVALUATION, ())))
    if saving:
        cost = tally.of(CHECKPOINT)
        if together.count and not cost.count and alone.mean_s is not None:
            cost = _rest_of(together, alone.mean_s)
        often = _conditional(saving, evaluation, config, seen)
        found.append(_schedule(CHECKPOINT, often, cost, current, last, places=seen.get(CHECKPOINT, ())))
    return tuple(_known(s, len(seen.get(s.kind, ()))) for s in found)


def _known(schedule: Schedule, times: int) -> Schedule:
    """`schedule` of what came so many `times`: what few of them took says nothing of all.

    The others lie within the times of the iterations, as an epoch's own validation does.
    """
    if schedule.mean_s is None or schedule.seen * FEW <= times:
        return msgspec.structs.replace(schedule, seen=times, mean_s=None)
    return schedule


def _even(schedule: Schedule, cost: Sum, seen: Sequence[int]) -> Schedule:
    """`schedule` without a cost, if evaluations of several kinds are added up in it: each has its own schedule."""
    if schedule.mean_s is None or not schedule.interval:
        return schedule
    expected = 1 + (seen[-1] - seen[0]) / schedule.interval if seen else 0.0
    odd = abs(len(seen) - expected) > max(SOME, AS_OFTEN * expected)
    if odd or (cost.count >= ENOUGH and cost.deviation_s > ALIKE * _one_s(schedule)):
        return msgspec.structs.replace(schedule, mean_s=None, uneven=True)
    return schedule


_SEVERAL = 3  # places, before they tell how many come at each


class Cadence:
    """Every `interval` iterations, `offset` past its multiples; only a `share` of the times."""

    def __init__(self, interval: int, offset: int, origin: str, *, share: float = 1.0) -> None:
        self.interval, self.offset, self.origin, self.share = interval, offset, origin, share

    def between(self, after: int, last: int) -> int:
        """How often it comes after iteration `after`, up to and with `last`."""
        return max(0, (last - self.offset) // self.interval - (after - self.offset) // self.interval)

    def next(self, after: int) -> int:
        """The next iteration after `after` at which it comes."""
        return ((after - self.offset) // self.interval + 1) * self.interval + self.offset


def _cadence(interval: int | None, name: str, seen: Sequence[int]) -> Cadence | None:
    """The interval that the setting `name` gives, if what was `seen` fits it; else the one that was seen.

    By nearly all of the distances: 80 and 60 by turns are those of rows, each behind what comes every 70.
    """
    newest = list(seen[-32:])
    if interval is not None and interval > 0:
        offsets = [i % interval for i in newest if i > 0]
        offset = mode(offsets) if offsets else 0
        if offsets.count(offset) * 2 >= len(newest) - 1:
            return Cadence(interval, offset, name)
    steps = [b - a for a, b in pairwise(newest) if b > a]
    if steps:
        common = mode(steps)
        regular = sum(step % common != 0 for step in steps) <= max(1, ODD * len(steps))
        if (steps.count(common) >= 2 and regular) or len(newest) == 2:
            return Cadence(common, newest[-1] % common, f"{SEEN} {common:,}")
    return None


def _conditional(
    saving: Cadence, evaluation: Cadence | None, config: Config, seen: Mapping[str, Sequence[int]]
) -> Cadence:
    """A checkpoint that is only kept when the loss got better comes as often as it came so far."""
    possible = sum(1 for i in seen.get(EVALUATION, ())[-16:] if i > 0)
    if (
        config.checkpoint_needs_improvement is False
        or not possible
        or evaluation is None
        or saving.interval != evaluation.interval
    ):
        return saving
    came = len(set(seen.get(CHECKPOINT, ())[-16:]) & set(seen.get(EVALUATION, ())[-16:]))
    return Cadence(saving.interval, saving.offset, saving.origin, share=min(1.0, came / possible))


def _rest_of(together: Sum, alone_s: float) -> Sum:
    """What the other of two kinds takes, when both take `together` and one alone `alone_s`."""
    return type(together)(max(0.0, together.seconds - together.count * alone_s), together.count)


def _schedule(
    kind: str, cadence: Cadence, cost: Sum, current: int | None, last: int | None, *, places: Sequence[int]
) -> Schedule:
    """`places`: the iterations at which it came, each once."""
    remaining, at_once = None, _at_once(cost.count, len(places))
    upcoming = None if current is None else cadence.next(current)
    if current is not None and last is not None:
        remaining = round(cadence.between(current, last) * cadence.share)
        upcoming = upcoming if upcoming is not None and upcoming <= last else None
    may_follow = last is not None and cadence.next(last) == last + 1
    return Schedule(
        kind=kind,
        interval=cadence.interval,
        offset=cadence.offset,
        origin=cadence.origin,
        seen=cost.count,
        mean_s=None if cost.mean_s is None else at_once * cost.mean_s,
        next_iteration=upcoming,
        remaining=remaining,
        share=cadence.share,
        may_follow=may_follow,
        at_once=at_once,
    )


def at_this_level(plan: Sequence[Schedule], newest: Sequence[Schedule]) -> tuple[Schedule, ...]:
    """`plan` with the costs in `newest`, of the time since the level last moved far, where it has them."""
    costs = {s.kind: s for s in newest if s.mean_s is not None}
    replace = msgspec.structs.replace
    return tuple(
        replace(s, mean_s=s.at_once * _one_s(costs[s.kind]), seen=costs[s.kind].seen, uneven=False)
        if s.kind in costs
        else replace(s, earlier=s.mean_s is not None)
        for s in plan
    )


def _at_once(count: int, places: int) -> int:
    """How many come at each place, as a validation and a test do: the same number at nearly all of several."""
    at_once = max(1, round(count / places)) if places >= _SEVERAL else 1
    return at_once if abs(count - at_once * places) <= max(1, AS_OFTEN * count) else 1


def _one_s(schedule: Schedule) -> float:
    """What a single one took: how many come at once, few of them do not tell."""
    return (schedule.mean_s or 0.0) / schedule.at_once


SCHEDULED = frozenset({*STOPS, *WITH_EVALUATION})
"""Kinds that a schedule accounts for (or that come once, at the beginning)."""
