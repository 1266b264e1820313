"""Bars behind the log's first lines, when these come again: another training's, whatever its bars' length.

Training ...                            the first lines
100%|##########| 46/46 [00:02<...       two of its epochs
100%|##########| 46/46 [00:02<...
Training ...                            again
100%|##########| 31/31 [00:02<...       of another training
"""

from __future__ import annotations


class OpenedAnew:
    """Is asked of each bar that follows a full one."""

    def __init__(self) -> None:
        self._each = False  # each epoch may say the first lines: they came behind a single bar

    def begins(self, *, opened: bool, several: bool) -> bool:
        """Is it another training's first? `opened`: the first lines came again; `several` bars of one training lie before it."""
        self._each = self._each or (opened and not several)
        return opened and several and not self._each
