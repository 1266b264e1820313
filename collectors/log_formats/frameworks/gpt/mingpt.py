"""minGPT (karpathy): `iter_dt 17397.29ms; iter 10: train loss 3.02059`, printed every ten iterations by default.

`iter_dt` is the time of that one iteration, not a mean; it includes whatever the callbacks of the iteration before did
(evaluation, sampling, checkpoint: the project's demos do them there). It is 0.00 at iteration 0, which means: unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, EVALUATION
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class MinGpt(LineParser):
    """Times of single iterations; the callbacks' work is in the next one."""

    name = "minGPT"
    about = "iter_dt: one iteration, with the callbacks (evaluation, checkpoint) of the one before"
    time_includes = (EVALUATION, CHECKPOINT)
    lines = (
        Line("iter_dt", r"iter_dt (?P<duration_ms>N)ms; iter (?P<iteration>\d+): train loss (?P<loss>N)", "step"),
        Line("number of parameters:", r"^number of parameters: (?P<parameters_m>N)M$", "config", distinctive=False),
        Line("saving model", r"^saving model", "checkpoint"),
    )  # fmt: skip
    examples = (
        Example(
            """
iter_dt 0.00ms; iter 0: train loss 4.18694
iter_dt 17397.50ms; iter 10: train loss 3.02059
""",
            iterations=((0, None, 1, 4.18694), (10, 17.3975, 1, 3.02059)),
        ),
    )

    @handler(iterations=True)
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """The first iteration has no time: its 0.00 is left out."""
        if not fields.get("duration_s"):
            fields.pop("duration_s", None)
        return self.iteration(fields, line)
