"""openpi (Physical Intelligence), policies for robots in JAX: a line every `log_interval` steps.

    05:16:41.449 [I] Progress on: 100it/200kit rate:1.5s/it remaining:363:03:01 elapsed:02:00 postfix:-
    05:16:41.449 [I] Step 100: grad_norm=0.50, loss=0.10, param_norm=1377.9
The clock in front has no date, so times are differences of the bar's elapsed time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...families.pairs import numbers
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, number, scalars

if TYPE_CHECKING:
    from .....events import Event


class OpenPi(LineParser):
    """openpi (Physical Intelligence), JAX: a line every `log_interval` steps, the clock without its date in front."""

    name = "openpi"
    about = "time of day's difference over log_interval steps: a mean, with data, evaluation and checkpoint in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("Step ", r"^(?:[^\]]{0,60}\] )?Step (?P<iteration>\d+): (?P<rest>\w+=.*)$", "step"),
        Line(
            "Progress on:",
            r"Progress on: \S+/(?P<rest>\S+) rate:\S+ remaining:\S+ elapsed:(?P<stamp>[\d:]+)",
            "progress",
        ),
    )
    examples = (
        Example(
            """
05:16:41.449 [I] Progress on: 100it/200kit rate:1.5s/it remaining:363:03:01 elapsed:02:00 postfix:- (2490449:tqdm_logging.py:145)
Step 100: grad_norm=2.0, loss=0.25, param_norm=1377.8652
05:19:11.449 [I] Progress on: 200it/200kit rate:1.5s/it remaining:363:03:01 elapsed:04:30 postfix:- (2490449:tqdm_logging.py:145)
05:19:11.449 [I] Step 200: grad_norm=2.0, loss=0.125, param_norm=1377.8652
""",
            iterations=((100, None, 1, 0.25), (200, 1.5, 100, 0.125)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._elapsed_s: float | None = None
        self._logged_s: float | None = None

    @handler(texts=("rest", "stamp"))
    def progress(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The bar's frames hold the clock: they stand around the lines of the steps."""
        seconds = 0.0
        for part in fields["stamp"].split(":"):
            seconds = seconds * 60 + (number(part) or 0)
        if self._elapsed_s is not None and seconds < self._elapsed_s:
            self._logged_s = None
        self._elapsed_s = seconds
        return []

    @handler(iterations=True, texts=("rest",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """The metrics are means over the interval."""
        read = numbers(fields.pop("rest"), between=",", inside="=")
        fields["loss"], fields["gradient_norm"] = read.get("loss"), read.get("grad_norm")
        fields["scalars"] = scalars(read.items(), ("loss", "grad_norm"))
        steps = fields["iteration"] - self.last if self.last is not None else 0
        if (
            steps > 0
            and self._logged_s is not None
            and self._elapsed_s is not None
            and self._elapsed_s > self._logged_s
        ):
            fields |= {"duration_s": (self._elapsed_s - self._logged_s) / steps, "averaged_over": steps}
        self._logged_s = self._elapsed_s
        return self.iteration(fields, line)
