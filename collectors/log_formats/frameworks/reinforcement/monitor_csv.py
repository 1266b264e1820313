"""`monitor.csv` of Gym and Stable-Baselines: an episode a row.

    #{"t_start": 1627071110.5, "env_id": "CartPole-v1"}
    r,l,t
    -41.07896,99,1.987534
Its reward, its length in steps, and the seconds since `t_start`: all that the agent does meanwhile is in them. Episodes have no number
but their place in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from .....events import CHECKPOINT, DATA, EVALUATION, Witness
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import finite, unix_time

if TYPE_CHECKING:
    from .....events import Event, RunInfo
    from ...parsing.values import Fields, LogLine


class MonitorCsv(LineParser):
    """Episodes, counted."""

    name = "monitor.csv of Gym"
    unit = "episode"
    about = "episodes; differences of the seconds since the beginning; all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line('"t_start"', r'^#\{.{0,400}?"t_start": ?(?P<start>N)', "start"),
        Line("r,l,t", r"^r,l,t(?:,\w+)*$", "known"),
        Line(",", r"^(?P<metric_reward>[-+\d.e]{1,24}),(?P<metric_length>\d+),(?P<elapsed>N)(?:,[^,]{0,80}){0,40}$", "episode", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
#{"t_start": 1627071110.5, "env_id": null}
r,l,t
-41.5,99,1.5
12.0,98,2.5
-7.25,99,4.0
""",
            iterations=((1, None, 1, None), (2, 1.0, 1, None), (3, 1.5, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._start_s: float | None = None
        self._episodes = 0
        self._elapsed_s: float | None = None

    @handler(numbers=("start",))
    def start(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A run begins; the file of one that is resumed has several."""
        self._start_s, self._episodes, self._elapsed_s = finite(fields["start"]), 0, None
        return []

    @handler(iterations=True, numbers=("elapsed",))
    def episode(self, fields: Fields, line: LogLine) -> list[Event]:
        """An episode's end. No stamp is made of the beginning and its seconds: it would confirm what it is made of."""
        elapsed_s, before_s = finite(fields.pop("elapsed")), self._elapsed_s
        if self._start_s is None or elapsed_s is None:
            return []
        self._episodes, self._elapsed_s = self._episodes + 1, elapsed_s
        fields |= {"iteration": float(self._episodes), "elapsed_s": elapsed_s}
        if before_s is not None and elapsed_s >= before_s:
            fields |= {"duration_s": elapsed_s - before_s, "witness": Witness.ELAPSED}
        return self.iteration(fields, line)

    def run_info(self, line: LogLine) -> RunInfo:
        """See `IterationReader.run_info`."""
        return msgspec.structs.replace(super().run_info(line), started_at_s=unix_time(self._start_s))
