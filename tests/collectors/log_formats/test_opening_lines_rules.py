"""What a process says first, whatever its logger puts in front; and its settings, which it prints once."""

from __future__ import annotations

import pytest

from itermon.collectors.log_formats.opening_lines import OpeningLines, Starts

HEAD = ("Logging arguments", "model_name: small", "data_dir: ./data", "learning rate: 0.1", "Start of it all")


def told(*lines: str | None) -> list[str]:
    """The lines by which another process is known; `None` stands for an iteration."""
    opening, found = OpeningLines(), []
    for line in lines:
        if line is None:
            opening.iteration()
        elif opening.again(line):
            found.append(line)
    return found


def test_a_logger_that_is_set_up_anew_says_the_same_lines() -> None:
    first = [f"2024-05-01 10:00:00,123 - run.log - INFO - {line}" for line in HEAD]
    later = [f"2025-06-01 11:30:00,456 - show.py - settings - INFO - {line}" for line in HEAD]
    assert told(*first, None, *later) == [later[2]]
    wide, narrow = (
        tuple(f"{name}{gap}: 1 of them" for name in ("layers", "colours", "places")) for gap in ("   ", " ")
    )
    assert told(*wide, None, *narrow) == [narrow[2]]


def test_a_model_that_is_printed_says_the_same_of_layers_that_are_alike() -> None:
    block = [f"    ({n}): Linear(in_features={64 << n}, out_features=128)" for n in range(3)]
    model = ["Net(", "  (first): Sequential(", *block, "  (second): Sequential(", *block, ")"]
    assert told(*model, *model[1:], None) == []


@pytest.mark.parametrize(
    "layer",
    [
        "wide_{} (Conv2D)       (None, 9, 9, {}64)    1,728     wide[0][0]",
        "   Conv2d-{}     [-1, {}64, 9, 9]     1,728",
    ],
)
def test_the_table_of_a_model_that_is_built_once_more_begins_no_process(layer: str) -> None:
    table = ["Layer (type)        Output Shape        Param #", *(layer.format(n, n) for n in range(5))]
    assert told(*table, "Parameters: 8,640", None, *table, "Parameters: 8,640", "mean IoU of the test: 0.5") == []
    assert told(*table, *HEAD, None, *table, *HEAD) == [HEAD[2]]


def test_ranks_that_say_the_first_lines_before_the_first_row_are_one_launch() -> None:
    opening = OpeningLines()
    for line in (*HEAD, *HEAD, *HEAD):
        opening.again(line)
    opening.iteration()
    assert opening.times == 1
    for line in HEAD:
        opening.again(line)
    assert opening.times == 2


def test_a_start_is_the_same_on_another_day_of_another_month() -> None:
    early, late = "Training started at Wed Jan 31 22:10:00 2024", "Training started at Thu Feb  1 08:10:00 2024"
    for first, later in (("Start training, Wed, 31 January", "Start training, Sun, 2 May"), (early, late)):
        starts = Starts()
        starts.again(first, begun=False)
        assert starts.again(later, begun=True), later
    assert told(early, *HEAD[:2], None, late, *HEAD[:2]) == [HEAD[1]]
