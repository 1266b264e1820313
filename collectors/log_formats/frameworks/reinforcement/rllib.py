"""Ray Tune and RLlib: a block of results an iteration, in YAML or in a box.

    Result for DQN_shogi_96499_00000:                      │ Training result                       │
      time_this_iter_s: 2.5                                │ time_this_iter_s                 2.5  │
      time_total_s: 2.5                                    │ time_total_s                     2.5  │
      timestamp: 1650590949                                │ training_iteration                 1  │
      training_iteration: 1
Names stand in the order of the alphabet, so what an iteration needs comes before its number. Tune prints one block in five seconds at
most: what happened in between is in the total. Of several trials the first is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, EVALUATION, Message
from ...base import Example
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import finite, number

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_VALUE = r"^(?:  |│ )(?P<key>%s)(?::| {1,200}) ?(?P<text>[-+\w.]{1,40}) *│?$"


class Rllib(ElapsedParser):
    """Blocks of results."""

    name = "Ray Tune"
    about = (
        "difference of time_total_s, a mean over the iterations since the last block; of several trials the first"
    )
    time_includes = (EVALUATION, DATA)
    lines = (
        Line(
            "training_iteration", r"^(?:  |│ )training_iteration(?::| {1,200}) ?(?P<iteration>\d+) *│?$", "result"
        ),
        Line("Result for ", r"^Result for (?P<trial>\S{1,200}):$", "trial"),
        Line("finished iteration", r"^Trial (?P<trial>\S{1,200}) finished iteration \d+ at ", "trial"),
        Line("time", _VALUE % "time_this_iter_s|time_total_s|timestamp", "value", distinctive=False),
        Line("loss", _VALUE % "loss", "value", distinctive=False),
    )
    examples = (
        Example(
            """
Result for DQN_game_96499_00000:
  time_this_iter_s: 2.5
  time_total_s: 2.5
  timestamp: 1650590949
  training_iteration: 1
Result for DQN_game_96499_00001:
  time_this_iter_s: 9.5
  time_total_s: 9.5
  timestamp: 1650590950
  training_iteration: 1
Result for DQN_game_96499_00000:
  loss: 0.5
  time_this_iter_s: 1.5
  time_total_s: 8.5
  timestamp: 1650590955
  training_iteration: 5
""",
            iterations=((1, 2.5, 1, None), (5, 1.5, 4, 0.5)),
        ),
        Example(
            """
Training finished iteration 1 at 2023-09-01 10:00:00. Total running time: 31s
╭───────────────────────────────╮
│ Training result               │
├───────────────────────────────┤
│ time_this_iter_s          4.5 │
│ time_total_s              4.5 │
│ training_iteration          1 │
╰───────────────────────────────╯
""",
            iterations=((1, 4.5, 1, None),),
            variant="Ray Tune since 2023",
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._trial: str | None = None
        self._reads = True
        self._read: dict[str, float | None] = {}

    @handler(texts=("trial",))
    def trial(self, fields: Fields, _line: LogLine) -> list[Event]:
        """Whose result comes."""
        self._trial = self._trial or fields["trial"]
        self._reads, self._read = fields["trial"] == self._trial, {}
        if self._reads or self.tag:
            return []
        self.tag = self._trial
        return [Message(f"several trials write to this log: only the results of {self._trial} are read")]

    @handler(texts=("key", "text"))
    def value(self, fields: Fields, _line: LogLine) -> list[Event]:
        """One of the results."""
        self._read[fields["key"]] = number(fields["text"])
        return []

    @handler(iterations=True)
    def result(self, fields: Fields, line: LogLine) -> list[Event]:
        """The iteration's number, which stands below what it needs."""
        read, self._read = self._read, {}
        if not self._reads:
            return []
        stamp_s, total_s = read.get("timestamp"), finite(read.get("time_total_s"))
        if stamp_s is not None:
            line = line.at(stamp_s)
        if self.last is None:
            fields["duration_s"] = read.get("time_this_iter_s")
        return self.timed(fields | {"loss": read.get("loss"), "elapsed_s": total_s}, line, total_s)
