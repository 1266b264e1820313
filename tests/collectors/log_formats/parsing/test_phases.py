"""Whose values a line, a bar or a row holds."""

import pytest

from itermon.collectors.log_formats.parsing.phases import (
    Heading,
    Phase,
    WordsInFront,
    announced,
    closes,
    of_column,
    of_line,
    of_title,
    saves,
    validates,
)

T, E, P = Phase.TRAINING, Phase.EVALUATION, Phase.PREPARATION


@pytest.mark.parametrize(
    ("line", "phase"),
    [
        ("- Valid | Epoch 3 | 1/7 | 0.25 it/sec | Loss 0.5", E),
        ("INFO:root:Evaluation Epoch 5 - Average Loss: 3.5, Samples: 20", E),
        ("Test: [10/100]  Time 0.3 (0.4)  Loss 2.1 (2.2)", E),
        ("val: epoch 3 loss 2.5", E),
        ("[eval] step 300 loss 2.5", E),
        ("Testing epoch 3, loss: 2.5", E),
        ("dev set: step 3 loss 2.5", E),
        ("Test set: Average loss: 0.5", E),
        ("Labelled target set: Average loss: 0.5, Accuracy: 5/8", P),  # of neither
        ("    inner step 2/3 loss=6.5", P),  # a part of an iteration
        ("Evaluating...", E),
        ("Training...", T),
        ("as in test.yaml", None),
        ("Train Epoch: 1 [64/6000 (1%)] Loss: 2.5", T),
        ("[train] iteration: 3, loss: 2.5, test error 0.5", T),
        ("Epoch 3 | Val Acc: 0.75 | Loss 0.5", None),  # a value's name, and no more
        ("Epoch 3 loss 2.5 test acc 0.9", None),
        ("Epoch 3: val loss improved from 2.5 to 2.25", None),
        ("Train Loss: 2.5, Val Loss: 2.25", None),
        ("eval_interval=10 step 3 loss 2.5", None),
        ("/data/test/run-val.py step 3 loss 2.5", None),
        ("step 3: downloading, loss of packets 2.5", P),
        ("=> Loaded validation data size 12916", P),
        ("step 3 loss 2.5 data loading 0.5", None),
        ("step 3 loss 2.5", None),
        ("2024-05-01 10:00:00.123 | INFO     | __main__:train:88 - Valid | Epoch 3 | Loss 0.5", E),
        ("[rank0]: 2024-05-01 10:00:00,123 - train - INFO - Valid | Epoch 3 | Loss 0.5", E),
        ("2024-05-01 10:00:00,123 - train - INFO - step 3 loss 2.5", None),
        ("[2024-05-01 10:00:00]: train [line:88] INFO  Valid Epoch:  3 | Loss: 0.5", E),
        ("train >> Valid Epoch: 3 | Loss: 0.5", E),  # the word in front of the place
        ("train loss 0.5, valid epoch: 3", None),
        ("Validation: |  | 0/? [00:00<?, ?it/s][INFO] Epoch 3: loss 2.5", None),  # the title of a bar before it
    ],
)
def test_the_first_word_that_says_so_decides_unless_it_names_a_value(line: str, phase: Phase | None) -> None:
    assert of_line(line) is phase


@pytest.mark.parametrize(
    ("title", "phase"),
    [
        ("Evaluating", E),
        ("Validation DataLoader 0", E),
        ("predict", E),
        ("Loading shards", P),
        ("Epoch 3", None),
        ("Constructing queue for train data", P),
        ("Preparing validation samples", P),
        ("Looping over training data", None),
        ("Loading and evaluating", E),
        ("val: Scanning 'data/labels/val' images and labels... 90 found, 0 missing", P),
        ("host-3 ubuntu error val: Scanning 'data/labels/val' images and labels... 90 found", P),
        ("host-3 validation of the scanning", E),
        ("val: Caching images (0.5GB ram)", P),
        ("Running tokenizer on validation dataset", P),
        ("Generating test split", P),
        ("Applying chat template to eval dataset", P),
        ("Downloading test.zip", P),
        ("Map (num_proc=4)", P),
        ("loss: 0.5 mAP: 0.25", None),
        ("Class   Images   Labels      P      R   mAP@.5  mAP@.5:.", E),
        ("Class   Images   Labels      P      R   mAP@.5 mAP@.5:.95", E),
        ("Class   Images  Instances  Box(P      R    mAP50  mAP50-95)", E),
        ("1700000000123 node-3 error    Class   Images   Labels      P      R   mAP@.5", E),
        ("classes   top1_acc   top5_acc", E),
        ("Epoch   gpu_mem   box   obj   cls   labels   img_size", None),
        ("loss 0.5   P  R  0.25", None),
    ],
)
def test_a_bar_says_by_its_title_what_it_counts(title: str, phase: Phase | None) -> None:
    assert of_title(title) is phase


@pytest.mark.parametrize("title", ["Validatinging", "Validations", "Validator", "Evaluatings", "Tests run"])
def test_a_bar_s_title_evaluates_whatever_ending_its_word_has(title: str) -> None:
    assert of_title(title) is Phase.EVALUATION


@pytest.mark.parametrize(
    ("name", "value", "phase"),
    [("mode", "val", E), ("split", " train ", T), ("log/phase", "test", E), ("mode", "online", None), ("note", "val", None),
     ("split", 3, None)],
)  # fmt: skip
def test_a_column_may_say_it_for_its_row(name: str, value: object, phase: Phase | None) -> None:
    assert of_column(name, value) is phase


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("val_loss", True),
        ("Test Loss", True),
        ("loss/dev", True),
        ("validLoss", True),
        ("valacc", True),
        ("testloss_2", True),
        ("train_loss", False),
        ("trainacc", False),
        ("valuation", False),
        ("value", False),
    ],
)
def test_a_name_of_a_value_may_say_that_it_is_of_a_validation(name: str, does: bool) -> None:
    assert validates(name) is does


@pytest.mark.parametrize(
    ("line", "is_so"),
    [
        ("Checkpoint saved → out/best.pt (epoch 7, loss 2.5)", True),
        ("2024-05-01 10:00:00,123 - train - INFO - Saving the best model: epoch 7 loss 2.5", True),
        ("=> new best model was found at epoch 7, loss 2.5", True),
        ("Best epoch: 7, loss 2.5", True),
        ("  meta: {'iteration': 7, 'best_iteration': 5, 'train_loss': 2.5}", True),
        ("meta: step 7, loss 2.5", False),
        ("Best loss: 2.5 at epoch 7", False),
        ("Epoch 7, loss 2.5, saved", False),
        ("state: train, step 7, loss 2.5", False),
    ],
)
def test_a_line_that_begins_with_what_was_saved_or_is_kept_tells_of_that(line: str, is_so: bool) -> None:
    assert saves(line) is is_so


@pytest.mark.parametrize(
    ("line", "phase"),
    [
        ("Validation set: 581 images", None),
        ("Test label distribution -> 1:61", None),
        ("Evaluation on the test set:", E),
        ("Evaluating on 500 samples", E),
        ("Evaluation:", E),
        ("-----Start validation-----", E),
        ("Tests loaded", None),
        ("Initializing val dataset", Phase.PREPARATION),
        ("Creating test loader ...", Phase.PREPARATION),
        ("Train set: 500 images", T),
        ("Test {'loss': 0.25, 'acc': 0.5}", None),
        ("Validation {'ppl': 12.5}", None),
        ("Validating at threshold 0.5", E),
        ("Evaluation " + "=" * 88, E),
        ("Evaluation " + "=" * 89, None),
    ],
)
def test_a_short_line_announces_unless_it_tells_of_data(line: str, phase: Phase | None) -> None:
    assert announced(line) is phase


@pytest.mark.parametrize(
    ("line", "is_so"),
    [
        ("Epoch 3 completed in 40.5s | Avg Loss: 0.5", True),
        ("INFO - Epoch [3/10] finished. mean loss 0.5", True),
        ("Epoch 3/10 - loss 0.5", False),
        ("Evaluation of epoch 3 done, loss: 0.5", False),
        ("Validation Epoch 3 finished: loss 0.5", False),
        ("3 epochs completed, loss: 0.5", False),
    ],
)
def test_a_line_may_close_an_epoch_of_the_training(line: str, is_so: bool) -> None:
    assert closes(line) is is_so


@pytest.mark.parametrize(
    ("phase", "row", "before"),
    [
        (E, {"epoch": "2"}, True),
        (E, {"epoch": 1.0}, False),
        (E, {"epoch": "many"}, False),
        (E, {"loss": 0.5}, False),
        (T, {"epoch": "2"}, False),
        (None, {"epoch": "2"}, False),
    ],
)
def test_an_evaluation_under_its_heading_ends_with_a_row_of_a_later_epoch(
    phase: Phase | None, row: dict[str, object], before: bool
) -> None:
    assert Heading(1.0, 9.0, phase, anew=False).evaluates_before(row) is before


def phases_of(*rows: str) -> list[Phase | None]:
    """Of rows in their order."""
    words = WordsInFront()
    return [words.phase_of(row) for row in rows]


def test_a_word_in_front_of_two_rows_that_are_one_but_for_it_is_of_all_their_values() -> None:
    train, valid = "[Epoch: 01] Train acc: 0.75 | loss: 12.5", "[Epoch: 01] Valid acc: 0.5 | loss: 3.5"
    assert phases_of(train, valid, train) == [None, Phase.EVALUATION, None]
    assert phases_of("2 training f1 = 0.5, loss = 2.5", "2 test f1 = 0.5, loss = 2.5") == [None, Phase.EVALUATION]
    assert phases_of(valid) == [None]  # the loss behind may be the training's
    assert phases_of(train, "[Epoch: 01] Valid acc: 0.5 | bleu: 3.5") == [None, None]
    assert phases_of("Train acc: 0.75", "Valid acc: 0.75") == [None, None]  # one value, which the word is of
    both = "acc: 0.75 | Val acc: 0.5 | loss: 2.5"
    assert phases_of(f"Train {both}", f"Val {both}") == [None, None]


def test_what_another_parser_saw_of_the_training_is_known() -> None:
    seen, words = WordsInFront(), WordsInFront()
    seen.phase_of("Train acc: 0.75 loss: 2.5")
    words.learn(seen)
    assert words.phase_of("Val acc: 0.5 loss: 10.25") is Phase.EVALUATION
