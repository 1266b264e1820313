"""Tables of Stable-Baselines 3 and 2, and of OpenAI Baselines.

    | time/              |          |            | fps                | 1234    |
    |    fps             | 1234     |            | nupdates           | 1       |        Stable-Baselines 2, Baselines
    |    iterations      | 1        |            | time_elapsed       | 0.5     |
    |    time_elapsed    | 1        |            | total_timesteps    | 128     |
    |    total_timesteps | 2048     |
The clock counts from `learn`, in whole seconds or with three digits; all is in it. A table with `eval/` is an evaluation. Agents
that learn from a memory (DQN, SAC) count their updates; before the first of them they only collect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...families.rollouts import RolloutParser
from ...parsing.grammar import Line, handler

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_MOST_ROWS = 200
_INDENTED = "|  "


class StableBaselines(RolloutParser):
    """Boxes of names and values."""

    name = "Stable-Baselines"
    about = (
        "difference of time_elapsed over the rollouts (or updates) between, a mean over 20 s or more; all in it"
    )
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("|", r"^\| {1,4}(?P<key>(?:misc/)?total_timesteps|total timesteps|total/steps|TimestepsSoFar|EpRewMean|steps) +\| (?P<text>\S{1,40}) +\|$", "count"),
        Line("|", r"^\| {1,4}(?P<key>fps|nupdates|n_updates|serial_timesteps|time_elapsed|TimeElapsed|ep_rew_mean|ep_len_mean|eprewmean|"
             r"eplenmean|explained_variance|misc/\w+) +\| (?P<text>\S{1,40}) +\|$", "row"),
        Line("|", r"^\| (?P<tag>[\w.-]{1,40}/) +\| {2,}\|$", "group"),
        Line("|", r"^\| {1,4}(?P<key>\S[^|]{0,80}?) +\| (?P<text>[^|]{1,60}?) *\|$", "row", distinctive=False),
        Line("---", r"^-{10,200}$", "border", distinctive=False),
        Line("Restored model", r"^Restored model with mean reward: ", "done"),
        Line("Iteration", r"^\*{5,20} Iteration (?P<counted>\d+) \*{5,20}$", "heading", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
---------------------------------
| rollout/           |          |
|    ep_rew_mean     | 22.1     |
| time/              |          |
|    fps             | 100      |
|    iterations      | 1        |
|    time_elapsed    | 20       |
|    total_timesteps | 2048     |
---------------------------------
-----------------------------------------
| time/                   |             |
|    fps                  | 100         |
|    iterations           | 2           |
|    time_elapsed         | 41          |
|    total_timesteps      | 4096        |
| train/                  |             |
|    learning_rate        | 0.0003      |
|    loss                 | 2.5         |
|    n_updates            | 10          |
-----------------------------------------
---------------------------------
| eval/              |          |
|    mean_ep_length  | 40       |
|    mean_reward     | 37.5     |
| time/              |          |
|    total_timesteps | 5000     |
---------------------------------
""",
            iterations=((1, None, 1, None), (2, 21.0, 1, 2.5)),
            evaluations=((3, {"mean_ep_length": 40.0, "mean_reward": 37.5}),),
            variant="Stable-Baselines 3 with rollouts",
        ),
        Example(
            """
----------------------------------
| rollout/            |          |
|    ep_rew_mean      | 22.1     |
| time/               |          |
|    episodes         | 4        |
|    fps              | 5000     |
|    time_elapsed     | 0        |
|    total_timesteps  | 90       |
----------------------------------
----------------------------------
| time/               |          |
|    episodes         | 8        |
|    fps              | 500      |
|    time_elapsed     | 10       |
|    total_timesteps  | 5000     |
| train/              |          |
|    loss             | 0.5      |
|    n_updates        | 1000     |
----------------------------------
----------------------------------
| time/               |          |
|    episodes         | 12       |
|    fps              | 500      |
|    time_elapsed     | 50       |
|    total_timesteps  | 25000    |
| train/              |          |
|    loss             | 0.25     |
|    n_updates        | 5000     |
----------------------------------
""",
            iterations=((1000, None, 1, 0.5), (5000, 0.01, 4000, 0.25)),
            variant="Stable-Baselines 3 with a memory: updates",
        ),
        Example(
            """
-------------------------------------
| fps                | 256          |
| misc/nupdates      | 10           |
| misc/time_elapsed  | 12.5         |
| misc/total_timesteps | 1280       |
-------------------------------------
-------------------------------------
| fps                | 256          |
| misc/nupdates      | 20           |
| misc/time_elapsed  | 17.5         |
| misc/total_timesteps | 2560       |
-------------------------------------
""",
            iterations=((10, None, 1, None), (20, 0.5, 10, None)),
            variant="OpenAI Baselines",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._row: dict[str, str] = {}
        self._tag = ""
        self._is_whole = False  # does the table at hand have its border above? A log may be cut at its beginning
        self._counted_above: float | None = None

    @handler(numbers=("counted",))
    def heading(self, fields: Fields, _line: LogLine) -> list[Event]:
        """TRPO and PPO1 count above their tables."""
        self._counted_above = fields["counted"]
        return []

    @handler(texts=("tag",))
    def group(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The rows below are of this group."""
        if not (self._is_whole or self._tag):
            self._row.clear()  # they are of a group whose name nobody knows
        self._tag = fields["tag"]
        return []

    @handler(iterations=True, texts=("key", "text"))
    def count(self, fields: Fields, line: LogLine) -> list[Event]:
        """The row that each table has once."""
        return self.row(fields, line)

    @handler(texts=("key", "text"))
    def row(self, fields: Fields, line: LogLine) -> list[Event]:
        """A name and its value; of a cut table's indented rows nobody knows the group, and so not what they count."""
        if not (self._is_whole or self._tag) and line.text.startswith(_INDENTED):
            return []
        if len(self._row) < _MOST_ROWS:
            self._row[self._tag + fields["key"].strip()] = fields["text"].strip()
        return []

    @handler()
    def border(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A table begins, or is whole."""
        row, self._row, self._tag, self._is_whole = self._row, {}, "", True
        if not row:
            return []
        counted, self._counted_above = self._counted_above, None
        return self.table(row, line, counted)
