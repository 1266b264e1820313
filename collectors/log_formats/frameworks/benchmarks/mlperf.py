"""MLPerf's own lines, `:::MLLOG`.

    :::MLLOG {"time_ms": 1684040096650, "event_type": "POINT_IN_TIME", "key": "tracked_stats",
      "value": {"train_step_timing": 12.16, "reduced_train_loss": 2.78}, "metadata": {"step": 4194304}}    (one line)
There are no lines of iterations. What comes nearest is counted from 1 as the iterations of the run: the statistics where they
hold a step's time (`step` there counts samples), else the blocks, else the epochs, each from its start to its stop.
Evaluations lie outside and have their own start and stop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from .....events import EVALUATION, SpanBegin
from ...base import Example, Specificity
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, as_float, ended, unix_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event

_STEP_TIMES = ("train_step_timing", "train_step_time", "step_time", "iteration_time")
_BEGINS = ("init", "run")
_LEVELS = {"epoch": 1, "block": 2}
_LOSSES = ("reduced_train_loss", "train_loss", "loss")


class MlPerf(LineParser):
    """Statistics, blocks or epochs: the finest that the log has."""

    name = "MLPerf"
    about = (
        "step statistics, else blocks, else epochs, from start to stop; evaluations outside, with their own length"
    )
    specificity = Specificity.COMMON
    lines = (Line(":::MLLOG", r":::MLLOG \{", "mllog"),)
    examples = (
        Example(
            """
0: :::MLLOG {"namespace": "", "time_ms": 1684040000000, "event_type": "INTERVAL_START", "key": "block_start", "value": null, "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1684040100000, "event_type": "INTERVAL_END", "key": "block_stop", "value": null, "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1684040100000, "event_type": "INTERVAL_START", "key": "block_start", "value": null, "metadata": {}}
0: :::MLLOG {"namespace": "", "time_ms": 1684040200500, "event_type": "INTERVAL_END", "key": "block_stop", "value": null, "metadata": {}}
""",
            iterations=((1, 100.0, 1, None), (2, 100.5, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._starts: dict[str, float] = {}
        self._finest = self._level = 0  # of the lines seen first; that is counted. See `_LEVELS`; 3: statistics
        self._ran = False
        self._first_at_s = 0.0  # the first iteration's end

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:  # noqa: ARG002 - any line tells
        """What is the finest that the log has?"""
        for text in lines:
            said = _said(text)
            what, _, edge = str(said.get("key")).rpartition("_")
            value = said.get("value")
            counts = isinstance(value, dict) and _first(value, _STEP_TIMES) is not None
            level = (
                3 if counts and said["key"] == "tracked_stats" else _LEVELS.get(what, 0) if edge == "stop" else 0
            )
            self._finest = max(self._finest, level)
        if self.last is None:
            self._level = self._finest

    @handler(iterations=True)
    def mllog(self, _fields: Fields, line: LogLine) -> list[Event]:
        """One line of JSON."""
        said = _said(line.text)
        key, at_s = said.get("key"), _seconds(said.get("time_ms"))
        if not isinstance(key, str) or at_s is None:
            return []
        line, self.clocked = line._replace(at_s=at_s), True
        if key == "tracked_stats" and isinstance(value := said.get("value"), dict):
            return self._statistics(value, line)
        what, _, edge = key.rpartition("_")
        if edge == "start":
            if what in _BEGINS and self._ran and self.last is not None:
                return self._anew(line)
            self._ran = self._ran or what == "run"
            self._starts[what] = at_s
            return [SpanBegin(EVALUATION, at_s, self.next_index)] if what == "eval" else []
        if edge == "stop":
            return self._stop(what, at_s, line)
        return []

    def _anew(self, line: LogLine) -> list[Event]:
        """Another run in the same file: its initialisation or its clock begins after iterations."""
        self._starts, self._level, self._ran, self.last = {}, self._finest, False, None
        return [self.run_info(line)]

    def _statistics(self, value: dict[str, Any], line: LogLine) -> list[Event]:
        duration_s = _first(value, _STEP_TIMES)
        return [] if duration_s is None else self._one(3, duration_s, _first(value, _LOSSES), line)

    def _stop(self, what: str, at_s: float, line: LogLine) -> list[Event]:
        start_s = self._starts.pop(what, None)
        duration_s = None if start_s is None or at_s < start_s else at_s - start_s
        if what == "eval":
            return [ended(EVALUATION, at_s, self.next_index, duration_s)]
        level = _LEVELS.get(what)
        return [] if level is None else self._one(level, duration_s, None, line)

    def _one(self, level: int, duration_s: float | None, loss: float | None, line: LogLine) -> list[Event]:
        if level < self._level or (level > self._level and self.last is not None):
            return []  # coarser than what is counted; or finer, which was not there when the count began
        at_s = line.at_s or 0.0
        goes_back = (self.last or 0) > 1 and at_s <= self._first_at_s
        events = self._anew(line) if goes_back else []  # another run whose beginning is not in the file
        if self.last is None:
            self._first_at_s = at_s
        self._level = level
        return events + self.iteration(
            {"iteration": (self.last or 0) + 1, "duration_s": duration_s, "loss": loss}, line
        )


def _said(text: str) -> dict[str, Any]:
    _, mark, json = text.partition(":::MLLOG")
    try:
        return msgspec.json.decode((json if mark else "{}").strip().encode(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {}


def _seconds(milliseconds: object) -> float | None:
    read = as_float(milliseconds)
    return None if read is None else unix_time(read / 1000)


def _first(value: dict[str, Any], names: tuple[str, ...]) -> float | None:
    return next((found for name in names if (found := as_float(value.get(name))) is not None), None)
