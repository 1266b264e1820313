"""MLPerf's logs: `:::MLLOG` lines, and the two kinds of lines of NVIDIA's references that stand between them.

    :::MLLOG {"time_ms": 1684040096650, "event_type": "POINT_IN_TIME", "key": "tracked_stats",
      "value": {"train_step_timing": 12.16, "reduced_train_loss": 2.78}, "metadata": {"step": 4194304}}    (one line)
    DLL 2024-05-14 23:09:20.251083 - Iteration 2684 | train_acc : 0.7197 % | iteration_time : 113.38 ms | train_loss : 0.85
    {'training_steps': 6024, 'average_loss': 3.8, ..., 'global_steps': 994, ..., 'timestamp': 1593153554.72}             BERT
MLLOG has no lines of iterations. What comes nearest is counted from 1 as the iterations of the run: the statistics where they
hold a step's time (`step` there counts samples), else the blocks, else the epochs, each from its start to its stop.
Evaluations lie outside and have their own start and stop. DLL's time is one iteration's; where it only tells of epochs, an epoch's. BERT's is the difference of its stamps.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from .....events import EVALUATION, SpanBegin
from ...parsing.grammar import Line
from ...parsing.lines import LineParser, log_format
from ...parsing.values import (
    Fields,
    ended,
    finite,
    moment,
    number,
)

if TYPE_CHECKING:
    from .....events import Event

_STEP_TIMES = ("train_step_timing", "train_step_time", "step_time", "iteration_time")
_LOSSES = ("reduced_train_loss", "train_loss", "loss")
_BERT = re.compile(r"'(average_loss|step_loss|learning_rate|global_steps|timestamp)': ([-+\w.]{1,40})")


class MlPerf(LineParser):
    """Statistics, blocks or epochs: the finest that the log has."""

    name = "MLPerf"
    about = (
        "step statistics, else blocks, else epochs, from start to stop; evaluations outside, with their own length"
    )
    generic = 1
    lines = (Line(":::MLLOG", r":::MLLOG \{", "mllog", iteration=True),)

    def __init__(self) -> None:
        super().__init__()
        self._starts: dict[str, float] = {}
        self._level = 0  # 1: epochs, 2: blocks, 3: statistics

    def mllog(self, _fields: Fields, _at_s: float | None) -> list[Event]:
        """One line of JSON."""
        said = _json(self.text[self.text.index(":::MLLOG") + 8 :])
        key, at_s = said.get("key"), _seconds(said.get("time_ms"))
        if not isinstance(key, str) or at_s is None:
            return []
        if key == "tracked_stats" and isinstance(value := said.get("value"), dict):
            return self._statistics(value, at_s)
        what, _, edge = key.rpartition("_")
        if edge == "start":
            self._starts[what] = at_s
            return [SpanBegin(EVALUATION, at_s, self.next_index)] if what == "eval" else []
        if edge == "stop":
            return self._stop(what, at_s)
        return []

    def _statistics(self, value: dict[str, Any], at_s: float) -> list[Event]:
        duration_s = _first(value, _STEP_TIMES)
        return [] if duration_s is None else self._one(3, duration_s, _first(value, _LOSSES), at_s)

    def _stop(self, what: str, at_s: float) -> list[Event]:
        start_s = self._starts.pop(what, None)
        duration_s = None if start_s is None or at_s < start_s else at_s - start_s
        if what == "eval":
            return [ended(EVALUATION, at_s, self.next_index, duration_s)]
        level = {"epoch": 1, "block": 2}.get(what)
        return [] if level is None else self._one(level, duration_s, None, at_s)

    def _one(self, level: int, duration_s: float | None, loss: float | None, at_s: float) -> list[Event]:
        if level < self._level:
            return []
        events: list[Event] = []
        if (
            level > self._level and self.last is not None
        ):  # epochs were counted so far: what is finer begins a new count
            self.last, events = None, [self.run_info(at_s)]
        self._level = level
        return events + self.iteration(
            {"iteration": (self.last or 0) + 1, "duration_s": duration_s, "loss": loss}, at_s
        )


class NvidiaDll(LineParser):
    """NVIDIA's logger."""

    name = "NVIDIA DLLogger"
    about = "iteration_time: one iteration; without evaluation"
    lines = (
        Line(
            "DLL ",
            r"DLL \S+ \S+ - Iteration (?P<iteration>\d+) \| .{0,200}?iteration_time : (?P<duration_ms>N) ms(?: \| train_loss : (?P<loss>N))?",
        ),
        Line("DLL ", r"DLL \S+ \S+ - epoch +(?P<iteration>\d+) \| avg train .{0,80}?took +(?P<duration_s>N) s"),
        Line("DLL ", r"DLL \d{4}-\d\d-\d\d \S+ - ", "known"),
    )


class MlPerfBert(LineParser):
    """A dictionary for each step of the optimizer, from one rank."""

    name = "MLPerf BERT"
    about = "difference of the lines' own time stamps: one step, with all that happened in between"
    time_includes = (EVALUATION,)
    from_stamps = True
    lines = (Line("'global_steps':", r"\{'training_steps': \d+, 'average_loss': ", "step", iteration=True),)

    def step(self, _fields: Fields, at_s: float | None) -> list[Event]:
        """A step; its time stamp stands at the end of the line."""
        read = {key: number(value) for key, value in _BERT.findall(self.text[:2000])}
        stamp_s = finite(read.get("timestamp"))
        self.stamped = stamp_s is not None
        fields = {"iteration": read.get("global_steps"), "loss": read.get("step_loss"),
                  "learning_rate": read.get("learning_rate")}  # fmt: skip
        return [] if fields["iteration"] is None else self.iteration(fields, at_s if stamp_s is None else stamp_s)


def _json(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text.strip().encode(), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return {}


def _seconds(milliseconds: object) -> float | None:
    return moment(milliseconds / 1000) if isinstance(milliseconds, int | float) else None


def _first(value: dict[str, Any], names: tuple[str, ...]) -> float | None:
    return next((float(found) for name in names if isinstance(found := value.get(name), int | float)), None)


FORMATS = (log_format(NvidiaDll), log_format(MlPerfBert), log_format(MlPerf))
