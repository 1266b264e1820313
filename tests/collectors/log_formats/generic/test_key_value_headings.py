"""Headings of epochs that say more than a number, and rows behind the end of the training."""

from __future__ import annotations

import pytest
from log_examples import iterations, read


@pytest.mark.parametrize(
    "heading",
    [
        "Epoch {e}/9 : Tue Feb  3 04:0{e}:06 2026 - 0h {e}m",
        "Epoch {e}/9 - 2026-02-03 04:05:0{e}.125",
        "Epoch {e} started at 04:05:0{e}",
        "Epoch {e}/9 | 03 Feb 2026, 04:05:0{e} PM UTC",
        "Epoch {e} (2026-02-03T04:05:0{e}Z)",
    ],
)
def test_a_heading_may_say_when_its_epoch_began(heading: str) -> None:
    text = "".join(
        f"{heading.format(e=e)}\n----\ntrain Loss: {3 - e / 8}\nval Loss: {3.5 - e / 8}\n" for e in range(1, 7)
    )
    assert [(one.index, one.loss) for one in iterations(read("key: value", text))] == [
        (e, 3 - e / 8) for e in range(1, 7)
    ]


def test_losses_behind_the_end_of_the_training_are_not_its_own() -> None:
    epochs = "".join(
        f"Epoch : {e}\n" + "".join(f"Loss : {4 - e / 2 - n / 64}\n" for n in range(8)) for e in range(1, 4)
    )
    tested = "OK: Finished training for 3 epochs\n" + "".join(f"Acc : {n}\nLoss : 1.{n}5\n" for n in range(5))
    assert len(iterations(read("key: value", epochs + tested))) == 24
    assert len(iterations(read("key: value", epochs + tested + epochs))) == 48
    once = "".join(f"Epoch : {e}\nTraining finished\nLoss : {4 - e / 2}\n" for e in range(1, 5))
    assert len(iterations(read("key: value", once))) == 4
