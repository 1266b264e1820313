"""Losses that lines behind a bar say."""

import pytest

from itermon.collectors.log_formats.between.said_losses import Said, behind_bar, is_of_batch, said_in


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Train Loss: 0.5000, Val Loss: 0.6250", Said(0.5, 0.625)),
        ("INFO - run.py - 2025-03-01 10:00:00,123 - Train Step: 49 (5%)\t Avg Train Loss Per Batch: 0.5 \t Avg Test Loss Per Batch: 0.625", Said(0.5, 0.625)),
        ("  train_loss=0.5  val_loss=0.625  val_f1=0.75", Said(0.5, 0.625, {"val_f1": 0.75})),
        ("\t Val. Loss: 0.625 |  Val. PPL:   1.868", Said(None, 0.625)),
        ("Epoch 3: training loss 0.5 validation loss 0.625 best val loss 0.25", Said(0.5, 0.625)),
        ("Epoch 3/9, Loss: 0.5000", Said(0.5)),
        ("  Val    loss=0.6250  acc=0.5000", Said(None, 0.625)),
        ("average loss = 5e-1", None),
        ("Cat1 Loss: 0.5, Val Cat1 Loss: 0.625", None),
        ("Best Val Loss: 0.2500", None),
        ("Val loss: 0.2500 improved, saving the model", None),
        ("Loaded checkpoint, train loss: 0.5", None),
        ("Train Loss: 5", None),
        ("Final Test Loss: 0.25", None),
        ("Val loss:   0.6250.   Best val loss: 0.2500 at epoch 3", Said(None, 0.625)),
        ("val loss 0.625 (best 0.25 at epoch 3, saved)", Said(None, 0.625)),
        ("Run 2, val loss 0.2500 at epoch 3", None),
        ("[ Valid | 003/100 ] loss = 0.6250, acc = 0.5", Said(None, 0.625)),
        ("[ Train | 003/100 ] loss = 0.5000, acc = 0.5", Said(0.5)),
    ],
)  # fmt: skip
def test_a_line_says_losses_of_what_the_bar_has_come_to(text: str, said: Said | None) -> None:
    assert said_in(text, evaluated=False) == said


def test_behind_an_evaluation_a_loss_without_a_name_may_be_its() -> None:
    assert said_in("Loss: 0.5000", evaluated=True) is None


def test_a_bracket_that_says_of_which_set_the_loss_is_stays_with_it() -> None:
    assert behind_bar("  5%|5   | 5/100 [00:05<01:35,  1.00it/s]Val loss: 0.5") == "Val loss: 0.5"
    assert behind_bar("[ Valid | 003/100 ] loss = 0.5") == "[ Valid | 003/100 ] loss = 0.5"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("Valid - [3/20] - train_loss=0.5", True),
        ("testing batch [3/20] loss: 0.5", True),
        ("Training [3/20] loss: 0.5", False),
        ("[ Valid | 003/100 ] loss = 0.6250", False),  # an epoch's
        ("[2031-01-01 10:00:00] Test loss: 0.5", False),
        ("Eval: 50%|##| 3/6 [00:03<00:03] loss: 0.5", False),  # a bar is known by its title
    ],
)
def test_a_batch_of_an_evaluation_says_no_loss_of_the_training(text: str, is_one: bool) -> None:
    assert is_of_batch(text) is is_one
