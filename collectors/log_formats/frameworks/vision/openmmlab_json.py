"""OpenMMLab's `*.log.json` (mmcv) and `scalars.json` (mmengine): JSON Lines.

    {"mode": "train", "epoch": 1, "iter": 50, "lr": 0.01, "data_time": 0.1, "time": 0.5, "loss": 0.4}
`time` is a mean, with data: since the last line (mmcv), or over the newest iterations (mmengine), as many as its settings say, which
are not in the file. Rows of each iteration tell it: then each row's own time is got back. With mmcv's loop by iterations, whose
`iter` counts on where an epoch begins, evaluations and checkpoints are in it, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from msgspec.structs import replace

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example, Specificity
from ...generic.json_lines import JsonLines, parse_object
from ...means.overlapping_means import OverlappingMeans
from ...parsing.grammar import Line, handler
from ...parsing.values import Fields, LogLine, as_float, ended

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .....events import Event, RunInfo
    from ...parsing.columns import Role
    from ...parsing.rows import RowParser


class MmLogJson(JsonLines):
    """`*.log.json` of mmcv, `scalars.json` of mmengine."""

    name = "OpenMMLab log.json"
    about = "time: a mean since the last line, with data; without validation"
    time_includes = (DATA,)
    mean = True
    specificity = Specificity.FRAMEWORK
    guesses = False
    lines: ClassVar[tuple[Line, ...]] = (
        Line('"mode"', r"^\s*\{\"mode\": \"train\"", "object"),
        Line('"mode"', r"^\s*\{\"mode\": \"val\"", "validated"),
        Line('"data_time"', r"^\s*\{.{0,2000}\"(?:iter|memory)\":", "object"),
    )
    examples = (
        Example(
            """
{"env_info": "sys.platform: linux"}
{"mode": "train", "epoch": 1, "iter": 50, "lr": 0.01, "memory": 5000, "data_time": 0.1, "loss": 0.5, "time": 0.5}
{"mode": "val", "epoch": 1, "iter": 100, "lr": 0.01, "mIoU": 0.5}
{"mode": "train", "epoch": 1, "iter": 100, "lr": 0.01, "memory": 5000, "data_time": 0.1, "loss": 0.25, "time": 0.75}
""",
            iterations=((50, 0.5, 1, 0.5), (100, 0.75, 50, 0.25)),
            evaluations=((51, {"mIoU": 0.5}),),
            variant="mmcv log.json",
        ),
    )

    def __init__(self, chosen: Mapping[str, Role] | None = None) -> None:
        super().__init__(chosen)
        self._behind_one = False  # since the newest row of the training
        self._counted_to: float | None = None  # its own, by its loop
        self._epoch: float | None = None  # of that row
        self._first_wait_s: float | None = (
            None  # of the newest row with an epoch's begin, and no evaluation before it
        )
        self._by_iterations = False  # does mmcv's loop count on where an epoch begins?
        self._overlapping = {name: OverlappingMeans() for name in _TIMES}  # of mmengine

    def taught(self, pupil: RowParser) -> None:
        """Also by what the loop counts."""
        super().taught(pupil)
        if isinstance(pupil, MmLogJson):
            self._by_iterations = self._by_iterations or pupil._by_iterations

    def run_info(self, line: LogLine) -> RunInfo:
        """A loop by iterations has stops in its times."""
        info = super().run_info(line)
        return replace(info, time_includes=(EVALUATION, CHECKPOINT, DATA)) if self._by_iterations else info

    def _own_names(self, row: dict[str, Any]) -> dict[str, Any]:
        """Where a loop by iterations counts on behind an evaluation, that is what the row calls waiting for data."""
        before, self._counted_to = self._counted_to, as_float(row.get("iter"))
        counts_on = before is not None and self._counted_to is not None and self._counted_to > before
        epoch_before, self._epoch = self._epoch, as_float(row.get("epoch"))
        later = epoch_before is not None and self._epoch is not None and self._epoch > epoch_before
        begins = later and counts_on and "mode" in row
        self._by_iterations = self._by_iterations or begins
        if self._behind_one and counts_on:
            row = self._without_the_evaluation(row, begins=begins)
        elif begins:
            self._first_wait_s = as_float(row.get("data_time"))
        self._behind_one = False
        return super()._own_names(row if "mode" in row else self._with_own_times(row))

    def _without_the_evaluation(self, row: dict[str, Any], *, begins: bool) -> dict[str, Any]:
        """What is left of its wait: that of an epoch's begin, where one lies between, as the one before it took it."""
        printed_s = as_float(row.get("data_time"))
        rest = {name: value for name, value in row.items() if name != "data_time"}
        if not begins or self._first_wait_s is None or printed_s is None:
            return rest
        return rest | {"data_time": min(self._first_wait_s, printed_s)}

    def _with_own_times(self, row: dict[str, Any]) -> dict[str, Any]:
        """mmengine's row with what its own iterations took, where its means hold those of others, too."""
        step, took_s = as_float(row.get("step")), as_float(row.get("time"))
        if step is None or took_s is None:
            return row
        own = {
            name: means.since_the_last(int(step), as_float(row.get(name)) or 0.0, _DIGIT_S, took_s)
            for name, means in self._overlapping.items()
        }
        if own["time"] is None:
            own["data_time"] = None
        return {name: value for name, value in (row | own).items() if name not in own or value is not None}

    @handler()
    def validated(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What a validation found; its `iter` counts its own batches."""
        row = parse_object(line.text) or {}
        found = {
            name: value for name, one in row.items() if name not in _PLACE and (value := as_float(one)) is not None
        }
        self._behind_one = True
        return [ended(EVALUATION, line.at_s, self.next_index, values=found)]


_TIMES = ("time", "data_time")
_DIGIT_S = 1e-12
"""One in the last digit of a time: all digits are written."""
_PLACE = frozenset(("epoch", "iter", "step", "lr"))
