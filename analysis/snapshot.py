"""Findings from the parts of a run: each asked once, none computed twice."""

from __future__ import annotations

from bisect import bisect_right
from math import isnan, nan
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from .causes.ledger import Times, ledger
from .findings import (
    Audit,
    Eta,
    Findings,
    LedgerRow,
    Level,
    Now,
    Progress,
)
from .outlook import eta as etas
from .outlook.losses import losses
from .outlook.now import moment
from .outlook.schedule import at_this_level, schedules
from .timing.lasting import lasting
from .words import duration

if TYPE_CHECKING:
    from .causes.tally import Tally
    from .findings import Schedule
    from .record.columns import Columns
    from .run import Run
    from .timing.timing import Timing


class State(NamedTuple):
    """A run and what was derived from it for one moment, each part once."""

    run: Run
    timing: Timing
    tally: Tally
    times: Times
    newest: Tally  # since the level last moved far
    plan: tuple[Schedule, ...]


def state(run: Run) -> State:
    """What follows from the events so far."""
    timing = run.current()
    tally = run.labels.whole(timing)
    index = run.columns.index[-1] if len(run.columns) else None
    since = timing.comparable()
    newest = run.labels.between(timing, since, len(run.columns) - 1) if since else tally
    plan, at_level = (
        schedules(
            run.config,
            run.spans.seen,
            costs,
            current=index,
            last=planned(run),
            periods=run.labels.shown,
        )
        for costs in (tally, newest)
    )
    return State(run, timing, tally, whole(run, timing, tally), newest, at_this_level(plan, at_level))


def planned(run: Run) -> int | None:
    """The iteration at which the run ends. `None` if nothing says it, or if the run has passed what does."""
    last = run.config.max_iterations
    overrun = last is not None and len(run.columns) and run.columns.index[-1] > last
    return None if overrun else last


def findings(run: Run, now_s: float | None, spikes: int | None) -> Findings:
    """What is known of `run` at `now_s`, as far as it follows from times and events alone."""
    of = state(run)
    now = _now(of, now_s)
    ended = run.ended or (_ended_silently(run) if now.activity == "silent" else "")
    if ended:
        now = Now(activity="ended", iteration=now.iteration, estimated=not run.ended)
    eta, why_not = _eta(of, now, now_s, ended)
    unknown = run.telemetry.unknown()
    newest = run.labels.newest(of.timing, spikes)
    energy_j, energy_span_s = run.telemetry.energy() or (None, None)
    if overrun := _overrun(run):
        unknown["progress.max_iterations"] = overrun
    return Findings(
        name=run.info.name,
        source_format=run.info.source_format,
        recognised=run.info.recognised,
        host=run.info.host,
        pid=run.info.pid,
        started_at_s=run.info.started_at_s,
        ended=ended,
        config=run.config,
        config_origins=run.config_origins,
        progress=_progress(of),
        now=now,
        level=_level(of.timing, run.columns),
        ledger=_ledger(run, of.timing, of.times, of.tally, (0, len(run.columns) - 1)),
        gpu_phases_s=run.gpu_phases.usual_s(),
        straggler=run.ranks.straggler(),
        eta=eta,
        losses=losses(run.columns, run.validations(), run.best),
        # A report says of every spike what the machine did then; the screen asks for the one it opens.
        spikes=tuple(map(run.beside, newest)) if spikes is None else newest,
        audit=Audit(energy_run_j=energy_j, energy_span_s=energy_span_s),
        gpus=run.telemetry.newest(),
        load=run.telemetry.load(),
        machine=run.telemetry.machine(),
        messages=tuple(run.messages.values()),
        unknown={**unknown, "eta": why_not} if why_not else unknown,
    )


def _ended_silently(run: Run) -> str:
    """How a run ended that printed its last iteration, or an error, and then nothing more."""
    return run.last_words or ("finished" if _at_its_end(run) else "")


def _at_its_end(run: Run) -> bool:
    """Is the newest iteration the last that will be printed? Some trainers count from 0, others from 1."""
    last, index = planned(run), run.columns.index
    return last is not None and len(index) > 0 and index[-1] + max(2, _printed_every(run)) > last


def _printed_every(run: Run) -> int:
    index = run.columns.index
    return max(1, index[-1] - index[-2]) if len(index) >= 2 else 1


def whole(run: Run, timing: Timing, tally: Tally) -> Times:
    """The run's times, from its first iteration to its last."""
    columns, clock = run.columns, timing.clock
    count = len(columns)
    if not count:
        return Times(0.0)
    spent_s = columns.spent_s(0, count - 1)
    unseen = _unseen(run, 0, count - 1)
    unmeasured = max(0, unseen - clock.unseen)
    each_s = max(0.0, spent_s - tally.inside_s) / columns.passed(0, count - 1)
    unclocked = tally if clock.first is None else run.labels.between(timing, 0, clock.first)
    outside_s = max(0.0, unclocked.outside_s)  # beside iterations, before the first moment: no gap holds it
    return Times(
        wall_s=clock.wall_s + max(0.0, spent_s - clock.spent_s) + unmeasured * each_s + outside_s,
        gap_s=clock.gap_s + clock.between_s + outside_s,
        iterations=columns.passed(0, count - 1),
        unseen=unseen,
    )


def window(run: Run, first: int, last: int) -> tuple[LedgerRow, ...]:
    """The ledger of positions `first`..`last`: with the clock's moments where there are any."""
    timing, columns = run.current(), run.columns
    tally = run.labels.between(timing, first, last)
    spent_s = columns.spent_s(first, last)
    unseen = _unseen(run, max(0, first - 1), last)
    count = columns.passed(first, last)
    each_s = max(0.0, spent_s - tally.inside_s) / count
    wall_s = spent_s + unseen * each_s + tally.outside_s
    begin, end = columns.at(first - 1) if first else nan, columns.at(last)
    measured_s = end - begin
    if timing.clock.first is not None and not isnan(measured_s) and measured_s >= spent_s:
        wall_s = measured_s
    gap_s = max(tally.outside_s, wall_s - spent_s) if not unseen else tally.outside_s
    return _ledger(run, timing, Times(wall_s, gap_s, count, unseen), tally, (first, last))


def _ledger(run: Run, timing: Timing, times: Times, tally: Tally, part: tuple[int, int]) -> tuple[LedgerRow, ...]:
    again = run.repeats.between(timing.slow, *part)
    return ledger(times, tally, again, run.ranks.between(timing.slow, *part))


def _unseen(run: Run, first: int, last: int) -> int:
    """Iterations that passed between positions `first` and `last` without a line."""
    columns, starts = run.columns, run.starts
    total = 0
    for n in range(bisect_right(starts, first) - 1, bisect_right(starts, last)):
        begin = max(first, starts[n])
        end = min(last, starts[n + 1] - 1 if n + 1 < len(starts) else last)
        total += max(0, columns.index[end] - columns.index[begin] - columns.passed(begin + 1, end))
    return total


def predicted_total_s(run: Run) -> float:
    """Wall time so far and to come, by what is known now; nan where the level is not."""
    of = state(run)
    left = _remaining(of)
    return nan if left is None else of.times.wall_s + left.seconds


def _progress(of: State) -> Progress:
    run, columns, last = of.run, of.run.columns, planned(of.run)
    seen = len(columns)
    index = columns.index[-1] if seen else None
    return Progress(
        iteration=index,
        first_iteration=columns.index[0] if seen else None,
        max_iterations=last,
        fraction=index / last if index is not None and last else None,
        iterations_seen=of.times.iterations,
        iterations_unseen=of.times.unseen,
        wall_s=of.times.wall_s or None,  # neither a duration nor two moments: unknown
        clock=run.info.clock if of.timing.clock.wall_s else None,  # "sum" measures nothing, nor does one moment
        last_event_at_s=run.last_at_s,
        restarts=max(0, len(run.starts) - 1),
        dropped=run.dropped,
    )


def _overrun(run: Run) -> str:
    """Why the end that the source says is none; "" if it may be one."""
    said = run.config.max_iterations
    if said is None or planned(run) is not None:
        return ""
    origin = run.config_origins.get("max_iterations") or "its source"
    return f"the run is past the {said:,} iterations of its settings ({origin}): give the right --max-iters"


def _level(timing: Timing, columns: Columns) -> Level:
    baseline = timing.baseline
    if baseline is None:
        return Level()
    ordered = sorted(baseline.window)
    return Level(
        clean_s=baseline.level,
        p95_s=ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))],
        jitter=baseline.jitter,
        iterations=len(ordered),
        warmup_iterations=_warmup(timing.warmup, columns),
        shifts=tuple(replace(s, held=len(columns) - s.position) for s in lasting(timing.shifts, baseline.level)),
    )


def _warmup(entries: int, columns: Columns) -> int:
    """How many iterations the first `entries` stand for: a log may print every tenth, or means over a hundred."""
    if not entries:
        return 0
    return max(entries, columns.index[entries - 1] - columns.index[0] + columns.over(0))


def _remaining(of: State) -> etas.Remaining | None:
    last = planned(of.run)
    baseline, lines = of.timing.baseline, len(of.run.columns)
    if last is None or baseline is None or not lines:
        return None
    left = max(0, last - of.run.columns.index[-1])
    unseen_s = of.timing.clock.unseen_s
    return etas.remaining(
        left, of.times, lines, baseline, unseen_s, tally=of.tally, newest=of.newest, plan=of.plan
    )


def _eta(of: State, now: Now, now_s: float | None, ended: str) -> tuple[Eta, str]:
    """The ETA, and why there is none."""
    run, left = of.run, _remaining(of)
    if left is None:
        if overrun := _overrun(run):
            return Eta(schedules=of.plan), overrun
        if run.config.max_iterations is None:
            return Eta(schedules=of.plan), "this source does not say how many iterations: give --max-iters"
        return Eta(schedules=of.plan), "no iteration has told its time yet"
    over = run.columns.index[-1] >= (run.config.max_iterations or 0) - 1
    scores = etas.scored(run.predictions, of.times.wall_s, 0.0 if ended and over else left.seconds)
    if ended:
        return Eta(frozen=f"the run has ended ({ended})", schedules=of.plan, scores=scores), ""
    frozen = ""
    if now.activity == "silent" and now.elapsed_s is not None:
        frozen = f"no line for {duration(now.elapsed_s)}, usually {duration(now.usual_s or 0.0)}"
    at_s = now_s if frozen or run.last_at_s is None else run.last_at_s
    return etas.eta(left, at_s, of.plan, scores, frozen), ""


def _now(of: State, now_s: float | None) -> Now:
    run, index = of.run, of.run.columns.index
    return moment(
        now_s=now_s,
        last_at_s=run.last_at_s,
        index=index[-1] if len(index) else None,
        printed_every=_printed_every(run),
        clean_s=of.timing.baseline.level if of.timing.baseline else None,
        plan=of.plan,
        last=planned(run),
        spans=run.spans,
        micro=run.micro,
        ended=run.ended,
    )
