"""gensim's Word2Vec, Doc2Vec and FastText: a line an epoch, and of how far it is many more.

    training model with 40 workers on 374 vocabulary and 300 features, using sg=1 hs=0 sample=0.001 negative=5 window=5
    EPOCH 1 - PROGRESS: at 43.61% examples, 376519 words/s, in_qsize 0, out_qsize 0
    EPOCH - 1 : training on 1000 raw words (800 effective words) took 25.0s, 32 effective words/s                         until 4.0
    EPOCH 0: training on 1000 raw words (800 effective words) took 25.0s, 32 effective words/s                            since then
    training on a 5000 raw words (4000 effective words) took 125.0s, 32 effective words/s
An epoch's seconds are those of its threads, reading included. No loss and no number of epochs is printed. A short epoch's
`took 0.0s` says less than its words by its words a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import DATA, End, Total
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LONGEST_ORIGIN, LineParser
from ...parsing.values import scalars, seconds, unix_time

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_TRAINED = r"\d+ raw words \((?P<words>N) effective words\) took (?P<duration_s>N)s, (?P<rate>N) effective words/s"
_ROUNDED_S = 0.05
"""A time is printed to a tenth of a second, by so much too short or too long."""


class Gensim(LineParser):
    """Epochs, each with its seconds and words a second."""

    name = "gensim"
    unit = "epoch"
    about = "the printed seconds of an epoch, reading included; an iteration is an epoch; no loss is printed"
    time_includes = (DATA,)
    lines = (
        Line("raw words (", rf"\bEPOCH (?:- )?(?P<iteration>\d+) ?: training on {_TRAINED}", "epoch"),
        Line("raw words (", rf"\btraining on (?:a )?{_TRAINED}", "over"),
        Line("PROGRESS: at ", r"\bEPOCH \d+ - PROGRESS: at \d+\.\d+% (?:examples|words), \d+ words/s", "known"),
        Line("training model with", r"\btraining model with \d+ workers on \d+ vocabulary and \d+ features", "begins"),
    )  # fmt: skip
    examples = (
        Example(
            """
2022-05-01 10:00:00,000 : INFO : training model with 3 workers on 374 vocabulary and 300 features, using sg=1 hs=0
2022-05-01 10:00:20,000 : INFO : EPOCH 1 - PROGRESS: at 75.00% examples, 32 words/s, in_qsize 0, out_qsize 0
2022-05-01 10:00:25,000 : INFO : EPOCH - 1 : training on 1000 raw words (800 effective words) took 25.0s, 32 effective words/s
2022-05-01 10:00:55,000 : INFO : EPOCH - 2 : training on 1000 raw words (800 effective words) took 30.0s, 27 effective words/s
2022-05-01 10:00:55,000 : INFO : training on a 2000 raw words (1600 effective words) took 55.0s, 29 effective words/s
""",
            iterations=((1, 25.0, 1, None), (2, 30.0, 1, None)),
        ),
        Example(
            """
EPOCH 0: training on 1000 raw words (800 effective words) took 25.0s, 32 effective words/s
EPOCH 1: training on 1000 raw words (800 effective words) took 30.0s, 27 effective words/s
Word2Vec lifecycle event {'msg': 'training on 2000 raw words (1600 effective words) took 55.0s, 29 effective words/s'}
""",
            iterations=((0, 25.0, 1, None), (1, 30.0, 1, None)),
            variant="gensim 4, which counts from 0",
        ),
    )

    @property
    def of_an_epoch(self) -> float:
        """An iteration is an epoch."""
        return 1.0

    @handler()
    def begins(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """A call of `train`: epochs count from the first one again, even where each call has but one."""
        self.started = self.last is not None
        return []

    @handler(iterations=True, numbers=("rate", "words"))
    def epoch(self, fields: Fields, line: LogLine) -> list[Event]:
        """An epoch is over."""
        words, rate, printed_s = fields.pop("words"), fields["rate"], fields["duration_s"]
        if rate and abs(words / rate - printed_s) <= _ROUNDED_S:
            fields["duration_s"] = words / rate
        fields["scalars"] = scalars([("effective words/s", fields.pop("rate"))])
        return self.iteration(fields, line)

    @handler(numbers=("rate", "words"))
    def over(self, fields: Fields, line: LogLine) -> list[Event]:
        """All epochs are over: what they took together."""
        took_s = seconds(fields.get("duration_s"))
        if self.last is None or took_s is None:
            return []
        said = line.text.strip()[:LONGEST_ORIGIN]
        return [
            Total(took_s, origin="training took", at_s=line.at_s),
            End(at_s=unix_time(line.at_s), detail=said),
        ]
