"""pytorch-cifar (kuangliu): a bar of its own, of which a log keeps the last frame of each epoch.

     [=========== 391/391 ==========>]  Step: 75ms | Tot: 43s169ms | Loss: 1.806 | Acc: 32.240% (16120/50000)
Training and test alternate, and look the same: what follows a training of the same epoch is its test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, number, whole

if TYPE_CHECKING:
    from .....events import Event

_LENGTH = lazy_pattern(r"(\d+)(ms|D|h|m|s)")
_LENGTHS = {"D": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}


class PytorchCifar(LineParser):
    """pytorch-cifar's own bar: a log holds its last frame, an epoch. Training and test alternate, and look the same: what
    follows a training of the same epoch is its test."""

    name = "pytorch-cifar"
    about = "Tot: an epoch's mean over its batches, with data; the test's bar is left aside"
    time_includes = (DATA,)
    lines = (
        Line("Tot:", r"\[=* (?P<batch>\d+)/(?P<batches>\d+) [=>.]*\]\s+Step: \S+ \| Tot: (?P<rest>\w+) \| Loss: (?P<loss>N) \| Acc: ", "frame"),
        Line("Epoch: ", r"^Epoch: (?P<epoch>\d+)$", "epoch", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
Epoch: 0
 [============================ 391/391 ===========================>]  Step: 1s194ms | Tot: 39s100ms | Loss: 2.5 | Acc: 15.342% (7671/50000)
 [============================ 100/100 ===========================>]  Step: 34ms | Tot: 3s829ms | Loss: 1.979 | Acc: 26.170% (2617/10000)
Epoch: 1
 [============================ 391/391 ===========================>]  Step: 75ms | Tot: 1m18s200ms | Loss: 1.75 | Acc: 32.240% (16120/50000)
""",
            iterations=((391, 0.1, 391, 2.5), (782, 0.2, 391, 1.75)),
            evaluations=((392, {"val_loss": 1.979}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epoch = 0.0
        self._batches = 0.0  # of a training epoch

    @handler()
    def epoch(self, fields: Fields, _line: LogLine) -> list[Event]:
        """What comes next is a training."""
        if whole(fields["epoch"]) is not None:
            self._epoch, self._batches = fields["epoch"], 0.0
        return []

    @handler(iterations=True, texts=("rest",))
    def frame(self, fields: Fields, line: LogLine) -> list[Event]:
        """The newest frame of a bar."""
        self._batches = self._batches or fields["batches"]
        seconds = sum(
            (number(count) or 0.0) * _LENGTHS[unit] for count, unit in _LENGTH.findall(fields.pop("rest"))
        )
        if fields["batches"] != self._batches:
            done = fields["batch"] == fields["batches"]
            return self.evaluation({"val_loss": fields["loss"], "duration_s": seconds}, line) if done else []
        fields["iteration"] = self._epoch * self._batches + fields["batch"]
        if 0 < fields["batch"] == self._batches:
            fields |= {"duration_s": seconds / self._batches, "averaged_over": self._batches}
        return self.iteration(fields, line)
