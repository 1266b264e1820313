"""Where a run stands: what several findings rest on, computed once for each snapshot."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from ..events import DATA, PAUSE
from ..words import plural
from .causes.causes import explain
from .medians import median_of_known
from .outlook import eta as etas
from .outlook.regimes import regimes
from .outlook.schedule import at_this_level, schedules
from .record.settings import WHOLE
from .timing import alike
from .timing.founded import is_partly_timed
from .wall.totals import ends_a_clock, wall_witness
from .wall_time import after_the_last, times_of_part, times_of_run

if TYPE_CHECKING:
    from .causes.causes import Case
    from .causes.labels import Labels
    from .causes.ledger import Times
    from .causes.tally import Tally
    from .findings import Schedule
    from .intake import Intake
    from .timing.baseline import Baseline
    from .timing.timing import Timing


_MOST_STARTS = 64
"""Of processes of one run: the newest."""


NEWEST = 12
"""Iterations by which the usual time is told where the level is not known yet."""

OWN = 4
"""Iterations of another training (a fold, another model) before its usual time is told, for that of an earlier one
says nothing."""

UNLIKE_PASSES = 0.05
"""Passes over batches of so many tokens each have about as many batches: they differ by no more than this."""


def has_row(run: Intake, iteration: int) -> bool:
    """Has the newest training a row of `iteration`? Within a process the index ascends."""
    index, starts, first = run.columns.index, run.starts, run.training_start
    bounds = [first, *starts[bisect_right(starts, first) :], len(index)]
    places = ((bisect_left(index, iteration, begin, end), end) for begin, end in pairwise(bounds))
    return any(place < end and index[place] == iteration for place, end in places)


class Part(NamedTuple):
    """Some of a run: from which position on, its causes, its times."""

    begun: int
    tally: Tally
    times: Times


class State(NamedTuple):
    """A run at one time, and what was derived from it."""

    run: Intake
    labels: Labels
    tally: Tally  # of the whole run
    tally_at_level: Tally  # since the level last moved far
    times: Times
    of_training: Part  # the newest training alone
    schedules: tuple[Schedule, ...]
    last: int | None  # iteration at which the run ends
    behind_s: float = 0.0  # behind the newest row: a last evaluation


def current_state(run: Intake) -> State:
    """What follows from the events so far."""
    labels = run.labels
    tally = labels.tally_of_run()
    after = after_the_last(run)
    tally.add(explain(after))
    since = labels.timing.comparable()
    at_level = labels.tally_between(since, len(run.columns) - 1) if since else tally
    times = times_of_run(run, labels, tally, after.gap_s)
    newest = _newest_training(run, labels, after) if run.training_start else Part(0, tally, times)
    return State(
        run=run,
        labels=labels,
        tally=tally,
        tally_at_level=at_level,
        times=times,
        of_training=newest,
        schedules=at_this_level(_schedules(run, newest.tally), _schedules(run, at_level)),
        last=last_iteration(run),
        behind_s=after.gap_s,
    )


def _newest_training(run: Intake, labels: Labels, after: Case) -> Part:
    """What an earlier training took, and the time between the two, says nothing of what is to come."""
    begun, last = run.training_start, len(run.columns) - 1
    tally = labels.tally_between(begun, last)
    times = times_of_part(run, labels, tally, begun, last)
    times = replace(times, wall_s=max(0.0, times.wall_s - tally.of(PAUSE).seconds))
    tally.leave_out(PAUSE, tally.of(PAUSE))
    tally.add(explain(after))
    return Part(begun, tally, times)


def _schedules(run: Intake, costs: Tally) -> tuple[Schedule, ...]:
    """Where nobody knows how many iterations came, their numbers tell no interval: only the settings may."""
    return schedules(
        run.settings.config,
        {} if run.launches.counted.at_least else run.spans.seen,
        costs,
        current=run.columns.index[-1] if len(run.columns) else None,
        last=last_iteration(run),
    )


def last_iteration(run: Intake) -> int | None:
    """The iteration at which the run ends. `None` if nothing says it, or if the run has passed what does.

    Where another process begins, whose first iteration is still to come, it is that of the one before.
    """
    last = run.settings.last(of_rows=run.another_process and len(run.columns) > 0)
    overrun = last is not None and len(run.columns) and run.columns.index[-1] > last
    return None if overrun or is_of_a_round(run, last) or _is_never_reached(run, last) else last


def _is_never_reached(run: Intake, last: int | None) -> bool:
    """Did all trainings stay far below what a line above the rows sets, and this one so far?"""
    return run.settings.is_never_reached and len(run.columns) > 0 and run.columns.index[-1] < WHOLE * (last or 0)


def is_of_a_round(run: Intake, last: int | None) -> bool:
    """Is the `last` iteration, which the newest has reached, that of one round, while more of them are to come?"""
    said = run.launches.counted.round
    if not said or last is None or not len(run.columns):
        return False
    newest = run.columns.index[-1]
    return newest + 1 >= last and not said.endswith(f" {newest}/{last}")


def remaining(state: State) -> etas.Remaining | None:
    """What is left of the run; `None` where its end or its level is not known."""
    run, baseline = state.run, state.labels.timing.baseline
    if state.last is None or baseline is None or not len(run.columns):
        return None
    if is_partly_timed(state.labels.timing, run.columns):
        return None
    begun, _, times = state.of_training
    durations = run.columns.duration_s[begun:] if begun else run.columns.duration_s
    past = etas.Past(
        times=times,
        lines=len(run.columns) - begun,
        baseline=baseline,
        unseen_s=state.labels.timing.clock.unseen_s,
        costs=_without_first_waits(run, state),
        costs_at_level=state.tally_at_level,
        regimes=regimes(durations, baseline.jitter, baseline.limit / baseline.level),
        one_level=state.labels.timing.comparable() <= begun,
        pace_s=_pace_s(run, state.labels.timing),
    )
    left = etas.remaining(state.last - run.columns.index[-1], past, state.schedules)
    if wall_witness(run, state.times) is None and ends_a_clock(run.columns, state.last):
        return etas.without_gaps(left)
    return left


def _pace_s(run: Intake, timing: Timing) -> float | None:
    over = timing.lengths.usual(timing.begun, len(run.columns) - 1)
    return alike.pace_s(run.columns, max(timing.begun, timing.warmup), over, timing.speaks)


def _without_first_waits(run: Intake, state: State) -> Tally:
    """The costs so far, but for what processes waited for their first batches: none is still to come."""
    begun, tally, _ = state.of_training
    if not tally.of(DATA).seconds:
        return tally
    costs = tally.copy()
    for start in (start for start in run.starts[-_MOST_STARTS:] if start >= begun):
        costs.leave_out(DATA, state.labels.tally_between(start, start).of(DATA))
    return costs


def predicted_total_s(run: Intake) -> float:
    """Wall time so far and to come, by what is known now; nan where the level is not."""
    state = current_state(run)
    left = remaining(state)
    return nan if left is None else state.times.wall_s + left.seconds


def usual_of_training(run: Intake, baseline: Baseline | None) -> float | None:
    """Seconds of an iteration, as is usual for the newest training."""
    begun, end = run.training_start, len(run.columns)
    own = [d for d in run.columns.duration_s[max(begun, end - NEWEST) :] if d == d]
    if begun and len(own) < OWN:
        return None
    return median_of_known(own) if baseline is None else baseline.level


def overrun(run: Intake) -> str:
    """Why the last iteration that the settings give cannot be right; "" if it can."""
    last = run.settings.config.max_iterations
    if is_of_a_round(run, last):
        return f"the total, {last:,}, is not that of all rounds: {run.launches.counted.round}"
    never = _is_never_reached(run, last)
    if last is None or not len(run.columns) or (run.columns.index[-1] <= last and not never):
        return ""
    if never:
        return f"no training in the log came near the {last:,} that a line of it sets: give --max-iters"
    of_a_pass = run.settings.config.iterations_per_epoch or 0
    if abs(last - of_a_pass) > UNLIKE_PASSES * of_a_pass:
        return _past_settings(last, run.settings.origins.get("max_iterations") or "its source")
    if run.launches.other.speaks:
        whose = f"the {plural(last, 'iteration')} of a bar may be of an evaluation"
        return f"{whose}: lines that itermon cannot read tell of a training"
    iterations = f"{'about ' * (last != of_a_pass)}{plural(of_a_pass, 'iteration')}"
    return f"one pass has {iterations}; itermon cannot read how many passes: give --max-iters"


def _past_settings(last: int, origin: str) -> str:
    if origin.startswith("log"):  # a line of it may be of another program
        return f"the log's total, {last:,}, is of something else, or the run is past it: give --max-iters"
    return f"it is past the {plural(last, 'iteration')} of its settings ({origin}): give the right --max-iters"
