"""Caffe says when a test begins and what it found: by its stamps it is known how long it took."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read, read_to_end

from itermon.analysis.run import Run
from itermon.collectors.logs.reader import LogReader
from itermon.events import CHECKPOINT, EVALUATION, SpanEnd

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


OF_TWO_LOSSES = """
I0301 10:00:03.000000  71 solver.cpp:226] Iteration 100, loss = 3.5
I0301 10:00:13.000000  71 solver.cpp:338] Iteration 200, Testing net (#0)
I0301 10:00:15.000000  71 solver.cpp:405]     Test net output #0: accuracy = 0.75
I0301 10:00:15.000000  71 solver.cpp:405]     Test net output #1: aux/loss = 4 (* 0.25 = 1 loss)
I0301 10:00:15.000000  71 solver.cpp:405]     Test net output #2: loss = 1.5 (* 1 = 1.5 loss)
"""
GOES_ON = "I0301 10:00:16.000000  71 solver.cpp:226] Iteration 200, loss = 2.5\n"
SECOND_NET = "I0301 10:00:16.000000  71 solver.cpp:338] Iteration 200, Testing net (#1)\n"


@pytest.mark.parametrize(
    ("behind", "values"),
    [
        (GOES_ON, {"val_loss": 2.5, "val_accuracy": 0.75}),
        (SECOND_NET + GOES_ON, {}),  # which of the two is the validation?
        ("", {}),  # the log may be cut before the next output
    ],
)
def test_a_tests_loss_is_the_sum_of_its_outputs_with_a_weight(behind: str, values: dict[str, float]) -> None:
    spans = of(SpanEnd, read_to_end("Caffe", (OF_TWO_LOSSES + behind).strip()))
    assert [(one.iteration, one.duration_s, one.values) for one in spans] == [(200, 2.0, values)]


def test_the_net_of_another_solver_may_have_more_outputs() -> None:
    more = OF_TWO_LOSSES.rstrip() + "\n" + OF_TWO_LOSSES.splitlines()[-1].replace("#2: loss", "#3: other") + "\n"
    head = "I0301 10:01:00.000000  72 solver.cpp:44] Initializing solver from parameters:\n"
    first, second = of(
        SpanEnd, read("Caffe", (OF_TWO_LOSSES + GOES_ON + head + more.strip() + "\n" + GOES_ON).strip())
    )
    assert (first.values["val_loss"], second.values["val_loss"]) == (2.5, 4.0)


def test_values_of_a_vector_are_no_metric() -> None:
    log = OF_TWO_LOSSES.replace("#1: aux/loss = 4 (* 0.25 = 1 loss)", "#1: accuracy = 0.5")
    [found] = of(SpanEnd, read("Caffe", (log + GOES_ON).strip()))
    assert found.values == {"val_loss": 1.5}


TESTED = """
{row}
=========================
Testing 1 batches

======================Test output======================
logprob:  2.375000, 0.812500
-------------------------------------------------------
======================================================= (2.500 sec)
1.10 (50.00%)... logprob:  2.000000, 0.625000, 0.25 (1.375 sec)
"""


@pytest.mark.parametrize(
    ("row", "took_s"),
    [("1.9... logprob:  2.25, 0.75 (1.5 sec)", 2.5), ("1.9... logprob:  2.25, 0.75", None)],
)
def test_what_is_printed_below_a_test_is_its_time_where_the_batch_before_it_has_its_own(
    row: str, took_s: float | None
) -> None:
    head = (
        "Data batch range: training                                 : 1-20\n1.8... logprob:  2.5, 0.75 (1.5 sec)"
    )
    events = read("cuda-convnet", head + TESTED.format(row=row))
    assert [(one.index, one.duration_s) for one in iterations(events)] == [
        (8, 1.5), (9, took_s and 1.5), (10, 1.375)
    ]  # fmt: skip
    assert [(one.iteration, one.duration_s) for one in of(SpanEnd, events)] == [(10, took_s)]


def test_where_the_head_is_missing_batches_are_counted() -> None:
    rows = "\n".join(f"{place}... logprob:  2.5, 0.75 (1.5 sec)" for place in ("12.799", "12.800", "13.1"))
    assert [one.index for one in iterations(read("cuda-convnet", rows))] == [1, 2, 3]


def snapshots(log: str) -> list[float | None]:
    spans = of(SpanEnd, read_to_end("Caffe", log.strip()))
    return [one.duration_s for one in spans if one.kind == CHECKPOINT]


SAVED = """
I0301 10:00:00.000000  71 solver.cpp:226] Iteration 100, loss = 3.5
I0301 10:00:18.000000  71 solver.cpp:447] Snapshotting to binary proto file out/net_iter_110.caffemodel
I0301 10:00:19.000000  71 sgd_solver.cpp:273] Snapshotting solver state to binary proto file out/net_iter_110.solverstate
I0301 10:00:25.000000  71 solver.cpp:226] Iteration 110, loss = 2.5
"""


def test_a_snapshot_took_what_passed_until_the_next_row_without_that_ones_iteration() -> None:
    assert snapshots(SAVED) == [pytest.approx(5.0)], "nine iterations of 2 s before it, one behind it"


@pytest.mark.parametrize(
    ("instead", "of_it"),
    [
        ("Iteration 120, loss = 2.5", "Iteration 110, loss = 2.5"),  # how many came behind it is not known
        ("solver.cpp:310] Iteration 110, loss = 2.5", "solver.cpp:226] Iteration 110, loss = 2.5"),  # a part of one
        ("net_iter_101.c", "net_iter_110.c"),
        ("out/net.caffemodel", "out/net_iter_110.caffemodel"),
        ("Iteration 109, loss = 3.5", "Iteration 100, loss = 3.5"),
        ("10:00:20.000000  71 solver.cpp:226] Iteration 110", "10:00:25.000000  71 solver.cpp:226] Iteration 110"),
        ("Iteration 100, loss = 3.5\nI0301 10:00:09.000000  71 solver.cpp:338] Iteration 105, Testing net (#0)",
         "Iteration 100, loss = 3.5"),
    ],
)  # fmt: skip
def test_where_its_lines_do_not_tell_what_a_snapshot_took_nobody_says_it(instead: str, of_it: str) -> None:
    assert of_it in SAVED
    assert [one for one in snapshots(SAVED.replace(of_it, instead)) if one is not None] == []
