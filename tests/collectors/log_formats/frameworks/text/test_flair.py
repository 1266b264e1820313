"""Flair: how many epochs there are to be stands in its head; after the last comes the test."""

import pytest
from log_examples import format_named, iterations, of, read

from itermon.events import Config, End, Iteration, RunInfo, SpanEnd

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


@pytest.mark.parametrize(("first", "after"), [(0, 24), (10, 25)])
def test_what_is_evaluated_at_an_epochs_end_is_the_model_after_its_last_batch(first: int, after: int) -> None:
    rows = "".join(
        f"2023-05-01 10:00:{batch:02d},000 epoch 1 - iter {batch}/25 - loss 2.5\n"
        for batch in range(first, 21, 10)
    )
    said = """2023-05-01 10:00:30,000 EPOCH 1 done: loss 2.5 - lr 0.1
2023-05-01 10:00:40,000 DEV : loss 0.75 - score 0.5
2023-05-01 10:00:45,500 TEST : loss 0.625 - score 0.25
"""
    dev, test = of(SpanEnd, read("Flair", rows + said))
    assert [(one.iteration, one.after, one.duration_s) for one in (dev, test)] == [
        (after + 1, after, 10.0),
        (after + 1, after, 5.5),
    ]
    assert dev.values == {"val_loss": 0.75, "val_score": 0.5}
    assert test.values == {"test_loss": 0.625, "test_score": 0.25}


def epochs(batches: int, *at: int) -> str:
    """Two epochs of so many `batches` with a line at each of these, one a second; the first one is done."""
    first, second = (
        [
            f"2019-10-31 12:1{epoch}:{batch:02d},000 epoch {epoch} - iter {batch}/{batches} - loss 0.5 - samples/sec: 1.5"
            for batch in at
        ]
        for epoch in (1, 2)
    )
    return "\n".join([*first, "2019-10-31 12:11:50,000 EPOCH 1 done: loss 0.5 - lr 2.0", *second])


@pytest.mark.parametrize(
    ("batches", "at", "following"),
    [
        (25, (10, 20), 35),  # all but a last part of a tenth
        (30, (10, 20), 40),  # the line of the last tenth may be lost
        (31, (10, 20), 31),
        (20, (0,), 20),  # nothing is known but its first batch
        (20, (1,), 3),
        (20, (0, 1), 2),
    ],
)
def test_an_epoch_has_the_batches_it_names_where_less_than_a_line_is_missing(batches, at, following):
    assert iterations(read("Flair", epochs(batches, *at)))[len(at)].index == following


def test_a_line_for_each_batch_has_its_time():
    durations = [one.duration_s for one in iterations(read("Flair", epochs(3, 1, 2, 3)))]
    assert durations == [None, 1.0, 1.0, None, 1.0, 1.0]
    line = "2023-05-01 10:00:05,000 epoch 1 - iter {}/20 - loss 2.50 - time (sec): {} - samples/sec: 12.34"
    log = "\n".join(line.format(*one) for one in ((1, 2.5), (2, 4.5), (3, 4.5)))
    assert [one.duration_s for one in iterations(read("Flair", log))] == [2.5, 2.0, None]


def test_lines_without_stamps_have_no_time_though_it_is_known_when_they_came():
    parser = format_named("Flair").parser()
    events = [
        event
        for second, batch in enumerate((0, 10, 20))
        for event in parser.line(f"epoch 1 - iter {batch}/20 - loss 0.5 - samples/sec: 1.5", 1e9 + second)
    ]
    assert [(one.index, one.duration_s) for one in events if type(one) is Iteration] == [
        (0, None),
        (10, None),
        (20, None),
    ]


def test_an_evaluation_lies_before_the_zero_of_the_next_epochs_clock() -> None:
    """The first row of an epoch has its own time: what the evaluation took is none of it."""
    log = (
        "2023-05-01 10:00:50,000 epoch 1 - iter 10/20 - loss 2.50 - time (sec): 50.00 - samples/sec: 1.5\n"
        "2023-05-01 10:01:40,000 epoch 1 - iter 20/20 - loss 2.25 - time (sec): 100.00 - samples/sec: 1.5\n"
        "2023-05-01 10:01:40,000 EPOCH 1 done: loss 2.25 - lr 0.1000000\n"
        "2023-05-01 10:02:40,000 DEV : loss 0.75 - f1-score (micro avg)  0.875\n"
        "2023-05-01 10:03:30,000 epoch 2 - iter 10/20 - loss 1.50 - time (sec): 50.00 - samples/sec: 1.5\n"
        "2023-05-01 10:04:20,000 epoch 2 - iter 20/20 - loss 1.25 - time (sec): 100.00 - samples/sec: 1.5\n"
    )
    found = read("Flair", log)
    assert [one.time_includes for one in of(RunInfo, found)] == [("data",)]
    assert [one.duration_s for one in of(SpanEnd, found)] == [60.0]
    assert [one.duration_s for one in iterations(found)] == [5.0] * 4


def test_lines_that_stand_twice_are_of_as_many_batches_as_the_log_names():
    lines = (
        f"2019-10-31 12:1{epoch}:{batch:02d},000 epoch {epoch} - iter {batch}/23 - loss 0.5 - samples/sec: 1.5\n"
        * 2
        + (f"2019-10-31 12:1{epoch}:30,000 EPOCH {epoch} done: loss 0.5 - lr 2.0\n" * 2 if batch == 20 else "")
        for epoch in (1, 2)
        for batch in (0, 10, 20)
    )
    assert {one.index for one in iterations(read("Flair", "".join(lines)))} == {0, 10, 20, 23, 33, 43}


def test_a_learning_rate_that_is_too_small_ends_the_training():
    said = "2023-05-01 10:00:31,000 learning rate too small - quitting training!\n"
    assert [one.reason for one in of(End, read("Flair", HEAD + EPOCHS + said))] == ["finished"]
