"""torchtitan's structured log of one rank: JSON Lines with the begin and the end of each part of a step.

    {"rank": 0, "source": "training", "step": 5, "log_type_name": "fwd_bwd_end", "value": 12.5, "time_us": ...}
A step lasts from the first record with its number to the first with the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION, GC, Iteration
from ...base import Example
from ...generic.json_lines import parse_object
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, as_float, ended, seconds, unix_time, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event

_SPANS = {"eval": EVALUATION, "validat": EVALUATION, "checkpoint": CHECKPOINT, "save": CHECKPOINT, "gc": GC}
_PHASES = {"fwd_bwd": "forward and backward", "optim": "optimizer", "fetch": "data", "data": "data"}


class TorchtitanTrace(LineParser):
    """torchtitan's structured log of one rank."""

    name = "torchtitan trace"
    about = (
        "from the first record of a step to the first of the next: everything in it, parts by their own records"
    )
    time_includes = (EVALUATION, CHECKPOINT, DATA, GC)
    lines = (Line('"log_type_name"', r"^\s*\{.{0,3000}\"log_type_name\":", "record"),)
    examples = (
        Example(
            """
{"rank": 0, "source": "training", "step": 1, "time_us": 1709500000000000, "log_type_name": "fwd_bwd_start"}
{"rank": 0, "source": "training", "step": 1, "time_us": 1709500001000000, "log_type_name": "fwd_bwd_end", "value": 1000.0}
{"rank": 0, "source": "training", "step": 2, "step_tags": ["gc"], "time_us": 1709500001500000, "log_type_name": "fwd_bwd_start"}
{"rank": 0, "source": "training", "step": 3, "time_us": 1709500003500000, "log_type_name": "fwd_bwd_start"}
""",
            iterations=((1, 1.5, 1, None), (2, 2.0, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._step: int | None = None
        self._began_s: float | None = None
        self._phases: dict[str, float] = {}
        self._open: dict[str, float] = {}

    @handler(iterations=True)
    def record(self, _fields: Fields, line: LogLine) -> Sequence[Event]:
        """One record: the begin or the end of a part, a scalar, or a mark."""
        record = parse_object(line.text) or {}
        step, at_us, name = record.get("step"), as_float(record.get("time_us")), record.get("log_type_name")
        at_s = None if at_us is None else unix_time(at_us / 1e6)
        if not isinstance(step, int) or whole(step) is None or at_s is None or not isinstance(name, str):
            return []
        self.clocked = True
        events: list[Event] = []
        if step != self._step:
            events += self._finish(at_s)
            self._step, self._began_s, self._phases = step, at_s, {}
        part, _, edge = name.rpartition("_")
        if edge == "start":
            self._open[part] = at_s
        elif edge == "end" and (begun_s := self._open.pop(part, None)) is not None:
            events += self._part(part.lower(), at_s - begun_s, at_s)
        return events

    def _finish(self, at_s: float) -> list[Event]:
        if self._step is None or self._began_s is None or self._step == self.last:
            return []
        index, self.last = self._step, self._step
        if at_s < self._began_s:
            return []
        return [Iteration(index, seconds(at_s - self._began_s), at_s=unix_time(at_s), phases=self._phases or None,
                          data_wait_s=self._phases.get("data"))]  # fmt: skip

    def _part(self, part: str, duration_s: float, at_s: float) -> list[Event]:
        for word, phase in _PHASES.items():
            if word in part:
                spent_s = seconds(self._phases.get(phase, 0.0) + duration_s)
                self._phases |= {} if spent_s is None else {phase: spent_s}
                return []
        for word, kind in _SPANS.items():
            if word in part:
                return [ended(kind, at_s, self._step, duration_s, detail=part)]
        return []
