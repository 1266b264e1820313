"""Where the time went, row by row: the cause, a bar, its share, and its time where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ... import words
from ...analysis.findings import LedgerRow
from ...events import CHECKPOINT, EVALUATION, GAP, PAUSE, TRAINING, WITH_EVALUATION
from ..lines import bar

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...analysis.findings import Findings

ROW_TO_ROW, BETWEEN, ITERATIONS, OTHERS = "row to row", "between trainings", "iterations", "others, or nothing"
NOT_PRINTED = "not printed"
"""It is in no time that the script prints."""

_BESIDE = {EVALUATION: ("evaluating", "eval"), CHECKPOINT: ("saving", "save")}
"""What training's time holds, in words; and where it holds both."""

_LONGEST_NAME = 23
_CLEARLY = 1.2
"""So much more time than the cause above it takes one to its place."""

_SHARE_CELLS, _TIME_CELLS, _ROOM_FOR_TIME = 12, 12, 36


class LedgerCells(NamedTuple):
    """The parts of a row, each padded to its column."""

    cause: str
    name: str
    bar: str
    share: str
    time: str

    def __str__(self) -> str:
        return f"{self.name}{self.bar}{self.share}{self.time}"


def by_size(ledger: Iterable[LedgerRow]) -> list[LedgerRow]:
    """The causes that took time, the largest first."""
    return sorted((r for r in ledger if r.seconds > 0), key=lambda r: -r.seconds)


def held_stops(found: Findings) -> list[str]:
    """The kinds of stops that the time of training holds, untold apart.

    From row to row it holds whatever passed.
    """
    if found.row_to_row:
        return []
    timed = any(row.cause == EVALUATION for row in found.ledger)
    evaluates = not timed and (found.level.evaluates or found.level.evaluated)
    held = {*found.progress.hidden_stops, *((EVALUATION,) if evaluates else ())}
    return [kind for kind in (EVALUATION, CHECKPOINT) if kind in held]


def stops_beside(found: Findings) -> list[str]:
    """The kinds of stops that the source tells of, and that the sum of the iterations' times has no part of."""
    if found.progress.wall_witness is not None or not found.ledger:
        return []
    told = {EVALUATION: found.progress.evaluations, CHECKPOINT: found.progress.checkpoints}
    timed = {kind for row in found.ledger for kind in (row.cause, *_parts(row.cause))} | {*held_stops(found)}
    return [kind for kind, count in told.items() if count and kind not in timed]


def _parts(cause: str) -> tuple[str, ...]:
    return (EVALUATION, WITH_EVALUATION[cause]) if cause in WITH_EVALUATION else ()


def name_of(cause: str, found: Findings) -> str:
    """`training + evaluating` where the iterations' times hold both, in any training, untold apart.

    Of a script that nobody described nobody knows what else is in the times: they are those of its `iterations`,
    or, where it prints none, those from `row to row`. What lies between two trainings is no pause there: another
    one may have run, without a row; and what passed beside printed times may be iterations of which none tells.
    """
    if cause == PAUSE and found.row_to_row:
        return OTHERS if found.progress.tag else BETWEEN
    if cause == GAP and not found.shows_gaps:
        return NOT_PRINTED
    if cause != TRAINING:
        return cause
    if found.row_to_row:
        return ROW_TO_ROW
    if held := held_stops(found):
        return " + ".join([cause, *(_BESIDE[kind][len(held) > 1] for kind in held)])
    return ITERATIONS if found.undescribed else cause


class StandingRows:
    """The causes that had a row, as long as one looks at the same part of the same run: none comes and goes.

    Nor does one change places for a trifle. A gap of a thousandth that is there in one frame and not in the next
    would move all that stands below it: most of what is written to a terminal while nothing happens.
    """

    def __init__(self) -> None:
        self._of: object = None
        self._causes: list[str] = []

    def rows(self, ledger: Iterable[LedgerRow], of: object) -> list[LedgerRow]:
        """A row for each cause that takes time, or did: training first, then the largest.

        Args:
            ledger: as it is now.
            of: what is looked at: of anything else nothing is kept.
        """
        if of != self._of:
            self._of, self._causes = of, []
        now = {row.cause: row for row in by_size(ledger)}
        rows = [now.get(cause) or LedgerRow(cause, 0.0, 0.0) for cause in dict.fromkeys([*self._causes, *now])]
        rows.sort(key=lambda row: row.cause != TRAINING)
        for at in range(1, len(rows)):
            while at and rows[at - 1].cause != TRAINING and rows[at].seconds > _CLEARLY * rows[at - 1].seconds:
                rows[at - 1], rows[at] = rows[at], rows[at - 1]
                at -= 1  # noqa: PLW2901 - it sinks to its place
        self._causes = [row.cause for row in rows]
        return rows


def how_often(row: LedgerRow, name: str) -> str:
    """`4 × 63.0 s`, or `5 times, 80.0 s to 27 d`; "" where it is not counted, or its time is rough.

    What passed from row to row, by the row's `name`, is not so many iterations of so long each.
    """
    if row.rough or name == ROW_TO_ROW:
        return ""
    if row.span_s is not None:
        least_s, most_s = row.span_s
        usual = "" if row.usual_s is None else words.duration(row.usual_s)
        return words.unlike_times(row.count, (words.duration(least_s), words.duration(most_s)), usual)
    return f"{row.count:,} × {words.duration(row.seconds / row.count)}" if row.each_is_known else ""


def went(found: Findings) -> str:
    """Of the ledger: where the time went, or that of it which the log gives; without a row, what is told of."""
    if not found.ledger:
        return "stops"
    return f"where the {found.shared_out.removeprefix('wall ')} went"


def share(row: LedgerRow) -> str:
    """Of the wall time; `~` marks an estimate, `≤` and `≥` a bound."""
    return f"{_mark(row)}{_percent(row)}"


def _mark(row: LedgerRow) -> str:
    """What is less than a thousandth is at most that, without a sign."""
    if row.at_most:
        return "" if _percent(row).startswith("<") else "≤"
    if row.at_least:
        return "≥"
    return "~" if row.estimated else ""


def _percent(row: LedgerRow) -> str:
    digits = 0 if row.rough else 1
    return words.percent(words.floored_share(row.share, digits) if row.at_least else row.share, digits)


def time_of(row: LedgerRow) -> str:
    """All of its time, as far as that is known."""
    told = words.floored_duration if row.at_least else words.rounded_duration
    return "" if row.rough else told(row.seconds)


def kinds_of(cause: str, ledger: Iterable[LedgerRow]) -> frozenset[str]:
    """The causes of iterations that count for a row: where one time for two was divided, the two together too."""
    rows = {row.cause for row in ledger}
    divided = {kind for kind, part in WITH_EVALUATION.items() if kind not in rows and cause in (EVALUATION, part)}
    return frozenset({cause, *divided})


def ledger_rows(found: Findings, width: int) -> list[LedgerCells]:
    """A row for every cause that took time, the largest first, each `width` cells wide; `~` marks an estimate."""
    shown = by_size(found.ledger)
    name_cells = min(max((len(name_of(r.cause, found)) for r in shown), default=8), _LONGEST_NAME)
    has_time = width >= name_cells + _ROOM_FOR_TIME
    bar_cells = max(0, width - name_cells - _SHARE_CELLS - (_TIME_CELLS if has_time else 0))
    return [
        LedgerCells(
            cause=row.cause,
            name=f" {name_of(row.cause, found):<{name_cells}} ",
            bar=f"{bar(row.share, bar_cells):<{bar_cells}}",
            share=f"{_mark(row):1}{_percent(row):>7} ",
            time=f"{time_of(row):>11}" if has_time else "",
        )
        for row in shown
    ]
