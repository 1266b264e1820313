"""fastText's own program: how far the training is, in tenths of a percent, over and over on one line.

    Progress:   0.5% words/sec/thread:  927098 lr:  0.497695 avg.loss:  0.689612 ETA:   0h 0m22s
    Progress: 100.0%  words/sec/thread: 1008038  lr: 0.000000  loss: 2.509740  eta: 0h0m                                 before 2019
A tenth of a percent is the least that it tells of, and is taken for an iteration. `avg.loss` is the mean since the training began.
There is no time, and of how many words a tenth is it does not say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import Message
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine

_TENTHS = 1000
TENTHS = "fastText tells of shares: an iteration is a tenth of a percent of the training here"


class FastText(LineParser):
    """Tenths of percents."""

    name = "fastText"
    about = "tenths of a percent of the training; no time is printed; loss: the mean since it began"
    lines = (
        Line("words/sec/thread:", r"\bProgress: +(?P<percent>\d{1,3}\.\d)% +(?:words/sec: *\d+ +)?words/sec/thread: *(?P<rate>\d+) +lr: *-?[\d.]{1,20}"
             r" +(?:avg\.)?loss: *(?P<loss>N)", "progress"),
        Line("Number of words:", r"^Number of words: +\d+", "begins", distinctive=False),
    )  # fmt: skip
    examples = (
        Example(
            """
Read 40M words
Number of words:  2224
Number of labels: 2
Progress:   0.5% words/sec/thread:  927098 lr:  0.497500 avg.loss:  0.750000 ETA:   0h 0m22s
Progress:   0.9% words/sec/thread:  947489 lr:  0.495500 avg.loss:  0.500000 ETA:   0h 0m22s
Progress: 100.0% words/sec/thread:  920524 lr: -0.000100 avg.loss:  0.250000 ETA:   0h 0m 0s
Progress: 100.0% words/sec/thread:  920518 lr:  0.000000 avg.loss:  0.250000 ETA:   0h 0m 0s
""",
            iterations=((5, None, 1, 0.75), (9, None, 1, 0.5), (1000, None, 1, 0.25)),
        ),
        Example(
            """
Progress: 50.0%  words/sec/thread: 1008038  lr: 0.050000  loss: 2.500000  eta: 0h0m
Progress: 100.0%  words/sec/thread: 1008038  lr: 0.000000  loss: 2.250000  eta: 0h0m
""",
            iterations=((500, None, 1, 2.5), (1000, None, 1, 2.25)),
            variant="fastText before 2019",
        ),
    )

    @handler()
    def begins(self, _fields: Fields, _line: LogLine) -> list[Event]:
        """The words were read: a training begins."""
        self.started = self.last is not None
        return []

    @handler(iterations=True, numbers=("percent", "rate"))
    def progress(self, fields: Fields, line: LogLine) -> list[Event]:
        """So far it is; most tenths are told of many times."""
        first = self.last is None
        fields |= {"iteration": round(10 * fields.pop("percent")), "total": _TENTHS}
        fields.pop("rate")
        events = self.iteration(fields, line)
        return [*events, Message(TENTHS, at_s=line.at_s)] if first and events else events
