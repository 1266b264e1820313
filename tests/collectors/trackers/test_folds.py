import pytest

from itermon.collectors.trackers.folds import Folds, Of


def read(*rows, first=0):
    folds = Folds()
    folds.look(rows[:first])
    return [folds.of([(name, 1.0) for name in names]) for names in rows]


def names(found):
    return [[name for name, _ in one.cells] for one in found]


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("fold_0/train_loss", "train_loss"),
        ("fold3_epoch", "epoch"),
        ("train/fold-2/loss", "train/loss"),
        ("val_loss_fold_1", "val_loss"),
        ("kfold1.lr", "lr"),
        ("Seed 42/acc", "acc"),
        ("unfold_0/loss", "unfold_0/loss"),
        ("fold_0", "fold_0"),
        ("fold/loss", "fold/loss"),
        ("trial_loss", "trial_loss"),
    ],
)
def test_a_fold_is_taken_out_of_a_name(name, rest):
    assert names(read([name])) == [[rest]]


def test_each_fold_after_another_begins_a_training_the_first_does_not():
    found = read(["fold_0/loss"], ["fold_0/loss"], ["lr"], ["fold_1/loss"], ["fold_1/loss"], ["fold_2/loss"])
    assert [one.begins for one in found] == [False, False, False, True, False, True]
    assert names(found) == [["loss"], ["loss"], ["lr"], ["loss"], ["loss"], ["loss"]]


def test_folds_that_take_turns_are_side_by_side_from_the_first_row_where_the_first_rows_show_it():
    rows = [["fold_0/loss"], ["fold_1/loss"], ["fold_0/loss"]]
    assert read(*rows, first=3) == [Of([(row[0], 1.0)], apart=(row[0],)) for row in rows]
    late = read(*rows)
    assert [one.begins for one in late] == [False, True, False]
    assert late[2].apart == ("fold_0/loss",)


def test_new_folds_in_one_row_are_side_by_side():
    (found,) = read(["epoch", "fold_0/loss", "fold_1/loss"])
    assert found.apart == ("fold_0/loss", "fold_1/loss")
    assert not found.begins


@pytest.mark.parametrize("end", [["fold_0/loss", "fold_1/loss"], ["fold_0/best"]])
def test_what_is_told_of_folds_in_the_end_is_no_training(end):
    found = read(["fold_0/loss"], ["fold_1/loss"], end, ["fold_2/loss"], first=3)
    assert [one.begins for one in found] == [False, True, False, True]
    assert found[2].apart == tuple(end)
