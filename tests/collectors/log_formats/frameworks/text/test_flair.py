"""Flair: how many epochs there are to be stands in its head; after the last comes the test."""

from log_examples import iterations, of, read

from itermon.events import Config, End, SpanEnd

HEAD = """2023-05-01 10:00:00,000 Parameters:
2023-05-01 10:00:00,000  - max_epochs: "2"
"""
EPOCHS = """2023-05-01 10:00:05,000 epoch 1 - iter 10/20 - loss 2.50 - samples/sec: 12.34
2023-05-01 10:00:30,000 epoch 2 - iter 20/20 - loss 1.50 - samples/sec: 12.34
"""
TEST = "2023-05-01 10:00:35,000 Testing using best model ...\n"


def test_the_epochs_of_the_head_give_the_last_iteration():
    assert [one.max_iterations for one in of(Config, read("Flair", HEAD + EPOCHS))] == [40]
    assert of(Config, read("Flair", EPOCHS)) == []


def test_the_test_comes_after_the_last_epoch():
    assert [one.reason for one in of(End, read("Flair", HEAD + EPOCHS + TEST))] == ["finished"]
    stopped = EPOCHS + "2023-05-01 10:00:31,000 Exiting from training early.\n" + TEST
    assert [one.reason for one in of(End, read("Flair", stopped))] == ["interrupted"]


def test_an_epoch_of_a_split_is_done_before_the_batches_it_names():
    events = read(
        "Flair",
        HEAD
        + "".join(
            f"2019-10-31 12:1{epoch}:{batch // 2:02d},000 epoch {epoch} - iter {batch}/60 - loss 0.5 - samples/sec: 1.5\n"
            + (f"2019-10-31 12:1{epoch}:20,000 EPOCH {epoch} done: loss 0.5 - lr 2.0000\n" if batch == 30 else "")
            for epoch in (1, 2, 3)
            for batch in (0, 10, 20, 30)
        ),
    )
    assert [one.index for one in iterations(events)] == [0, 10, 20, 30, 31, 41, 51, 61, 62, 72, 82, 92]
    assert [one.max_iterations for one in of(Config, events)] == [120, 62]


def test_an_epoch_that_is_done_within_its_last_tenth_has_the_batches_it_names():
    lines = (
        f"2019-10-31 12:1{epoch}:{batch:02d},000 epoch {epoch} - iter {batch}/21 - loss 0.5 - samples/sec: 1.5\n"
        + (f"2019-10-31 12:1{epoch}:30,000 EPOCH {epoch} done: loss 0.5 - lr 2.0\n" if batch == 20 else "")
        for epoch in (1, 2)
        for batch in (0, 10, 20)
    )
    assert [one.index for one in iterations(read("Flair", HEAD + "".join(lines)))] == [0, 10, 20, 21, 31, 41]


def test_an_evaluation_lasts_from_the_epochs_end_to_its_result():
    said = "2023-05-01 10:00:12,000 EPOCH 1 done: loss 2.5 - lr 0.1\n2023-05-01 10:00:20,500 DEV : loss 0.75 - score 0.5\n"
    assert [one.duration_s for one in of(SpanEnd, read("Flair", HEAD + EPOCHS + said))] == [8.5]
    assert [one.duration_s for one in of(SpanEnd, read("Flair", HEAD + EPOCHS + said.split("\n")[1] + "\n"))] == [
        None
    ]
