"""Caffe says when a test begins and what it found: by its stamps it is known how long it took."""

from __future__ import annotations

from itermon.analysis.run import Run
from itermon.collectors.logs.reader import LogReader
from itermon.events import EVALUATION, SpanEnd

ONE = """
I0301 10:00:00.500000  71 solver.cpp:338] Iteration 0, Testing net (#0)
I0301 10:00:02.500000  71 solver.cpp:405]     Test net output #0: accuracy = 0.25
I0301 10:00:02.500000  71 solver.cpp:405]     Test net output #1: loss = 2.5
I0301 10:00:03.000000  71 solver.cpp:226] Iteration 0 (1 iter/s, 1s/100 iters), loss = 2.5
I0301 10:00:13.000000  71 solver.cpp:226] Iteration 100 (10 iter/s, 10s/100 iters), loss = 1.5
I0301 10:00:23.000000  71 solver.cpp:226] Iteration 200 (10 iter/s, 10s/100 iters), loss = 0.5
I0301 10:00:23.000000  71 solver.cpp:338] Iteration 300, Testing net (#0)
I0301 10:00:27.000000  71 solver.cpp:405]     Test net output #0: accuracy = 0.75
I0301 10:00:27.000000  71 solver.cpp:323] Optimization Done.
"""


def test_each_test_of_two_trainings_has_its_time() -> None:
    log = (ONE + ONE.replace(" 71 ", " 72 ").replace(" 10:00", " 10:01")).strip()
    reader, run = LogReader(log.splitlines()), Run()
    events = [*reader.feed(log.encode() + b"\n"), *reader.end(b"")]
    took = [event.duration_s for event in events if isinstance(event, SpanEnd) and event.kind == EVALUATION]
    assert took == [2.0, 4.0, 2.0, 4.0]
    run.apply(events)
    found = run.findings()
    assert found.progress.evaluations == 4
    [evaluation] = [row for row in found.ledger if row.cause == EVALUATION]
    assert round(evaluation.seconds, 3) == 10.0, "the first came before the first row"
