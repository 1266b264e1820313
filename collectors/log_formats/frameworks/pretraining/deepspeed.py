"""DeepSpeed's own lines, and those of DeepSpeed-Chat.

    [2023-04-18 01:46:59,142] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=6, lr=[9.6e-06], mom=[(0.9, 0.95)]
    [...] [timer.py:199:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=173.4, CurrSamplesPerSec=171.9, ...
Both stand every `steps_per_print` steps. No time is printed: it is the difference of the time stamps over the steps
between, so it includes data, evaluation and checkpoints. (`CurrSamplesPerSec` would exclude them, but needs the batch
size, which is not printed.) `lr` is the first parameter group's.

DeepSpeed-Chat's third step, RLHF, prints `epoch: 0|step: 0|ppo_ep: 1|act_loss: 0.21|cri_loss: 0.12|...`, without any time;
the two engines' own step lines are then left aside, since they count updates of actor and critic. `ppl: 4998.3` is an
evaluation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class DeepSpeed(LineParser):
    """Time from the time stamps, over `steps_per_print` steps."""

    name = "DeepSpeed"
    about = "time stamps' difference over steps_per_print: a mean, with data, evaluation and checkpoint in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line(
            "skipped=",
            r"\[Rank \d+\] step=(?P<iteration>\d+), skipped=\d+, lr=\[(?P<learning_rate>N)?",
            "engine",
        ),
        Line(
            "global_step=",
            r"micro_step=\d+/global_step=(?P<iteration>\d+), RunningAvgSamplesPerSec=",
            "engine",
        ),
        Line(
            "ppo_ep:",
            r"epoch: (?P<epoch>\d+)\|step: (?P<batch>\d+)\|ppo_ep: ?\d+\|act_loss: (?P<loss>N)",
            "rlhf",
        ),
        Line("ppl:", r"^ppl: (?P<perplexity>N)", "evaluation"),
        Line("time (ms) |", r"\[Rank \d+\] (?:rank=\d+ )?time \(ms\) \|", "known"),
    )
    examples = (
        Example(
            """
[2023-04-18 01:46:50,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=6, lr=[9.6e-06, 9.6e-06], mom=[(0.9, 0.95)]
[2023-04-18 01:46:50,010] [INFO] [timer.py:199:stop] epoch=0/micro_step=10/global_step=10, RunningAvgSamplesPerSec=173.4, CurrSamplesPerSec=171.9, MemAllocated=3.96GB, MaxMemAllocated=22.95GB
[2023-04-18 01:46:57,500] [INFO] [logging.py:96:log_dist] [Rank 0] step=20, skipped=6, lr=[9.6e-06, 9.6e-06], mom=[(0.9, 0.95)]
""",
            iterations=((10, None, 1, None), (20, 0.75, 10, None)),
        ),
        Example(
            """
[2023-04-18 01:46:48,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=0, skipped=0, lr=[1e-05], mom=[[0.8, 0.999]]
[2023-04-18 01:46:50,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=1, skipped=0, lr=[1e-05], mom=[[0.8, 0.999]]
[2023-04-18 01:46:51,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=2, skipped=0, lr=[1e-05], mom=[[0.8, 0.999]]
""",
            iterations=((1, None, 1, None), (2, 1.0, 1, None)),
            variant="an engine that says its settings as step 0",
        ),
        Example(
            """
epoch: 0|step: 0|ppo_ep: 1|act_loss: 0.21|cri_loss: 0.12|unsuper_loss: 0.0
[2023-04-18 01:46:50,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=6, lr=[9.6e-06], mom=[(0.9, 0.95)]
epoch: 0|step: 1|ppo_ep: 1|act_loss: 0.2|cri_loss: 0.1|unsuper_loss: 0.0
""",
            iterations=((0, None, 1, 0.21), (1, None, 1, 0.2)),
            variant="DeepSpeed-Chat's RLHF",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._rlhf = False

    @handler(iterations=True)
    def engine(self, fields: Fields, line: LogLine) -> list[Event]:
        """A step of one engine. As step 0 it only says its settings, before it has done any."""
        return [] if self._rlhf or not fields["iteration"] else self.iteration(fields, line)

    @handler(iterations=True)
    def rlhf(self, fields: Fields, line: LogLine) -> list[Event]:
        """A step of RLHF: generation, scoring and the updates of both engines."""
        if not self._rlhf:
            self._rlhf, self.last, self.last_at_s = True, None, None
        return self.iteration(fields, line)
