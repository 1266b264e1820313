"""How many steps an optimizer had made before this process."""

from __future__ import annotations

from typing import Any

import pytest

from itermon.trainer_hooks.automatic.steps.counts import Counts

from .conftest import Optimizer


class OnGpu:
    is_cpu = False

    def __int__(self) -> int:
        return 70


@pytest.mark.parametrize(("steps", "made", "before"), [(5_001, 1, 5_000), (1, 1, 0), (0, 1, 0), (12, 5, 7)])
def test_adam_knows_its_steps_those_of_this_process_among_them(steps: int, made: int, before: int) -> None:
    assert Counts().before(Optimizer(steps=steps), made) == before


def test_sgd_does_not_and_nobody_asks_a_gpu_in_the_loop() -> None:
    plain, on_gpu = Optimizer(), Optimizer()
    on_gpu.state = {"parameter": {"step": OnGpu()}}
    assert Counts().before(plain, 1) is None
    assert Counts().before(on_gpu, 1) is None


def test_what_was_loaded_is_known_whatever_was_made_since() -> None:
    counts, on_gpu = Counts(), Optimizer()
    on_gpu.state = {"parameter": {"step": OnGpu()}}
    counts.loaded(on_gpu)
    assert counts.before(on_gpu, 3) == 70


def test_an_engine_says_it_of_its_own() -> None:
    counts, optimizer = Counts(), Optimizer(steps=9)
    counts.now(optimizer, 501)
    assert counts.before(optimizer, 1) == 500


def test_a_state_without_a_count_says_nothing_and_is_known_to() -> None:
    counts, plain, adam = Counts(), Optimizer(), Optimizer(steps=3)
    assert not counts.is_lost(plain)
    counts.loaded(plain)
    counts.loaded(adam)
    assert counts.before(plain, 1) is None
    assert (counts.is_lost(plain), counts.is_lost(adam)) == (True, False)


def test_of_one_that_does_not_count_its_checkpoint_may_say_it() -> None:
    state: dict[str, Any] = {"state": {}, "param_groups": []}
    counts, plain, adam, other = Counts(), Optimizer(), Optimizer(steps=3), Optimizer()
    counts.read({"optimizer": state, "iter_num": 500})
    for optimizer in (plain, adam):
        counts.loaded(optimizer, state)
    counts.loaded(other, {"state": {}, "param_groups": []})
    assert (counts.before(plain, 1), counts.is_lost(plain)) == (500, False)
    assert counts.before(adam, 1) == 2
    assert counts.is_lost(other)
