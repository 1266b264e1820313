"""Bars without a title, and not of the training's length, between a full bar of the training and the line that tells what an evaluation found.

    100%|██████████| 90/90 [01:10<00:00,  1.29it/s]
    100%|██████████| 400/400 [00:30<00:00, 13.3it/s]
    100%|██████████| 400/400 [00:27<00:00, 14.8it/s]
    epoch 3 | train_loss: 2.5 | test_loss: 2.25
The evaluation took what their clocks show, if each was seen to begin and to end: a full bar is drawn once more when it is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..parsing.bars import Bar

_CLOSED_S = 1.0
"""By a clock of whole seconds: between the last step of a bar and its closing passes no more."""


class BarsAside:
    """Adds up the clocks of those that are over."""

    def __init__(self) -> None:
        self._newest: Bar | None = None
        self._begun = False  # was a frame of the newest one drawn before its end?
        self._over_s = 0.0
        self._known = True
        self._ran_s = 0.0  # the longest of them, since the training's bar was full

    def see(self, bar: Bar, training: Bar | None) -> None:
        """A frame; `training`: the newest of the training's."""
        if training is not None and bar.total != training.total and training.full:
            # one that ran longer than the training's bar may run around it
            within = not (bar.title or bar.total is None) and bar.elapsed_s < training.elapsed_s
            self._ran_s = max(self._ran_s, bar.elapsed_s * within)
        if training is None or bar.total == training.total or not training.full:
            self._forget()
        elif bar.title or bar.trains or bar.prepares or bar.total is None:
            self._known = False  # something else took a part of the time
        else:
            newest = self._newest
            if newest is None or bar.total != newest.total or bar.n < newest.n or bar.elapsed_s < newest.elapsed_s:
                self._close()
            elif newest.full and bar.elapsed_s > newest.elapsed_s + _CLOSED_S:
                self._known = False  # another's end
            self._begun = self._begun or not bar.full
            self._newest = bar

    def show_next(self, bar: Bar, training: Bar) -> bool:
        """Is an end behind an end the next bar's? It has other values, and less time passed between them than one aside ran."""
        ends = bar.full and training.full and bar.total == training.total and bar.postfix != training.postfix
        return ends and bar.elapsed_s < training.elapsed_s + self._ran_s - _CLOSED_S

    def goes_on(self) -> None:
        """A frame of the training's was taken in."""
        self._ran_s = 0.0

    def taken_s(self) -> float | None:
        """What all took since the training's bar was full; `None`: there were none, or nobody knows."""
        self._close()
        known, over_s = self._known, self._over_s
        self._forget()
        return over_s if known and over_s > 0 else None

    def _close(self) -> None:
        if self._newest is not None:
            self._known = self._known and self._begun and self._newest.full
            self._over_s += self._newest.whole_s or 0.0
        self._newest, self._begun = None, False

    def _forget(self) -> None:
        self._newest, self._begun, self._over_s, self._known = None, False, 0.0, True
