"""Bars that are drawn below others: a trainer with a bar for all, and bars of evaluations or folds around or in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..parsing.bars import Bar


class Nesting:
    """Which bars are not the training's where that has none or its own title, by how they are drawn."""

    def __init__(self) -> None:
        self._around: Bar | None = None  # the newest with another title: of folds, of tokenizing
        self._below: int | None = None  # length of an evaluation's bar

    def is_other(self, bar: Bar) -> bool:
        """Has it another title, or does it stand below? The training's is open while it evaluates."""
        if bar.title and not bar.title.lower().startswith("train"):
            self._around = bar
            return True
        if bar.inner and (self._around is None or self._around.full):
            self._below = bar.total
        return self._below is not None and bar.total == self._below
