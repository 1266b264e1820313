"""torchtitan's trace: a step lasts to the next one's first record, and its parts have records of their own."""

import json

import pytest
from log_examples import iterations, of, read

from itermon.events import CHECKPOINT, EVALUATION, SpanEnd

BEGIN_S = 1_709_500_000


def trace(*records):
    """Of each record its step, the seconds since the trace's beginning, and its name."""
    return "\n".join(
        json.dumps({"step": step, "time_us": round((BEGIN_S + at_s) * 1e6), "log_type_name": name})
        for step, at_s, name in records
    )


def test_the_parts_of_a_step_are_summed_and_what_is_beside_it_is_a_stop():
    log = trace(
        (1, 0.0, "data_start"), (1, 0.25, "data_end"), (1, 0.25, "fwd_bwd_start"), (1, 1.0, "fwd_bwd_end"),
        (1, 1.0, "fwd_bwd_start"), (1, 1.5, "fwd_bwd_end"), (1, 1.5, "optim_end"), (1, 1.5, "VALIDATION_start"),
        (1, 3.5, "VALIDATION_end"), (1, 3.5, "save_start"), (1, 4.0, "save_end"), (1, 4.0, "odd_start"), (1, 5.0, "odd_end"),
        (2, 6.0, "data_start"), (3, 8.0, "data_start"),
    )  # fmt: skip
    events = read("torchtitan trace", log)
    assert [(i.index, i.duration_s, i.at_s, i.data_wait_s) for i in iterations(events)] == [
        (1, 6.0, BEGIN_S + 6.0, 0.25), (2, 2.0, BEGIN_S + 8.0, None)
    ]  # fmt: skip
    assert iterations(events)[0].phases == {"data": 0.25, "forward and backward": 1.25}
    assert [(span.kind, span.iteration, span.duration_s) for span in of(SpanEnd, events)] == [
        (EVALUATION, 1, 2.0), (CHECKPOINT, 1, 0.5)
    ]  # fmt: skip


def test_a_clock_that_goes_back_and_a_step_that_comes_again_are_no_iteration():
    log = trace((1, 0.0, "x"), (2, 5.0, "x"), (3, 4.0, "x"), (4, 6.0, "x"), (3, 7.0, "x"), (5, 8.0, "x"))
    assert [(i.index, i.duration_s) for i in iterations(read("torchtitan trace", log))] == [
        (1, 5.0), (3, 2.0), (4, 1.0), (3, 1.0)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "odd", [{"step": "2"}, {"step": -2}, {"time_us": None}, {"time_us": 1e30}, {"log_type_name": 3}]
)
def test_a_record_that_lacks_something_is_left_aside(odd):
    lines = trace((1, 0.0, "x"), (2, 5.0, "x"), (3, 6.0, "x")).split("\n")
    lines[1] = json.dumps(json.loads(lines[1]) | odd)
    assert [(i.index, i.duration_s) for i in iterations(read("torchtitan trace", "\n".join(lines)))] == [(1, 6.0)]
