"""One table of an agent's training, as the loggers of OpenAI Baselines and its descendants print it: what it counts, and its clock.

An iteration is a rollout with the updates after it where the table counts those (`iterations`, `nupdates`, `training_iteration`), else
an update (`n_updates` of DQN and SAC). Steps of the environment are iterations only where nothing else is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..between.late_values import late_fields
from ..means.rounded import ROUNDED_ALIKE, RoundedSteps
from ..parsing.values import finite, number, scalars, whole
from .elapsed import ElapsedParser, resolution

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ....events import Event
    from ..parsing.values import Fields, LogLine

ITERATIONS = ("time/iterations", "training_iteration", "misc/nupdates", "nupdates", "n_updates", "total/epochs")
UPDATES = "train/n_updates"
STEPS = (
    "time/total_timesteps",
    "misc/total_timesteps",
    "total_timesteps",
    "total timesteps",
    "TimestepsSoFar",
    "timesteps_total",
    "total/steps",
)
ONLY_STEPS = ("steps", *STEPS)
CLOCKS = (
    "time/time_elapsed",
    "misc/time_elapsed",
    "time_elapsed",
    "TimeElapsed",
    "time_total_s",
    "total/duration",
)
_LOSSES = ("train/loss", "loss/loss", "loss")
_RATES = ("train/learning_rate", "current_lr", "loss/learning_rate")
_OF_THE_PROCESS = ("timestamp", "pid", "time_this_iter_s", "time_since_restore", "iterations_since_restore")
_UNDERSTOOD = frozenset(
    (*ITERATIONS, *ONLY_STEPS, *CLOCKS, *_LOSSES, *_RATES, UPDATES, *_OF_THE_PROCESS, "time/episodes")
)


class RolloutParser(ElapsedParser):
    """Tables to iterations."""

    def __init__(self) -> None:
        super().__init__()
        self._steps = self._counted = self._before = 0.0
        self._rounded = RoundedSteps()
        self._newest_row: tuple[float, Mapping[str, str]] = (-1.0, {})  # the iteration, and its table
        self._trained: dict[str, str] = {}  # what an evaluation's table said of the updates before it
        self._counts: str | None = None  # the column that does
        self._clock_s: float | None = None  # of the newest table
        self.never_updates = False  # no table of the log has that column: its steps are all that counts
        self._waits = False  # the agent only collects: it has not learnt yet

    def table(self, row: Mapping[str, str], line: LogLine, counted: float | None = None) -> list[Event]:
        """One table, as name and text; `counted`: the iteration that was printed above it."""
        if any(name.startswith("eval/") for name in row):
            self._trained = {
                name: text
                for name, text in row.items()
                if name.startswith("train/") or name in (*_LOSSES, *_RATES)
            }
            return self._evaluated(row, line)
        row, self._trained = {**self._trained, **row}, {}
        clock = next((row[name] for name in CLOCKS if row.get(name)), "")
        elapsed_s = finite(number(clock))
        begun = self._begun_anew(row, elapsed_s, line)
        index = self._place(row, counted)
        if index is None:
            return begun
        fields: Fields = {
            "iteration": index,
            "loss": _first(row, _LOSSES),
            "learning_rate": _first(row, _RATES),
        }
        fields["scalars"] = scalars(row.items(), _UNDERSTOOD)
        before, self._newest_row = self._newest_row, (index, row)
        rounded = any("e+" in row.get(name, "") for name in (*ITERATIONS, *ONLY_STEPS))
        if rounded and before[0] == index and before[1] != row and not begun:
            word = [] if self.at_least else self.said(ROUNDED_ALIKE, line)
            return self.in_order([*word, late_fields(fields, int(index))])
        if elapsed_s is not None:
            fields["elapsed_s"] = elapsed_s
        return [*begun, *self.timed(fields, line, elapsed_s, resolution(clock))]

    def _begun_anew(self, row: Mapping[str, str], elapsed_s: float | None, line: LogLine) -> list[Event]:
        """Another training begins where what counts is another (rollouts, then updates), or both steps and clock fall.

        Its counter may stand higher than that of the one before.
        """
        counts = UPDATES if "time/episodes" in row else next((name for name in ITERATIONS if name in row), None)
        steps, (was, before_s) = _first(row, STEPS), (self._counts, self._clock_s)
        self._counts, self._clock_s = counts or was, elapsed_s
        fell = None not in (steps, elapsed_s, before_s) and (steps or 0) < self._steps
        fell = fell and (elapsed_s or 0) < (before_s or 0)
        if self.last is None or not (fell or (was and counts and counts != was)):
            return []
        events = self.release()
        self.last, self._began, self._counted, self._before = None, None, 0.0, 0.0
        return [*events, replace(self.run_info(line), resumed=False)]

    def _place(self, row: Mapping[str, str], counted: float | None) -> float | None:
        steps = _first(row, STEPS)
        index = self._printed(row) if counted is None else counted
        if index is None and "time/episodes" in row and not self.never_updates:
            index = _first(row, (UPDATES,))
        elif index is None:
            index = _first(row, ONLY_STEPS)
        if whole(index) is None or index is None:
            return None
        if index < self._counted and steps is not None and steps > self._steps:
            self._before += self._counted  # `learn` was called once more: the agent goes on, its counter does not
        elif index < self._counted:
            self._before = 0.0
        self._counted, self._steps = index, steps or 0.0
        return self._before + index

    def _printed(self, row: Mapping[str, str]) -> float | None:
        """The iteration that a table says; older loggers print it with three digits."""
        text = next((row[name] for name in ITERATIONS if row.get(name)), None)
        return None if text is None else self._rounded.step(text)

    def _evaluated(self, row: Mapping[str, str], line: LogLine) -> list[Event]:
        values = {
            name.removeprefix("eval/"): value
            for name, text in row.items()
            if name.startswith("eval/") and (value := number(text)) is not None
        }
        return self.in_order(self.evaluation(values, line))


def _first(row: Mapping[str, str], names: tuple[str, ...]) -> float | None:
    return next((value for name in names if name in row and (value := number(row[name])) is not None), None)
