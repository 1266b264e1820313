"""`val (avg)` behind a place in the epoch: timm, the PyTorch ImageNet example, swin and their many children.

    Train: 3 [ 150/1251 ( 12%)]  Loss: 6.9 (6.95)  Time: 0.412s,  621.36/s  (0.430s,  595.35/s)  LR: 1e-03  Data: 0.01 (0.02)  timm
    Epoch: [3][ 150/5005]  Time  0.412 ( 0.430)  Data  0.010 ( 0.020)  Loss 6.9e+00 (6.95e+00)  Acc@1 ...                      example
    Train: [3/300][150/1251]  eta 0:10:00 lr 0.001  time 0.4120 (0.4300)  loss 6.9000 (6.9500)                                 swin
    0: TRAIN [1][1060/1885]  Time 0.145 (0.143)  Data 2.2e-04 (4.2e-04)  Tok/s 100681 (96405)  Loss/tok 3.27 (3.41)            gnmt
    Train:    1/3 ( 33%) [  49/323 ( 15%)]  Loss: 36.77 (81.7)  ...  Data time: 0.00(0.02)  ...  Batch time: 0.31(0.31)        OpenPCDet
The first figure is that of the newest batch, which is used; the one in brackets the epoch's mean. Times are seconds of one batch,
data loading included, and wait for the GPU through `loss.item()`. Meters begin anew with each epoch: validation and checkpoints
are in none of them.
"""

from __future__ import annotations

from .....events import DATA
from ...parsing.grammar import Line
from ...parsing.lines import LineParser, log_format

_WITH_DATA = (DATA,)
_ABOUT = "the newest batch's seconds, with its data; without validation and checkpoint"


class Timm(LineParser):
    """timm's `train.py`; updates were 1-based before 2023, and epochs printed as 3/300 since."""

    name = "timm"
    about = _ABOUT
    time_includes = _WITH_DATA
    lines = (
        Line("Time:", r"Train: (?P<epoch>\d+)(?:/\d+)? \[ *(?P<batch>\d+)/(?P<batches>\d+) +\( *\d+%\)\] +Loss: +(?P<loss>N) \([^)]*\) +"
             r"Time: +(?P<duration_s>N)s, +[\d.]+/s +\([^)]*\)(?: +LR: (?P<learning_rate>N))?(?: +Data: (?P<data_wait_s>N))?"),
        Line("Time:", r"^(?:\S+ )*Test: \[ *(?P<done>\d+)/(?P<of>\d+)\] +Time:", "known"),
    )  # fmt: skip


class ImageNetExample(LineParser):
    """`examples/imagenet/main.py` of PyTorch, and the gnmt reference of MLPerf."""

    name = "PyTorch ImageNet example"
    about = _ABOUT
    time_includes = _WITH_DATA
    lines = (
        Line("Time", r"Epoch: \[(?P<epoch>\d+)\]\[ *(?P<batch>\d+)/(?P<batches>\d+)\]\s+Time +(?P<duration_s>N) \([^)]*\)"
             r"(?:\s+Speed +[\d.]+ \([^)]*\))?(?:\s+Data +(?P<data_wait_s>N) \([^)]*\))?(?:.{0,80}?\bLoss +(?P<loss>N))?"),
        Line("Test: [", r"Test: \[ *\d+/\d+\]\s+Time +[\d.]+ \(", "known"),
    )  # fmt: skip


class Gnmt(LineParser):
    """Several ranks print; the first that does is read."""

    name = "GNMT"
    about = _ABOUT
    time_includes = _WITH_DATA
    lines = (
        Line("TRAIN [", r"(?:(?P<rank>\d+): )?TRAIN \[(?P<epoch>\d+)\]\[(?P<batch>\d+)/(?P<batches>\d+)\]\s+Time (?P<duration_s>N) \([^)]*\)"
             r"\s+Data (?P<data_wait_s>N) \([^)]*\)\s+Tok/s (?P<per_rank>N) \([^)]*\)(?:\s+Loss/tok (?P<loss>N) \([^)]*\))?"
             r"(?:\s+LR (?P<learning_rate>N))?"),
        Line("VALIDATION [", r"VALIDATION \[\d+\]\[\d+/\d+\]\s+Time", "known"),
    )  # fmt: skip


class Swin(LineParser):
    """Swin Transformer's `main.py`; a line without a place in the epoch stands for the whole epoch."""

    name = "Swin"
    about = _ABOUT
    time_includes = _WITH_DATA
    lines = (
        Line("time ", r"Train: \[(?P<epoch>\d+)/(?P<epochs>\d+)\]\[(?P<batch>\d+)/(?P<batches>\d+)\]\s+(?:eta \S+ )?lr (?P<learning_rate>N)"
             r"(?:\s+wd \S+)?\s+time (?P<duration_s>N) \([^)]*\)\s+loss (?P<loss>N) \([^)]*\)(?:\s+grad_norm (?P<gradient_norm>N))?"),
        Line("time ", r"Train: \[(?P<iteration>\d+)/(?P<total>\d+)\]\s+(?:eta \S+ )?lr (?P<learning_rate>N)\s+time \S+ \((?P<mean>N)\)"
             r"\s+loss (?P<last_loss>N) \((?P<loss>N)\)"),
        Line("EPOCH", r"EPOCH \d+ training takes", "known"),
        Line("Test: [", r"Test: \[\d+/\d+\]\s+Time", "known", shared=True),
    )  # fmt: skip


class OpenPcDet(LineParser):
    """OpenPCDet; epochs count from 1, and `Acc_iter` counts on through them."""

    name = "OpenPCDet"
    about = _ABOUT
    time_includes = _WITH_DATA
    lines = (
        Line("Acc_iter", r"Train: +\d+/\d+ \( *\d+%\) \[ *\d+/\d+ \( *\d+%\)\] +Loss: (?P<loss>N) \([^)]*\) +LR: (?P<learning_rate>N)"
             r".{0,80}?Acc_iter (?P<iteration>\d+) +Data time: (?P<data_wait_s>N)\([^)]*\).{0,80}?Batch time: (?P<duration_s>N)\("),
    )  # fmt: skip


FORMATS = tuple(map(log_format, (Timm, ImageNetExample, Gnmt, Swin, OpenPcDet)))
