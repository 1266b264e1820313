"""The wall time of a run or of a part of it, and where it went."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from math import inf, isnan, nan
from statistics import median
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..events import BEFORE_STEP, COMPILE, DATA, DRAIN, EVALUATION, ClockKind
from .causes.cases import not_divided
from .causes.causes import Case
from .causes.ledger import Times, from_row_to_row, joined, ledger, without_noise
from .findings import LedgerRow
from .outlook.gaps import printed_every
from .ticks import FEWEST
from .timing.behind import unprinted_s
from .timing.clock import between_s
from .timing.founded import UNTIMED
from .timing.level import is_from_row_to_row
from .timing.waits import known_of_few, may_have_waited_more, may_hide_waits, unseen_s, waited_by_all
from .timing.witnesses import SLACK
from .wall.hidden_stops import without_hidden
from .wall.holes import in_holes
from .wall.late import goes_on_for_long, late_s
from .wall.passed import before_first, unseen_between
from .wall.totals import MOST_OF_IT, one_or_mean, printed_total_s

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from .causes.labels import Labels
    from .causes.tally import Tally
    from .intake import Intake
    from .record.columns import Columns
    from .record.spans import Note
    from .timing.clock import Clock

ALIKE = 3.0
"""Times that a first row may take what others take: it compiles, and fills caches."""

LEAST_FIRST = 0.01
"""Of the wall time: what first batches took is told apart from here on, where each
took this many times the mean of the others."""
FIRST_TIMES = 3.0

_TELL = 3
"""Rows whose times tell what those between them took."""


def after_the_last(run: Intake) -> Case:
    """What came after the newest iteration, and is over: a run evaluates and saves once more at its end."""
    # what comes behind the last row may be of another program
    if is_from_row_to_row(run.info, run.columns) or goes_on_for_long(run):
        return Case(duration_s=0.0, clean_s=0.0)
    last_s = run.columns.time_at(len(run.columns) - 1) if len(run.columns) else nan
    stamped_s = last_s if run.info.clock == ClockKind.LOG else inf  # the log's own clock tells how long
    ended_s = _ended_s(run) if stamped_s < inf else 0.0
    notes = run.spans.trailing(stamped_s, run.columns.index[-1]) if len(run.columns) else ()
    lasted_s = sum(note.duration_s or 0.0 for note in notes)
    begun_s = last_s + (_unprinted_s(run, last_s) if notes and stamped_s < inf else 0.0)
    since_s = max([ended_s, *(note.at_s or 0.0 for note in notes)]) - begun_s
    gap_s = lasted_s if isnan(since_s) else max(lasted_s, since_s)
    return Case(duration_s=0.0, clean_s=0.0, gap_s=gap_s, notes=not_divided(notes))


def _unprinted_s(run: Intake, last_s: float) -> float:
    baseline = run.labels.timing.baseline
    total = run.settings.config.max_iterations
    if baseline is None or (total is not None and total - 1 <= run.columns.index[-1] <= total):
        return 0.0  # behind the last iteration none runs, counted from 0 or from 1
    stops = run.spans.trailing(last_s - 1.0)
    return unprinted_s(baseline, printed_every(run.columns), last_s, stops)


def _ended_s(run: Intake) -> float:
    """When the log says that it is over, where that is later than a next row would have come; else 0."""
    baseline, columns = run.labels.timing.baseline, run.columns
    said = [m for m in run.messages.own_words if m.ending and late_s(run, m) is None]
    said_s = max((m.at_s for m in said if m.at_s is not None), default=0.0)
    if baseline is None:
        return 0.0
    return said_s if said_s > columns.time_at(len(columns) - 1) + baseline.level * printed_every(columns) else 0.0


def times_of_run(run: Intake, labels: Labels, tally: Tally, after_s: float) -> Times:
    """The run's times, from its first iteration to its last, and `after_s` more. `tally` holds all its causes."""
    columns, clock = run.columns, labels.timing.clock
    if not (count := len(columns)):
        return Times(0.0, iterations=0)
    spent_s = columns.spent_s(0, count - 1)
    unseen, total_s = unseen_between(run, 0, count - 1), printed_total_s(run)
    no_clock = clock.first is None and total_s is None
    passed, unmeasured = columns.passed(0, count - 1), max(0, unseen - clock.unseen)
    unsure = spent_s > 0 and one_or_mean(run, unmeasured, passed)
    guessed = unmeasured > passed and (unsure or count - columns.untimed < _TELL) and total_s is None
    twice = clock.at == columns.time_at and clock.counts_twice
    of_some = no_clock and (not spent_s or columns.untimed - len(run.starts) > UNTIMED * count)
    if guessed or twice or of_some:  # what some iterations took is not all
        return Times(0.0, passed, unseen=unseen, unsure=unsure)
    untimed = max(0, columns.untimed)  # they took what the others did
    each_s = max(0.0, spent_s - tally.inside_s) / max(1, passed - untimed)
    # Between iterations before the clock begins, where no gap holds it, and after the last one.
    unclocked_s = (
        tally.outside_s if clock.first is None else labels.tally_between(0, clock.first).outside_s + after_s
    )
    outside_s = max(0.0, unclocked_s) + _between_bars_s(run, clock)
    unseen_each_s = unseen_s(columns, 0, count - 1) if unmeasured else None
    over_s = _over_s(run, clock)
    wall_s = clock.wall_s + max(0.0, spent_s - clock.spent_s) - over_s + outside_s + _first_s(run, clock)
    wall_s += unmeasured * (each_s if unseen_each_s is None else unseen_each_s)
    wall_s += (filled_in := untimed * no_clock) * each_s + (cut_off_s := _cut_off_s(columns, clock))
    gap_s = clock.gap_s + between_s(columns, clock, cut_off_s)
    unsaid_s = max(0.0, (total_s or 0.0) - wall_s)
    unsure = unsure and total_s is not None and not MOST_OF_IT * total_s <= wall_s <= (1 + SLACK) * total_s
    return Times(
        wall_s=wall_s + unsaid_s,
        gap_s=gap_s - min(over_s, max(0.0, gap_s)) + outside_s + unsaid_s,
        iterations=passed,
        unseen=unseen,
        untimed=filled_in,
        waited_s=_waited_s(run, 0, count - 1, unseen) + sum(n.duration_s or 0.0 for n in _last_waits(run)),
        waited_by_rows_s=_by_rows_s(run, 0, count - 1, unseen),
        hides_waits=_hides_waits(run, count - 1),
        unsure=unsure,
    )


def _hides_waits(run: Intake, last: int) -> bool:
    """Are there rows that took long, and of which nobody knows what they waited for data?"""
    baseline, columns = run.labels.timing.baseline, run.columns
    known_s = waited_by_all(columns, 0, last, 0) if baseline is not None and columns.averaged_over else 0.0
    return baseline is not None and may_hide_waits(columns, 0, last, baseline.level, known_s)


def _over_s(run: Intake, clock: Clock) -> float:
    """What the rows between the first stamp and the last are said to take more than lies between the two.

    So it is of times that are means over more iterations than their rows: a short one among them is told as long.
    Not by the times at which we got the lines: those of a pipe come many at once.
    """
    columns = run.columns
    if clock.first is None or clock.at != columns.time_at or run.info.clock != ClockKind.LOG:
        return 0.0
    last = len(columns) - 1 if clock.last is None else clock.last
    inside_s = columns.spent_s(clock.first + 1, last)
    return max(0.0, clock.wall_s + max(0.0, inside_s - clock.spent_s) - clock.most_s)


def _cut_off_s(columns: Columns, clock: Clock) -> float:
    """What the clock of each epoch's bar leaves out of its last second: it is the iterations'."""
    if not clock.wall_s or clock.at != columns.elapsed_at:
        return 0.0
    others_s = columns.cut_off_s - columns.cut_off_first_s
    most_s = inf if columns.of_whole_seconds and clock.wall_s < FEWEST else others_s  # 00:00, 00:00
    return max(0.0, min(most_s, clock.spent_s - clock.wall_s))


def _first_s(run: Intake, clock: Clock) -> float:
    """What passed until the first row by a clock that began with the training, if that is as long as a row takes.

    Much more is the beginning of a program, and much less no time of a row.
    """
    columns, baseline = run.columns, run.labels.timing.baseline
    if clock.first != 0 or clock.at != columns.elapsed_at or baseline is None or not isnan(columns.duration_s[0]):
        return 0.0
    rows, first_s = before_first(run) + 1, columns.elapsed_at(0)
    usual_s = baseline.level * rows
    return first_s if columns.index[0] <= rows and usual_s / ALIKE <= first_s <= ALIKE * usual_s else 0.0


def _between_bars_s(run: Intake, clock: Clock) -> float:
    """What lasted between bars, whose clocks begin anew; what lay before the first is counted elsewhere.

    A clock that runs through a process holds it.
    """
    if clock.first is None or clock.at != run.columns.elapsed_at:
        return 0.0
    if run.info.undescribed and len(run.columns.clocks_begun) <= len(run.starts):
        return 0.0
    spans = run.spans
    early = spans.positions[: bisect_right(spans.positions, clock.first)]
    before = (note for place in early for note in spans.by_position[place] if note.apart)
    return max(0.0, spans.apart_s - sum(note.duration_s or 0.0 for note in before))


def _last_waits(run: Intake) -> list[Note]:
    """Waits for data after the newest iteration: finding that there is none takes as long as stopping workers."""
    return [note for note in run.spans.trailing() if note.kind == DATA]


def _waited_s(run: Intake, first: int, last: int, unseen: int) -> float:
    """Seconds that were lost in waits for data; with a GPU, those in which it had nothing else to do.

    The loop may wait while the GPU works on what was queued before: only its own phases tell. Iterations `unseen`,
    without a line, wait as those that were printed, but for what comes once an epoch.
    """
    waited_s = _waited_in_each(run, first, last, unseen)
    if not waited_s or not run.telemetry.newest() or run.gpu_phases.on_host:
        return waited_s
    usual_s, baseline = run.gpu_phases.usual_s(), run.labels.timing.baseline
    busy_s = sum(seconds for phase, seconds in usual_s.items() if phase != BEFORE_STEP)
    if not busy_s or baseline is None:
        return 0.0
    return min(waited_s, max(0.0, 1 - busy_s / baseline.level) * run.columns.spent_s(first, last))


def _by_rows_s(run: Intake, first: int, last: int, unseen: int) -> float | None:
    """What those waited that have a line, where others have none."""
    return (_waited_s(run, first, last, 0) or None) if unseen else None


def _waited_in_each(run: Intake, first: int, last: int, unseen: int) -> float:
    """... each process by its own rows: another training may wait for other data."""
    begins = [first, *(start for start in run.starts if first < start <= last), last + 1]
    parts = [(begin, end - 1) for begin, end in pairwise(begins)]
    of_each = [unseen_between(run, *part) for part in parts] if unseen and len(parts) > 1 else []
    if not of_each or sum(of_each) > unseen:
        return waited_by_all(run.columns, first, last, unseen)
    return sum(waited_by_all(run.columns, *part, count) for part, count in zip(parts, of_each, strict=True))


def recompiled(run: Intake, wall_s: float) -> LedgerRow | None:
    """What was compiled again after the beginnings of processes: that part of the ledger's row."""
    starts, timing = run.starts, run.labels.timing
    again = []
    for position, seconds in run.spans.compiled:
        process = bisect_right(starts, position) - 1
        if position >= max(starts[process] + 1, timing.settled_at(position)):
            again.append(seconds)
    return LedgerRow(COMPILE, sum(again), sum(again) / wall_s, len(again)) if again and wall_s else None


def first_waits(run: Intake, ledger: Iterable[LedgerRow]) -> LedgerRow | None:
    """What processes waited for their first batches, once each: that part of the row in the `ledger`.

    Workers start then, and caches are cold: what it costs says nothing of the iterations to come.
    """
    waited = next((row for row in ledger if row.cause == DATA), None)
    if waited is None or waited.estimated:
        return None
    first_s = [wait_s for start in run.starts if (wait_s := run.columns.waited_s(start, start)) > 0]
    seconds = min(sum(first_s), waited.seconds)
    share = waited.share * seconds / waited.seconds
    others_s = (waited.seconds - seconds) / max(1, waited.count - len(first_s))
    if share < LEAST_FIRST or seconds < FIRST_TIMES * others_s * len(first_s):
        return None
    return LedgerRow(DATA, seconds, share, len(first_s))


def drained(run: Intake, wall_s: float) -> LedgerRow | None:
    """What asynchronous checkpoints took to be written while the training went on: no part of the ledger."""
    spans = run.spans
    if not spans.drains or not wall_s:
        return None
    return LedgerRow(DRAIN, spans.drained_s, spans.drained_s / wall_s, spans.drains)


def ledger_of_run(run: Intake, labels: Labels, times: Times, tally: Tally) -> tuple[LedgerRow, ...]:
    """Wall time by cause of the whole run; where no iteration has a time, of what has one."""
    if times.unsure or in_holes(run, times.wall_s):
        return ()
    if times.wall_s and labels.timing.clock.first is None and run.columns.untimed == len(run.columns):
        return _of_spans(run, times.wall_s)
    rows = _ledger(run, labels, times, tally, (0, len(run.columns) - 1))
    if not run.spans.by_hooks and known_of_few(run.columns):
        rows = joined(rows, [row for row in rows if row.cause == DATA])
    inside = labels.timing.within.often > 0 or run.info.undescribed  # a row may be long for what else it does
    return without_noise(rows, lambda: _evaluated(run), inside=inside)


def _of_spans(run: Intake, wall_s: float) -> tuple[LedgerRow, ...]:
    """What evaluations and saves took by their own words: whether the rest is training nobody says."""
    notes = [note for several in run.spans.by_position.values() for note in several]
    spent: dict[str, list[float]] = {}
    for note in (*notes, *run.spans.trailing()):
        if note.duration_s:
            spent.setdefault(note.kind, []).append(note.duration_s)
    rows = [
        LedgerRow(
            kind,
            sum(each_s),
            sum(each_s) / wall_s,
            len(each_s),
            least_s=min(each_s),
            most_s=max(each_s),
            usual_s=median(each_s),
        )
        for kind, each_s in spent.items()
    ]
    return tuple(sorted(rows, key=lambda row: -row.seconds))


def _evaluated(run: Intake) -> int:
    """At how many positions an evaluation was reported."""
    return sum(1 for notes in run.spans.by_position.values() if any(n.kind == EVALUATION for n in notes))


def ledger_of_part(run: Intake, first: int, last: int, hidden: Collection[str] = ()) -> tuple[LedgerRow, ...]:
    """Wall time by cause of positions `first`..`last` (inclusive): by the clock, where it has both ends.

    Stops whose time is `hidden` in the whole run are so in a part of it.
    """
    tally = run.labels.tally_between(first, last)
    times = times_of_part(run, run.labels, tally, first, last)
    rows = without_hidden(_ledger(run, run.labels, times, tally, (first, last)), hidden)
    return from_row_to_row(rows) if is_from_row_to_row(run.info, run.columns) else rows


def times_of_part(run: Intake, labels: Labels, tally: Tally, first: int, last: int) -> Times:
    """The times of positions `first`..`last` (inclusive), of which `tally` holds all causes."""
    columns = run.columns
    spent_s = columns.spent_s(first, last)
    unseen = unseen_between(run, max(0, first - 1), last)
    count = columns.passed(first, last)
    each_s = max(0.0, spent_s - tally.inside_s) / max(1, count)  # rows that wait for a coarse clock count none
    wall_s = spent_s + unseen * each_s + tally.outside_s
    begin, end = columns.time_at(first - 1) if first else nan, columns.time_at(last)
    measured_s = end - begin
    if labels.timing.clock.first is not None and not isnan(measured_s) and measured_s >= spent_s:
        wall_s = measured_s
    told = not unseen and columns.coarse is None
    gap_s = max(tally.outside_s, wall_s - spent_s) if told else tally.outside_s
    waited_s, by_rows_s = _waited_s(run, first, last, unseen), _by_rows_s(run, first, last, unseen)
    return Times(wall_s, count, gap_s, unseen, waited_s, by_rows_s)


def _ledger(
    run: Intake, labels: Labels, times: Times, tally: Tally, part: tuple[int, int]
) -> tuple[LedgerRow, ...]:
    slow = labels.timing.slow
    again = run.repeats.repeated_between(slow, *part)
    rows = ledger(times, tally, again, run.ranks.late_between(slow, *part), labels.evaluation_s)
    if not any(row.cause == DATA for row in rows) or not may_have_waited_more(run.columns, *part, times.unseen):
        return rows
    return tuple(replace(row, at_least=True) if row.cause == DATA else row for row in rows)
