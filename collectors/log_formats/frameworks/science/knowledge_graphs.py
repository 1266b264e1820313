"""KnowledgeGraphEmbedding, which RotatE came with, and the many codes of embeddings of knowledge graphs made from it.

    Training average positive_sample_loss at step 100: 0.576308
    Training average negative_sample_loss at step 100: 0.827331
    Training average loss at step 100: 0.701820
    Change learning_rate to 0.000025 at step 150
    Evaluating on Valid Dataset...
    Valid MRR at step 100: 0.450181
Means since the lines before; the whole loss is printed last. Steps count from 0. No line has a time but its stamp: the evaluation
is in what passes until the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, EVALUATION, Alive, SpanBegin, SpanEnd
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.validation import of_the_newest
from ...parsing.values import Fields, LogLine, ended, finite

if TYPE_CHECKING:
    from .....events import Event


class KnowledgeGraphs(LineParser):
    """Several lines a row."""

    name = "KnowledgeGraphEmbedding"
    about = "losses are means since the line before; times by the lines' stamps, with the evaluations in them"
    time_includes = (EVALUATION, CHECKPOINT)
    from_stamps = True
    lines = (
        Line("average loss at step", r"^Training average loss at step (?P<iteration>\d+): (?P<loss>N)", "whole"),
        Line(
            "Training average ",
            r"^Training average (?P<name>\w+) at step (?P<iteration>\d+): (?P<value>N)",
            "part",
        ),
        Line(
            " at step ",
            r"^(?P<set>Valid|Test) (?P<name>[\w@]+) at step (?P<iteration>\d+): (?P<value>N)",
            "result",
        ),
        Line("Evaluating on ", r"^Evaluating on (?P<set>\w+) Dataset\.\.\.", "evaluates", distinctive=False),
        Line("learning_rate", r"^Change learning_rate to (?P<learning_rate>N) at step \d+", "rate"),
    )
    examples = (
        Example(
            """
2022-01-10 10:00:00 INFO     Training average positive_sample_loss at step 0: 0.500000
2022-01-10 10:00:00 INFO     Training average negative_sample_loss at step 0: 1.000000
2022-01-10 10:00:00 INFO     Training average loss at step 0: 0.750000
2022-01-10 10:00:10 INFO     Training average positive_sample_loss at step 100: 0.250000
2022-01-10 10:00:10 INFO     Training average negative_sample_loss at step 100: 0.750000
2022-01-10 10:00:10 INFO     Training average loss at step 100: 0.500000
2022-01-10 10:00:10 INFO     Evaluating on Valid Dataset...
2022-01-10 10:00:14 INFO     Valid MRR at step 100: 0.375000
2022-01-10 10:00:14 INFO     Valid HITS@1 at step 100: 0.250000
""",
            iterations=((0, None, 1, 0.75), (100, 0.1, 100, 0.5)),
            evaluations=((101, {"valid MRR": 0.375}), (101, {"valid HITS@1": 0.25})),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._parts: dict[str, float] = {}
        self._rate: float | None = None
        self._began_s: float | None = None  # the evaluation at hand
        self._open = False
        self._of: tuple[str, float | None] | None = None  # which evaluation the newest result is of

    @handler(iterations=True)
    def whole(self, fields: Fields, line: LogLine) -> list[Event]:
        """The last of a row's lines."""
        parts, self._parts, self._open = self._parts, {}, False
        return self.iteration(fields | {"scalars": parts or None, "learning_rate": self._rate}, line)

    @handler(texts=("name",), numbers=("iteration", "value"))
    def part(self, fields: Fields, line: LogLine) -> list[Event]:
        """A part of the loss of the row that is being printed: what came before this line is of the training."""
        if (value := finite(fields.get("value"))) is not None:
            self._parts[fields["name"]] = value
        return [Alive(line.at_s)] if line.at_s is not None else []

    @handler(texts=("set",))
    def evaluates(self, _fields: Fields, line: LogLine) -> list[Event]:
        """An evaluation begins; some codes print nothing of what it finds."""
        self._began_s, self._of = line.at_s if line.stamped else None, None
        begins = SpanBegin(EVALUATION, line.at_s, self.next_index)
        lost, self._open = self._open, True  # when it ended no line told: the training may have gone on
        return [SpanEnd(EVALUATION, line.at_s, self.next_index, void=True), begins] if lost else [begins]

    @handler(texts=("set", "name"), numbers=("iteration", "value"))
    def result(self, fields: Fields, line: LogLine) -> list[Event]:
        """One of the results of an evaluation, which are printed at its end, all at once: of the step's model."""
        value, began_s = finite(fields.get("value")), self._began_s
        before, self._of = self._of, (fields["set"], fields.get("iteration"))
        # to print them all takes a millisecond, in which nothing else is evaluated
        at_s = began_s if before == self._of and began_s is not None else line.at_s
        self._began_s, self._open = at_s if line.stamped else None, False
        lasted_s = at_s - began_s if began_s is not None and line.stamped and at_s is not None else None
        values = {} if value is None else {f"{fields['set'].lower()} {fields['name']}": value}
        found = ended(EVALUATION, at_s, self.next_index, lasted_s, values=values)
        return [of_the_newest(found, self.last if fields.get("iteration") == self.last else None)]

    @handler(numbers=("learning_rate",))
    def rate(self, fields: Fields, line: LogLine) -> list[Event]:
        """The learning rate from here on."""
        self._rate = finite(fields.get("learning_rate"))
        return [Alive(line.at_s)] if line.at_s is not None else []
