"""Caffe's solver; the time stamps of glog have no year.

I0914 09:33:43.461599  6584 solver.cpp:228] Iteration 1851300, loss = 0.183091
I0914 09:33:43.461599  6584 solver.cpp:228] Iteration 1851300 (2.5 iter/s, 40.1s/100 iters), loss = 0.5         later
"""

from __future__ import annotations

from .....events import CHECKPOINT, DATA, EVALUATION
from ...base import Example
from ...parsing.grammar import Line
from ...parsing.lines import LineParser


class Caffe(LineParser):
    """Caffe's solver; glog's stamps have no year. The parentheses came later: `(2.5 iter/s, 40.1s/100 iters)`."""

    name = "Caffe"
    about = "time stamps' difference over the iterations between, with data, test and snapshot in it"
    time_includes = (EVALUATION, CHECKPOINT, DATA)
    from_stamps = True
    lines = (
        Line("] Iteration ", r"\] Iteration (?P<iteration>\d+)(?: \([^)]*\))?, loss = (?P<loss>N)"),
        Line("Testing net", r"\] Iteration (?P<iteration>\d+), Testing net", "evaluation"),
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
