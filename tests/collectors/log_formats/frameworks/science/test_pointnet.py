"""Pointnet_Pointnet2_pytorch: what lies between two stamps, which epoch it is of, and where a training begins."""

from __future__ import annotations

from log_examples import example, format_named, iterations, of, read

from itermon.collectors.log_formats.recognition import recognise
from itermon.events import CHECKPOINT, EVALUATION, Config, End, RunInfo, SpanBegin, SpanEnd

NAME = "Pointnet_Pointnet2_pytorch"
FOUND = "Test Instance Accuracy: 0.750000, Class Accuracy: 0.625000"


def at(clock: str, text: str) -> str:
    return f"2021-05-01 {clock},000 - Model - INFO - {text}\n"


def epoch(hour: int, number: int, index: int, planned: int = 9) -> str:
    """An epoch of twenty minutes, with ten of evaluation behind it."""
    return (
        at(f"{hour}:0{index}:00", f"Epoch {number} ({index}/{planned}):")
        + at(f"{hour}:2{index}:00", "Train Instance Accuracy: 0.500000")
        + at(f"{hour}:3{index}:00", FOUND)
    )


def test_an_epoch_is_told_where_its_training_is_over_and_its_evaluation_is_apart() -> None:
    events = read(NAME, epoch(10, 1, 1) + epoch(11, 2, 2))
    assert [(one.index, one.duration_s, one.loss) for one in iterations(events)] == [
        (1, 1200.0, None),
        (2, 1200.0, None),
    ]
    assert iterations(events)[0].scalars == {"Train Instance Accuracy": 0.5}
    ends = [(one.kind, one.after, one.duration_s, one.apart, one.values) for one in of(SpanEnd, events)]
    found = {"Test Instance Accuracy": 0.75, "Test Class Accuracy": 0.625}
    assert ends == [(EVALUATION, 1, 600.0, True, found), (EVALUATION, 2, 600.0, True, found)]
    assert [one.max_iterations for one in of(Config, events)] == [9]


def test_a_training_that_takes_over_a_save_counts_on_by_the_second_number() -> None:
    """The first number counts the epochs of the process: it is 1 again."""
    again = at("12:00:00", "PARAMETER ...") + at("12:00:01", "Use pretrain model")
    events = read(NAME, epoch(10, 1, 1) + epoch(11, 2, 2) + again + epoch(13, 1, 3))
    assert [one.index for one in iterations(events)] == [1, 2, 3]
    assert [one.resumed for one in of(RunInfo, events)] == [None, True]


def test_a_training_from_the_beginning_is_another_one_and_no_epoch_reaches_from_one_to_the_next() -> None:
    broken = at("12:00:00", "Epoch 3 (3/9):") + at("12:30:00", "PARAMETER ...")
    lost = at("12:40:00", "Train Instance Accuracy: 0.250000")
    events = read(NAME, epoch(10, 1, 1) + broken + lost + epoch(13, 1, 1))
    assert [(one.index, one.duration_s) for one in iterations(events)] == [(1, 1200.0), (1, 1200.0)]
    assert [one.resumed for one in of(RunInfo, events)] == [None, None]


def test_a_save_has_a_time_where_its_end_is_told_and_is_in_no_evaluation() -> None:
    events = read(NAME, example(NAME))
    assert [(one.kind, one.iteration) for one in of(SpanBegin, events)] == [(CHECKPOINT, 2)]
    assert [one.kind for one in of(SpanEnd, events)] == [EVALUATION, EVALUATION]
    assert [one.detail for one in of(End, events)] == ["End of training..."]
    scenes = read(NAME, format_named(NAME).examples[2].log)
    ends = [(one.kind, one.duration_s) for one in of(SpanEnd, scenes)]
    assert ends == [(CHECKPOINT, 2.0), (EVALUATION, 120.0), (CHECKPOINT, 3.0), (EVALUATION, 120.0)]


def test_an_evaluation_behind_a_save_whose_end_is_not_told_has_no_time() -> None:
    log = at("10:00:00", "Epoch 1 (1/9):") + at("10:05:00", "Train Instance Accuracy: 0.5")
    events = read(NAME, log + at("10:05:00", "Save model...") + at("10:06:00", FOUND))
    assert [(one.kind, one.duration_s) for one in of(SpanEnd, events)] == [(EVALUATION, None)]


def test_an_evaluation_that_is_told_of_in_part_is_over_with_the_next_heading() -> None:
    log = at("10:00:00", "**** Epoch 1 (1/9) ****") + at("10:05:00", "Training accuracy: 0.5")
    part = at("10:07:00", "eval mean loss: 0.75") + at("10:07:00", "eval point avg class IoU: nan")
    (end,) = of(SpanEnd, read(NAME, log + part + at("10:09:00", "**** Epoch 2 (2/9) ****")))
    assert (end.duration_s, end.values) == (120.0, {"val_loss": 0.75})


def test_without_stamps_its_lines_are_none_of_this_format() -> None:
    bare = [line.partition(" - INFO - ")[2] for line in example(NAME).strip("\n").split("\n")]
    assert recognise(bare, [format_named(NAME)]).format is None
