"""Several trainings that write to one log at the same time: an index that falls back and leaps on is no restart.

    (epoch: 97, iters: 800)      Each row counts on from the one before the last, and not from the one before it.
    (epoch: 9, iters: 400)       Who began again from a checkpoint comes back step by step to where it was, and
    (epoch: 97, iters: 1200)     does not return to a lower place at once.
    (epoch: 9, iters: 800)
Which row is whose nobody says: so nothing is counted, nothing was done again, and no time is divided.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import ClockKind
from ..findings import Audit, Eta, Level, Losses, Progress, Throughput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..findings import Findings
    from ..intake import Intake

FEWEST = 8
"""Returns: as often no two trainings change turns by chance, nor a training with its evaluations."""

NEAR, FAR = 16, 1.5
"""So few rows after a fall they are back; with a leap so much longer than the step of what they come back to."""

MOSTLY, OFTEN = 0.8, 0.4
"""Of the returns so many leap, and the lower rows count on; of all falls so many are followed by a return."""

_UNKNOWN, _WHERE = ("eta", "progress.restarts", "progress.wall_s"), "ledger.where_the_time_went"
"""What is unknown then; and what gets the same reason where it had one of its own, which might contradict it."""

_MOST = 4_000
"""Falls that are looked at: the newest."""

BACK_S, HOUR_S, NEAR_HOUR_S = 2.0, 1_800.0, 60.0
"""So far the clock steps back from another's row; by whole hours, or halves, it is set."""

SOON, FEW = 200, 256
"""Rows of another process, at most, until one goes on that stood before them; of the newest falls."""

WHY = "several trainings seem to write into this log at the same time, in turns"


def in_turns(run: Intake) -> bool:
    """Do several rising sequences explain the rows, which change from one to another and back?

    Where rows are numbered, for no step of theirs is known, their epochs tell.
    """
    index, starts = run.columns.index, run.starts
    if len(starts) <= FEWEST:
        return False
    if run.launches.counted.rows:
        first = max(0, len(index) - _MOST)
        epochs = [run.scalars.at(place).get("epoch", 0.0) for place in range(first, len(index))]
        return _in_turns(epochs, range(len(epochs))) or _falls_unopened(run)
    by_clock = run.info.clock == ClockKind.LOG and _overlap(index, starts, run.columns.time_at)
    return by_clock or _in_turns(index, starts)


def _falls_unopened(run: Intake) -> bool:
    """Does the counter fall a little, by less than half, far more often than a process opens?

    Who begins again from a checkpoint opens first; those that began together stay near each other.
    """
    index, openings = run.columns.index, run.launches.counted.openings or 0
    begun = [at for at in run.starts[1:][-_MOST:] if at < len(index)]
    falls = sum(index[at - 1] / 2 < index[at] < index[at - 1] for at in begun)
    return openings > 1 and falls >= max(FEWEST, 2 * openings)


def _overlap(index: Sequence[float], starts: Sequence[int], time_at: Callable[[int], float]) -> bool:
    """Do stamps and counter go back together, again and again, to places that count on?

    So it is of buffers that are flushed in turns; runs that stand one behind another in a file begin at one place.
    """
    falls = [place for place in starts[1:][-_MOST:] if place < len(index) and index[place] < index[place - 1]]
    back = [place for place in falls if time_at(place) < time_at(place - 1)]
    rises = sum(index[one] < index[later] for one, later in pairwise(back))
    return len(back) >= max(FEWEST, OFTEN * len(falls)) and rises + 1 >= MOSTLY * len(back)


def goes_on_among_others(run: Intake) -> bool:
    """Does a training go on behind the rows of another that began meanwhile, by its counter and by the clock?

    The counter falls to the other's row, and leaps beyond where it was, while the clock steps back to a time
    behind that. One process that began again counts from there on, and its clock does not step back.
    """
    index, time_at = run.columns.index, run.columns.time_at
    if run.info.clock != ClockKind.LOG or run.launches.counted.rows:
        return False
    begun = [place for place in run.starts[1:][-FEW:] if place < len(index)]
    for place, after in pairwise([*begun, len(index)]):
        if index[place] >= index[place - 1]:
            continue
        left, left_s = index[place - 1], time_at(place - 1)
        for at in range(place + 1, min(after, place + SOON)):
            back_s = time_at(at - 1) - time_at(at)
            is_set = back_s > NEAR_HOUR_S and abs(back_s - HOUR_S * round(back_s / HOUR_S)) < NEAR_HOUR_S
            if back_s > BACK_S and not is_set and index[at] > left and time_at(at) >= left_s:
                return True
    return False


def _in_turns(index: Sequence[float], starts: Sequence[int]) -> bool:
    begun = [place for place in starts[1:][-_MOST:] if place < len(index)]  # the newest may have no row yet
    falls = [place for place in begun if index[place] < index[place - 1]]
    returns = [*_returns(index, falls)]
    if len(returns) < max(FEWEST, OFTEN * len(falls)):
        return False
    step = median(on for _, on, _ in returns)
    leaps = sum(leap > FAR * step for _, _, leap in returns)
    rises = sum(one < later for (one, *_), (later, *_) in pairwise(returns))
    return min(leaps, rises + 1) >= MOSTLY * len(returns)


def _returns(index: Sequence[float], falls: Sequence[int]) -> Iterator[tuple[float, float, float]]:
    """Of each fall: the place fallen to, by how much the row that is back counts on, and the leap to it."""
    for place, after in pairwise([*falls, len(index)]):
        left = index[place - 1]
        back = next((at for at in range(place + 1, min(after, place + NEAR)) if index[at] > left), None)
        if back is not None:
            yield index[place], index[back] - left, index[back] - index[back - 1]


def why_uncounted(run: Intake) -> str:
    """Why nothing is counted; "": all is."""
    return WHY if in_turns(run) else run.launches.other.against


def uncounted(found: Findings, why: str) -> Findings:
    """Without all that would rest on whose rows they are, and with the reason."""
    p = found.progress
    progress = Progress(
        iteration=p.iteration,
        iterations_seen=p.rows,
        rows=p.rows,
        newest_seen=p.rows,
        trainings=1,
        clock=p.clock,
        last_event_at_s=p.last_event_at_s,
        unit=p.unit,
        counts_rows=p.counts_rows,
        dropped=p.dropped,
        other=p.other if why == WHY else replace(p.other, against=why),
    )
    return replace(
        found,
        progress=progress,
        level=Level(),
        witnesses=(),
        throughput=Throughput(),
        audit=Audit(peak_flops=found.audit.peak_flops),
        ledger=(),
        recompiled=None,
        first_waits=None,
        drained=None,
        eta=Eta(),
        losses=_of_newest(found.losses),
        spikes=(),
        slow_untold=0,
        slow_unnamed=None,
        slow_place=None,
        unknown=found.unknown | dict.fromkeys((*_UNKNOWN, *(_WHERE,) * (_WHERE in found.unknown)), why),
    )


def _of_newest(its: Losses) -> Losses:
    """The newest values, and that some are none: that of the best, and of a course, is of several trainings."""
    return Losses(
        train=its.train,
        called=its.called,
        train_at=its.train_at,
        validation=its.validation,
        validation_at=its.validation_at,
        not_finite=its.not_finite,
        not_finite_earlier=its.not_finite_earlier,
        not_finite_from_start=its.not_finite_from_start,
        not_finite_share=its.not_finite_share,
    )
