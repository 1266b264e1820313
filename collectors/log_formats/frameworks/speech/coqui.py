"""Coqui's trainer (TTS, XTTS, YourTTS): a block every `print_step` steps.

     > EPOCH: 3/1000
       --> STEP: 16/36 -- GLOBAL_STEP: 1000125
         | > loss: 22.5  (22.25)
         | > step_time: 1.2769  (1.26695)
The value before the brackets is the step's, the one in them the epoch's mean. `step_time` is forward, backward and optimizer;
`loader_time` is the wait for data before it. A trainer with several optimizers has a loss each (`loss_0`, `loss_1`): the last one's
is the model's, the ones before train its critics. Evaluations and checkpoints are in none of the times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import LogLine, ended, finite, scalars

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields

_VALUE = r"^ {2,12}\| > "
_UNDERSTOOD = frozenset(("loader_time", "step_time", "grad_norm", "current_lr", "loss"))


class Coqui(LineParser):
    """Blocks of values, each below its step."""

    name = "Coqui trainer"
    about = "step_time of the newest step, with loader_time before it; evaluations and checkpoints are not in it"
    lines = (
        Line("GLOBAL_STEP:", r"--> STEP: \d+/\d+ -- GLOBAL_STEP: (?P<step>\d+)$", "begins"),
        Line("EVAL PERFORMANCE", r"--> EVAL PERFORMANCE$", "evaluates"),
        Line("| > avg_loss", _VALUE + r"avg_(?P<key>loss(?:_\d)?): ?(?P<value>N) ", "evaluated"),
        Line("| > loss", _VALUE + r"(?P<key>loss(?:_\d)?): (?P<value>N)", "value"),
        Line("_time:", _VALUE + r"(?P<key>step_time|loader_time): (?P<value>N)", "value"),
        Line("| > grad_norm", _VALUE + r"(?P<key>grad_norm)(?:_\d)?: (?P<value>N)", "value"),
        Line("| > current_lr", _VALUE + r"(?P<key>current_lr)(?:_\d)?: (?P<value>N)", "value"),
        Line("> BEST MODEL : ", r"> BEST MODEL : (?P<detail>\S{1,400})$", "checkpoint"),
        Line("> CHECKPOINT : ", r"> CHECKPOINT : (?P<detail>\S{1,400})$", "checkpoint"),
        Line("> EPOCH:", r"^ > EPOCH: \d+/\d+$", "ends"),
    )
    examples = (
        Example(
            """
 > EPOCH: 0/1000
 > TRAINING (2022-11-03 10:47:31)
   --> STEP: 24/36 -- GLOBAL_STEP: 25
     | > loss_0: 2.5  (2.5)
     | > loss_1: 26.5  (26.25)
     | > grad_norm_1: 4.5  (4.25)
     | > current_lr_1: 0.00025
     | > step_time: 1.25000  (1.5)
     | > loader_time: 0.25000  (0.25)

   --> STEP: 35/36 -- GLOBAL_STEP: 50
     | > loss_0: 2.25  (2.5)
     | > loss_1: 24.5  (25.25)
     | > step_time: 1.50000  (1.5)
     | > loader_time: 0.25000  (0.25)

 > EVALUATION
  --> EVAL PERFORMANCE
     | > avg_loss_0: 2.75 (+0.00000)
     | > avg_loss_1: 26.75 (+0.00000)

 > BEST MODEL : /runs/best_model_37.pth
 > EPOCH: 1/1000
""",
            iterations=((25, 1.5, 1, 26.5), (50, 1.75, 1, 24.5)),
            evaluations=((51, {"val_loss": 26.75}),),
            checkpoints=(51,),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._step: tuple[float, LogLine] | None = None
        self._values: dict[str, float] = {}
        self._evaluates: LogLine | None = None

    @handler(iterations=True, numbers=("step",))
    def begins(self, fields: Fields, line: LogLine) -> list[Event]:
        """A block begins."""
        events = self.release()
        if (step := finite(fields["step"])) is not None:
            self._step = (step, line)
        return events

    @handler()
    def evaluates(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The results of an evaluation begin."""
        events = self.release()
        self._evaluates = line
        return events

    @handler(texts=("key",), numbers=("value",))
    def value(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A value of the step."""
        if self._step is not None:
            self._values[fields["key"]] = fields["value"]
        return []

    @handler(texts=("key",), numbers=("value",))
    def evaluated(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A mean of the evaluation."""
        if self._evaluates is not None:
            self._values[fields["key"]] = fields["value"]
        return []

    @handler()
    def ends(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """An epoch begins: what was before is over."""
        return self.release()

    @handler()
    def checkpoint(self, fields: Fields, line: LogLine) -> list[Event]:
        """A model is written, after what was above it."""
        return [*self.release(), *super().checkpoint(fields, line)]

    def release(self) -> list[Event]:
        """The block above is whole."""
        values, self._values = self._values, {}
        step, self._step = self._step, None
        results, self._evaluates = self._evaluates, None
        loss = values[max(losses)] if (losses := [key for key in values if key.startswith("loss")]) else None
        if results is not None:
            found = {} if loss is None else {"val_loss": loss}
            return [ended("evaluation", results.at_s, self.next_index, values=found)]
        if step is None:
            return []
        waited_s, step_s = values.get("loader_time"), values.get("step_time")
        fields: dict[str, Any] = {"iteration": step[0], "loss": loss, "data_wait_s": waited_s}
        if step_s is not None:
            fields["duration_s"] = step_s + (waited_s or 0.0)
        fields["scalars"] = scalars(values.items(), _UNDERSTOOD)
        if "grad_norm" in values:
            fields["gradient_norm"] = values["grad_norm"]
        if "current_lr" in values:
            fields["learning_rate"] = values["current_lr"]
        return self.iteration(fields, step[1])
