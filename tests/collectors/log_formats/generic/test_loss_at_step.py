"""A loss of a step in one sentence."""

from __future__ import annotations

import pytest
from log_examples import iterations, of, read

from itermon.collectors.log_formats.generic.loss_at_step import LossAtStep, ValueAlone
from itermon.collectors.logs.reader import LogReader
from itermon.events import Event, Iteration, Message, RunInfo


@pytest.mark.parametrize(
    ("sentence", "loss"),
    [
        ("Minibatch loss at step 7: 2.5", 2.5),
        ("Training loss (for one batch) at step 7: 2.5", 2.5),
        ("Loss after iteration 7 = 2.5", 2.5),
        ("epoch_loss for epoch 7/20 is 2.5", 2.5),
        ("Reconstruction Error after update 7: 2.5", 2.5),
        ("train loss after 7 epochs: 2.5", 2.5),
        ("Training loss after 7 steps is 2.5", 2.5),
        ("Average cost after 7 iterations of training = 2.5", 2.5),
        ("Average loss at step (7/40): 2.5", 2.5),
        ("loss after 7 days: 2.5", None),
        ("Weight loss after 7 weeks: 2.5", None),
        ("val loss after 7 epochs: 2.5", None),
        ("loss in 7 epochs: 2.5", None),
        ("Loss at best epoch 7: 2.5", None),
        ("Loss at layer 7: 2.5", None),
        ("Loss at step 7: 2.5 (best 1.25)", None),
        ("Accuracy at step 7: 0.5", None),
        ("Validation cost after epoch 7: 2.5", None),
    ],
)
def test_a_loss_of_what_counts_is_a_row(sentence: str, loss: float | None) -> None:
    found = [(one.index, one.loss) for one in iterations(read(LossAtStep.name, sentence))]
    assert found == ([] if loss is None else [(7, loss)])


def test_what_counts_is_the_word_of_the_first_line_and_the_first_loss_of_a_step_is_its_own() -> None:
    lines = [
        "Cost after epoch 1: 2.5",
        "D loss after epoch 1: 9.0",
        "Loss at step 50: 1.0",
        "Cost after epoch 2: 2.25",
    ]
    found = [(one.index, one.loss) for one in iterations(read(LossAtStep.name, "\n".join(lines)))]
    assert found == [(1, 2.5), (2, 2.25)]


FALLING = [round(9.0625 - n / 8 + 0.25 * (n % 2), 4) for n in range(12)]


def alone(lines):
    return iterations(LogReader(lines).feed("".join(f"{line}\n" for line in lines).encode()))


@pytest.mark.parametrize(
    "line",
    [
        "Loss {}",
        "2025-01-01 10:00:00,500 - root - INFO - Loss  {}",
        "INFO:root:batch loss: {}",
        "ner INFO loss {}",
    ],
)
def test_a_loss_alone_on_each_line_is_a_row_where_it_falls(line: str) -> None:
    found = alone([line.format(value) for value in FALLING])
    assert [(one.index, one.loss) for one in found] == [*enumerate(FALLING, 1)]


@pytest.mark.parametrize(
    "values",
    [
        FALLING[:7],
        [-value for value in FALLING],
        [round(value, 1) for value in FALLING],
        [2.125] * 12,
        [*range(20, 8, -1)],
    ],
    ids=["too few", "rising", "few decimals", "the same", "whole"],
)
def test_what_may_be_lost_money_or_packets_is_none(values: list[float]) -> None:
    assert not alone([f"Loss {value}" for value in values])


def test_a_line_that_says_more_or_that_another_counts_is_none_of_them() -> None:
    assert not alone([f"Loss {value} USD" for value in FALLING])
    counted = [
        text for n, value in enumerate(FALLING) for text in (f"Episode {n} of 40, reward: {n}.5", f"Loss {value}")
    ]
    assert [one.index for one in alone(counted)] == [*range(12)]


@pytest.mark.parametrize("line", ["episodic returns: {}", "Episode reward: {}", "episode_return={}"])
def test_what_each_episode_returned_is_a_row(line: str) -> None:
    found = alone([line.format(n * 7 % 5) for n in range(9)])
    assert [(one.index, one.loss, [*(one.scalars or {}).values()]) for one in found] == [
        (n + 1, None, [float(n * 7 % 5)]) for n in range(9)
    ]


def test_another_process_counts_from_the_beginning() -> None:
    parser = ValueAlone()
    events = [event for value in FALLING for event in parser.line(f"Loss {value}", None)]
    parser.process_begins()
    events += parser.line("Loss 9.5", None)
    assert [one.index for one in events if isinstance(one, Iteration)] == [*range(1, 13), 1]
    assert sum(isinstance(one, RunInfo) for one in events) == 2


MANY = "seen 64 | my loss 2.5\n" * 9


def unnumbered(log: list[str]) -> list[Event]:
    reader = LogReader()
    return [*reader.feed("".join(f"{line}\n" for line in log).encode()), *reader.end(b"")]


@pytest.mark.parametrize(
    "line",
    [
        "loss: {}",
        "Train loss {}",
        "loss: {}, acc: 0.5",
        "[2024-05-01 10:00:0{n}] loss: {}",
        "training loss = {} lr = 0.001",
    ],
)
def test_losses_of_which_nothing_is_said_but_their_value_are_rows_where_they_fall(line: str) -> None:
    log = [line.format(f"{loss:.4f}", n=n % 10) for n, loss in enumerate(FALLING)]
    found = unnumbered(["Loading data", *log])
    assert [(one.index, one.loss) for one in iterations(found)] == [*enumerate(FALLING)]
    assert any("nothing that itermon can read counts" in one.text for one in of(Message, found))


@pytest.mark.parametrize(
    "log",
    [
        [f"loss: {loss}" for loss in (512, 500, 480, 450, 420, 410, 400, 380, 370)],  # of money
        [f"loss: {loss:.4f}" for loss in reversed(FALLING)],  # it grows
        [f"loss: {loss:.4f}" for loss in FALLING[:6]],  # few
        [f"βήμα {n} Loss: {loss:.4f}" for n, loss in enumerate(FALLING)],  # something counts, in whatever word
        [f"loss: {loss:.4f} ({n}/12)" for n, loss in enumerate(FALLING)],
        [*(f"loss: {loss:.4f}" for loss in FALLING), "Epoch 1: loss 9.0"],  # others are numbered
        [f"--- Dev results ---\nloss: {loss:.4f}" for loss in FALLING],  # each of an evaluation
        [MANY + f"loss: {loss:.4f}" for loss in FALLING],  # most losses stand in other lines
    ],
)
def test_losses_of_which_nothing_proves_that_they_are_a_training_s_are_none(log: list[str]) -> None:
    assert len(iterations(unnumbered(log))) == ("Epoch" in log[-1])


@pytest.mark.parametrize("name", ["loss", "train_loss", '"Loss"', "Losses"])
def test_numbers_directly_below_the_name_of_a_loss_are_rows(name: str) -> None:
    found = alone([name, *map(str, FALLING)])
    assert [(one.index, one.loss) for one in found] == [*enumerate(FALLING, 1)]
    assert [(one.index, one.loss) for one in alone([f"Loss, {value}" for value in FALLING])] == [
        *enumerate(FALLING, 1)
    ]


@pytest.mark.parametrize(
    "lines",
    [
        [*map(str, FALLING)],
        ["price loss", *map(str, FALLING)],
        ["val_loss", *map(str, FALLING)],
        ["loss", "of the last ten years", *map(str, FALLING)],
        ["loss", *map(str, FALLING[:7])],
    ],
    ids=["no name", "another name", "of an evaluation", "something between", "too few"],
)
def test_without_that_name_above_them_numbers_are_none(lines: list[str]) -> None:
    assert alone(lines) == []


def test_what_each_episode_returned_stands_below_its_name_as_well() -> None:
    found = alone(["Episode Reward", *(f"-{n}.5" for n in range(20, 10, -1))])
    assert [(one.index, one.loss, dict(one.scalars)) for one in found][-1] == (10, None, {"Episode Reward": -11.5})


def in_front(numbers: list[int]) -> list[int]:
    rows = "\n".join(f"{n} Loss= 2.{n:04d} acc: 0.5AUC=\n0.75" for n in numbers)
    return [one.index for one in iterations(read("key: value", rows))]


def test_a_number_in_front_of_a_loss_is_a_step_once_eight_have_counted_on() -> None:
    assert in_front([3, *range(1, 10)]) == [*range(1, 10)]
    assert in_front([*range(0, 90, 10)]) == [*range(0, 90, 10)]
    assert in_front([*range(1, 7), *range(1, 7)]) == []
    assert in_front([1, 2, 4, 7, 11, 16, 22, 29, 37]) == []


@pytest.mark.parametrize(
    "evaluation",
    [
        "Eval Metrics: {'eval_loss': 1.5, 'eval_runtime': 240.5, 'epoch': 3.0}",
        "{'eval_loss': 1.5, 'eval_runtime': 240.5, 'epoch': 3.0}",
    ],
)
def test_an_evaluation_with_its_epoch_does_not_say_that_rows_are_counted(evaluation: str) -> None:
    rows = [f"INFO: loss: {3 - n / 64:.4f}, orth_loss: 0.0018, grad_norm: 21.1" for n in range(64)]
    assert len(alone([*rows, evaluation])) == 64
    assert len(alone([*rows, *(f"epoch: {n}, loss: 1.5" for n in range(1, 4))])) == 3


def test_a_loss_under_the_headline_of_a_test_is_no_row() -> None:
    reader = LogReader()
    rows = [f"loss {9.125 - n / 4}\n" for n in range(10)]
    events = [*reader.feed("".join([*rows, "Test performance, second half\n", "loss 1.5625\n"]).encode())]
    events += reader.end(b"")
    assert [one.loss for one in events if isinstance(one, Iteration)] == [9.125 - n / 4 for n in range(10)]
