"""`progress.csv` of Stable-Baselines, OpenAI Baselines and Ray Tune: the tables of the console, a row each.

    time/time_elapsed,time/iterations,time/fps,time/total_timesteps,train/loss
    1,1,2048,2048,
The heading has all columns that any row has: without one of updates the steps of the environment are all that counts.
The columns are in no order, and a row has only some of them. A row without a counter is an evaluation, or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...families.rollouts import UPDATES, RolloutParser
from ...generic.csv_table import cells_of
from ...parsing.grammar import Line, handler

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_COUNTERS = ("total_timesteps", "nupdates", "training_iteration", "TimestepsSoFar", "total/steps")
_NAMES = r"(?:time/|misc/)?total_timesteps|(?:misc/)?nupdates|training_iteration|TimestepsSoFar|total/steps"
_HEADING = rf"^(?=(?:[\w/ .%()-]{{0,80}},){{0,400}}(?:{_NAMES})(?:,|$))[\w/ .,%()-]+$"

_VALUES = (
    r'^(?=[^,]{0,80},)(?=.{0,2000}?\d)(?:[^{}:=\[\]"]|"[^"]*"|(?<=,)[{\[][^,"{}\[\]]*[}\]](?=,|$))*(?:"[^"]*)?$'
)
"""Settings and results stand in quotes, a whole table in a cell of Ray's older versions; of a long line the end may be cut off."""


class ProgressCsv(RolloutParser):
    """A heading, and rows with as many cells."""

    name = "RL progress.csv"
    about = "difference of the elapsed time over the rollouts (or updates) between, a mean over 20 s or more; all in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        *(Line(counter, _HEADING, "heading") for counter in _COUNTERS),  # no log without one is asked for it
        Line(",", _VALUES, "values", distinctive=False),
    )
    examples = (
        Example(
            """
time/time_elapsed,time/iterations,time/fps,rollout/ep_rew_mean,time/total_timesteps,train/loss,train/learning_rate,eval/mean_reward
10,1,204,0.5,2048,,,
31,2,204,0.75,4096,2.5,0.0003,
,,,,5000,2.5,0.0003,12.5
""",
            iterations=((1, None, 1, None), (2, 21.0, 1, 2.5)),
            evaluations=((3, {"mean_reward": 12.5}),),
        ),
        Example(
            """
episode_reward_mean,done,training_iteration,date,time_this_iter_s,time_total_s,hostname
1.5,False,1,2022-04-22_01-29-09,2.5,2.5,node
2.5,False,2,2022-04-22_01-29-11,2.0,4.5,node
""",
            iterations=((1, None, 1, None), (2, 2.0, 1, None)),
            variant="progress.csv of Ray Tune",
        ),
        Example(
            """
pid,training_iteration,time_this_iter_s,time_total_s,config
77,1,2.5,2.5,"{'num_workers': 2, 'env': ""game""}"
77,2,2.0,4.5,"{'num_workers': 2, 'env': ""game""}"
""",
            iterations=((1, None, 1, None), (2, 2.0, 1, None)),
            variant="progress.csv of Ray Tune until 2018",
        ),
        Example(
            """
rollout/return,total/epochs,total/duration,train/loss_critic,total/steps,total/episodes
-10.5,1,30.25,143.5,2000,30
-9.25,2,60.5,125.25,4000,60
""",
            iterations=((1, None, 1, None), (2, 30.25, 1, None)),
            variant="progress.csv of OpenAI Baselines' DDPG",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []

    @handler()
    def heading(self, _fields: Fields, line: LogLine) -> list[Event]:
        """The names of the columns."""
        self._names = [name.strip() for name in cells_of(line.text, ",")]
        self.never_updates = UPDATES not in self._names
        return []

    @handler(iterations=True)
    def values(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A row: only its cells that hold something."""
        cells = cells_of(line.text, ",")
        if len(cells) != len(self._names):
            return []
        row = {name: cell for name, cell in zip(self._names, cells, strict=True) if cell}
        evaluated = any(name.startswith("eval/") for name in row)
        if not evaluated and not any(
            name.startswith(("time/", "misc/", "total/")) or name in _TOP for name in row
        ):
            return []
        return self.table(row, line)


_TOP = ("training_iteration", "nupdates", "n_updates", "TimestepsSoFar", "total_timesteps")
