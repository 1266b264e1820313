"""TensorFlow's Estimator, and its hooks: a line each `log_step_count_steps`, and words on its saves and its end.

    INFO:tensorflow:  Num steps = 5000                                                              of BERT's scripts
    INFO:tensorflow:loss = 0.52, step = 300 (12.345 sec)
    INFO:tensorflow:Saving checkpoints for 350 into /tmp/model/model.ckpt.
    INFO:tensorflow:Loss for final step: 0.5.
    I0501 10:00:04.250000 140000000000000 tpu_estimator.py:2307] global_step/sec: 0.25     of TPUEstimator, without a loss
The seconds are those since the line before. The last save tells how far it came, also where no line of a loss does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION, End, Iteration
from ...base import Example
from ...means.rates_alone import Rated
from ...parsing.grammar import Line, handler
from ...parsing.lines import LONGEST_ORIGIN, LineParser
from ...parsing.values import unix_time

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class Estimator(LineParser):
    """Steps, by the lines of its logging hook."""

    name = "TensorFlow Estimator"
    about = "time: the mean of all steps since the line before, with saves and evaluations between them"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line(" sec)", r"loss = (?P<loss>N), step = (?P<iteration>\d+) \((?P<window>N) sec\)", "row"),
        Line("step = ", r"(?:tensorflow:|\.py:\d+\]) ?loss = (?P<loss>N), step = (?P<iteration>\d+)", "row"),
        Line("step = ", r"^ ?loss = (?P<loss>N), step = (?P<iteration>\d+)\s*$", "row", distinctive=False),
        Line("global_step/sec: ", r"^[A-Z]\d{4} [\d:.]{8,15} +\d+ tpu_estimator\.py:\d+\] global_step/sec: (?P<rate>N)\s*$", "rated"),
        Line("Saving checkpoints for", r"Saving checkpoints for (?P<iteration>\d+)", "saves", distinctive=False),
        Line("Loss for final step", r"Loss for final step: (?P<loss>N)\.?\s*$", "final"),
        Line("Num steps = ", r"(?:^|:)\s*Num steps = (?P<max_iterations>\d+)\s*$", "config", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
INFO:tensorflow:loss = 0.75, step = 200
INFO:tensorflow:loss = 0.5, step = 300 (12.500 sec)
""",
            iterations=((200, None, 1, 0.75), (300, 0.125, 100, 0.5)),
        ),
        Example(
            """
INFO:tensorflow:  Num steps = 350
INFO:tensorflow:loss = 0.75, step = 0
INFO:tensorflow:loss = 0.5, step = 300 (37.500 sec)
INFO:tensorflow:Saving checkpoints for 350 into /tmp/model/model.ckpt.
INFO:tensorflow:Loss for final step: 0.25.
""",
            iterations=((0, None, 0, 0.75), (300, 0.125, 300, 0.5), (350, None, 50, 0.25)),
            checkpoints=(350,),
            variant="TensorFlow's estimator, to its end",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._newest_s: float | None = (
            None  # what the newest row says; the same once more is a line of another handler
        )
        self._again_s = 0.0  # what rows said that stood at the place of the newest
        self._rated = Rated()
        self._saved: tuple[float, LogLine] | None = None  # the newest step that was, if no loss has come since

    @handler(iterations=True, numbers=("window",))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """The seconds in brackets are those of all steps since the last line."""
        self._saved = None
        self._rated.drop()
        steps = fields["iteration"] - self.last if self.last is not None else 0
        before_s, self._newest_s = self._newest_s, fields.get("window")
        if steps == 0 and self.last is not None and self._newest_s != before_s:
            self._again_s += self._newest_s or 0.0
        if steps > 0 and "window" in fields:
            fields |= {"duration_s": (self._again_s + fields["window"]) / steps, "averaged_over": steps}
        self._again_s = 0.0 if steps else self._again_s
        if not fields["iteration"]:  # none was made yet
            fields["averaged_over"] = 0
        return self.iteration(fields, line)

    @handler(iterations=True, numbers=("rate",))
    def rated(self, fields: Fields, line: LogLine) -> list[Event]:
        """Steps of which no other line tells."""
        rows = self._rated.rows(fields["rate"], line)
        events = [event for row, of_line in rows for event in self.iteration(row, of_line)]
        self._saved = None if events else self._saved
        return events

    @handler()
    def saves(self, fields: Fields, line: LogLine) -> list[Event]:
        """It came so far."""
        self._rated.begins(fields["iteration"])
        self._saved = fields["iteration"], line
        return self.checkpoint(fields, line)

    @handler(iterations=True)
    def final(self, fields: Fields, line: LogLine) -> list[Event]:
        """The newest save was the last step's."""
        found = [] if self._saved is None else self._came(fields)
        return [*found, End(at_s=unix_time(line.at_s), detail=line.text.strip()[:LONGEST_ORIGIN])]

    def end(self) -> list[Event]:
        """See `EndingParser`: the log is cut off behind a save."""
        return self._came({})

    def release(self) -> list[Event]:
        """Nobody writes any more."""
        return self._came({})

    def _came(self, fields: Fields) -> list[Event]:
        """As far as the newest save, if that is behind the newest row: of these steps no time is known."""
        saved, self._saved = self._saved, None
        if saved is None or self.last is None or saved[0] <= self.last:
            return []
        steps = saved[0] - self.last
        rows = self.iteration(fields | {"iteration": saved[0]}, saved[1])
        return [replace(one, averaged_over=int(steps)) if isinstance(one, Iteration) else one for one in rows]
