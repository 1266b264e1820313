"""The bar of another length behind a training that is over: an evaluation's, or that of the next training.

    100%|██████████| 140/140 [08:39<00:00,  3.71s/it]
    {'train_runtime': 522.4, ...}
      0%|          | 0/700 [00:00<?, ?it/s]
     14%|█▍        | 100/700 [05:10<31:00,  3.10s/it]
    {'loss': 2.5, ...}
Its frames are kept until a loss shows that it trains, or the Trainer's own words where it failed in the midst of it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..parsing.bars import Bar
    from ..parsing.values import LogLine

_MOST = 20_000
"""Frames that are kept, the newest: the first loss comes after a few hundred steps."""

_IN_TRAINING = "in _inner_training_loop"
"""In a traceback: what the Trainer was doing."""


class NextTraining:
    """The frames, in their order."""

    def __init__(self) -> None:
        self._frames: deque[tuple[Bar, LogLine]] = deque(maxlen=_MOST)

    def see(self, bar: Bar, line: LogLine) -> None:
        """A frame of a bar that may train: of one that has begun anew, those before are none of its own."""
        if self._frames:
            newest = self._frames[-1][0]
            if newest.total != bar.total or bar.n < newest.n or bar.elapsed_s < newest.elapsed_s:
                self._frames.clear()
        self._frames.append((bar, line))

    def broke_off(self, text: str) -> bool:
        """Does a traceback say that it failed inside of a training, whose bar has counted and is not full?"""
        if _IN_TRAINING not in text or not self._frames:
            return False
        newest = self._frames[-1][0]
        return newest.n > 0 and not newest.full

    def take(self, total: int | None) -> Sequence[tuple[Bar, LogLine]]:
        """All that are of the bar of this length, if that goes on: one that is full may be an evaluation's. None is kept."""
        frames, self._frames = self._frames, deque(maxlen=_MOST)
        if not frames or frames[-1][0].full or frames[-1][0].total != total:
            return ()
        return frames
