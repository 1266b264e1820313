"""How far a run is, and what passed: counted once, from all that was taken in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...events import CHECKPOINT, EVALUATION, Witness
from ..findings import Progress
from ..record.processes import starts_ahead, starts_level
from .hidden_stops import hidden_stops
from .in_turns import goes_on_among_others
from .mean_of_all import mean_of_all_s
from .passed import before_first, passed_since, past_the_last
from .totals import unclocked, wall_witness

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..causes.ledger import Times
    from ..causes.tally import Tally
    from ..findings import LedgerRow
    from ..intake import Intake


def progress_of(
    run: Intake, times: Times, tally: Tally, last: int | None, ledger: Collection[LedgerRow]
) -> Progress:
    """How far `run` is, of `last` iterations, how often it began, and its stops, those of its `ledger` too."""
    columns, clock = run.columns, run.labels.timing.clock
    seen, index = len(columns), columns.index[-1] if len(columns) else None
    unseen, witness = times.unseen + (before := before_first(run)), wall_witness(run, times)
    return Progress(
        iteration=index,
        first_iteration=columns.index[run.training_start] if seen > run.training_start else None,
        max_iterations=last,
        fraction=_fraction(run, index, last),
        iterations_seen=(passed := times.iterations + unseen - past_the_last(run)),
        iterations_unseen=unseen,
        iterations_before=before,
        rows=seen,
        rows_untimed=times.untimed,
        wall_s=None if unclocked(run, times) else times.wall_s or None,
        wall_witness=witness,
        mean_s=mean_of_all_s(run, passed),
        silent_s=run.silences.seconds(times.wall_s) if witness == Witness.STAMPS else None,
        clock_steps_back=clock.steps_back,
        clock=run.info.clock if clock.wall_s else None,  # else nothing was measured
        last_event_at_s=run.heard_s,
        **_stops(run, ledger),
        restarts=len(run.starts) - len(run.repeats.trainings) - len(run.repeats.jumps),
        trainings=len(run.repeats.trainings),
        starts_ahead=starts_ahead(columns.index, run.starts) - len(run.repeats.jumps),
        starts_level=starts_level(columns.index, run.starts),
        mixed=goes_on_among_others(run),
        newest_seen=passed_since(run, run.training_start) if seen > run.training_start else 0,
        launches=run.launches.count or None,
        launches_without_iterations=run.launches.without_iterations if run.launches.count else None,
        starts_told=run.launches.told or None,
        **run.launches.said,
        tokens_mean=run.newest.tokens_mean,
        batch_changed=run.settings.batch_changed,
        dropped=run.dropped,
        one_or_mean=times.unsure,
        hidden_stops=hidden_stops(run, times, tally),
    )


def _stops(run: Intake, ledger: Collection[LedgerRow]) -> dict[str, Any]:
    """What it is told of evaluations and saves, by the names of `Progress`."""
    return {
        "evaluations": _told(run, EVALUATION, ledger),
        "checkpoints": _told(run, CHECKPOINT, ledger),
        "unsure": run.spans.counted.unsure,
    }


def _told(run: Intake, kind: str, ledger: Collection[LedgerRow]) -> int:
    """How many of `kind` the source tells of: at one place two may have times, and their lines look like one's."""
    timed = next((row.count for row in ledger if row.cause == kind and not row.estimated), 0)
    return max(told, timed) if (told := run.spans.counted.told[kind]) else 0


def _fraction(run: Intake, index: int | None, last: int | None) -> float | None:
    """The part of all that is done. Who counts epochs from 0 has done one more than the newest says."""
    if index is None or not last:
        return None
    from_0 = run.launches.counted.unit == "epoch" and run.columns.index[run.training_start] == 0
    return (index + 1) / last if from_0 and index < last else index / last
