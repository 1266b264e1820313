"""The incidents page: what happened to the run, the newest first, each with its evidence and what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import Severity
from ...reports.rows.incidents import incident_rows
from ..drawing.lines import wrap

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ...reports.rows.incidents import IncidentRow
    from ..drawing.lines import Block

NONE = "Nothing happened that is worth a word: no stall, no loss that is no number, no slower stretch."

_STYLES = {Severity.ERROR: "bad", Severity.WARNING: "warn", Severity.INFO: "good"}


def incident_lines(found: Findings, width: int) -> Block:
    """Lines of at most `width` cells."""
    rows = incident_rows(found)[::-1]
    if not rows:
        return [((" ", ""), *line) for line in wrap(NONE, width - 2, "dim")]
    return [line for row in rows for line in _entry(row, width)]


def _entry(row: IncidentRow, width: int) -> Block:
    mark = "○" if row.over else "●" if row.severity == Severity.INFO else "▲"
    style = "dim" if row.over else _STYLES[row.severity]
    lines: Block = [((f" {mark} {row.title}", style), (f"  {row.when}", "label"))]
    for sentence in row.said:
        lines += [(("   ", ""), *line) for line in wrap(sentence, width - 4)]
    return lines
