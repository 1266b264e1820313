"""Steps of an environment, with the share of all, a clock in whole seconds, and the frames a second.

    [START] Training begun at 12:00:02
    [  2.0%]     40,000/2,000,000 |     10s | 4,000 fps | ETA 490s
    [DONE] Training complete in 500s
Programs that write a film print such rows, too: without a line that says that a training begins nothing is read. The rate is the
mean since the beginning where it agrees with the clock; then both tell how far the clock was, else its whole seconds do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example, Specificity
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import finite

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class StepsWithFps(ElapsedParser):
    """Rows of steps, without a loss."""

    name = "steps with fps"
    about = "steps of the environment, not updates; times from a clock that began with the training, all in them"
    specificity = Specificity.GUESS
    time_includes = (DATA,)
    lines = (
        Line(
            "%]",
            r"^\[ {0,3}\d{1,3}(?:\.\d{1,2})?%\] {1,12}(?P<iteration>N) ?/ ?(?P<total>N) \| {1,12}(?P<elapsed>\d{1,9})s"
            r" \| {1,12}(?P<rate>N) (?i:fps|sps|steps/s)\b",
            "row",
            distinctive=False,
        ),
        Line(
            "raining ",
            r"^(?:\[\w{1,12}\] ?)?[Tt]raining (?:(?:has )?(?:begun|began|begins|started|starts)\b|[\w/.-]{1,30} \([\d.,]{1,15} ?[kKmM]? (?:time)?steps\))",
            "known",
        ),
        Line(
            "raining ",
            r"^(?:\[\w{1,12}\] ?)?[Tt]raining (?:completed?|finished|done) in (?P<duration_s>N) ?s\b",
            "over",
            distinctive=False,
        ),
    )
    examples = (
        Example(
            """
[START] Training begun at 12:00:02
[  2.0%]     40,000/2,000,000 |     10s | 4,000 fps | ETA 490s
[  4.0%]     80,000/2,000,000 |     20s | 4,000 fps | ETA 480s
[  6.0%]    120,000/2,000,000 |     32s | 3,750 fps | ETA 501s
[DONE] Training complete in 500s
""",
            iterations=((40_000, None, 1, None), (80_000, 0.00025, 40_000, None), (120_000, 0.0003, 40_000, None)),
        ),
    )

    @handler(iterations=True, numbers=("elapsed", "rate"))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """So many steps were made when the clock showed this."""
        step, clock_s, rate = (finite(fields.get(name)) for name in ("iteration", "elapsed", "rate"))
        if step is None or clock_s is None or not rate or rate <= 0:
            return self.timed(fields, line, clock_s, 1.0)
        by_rate_s, unsure_s = step / rate, step / rate**2
        if abs(by_rate_s - clock_s) <= 1 + unsure_s and unsure_s < 1:
            return self.timed(fields, line, by_rate_s, unsure_s)
        return self.timed(fields, line, clock_s, 1.0)

    @handler()
    def over(self, fields: Fields, line: LogLine) -> list[Event]:
        """The training is done, and took so long."""
        return self.in_order([*self.took(fields, line), *self.done(fields, line)])
