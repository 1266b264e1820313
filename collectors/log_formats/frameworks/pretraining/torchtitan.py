"""torchtitan (PyTorch): the console, with ANSI colours or without, behind torchrun's and Python's prefixes.

    [rank0]:[titan] 2025-06-25 13:06:17,743 - root - INFO - step: 450  loss:  5.1627  memory: 49.66GiB(52.28%)
      tps: 5,858  tflops: 339.25  mfu: 34.30%                                             (one line in the log)
A line stands at step 1 and at every `log_freq`-th (10). No time is printed: the time of a step is the difference of two
time stamps over the steps between, so it is a mean over `log_freq` steps, and it includes all that happened between:
data loading, checkpoints, garbage collection, validation. A checkpoint made at step n is in the window after n.
`tps` is per device and over its own window, which excludes validation; `mfu` is against the peak that a line at the
beginning names (an A100's where the GPU is not told). `tflops` is tps × the FLOPs of a token: the program counts these
by its model, without embeddings and with the active experts only, which no line's number of parameters tells.
A validation comes behind the step's line, and behind the checkpoint of that step; lines about its data come in between.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .....events import (
    CHECKPOINT,
    DATA,
    EVALUATION,
    GC,
)
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, ended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .....events import Event

_NO_LOSS = -1.0
"""Printed by a rank of a pipeline that has not its last stage: no cross entropy is below 0."""
_FEW_TFLOPS = 2.0
"""Below it the two printed digits leave more than a quarter of a percent open."""


class Torchtitan(LineParser):
    """Time from the time stamps: a mean over log_freq steps, with everything in it."""

    name = "torchtitan"
    about = (
        "time stamps' difference over the steps between: a mean over log_freq, with data, validation, checkpoint"
    )
    time_includes = (EVALUATION, CHECKPOINT, DATA, GC)
    from_stamps = True
    lines = (
        Line(
            "validate step:", r"validate step: +(?P<iteration>\d+) +loss: +(?P<val_loss>N)", "validated"
        ),  # it may end like a row
        Line(
            "tps:",
            r"step: +(?P<iteration>\d+) +loss: +(?P<loss>N)(?: +grad_norm: +(?P<gradient_norm>N))?"
            r"(?: +lr: *(?P<learning_rate>N))?(?: +\w+: +[^: ]*)?? +memory: +(?P<metric_memory_GiB>N)GiB\([^)]*\)"
            r" +tps: +(?P<metric_tps>N)(?: +tflops: +(?P<metric_tflops>N))?(?: +mfu: +(?P<mfu_percent>N)%)?",
            "row",
        ),
        Line("Saving the checkpoint", r"Saving the checkpoint", "checkpoint"),
        Line("Saving a ", r"Saving a (?:full|checkpoint)", "checkpoint"),
        Line(
            "Finished saving",
            r"Finished saving the checkpoint .* in (?P<duration_s>N) seconds",
            "saved",
        ),
        Line(
            "periodical GC collection", r"Per?forming periodical GC collection\.? (?P<duration_s>N) seconds", "gc"
        ),
        Line("Peforming periodical", r"GC collection\.? (?P<duration_s>N) seconds", "gc"),
        Line(
            "global batch size",
            r"local batch size (?P<micro_batch_size>\d+), global batch size (?P<batch>\d+),"
            r"(?: gradient accumulation steps (?P<gradient_accumulation>\d+),)? sequence length (?P<block_size>\d+),"
            r" total steps (?P<max_iterations>\d+)(?: \(warmup (?P<warmup_iterations>\d+)\))?",
            "settings",
        ),
        Line(
            "device mesh with",
            r"Building (?:\d+-D )?device mesh with (?:\[[^\]]{1,80}\], \[|parallelism: )(?P<rest>[\w=, ]{1,120})",
            "mesh",
        ),
        Line("Training starts at step", r"Training starts at step \d+", "known"),
        Line(
            "Total parameter count:",
            r"Total parameter count: dense (?P<dense>N), sparse (?P<sparse>N),(?: vision (?P<vision>N),)?"
            r" active (?P<active>N)",
            "experts",
        ),
        Line("Peak FLOPS used", r"Peak FLOPS used for computing MFU: (?P<logged_mfu_peak_flops>N)", "config"),
        Line("total parameters", r"size: (?P<parameters>N) total parameters", "config"),
        Line("[titan]", r"\[titan\] \d{4}-", "known"),
    )
    examples = (
        Example(
            """
[rank0]:[titan] 2025-06-25 13:06:00,500 - root - INFO - step: 440  loss:  5.2  memory: 49.66GiB(52.28%)  tps: 5,868
[rank0]:[titan] 2025-06-25 13:06:10,500 - root - INFO - [GC] Peforming periodical GC collection. 0.12 seconds.
[rank0]:[titan] 2025-06-25 13:06:15,500 - root - INFO - step: 450  loss:  5.1  grad_norm:  1.5  memory: 49.66GiB(52.28%)  tps: 5,858  tflops: 339.25  mfu: 34.50%
[rank0]:[titan] 2025-06-25 13:06:16,500 - root - INFO - step: 451  loss:  nan  memory: 49.66GiB(52.28%)  tps: 5,858  tflops: 339.25  mfu: N/A
""",
            iterations=((440, None, 1, 5.2), (450, 1.5, 10, 5.1), (451, 1.0, 1, None)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._devices: int | None = None
        self._counted = False  # are the FLOPs of a token told?
        self._free_at_s: float | None = None  # the newest row or written checkpoint: what comes next begins there

    @handler(iterations=True)
    def row(self, fields: Fields, line: LogLine) -> Sequence[Event]:
        """A step's line; the first with both rates tells what the program takes a token to cost."""
        self._free_at_s = line.at_s
        _without_none(fields, "loss")
        printed = fields.get("scalars") or {}
        tokens, tflops = printed.get("tps"), printed.get("tflops")
        counted: list[Event] = []
        if not self._counted and tokens and tflops and tflops >= _FEW_TFLOPS:
            self._counted = True
            counted = self.config({"flops_per_token": tflops * 1e12 / tokens}, line)
        return [*counted, *self.iteration(fields, line)]

    @handler()
    def validated(self, fields: Fields, line: LogLine) -> list[Event]:
        """A validation is over: it began when the row of its step was printed, or when that step's checkpoint was written."""
        if self._free_at_s is not None and line.at_s is not None and fields.get("iteration") == self.last:
            fields["duration_s"] = max(line.at_s - self._free_at_s, 0.0)
        _without_none(fields, "val_loss")
        return self.evaluation(fields, line)

    @handler()
    def saved(self, fields: Fields, line: LogLine) -> list[Event]:
        """A checkpoint was written."""
        self._free_at_s = line.at_s
        return self.checkpoint_written(fields, line)

    @handler(texts=("rest",))
    def mesh(self, fields: Fields, line: LogLine) -> list[Event]:
        """All devices: the product of the mesh's sides, by order or by name; experts lie across the others."""
        sides = [one.rpartition("=") for one in fields["rest"].replace(" ", "").split(",")]
        self._devices = prod(
            int(side) for name, _, side in sides if side.isdecimal() and name not in ("ep", "etp")
        )
        return self.config({"world_size": float(min(self._devices, 2**53))}, line)

    @handler(numbers=("active", "dense", "sparse", "vision"))
    def experts(self, fields: Fields, line: LogLine) -> list[Event]:
        """How many parameters there are, and how many of them a token passes through."""
        whole = fields["dense"] + fields["sparse"] + fields.get("vision", 0.0)
        return self.config({"parameters": whole, "active_parameters": fields["active"]}, line)

    @handler()
    def settings(self, fields: Fields, line: LogLine) -> list[Event]:
        """The batch and the length of the run.

        The micro-steps are known only where each device has a batch of its own: elsewhere not all devices multiply it.
        """
        batch = fields.pop("batch")
        micro_steps = fields.get("gradient_accumulation", 1.0)
        if fields["micro_batch_size"] * micro_steps * (self._devices or 0) != batch:
            fields.pop("gradient_accumulation", None)
        return self.config(fields | {"tokens_per_iteration": batch * fields["block_size"]}, line)

    @handler()
    def gc(self, fields: Fields, line: LogLine) -> list[Event]:
        """Python's garbage collector ran, when the trainer chose."""
        return [ended(GC, line.at_s, self.next_index, fields.get("duration_s"))]


def _without_none(fields: Fields, name: str) -> None:
    """Leave out what stands for no loss."""
    if fields.get(name) == _NO_LOSS:
        del fields[name]
