"""verl (ByteDance), reinforcement learning of language models: all metrics of a step on one long line.

    step:12 - actor/loss:-0.01 - actor/grad_norm:0.009 - actor/lr:3e-05 - perf/mfu/actor:0.31 - timing_s/gen:9.1 -
      timing_s/step:21.4 - perf/throughput:402.1 - ...                                           (one line in the log)
`timing_s/step` is the seconds of the step: generation, rewards, updates. Older versions have `timing_s/testing` and
`timing_s/save_checkpoint` in it, newer ones beside it: what the printed parts leave of the step tells which. A row's
time holds them either way. `perf/throughput` is tokens per second and GPU. The fine-tuning
script prints `step:12 - train/loss:0.92 - train/time(s):6.3`, with lr in thousandths: `train/lr(1e-3)`.
"""

from __future__ import annotations

from collections import deque
from statistics import median
from typing import TYPE_CHECKING

from .....events import CHECKPOINT, EVALUATION
from ...base import Example
from ...families.pairs import numbers
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import Fields, LogLine, ended, finite, scalars, whole

if TYPE_CHECKING:
    from .....events import Event

_LONGEST = 65_536  # a line of metrics has several thousand characters
_PHASES = (
    "gen",
    "reward",
    "old_log_prob",
    "ref",
    "values",
    "adv",
    "update_critic",
    "update_actor",
    "update_weights",
)
_STOPS = {"timing_s/testing": EVALUATION, "timing_s/save_checkpoint": CHECKPOINT}
_ROOM = 0.5
"""Of a stop: where its step leaves less beside its parts than this, it cannot be in the step."""
_NEAR = 16  # steps without a stop that show what a step usually has beside its parts
_UNDERSTOOD = frozenset(
    ("timing_s/step", "perf/time_per_step", "train/time(s)", "perf/total_num_tokens", "training/global_step",
     "actor/pg_loss", "actor/loss", "train/loss", "actor/lr", "train/lr(1e-3)", "actor/grad_norm", "train/grad_norm")
)  # fmt: skip


class Verl(LineParser):
    """One line holds everything."""

    name = "verl"
    about = "one step: timing_s/step, with testing and checkpoint where it had them"
    time_includes = (EVALUATION, CHECKPOINT)
    lines = (
        Line("step:", r"\bstep:(?P<iteration>\d+) - [\w/().@-]+:", "step"),
        Line("Total training steps:", r"Total training steps: (?P<max_iterations>\d+)", "config"),
        Line("Training Progress:", r"Training Progress: +\d+%\|.{0,200}?\| *\d+/(?P<total>\d+) \[", "progress"),
        Line("Training Progress:", r"Training Progress: +\d+%", "known"),
    )
    examples = (
        Example(
            """
step:5 - actor/pg_loss:np.float64(0.25) - actor/lr:np.float64(1e-06) - perf/total_num_tokens:649698 - timing_s/step:192.5
""",
            iterations=((5, 192.5, 1, 0.25),),
            variant="verl under NumPy 2",
        ),
        Example(
            """
Training Progress:  80%|████████  | 12/15 [04:18<01:04, 21.50s/it]
(TaskRunner pid=625502) step:12 - actor/pg_loss:-0.5 - actor/grad_norm:0.009 - actor/lr:3e-05 - timing_s/gen:9.1 - timing_s/step:21.5 - timing_s/testing:4.0
step:13 - train/loss:0.5 - train/lr(1e-3):0.5 - train/time(s):6.25
""",
            iterations=((12, 21.5, 1, -0.5), (13, 6.25, 1, 0.5)),
            evaluations=((12, {}),),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._rooms_s: deque[float] = deque(maxlen=_NEAR)  # what steps without a stop have beside their parts

    @handler()
    def progress(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The bar knows the length of the training; its steps are those of the lines."""
        return self.totals(fields)

    @handler(iterations=True)
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """The metrics by their names, as far as we know them."""
        read = numbers(line.text[:_LONGEST], between=" - ")
        fields["duration_s"] = self._duration_s(read)
        fields["loss"] = read.get("actor/loss", read.get("actor/pg_loss", read.get("train/loss")))
        fields["gradient_norm"] = read.get("actor/grad_norm", read.get("train/grad_norm"))
        fields["learning_rate"] = read.get("actor/lr", read.get("train/lr(1e-3)", 0.0) / 1e3 or None)
        fields["tokens"] = read.get("perf/total_num_tokens")
        fields["scalars"] = scalars([*read.items()][1:], _UNDERSTOOD)  # the first is the step
        if fields["duration_s"] is None and not any(
            key.startswith(("actor/", "train/", "training/")) for key in read
        ):
            return self._spans(fields, read, line) or self._evaluated(fields, read, line)
        return [*self._spans(fields, read, line), *self.iteration(fields, line)]

    def _duration_s(self, read: dict[str, float]) -> float | None:
        """The time of a step with the stops that it had."""
        step_s = read.get("timing_s/step", read.get("perf/time_per_step", read.get("train/time(s)")))
        parts = [one for phase in _PHASES if (one := finite(read.get(f"timing_s/{phase}"))) is not None]
        if step_s is None or finite(step_s) is None or not parts:
            return step_s
        stops = [one for key in _STOPS if (one := finite(read.get(key))) and one > 0]
        room_s = step_s - sum(parts)
        if not stops:
            self._rooms_s.append(room_s)
            return step_s
        room_s -= median(self._rooms_s) if self._rooms_s else 0.0
        outside_s = 0.0
        for stop_s in sorted(stops, reverse=True):  # a short one fits into the room of a long one
            inside = room_s >= _ROOM * stop_s
            room_s -= stop_s * inside
            outside_s += stop_s * (not inside)
        return step_s + outside_s

    def _spans(self, fields: Fields, read: dict[str, float], line: LogLine) -> list[Event]:
        index = whole(fields["iteration"])
        return [ended(kind, line.at_s, index, read[key]) for key, kind in _STOPS.items() if finite(read.get(key))]

    def _evaluated(self, fields: Fields, read: dict[str, float], line: LogLine) -> list[Event]:
        values = {key: value for key, value in read.items() if key.startswith("val") and finite(value) is not None}
        return [ended(EVALUATION, line.at_s, whole(fields["iteration"]), values=values)] if values else []
