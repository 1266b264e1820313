"""The table that MATLAB's `trainNetwork` and `trainnet` print.

    |  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Mini-batch  |  Base Learning  |
    |         |             |   (hh:mm:ss)   |   Accuracy   |     Loss     |      Rate       |
    |       1 |          50 |       00:00:09 |       71.09% |       0.8219 |          0.0100 |
The newer one has a heading of one line, parted by blanks, and no bars. The clock counts whole seconds from the beginning; validations are in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import EVALUATION
from ...base import Example
from ...families.elapsed import ElapsedParser, clock_seconds
from ...parsing.grammar import Line, handler
from ...parsing.values import ended, number, scalars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_CLOCK = r"(?P<clock>\d{2,5}:\d\d:\d\d)"
_CELLS = r"(?P<rest>(?:[^a-zA-Z]|(?<=\d)e(?=[-+]\d)|NaN|Inf){3,300})"  # the smallest stand as 3.0000e-06
_LOSSES = ("mini-batch loss", "training loss", "trainingloss")
_RATES = ("base learning rate", "learnrate", "learn rate")


class Matlab(ElapsedParser):
    """Iterations by the clock of the table."""

    name = "MATLAB"
    about = "difference of the clock, a mean over 20 s or more; with validation"
    time_includes = (EVALUATION,)
    lines = (
        Line("Iteration", r"^\| {1,8}Epoch {1,8}\| {1,8}Iteration {1,8}\|(?P<rest>.{10,300})\| *$", "heading"),
        Line("(hh:mm:ss)", r"^\| +\| +\|(?P<rest> +\(hh:mm:ss\) .{5,300})\| *$", "below"),
        Line("TimeElapsed", r"^ *Iteration +Epoch +(?P<rest>TimeElapsed .{5,300})$", "heading"),
        Line("|", rf"^\| {{1,12}}\d{{1,9}} \| {{1,12}}(?P<iteration>\d+) \| {{1,12}}{_CLOCK} \|{_CELLS}\| *$", "row"),
        Line(":", rf"^ {{1,20}}(?P<iteration>\d+) {{1,12}}\d{{1,9}} {{1,12}}{_CLOCK} (?!.*\|){_CELLS}$", "row", distinctive=False),
        Line("Training finished:", r"^Training finished: (?:Max epochs completed|Reached final iteration)", "done"),
    )  # fmt: skip
    examples = (
        Example(
            """
|  Epoch  |  Iteration  |  Time Elapsed  |  Mini-batch  |  Validation  |  Mini-batch  |  Validation  |  Base Learning  |
|         |             |   (hh:mm:ss)   |   Accuracy   |   Accuracy   |     Loss     |     Loss     |      Rate       |
|       1 |           1 |       00:00:01 |       25.00% |       25.00% |       2.5000 |       2.7500 |          0.0100 |
|       1 |          50 |       00:00:15 |       50.00% |              |       2.2500 |              |          0.0100 |
|       2 |         100 |       00:00:34 |       62.50% |       50.00% |       2.1250 |       2.2500 |          0.0100 |
Training finished: Max epochs completed.
""",
            iterations=((1, None, 1, 2.5), (50, None, 0, 2.25), (100, 33 / 99, 99, 2.125)),
            evaluations=((1, {"val_loss": 2.75, "Validation Accuracy": 25.0}), (100, {"val_loss": 2.25, "Validation Accuracy": 50.0})),
        ),
        Example(
            """
    Iteration    Epoch    TimeElapsed    LearnRate    TrainingLoss    ValidationLoss
    _________    _____    ___________    _________    ____________    ______________
            1        1       00:00:01         0.01          2.5000            2.7500
           50        1       00:00:15         0.01          2.2500
          100        2       00:00:34         0.01          2.1250            2.2500
""",
            iterations=((1, None, 1, 2.5), (50, None, 0, 2.25), (100, 33 / 99, 99, 2.125)),
            evaluations=((1, {"val_loss": 2.75}), (100, {"val_loss": 2.25})),
            variant="of trainnet",
        ),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []  # of the columns behind the clock

    @handler(texts=("rest",))
    def heading(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The names of the columns, or their first words."""
        rest = fields["rest"]
        names = rest.split("|") if "|" in rest else rest.split()
        self._names = [" ".join(name.split()) for name in names][1:]
        return []

    @handler(texts=("rest",))
    def below(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The second words."""
        words = [" ".join(word.split()) for word in fields["rest"].split("|")][1:]
        if len(words) == len(self._names):
            self._names = [f"{name} {word}" for name, word in zip(self._names, words, strict=True)]
        return []

    @handler(iterations=True, texts=("clock", "rest"))
    def row(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A row; where nothing shows which of its cells are empty, only what stands in front of those is read."""
        rest, elapsed_s = fields.pop("rest"), clock_seconds(fields.pop("clock"))
        cells, names = (rest.split("|") if "|" in rest else rest.split()), self._names
        if not names:
            return []  # another program's table
        if len(cells) < len(names):
            names = names[: next((n for n, name in enumerate(names) if _validates(name)), 0)]
        values = {name: cell.strip().rstrip("%") for name, cell in zip(names, cells, strict=False) if cell.strip()}
        loss = next((values.pop(name) for name in [*values] if name.lower() in _LOSSES), "")
        rate = next((values.pop(name) for name in [*values] if name.lower() in _RATES), "")
        found = scalars((_called(name), values.pop(name)) for name in [*values] if _validates(name))
        fields |= {"loss": number(loss), "learning_rate": number(rate), "scalars": scalars(values.items()) or None}
        after = [ended(EVALUATION, None, fields["iteration"], values=found)] if found else []
        return self.timed(fields, line, elapsed_s, 1.0, after)


def _validates(name: str) -> bool:
    return name.lower().startswith("validation")


def _called(name: str) -> str:
    return "val_loss" if name.lower().replace(" ", "") == "validationloss" else name
