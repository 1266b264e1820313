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
