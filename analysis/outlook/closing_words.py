"""Behind its newest row a log may speak of an end in words that nobody knows: then nothing is foretold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...words import clipped
from ..findings import Eta
from ..record.settings import PRECEDENTS
from ..timing.level import FEW_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..findings import Ending, Level

_SHOWN = 60
"""Characters of such a line."""

_IN_FRONT = r"^(?:[\W\d_]|\b(?:T|Z|INFO|root|WARNING)\b)*"
"""A stamp, a level, a rule of dashes."""

_WHOSE = r"\b(?:training|run|script|job|experiments?|process|program|optimi[sz]ation|fit(?:ting)?|search|all \w+)"
_CLOSES = (
    rf"(?i){_IN_FRONT}(?:best|final|overall|elapsed|the end|good ?bye|bye|exiting)\b"
    rf"|{_IN_FRONT}(?:done|finished|completed?|ended|over)\W*$"
    rf"|{_WHOSE}\W{{1,3}}(?:\w+\W){{0,3}}?(?:ends|ended|over|done|finished|completed?|concluded|took|lasted)\b"
    r"|\b(?:all|across|over|mean|average)\W(?:\w+\W){0,3}(?:folds|cvs|seeds|splits)\b"
    r"|\bcross[- _]?valid\w{0,6} (?:results?|scores?|accuracy)\b"
    r"|\bconverge(?:d|nce)\b|\btotal(?:ly)? (?:elapsed|time|run ?time|duration|used)\b"
    r"|\b(?:time|elapsed) (?:elapsed|total|in total)\b|\bearly[- _]?stop|^\W+\d+\.\d+ sec(?:ond)?s?\b"
)
"""`Best accuracy: 0.9`, `convergence attained`, `Total elapsed: 3 h`, `--- 451.25 seconds ---`."""


def closing_line(over: Ending) -> str:
    """The first of a log's last lines, behind its newest row, that may speak of an end; "": none does."""
    behind = min(over.lines_behind or 0, len(over.tail))
    return next((line for line in over.tail[len(over.tail) - behind :] if re.search(_CLOSES, line)), "")


def withheld(
    eta: Eta, why: str, over: Ending | None, early: Sequence[bool] = (), trainings: int = 0
) -> tuple[Eta, str]:
    """The ETA and why there is none: none, where the log may have come to its end without a word that is known.

    Nor where another begins behind its newest row, or each training before this one ended `early`: a total is no
    end where a training stops itself.
    """
    if eta.remaining_s is None and eta.printed is None:
        return eta, why
    if line := closing_line(over) if over is not None and not over.reason else "":
        said = f'the log\'s last lines may speak of an end: "{clipped(line.strip(), _SHOWN)}"'
    elif over is not None and over.begun_line is not None:
        said = f"another training seems to begin at line {over.begun_line:,}, behind the newest row"
    elif trainings - 1 == len(early) >= PRECEDENTS and all(early):
        said = f"each of the {len(early)} trainings before this one in the log ended far before its total"
    else:
        return eta, why
    return Eta(schedules=eta.schedules, scores=eta.scores), said


def of_enough(eta: Eta, why: str, level: Level, *, row_to_row: bool) -> tuple[Eta, str]:
    """The ETA and why there is none: none from the times between a few rows of a script that nobody described.

    A clock of whole seconds that ticked once says next to nothing of the many iterations to come.
    """
    alone = eta.remaining_s is not None and eta.low_s is None and eta.printed is None
    if not (alone and row_to_row and 0 < level.iterations < FEW_ROWS):
        return eta, why
    return Eta(schedules=eta.schedules, scores=eta.scores), "too few times from row to row"
