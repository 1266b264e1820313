"""BasicSR and its children (Real-ESRGAN, SwinIR, IQA-PyTorch): a line every `print_freq` iterations.

    2025-02-04 18:38:48,926 INFO: [basel..][epoch: 61, iter:   3,400, lr:(9.919e-06,)] [eta: 1:13:30, time (data): 1.906 (0.420)] l_pix: 1.6e-02
`time` is a mean over up to 200 iterations, without what lies between the lines. The lines have stamps: their difference has all in it.
Of several losses nobody says which is trained with: then none is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ....patterns import lazy_pattern
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import number

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_LOSS = lazy_pattern(r"\bl_(\w{1,40}): (\S{1,24})")


class BasicSr(LineParser):
    """A line every so many iterations."""

    name = "BasicSR"
    about = "time stamps' difference, all in it; without stamps `time`, a mean over up to 200 iterations"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    tells_the_rest = True
    from_stamps = True
    lines = (
        Line("[epoch:", r"\[epoch: *\d+, iter: *(?P<iteration>\d[\d,]{0,15}), lr:\((?P<learning_rate>N),[^)]{0,200}\)\] ?"
             r"\[eta: [^\]]{0,40}?time \(data\): (?P<duration_s>N) \((?P<data_wait_s>N)\)\] ?(?P<losses>.{0,2000})$", "step"),
        Line("Validation ", r"INFO: Validation \S{1,80}$", "validation", distinctive=False),
        Line("Saving models and training states", r"Saving models and training states", "checkpoint"),
        Line("total iters:", r"Total epochs: \d+; (?:total )?iters: (?P<max_iterations>\d+)", "config"),
    )  # fmt: skip
    examples = (
        Example(
            """
2025-02-04 18:00:00,000 INFO: Training statistics:
2025-02-04 18:00:40,000 INFO: [mine..][epoch:  0, iter:     100, lr:(1.000e-04,)] [eta: 1:00:00, time (data): 0.406 (0.020)] l_pix: 2.5000e-01
2025-02-04 18:01:20,000 INFO: [mine..][epoch:  1, iter:   1,100, lr:(1.000e-04,)] [eta: 0:59:00, time (data): 0.406 (0.020)] l_pix: 1.2500e-01
2025-02-04 18:01:30,000 INFO: Validation Set5
""",
            iterations=((100, None, 1, 0.25), (1100, 0.04, 1000, 0.125)),
            evaluations=((1101, {}),),
        ),
    )

    @handler(iterations=True, texts=("losses",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """An iteration."""
        losses = [number(value) for _, value in _LOSS.findall(fields.pop("losses"))]
        fields["loss"] = losses[0] if len(losses) == 1 else None
        if line.stamped:
            fields.pop("duration_s", None)
            fields.pop("data_wait_s", None)
        return self.iteration(fields, line)

    @handler()
    def validation(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The results of an evaluation, which is over."""
        return self.evaluation({}, line)
