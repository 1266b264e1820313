"""All wall time by cause, to 100 %."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import msgspec

from ...events import (
    CAUSES,
    DATA,
    EVALUATION,
    GAP,
    PAUSE,
    REPEATED,
    RESTART,
    STOPS,
    STRAGGLER,
    TRAINING,
    UNEXPLAINED,
    WARMUP,
    WARMUP_AND_EVALUATION,
    WITH_EVALUATION,
)
from ..findings import LedgerRow

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ..findings import Level, Progress
    from ..ranks.stragglers import Late
    from .repeats import Repeated
    from .tally import Sum, Tally


LEAST_GAP = 1e-5
"""A share of the wall time: less lies between two readings of a clock."""

LEAST_WAIT = 0.02
"""A share of the wall time: to fetch a batch that is ready takes some time too, and nobody waits for it."""


RESIDUE = 1e-12
"""A share of all seconds: so much is left of none by adding and taking away."""

LITTLE_ELSE, NOTHING_ELSE = 0.05, 0.01
"""Shares of a row: so much may be another's, and its count, or its shortest and longest, still tell of it."""

SEEN = 3
"""So many stops of a kind prove that what their rows took more is theirs."""

NOISE = 1e-3
"""A share of the wall time: less than what the clocks of a log tell apart."""


class Times(msgspec.Struct, frozen=True, gc=False):
    """Seconds of some part of a run, and the iterations that passed in them."""

    wall_s: float
    iterations: int
    gap_s: float = 0.0  # between iterations, causes known or not
    unseen: int = 0  # without a line: their time is estimated
    waited_s: float = 0.0  # for data, and nothing else went on meanwhile
    waited_by_rows_s: float | None = None  # ... by those that have a line
    hides_waits: bool = False  # ... and there are rows of which nobody knows what they waited, and that took long
    untimed: int = 0  # with a line that has no time: they took what is normal
    unsure: bool = False  # a row's time may be of one iteration or the mean of many: nothing tells which


def ledger(
    times: Times,
    tally: Tally,
    again: Repeated,
    late: Late,
    alone_s: Callable[[str], float | None] = lambda _: None,
) -> tuple[LedgerRow, ...]:
    """Rows by cause, in the order of `CAUSES`, whose seconds add up to the wall time.

    The clean seconds of iterations done `again` after a restart are no training that remains. What a rank that is
    `late` as usual costs is inside the iterations' clean time, and estimated. What each of them usually waits for
    data is inside it too, and measured. Where the `tally` does not show what divides two kinds, `alone_s` may.
    """
    if times.wall_s <= 0:
        return ()
    seconds = {kind: s.seconds for kind, s in tally.sums.items()}
    counts = {kind: s.count for kind, s in tally.sums.items()}
    estimated = _divide(seconds, counts, lambda both: tally.evaluation_s(both) or alone_s(both))
    between_s = times.gap_s - tally.outside_s
    if between_s > LEAST_GAP * times.wall_s:
        seconds[GAP] = seconds.get(GAP, 0.0) + between_s
        if between_s > LITTLE_ELSE * seconds[GAP]:  # little in many rows: those that are long are not so many
            counts.pop(GAP, None)
    if set(seconds) <= {GAP, PAUSE} and sum(seconds.values()) >= times.wall_s:
        return ()  # no iteration has a time: nobody knows where that of the run went
    clean_s = max(0.0, times.wall_s - sum(seconds.values()))
    waited_s, least = _waited(times, seconds.get(DATA, 0.0) + late.own_data_s, clean_s)
    waited = DATA in seconds or waited_s >= LEAST_WAIT * times.wall_s
    inside = (
        (STRAGGLER, late.seconds, late.iterations),
        (DATA, waited_s if waited else 0.0, times.iterations + times.unseen * (not least) - counts.get(DATA, 0)),
        (REPEATED, again.clean_s, again.iterations),
    )
    for kind, lost_s, count in inside:
        if (lost_s := min(lost_s, clean_s)) > 0:
            clean_s -= lost_s
            seconds[kind] = seconds.get(kind, 0.0) + lost_s
            counts[kind] = counts.get(kind, 0) + count
    if late.seconds:
        estimated.add(STRAGGLER)
    seconds[TRAINING] = clean_s
    counts[TRAINING] = times.iterations + times.unseen - again.iterations
    if times.unseen or times.untimed:
        estimated |= {TRAINING, DATA}
    return _rows(seconds, counts, estimated, tally, {DATA} if least else ())


def _waited(times: Times, known_s: float, most_s: float) -> tuple[float, bool]:
    """Seconds that were waited for data beside those `known_s`, and whether it may be more.

    Iterations compute, too: where all would have waited for all their time, only those with a line tell.
    """
    waited_s, by_rows_s = times.waited_s - known_s, times.waited_by_rows_s
    if by_rows_s is None or waited_s <= most_s:
        return waited_s, times.hides_waits
    return by_rows_s - known_s, True


def _rows(
    seconds: Mapping[str, float],
    counts: Mapping[str, int],
    estimated: Collection[str],
    tally: Tally,
    least: Collection[str],
) -> tuple[LedgerRow, ...]:
    """The rows, in the order of `CAUSES`; of what is a `least` those are counted that were seen."""
    whole_s = sum(seconds.values())
    return tuple(
        LedgerRow(
            kind,
            seconds[kind],
            seconds[kind] / whole_s,
            counts.get(kind, 0),
            kind in estimated or tally.of(kind).rough,
            *_range(tally.of(kind), counts.get(kind), seconds[kind]),
            at_most=tally.of(kind).at_most,
            at_least=kind in least,
            rough=tally.of(kind).rough,
        )
        for kind in CAUSES
        if seconds.get(kind, 0.0) > RESIDUE * whole_s
    )


def _range(found: Sum, count: int | None, seconds: float) -> tuple[float | None, float | None]:
    """The least and the most of a kind, where nothing but its own times makes up the `seconds` of the row."""
    alone = found.count == count and abs(found.seconds - seconds) <= NOTHING_ELSE * seconds
    return (found.least_s, found.most_s) if found.least_s > 0 and alone else (None, None)


def _divide(
    seconds: dict[str, float], counts: dict[str, int], evaluation_s: Callable[[str], float | None]
) -> set[str]:
    """Divide what two kinds took together by what evaluations take alone; the kinds that this estimates."""
    estimated: set[str] = set()
    for both, other in WITH_EVALUATION.items():
        alone_s = evaluation_s(both)
        if alone_s is None or both not in seconds:
            continue
        together_s, count = seconds.pop(both), counts.pop(both)
        part_s = min(together_s, count * alone_s)
        for kind, share_s in ((EVALUATION, part_s), (other, together_s - part_s)):
            seconds[kind] = seconds.get(kind, 0.0) + share_s
            counts[kind] = counts.get(kind, 0) + count
            estimated.add(kind)
    return estimated


def without_noise(
    rows: tuple[LedgerRow, ...], evaluated: Callable[[], int], *, inside: bool = False
) -> tuple[LedgerRow, ...]:
    """Without evaluations that are next to nothing, where most of the `evaluated` ones show in no time at all.

    Those of every iteration are in its usual time: what a few seem to take then is the noise of the others. The
    last one alone, behind all iterations, is one of many that are `inside`.
    """
    row = next((one for one in rows if one.cause == EVALUATION), None)
    clean = next((one for one in rows if one.cause == TRAINING), None)
    if row is None or clean is None or evaluated() <= 2 * row.count:
        return rows
    if row.share >= NOISE and not inside:
        return rows
    return joined(rows, [row])


def from_row_to_row(
    rows: tuple[LedgerRow, ...], level: Level | None = None, progress: Progress | None = None
) -> tuple[LedgerRow, ...]:
    """Where only times from row to row are known, of a script that nobody described: what lines tell of; the rest.

    What else is longer than usual there may be iterations without a row, evaluations without a line, another
    program: it stays in the row of all that passed from row to row. So do stops that came but once or twice, or
    where no time of a row without one is known by the `level`; of others their time is estimated. And so does what
    restarts cost that the counter alone tells of, and what lies between trainings that it alone tells of.
    """
    untold = {UNEXPLAINED, GAP, WARMUP, WARMUP_AND_EVALUATION}
    if progress is not None and not progress.starts_agree:
        untold |= {RESTART, REPEATED}
        untold |= set() if progress.starts_witnessed else {PAUSE}
    usual = level is None or (level.between is None and not level.evaluates)
    left = [row for row in rows if row.cause in untold or (row.cause in STOPS and (not usual or row.count < SEEN))]
    kept = joined(rows, left)
    kept = tuple(_estimated(row) if row.cause in STOPS | {REPEATED} else row for row in kept)
    if not any(row.cause in (PAUSE, RESTART) for row in kept):
        return kept
    # What a training took up to its first row is worked out from its later rows.
    return tuple(msgspec.structs.replace(row, estimated=row.estimated or row.cause == TRAINING) for row in kept)


def is_sure(rows: tuple[LedgerRow, ...], progress: Progress, *, undescribed: bool, by_rows: bool) -> bool:
    """Is all in it that there was? Else no share of it means anything.

    Not where a training has no row that is read. Nor, of a script that nobody described, where starts are told of
    that its counter does not show, for pauses would be the counter's alone; or where it has no clock, and tells of
    more evaluations than have a time.
    """
    if progress.other.speaks or (undescribed and _hides_a_silence(rows, progress)):
        return False
    if by_rows:
        return not progress.starts_hidden
    causes = {row.cause for row in rows} if undescribed else set()
    timed = sum(row.count for row in rows if row.cause in _EVALUATIONS)
    untimed = bool(causes & STOPS) and progress.wall_witness is None and progress.evaluations > MORE * timed
    return not untimed and (progress.starts_agree or not causes & _BETWEEN)


def _hides_a_silence(rows: tuple[LedgerRow, ...], progress: Progress) -> bool:
    """Is a long time without a row counted as the training's?"""
    told_s = sum(row.seconds for row in rows if row.cause in (_BETWEEN | STOPS))
    return (progress.silent_s or 0.0) > 2 * told_s


MORE = 1.25
"""Times the evaluations that have a time: where more are told of, their share is of a part of them."""

_EVALUATIONS = frozenset((EVALUATION, *WITH_EVALUATION))
_BETWEEN = frozenset((PAUSE, RESTART, REPEATED))
"""What is told by when another training begins, or one that goes on."""


def joined(rows: tuple[LedgerRow, ...], into: Collection[LedgerRow]) -> tuple[LedgerRow, ...]:
    """`rows` with those of `into` in the row of training."""
    if not into:
        return rows
    seconds, share = sum(row.seconds for row in into), sum(row.share for row in into)
    clean = next((row for row in rows if row.cause == TRAINING), LedgerRow(TRAINING, 0.0, 0.0))
    more = msgspec.structs.replace(clean, seconds=clean.seconds + seconds, share=clean.share + share)
    return (more, *(row for row in rows if row is not clean and row not in into))


def without_guesses(rows: tuple[LedgerRow, ...], beyond_s: float = inf) -> tuple[LedgerRow, ...]:
    """Where no level is told, nothing is longer than usual: it is all training.

    But for what each time took more than `beyond_s`, all that rows take by themselves.
    """
    guessed = [row for row in rows if row.cause in (UNEXPLAINED, WARMUP)]
    return joined(rows, [row for row in guessed if row.least_s is None or row.least_s <= beyond_s])


LITTLE = 0.01
"""Of the time: of a rough figure of less nobody knows whether it was anything."""


def without_little(rows: tuple[LedgerRow, ...]) -> tuple[LedgerRow, ...]:
    """Without stops that took little of the time, as far as the rows around them tell: that is their scatter."""
    little = [row for row in rows if row.cause in STOPS and row.share < LITTLE]
    return joined(rows, [row for row in little if row.rough or (row.at_least and row.one_outweighs)])


def with_least_training(rows: tuple[LedgerRow, ...]) -> tuple[LedgerRow, ...]:
    """Where stops took at most so much, and nothing else perhaps more, the training took at least what is left."""
    bounded = any(row.at_most and row.share >= NOISE for row in rows)
    if not bounded or any(row.at_least or row.rough for row in rows):
        return rows
    return tuple(msgspec.structs.replace(row, at_least=True) if row.cause == TRAINING else row for row in rows)


def as_known(rows: tuple[LedgerRow, ...], *, within: bool) -> tuple[LedgerRow, ...]:
    """What a report may say of them; `within`: stops are within the times that rows print."""
    return with_least_training(without_little(with_rough_stops(rows) if within else rows))


def with_rough_stops(rows: tuple[LedgerRow, ...]) -> tuple[LedgerRow, ...]:
    """Where stops are within the times that rows print, and nobody described what else is."""
    return tuple(_estimated(row) if row.cause in STOPS else row for row in rows)


def _estimated(row: LedgerRow) -> LedgerRow:
    """It is what its rows took more than others: of all together, and of none alone."""
    return msgspec.structs.replace(row, estimated=True, rough=True, least_s=None, most_s=None)
