"""Lines like rows with an accuracy and no loss are counted, and said."""

import pytest
from log_examples import of

from itermon.collectors.log_formats.counting.left_out import LeftOut
from itermon.collectors.logs.reader import LogReader
from itermon.events import Iteration, Message


@pytest.mark.parametrize(
    ("text", "epoch"),
    [
        ("Mean training accuracy 0.5 - epoch 3/100", 3.0),
        ("Epoch 4 | train acc: 0.25", 4.0),
        ("Mean testing accuracy 0.5 - epoch 3/100", None),
        ("Epoch 4 | train acc: 0.25, loss: 0.5", None),
        ("training accuracy of epoch 3", None),
    ],
)
def test_an_epoch_with_an_accuracy_and_no_loss_is_like_a_row(text: str, epoch: float | None) -> None:
    assert LeftOut().epoch(text) == epoch


def test_how_many_were_left_out_is_said_and_an_epoch_that_has_its_row_is_none() -> None:
    alone = [f"training accuracy 0.5 - epoch {n}/9" for n in range(1, 10)]
    both = [f"training loss 0.5 - epoch {n}/9\ntraining accuracy 0.5 - epoch {n}/9" for n in range(1, 10)]
    reader = LogReader()
    events = [*reader.feed("".join(f"{line}\n" for line in [*alone, *both]).encode()), *reader.end(b"")]
    assert len(of(Iteration, events)) == 9
    assert [one.text for one in of(Message, events) if "left out" in one.text] == [
        "9 lines with an epoch and its training accuracy, and no loss, left out: no row was read there"
    ]
