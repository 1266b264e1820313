"""Bars as long as the validation set, each with what a validation found behind it: none of them trains."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.generic.tqdm import Tqdm
from itermon.events import Iteration

SIZES = ["Training data size:  40", "Validation data size:  10"]


def iterations(head: list[str], behind: list[str], end: tuple[str, ...] = ()) -> int:
    """So many a log has of three bars of ten seconds, each with such lines behind it."""
    frames = [f" {10 * n}%|##| {n}/10 [00:{n:02}<00:00, 1.00it/s]" for n in (1, 5, 10)]
    lines = [*head, *[*frames, *behind] * 3, *end]
    parser = Tqdm()
    parser.learn(lines)
    return sum(isinstance(one, Iteration) for line in lines for one in parser.line(line, None))


@pytest.mark.parametrize(
    ("head", "behind", "are"),
    [
        (SIZES, ["Epoch 1, Val Loss: 0.50, Val Acc: 0.75", "Epoch 2, Train Loss: 0.25"], 0),
        (["train batches = 40", "val batches = 10"], ["", "valid accuracy 0.75"], 0),
        (SIZES, ["Epoch 1, Train Loss: 0.25", "Epoch 1, Val Loss: 0.50"], 9),
        (SIZES, ["train_loss=0.25 val_loss=0.50"], 9),
        (SIZES[::-1][:1], ["Val Loss: 0.50"], 9),
        (["Training data size: 10", "Validation data size: 10"], ["Val Loss: 0.50"], 9),
        (["Training data size: 10", "Validation data size: 40"], ["Val Loss: 0.50"], 9),
    ],
)
def test_bars_of_the_printed_length_of_a_validation_train_nothing(
    head: list[str], behind: list[str], are: int
) -> None:
    assert iterations(head, behind) == are


@pytest.mark.parametrize(
    ("took", "found", "are"),
    [
        ("Training for 3 epochs took 180.5 seconds", "Validation Accuracy = 0.75", 0),
        ("Training for 3 epochs took 45.5 seconds", "Validation Accuracy = 0.75", 9),
        ("Training took 180.5 seconds per epoch", "Validation Accuracy = 0.75", 9),
        ("Training for 3 epochs took 180.5 seconds", "Accuracy = 0.75", 9),
    ],
)
def test_bars_that_took_far_less_than_their_training_train_nothing(took: str, found: str, are: int) -> None:
    assert iterations([], [f"EPOCH 1 ... {found}"], (took,)) == are
