"""modded-nanogpt (Keller Jordan): the log of a speedrun record, which begins with its own source code.

    step:250/1390 train_time:32041ms step_avg:133.50ms
    step:250/1390 val_loss:4.5012 train_time:32043ms step_avg:133.51ms
`train_time` is the time trained so far: validation, warm-up and compilation stop its clock. A step's time is the
difference of two of them. Lines of training are not synchronised with the GPU ("approx"), those with `val_loss` are.
Until 2025-01 the clock began anew at step 10, so that `train_time` falls once: no time for that step, and no restart;
`step_avg:nan` of the first steps is no bad loss. Some tracks print `train_time` in seconds. `train_loss` is gone since
2025-01, and some tracks print validations only: each then stands for the steps since the last. `val_loss` of step n
belongs to the weights after n steps. The runs of 2024-06 wrote a `main.log` without
time: `s:250 trl:4.501230`, with `tel:` for validation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, finite, whole

if TYPE_CHECKING:
    from .....events import Event

_PARTED = r" (?:\| )?"
"""Some children part their values."""
_PLACE = rf"^step: {{0,8}}(?P<iteration>\d+)/(?P<total>\d+){_PARTED}"
_TIME = rf"(?:\w{{1,40}}:\S{{1,40}}{_PARTED}){{0,4}}train_time:(?P<train_time>N)(?P<unit>ms|s){_PARTED}step_avg:"


class ModdedNanoGpt(LineParser):
    """Differences of a clock that stands still during validation."""

    name = "modded-nanogpt"
    synchronised = False
    about = "difference of two train_time: without validation, warm-up and compilation; not synchronised"
    lines = (
        Line(
            "val_loss:",
            rf"{_PLACE}val_loss:(?P<val_loss>N){_PARTED}{_TIME}",
            "validation",
        ),
        Line(
            "train_time:",
            rf"{_PLACE}(?:train_loss:(?P<loss>N){_PARTED})?{_TIME}",
            "training",
        ),
        Line("peak memory", r"^peak memory", "known"),
    )
    examples = (
        Example(
            """
        print0(f"step:{step}/{args.num_iterations} val_loss:{val_loss:.4f} train_time:{t}ms step_avg:{a}ms")
step:0/1390 val_loss:10.8258 train_time:0ms step_avg:nanms
step:1/1390 train_time:24000ms step_avg:nanms
step:10/1390 train_time:26500ms step_avg:nanms
step:11/1390 train_time:140ms step_avg:nanms
step:12/1390 train_time:290ms step_avg:145.00ms
step:12/1390 val_loss:7.5 train_time:300ms step_avg:150.00ms
step:13/1390 train_loss:7.25 train_time:450ms step_avg:150.00ms
""",
            iterations=(
                (1, 24.0, 1, None),
                (10, 0.2777777777777778, 9, None),
                (11, None, 1, None),
                (12, 0.15, 1, None),
                (13, 0.15, 1, 7.25),
            ),
            evaluations=((0, {"val_loss": 10.8258}), (12, {"val_loss": 7.5})),
        ),
        Example(
            """
step:7/4875 train_time:1.250s step_avg:178.57ms
step:8/4875 train_time:1.400s step_avg:175.00ms
""",
            iterations=((7, None, 1, None), (8, 0.15, 1, None)),
            variant="modded-nanogpt in seconds",
        ),
        Example(
            """
step:0/3225 val_loss:10.82584 train_time:0.000s step_avg:0.03ms
step:125/3225 val_loss:4.31234 val_ema_loss:4.25 train_time:19.500s step_avg:156.00ms
step:150/3225 val_loss:4.01234 train_time:23.500s step_avg:156.67ms
""",
            iterations=((125, 0.156, 125, None), (150, 0.16, 25, None)),
            evaluations=((0, {"val_loss": 10.82584}), (125, {"val_loss": 4.31234}), (150, {"val_loss": 4.01234})),
            variant="modded-nanogpt with validations only",
        ),
        Example(
            """
step:   0/3250 | val_loss:10.8258 | train_time:0.0s | step_avg:nanms | peak_vram:1043MB
step:   1/3250 | train_time:24.5s | step_avg:24500.0ms | peak_vram:3073MB
step:  11/3250 | train_time:44.5s | step_avg:4045.5ms | peak_vram:3840MB
step:  15/3250 | val_loss:7.5 | train_time:52.5s | step_avg:3500.0ms | peak_vram:3840MB
step:  21/3250 | train_time:64.5s | step_avg:3071.4ms | peak_vram:3840MB
""",
            iterations=((1, 24.5, 1, None), (11, 2.0, 10, None), (21, 2.0, 10, None)),
            evaluations=((0, {"val_loss": 10.8258}), (15, {"val_loss": 7.5})),
            variant="modded-nanogpt with parted values",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._trained_s: float | None = None
        self._trained_lines = False  # steps are printed, not only validations

    @handler(iterations=True, numbers=("train_time",), texts=("unit",))
    def training(self, fields: Fields, line: LogLine) -> list[Event]:
        """A step of training: its time is the difference to the one before."""
        self._trained_lines = True
        return self._step(fields, line)

    def _step(self, fields: Fields, line: LogLine) -> list[Event]:
        before_s = self._trained_s
        self._trained_s = finite(_seconds(fields))
        if before_s is not None and self._trained_s is not None and self._trained_s >= before_s:
            steps = max((whole(fields["iteration"]) or 0) - self.last, 1) if self.last is not None else 1
            fields["duration_s"] = (self._trained_s - before_s) / steps
            fields["averaged_over"] = steps
        return self.iteration(fields, line)

    @handler(iterations=True, numbers=("train_time",), texts=("unit",))
    def validation(self, fields: Fields, line: LogLine) -> list[Event]:
        """A validation, whose line comes before or after the training line of the same step."""
        result = self.evaluation({key: fields[key] for key in ("iteration", "val_loss") if key in fields}, line)
        if whole(fields.get("iteration")) == 0:
            again = [self.run_info(line)] if self.last else []  # some tracks append one run to the other
            self.total = None if again else self.total
            self.last, self._trained_s, self._trained_lines = 0, finite(_seconds(fields)), False
            return [*again, *self.totals(fields), *result]
        if not self._trained_lines or self._is_last(fields):
            return [*self._step(fields, line), *result]
        if whole(fields.get("iteration")) == self.last:  # else steps without a line lie between
            self._trained_s = finite(_seconds(fields))
        return [*self.totals(fields), *result]

    def _is_last(self, fields: Fields) -> bool:
        """The last step has no line but that of its validation: the trainer leaves its loop there."""
        index, total = whole(fields.get("iteration")), whole(fields.get("total"))
        return index is not None and index == total and self.last is not None and index > self.last


class ModdedMainLog(LineParser):
    """The `main.log` of the first records: six decimals, and no time."""

    name = "modded-nanogpt main.log"
    reads_instead_of = ("llm.c main.log",)  # which prints the same, with four decimals
    about = "loss by step; the file holds no time at all"
    lines = (
        Line("trl:", r"^s:(?P<iteration>\d+) trl:(?P<loss>\d+\.\d{6}|nan|inf)$"),
        Line("tel:", r"^s:(?P<iteration>\d+) tel:(?P<val_loss>\d+\.\d{6}|nan|inf)$", "evaluation"),
    )
    examples = (
        Example(
            """
s:0 tel:10.968871
s:0 trl:10.965596
s:1 trl:10.814037
""",
            iterations=((0, None, 1, 10.965596), (1, None, 1, 10.814037)),
            evaluations=((0, {"val_loss": 10.968871}),),
        ),
    )


def _seconds(fields: Fields) -> float | None:
    trained = fields.get("train_time")
    return trained if trained is None or fields["unit"] == "s" else trained / 1000
