"""What a checkpoint says of the steps behind it: by a name that leaves no doubt, or by two that agree."""

from __future__ import annotations

from typing import Any

import pytest

from itermon.trainer_hooks.automatic.steps.checkpoints import said_by

OPTIMIZER = {"state": {}, "param_groups": [{"lr": 0.1, "params": [0]}]}


def scheduler(epoch: int) -> dict[str, Any]:
    return {"last_epoch": epoch, "_step_count": epoch + 1}


@pytest.mark.parametrize(
    ("beside", "steps"),
    [
        ({"iter_num": 500}, 500),
        ({"global_step": 500, "epoch": 3}, 500),
        ({"global_steps": 0}, 0),
        ({"step": 500}, None),
        ({"iter": 499, "scheduler": scheduler(500)}, 500),
        ({"step": 500, "scheduler": scheduler(500)}, 500),
        ({"step": 500, "schedulers": [scheduler(500), scheduler(3)]}, 500),
        ({"step": 500, "scheduler": scheduler(3)}, None),
        ({"epoch": 3, "scheduler": scheduler(3)}, None),
        ({"scheduler": scheduler(500)}, None),
        ({"iter_num": 500, "global_step": 400}, None),
        ({"iter_num": True}, None),
        ({"iter_num": -1}, None),
        ({"iter_num": 1 << 60}, None),
        ({"iter_num": "500"}, None),
    ],
)
def test_a_count_is_taken_where_nothing_is_to_be_guessed(beside: dict[str, Any], steps: int | None) -> None:
    assert said_by({"model": {}, "optimizer": OPTIMIZER, **beside}).steps_of(OPTIMIZER) == steps


def test_it_is_that_of_the_state_in_the_checkpoint_and_of_no_other() -> None:
    several = said_by({"optimizers": [OPTIMIZER], "iter_num": 500})
    assert several.steps_of(OPTIMIZER) == 500
    assert several.steps_of({"state": {}, "param_groups": [{"lr": 0.1, "params": [0]}]}) is None
    assert several.steps_of({}) is None


@pytest.mark.parametrize(
    "read",
    [None, 5, [OPTIMIZER], {"iter_num": 500}, {"optimizer": {"param_groups": []}, "iter_num": 5}, OPTIMIZER],
)
def test_what_is_no_checkpoint_says_nothing(read: Any) -> None:
    assert said_by(read).steps is None


def test_of_two_optimizers_in_one_checkpoint_it_is_each_ones() -> None:
    other = {"state": {}, "param_groups": [{"lr": 0.5, "params": [1]}]}
    both = said_by({"critic": other, "generator": OPTIMIZER, "iter_num": 500})
    assert (both.steps_of(OPTIMIZER), both.steps_of(other)) == (500, 500)


@pytest.mark.parametrize(("others", "steps"), [(15, 500), (16, None)])
def test_of_a_list_sixteen_parts_are_looked_at(others: int, steps: int | None) -> None:
    assert said_by({"optimizers": [*[{}] * others, OPTIMIZER], "iter_num": 500}).steps == steps


@pytest.mark.parametrize(("weights", "steps"), [(998, 500), (999, None)])
def test_of_more_than_a_thousand_keys_it_is_no_checkpoint(weights: int, steps: int | None) -> None:
    read = {str(number): 0.5 for number in range(weights)} | {"optimizer": OPTIMIZER, "iter_num": 500}
    assert said_by(read).steps == steps
