"""The ImageNet example of PyTorch, and its many children.

    Epoch: [3][ 150/5005]  Time  0.412 ( 0.430)  Data  0.010 ( 0.020)  Loss 6.9e+00 (6.95e+00)  Acc@1 ...
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them. SwAV and DeepCluster do not print how many batches an epoch has, SupContrast counts from 1:

    Epoch: [3][150]  Time 0.412 (0.430)  Data 0.010 (0.020)  Loss 4.2 (4.3)  Lr: 0.1
    Train: [1][10/391]  BT 0.412 (0.430)  DT 0.010 (0.020)  loss 4.2 (4.3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...counting.ends import OpenEpochs
from ...families.meters import TESTED, TESTS, Meters
from ...parsing.grammar import Line, handler

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_BATCH = (
    r"\s+Time +(?P<duration_s>N)s? \( *(?P<so_far>N)s?\)(?:\s+Speed +[\d.]+ (?:\([^)]*\)|samples/s))?"
    r"(?:\s+Data +(?P<data_wait_s>N)s? \( *(?P<waits_so_far>N)s?\))?(?:.{0,80}?\bLoss +(?P<loss>N))?"
)
_SHORT = (
    r"\s+BT +(?P<duration_s>N) \( *(?P<so_far>N)\)\s+DT +(?P<data_wait_s>N) \( *(?P<waits_so_far>N)\)"
    r"(?:\s+loss +(?P<loss>N))?"
)


class ImageNetExample(Meters):
    """`examples/imagenet/main.py` of PyTorch, the gnmt reference of MLPerf, SwAV, SupContrast and many more."""

    name = "PyTorch meters"
    about = "the newest batch's seconds, with its data; without validation and checkpoint"
    time_includes = (DATA,)
    first_epoch = None  # many were made of it, and some count from 1
    lines = (
        Line("Time", rf"Epoch: \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\]{_BATCH}"),
        Line("Time", rf"Epoch: \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)\]{_BATCH}(?:.{{0,80}}?\bLr:? +(?P<learning_rate>N))?", "open_epoch"),
        Line("BT", rf"Train: \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\]{_SHORT}"),
        TESTS,
        TESTED,
    )  # fmt: skip
    examples = (
        Example(
            """
Epoch: [0][  10/5005]\tTime  0.412 ( 0.430)\tData  0.010 ( 0.020)\tLoss 6.95e+00 (6.96e+00)\tAcc@1   0.39 (  0.20)
Epoch: [1][0/5005]\tTime 0.500 (0.500)\tData 0.400 (0.400)\tLoss 6.5 (6.5)\tPrec@1 0.39 (0.20)
Test: [ 0/16]\tTime  1.0 ( 1.0)\tLoss 2.5 (2.5)
Test: [10/16]\tTime  1.0 ( 1.5)\tLoss 2.5 (2.25)
Epoch: [1][10/5005]\tTime 0.500 (0.500)\tData 0.400 (0.400)\tLoss 6.5 (6.5)\tPrec@1 0.39 (0.20)
""",
            iterations=((10, 0.412, 1, 6.95), (5005, 0.5, 1, 6.5), (5015, 0.5, 1, 6.5)),
            evaluations=((5006, {"val_loss": 2.25}),),
        ),
        Example(
            """
Train: [1][20/40]\tBT 0.500 (0.525)\tDT 0.000 (0.025)\tloss 4.500 (4.750)
Train: [1][40/40]\tBT 0.500 (0.513)\tDT 0.000 (0.013)\tloss 4.250 (4.500)
epoch 1, total time 20.50
Train: [2][20/40]\tBT 0.500 (0.500)\tDT 0.000 (0.000)\tloss 4.000 (4.125)
""",
            iterations=((20, 0.5, 1, 4.5), (40, 0.5, 1, 4.25), (60, 0.5, 1, 4.0)),
            variant="SupContrast, which counts from 1",
        ),
        Example(
            """
Epoch: [0][0/200]\tTime 5.500s (5.500s)\tSpeed 5.8 samples/s\tData 4.750s (4.750s)\tLoss 0.25 (0.25)\tAccuracy 0.125 (0.125)
Epoch: [0][100/200]\tTime 0.500s (0.550s)\tSpeed 64.0 samples/s\tData 0.000s (0.047s)\tLoss 0.125 (0.188)\tAccuracy 0.250 (0.188)
""",
            iterations=((0, 5.5, 1, 0.25), (100, 0.5005, 100, 0.125)),
            variant="HRNet and other estimators of poses",
        ),
        Example(
            """
Epoch: [0][0]\tTime 5.500 (5.500)\tData 0.750 (0.750)\tLoss 4.25 (4.25)\tLr: 0.0000
Epoch: [0][50]\tTime 0.500 (0.598)\tData 0.000 (0.015)\tLoss 4.0 (4.125)\tLr: 0.1000
Epoch: [1][0]\tTime 1.500 (1.500)\tData 0.750 (0.750)\tLoss 3.75 (3.75)\tLr: 0.2000
Epoch: [1][50]\tTime 0.500 (0.519)\tData 0.000 (0.015)\tLoss 3.5 (3.625)\tLr: 0.3000
""",
            iterations=(
                (0, 5.5, 1, 4.25),
                (50, 0.49995999999999996, 50, 4.0),
                (51, 1.5, 1, 3.75),
                (101, 0.49938000000000005, 50, 3.5),
            ),
            variant="SwAV and DeepCluster, which do not print how long an epoch is",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._epochs = OpenEpochs(first=0)

    @handler(iterations=True, texts=("so_far", "waits_so_far"))
    def open_epoch(self, fields: Fields, line: LogLine) -> list[Event]:
        """A batch of an epoch that may be longer than its last line says."""
        place = self._epochs.place(fields["epoch"], fields["batch"])
        return [*self.iteration(fields | place, line), *self.said(self._epochs.word(), line)]
