"""Evaluations and checkpoints that lines tell of and whose time cannot be told from training's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import (
    CHECKPOINT,
    EVALUATION,
    EVALUATION_AND_CHECKPOINT,
    WARMUP_AND_EVALUATION,
    WITH_EVALUATION,
    Witness,
)
from ..causes.ledger import joined
from ..ticks import COARSE
from ..timing.clock import HIDDEN, TICKS
from .totals import wall_witness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ..causes.ledger import Times
    from ..causes.tally import Tally
    from ..findings import LedgerRow, Spike
    from ..intake import Intake

MORE = 1.25
"""Times as many told as seen in the times of rows: those that are not seen took too little to be."""

LIKE_A_ROW = 0.5
"""Of the mean row: a stop that takes more shows in any row, however many others hold one."""

MOST, CHANCE = 2.0, 0.01
"""Times as many told as seen: most took nothing, and what is long in the rows of the others may be something
else, unless that it came with stops each time is no chance."""


def hidden_stops(run: Intake, times: Times, tally: Tally) -> tuple[str, ...]:
    """Kinds of stops of which most lie in rows that are no slower than others, or in each of them.

    The few rows that are slower by chance then say nothing of what one takes: the usual row may hold one, too.
    Where the iterations' times are all that is known, their sum holds those that the source says are in them,
    and that no row shows.
    """
    if run.spans.by_hooks or not len(run.columns):
        return ()
    row_s = times.wall_s / len(run.columns)
    alone = wall_witness(run, times) is None
    seen = {kind: sum(tally.of(one).count for one in _with(kind)) for kind in (EVALUATION, CHECKPOINT)}
    shown = {kind for kind, count in seen.items() if count and not _is_behind_all(run, kind, count)}
    within = {*run.info.time_includes} - shown
    kinds = [kind for kind in (EVALUATION, CHECKPOINT) if not alone or kind in within]
    return tuple(kind for kind in kinds if _is_hidden(run, tally, kind, row_s))


def _is_behind_all(run: Intake, kind: str, count: int) -> bool:
    """Are those that were seen no row's? Where no time is usual no row is longer: a last one alone is seen."""
    return run.labels.timing.baseline is None and run.spans.counted.told[kind] > MOST * count + 1


def _is_hidden(run: Intake, tally: Tally, kind: str, row_s: float) -> bool:
    told, kinds = run.spans.counted.told[kind], _with(kind)
    seen = sum(tally.of(one).count for one in kinds)
    if not seen and _in_rows(run, kind):
        return True
    all_seen = told <= MORE * seen + 1
    each_s = sum(tally.of(one).seconds for one in kinds) / seen if seen else 0.0
    if seen and each_s < (TICKS if all_seen else HIDDEN) * _coarse_s(run, row_s) and not _timed(run, kind):
        return True
    if all_seen or _lies_apart(run, kind):
        return False
    if kind == EVALUATION and seen == tally.of(WARMUP_AND_EVALUATION).count and not _timed(run, kind):
        return True  # what a warm-up took is in it
    times = len(run.columns) - run.columns.averaged_over.count(0)  # one may be of several rows, up to its own
    by_chance = min(1.0, told / max(times, 1)) ** seen > CHANCE
    if told > MOST * seen + 1 and by_chance and not _timed(run, kind):
        return True
    return each_s < LIKE_A_ROW * row_s and not _timed(run, kind)


def _coarse_s(run: Intake, row_s: float) -> float:
    """How fine the clock is that rows of `row_s` were timed by, where it is too coarse for one of them; else 0.

    What a row then seems to take more is one tick or none: of stops that are as short, those rows show that a tick
    fell into, and each seems to have taken all of it.
    """
    columns = run.columns
    by_clock = columns.witness in (Witness.STAMPS, Witness.ELAPSED)
    return columns.tick_s if by_clock and row_s <= COARSE * columns.tick_s else 0.0


def _in_rows(run: Intake, kind: str) -> bool:
    """Does a line before a row that is not a process's first tell of one that no row is longer for?

    Where each row holds one, none is, even if its lines tell how long it took.
    """
    first, durations = frozenset(run.starts), run.columns.duration_s
    notes = [
        (at, n)
        for at, several in run.spans.by_position.items()
        if at not in first
        for n in several
        if n.kind == kind
    ]
    in_times = all(n.duration_s is None or durations[at] == durations[at] for at, n in notes)
    return in_times and any(not n.apart for _, n in notes)


def _lies_apart(run: Intake, kind: str) -> bool:
    """Does the source say of each that no row's time has any of it in it?"""
    notes = [n for several in run.spans.by_position.values() for n in several if n.kind == kind]
    return bool(notes) and all(n.apart for n in notes)


def with_saves_elsewhere(rows: tuple[LedgerRow, ...], saves: int) -> tuple[LedgerRow, ...]:
    """The ledger, in which saves beside evaluations are a least where many more of them were told of.

    One at the end of each epoch, and an evaluation in every tenth: the others show in no row.
    """
    both = (EVALUATION_AND_CHECKPOINT, CHECKPOINT)
    known = sum(row.count for row in rows if row.cause in both)
    if saves <= MORE * known + 1:
        return rows
    return tuple(
        replace(row, at_least=True) if row.cause == EVALUATION_AND_CHECKPOINT and not row.at_most else row
        for row in rows
    )


def _timed(run: Intake, kind: str) -> bool:
    """Do most of those that were reported say how long they took?"""
    notes = [note for several in run.spans.by_position.values() for note in several if note.kind == kind]
    return sum(note.duration_s is not None for note in notes) * 2 > len(notes)


def _with(kind: str) -> Iterable[str]:
    """The causes that hold a stop of `kind`."""
    return [kind, *(both for both, other in WITH_EVALUATION.items() if kind in (EVALUATION, other))]


def causes_of(hidden: Collection[str]) -> frozenset[str]:
    """The causes that say nothing where stops of these kinds are `hidden`."""
    return frozenset(cause for kind in hidden for cause in _with(kind))


def _left_out(hidden: Collection[str]) -> frozenset[str]:
    """The same, but for evaluations that show in their rows, while most saves do not."""
    return causes_of(hidden) if EVALUATION in hidden else frozenset(hidden)


def without_hidden(rows: tuple[LedgerRow, ...], hidden: Collection[str]) -> tuple[LedgerRow, ...]:
    """The ledger with what stops of these kinds seem to take in the row of training, which holds the others."""
    causes = _left_out(hidden)
    return joined(rows, [row for row in rows if row.cause in causes]) if causes else rows


def without_their_causes(spikes: Iterable[Spike], hidden: Collection[str]) -> tuple[Spike, ...]:
    """The slow iterations without those that only a stop of these kinds, as others hold too, would explain."""
    causes = _left_out(hidden)
    return tuple(left for one in spikes if (left := _without(one, causes)) is not None)


def _without(spike: Spike, causes: Collection[str]) -> Spike | None:
    left = tuple(cause for cause in spike.causes if cause.kind not in causes)
    if len(left) == len(spike.causes):
        return spike
    left_s = sum(c.seconds for c in left)
    if left_s <= sum(c.seconds for c in spike.causes) / 2:
        return None  # its time is mostly that of the stop
    return replace(spike, causes=left, clean_s=spike.duration_s - left_s)
