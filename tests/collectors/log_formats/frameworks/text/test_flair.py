"""Flair: how many epochs there are to be stands in its head; after the last comes the test."""

from log_examples import of, read

from itermon.events import Config, End

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
