"""How many steps an optimizer has made, those before this process among them."""

from __future__ import annotations

import weakref
from typing import Any

from .checkpoints import Said, said_by


class Counts:
    """A resumed run's optimizer knows it: Adam's `step`, where it lies on the CPU.

    On the GPU (`fused`, as nanoGPT has it) reading it in the loop would wait for all that is queued. But while a
    checkpoint is loaded nothing is, so it is read then. DeepSpeed's engine knows it of its own. Of an optimizer
    that counts nothing (SGD) the checkpoint may say it that its state came out of.
    """

    def __init__(self) -> None:
        self._now: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._loaded: weakref.WeakKeyDictionary[Any, int | None] = weakref.WeakKeyDictionary()
        self._said = Said()  # by the newest checkpoint

    def now(self, optimizer: Any, steps: int) -> None:
        """It has made so many by now."""
        self._now[optimizer] = steps

    def read(self, checkpoint: Any) -> None:
        """A file has been read: perhaps a checkpoint."""
        self._said = said_by(checkpoint)

    def loaded(self, optimizer: Any, state: Any = None) -> None:
        """Its `state` has been loaded, before it stepped on."""
        step = _step(optimizer)
        if step is None and isinstance(state, dict):
            step = self._said.steps_of(state)
        self._loaded[optimizer] = None if step is None else int(step)

    def is_lost(self, optimizer: Any) -> bool:
        """Has it gone on from a state that does not count its steps, as plain SGD's?"""
        return optimizer in self._loaded and self._loaded[optimizer] is None

    def before(self, optimizer: Any, made: int) -> int | None:
        """How many it had made before this process, in which it has made `made`; `None` where nobody knows."""
        steps = self._now.get(optimizer)
        if steps is None:
            step = _step(optimizer)
            if step is not None and getattr(step, "is_cpu", True):
                steps = int(step)
        return self._loaded.get(optimizer) if steps is None else max(0, steps - made)


def _step(optimizer: Any) -> Any:
    """Of its first tensor."""
    return next((state.get("step") for state in optimizer.state.values()), None)
