"""TensorFlow's object detection API since TensorFlow 2: a line for each hundred steps, and the losses below it.

    INFO:tensorflow:Step 200 per-step time 0.531s loss=0.750                      in 2020
    INFO:tensorflow:Step 200 per-step time 0.531s                                 since then
    INFO:tensorflow:{'Loss/classification_loss': 0.5,
     'Loss/total_loss': 0.75,
The seconds are the mean of all steps since the line before, with data and with saves. Each line may stand there twice: of two
handlers.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, PrintedLoss
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import loss_fields

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .....events import Event
    from ...parsing.values import Fields, LogLine

_STEP = lazy_pattern(r"\bStep (\d{1,12}) per-step time ")


class ObjectDetection(LineParser):
    """The mean step time of so many steps, and their last step's losses."""

    name = "TensorFlow object detection"
    about = "the printed mean of all steps since the line before, with data and saves; the total loss of its step"
    time_includes = (DATA, CHECKPOINT)
    lines = (
        Line("per-step time", r"\bStep (?P<iteration>\d+) per-step time (?P<duration_s>N)s(?: loss=(?P<loss>N))?", "row"),
        Line("'Loss/total_loss': ", r"'Loss/total_loss': (?P<loss>N)", "below"),
    )  # fmt: skip
    examples = (
        Example(
            """
INFO:tensorflow:Step 100 per-step time 1.500s loss=2.500
INFO:tensorflow:Step 200 per-step time 0.500s loss=1.500
""",
            iterations=((100, 1.5, 1, 2.5), (200, 0.5, 100, 1.5)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._window = 1  # steps from one line to the next
        self._totalled: float | None = None  # the newest step whose losses were read

    def learn(self, lines: Iterable[str], *, scattered: bool = False) -> None:
        """How many steps does a line stand for?"""
        found = (_STEP.search(text[:200]) for text in lines if "per-step time" in text)
        apart = [int(after[1]) - int(before[1]) for before, after in pairwise(one for one in found if one)]
        if not scattered and (ahead := [steps for steps in apart if steps > 0]):
            self._window = min(ahead)

    @handler(iterations=True)
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """Said once more by another handler, it is no other row."""
        if fields["iteration"] == self.last:
            return []
        on = self.last is not None and fields["iteration"] > self.last
        window = fields["iteration"] - self.last if on and self.last is not None else self._window
        return self.iteration(fields | {"averaged_over": min(window, fields["iteration"])}, line)

    @handler()
    def below(self, fields: Fields, _line: LogLine) -> list[Event]:
        """Of the newest row's step."""
        if self.last is None or self._totalled == self.last:
            return []
        self._totalled = self.last
        return [PrintedLoss(int(self.last), **loss_fields(fields["loss"]))]
