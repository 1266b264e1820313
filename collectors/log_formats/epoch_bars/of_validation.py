"""Bars that all are of validations, where the training draws none: as long as the log says that the validation set is.

Training batches: 620
Validation batches: 155
100%|##########| 155/155 [00:05<00:00, 26.59it/s]
Epoch 2, Val Loss: 0.25                 right behind each full bar
Epoch 3, Train Loss: 0.22               of 620 steps, none of which is drawn

Or where the bars took far less than a line says that their training took.

100%|##########| 46/46 [00:02<00:00, 18.13it/s]
EPOCH 200 ... Validation Accuracy = 0.75
Training for 200 epochs took 6800.5 seconds
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..parsing.bars import Bar

_SIZE = lazy_pattern(
    r"(?i)\W{0,8}(?:(train(?:ing)?)|val(?:id(?:ation)?)?|dev)\b[ _-]{0,2}(?:[a-z]{1,12}[ _-]{0,2}){0,3}[:=] {0,4}(\d{1,9})\W*"
)
_FOUND = lazy_pattern(r"(?i)(?<![a-z])(?:val|valid|validation|dev)[ _/-]{1,3}(?:loss|acc(?:uracy)?)\b")
_TRAINS = lazy_pattern(r"(?i)(?<![a-z])train")
_TOOK = lazy_pattern(
    r"(?i)\btrain(?:ing)?\b(?!.{0,60}\b(?:per|each|an)\b).{0,60}\btook (\d{1,7}(?:\.\d{1,20})?) ?s(?:ec(?:ond)?s?)?\b"
)
_LONGER = 3
"""Times what the bars took: so much of a training is in none of them."""
_MOSTLY = 8
"""Of so many full bars one may have something else behind it, as a test at the end has."""
_LONGEST = 200
_FEWEST = 2
"""Full bars with what a validation found right behind them."""


class BarsOfValidation:
    """Two witnesses are needed: the printed sizes of both sets, and what stands behind each full bar."""

    def __init__(self) -> None:
        self._training: set[int] = set()
        self._validation: set[int] = set()
        self._found = self._else = 0  # full bars with what a validation found behind them, and with something else
        self._full = False  # was the newest line a full bar's?
        self._bars_s, self._hold_little = 0.0, False  # of full bars since a training was over; was it far longer?

    def learn(self, lines: Iterable[tuple[str, Bar | None]]) -> None:
        """By a sample of lines, each with its bar if it has one."""
        for text, bar in lines:
            if bar is not None:
                self._full = bar.full and not bar.title
                self._bars_s += bar.elapsed_s if self._full else 0.0
            elif text.strip():
                self._hear(text[:_LONGEST])

    def _hear(self, text: str) -> None:
        if (size := _SIZE.fullmatch(text)) is not None:
            (self._training if size[1] else self._validation).add(int(size[2]))
        if (took := _TOOK.search(text)) is not None:
            self._hold_little, self._bars_s = float(took[1]) > _LONGER * self._bars_s > 0, 0.0
        if self._full:
            validates = _FOUND.search(text) is not None and _TRAINS.search(text) is None
            self._found, self._else = self._found + validates, self._else + (not validates)
        self._full = False

    def evaluates(self, bar: Bar) -> bool:
        """Is a bar that says nothing of itself as long as the validation set alone, and does each such one end in a validation?"""
        if bar.title or bar.trains or self._found < _FEWEST:
            return False
        if self._hold_little and self._found >= _MOSTLY * self._else:
            return True
        return bool(self._training and not self._else) and bar.total in self._validation - self._training
