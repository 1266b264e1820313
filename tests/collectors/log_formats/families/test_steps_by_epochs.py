"""Steps from rounded epochs."""

from math import nan

import pytest

from itermon.collectors.log_formats.families.steps_by_epochs import (
    StepsByEpochs,
    Told,
    roundest,
    same_evaluation,
)


@pytest.mark.parametrize(
    ("each", "said", "steps"),
    [
        (17.05, 17.0, [*range(5, 2106, 5)]),
        (3125, 3125, [1, *range(100, 6201, 100)]),
        (40, 40, [10, 20, 40, 60]),
        (7, 7, [7, 14, 21]),
    ],
)
def test_steps_are_found_again(each: float, said: float, steps: list[int]) -> None:
    one, found = StepsByEpochs(), [0]
    for step in steps:
        found.append(one.step(round(step / each, 2), said, found[-1]))
    assert found[1:] == steps


@pytest.mark.parametrize(("epoch", "step"), [(0.21, 200), (0.2105, 200), (0.211, 210), (0.19, 200), (0.189, 190)])
def test_an_interval_stays_as_long_as_two_rounded_epochs_allow_it(epoch: float, step: int) -> None:
    """Of 1,000 steps an epoch's second digit is ten: the difference of two is off by as much, and by half a step."""
    one = StepsByEpochs()
    assert one.step(0.1, 1000, 0) == 100
    assert one.step(epoch, 1000, 100) == step


def test_the_roundest_number_is_an_interval_as_people_choose_it() -> None:
    assert [roundest(78, 109), roundest(4.3, 5.6), roundest(6.6, 7.4)] == [100, 5, None]
    assert [roundest(900, 1_100), roundest(460, 540), roundest(190, 210), roundest(48, 52)] == [1000, 500, 200, 50]
    assert [roundest(240, 260), roundest(18, 22), roundest(24, 26), roundest(9, 11)] == [250, 20, 25, 10]
    assert [roundest(100, 100), roundest(101, 104), roundest(0, 2)] == [100, None, None]


@pytest.mark.parametrize(
    ("first", "second", "again"),
    [
        ({"loss": 2.5, "epoch": 0.5}, {"loss": 2.5, "epoch": 0.505}, True),
        ({"loss": 2.5, "epoch": 0.5}, {"loss": 2.5, "epoch": 0.52}, False),
        (
            {"loss": 0.0, "grad_norm": float("nan"), "epoch": 0.2},
            {"loss": 0.0, "grad_norm": float("nan"), "epoch": 0.2},
            True,
        ),
        (
            {"loss": 0.0, "learning_rate": 2e-5, "epoch": 0.2},
            {"loss": 0.0, "learning_rate": 2.05e-5, "epoch": 0.2},
            False,
        ),
        ({"loss": 0.0, "epoch": 0.2}, {"loss": 0.0, "epoch": 0.2, "step": 5}, False),
        ({"loss": 0.0}, {"loss": 0.0}, False),
    ],
)
def test_a_dictionary_that_says_the_same_is_the_one_before(first, second, again):
    """A loss of 0.0 is that of all of them, where the model is broken: its learning rate is the newest all the same."""
    told = Told()
    assert not told.again(first)
    assert told.again(second) is again


@pytest.mark.parametrize(
    ("loss", "epoch", "same"),
    [(0.5, 0.19, True), (nan, 0.19, False), (0.5, 0.2, False), (0.25, 0.19, False), (None, 0.19, False)],
)
def test_an_evaluation_that_a_callback_prints_again_is_the_same(
    loss: float | None, epoch: float, *, same: bool
) -> None:
    read = {"epoch": epoch} if loss is None else {"eval_loss": loss, "epoch": epoch}
    assert same_evaluation(read, {"eval_loss": 0.5, "epoch": 0.191667}) is same
    assert same_evaluation({"eval_loss": nan, "epoch": epoch}, {"eval_loss": nan, "epoch": epoch})
    assert not same_evaluation(read, {})
