"""When it is done: remaining normal iterations, what is scheduled at its measured cost, and how sure that is."""

from __future__ import annotations

from math import isfinite
from statistics import fmean, pvariance
from typing import TYPE_CHECKING

import msgspec

from ...events import ONCE
from ..findings import Eta, EtaScore
from ..timing.baseline import FEW
from .schedule import SCHEDULED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..causes.ledger import Times
    from ..causes.tally import Tally
    from ..findings import Schedule
    from ..timing.baseline import Baseline

SCORED_AT = (0.1, 0.25, 0.5)
"""Shares of the run at which an ETA is put down, to be judged later."""

_Z = 1.645  # 90 % of a normal distribution lie within
_BLOCK = 32  # iterations behind one of `Baseline.block_means`


class Remaining(msgspec.Struct, frozen=True, gc=False):
    """What is left, and the variance of it.

    `certain`: every scheduled kind has been seen (at this level), and as many iterations as a spread needs.
    """

    seconds: float
    variance: float
    certain: bool
    note: str = ""


def remaining(
    iterations: int,
    times: Times,
    lines: int,
    baseline: Baseline,
    unseen_s: float | None,
    *,
    tally: Tally,
    newest: Tally,
    plan: Sequence[Schedule],
) -> Remaining:
    """The time for `iterations` more, after `lines` told of those in `times`, and what interrupts them.

    R·(base + r) + Σ nₖ·cₖ: base is the mean of the newest normal iterations (`unseen_s`, by the clock, of those
    without a line), r what unscheduled stalls cost each iteration, nₖ and cₖ number and mean cost of each
    scheduled kind, which scatters as in `newest`, since the level last moved far. The variance adds level and its
    drift, stalls, scatter and uncertain mean of each cost, and 0.6 % of all for what no model knows: with it 19 of
    20 intervals hold in 13 real logs (bench/eta.py).
    """
    planned = ONCE | SCHEDULED if plan else ONCE  # what has been seen too rarely for a schedule counts as a stall
    stalls = [s for kind, s in tally.sums.items() if kind not in planned]
    passed = max(times.iterations + times.unseen, 1)
    each_s = sum(s.seconds for s in stalls) / passed
    base_s = baseline.mean
    if unseen_s is not None:
        base_s += (unseen_s - base_s) * times.unseen / passed
    seconds = iterations * (base_s + each_s)
    variance = (iterations * base_s) ** 2 * _level_variance(baseline, iterations * lines / passed)
    squares = sum(s.squares for s in stalls) / passed
    variance += iterations * squares + iterations**2 * squares / passed
    missing = []
    for kind in plan:
        count = kind.remaining or 0
        if not count:
            continue
        if kind.mean_s is None:
            missing.append(
                f"{kind.kind} cost unknown: {'in no time of this source' if kind.seen else 'none seen yet'}"
            )
            continue
        if kind.earlier:
            missing.append(f"{kind.kind} cost of an earlier level: none seen at this one")
        scatter_s = newest.of(kind.kind).deviation_s or 0.15 * kind.mean_s
        seconds += count * kind.mean_s
        variance += count * scatter_s**2 + (count * scatter_s) ** 2 / max(1, kind.seen)
    variance += (0.006 * seconds) ** 2
    return Remaining(seconds, variance, not missing and len(baseline.window) >= FEW, "; ".join(missing))


def _level_variance(baseline: Baseline, lines: float) -> float:
    """Of the level, relative: how well its mean is known, and how far it may walk in the `lines` that remain.

    Of a level that walks by a variance of w² a line, means of n lines are 2/3·n·w² apart. The mean of what
    remains is w²/3 a line away from where the level stands now, and so is the mean of the newest lines.
    """
    means = list(baseline.block_means) or [baseline.level]
    noise = baseline.spread**2 / _BLOCK
    if len(means) > 2:
        known = pvariance(means) / fmean(means) ** 2 / len(means)
    else:
        known = baseline.spread**2 / len(baseline.window)
    squares = fmean([step * step for step in baseline.steps]) if len(baseline.steps) > 1 else 0.0
    walk = 1.5 * max(0.0, squares - 2 * noise) / _BLOCK
    return known + walk * (lines + _BLOCK * len(means)) / 3


def eta(
    left: Remaining, at_s: float | None, plan: tuple[Schedule, ...], scores: tuple[EtaScore, ...], frozen: str
) -> Eta:
    """The finding. No interval before it is certain: until then it would promise too much."""
    half_s = _Z * left.variance**0.5
    return Eta(
        remaining_s=left.seconds,
        low_s=max(0.0, left.seconds - half_s) if left.certain else None,
        high_s=left.seconds + half_s if left.certain else None,
        finish_at_s=None if at_s is None else at_s + left.seconds,
        frozen=frozen,
        note=left.note,
        schedules=plan,
        scores=scores,
    )


def scored(predictions: Sequence[EtaScore], wall_s: float, remaining_s: float | None) -> tuple[EtaScore, ...]:
    """`predictions` against what the whole run takes as far as it is known now: the sum of past and remaining."""
    predictions = [p for p in predictions if isfinite(p.predicted_total_s)]  # when the level was not known yet
    if remaining_s is None:
        return tuple(predictions)
    total_s = wall_s + remaining_s
    return tuple(
        msgspec.structs.replace(p, error=p.predicted_total_s / total_s - 1 if total_s > 0 else None)
        for p in predictions
    )
