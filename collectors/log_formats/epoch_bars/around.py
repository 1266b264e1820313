"""A bar of epochs around the bars of their steps: while it goes on, no other run has begun.

epoch:  40%|████      | 8/20 [1:39:47<2:28:45, 743.78s/it]
batch: 100%|██████████| 368/368 [11:35<00:00,  1.89s/it]
Namespace(batch=8, ...)                 what a buffer held until now
batch:   1%|          | 2/368 [00:04<11:31,  1.89s/it]
epoch:  45%|████▌     | 9/20 [1:52:07<2:16:09, 742.67s/it]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..parsing.bars import Bar


class Around:
    """Is told of each frame of any bar."""

    def __init__(self) -> None:
        self._outer: Bar | None = None  # the newest frame of the bar of epochs
        self._fell = False  # has it begun anew since the newest bar of steps did?

    def see(self, bar: Bar, inside: Bar | None) -> None:
        """The newest frame of any bar; `inside` is that of the bar that trains."""
        outer = self._outer
        if outer is not None and (bar.title, bar.total) == (outer.title, outer.total):
            self._fell = self._fell or bar.n < outer.n or bar.elapsed_s < outer.elapsed_s
            self._outer = bar
        elif _is_around(bar, inside):
            self._outer, self._fell = bar, outer is not None

    def goes_on(self) -> bool:
        """A bar of steps begins: within a bar of epochs that has not ended, nor begun anew since the one before?"""
        fell, self._fell = self._fell, False
        return self._outer is not None and self._outer.n > 0 and not (self._outer.full or fell)


def _is_around(bar: Bar, inside: Bar | None) -> bool:
    """Does each of its steps take as long as a whole bar of the other, which is over?"""
    if inside is None or inside.outer or bar.total in (None, inside.total) or not inside.full:
        return False
    return bar.n > 0 and (bar.seconds_each or 0.0) >= inside.elapsed_s > 0
