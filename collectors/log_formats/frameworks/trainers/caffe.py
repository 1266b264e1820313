"""Caffe's solver; the time stamps of glog have no year. A test lasts from `Testing net` to its first output.

I0914 09:33:43.461599  6584 solver.cpp:228] Iteration 1851300, loss = 0.183091
I0914 09:33:43.461599  6584 solver.cpp:228] Iteration 1851300 (2.5 iter/s, 40.1s/100 iters), loss = 0.5         later
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .....events import CHECKPOINT, DATA, EVALUATION, SpanBegin
from ...base import Example
from ...parsing.grammar import Line, handler
from ...parsing.lines import LineParser
from ...parsing.values import ended, seconds, unix_time, whole

if TYPE_CHECKING:
    from .....events import Event
    from ...parsing.values import Fields, LogLine


class Caffe(LineParser):
    """Caffe's solver; glog's stamps have no year. The parentheses came later: `(2.5 iter/s, 40.1s/100 iters)`."""

    name = "Caffe"
    about = "time stamps' difference over the iterations between, with data, test and snapshot in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("] Iteration ", r"\] Iteration (?P<iteration>\d+)(?: \([^)]*\))?, loss = (?P<loss>N)"),
        Line("Testing net", r"\] Iteration (?P<iteration>\d+), Testing net", "tests"),
        Line("Test net output #0", r"Test net output #0", "tested"),
        Line("lr = ", r"\] Iteration \d+, lr = ", "known"),
        Line("Snapshotting to", r"Snapshotting to binary proto file (?P<detail>\S+)", "checkpoint"),
    )
    examples = (
        Example(
            """
I0914 09:33:36.500000  6584 solver.cpp:228] Iteration 1851200, loss = 0.25
I0914 09:33:43.000000  6584 solver.cpp:228] Iteration 1851300 (15.4 iter/s, 6.5s/100 iters), loss = 0.5
""",
            iterations=((1851200, None, 1, 0.25), (1851300, 0.065, 100, 0.5)),
        ),
    )

    def __init__(self) -> None:
        super().__init__()
        self._tests: tuple[int | None, float | None] | None = None  # of which iteration, since when

    @handler()
    def tests(self, fields: Fields, line: LogLine) -> list[Event]:
        """A test begins, of the model before this iteration."""
        index = whole(fields.get("iteration"))
        self._tests = index, line.at_s if line.stamped else None
        return [SpanBegin(EVALUATION, unix_time(line.at_s), index)]

    @handler()
    def tested(self, _fields: Fields, line: LogLine) -> list[Event]:
        """What a test found is printed behind it, and nothing in between."""
        if self._tests is None:
            return []
        (index, since_s), self._tests = self._tests, None
        took_s = None if since_s is None or line.at_s is None else line.at_s - since_s
        return [ended(EVALUATION, line.at_s, index, seconds(took_s))]
