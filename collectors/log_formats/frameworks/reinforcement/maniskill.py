"""The PPO of ManiSkill, a child of CleanRL: an iteration is a rollout with the updates after it.

    Epoch: 2, global_step=102400
    SPS: 4822
    Evaluated 400 steps resulting in 8 episodes
`global_step` counts steps of the environment before the iteration's rollout. `SPS` is the mean since the training began, as a whole
number, at the iteration's end: where the next one begins. From both follows how far the clock was; all is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION, SpanEnd, Strength
from ...base import Example
from ...families.elapsed import OF_A_MEAN, ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import LogLine, finite

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields


class ManiSkill(ElapsedParser):
    """Rollouts, each over where its `SPS` is printed."""

    window = OF_A_MEAN

    name = "ManiSkill PPO"
    about = "rollouts with their updates; times from SPS, which is a mean since the beginning; all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("global_step=", r"^Epoch: (?P<iteration>\d+), global_step=(?P<steps>\d+)$", "begins"),
        Line("SPS:", r"^SPS: (?P<rate>\d+)(?:,|$)", "rate"),
        Line("resulting in", r"^Evaluated \d+ steps resulting in \d+ episodes$", "evaluation"),
        Line("model saved to", r"^model saved to \S{1,400}$", "saved", distinctive=False),
        Line("args.num_iterations=", r"^args\.num_iterations=(?P<max_iterations>\d+) ", "config"),
    )
    examples = (
        Example(
            """
args.num_iterations=9 args.num_envs=16 args.num_eval_envs=8
Epoch: 1, global_step=0
Evaluated 400 steps resulting in 8 episodes
model saved to runs/ppo/ckpt_1.pt
SPS: 1000
Epoch: 2, global_step=100000
SPS: 1000
Epoch: 3, global_step=200000
SPS: 1000
Epoch: 4, global_step=300000
""",
            iterations=((1, None, 1, None), (2, 100.0, 1, None), (3, 100.0, 1, None)),
            evaluations=((None, {}),),
            checkpoints=(None,),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._began: tuple[float, float] | None = None
        self._at: tuple[float, float] | None = None  # the iteration at hand, and the steps before it
        self._rate: tuple[float, LogLine] | None = None  # printed at its end
        self._steps = 0.0  # of an iteration

    @handler(iterations=True, numbers=("steps",))
    def begins(self, fields: Fields, _line: LogLine) -> list[Event]:
        """An iteration begins: the one before is over."""
        index, steps = finite(fields["iteration"]), finite(fields["steps"])
        if index is None or steps is None:
            return []
        if self._at is not None and steps > self._at[1]:
            self._steps = steps - self._at[1]
        events = self._over()
        self._at = (index, steps)
        return events

    @handler(numbers=("rate",))
    def rate(self, fields: Fields, line: LogLine) -> list[Event]:
        """Steps a second, up to now."""
        rate = finite(fields["rate"])
        self._rate = (rate, line) if rate else None
        return []

    @handler()
    def saved(self, _fields: Fields, line: LogLine) -> list[Event]:
        """One more, the first iteration's too. Behind an evaluation, it takes next to nothing of their time."""
        return [SpanEnd(CHECKPOINT, line.at_s, self.next_index, strength=Strength.GUESS)]

    def release(self) -> list[Event]:
        """The newest iteration is over, too, if it said how fast it was."""
        return [*self._over(), *super().release()]

    def _over(self) -> list[Event]:
        at, rated, self._rate = self._at, self._rate, None
        if at is None or rated is None:
            return []
        (rate, line), steps = rated, at[1] + self._steps
        known = steps > 0
        return self.timed(
            {"iteration": at[0]}, line, steps / rate if known else None, steps / rate**2 if known else 0.0
        )
