"""Which modules hold what the optimizers change, and which are shaped like it."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_model(module: Any, at_work: Sequence[Any], *, may_be_any: bool) -> bool:
    """Does `module` hold half of the tensors, at least, of each optimizer that is at work?

    Without one, a module that can be trained is it if `may_be_any`.
    """
    counts = [sum(len(group["params"]) for group in optimizer.param_groups) for optimizer in at_work]
    if not module._modules and any(2 * len(module._parameters) < count for count in counts):
        return False  # a batch norm that somebody freezes, before every step
    own = {id(parameter) for parameter in module.parameters() if parameter.requires_grad}
    if not at_work and not may_be_any:
        return False
    return bool(own) and all(_holds(own, optimizer) for optimizer in at_work)


def is_copy(module: Any, at_work: Sequence[Any]) -> bool:
    """Has `module` tensors of the shapes of half of those, at least, that each optimizer at work changes?"""
    shapes = Counter(tuple(parameter.shape) for parameter in module.parameters())
    for optimizer in at_work:
        changed = Counter(tuple(one.shape) for group in optimizer.param_groups for one in group["params"])
        if 2 * (changed & shapes).total() < changed.total():
            return False
    return bool(at_work)


def first_tensor(optimizer: Any) -> int | None:
    """Its first tensor's identity: one that wraps another optimizer, or takes its place, has the same."""
    return next((id(one) for group in optimizer.param_groups for one in group["params"]), None)


def _holds(own: set[int], optimizer: Any) -> bool:
    """Are half of the tensors that `optimizer` changes among `own`? Of copies of them, nobody knows."""
    kind: Any = getattr(sys.modules.get("torch.nn.parameter"), "Parameter", object)
    tensors = [one for group in optimizer.param_groups for one in group["params"] if isinstance(one, kind)]
    return 2 * sum(id(one) in own for one in tensors) >= len(tensors)
