"""An error long behind the newest row need not be the training's: another program may write to the same log."""

from __future__ import annotations

import re
from operator import sub
from typing import TYPE_CHECKING

from ...events import ClockKind, EndReason
from ..record.messages import is_consequence

if TYPE_CHECKING:
    from ..findings import RunMessage
    from ..intake import Intake

OLD = 20.0
"""A file that nobody has written for so many times the usual is one that nobody writes."""

FAR_S = 3_600.0
"""... or after this long where the usual time is not known: some logs have one line an epoch."""

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
