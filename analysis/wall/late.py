"""What comes long behind the newest row need not be the training's: another program may write to the same log."""

from __future__ import annotations

import re
from operator import sub
from typing import TYPE_CHECKING

from ...events import ClockKind, EndReason
from ..findings.findings import FEW_KNOWN
from ..record.messages import is_consequence

if TYPE_CHECKING:
    from ..findings import RunMessage
    from ..intake import Intake

OLD = 20.0
"""A file that nobody has written for so many times the usual is one that nobody writes."""

FAR_S = 3_600.0
"""... or after this long where the usual time is not known: some logs have one line an epoch."""

MOST_BEHIND, LEAST_BEHIND = 0.5, 100
"""Of the lines of a log, and at least: where more stand behind the newest row that is read, it is no end."""

_ROWS, _FEWEST = 10, 3
"""The newest, whose longest gap is what may pass between two."""

_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|Fault)\b")
_WATCHED = ("imeout", "imed out", "NCCL", "atchdog", "out of memory")
"""Words of what a training waits for that hangs, or of what it meets after a long stop."""


def late_s(run: Intake, said: RunMessage) -> float | None:
    """How long behind the newest row an exception came; `None` where few rows would have come since."""
    rows = len(run.columns.index)
    if said.ending != EndReason.FAILED or said.at_s is None or run.spans.open or run.exit:
        return None
    if run.info.clock != ClockKind.LOG or not _EXCEPTION.match(said.text) or is_consequence(said.text):
        return None
    times = [run.columns.time_at(n) for n in range(max(run.process_start, rows - _ROWS), rows)]
    if any(word in said.text for word in _WATCHED) or len(times) < _FEWEST:
        return None
    behind_s = said.at_s - times[-1]
    return behind_s if behind_s > max(OLD * max(map(sub, times[1:], times)), FAR_S) else None


def goes_on_for_long(run: Intake) -> bool:
    """Do most lines, or most hours, of a script's log that nobody described follow its newest row?

    There may be rows among them that are not read. So there may behind a known trainer's, where hardly a line
    of the log is its own: then the hours alone tell it.
    """
    file, rows, known = run.end_of_file, len(run.columns.index), run.info.known_lines
    of_little = known is not None and known < FEW_KNOWN
    if file is None or not rows or not (run.info.undescribed or of_little):
        return False
    behind = file.lines - file.newest if file.lines is not None and file.newest is not None else 0
    newest_s = run.columns.time_at(rows - 1)
    of_rows_s = newest_s - run.columns.time_at(0)
    by_lines_s = file.dated_s if run.info.clock == ClockKind.LOG else None
    behind_s = max((one for one in (run.heard_s, by_lines_s) if one is not None), default=newest_s) - newest_s
    most = behind > max(LEAST_BEHIND, MOST_BEHIND * (file.lines or 0)) and run.info.undescribed
    return most or behind_s > max(FAR_S, of_rows_s)
