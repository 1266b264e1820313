"""OpenMMLab's JSON: what its rows call waiting for data behind an evaluation."""

import json

import pytest
from log_examples import iterations, read


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
