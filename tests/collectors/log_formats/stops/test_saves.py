"""Each save that lines tell of is counted, and once."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.stops.saves import Saves, tells_of_a_save
from itermon.collectors.log_formats.stops.told_stops import ToldStops
from itermon.events import CHECKPOINT, Iteration, SpanEnd

DAY = "2025-03-01 10:00:0"


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["best model saved", "", "best model saved"], 2),
        (["model saved, reward 12", "model saved, reward 13", "model saved, reward 15"], 3),
        (["Saved weights to net_100.pt", "Saved state to opt_100.pt"], 1),
        (["Saving checkpoint", "Saving model state", "", "checkpoint saved", "Saving checkpoint"], 2),
        ([f"{DAY}1 INFO Trainer state saved"] * 8, 1),
        ([f"{DAY}1 INFO state saved", "", f"{DAY}1 INFO state saved"], 1),
        ([f"{DAY}1 INFO state saved", f"{DAY}2 INFO state saved"], 1),
        (["INFO:train:best saved", "", "INFO:train:best saved"], 2),
        (["[rank0]: model saved", "", "[rank0]: model saved"], 2),  # its number is no moment
        (["\x1b[A saving the model", " saving the model"], 1),
        ([f"{DAY}1 INFO saved to out", "saving all", f"{DAY}2 INFO saved to out", "saving all"], 1),
        (["", ""], 0),
        (["Saving model", " ", "[INFO] train.py:9: ", "Saving model"], 1),  # an empty line is none between
    ],
)
def test_lines_tell_of_so_many(lines: list[str], count: int) -> None:
    saves = Saves()
    for line in lines:
        if not line:
            saves.other("step 9")
        elif "av" in line:
            saves.hear(line)
        else:
            saves.other(line)
    assert (saves.taken(), saves.taken()) == (count, 0)


@pytest.mark.parametrize(("second", "count"), [("1,002", 1), ("9,001", 2)])
def test_ranks_say_another_line_each_before_the_same_save(second: str, count: int) -> None:
    saves = Saves()
    for at in ("1,001", second):
        saves.other(f"{DAY}{at} - INFO - to disk: out")
        saves.hear("Saving the model, as it is no shard")
    assert saves.taken() == count


def test_what_was_once_said_first_begins_another() -> None:
    saves = Saves()
    for line in ("best model saved, 12", "final model saved to a"):
        saves.hear(line)
        assert saves.taken() == 1
    saves.hear("final model saved to a")
    saves.hear("best model saved, 13")
    assert saves.taken() == 1, "two files of one stand side by side"
    saves.hear("final model saved to a")
    saves.other("step 9")
    saves.hear("best model saved, 13")
    assert saves.taken() == 2


def test_a_save_may_stand_beside_a_value() -> None:
    assert tells_of_a_save("New best model saved with reward: 12.00")
    assert tells_of_a_save("Validation loss went down (0.75 --> 0.50).  Saving model ...")
    assert tells_of_a_save("Saving the best model with highest F1: 0.50 -> 0.75 at step 12")
    assert tells_of_a_save("Saving model due to mean reward increase: 10.5 -> 11.25")
    assert tells_of_a_save("Saving best model (loss: 0.50)")
    assert not tells_of_a_save("Validation loss: 0.50")
    assert not tells_of_a_save("seconds saved: 0.50")


def test_what_the_head_of_each_training_names_is_no_save_where_another_one_begins() -> None:
    saves, head = Saves(), ("last model saved at :a/last.pt", "best model saved at :a/best.pt")
    for line in head:
        saves.hear(line)
    assert saves.taken() == 1
    for line in ("Saved model to b/9.pt", "", *head, "", "test model saved at :a/best.pt"):
        if not line:
            saves.other("step 9")
        elif "av" in line:
            saves.hear(line)
        else:
            saves.other(line)
    assert saves.taken(anew=True) == 1
    saves.hear(head[0])
    assert saves.taken() == 1


def test_a_word_of_each_save_is_no_path_that_a_head_announced() -> None:
    """`saved a checkpoint`, before the first row, and then behind each one."""
    saves = Saves()
    for anew in (False, False, True):
        saves.hear("saved a checkpoint")
        saves.other("step 9")
        assert saves.taken(anew=anew) == 1


def test_a_save_behind_another_row_of_one_flush_is_another() -> None:
    saves = Saves()
    for on, count in ((False, 1), (False, 0), (True, 0), (True, 1)):
        saves.hear(f"{DAY}1 INFO Saved checkpoint.")
        saves.other("step 9")
        assert saves.taken(on=on) == count
    assert saves.taken() == 0
    assert not tells_of_a_save(
        "Stopping now, no better for 5 rounds. Best seen in 3, best model saved as a.pt."
    ), "long before"


@pytest.mark.parametrize(
    ("lines", "count"),
    [
        (["saving table:", "", "saving done."], 0),
        (["Writing features to disk", "Done", "saving completed"], 0),
        (["Saving model ..", "", "saving done."], 1),
        (["saving done."], 1),
        (["saving table:", "saving done.", "Saving model ..", "saving done."], 1),
    ],
)
def test_the_end_of_what_is_no_model_is_no_save(lines: list[str], count: int) -> None:
    stops = ToldStops()
    stops.before([Iteration(1)], None)
    for line in lines:
        stops.hear(line or "columns: 9", None)
    assert [event.kind for event in stops.before([Iteration(2)], None)] == [CHECKPOINT] * count


def test_a_save_that_the_format_does_not_know_is_counted_between_rows_of_which_it_told_none() -> None:
    stops, counts = ToldStops(), []
    stops.before([Iteration(1)], None)
    for row, known in ((2, True), (3, False), (4, True), (5, False)):
        if known:
            stops.before([SpanEnd(CHECKPOINT)], None)
        stops.hear(f"Saving the model at the end of epoch {row}", None)
        counts.append(len(stops.before([Iteration(row)], None)))
    assert counts == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("Epoch 1: loss improved from inf to 0.5, saving model to out/1", 1),
        (
            "7/8 [==>.] - ETA: 0s - acc: 1.5000e-01Epoch 00001: loss improved from inf to 0.5, saving model to out/1",
            1,
        ),
        ("Saving model to out/", 0),
    ],
)
def test_a_save_behind_an_epoch_counts_before_the_row_of_that_epoch(line: str, count: int) -> None:
    """Keras says so before the epoch's own line; what else a head names is no save."""
    saves = Saves()
    saves.hear(line)
    saves.begins()
    assert saves.taken() == count
    assert tells_of_a_save("Epoch 2: val_loss improved from 0.75 to 0.5, saving model to out/model.keras")
    assert not tells_of_a_save("Epoch 2: val_loss did not improve from 0.5")
