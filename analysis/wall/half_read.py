"""A log that is half read: nobody knows what lies between the rows that are read, so nothing is said of it.

211 reports of public logs were held against their logs by hand. Of scripts that nobody described every second
report held a false share, slow row or spread where few lines were known, where the counter went back and nothing
said why, or where rows were left out; of the others one in seven.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import STOPS, TRAINING, UNEXPLAINED, Witness
from ..findings.findings import FEW_KNOWN

if TYPE_CHECKING:
    from ...events import RunInfo
    from ..findings import Findings, LedgerRow, Level, Losses, Progress, Spike

LITTLE = 0.01
"""Of the time: if no more went to anything else than iterations, that is not worth a chart."""

BY_FAR = 10
"""A printed time so many times the usual one is no spread, and no other kind of row."""

FEW_LINES = "most of its lines are of kinds that itermon does not know"
UNTOLD_STARTS = "its counter goes back, and it is not certain how often it began"
UNTOLD_OPENINGS = "its first lines come again, and its counter does not go back: how often it began is not known"
UNTOLD = "how often it began is not known for certain"
ONE_WITNESS = "nothing in the log confirms its times, and nobody described its lines (itermon formats new NAME)"
MIXED = "processes that ran at the same time wrote into it, and some rows stand among those of others"
LEFT_OUT = "some of its rows are of another kind, and are left out"

_DOUBTED = (UNTOLD_STARTS, UNTOLD_OPENINGS, UNTOLD, MIXED)
"""Reasons to doubt how often a log began."""


def why_half_read(info: RunInfo, progress: Progress, level: Level) -> str:
    """Why the rows that are read are not enough to tell where the time went; "": they are.

    Of a script that nobody described two witnesses of its times must agree: rates and a clock, or its own total.
    """
    if progress.mixed:
        return MIXED
    if not info.undescribed or not progress.rows:
        return ""
    if info.known_lines is not None and info.known_lines < FEW_KNOWN:
        return FEW_LINES
    if progress.other.lines:
        return LEFT_OUT
    if not progress.starts_agree:
        return _why_untold(progress)
    agree = progress.wall_witness == Witness.TOTAL or len(level.witnesses) > 1
    return "" if agree else ONE_WITNESS


def _why_untold(progress: Progress) -> str:
    """What makes it doubtful how often the log began: no more than rows and lines show."""
    if progress.falls:
        return UNTOLD_STARTS
    return UNTOLD_OPENINGS if (progress.openings or 0) > 1 else UNTOLD


def half_read(found: Findings, info: RunInfo) -> Findings:
    """Without what rests on the time between rows, and with the reason for that; of losses the newest.

    Where there is no reason all of it stays. But if lines are only partly read, evaluations and saves took at
    least what is known of them.
    """
    found, why = replace(found, known_lines=info.known_lines), why_half_read(info, found.progress, found.level)
    found = replace(found, losses=_as_printed(found.losses)) if info.undescribed else found
    if not why:
        return replace(found, ledger=_bounds(found)) if found.partly_read else found
    return replace(
        found,
        half_read=why,
        level=_usual(found.level),
        ledger=(),
        recompiled=None,
        first_waits=None,
        spikes=_by_far(found),
        slow_untold=0,
        slow_unnamed=None,
        slow_place=None,
        unknown=found.unknown | ({"ledger.where_the_time_went": why} if found.level.clean_s else {}),
    )


def _by_far(found: Findings) -> tuple[Spike, ...]:
    """The slow rows that print themselves, each, that they took many times as long: whatever lies between rows."""
    usual_s, printed = found.level.clean_s, found.level.witnesses == (Witness.PRINTED,) and not found.row_to_row
    if usual_s is None or not printed or found.progress.mixed:
        return ()
    alone = (one for one in found.spikes if one.averaged_over == 1 and one.duration_s >= BY_FAR * usual_s)
    return tuple(one for one in alone if [cause.kind for cause in one.causes] == [UNEXPLAINED])


def _as_printed(losses: Losses) -> Losses:
    """The newest ones alone: which was the best, nobody knows who does not know what set each is of."""
    return replace(
        losses,
        best_validation=None,
        best_validation_at=None,
        best_validation_again=None,
        best_is_earlier=False,
        above_best=0,
        train_then=None,
    )


def why_unprinted(found: Findings, row: str) -> str:
    """Why what the newest `row` of a log does not print is not said; "": it does, or is not known.

    A count that is worked out, of epochs and their lengths, has no witness where it is not known how often the log
    began; but that the row has both numbers that it is worked out of.
    """
    p = found.progress
    if found.half_read not in _DOUBTED or not row or p.iteration is None or p.counts_rows:
        return ""
    numbers = {int(number.replace(",", "")) for number in _NUMBER.findall(row)}
    return "" if p.iteration in numbers or _has_its_place(row, p.iteration, numbers) else found.half_read


def _has_its_place(row: str, iteration: int, numbers: set[int]) -> bool:
    """Does it print a place in an epoch, `40/62`, and the epoch whose number times that length is the rest?

    Who counts the last as 62 of 62 from 0 on has 63; epochs are counted from 0 or from 1.
    """
    places = ((int(n), int(of)) for n, of in _PLACE.findall(row))
    return any(
        length > 0
        and iteration >= length
        and (iteration - n) % length == 0
        and not numbers.isdisjoint(((iteration - n) // length, (iteration - n) // length + 1))
        for n, of in places
        for length in (of, of + 1)
        if n <= of
    )


def unforetold(found: Findings) -> Findings:
    """Without evaluations and saves to come: their places are a guess, too."""
    now = replace(found.now, next_kind=None, next_iteration=None, next_in_s=None, next_note="")
    return replace(found, now=now, eta=replace(found.eta, schedules=()))


_PLACE = re.compile(r"(?<![\d.])(\d{1,9}) ?(?:/|of) ?(\d{1,9})(?![\d.])")
_NUMBER = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,18}")


def _bounds(found: Findings) -> tuple[LedgerRow, ...]:
    """The ledger with its bounds; none where hardly anything but iterations is known of a script's time.

    That these took nearly all of it is only true if its other lines tell of nothing that took time.
    """
    known = sum(row.share for row in found.ledger if row.cause != TRAINING)
    if found.undescribed and known < LITTLE:
        return ()
    return tuple(map(_at_least, found.ledger))


def _at_least(row: LedgerRow) -> LedgerRow:
    return replace(row, at_least=True) if row.cause in STOPS and not (row.at_most or row.rough) else row


def _usual(level: Level) -> Level:
    """The usual time without its spread and its changes: what is beside it may be of lines that are not read."""
    spread = replace(level, p95_s=None, jitter=None, strays=None, went_away=False)
    return replace(spread, warmup_iterations=None, shifts=(), crept=False, left=False)
