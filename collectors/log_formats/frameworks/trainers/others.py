"""Formats with one kind of line each, too small for a file of their own. What each time is stands in its class.

INFO Node[0] Epoch[13] Batch [760-780]  Speed: 5536.07 samples/sec  accuracy=0.001683                              MXNet
05:16:41.449 [I] Step 100: grad_norm=0.50, loss=0.10, param_norm=1377.9                                            openpi
[2026-03-18 01:07:13][Epoch 001][Step 1200/1200] global_step=2400 train_loss=3.7 ... step_time=8.779s ... tp=6998 tok/s
[2024-03-09 10:38:14][INFO][trainer:768] - step=20 loss=2.78 dt=110.95 dtf=4.6 dtb=103.4 sps=72.1 mtps=1.18 mfu=4.19
 [=========== 391/391 ==========>]  Step: 75ms | Tot: 43s169ms | Loss: 1.806 | Acc: 32.240% (16120/50000)  pytorch-cifar
I0914 09:33:43.461599  6584 solver.cpp:228] Iteration 1851300, loss = 0.183091                                      Caffe
epoch: 0, batch_id: 500, AUC:0.93, loss:0.10, avg_reader_cost: 0.0001 sec, avg_batch_cost: 0.577 sec, ips: 1772 ins/s
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...parsing.bars import BAR, BAR_START
from ...parsing.grammar import Line
from ...parsing.lines import LineParser, log_format
from ...parsing.pairs import numbers
from ...parsing.values import Fields, number

if TYPE_CHECKING:
    from .....events import Event

_DAY_S = 86_400.0
_LENGTH = re.compile(r"(\d+)(ms|D|h|m|s)")
_LENGTHS = {"D": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}


class MxNet(LineParser):
    """Apache MXNet's Speedometer: a window of batches; its time is that between two lines. An epoch's number of batches is
    never printed: the highest seen in the epoch before stands for it."""

    name = "MXNet"
    about = (
        "time stamps' difference over the batches of a window, with data; the first window of an epoch has no time"
    )
    time_includes = (DATA,)
    from_stamps = True
    lines = (
        Line("Speed:", r"(?:Node\[(?P<rank>\d+)\] )?Epoch\[(?P<epoch>\d+)\] Batch \[(?:\d+-)?(?P<batch>\d+)\]\s+Speed: [\d.]+ samples/sec",
             "window", iteration=True),
        Line("Time cost=", r"Epoch\[\d+\] Time cost=", "known"),
        Line("Validation-", r"Epoch\[\d+\] Validation-", "known"),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._epoch: float | None = None
        self._before = 0.0

    def window(self, fields: Fields, at_s: float | None) -> list[Event]:
        """Some batches; between epochs lie evaluation and checkpoint, so the first window's time is left open."""
        if self._epoch is not None and fields["epoch"] != self._epoch:
            self._before, self.last_at_s = float(self.last or 0), None
        self._epoch = fields["epoch"]
        fields["iteration"] = self._before + fields["batch"]
        return self.iteration(fields, at_s)


class OpenPi(LineParser):
    """openpi (Physical Intelligence), JAX: a line every `log_interval` steps, the clock without its date in front."""

    name = "openpi"
    about = "time of day's difference over log_interval steps: a mean, with data, evaluation and checkpoint in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("Step ", r"^(?:[^\]]{0,60}\] )?Step (?P<iteration>\d+): (?P<rest>\w+=.*)$", "step", iteration=True),
        Line(
            "Progress on:",
            r"Progress on: \S+/(?P<rest>\S+) rate:\S+ remaining:\S+ elapsed:(?P<stamp>[\d:]+)",
            "progress",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._elapsed_s: float | None = None
        self._logged_s: float | None = None

    def progress(self, fields: Fields, _at_s: float | None) -> list[Event]:
        """The bar's frames hold the clock: they stand around the lines of the steps."""
        seconds = 0.0
        for part in fields["stamp"].split(":"):
            seconds = seconds * 60 + (number(part) or 0)
        if self._elapsed_s is not None and seconds < self._elapsed_s:
            self._logged_s = None
        self._elapsed_s = seconds
        return []

    def step(self, fields: Fields, at_s: float | None) -> list[Event]:
        """The metrics are means over the interval."""
        read = numbers(fields.pop("rest"), between=",", inside="=")
        fields["loss"], fields["gradient_norm"] = read.get("loss"), read.get("grad_norm")
        steps = fields["iteration"] - self.last if self.last is not None else 0
        if (
            steps > 0
            and self._logged_s is not None
            and self._elapsed_s is not None
            and self._elapsed_s > self._logged_s
        ):
            fields |= {"duration_s": (self._elapsed_s - self._logged_s) / steps, "averaged_over": int(steps)}
        self._logged_s = self._elapsed_s
        return self.iteration(fields, at_s)


class StraggleGpt2(LineParser):
    """GPT-2 of straggle-ml: a line every 50 steps with their mean, least and greatest time; tokens/s of all ranks."""

    name = "straggle-ml GPT-2"
    about = "step_time: a mean over the steps since the last line, without evaluation"
    mean = True
    lines = (
        Line("step_time=", r"\[Step \d+/\d+\] global_step=(?P<iteration>\d+) train_loss=(?P<loss>N) train_ppl=\S+ lr=(?P<learning_rate>N)"
             r" step_time=(?P<duration_s>N)s .{0,120}?tp=(?P<tokens_per_s>N) tok/s"),
        Line("val_time=", r"\[\w*Val\w*\]\[Epoch \d+\](?:\[Step \d+\])? val_loss=(?P<val_loss>N) val_ppl=\S+ val_time=(?P<duration_s>N)s", "evaluation"),
    )  # fmt: skip


class Wordplay(LineParser):
    """wordplay and ezpz (Argonne): nanoGPT's descendant; `dt` in ms is one step's, MFU in percent, losses follow evaluations."""

    name = "wordplay"
    about = "dt: one step, evaluation and checkpoint of that step in it"
    time_includes = (EVALUATION, CHECKPOINT)
    lines = (
        Line(
            " dt=",
            r"step=(?P<iteration>\d+) loss=(?P<loss>N) dt=(?P<duration_ms>N) .{0,120}?mfu=(?P<mfu_percent>N)",
        ),
        Line("Startup time:", r"\[trainer:\d+\] - Startup time:", "known"),
        BAR._replace(then="known", iteration=False),
        BAR_START._replace(then="known"),
    )


class PytorchCifar(LineParser):
    """pytorch-cifar's own bar: a log holds its last frame, an epoch. Training and test alternate, and look the same: what
    follows a training of the same epoch is its test."""

    name = "pytorch-cifar"
    about = "Tot: an epoch's mean over its batches, with data; the test's bar is left aside"
    time_includes = (DATA,)
    lines = (
        Line("Tot:", r"\[=* (?P<batch>\d+)/(?P<batches>\d+) [=>.]*\]\s+Step: \S+ \| Tot: (?P<rest>\w+) \| Loss: (?P<loss>N) \| Acc: ", "frame",
             iteration=True),
        Line("Epoch: ", r"^Epoch: (?P<epoch>\d+)$", "epoch"),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._epoch = 0.0
        self._batches = 0.0  # of a training epoch

    def epoch(self, fields: Fields, _at_s: float | None) -> list[Event]:
        """What comes next is a training."""
        self._epoch, self._batches = fields["epoch"], 0.0
        return []

    def frame(self, fields: Fields, at_s: float | None) -> list[Event]:
        """The newest frame of a bar."""
        self._batches = self._batches or fields["batches"]
        seconds = sum(int(count) * _LENGTHS[unit] for count, unit in _LENGTH.findall(fields.pop("rest")))
        if fields["batches"] != self._batches:
            done = fields["batch"] == fields["batches"]
            return self.evaluation({"val_loss": fields["loss"], "duration_s": seconds}, at_s) if done else []
        fields["iteration"] = self._epoch * self._batches + fields["batch"]
        if fields["batch"] == self._batches:
            fields |= {"duration_s": seconds / self._batches, "averaged_over": int(self._batches)}
        return self.iteration(fields, at_s)


class Caffe(LineParser):
    """Caffe's solver; glog's stamps have no year. The parentheses came later: `(2.5 iter/s, 40.1s/100 iters)`."""

    name = "Caffe"
    about = "time stamps' difference over the iterations between, with data, test and snapshot in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("] Iteration ", r"\] Iteration (?P<iteration>\d+)(?: \([^)]*\))?, loss = (?P<loss>N)"),
        Line("Testing net", r"\] Iteration (?P<iteration>\d+), Testing net", "evaluation"),
        Line("lr = ", r"\] Iteration \d+, lr = ", "known"),
        Line("Snapshotting to", r"Snapshotting to binary proto file (?P<detail>\S+)", "checkpoint"),
    )


class PaddleRec(LineParser):
    """PaddleRec: costs are means over the window since the last line."""

    name = "PaddleRec"
    about = "avg_batch_cost: a mean since the last line, with data (avg_reader_cost)"
    time_includes = (DATA,)
    mean = True
    lines = (
        Line("avg_batch_cost:", r"epoch: (?P<epoch>\d+), batch_id: (?P<batch>\d+),.{0,200}?(?:loss:(?P<loss>N).{0,80}?)?"
             r"avg_reader_cost: (?P<data_wait_s>N) sec, avg_batch_cost: (?P<duration_s>N) sec", "window", iteration=True),
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._epoch: float | None = None
        self._before = self._newest = 0.0

    def window(self, fields: Fields, at_s: float | None) -> list[Event]:
        """An epoch's length is never printed: the highest batch of the one before stands for it."""
        if self._epoch is not None and fields["epoch"] != self._epoch:
            self._before = self._before + self._newest if fields["epoch"] > self._epoch else 0.0
        self._epoch, self._newest = fields["epoch"], fields["batch"] + 1
        fields["iteration"] = self._before + fields["batch"]
        return self.iteration(fields, at_s)


FORMATS = tuple(map(log_format, (MxNet, OpenPi, StraggleGpt2, Wordplay, PytorchCifar, Caffe, PaddleRec)))
