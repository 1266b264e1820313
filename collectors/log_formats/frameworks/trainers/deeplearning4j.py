"""Deeplearning4j's listeners.

    06:38:16.402 [main] INFO org.deeplearning4j...ScoreIterationListener - Score at iteration 0 is 1.62
    o.d.o.l.PerformanceListener - ETL: 0 ms; iteration 10; iteration time: 25 ms; samples/sec: 1234.5; batches/sec: 40.0; score: 1.2
Logback's usual stamp has a time of day without a date: the difference of two is taken, past midnight too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION, Witness
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_OF_DAY = r"(?:^|[\s:\]|])(\d\d):(\d\d):(\d\d[.,]\d{3}) "
_DAY_S = 86_400.0


class Deeplearning4j(LineParser):
    """Scores by iteration."""

    name = "Deeplearning4j"
    about = "time of day on the lines, over the iterations between, all in it; or the listener's iteration time"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("Score at iteration", r"Score at iteration (?P<iteration>\d+) is (?P<loss>N)", "score"),
        Line("iteration time:", r"(?:ETL: (?P<data_wait_ms>N) ms; )?iteration (?P<iteration>\d+); iteration time: (?P<duration_ms>N) ms; .{0,200}?(?:score: (?P<loss>N)|$)"),
        Line("deeplearning4j", r"\borg\.deeplearning4j\.[\w.]{1,200} - ", "known"),
    )  # fmt: skip
    examples = (
        Example(
            """
23:59:50.500 [main] INFO org.deeplearning4j.optimize.listeners.ScoreIterationListener - Score at iteration 0 is 1.625
00:00:40.500 [main] INFO org.deeplearning4j.optimize.listeners.ScoreIterationListener - Score at iteration 100 is 1.5
""",
            iterations=((0, None, 1, 1.625), (100, 0.5, 100, 1.5)),
        ),
        Example(
            """
o.d.o.l.PerformanceListener - ETL: 2 ms; iteration 10; iteration time: 25 ms; samples/sec: 1280.000; batches/sec: 40.000; score: 1.25
o.d.o.l.PerformanceListener - ETL: 0 ms; iteration 11; iteration time: 30 ms; samples/sec: 1066.667; batches/sec: 33.333;
""",
            iterations=((10, 0.025, 1, 1.25), (11, 0.03, 1, None)),
            variant="Deeplearning4j's PerformanceListener",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._of_day_s: float | None = None
        self._elapsed_s = 0.0

    @handler(iterations=True)
    def score(self, fields: Fields, line: LogLine) -> list[Event]:
        """A score, and the time of day."""
        before_s, self._of_day_s = self._of_day_s, _of_day(line.text)
        steps = fields["iteration"] - self.last if self.last is not None else 0.0
        if steps < 0:  # another training, with a clock of its own
            self._elapsed_s = 0.0
        if before_s is not None and self._of_day_s is not None and steps > 0:
            spent_s = (self._of_day_s - before_s) % _DAY_S
            self._elapsed_s += spent_s
            fields |= {"duration_s": spent_s / steps, "averaged_over": steps, "witness": Witness.ELAPSED}
            fields["elapsed_s"] = self._elapsed_s
        return self.iteration(fields, line)


def _of_day(text: str) -> float | None:
    found = re.search(_OF_DAY, text[:100])
    return int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3].replace(",", ".")) if found else None
