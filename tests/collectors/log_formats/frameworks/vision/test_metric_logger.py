"""torchvision's MetricLogger: its headers say what is trained and what is evaluated."""

import pytest
from log_examples import iterations, read


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
        ("Test: Epoch: [3]", True),
    ],
)
def test_a_header_that_names_an_evaluation_and_no_epoch_is_no_training(header: str, is_training: bool) -> None:
    line = f"{header}  [  10/1562]  eta: 0:30:15  loss: 10.875 (10.88)  time: 1.1719  data: 0.4049"
    assert [one.loss for one in iterations(read("torchvision MetricLogger", line))] == [10.875] * is_training
