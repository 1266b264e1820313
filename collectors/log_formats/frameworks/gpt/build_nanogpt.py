"""build-nanogpt (karpathy): `train_gpt2.py` of the video lecture, its console and its `log.txt`.

Console, one line a step:
    step   250 | loss: 5.949322 | lr 2.1e-04 | norm: 0.59 | dt: 382.11ms | tok/sec: 1372101.00
`dt` runs from the top of the step to a synchronised end, so it includes validation (every 250 steps), HellaSwag,
sampling and checkpoints (every 5000). `tok/sec` is the total over all ranks. `validation loss: 5.9` comes before the
step that it belongs to. Steps are counted from 0; the total is never printed.

`log.txt`, three kinds of lines and no time at all: `250 val 5.9521`, `250 hella 0.2448`, `250 train 5.949322`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from .....events import CHECKPOINT, EVALUATION, SpanEnd
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_ROUND = 10
"""Evaluations come every so many steps, or a multiple of it."""


class BuildNanoGpt(LineParser):
    """The console: times; includes everything a step does."""

    name = "build-nanogpt"
    synchronised = True
    about = "dt: one step, with validation, HellaSwag, sampling and checkpoint in it; synchronised; tok/sec of all ranks"
    time_includes = (EVALUATION, CHECKPOINT)
    lines = (
        Line(
            "tok/sec:",
            r"step +(?P<iteration>N) \| loss: (?P<loss>N) \| lr:? ?(?P<learning_rate>N) \| norm: ?(?P<gradient_norm>N)"
            r" \| dt: (?P<duration_ms>N) ?ms \| tok/sec: (?P<tokens_per_s>N)",
        ),
        Line(
            "tok/sec:",  # the lecture's earlier stages: no learning rate yet, a comma between loss and dt
            r"step +(?P<iteration>N)[,|:]? *\|? ?loss: (?P<loss>N)[,|]? *\|? ?(?:norm: (?P<gradient_norm>N) \| )?"
            r"dt: (?P<duration_ms>N) ?ms[,|]? *\|? ?tok/sec: (?P<tokens_per_s>N)",
        ),
        Line("validation loss:", r"^validation loss: (?P<val_loss>N)", "evaluation"),
        Line("HellaSwag accuracy:", r"HellaSwag accuracy: \d+/\d+=(?P<metric_hellaswag>N)", "evaluation"),
        Line("total desired batch size:", r"total desired batch size: (?P<tokens_per_iteration>N)", "config"),
        Line("gradient accumulation steps:", r"accumulation steps: (?P<gradient_accumulation>N)", "config"),
    )
    examples = (
        Example(
            """
total desired batch size: 524288
=> calculated gradient accumulation steps: 8
validation loss: 10.9502
step     0 | loss: 10.955029 | lr 8.3916e-07 | norm: 15.36 | dt: 9021.50ms | tok/sec: 58115.20
step     1 | loss: 10.921300 | lr 1.6783e-06 | norm: 14.90 | dt: 382.25ms | tok/sec: 1371585.61
""",
            iterations=((0, 9.0215, 1, 10.955029), (1, 0.38225, 1, 10.9213)),
            evaluations=((None, {"val_loss": 10.9502}),),
        ),
        Example(
            """
step    5 | loss: 6.51 | dt: 92.50ms | tok/sec: 177124.0
step 6, loss: 6.40, dt: 93.50ms, tok/sec: 175229.0
""",
            iterations=((5, 0.0925, 1, 6.51), (6, 0.0935, 1, 6.4)),
            variant="build-nanogpt without learning rate",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._counts_each = False  # has each step a row?

    @handler(iterations=True)
    def iteration(self, fields: Fields, line: LogLine) -> list[Event]:
        """A step."""
        before, events = self.last, super().iteration(fields, line)
        self._counts_each = before is not None and self.last == before + 1
        return events

    @handler()
    def evaluation(self, fields: Fields, line: LogLine) -> list[Event]:
        """What was found at the head of a step, whose row comes next: it is the step that `log.txt` names.

        A script that evaluates behind its step does so at round ones, too: their row is then the newest.
        """
        found, newest = super().evaluation(fields, line), self.last
        if newest is None or not self._counts_each:
            return found
        at = newest + (newest % _ROUND != 0)
        return [replace(one, after=at) if isinstance(one, SpanEnd) else one for one in found]


class BuildNanoGptLog(LineParser):
    """`log.txt`: losses without any time."""

    name = "build-nanogpt log.txt"
    about = "loss by step; the file holds no time at all"
    lines = (
        Line(" train ", r"^(?P<iteration>\d+) train (?P<loss>N)$"),
        Line(" val ", r"^(?P<iteration>\d+) val (?P<val_loss>N)$", "evaluation"),
        Line(" hella ", r"^(?P<iteration>\d+) hella (?P<metric_hellaswag>N)$", "evaluation"),
    )
    examples = (
        Example(
            """
0 val 10.95
0 hella 0.2463
0 train 10.955029
1 train 10.5
""",
            iterations=((0, None, 1, 10.955029), (1, None, 1, 10.5)),
            evaluations=((0, {"val_loss": 10.95}), (0, {"hellaswag": 0.2463})),
        ),
    )
