"""NeMo (NVIDIA), on Lightning: since 2024 a line a step, before that Lightning's bar with NeMo's own values.

    Training epoch 0, iteration 1/249 | lr: 3.9e-06 | global_batch_size: 8 | global_step: 1 | reduced_train_loss: 1.65
      | train_step_timing in s: 2.505 | consumed_samples: 16 | val_loss: 1.2                (one line in the log)
    Epoch 0: :  47%|████▋     | 7/15 [06:19<07:13, v_num=gjbq, reduced_train_loss=11.50, global_step=5.000,
      consumed_samples=12288.0, train_step_timing in s=49.50]                               (one frame)
`train_step_timing` is the newest step's, with the wait for its data, without validation and checkpoint. Steps count from
0. In a bar `global_step` is cut to three digits (`2e+3`), so the bar's own count is taken, which is one more. A bar
without NeMo's timing is read as Lightning's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA
from ...base import Example
from ...families.pairs import numbers
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import LogLine, finite, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_TIMING = "train_step_timing in s"
_UNDERSTOOD = frozenset(
    (
        "loss",
        "reduced_train_loss",
        "lr",
        "grad_norm",
        "gradient_norm",
        "val_loss",
        "global_step",
        "iteration",
        _TIMING,
    )
)


class Nemo(LineParser):
    """A line or a frame holds everything; `val_loss` stays in them until there is a newer one."""

    name = "NeMo"
    about = "train_step_timing: one step with the wait for its data, without validation and checkpoint"
    time_includes = (DATA,)
    lines = (
        Line("global_step:", r"Training epoch \d+, iteration \d+/\d+ \| (?P<rest>.*)$", "step"),
        Line(_TIMING, r"Epoch (?P<epoch>\d+): .{0,400}?\| *(?P<batch>\d+)/(?P<batches>\d+) \[[^,\]]{1,40}, (?P<rest>[^\]]*)", "frame"),
    )  # fmt: skip
    examples = (
        Example(
            """
Training epoch 0, iteration 0/249 | lr: 1.961e-06 | global_batch_size: 8 | global_step: 0 | reduced_train_loss: 1.315 | train_step_timing in s: 7.125
Training epoch 0, iteration 1/249 | lr: 3.922e-06 | global_batch_size: 8 | global_step: 1 | reduced_train_loss: 1.653 | train_step_timing in s: 2.5 | consumed_samples: 16
""",
            iterations=((0, 7.125, 1, 1.315), (1, 2.5, 1, 1.653)),
        ),
        Example(
            """
Epoch 0: :  50%|█████     | 1000/2000 [06:19<07:13, v_num=gjbq, reduced_train_loss=11.50, global_step=999.0, consumed_samples=1e+6, train_step_timing in s=12.50]
Epoch 0: :  50%|█████     | 1001/2000 [06:32<07:00, v_num=gjbq, reduced_train_loss=11.25, global_step=1e+3, consumed_samples=1e+6, train_step_timing in s=12.75]
""",
            iterations=((999, 12.5, 1, 11.5), (1000, 12.75, 1, 11.25)),
            variant="NeMo's bar",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._val_loss: float | None = None

    @handler(iterations=True, texts=("rest",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """`key: value |` after the place in the epoch."""
        read = numbers(fields["rest"])
        return self._step({"iteration": read["global_step"]}, read, line) if "global_step" in read else []

    @handler(iterations=True, texts=("rest",))
    def frame(self, fields: Fields, line: LogLine) -> list[Event]:
        """`key=value, ` after the bar's clock."""
        read = numbers(fields.pop("rest"), between=",", inside="=")
        return self._step(fields | {"batch": fields["batch"] - 1}, read, line) if fields["batch"] else []

    def _step(self, fields: Fields, read: dict[str, float], line: LogLine) -> list[Event]:
        val_loss = finite(read.get("val_loss"))
        validated = val_loss is not None and val_loss != self._val_loss
        self._val_loss = val_loss
        fields |= {
            "duration_s": read.get(_TIMING),
            "loss": read.get("reduced_train_loss", read.get("loss")),
            "learning_rate": read.get("lr"),
            "gradient_norm": read.get("grad_norm", read.get("gradient_norm")),
            "scalars": scalars(read.items(), _UNDERSTOOD),
        }
        events = self.iteration(fields, line)
        return [*events, *self.evaluation({"val_loss": val_loss}, line)] if validated else events
