"""timm's `train.py`.

    Train: 3 [ 150/1251 ( 12%)]  Loss: 6.9 (6.95)  Time: 0.412s,  621.36/s  (0.430s,  595.35/s)  LR: 1e-03  Data: 0.01 (0.02)
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them. Scripts made of it print other losses instead of the times: those are by the stamps then, between
rows of one epoch, as an evaluation may lie between two.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import DATA, Witness
from ...base import Example
from ...families.meters import TESTED, TESTS, Meters
from ...parsing.grammar import Line, handler
from ...parsing.values import scalars, seconds

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_PLACE = r"Train: (?P<epoch>\d+)(?:/\d+)? \[ *(?P<batch>\d+)/(?P<batches>\d+) +\( *\d+%\)\] +Loss: +(?P<loss>N) \([^)]*\)"
_LOSSES = r"\b([Ll]oss_\w{1,20}): {1,4}(-?\d[\d.e+-]{0,24})"


class Timm(Meters):
    """timm's `train.py`; updates were 1-based before 2023, and epochs printed as 3/300 since."""

    name = "timm"
    about = "the newest batch's seconds, with its data; without validation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("Time:", _PLACE + r" +Time: +(?P<duration_s>N)s, +[\d.]+/s +\((?P<so_far>N)s?\b[^)]*\)(?: +LR: (?P<learning_rate>N))?(?: +Data: (?P<data_wait_s>N)(?: \( *(?P<waits_so_far>N)\))?)?"),
        Line("Train: ", _PLACE + r"(?!.{0,400}?\bTime:)(?:.{0,300}?\bLR: (?P<learning_rate>N))?", "untimed"),
        TESTS,
        TESTED,
    )  # fmt: skip
    examples = (
        Example(
            """
Train: 0 [  50/1251 (  4%)]  Loss: 6.95 (6.96)  Time: 0.412s,  621.36/s  (0.430s,  595.35/s)  LR: 1.000e-03  Data: 0.010 (0.020)
Train: 1/300 [  50/1251 (  4%)]  Loss:  6.85 (6.86)  Time: 0.4s,  621.36/s  (0.430s,  595.35/s)  LR: 1.000e-03  Data: 0.010 (0.020)
""",
            iterations=((50, 0.412, 1, 6.95), (1301, 0.4, 1, 6.85)),
        ),
        Example(
            """
2024-01-01 10:00:10,000 - train: [    INFO] - Train: 0 [   0/100 (  0%)]  Loss: 6.95 (6.95)  Loss_kd: 1.25 (1.25) LR: 1.000e-04
2024-01-01 10:00:35,000 - train: [    INFO] - Train: 0 [  50/100 ( 51%)]  Loss: 6.85 (6.9)  Loss_kd: 1.125 (1.19) LR: 1.000e-04
2024-01-01 10:02:00,000 - train: [    INFO] - Train: 1 [   0/100 (  0%)]  Loss: 6.75 (6.75)  Loss_kd: 1.0 (1.0) LR: 1.000e-04
""",
            iterations=((0, None, 1, 6.95), (50, 0.5, 50, 6.85), (100, None, 1, 6.75)),
            variant="timm's rows with several losses and no times",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._in_epoch: float | None = None  # of the newest row without a time

    @handler()
    def tests(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of an evaluation: `[24/24]` is the last of 25, whose number stands where others print how many."""
        return super().tests(fields | {"batches": fields["batches"] + 1}, line)

    @handler(iterations=True)
    def untimed(self, fields: Fields, line: LogLine) -> list[Event]:
        """A row without a time: where the one before is of the same epoch, by their stamps."""
        index, epoch = self.position(fields), fields["epoch"]
        if index is not None and self.last is not None and index > self.last and epoch == self._in_epoch:
            each_s = seconds(self._since_last(line, index - self.last))
            if each_s is not None:
                fields |= {"duration_s": each_s, "averaged_over": index - self.last, "witness": Witness.STAMPS}
        self._in_epoch = epoch
        fields["scalars"] = scalars(re.findall(_LOSSES, line.text[:2000]))
        return self.iteration(fields, line)
