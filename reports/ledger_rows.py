"""Where the time went, row by row: the cause, a bar, its share, and its time where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import words
from .lines import bar

if TYPE_CHECKING:
    from ..analysis.findings import Findings

_LONGEST_NAME = 23
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


def ledger_rows(found: Findings, width: int) -> list[LedgerCells]:
    """A row for every cause that took time, the largest first, each `width` cells wide; `~` marks an estimate."""
    shown = sorted((r for r in found.ledger if r.seconds > 0), key=lambda r: -r.seconds)
    name_cells = min(max((len(r.cause) for r in shown), default=8), _LONGEST_NAME)
    has_time = width >= name_cells + _ROOM_FOR_TIME
    bar_cells = max(0, width - name_cells - _SHARE_CELLS - (_TIME_CELLS if has_time else 0))
    return [
        LedgerCells(
            cause=row.cause,
            name=f" {row.cause:<{name_cells}} ",
            bar=f"{bar(row.share, bar_cells):<{bar_cells}}",
            share=f"{'~' if row.estimated else ' '}{words.percent(row.share, 1):>7} ",
            time=f"{words.rounded_duration(row.seconds):>11}" if has_time else "",
        )
        for row in shown
    ]
