"""Hooks for Keras 3, on any of its backends:

from itermon.trainer_hooks.keras import ItermonCallback

model.fit(..., callbacks=[ItermonCallback()])
"""

from .callback import ItermonCallback

__all__ = ["ItermonCallback"]
