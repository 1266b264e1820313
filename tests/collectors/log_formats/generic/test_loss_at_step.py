"""A loss of a step in one sentence."""

from __future__ import annotations

import pytest
from log_examples import iterations, read

from itermon.collectors.log_formats.generic.loss_at_step import LossAtStep


@pytest.mark.parametrize(
    ("sentence", "loss"),
    [
        ("Minibatch loss at step 7: 2.5", 2.5),
        ("Training loss (for one batch) at step 7: 2.5", 2.5),
        ("Loss after iteration 7 = 2.5", 2.5),
        ("epoch_loss for epoch 7/20 is 2.5", 2.5),
        ("Reconstruction Error after update 7: 2.5", 2.5),
        ("Loss at best epoch 7: 2.5", None),
        ("Loss at layer 7: 2.5", None),
        ("Loss at step 7: 2.5 (best 1.25)", None),
        ("Accuracy at step 7: 0.5", None),
        ("Validation cost after epoch 7: 2.5", None),
    ],
)
def test_a_loss_of_what_counts_is_a_row(sentence: str, loss: float | None) -> None:
    found = [(one.index, one.loss) for one in iterations(read(LossAtStep.name, sentence))]
    assert found == ([] if loss is None else [(7, loss)])


def test_what_counts_is_the_word_of_the_first_line_and_the_first_loss_of_a_step_is_its_own() -> None:
    lines = [
        "Cost after epoch 1: 2.5",
        "D loss after epoch 1: 9.0",
        "Loss at step 50: 1.0",
        "Cost after epoch 2: 2.25",
    ]
    found = [(one.index, one.loss) for one in iterations(read(LossAtStep.name, "\n".join(lines)))]
    assert found == [(1, 2.5), (2, 2.25)]
