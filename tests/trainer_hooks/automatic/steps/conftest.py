"""Optimizers that stand in for torch's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from itermon.trainer_hooks.automatic.steps.boundaries import Boundaries
from itermon.trainer_hooks.automatic.steps.calls import Calls

if TYPE_CHECKING:
    from itermon.trainer_hooks.automatic.watcher import Watcher


class Optimizer:
    def __init__(self, rate: float = 0.1, steps: int | None = None, tensors: list[Any] | None = None) -> None:
        self.param_groups = [{"lr": rate, "params": tensors or [object()]}, {"lr": rate / 2, "params": [object()]}]
        self.state: dict[str, dict[str, object]] = {} if steps is None else {"parameter": {"step": steps}}


@pytest.fixture
def boundaries(watcher: Watcher) -> Boundaries:
    return Boundaries(watcher, all_seen=True)


def step(boundaries: Boundaries, *optimizers: Optimizer) -> None:
    for optimizer in optimizers:
        boundaries.begins(optimizer, (), {})
        boundaries.stepped(optimizer, (), {})


def made(boundaries: Boundaries, *rates: float) -> list[Optimizer]:
    """Optimizers that were seen to be made."""

    class Fresh(Optimizer):
        pass

    Calls(boundaries._watcher, boundaries).wrap_making(Fresh)
    return [Fresh(rate) for rate in rates]


@pytest.fixture
def calls(watcher: Watcher, boundaries: Boundaries) -> Calls:
    return Calls(watcher, boundaries)
