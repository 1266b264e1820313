"""The ImageNet example of PyTorch, and its many children.

    Epoch: [3][ 150/5005]  Time  0.412 ( 0.430)  Data  0.010 ( 0.020)  Loss 6.9e+00 (6.95e+00)  Acc@1 ...
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one
batch, data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and
checkpoints are in none of them.
"""

from __future__ import annotations

from .....events import DATA
from ...base import Example
from ...families.meters import TESTS, Meters
from ...parsing.grammar import Line


class ImageNetExample(Meters):
    """`examples/imagenet/main.py` of PyTorch, and the gnmt reference of MLPerf."""

    name = "PyTorch ImageNet example"
    about = "the newest batch's seconds, with its data; without validation and checkpoint"
    time_includes = (DATA,)
    first_epoch = None  # many were made of it, and some count from 1
    lines = (
        Line("Time", r"Epoch: \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\]\s+Time +(?P<duration_s>N) \( *(?P<so_far>N)\)"
             r"(?:\s+Speed +[\d.]+ \([^)]*\))?(?:\s+Data +(?P<data_wait_s>N) \( *(?P<waits_so_far>N)\))?(?:.{0,80}?\bLoss +(?P<loss>N))?"),
        TESTS,
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
    )
