"""torchvision's MetricLogger: its headers say what is trained and what is evaluated."""

import pytest
from log_examples import iterations, read

from itermon.events import SpanEnd


@pytest.mark.parametrize(
    ("header", "is_training"),
    [
        ("Epoch: [0]", True),
        ("Epoch: [0/100]", True),
        ("Training", True),
        ("Train:", True),
        ("Test:", False),
        ("Val:", False),
        ("  eval ", False),
        ("Test: Epoch: [3]", False),
        ("Test: [52]", False),
        ("Finetune Epoch: [3]", True),
    ],
)
def test_a_header_that_names_an_evaluation_is_no_training_whether_or_not_it_names_an_epoch(
    header: str, is_training: bool
) -> None:
    line = f"{header}  [  10/1562]  eta: 0:30:15  loss: 10.875 (10.88)  time: 1.1719  data: 0.4049"
    assert [one.loss for one in iterations(read("torchvision MetricLogger", line))] == [10.875] * is_training


@pytest.mark.parametrize(
    ("title", "evaluates"),
    [("Test: ", True), ("[rank0]: Evaluation of epoch 3: ", True), ("[rank0]: ", False), ("Train: ", False)],
)
def test_a_total_time_is_an_evaluations_only_where_its_title_says_so(title: str, evaluates: bool) -> None:
    log = f"Epoch: [0]  [  10/1562]  eta: 0:30:15  loss: 10.5 (10.5)  time: 1.125  data: 0.5\n{title} Total time: 0:01:01"
    spans = [one for one in read("torchvision MetricLogger", log) if isinstance(one, SpanEnd)]
    assert len(spans) == evaluates
