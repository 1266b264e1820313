"""litgpt (Lightning AI): pretraining and fine-tuning, and lit-gpt of 2023.

    Epoch 1 | iter 4 step 2 | loss train: 1.597, val: n/a | iter time: 595.27 ms (step) remaining time: 0:01:54
    iter 4840 | step 605: loss 0.2609, iter time: 153.14 ms (optimizer.step)                      2024, fine-tuning
    iter 77 step 39: loss 10.8259, iter time: 214.40ms (optimizer.step)                           2023
`iter time` is that of one micro-iteration, and `iter` counts them; a step is several, and `(step)` marks the one with the
optimizer in it. The numbers here are those of `iter`. Validation is excluded; the GPU is not waited for in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_TIME = r"iter time: (?:(?P<duration_ms>N) ?ms|(?P<duration_s>N) ?s)"


class LitGpt(LineParser):
    """Micro-iterations, as the log counts them."""

    name = "litgpt"
    synchronised = False
    tells_the_rest = True
    about = "iter time: one micro-iteration (a step is several), without validation; not synchronised"
    lines = (
        Line("iter time:", rf"iter +(?P<iteration>\d+) step +\d+ \| loss train: (?P<loss>N)[^|]*\| {_TIME}"),
        Line("iter time:", rf"iter +(?P<iteration>\d+) \| step +\d+: loss (?P<loss>N), {_TIME}"),
        Line("iter time:", rf"iter +(?P<iteration>\d+)(?: step \d+)?: loss (?P<loss>N), {_TIME}"),
        Line(
            "val time:",
            r"iter +(?P<iteration>\d+): val loss (?P<val_loss>N), val time: (?P<duration_ms>N) ?ms",
            "evaluation",
        ),
        Line(
            "val_time:",
            r"iter +(?P<iteration>\d+) +\| val_loss: (?P<val_loss>N) \| val_time: (?P<duration_s>N) s",
            "evaluation",
        ),
        Line(
            "Saving checkpoint to", r"Saving checkpoint to '?(?P<detail>[^'\s]+)", "checkpoint", distinctive=False
        ),
        Line(
            "Number of trainable parameters:",
            r"Number of trainable parameters: (?P<parameters>N)",
            "trained",
            distinctive=False,
        ),
        Line(
            "Number of non-trainable parameters:",
            r"Number of non-trainable parameters: (?P<frozen>N)",
            "frozen",
            distinctive=False,
        ),
    )
    examples = (
        Example(
            """
Epoch 1 | iter 3 step 1 | loss train: 1.687, val: n/a | iter time: 300.25 ms
Epoch 1 | iter 4 step 2 | loss train: 1.5, val: 2.861 | iter time: 595.25 ms (step) remaining time: 0:01:54
Epoch 0 | iter  69 step  69 | loss train: 26.5, val_loss valid: 13.879 | iter time: 38.875 s (step)
""",
            iterations=((3, 0.30025, 1, 1.687), (4, 0.59525, 1, 1.5), (69, 38.875, 1, 26.5)),
        ),
        Example(
            """
iter 77 step 39: loss 10.5, iter time: 214.25ms (optimizer.step)
iter 80: val loss 1.7258, val time: 3778.02 ms
iter 4840 | step 605: loss 0.25, iter time: 153.25 ms (optimizer.step)
""",
            iterations=((77, 0.21425, 1, 10.5), (4840, 0.15325, 1, 0.25)),
            evaluations=((80, {"val_loss": 1.7258}),),
            variant="lit-gpt of 2023 and 2024",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._trained = 0.0

    @handler()
    def trained(self, fields: Fields, line: LogLine) -> list[Event]:
        """All of them, unless the next line says that others are frozen."""
        self._trained = fields["parameters"]
        return self.config(fields, line)

    @handler(numbers=("frozen",))
    def frozen(self, fields: Fields, line: LogLine) -> list[Event]:
        """The weights below the adapters: of all parameters few are trained."""
        whole = self._trained + fields["frozen"]
        return self.config({"parameters": whole, "trained_parameters": self._trained}, line)
