"""OpenMMLab's JSON: what its rows call waiting for data behind an evaluation."""

import json

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.frameworks.vision.openmmlab_json import MmLogJson
from itermon.collectors.log_formats.parsing.values import LogLine
from itermon.events import CHECKPOINT, DATA, EVALUATION


def row(number, wait_s, **more):
    return json.dumps(
        {
            "mode": "train",
            "epoch": 1,
            "iter": number,
            "lr": 0.5,
            "memory": 5,
            "data_time": wait_s,
            **more,
            "loss": 0.5,
            "time": 7.5,
        }
    )


@pytest.mark.parametrize(("number", "waits"), [(100, [0.25, None]), (50, [0.25, 6.25])])
def test_where_a_loop_counts_on_behind_an_evaluation_that_is_no_wait_for_data(number, waits):
    result = json.dumps({"mode": "val", "epoch": 1, "iter": 60, "lr": 0.5, "mIoU": 0.5})
    last = row(number, 6.25) if number == 100 else row(number, 6.25, epoch=2)
    found = iterations(read("OpenMMLab log.json", "\n".join((row(50, 0.25), result, last))))
    assert [one.data_wait_s for one in found] == waits


def test_mmengines_rows_of_each_iteration_tell_the_window_of_their_means():
    took_s = [8.0] + [0.5, 0.75] * 14
    means = [sum(took_s[max(0, n - 10) : n]) / min(n, 10) for n in range(1, len(took_s) + 1)]
    rows = [
        json.dumps({"lr": 0.5, "data_time": m / 4, "loss": 0.5, "time": m, "epoch": 1, "memory": 5, "step": n})
        for n, m in enumerate(means, start=1)
    ]
    found = iterations(read("OpenMMLab log.json", "\n".join(rows)))
    assert [one.duration_s for one in found] == pytest.approx(took_s)
    assert [one.data_wait_s for one in found] == pytest.approx([one / 4 for one in took_s])


def evaluated(number):
    return json.dumps({"mode": "val", "epoch": 1, "iter": number, "lr": 0.5, "mIoU": 0.5})


def test_of_what_a_row_waited_behind_an_evaluation_an_epochs_begin_is_left():
    rows = [
        row(10, 0.25),
        row(20, 1.25, epoch=2),
        evaluated(5),
        row(30, 6.25, epoch=3),
        evaluated(5),
        row(40, 5.0, epoch=3),
    ]
    found = iterations(read("OpenMMLab log.json", "\n".join(rows)))
    assert [one.data_wait_s for one in found] == [0.25, 1.25, 1.25, None]


def test_the_times_of_a_loop_by_iterations_have_stops_in_them():
    by_iterations, by_epochs = MmLogJson(), MmLogJson()
    for number, (one, other) in enumerate(((10, 10), (20, 20), (30, 10)), start=1):
        by_iterations.line(row(one, 0.25, epoch=number), None)
        by_epochs.line(row(other, 0.25, epoch=1 + number // 3), None)
    includes = []
    for pupil in (by_iterations, by_epochs):
        parser = MmLogJson()
        parser.taught(pupil)
        includes.append(parser.run_info(LogLine("", None)).time_includes)
    assert includes == [(EVALUATION, CHECKPOINT, DATA), (DATA,)]
