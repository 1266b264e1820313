"""Where the training was in the iterations that took far longer than usual: what the hooks' looks found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...events import Stack

KEPT = 1024
"""Iterations whose stacks are kept, the newest of their process."""

_MOST = 64  # events of one iteration: hooks tell a stack twice at most, in ten looks


class Stacks:
    """The stacks of the newest late iterations of the rank that is shown, by their index."""

    def __init__(self) -> None:
        self._newest: dict[int, list[Stack]] = {}
        self.found: dict[int, tuple[str, float]] = {}  # what they come to, once the causes are final

    def add(self, stack: Stack) -> None:
        """Take in what a look found: it may come while the iteration lasts, or right after it."""
        if stack.iteration is None or stack.waited_s is None or not stack.frames:
            return
        found = self._newest.setdefault(stack.iteration, [])
        if len(found) < _MOST:
            found.append(stack)
        if len(self._newest) > KEPT:
            oldest = next(iter(self._newest))
            del self._newest[oldest]
            self.found.pop(oldest, None)

    def clear(self) -> None:
        """Another process begins, which may count from where the last one did."""
        self._newest.clear()
        self.found.clear()

    def of(self, index: int) -> Sequence[Stack]:
        """Those of iteration `index`, in their order; empty where nobody looked."""
        return self._newest.get(index, ())

    def __iter__(self) -> Iterator[int]:
        """The iterations that were looked at, in their order."""
        return iter(self._newest)
