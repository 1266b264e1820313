"""What the choice of GPUs needs to know of the trainer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection


class Trainer(Protocol):
    """What the choice of GPUs needs to know of the trainer."""

    def pids(self) -> Collection[int]:
        """The process ids of its tree; empty if the trainer is not known."""
        ...

    def missing(self) -> str:
        """Why there is no trainer here whose GPUs could be sampled; "" if there is one."""
        ...

    def variable(self, name: str) -> str | None:
        """One of its environment variables (ours, if it is not known); `None` if that is not set."""
        ...


class Nobody:
    """No trainer is asked for: any GPU is of interest, and our own environment says which are visible."""

    def pids(self) -> Collection[int]:
        """None."""
        return ()

    def missing(self) -> str:
        """Nothing is."""
        return ""

    def variable(self, name: str) -> str | None:
        """Ours."""
        return os.environ.get(name)
