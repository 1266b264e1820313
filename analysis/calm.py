"""The incidents of a run that goes on, for who watches many of them: what costs a millisecond is not worked out.

A run that is neither over nor silent, and whose ranks do not hang, is in no incident that needs all its figures.
What this says is then what `Run.findings` says, at a tenth of the cost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .findings import Activity
from .outlook.loss_levels import zero_since
from .outlook.now import LEAST_SILENCE_S, LONG_SILENCE_S, SILENT
from .ranks.hangs import hang_of
from .snapshot import heard, now_of
from .state import current_state

if TYPE_CHECKING:
    from .findings import Incident
    from .incidents.past import Past
    from .intake import Intake


class Calm(NamedTuple):
    """The incidents of a run that goes on, and how long nothing need be heard of it before that may be one."""

    incidents: tuple[Incident, ...]
    silence_s: float


def calm(run: Intake, past: Past, now_s: float) -> Calm | None:
    """What is known at `now_s` (Unix time); `None`: it is over, silent, hangs, or has a plan: ask for all."""
    now = now_of(current_state(run), now_s)
    if run.ended or run.end_of_file is not None or now.activity == Activity.SILENT:
        return None
    if run.settings.config.budget is not None or run.settings.config.deadline_at_s is not None:
        return None  # what it costs, and when it is done, are of all its figures
    if hang_of(run.rank_states, run.collectives, now, heard(run)) is not None:
        return None
    usual_s = LONG_SILENCE_S / SILENT if now.usual_s is None else now.usual_s
    silence_s = max(LEAST_SILENCE_S, SILENT * usual_s)
    zero = zero_since(run.columns, run.process_start)
    return Calm(past.with_those_of_now(run, zero, ()), silence_s)
