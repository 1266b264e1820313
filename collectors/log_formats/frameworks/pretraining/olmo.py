"""OLMo and OLMo-core (AI2): one record of many lines for each logged step.

    [2024-04-18 14:24:46] INFO     [olmo.train:729, rank=0] [step=2/739328]
        train/CrossEntropyLoss=10.88
        throughput/device/tokens_per_second=7,456
    2025-08-08 12:01:00 INFO [olmo_core.train.callbacks.console_logger:68] [step=100/2,000,epoch=1,eta=5h11m]
        train/CE loss=6.23
`tokens_per_second` is per device and over a sliding window of up to 100 steps, so it is no step's. A step's time is the
difference of the time stamps over the steps between: data, evaluation and checkpoints are in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION, Config, holds
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.validation import of_the_newest
from ...parsing.values import Fields, LogLine, ended, finite, whole

if TYPE_CHECKING:
    from .....events import Event


class Olmo(LineParser):
    """A step is reported when its loss is read; the values before and behind it are of the same step."""

    name = "OLMo"
    about = "time stamps' difference over the steps between, with data, evaluation and checkpoint in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    tells_the_rest = True
    from_stamps = True
    lines = (
        Line(
            "[step=",
            r"\[step=(?P<iteration>N)/(?P<total>N)(?:,epoch=\d+)?(?:,eta=[^\]]{1,20})?\] *$",
            "head",
        ),
        Line("eval/", r"^ {4}eval/(?P<key>[\w/ ()-]{1,120})=(?P<value>N)$", "evaluated"),
        Line("train/C", r"^ {4}train/(?:CrossEntropyLoss|CE loss)=(?P<loss>N)$", "loss"),
        Line("optim/total", r"^ {4}optim/total[ _]grad[ _]norm=(?P<gradient_norm>N)$", "value"),
        Line("optim/", r"^ {4}optim/(?:learning_rate_group0|LR(?: \(group 0\))?)=(?P<learning_rate>N)$", "value"),
        Line("total_tokens=", r"^ {4}throughput/total_tokens=(?P<tokens>N)$", "seen_tokens"),
        Line("=", r"^ {4}(?:train|throughput|System|optim|param)[\w/ ().-]{1,120}=[-+\d.,e]*$", "known"),
        Line("Checkpoint saved to", r"Checkpoint saved to (?P<detail>\S+)", "checkpoint_written"),
        Line("Saving checkpoint", r"Saving (?:\w+ )?checkpoint", "checkpoint"),
    )
    examples = (
        Example(
            """
2025-08-08 12:01:00 INFO [olmo_core.train.callbacks.console_logger:68] [step=900/2,000,epoch=1,eta=5h11m]
    optim/LR=0.0003
    optim/total grad norm=0.5
    throughput/device/TPS=12,345
    train/CE loss=6.25
2025-08-08 12:03:20 INFO [olmo_core.train.callbacks.console_logger:68] [step=1,000/2,000,epoch=1,eta=5h9m]
    train/CE loss=6.0
""",
            iterations=((900, None, 1, 6.25), (1000, 1.4, 100, 6.0)),
            variant="OLMo-core",
        ),
        Example(
            """
[2024-04-18 14:24:11] INFO     [olmo.train:729, rank=0] [step=1/739328]
    optim/total_grad_norm=231.7
    train/CrossEntropyLoss=11.31
    throughput/total_tokens=4,194,304
2024-04-18 14:24:46.500 host-1:0  olmo.train:908  INFO    [step=2/739328,epoch=0]
    train/CrossEntropyLoss=10.88
    throughput/device/tokens_per_second=7,456
""",
            iterations=((1, None, 1, 11.31), (2, 35.5, 1, 10.88)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._record: Fields | None = None
        self._record_line = LogLine("", None)
        self._step: float | None = None  # of the newest record
        self._tokens: tuple[float, float] | None = None  # a step, and how many had been seen after it
        self._each: float | None = None  # of a step, by the newest two
        self._said: float | None = None

    @handler(iterations=True)
    def head(self, fields: Fields, line: LogLine) -> list[Event]:
        """A record begins; one that held no loss ends here."""
        events = self._end_record()
        self._record, self._record_line = fields, line
        self._step = fields["iteration"]
        return events

    @handler()
    def value(self, fields: Fields, _line: LogLine) -> list[Event]:
        """A value of the record."""
        if self._record is not None:
            self._record |= fields
        return []

    @handler(numbers=("tokens",))
    def seen_tokens(self, fields: Fields, _line: LogLine) -> list[Event]:
        """What their number grows by with each step, twice the same, are the tokens of a step."""
        before, step = self._tokens, self._step
        self._tokens = None if step is None else (step, fields["tokens"])
        if before is None or step is None or step <= before[0]:
            return []
        last, each = self._each, (fields["tokens"] - before[1]) / (step - before[0])
        self._each = each
        if (
            each != last
            or each == self._said
            or each < 1
            or each % 1
            or not holds("tokens_per_iteration", whole(each))
        ):
            return []
        self._said = each
        return [Config(origin="log", tokens_per_iteration=int(each))]

    @handler()
    def loss(self, fields: Fields, line: LogLine) -> list[Event]:
        """The value that a step is reported with."""
        self.value(fields, line)
        return self._end_record()

    @handler(numbers=("value",), texts=("key",))
    def evaluated(self, fields: Fields, _line: LogLine) -> list[Event]:
        """One value of an evaluation, which has a record of its own."""
        record, self._record = self._record, None
        value = finite(fields.get("value"))
        if value is None:
            return []
        found = {fields["key"]: value}
        if record is None and self.last is not None:  # its own title has no step: it is of the newest
            return [of_the_newest(ended(EVALUATION, None, self.next_index, values=found), self.last)]
        index = None if record is None else whole(record["iteration"])
        return [ended(EVALUATION, self._record_line.at_s, index, values=found)]

    def _end_record(self) -> list[Event]:
        record, self._record = self._record, None
        return [] if record is None else self.iteration(record, self._record_line)
