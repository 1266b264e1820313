"""itermon: a terminal monitor for machine-learning training runs.

In a trainer: `itermon.Hooks` for a loop written by hand, `itermon.watch` for one that is found by itself.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .trainer_hooks import Hooks, watch

__version__ = "0.2.0"

_HOME = {"Hooks": ".trainer_hooks", "watch": ".trainer_hooks"}


def __getattr__(name: str) -> Any:
    # Loaded when asked for (PEP 562): `import itermon` alone costs nothing, in a trainer and in the command.
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Hooks", "__version__", "watch"]
