"""guided-diffusion, improved-diffusion and their children: boxes of OpenAI's logger that count steps, without a clock.

    ---------------------------
    | grad_norm    | 0.146    |
    | loss         | 0.0563   |
    | samples      | 2.01e+05 |
    | step         | 7.84e+03 |
    ---------------------------
A box is printed every `log_interval` steps, with the means since the last one. Its numbers have three digits: from step 1,000 on
the step is rounded, and got back by the distance of the boxes before; without those, boxes that round to the same one are one,
with the values of the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import Example
from ...between.late_values import late_fields
from ...means.rounded import ROUNDED_ALIKE, RoundedSteps
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import number, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_MOST_ROWS = 200
_LOSSES = ("loss", "train_loss")


class GuidedDiffusion(LineParser):
    """Boxes of names and values."""

    name = "guided-diffusion"
    about = "a box every log_interval steps: no clock, and steps from 1,000 on, printed with three digits, by their distance"
    lines = (
        Line("| step ", r"^\| step +\| (?P<printed>\d[\d.e+]{0,20}) +\|$", "count"),
        Line("|", r"^\| (?P<key>[A-Za-z][\w@/. -]{0,60}?) +\| (?P<text>\S{1,40}) +\|$", "row", distinctive=False),
        Line("---", r"^-{10,200}$", "border", distinctive=False),
    )
    examples = (
        Example(
            """
Logging to ./results
-----------------------
| grad_norm | 0.125   |
| loss      | 0.5     |
| step      | 0       |
-----------------------
-----------------------
| grad_norm | 0.125   |
| loss      | 0.25    |
| step      | 100     |
-----------------------
""",
            iterations=((0, None, 1, 0.5), (100, None, 1, 0.25)),
        ),
        Example(
            """
Logging to ./results
-----------------------
| mse_wav_lll | 0.125 |
| samples     | 11    |
| step        | 10    |
-----------------------
-----------------------
| mse_wav_lll | 0.25  |
| samples     | 21    |
| step        | 20    |
-----------------------
""",
            iterations=((10, None, 1, None), (20, None, 1, None)),
            variant="guided-diffusion whose losses have names of their own",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._row: dict[str, str] = {}
        self._step: float | None = None
        self._rounded = RoundedSteps()
        self._newest: dict[str, str] = {}  # the box before

    @handler(iterations=True, texts=("printed",))
    def count(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The row that each box has once."""
        self._step = self._rounded.step(fields["printed"])
        return []

    @handler(texts=("key", "text"))
    def row(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A name and its value."""
        if len(self._row) < _MOST_ROWS:
            self._row[fields["key"]] = fields["text"]
        return []

    @handler()
    def border(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A box begins, or is whole."""
        step, row, self._step, self._row = self._step, self._row, None, {}
        loss = next((row[name] for name in _LOSSES if name in row), None)
        if step is None or (loss is None and "samples" not in row):
            return []
        others = scalars(row.items(), (*_LOSSES[:1], "grad_norm", "step", "samples"))
        fields: Fields = {"iteration": step, "loss": None if loss is None else number(loss), "scalars": others}
        if "grad_norm" in row:
            fields["gradient_norm"] = number(row["grad_norm"])
        again, self._newest = row == self._newest, row
        if step == self.last and not again:
            word = [] if self.at_least else self.said(ROUNDED_ALIKE, line)
            return [*word, late_fields(fields, self.last)]
        return self.iteration(fields, line)
