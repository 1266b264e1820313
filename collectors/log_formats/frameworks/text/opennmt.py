"""OpenNMT-py: a line each `report_every` steps.

    [2019-05-01 10:00:12,000 INFO] Step 50/100000; acc:   4.28; ppl: 9876.12; xent: 9.19; lr: 0.00001; 5302/6021 tok/s;     12 sec
    [2019-05-01 10:00:12,500 INFO] Loading dataset from data/demo.valid.0.pt          a validation begins, until 2020
    [2019-05-01 10:00:14,000 INFO] Loading dataset from data/demo.train.0.pt          the training waits for its next shard
    [2019-05-01 10:00:22,000 INFO] number of examples: 368702                         ... which is there
The seconds count from the training's beginning, with validation, checkpoints and shards; the rates are those of source and target
tokens since the last line. `xent` is the loss of a target token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...families.elapsed import ElapsedParser
from ...parsing.grammar import Line, handler
from ...parsing.values import ended, finite
from ...stops.moments import LONGEST_S

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class OpenNmt(ElapsedParser):
    """Steps."""

    name = "OpenNMT-py"
    about = "difference of the elapsed seconds, a mean over 20 s or more; all in it; loss: xent, of a target token"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    lines = (
        Line("tok/s;", r"\bStep +(?P<iteration>\d+)/ {0,8}(?P<total>\d+); acc: {1,8}[\d.naif]{1,12}; ppl: {1,12}[\d.naif]{1,24}; xent: {1,8}(?P<loss>N); "
             r"lr: (?P<learning_rate>N);.{0,120}? {0,8}[\d.naif]{1,12}/ {0,8}[\d.naif]{1,12} tok/s; {1,12}(?P<seconds>\d+) sec", "step"),
        Line("Validation perplexity", r"\bValidation perplexity: (?P<perplexity>N)", "perplexity"),
        Line("Validation accuracy", r"\bValidation accuracy: (?P<accuracy>N)", "accuracy", units={"accuracy": "percent"}),
        Line("valid stats calculation", r"\bvalid stats calculation\s*$", "found"),
        Line("took:", r"^ {0,40}took: (?P<duration_s>N) s\.", "lasted", distinctive=False),
        Line("Loading dataset from", r"\bLoading dataset from \S{1,400}\.valid\.\d+\.pt\b", "validating", distinctive=False),
        Line("Loading dataset from", r"\bLoading dataset from \S{1,400}\.train\.\d+\.pt(?P<detail>,?)", "loading", distinctive=False),
        Line("number of examples:", r"\] number of examples: \d+\s*$", "loaded", distinctive=False),
        Line("Saving checkpoint", r"\bSaving checkpoint (?P<detail>\S{1,400}_step_\d+\.pt)", "checkpoint"),
    )  # fmt: skip
    examples = (
        Example(
            """
[2019-05-01 10:00:12,000 INFO] Step 50/100000; acc:   4.28; ppl: 9876.12; xent: 9.50; lr: 0.00001; 5302/6021 tok/s;     12 sec
[2019-05-01 10:00:37,000 INFO] Step 100/100000; acc:   5.50; ppl: 976.12; xent: 6.25; lr: 0.00002; 5302/6021 tok/s;     37 sec
[2019-05-01 10:00:40,000 INFO] Validation perplexity: 500.5
[2019-05-01 10:00:40,000 INFO] Validation accuracy: 12.5
[2019-05-01 10:00:40,000 INFO] Saving checkpoint model_step_100.pt
[2019-05-01 10:01:07,000 INFO] Step 150/100000; acc:   5.50; ppl: 976.12; xent: 6.00; lr: 0.00002; sents:    1600; bsz: 1000/ 900/10; 5302/6021 tok/s;     67 sec;
""",
            iterations=((50, None, 1, 9.5), (100, 0.5, 50, 6.25), (150, 0.6, 50, 6.0)),
            evaluations=((101, {"perplexity": 500.5, "accuracy": 0.125}),),
            checkpoints=(101,),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._perplexity: float | None = None
        self._calculated = False  # does a line of its own tell next how long the validation took?
        self._took_s: float | None = None
        self._validates_since_s: float | None = None  # by the line that its first shard is loaded
        self._loads_since_s: float | None = None  # a shard of the training
        self._saved = False  # since the newest row
        self._seconds = 0.0  # by the newest row; they begin anew where another process goes on from a checkpoint

    @handler(iterations=True, numbers=("seconds",))
    def step(self, fields: Fields, line: LogLine) -> list[Event]:
        """A step, and how long the training has taken."""
        elapsed_s = finite(fields.pop("seconds"))
        self._validates_since_s = self._loads_since_s = None
        self._saved = False
        before_s, self._seconds = self._seconds, elapsed_s or 0.0
        resumed = [self.run_info(line)] if self._seconds < before_s else []
        waited = self.release() if resumed else []
        return [*waited, *resumed, *self.timed(fields | {"elapsed_s": elapsed_s}, line, elapsed_s, 1.0)]

    @handler()
    def found(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A validation is done."""
        self._calculated = True
        return []

    @handler()
    def lasted(self, fields: Fields, _line: LogLine) -> list[Event]:
        """How long it took; other parts of the program print such a line, too."""
        if self._calculated:
            self._took_s, self._calculated = finite(fields["duration_s"]), False
        return []

    @handler()
    def validating(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A validation begins with its first shard."""
        if self._validates_since_s is None:
            self._validates_since_s = line.at_s if line.stamped else None
        return []

    @handler()
    def loading(self, fields: Fields, line: LogLine) -> list[Event]:
        """The training loads a shard. A line that has the number of examples, too, comes when it is there."""
        if fields.get("detail"):
            return self._shard_loaded(line, None)
        self._loads_since_s = line.at_s if line.stamped else None
        return []

    @handler()
    def loaded(self, _fields: Fields, line: LogLine) -> list[Event]:
        """A shard is there; one of a validation is a part of that."""
        since_s, self._loads_since_s = self._loads_since_s, None
        return [] if since_s is None else self._shard_loaded(line, _between(since_s, line))

    def _shard_loaded(self, line: LogLine, lasted_s: float | None) -> list[Event]:
        """The first one is loaded before any step. One without a time says that a stop beside it has none either."""
        if not self._seconds or (lasted_s is None and not self._saved):
            return []
        return self.in_order([ended(DATA, line.at_s, self.next_index, lasted_s)])

    @handler()
    def perplexity(self, fields: Fields, _line: LogLine) -> list[Event]:
        """The first line of a validation's result."""
        self._perplexity = fields["perplexity"]
        return []

    @handler()
    def accuracy(self, fields: Fields, line: LogLine) -> list[Event]:
        """The second."""
        found, self._perplexity = self._perplexity, None
        read = (
            {"accuracy": fields["accuracy"]}
            if found is None
            else {"perplexity": found, "accuracy": fields["accuracy"]}
        )
        took_s, self._took_s = self._took_s, None
        since_s, self._validates_since_s = self._validates_since_s, None
        took_s = _between(since_s, line) if took_s is None and since_s is not None else took_s
        return self.in_order(self.evaluation(read | ({} if took_s is None else {"duration_s": took_s}), line))

    @handler()
    def checkpoint(self, fields: Fields, line: LogLine) -> list[Event]:
        """It follows the row that it is of."""
        self._saved = True
        return self.in_order(super().checkpoint(fields, line))


def _between(since_s: float, line: LogLine) -> float | None:
    """Seconds by the stamps of two lines; more than a day is no stop."""
    lasted_s = line.at_s - since_s if line.stamped and line.at_s is not None else 0.0
    return lasted_s if 0 < lasted_s <= LONGEST_S else None
