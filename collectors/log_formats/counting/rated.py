"""Rows without a learning rate, where most rows have one, are of an evaluation: two rows of one step showed it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Rated:
    """Which rows have a learning rate?"""

    def __init__(self) -> None:
        self._newest: tuple[float | None, bool] = (None, False)  # its step, has it a learning rate
        self._all = False
        self._most = 0  # rows with one more than rows without

    def learn(self, other: Rated) -> None:
        """Take over what another reader found out of more lines."""
        self._all, self._most = self._all or other._all, other._most

    def lacks(self, read: Mapping[str, object]) -> bool:
        """Is it a row without one, where the training's have one?"""
        step, rated = read.get("iteration"), "learning_rate" in read
        if step is None or "loss" not in read:
            return False
        before, self._newest = self._newest, (float(step), rated)  # type: ignore[arg-type]
        self._most += 1 if rated else -1
        self._all = self._all or before == (step, not rated)
        return self._all and not rated and self._most > 0
