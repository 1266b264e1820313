"""nnU-Net: epochs count from 0, their time has the validation in it, and what comes behind the last one is no training."""

from __future__ import annotations

from log_examples import iterations, of, read

from itermon.events import End, RunInfo, SpanEnd

NAME, FIRST = "nnU-Net", "nnU-Net v1"
CITE = "Please cite the following paper when using nnU-Net:"


def stamped(minute: int, text: str) -> str:
    return f"2024-03-01 10:{minute:02}:00.500000: {text} "


def epoch(n: int) -> list[str]:
    """An epoch of a minute."""
    begin = [stamped(n, f"Epoch {n}"), stamped(n, f"Current learning rate: 0.0{n}")]
    losses = [stamped(n + 1, f"train_loss -0.{n}"), stamped(n + 1, "val_loss nan")]
    dice = stamped(n + 1, "Pseudo dice [np.float32(0.5), nan, np.float64(0.25)]")
    return [*begin, *losses, dice, stamped(n + 1, "Epoch time: 60.0 s")]


def first_epoch(n: int, rate: float) -> list[str]:
    """The same of the first generation, which prints the next epoch's rate."""
    begin = [stamped(n, ""), f"epoch:  {n} ", stamped(n + 1, "train loss : -0.2500")]
    found = [stamped(n + 1, "validation loss: -0.5000"), stamped(n + 1, f"lr: {rate}")]
    return [*begin, *found, stamped(n + 1, "This epoch took 60.000000 s")]


def test_the_training_ends_with_its_last_epoch_whatever_is_predicted_behind_it() -> None:
    behind = [stamped(9, "Training done."), stamped(30, "Mean Validation Dice:  0.375")]
    events = read(NAME, "\n".join([*epoch(0), *epoch(1), *behind]))
    rows = iterations(events)
    assert [(one.index, one.duration_s, one.learning_rate) for one in rows] == [(0, 60.0, 0.0), (1, 60.0, 0.01)]
    assert [one.at_s for one in of(End, events)] == [rows[-1].at_s]
    found = [one.values for one in of(SpanEnd, events)]
    assert found == [{"val_mean_pseudo_dice": 0.375}] * 2 + [{"mean_validation_dice": 0.375}]
    assert of(SpanEnd, events)[-1].at_s is None


def test_another_process_is_another_training_and_one_that_only_predicts_is_none() -> None:
    events = read(NAME, "\n".join([*epoch(0), *epoch(1), CITE, *epoch(2)]))
    assert [one.index for one in iterations(events)] == [0, 1, 2]
    assert len(of(RunInfo, events)) == 2
    assert (
        read(NAME, "\n".join([CITE, stamped(1, "Training done."), stamped(2, "Mean Validation Dice: 0.5")])) == []
    )


def test_a_log_that_begins_within_an_epoch_does_not_number_it() -> None:
    events = read(NAME, "\n".join([*epoch(0)[2:], *epoch(1)]))
    assert [one.index for one in iterations(events)] == [1]


def test_the_first_generation_prints_the_rate_of_the_next_epoch() -> None:
    lines = [*first_epoch(0, 0.02), *first_epoch(1, 0.01), stamped(9, "finished prediction")]
    events = read(FIRST, "\n".join(lines))
    rows = iterations(events)
    assert [(one.index, one.learning_rate) for one in rows] == [(0, None), (1, 0.02)]
    assert [one.at_s for one in of(End, events)] == [rows[-1].at_s]
