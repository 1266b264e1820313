"""When it is done: remaining normal iterations, what is scheduled at its measured cost, and how sure that is."""

from __future__ import annotations

from math import hypot, isfinite
from statistics import fmean, median, pvariance
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...events import CAUSES, ONCE, EndReason
from ..findings import Eta, EtaScore
from ..timing.baseline import FEW, WINDOW
from .schedule import SCHEDULED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..causes.ledger import Times
    from ..causes.tally import Sum, Tally
    from ..findings import Schedule
    from ..timing.baseline import Baseline
    from .regimes import Regimes

SCORED_AT = (0.1, 0.25, 0.5)
"""Shares of the run at which an ETA is put down, to be judged later."""

MODEL_ERROR = 0.006
"""Of the remaining time: what no model knows. With it 19 of 20 intervals hold in 13 real logs (bench/eta.py)."""

UNTIMED_ITERATIONS = 10
"""What a stop that no time of the source includes may take at most, in normal iterations."""

GAPS = "at least: what passes between two epochs, as saves do, is in no time of this log"

_Z = 1.645  # 90 % of a normal distribution lie within
_BLOCK = 32  # iterations behind one of `Baseline.block_means`

FEW_BLOCKS = 2
"""With so few, a third or a half of the rows are in no block yet: then the newest rows themselves count."""


class Past(NamedTuple):
    """What is known of the iterations so far."""

    times: Times
    lines: int  # that reported them
    baseline: Baseline
    unseen_s: float | None  # each iteration without a line, by the clock
    costs: Tally
    costs_at_level: Tally  # since the level last moved far
    regimes: Regimes | None = None  # where the level has been another one
    one_level: bool = True  # has it not moved far?
    pace_s: float | None = None  # where no one time is usual, what an iteration of the newest rows takes

    @property
    def iterations(self) -> int:
        """Iterations that passed, with a line or without."""
        return max(self.times.iterations + self.times.unseen, 1)


class Remaining(msgspec.Struct, frozen=True, gc=False):
    """What is left, and the variance of it.

    `certain`: every scheduled kind has been seen (at this level), and as many iterations as a spread needs.
    """

    seconds: float
    variance: float
    certain: bool
    note: str = ""
    untimed_s: float = 0.0  # at most: of what no time of the source includes, and of what may follow the last one
    by_mean_s: float | None = None  # the same by the mean of all so far, where that level may go on
    by_newest_s: float | None = None  # ... and at the newest rows' speed, where they are few or unlike


def remaining(iterations: int, past: Past, plan: Sequence[Schedule]) -> Remaining:
    """The time for `iterations` more, and how sure it is.

    R·(base + r) + Σ nₖ·cₖ: base is the mean of the newest normal iterations, r what unscheduled stalls cost each
    iteration, nₖ and cₖ number and mean cost of each kind in `plan`. Where the level has moved twice or more, it
    is expected to go back to the usual of all so far, the surer the more often it has moved.
    """
    stalls = _unscheduled(past.costs, plan)
    normal_s = _normal_s(past)
    return_s, regime_s = _regimes(past, iterations)
    stall_s = sum(s.seconds for s in stalls) / past.iterations
    stops = [(s, s.remaining, s.mean_s) for s in plan if s.remaining and s.mean_s is not None]
    stops_s = sum(count * mean_s for _, count, mean_s in stops)
    seconds = iterations * (normal_s + return_s + stall_s) + stops_s
    lines = iterations * past.lines / past.iterations
    variance = (iterations * normal_s) ** 2 * _level_variance(past.baseline, lines)
    variance += _stall_variance(iterations, stalls, past.iterations)
    for stop, count, mean_s in stops:
        scatter_s = past.costs_at_level.of(stop.kind).deviation_s or 0.15 * mean_s
        variance += _stop_variance(count, scatter_s, stop.seen)
    variance += (MODEL_ERROR * seconds) ** 2 + (iterations * regime_s) ** 2
    missing = _missing_costs(plan)
    untimed = sum(s.remaining or 0 for s in _untimed(plan))
    known = all(s in _untimed(plan) for s in plan if s.remaining and (s.mean_s is None or s.earlier))
    certain = known and len(past.baseline.window) >= FEW
    most_s = untimed * UNTIMED_ITERATIONS * normal_s + sum(s.mean_s or 0.0 for s in plan if s.may_follow)
    paces_s = [s for s in (past.pace_s, _newest_s(past.baseline)) if s is not None]
    newest_s = max(paces_s, key=lambda s: abs(s - normal_s), default=None)
    by_newest_s = None if newest_s is None else iterations * newest_s + stops_s
    by_mean_s = _by_mean_s(past, iterations)
    return Remaining(seconds, variance, certain, "; ".join(missing), most_s, by_mean_s, by_newest_s)


def without_gaps(left: Remaining) -> Remaining:
    """The same where each epoch has its own clock, and others follow: what passes between two nobody knows."""
    notes = [*filter(None, (left.note,)), GAPS]
    return msgspec.structs.replace(left, certain=False, note="; ".join(notes))


def _normal_s(past: Past) -> float:
    """Seconds of a normal iteration: of those with a line and those without, as many of each as so far."""
    normal_s = _mean_s(past.baseline)
    if past.unseen_s is None:
        return normal_s
    return normal_s + (past.unseen_s - normal_s) * past.times.unseen / past.iterations


def _mean_s(baseline: Baseline) -> float:
    return baseline.mean if len(baseline.block_means) > FEW_BLOCKS else fmean(baseline.newest())


def _regimes(past: Past, iterations: int) -> tuple[float, float]:
    """What an iteration is expected to take more or less than now, and the standard deviation of that."""
    if past.regimes is None:
        return 0.0, 0.0
    passing = past.regimes.passing(past.iterations, iterations)
    apart_s = past.regimes.usual_s - _mean_s(past.baseline)
    number = past.regimes.number
    deviation_s = hypot(passing * apart_s / 2, past.regimes.deviation_s * passing / number**0.5)
    return passing * apart_s * (number - 2) / number, deviation_s


def _by_mean_s(past: Past, iterations: int) -> float | None:
    """What `iterations` more take if they go as all so far, by the clock, but for what comes once.

    A second opinion, which knows nothing of usual times. `None` where the level moved, and did not go back.
    """
    moved = past.regimes is not None and past.regimes.number == 2
    if moved or not past.one_level or not past.times.wall_s:
        return None
    once_s = sum(one.seconds for kind, one in past.costs.sums.items() if kind in ONCE)
    return iterations * max(0.0, past.times.wall_s - once_s) / past.iterations


def _newest_s(baseline: Baseline) -> float | None:
    """What an iteration of the newest quarter of few rows takes: too few to tell a change of level by."""
    rows = list(baseline.window)
    return median(rows[-(len(rows) // 4) :]) if FEW <= len(rows) < WINDOW else None


def _unscheduled(costs: Tally, plan: Sequence[Schedule]) -> list[Sum]:
    """What is expected to go on as so far. What was seen too rarely for a schedule counts as a stall, too."""
    others = ONCE | SCHEDULED if plan else ONCE
    return [s for kind, s in costs.sums.items() if kind not in others]


def _untimed(plan: Sequence[Schedule]) -> list[Schedule]:
    """What no time of the source includes: where one kind was seen and has none, none will have one (llm.c)."""
    without = [s for s in plan if s.mean_s is None and not s.uneven]
    return without if any(s.seen for s in without) else []


def _missing_costs(plan: Sequence[Schedule]) -> list[str]:
    """Why the cost of something that is still to come is not known at this level."""
    notes = []
    for stop in plan:
        if not stop.remaining:
            continue
        if stop.uneven:
            notes.append(f"without {CAUSES[stop.kind].many}: their times differ too much")
        elif stop.mean_s is None:
            many = CAUSES[stop.kind].many
            notes.append(f"this log does not time {many}" if stop.seen else f"without {many}: none seen yet")
        elif stop.earlier:
            notes.append(f"{CAUSES[stop.kind].many} at their cost before the level moved")
    return notes


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
        known = baseline.spread**2 / len(baseline.newest())
    squares = fmean([step * step for step in baseline.steps]) if len(baseline.steps) > 1 else 0.0
    walk = 1.5 * max(0.0, squares - 2 * noise) / _BLOCK
    return known + walk * (lines + _BLOCK * len(means)) / 3


def _stall_variance(iterations: int, stalls: Sequence[Sum], passed: int) -> float:
    """Of stalls that come by chance: of their number in what is left, and of their mean over those so far."""
    squares = sum(s.squares for s in stalls) / passed
    return iterations * squares + iterations**2 * squares / passed


def _stop_variance(count: int, scatter_s: float, seen: int) -> float:
    """Of all `count` that are left of one kind: the scatter of each, and of their mean over those `seen`."""
    return count * scatter_s**2 + (count * scatter_s) ** 2 / max(1, seen)


def eta(
    left: Remaining, at_s: float | None, plan: tuple[Schedule, ...], scores: tuple[EtaScore, ...], frozen: str
) -> Eta:
    """The finding. No interval before it is certain: until then it would promise too much.

    It holds what the mean of all so far says, too, and what the newest of few rows, or of unlike ones, say.
    """
    half_s = _Z * left.variance**0.5
    low_s, high_s = max(0.0, left.seconds - half_s), left.seconds + half_s + left.untimed_s
    for other_s in (left.by_mean_s, left.by_newest_s):
        if other_s is not None and not low_s <= other_s <= high_s:
            low_s, high_s = max(0.0, min(low_s, other_s - half_s)), max(high_s, other_s + half_s)
    return Eta(
        remaining_s=left.seconds,
        low_s=low_s if left.certain else None,
        high_s=high_s if left.certain else None,
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


def why_none(last: int | None, ended: str, *, partly: bool = False) -> str:
    """Why there is none, of a run whose `last` iteration and whose end may be known."""
    if ended and ended not in (EndReason.LOST, EndReason.UNKNOWN):
        return "the run is over"
    if last is None:
        return "no total of iterations that itermon can read; give --max-iters"
    if partly:
        return "too few iterations have a time that itermon can read"
    return "no iteration time is known yet"
