"""Heads of epochs, alone on their lines, above bars that name none."""

import pytest

from itermon.collectors.log_formats.between.epoch_heads import EpochHeads


def heads(*lines: str) -> tuple[list[bool], EpochHeads]:
    """At each `bar`: is it another training's?"""
    heard, found = EpochHeads(), []
    for line in lines:
        if line == "bar":
            found.append(heard.begins())
        else:
            heard.hear(line)
    return found, heard


@pytest.mark.parametrize(
    "head",
    [
        "Epoch {}/4",
        "===== Epoch [{}/4] =====",
        "Epoch: {} / 4",
        "2025-03-01 10:00:00 | INFO     | __main__ | Epoch {} of 4",
        "Starting epoch {}/4...",
    ],
)
def test_a_first_epoch_that_comes_again_is_another_trainings(head: str) -> None:
    lines = [one for epoch in (1, 2, 3, 1, 2) for one in (head.format(epoch), "bar", "bar")]
    found, heard = heads(*lines)
    assert [n for n, anew in enumerate(found) if anew] == [6]
    assert heard.steps(90, 90) == 360
    assert heard.steps(60, 90) is None  # other epochs were counted


def test_of_one_epoch_alone_each_head_is_anothers() -> None:
    assert heads("Epoch 1/1", "bar", "Epoch 1/1", "bar")[0] == [False, True]


def test_what_comes_in_blocks_or_once_a_rank_says_nothing_of_a_training() -> None:
    found, heard = heads("Epoch 1/3", "Epoch 2/3", "bar", "Epoch 3/3", "bar", "Epoch 1/3", "bar")
    assert not any(found)
    assert heard.steps(0, 90) is None
    assert not any(heads("Epoch 1/3", "Epoch 1/3", "bar", "Epoch 2/3", "Epoch 2/3", "bar")[0])


def test_no_line_that_says_more_is_a_head_and_from_epoch_0_on_nobody_knows_how_many_there_are() -> None:
    lines = ["Epoch 2/3", "bar", "Epoch 1/3 loss 0.5", "Best epoch: 1", "bar"]
    assert heads(*lines)[0] == [False, False]
    assert heads("Epoch 0/3", "bar")[1].steps(0, 90) is None


@pytest.mark.parametrize(
    "line",
    [
        "[{}/4]",
        "【{}/4】",
        "=== ({} / 4) ===",
        "Epoch {}/4, Train Loss: 0.5, Val Loss: 0.75",
        "epoch {} of 4 | loss=0.5",
    ],
)
def test_a_count_below_each_bar_says_how_many_there_are_to_be(line: str) -> None:
    lines = [line.format(1), "bar", line.format(2)]
    assert heads(*lines)[1].steps(180, 90) == 360
    assert heads(*lines)[1].steps(90, 90) is None, "it is no count of the bars"
    assert heads(*lines, "Epoch 3/9", "bar")[1].steps(180, 90) is None
    assert heads(line.format(4))[1].steps(360, 90) is None, "there are more"
