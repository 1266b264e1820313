"""A notebook keeps what each cell printed by itself: the bar of one cell does not count the rows of another.

    "cell_type": "code",   "100%|##########| 900/900 [03:00<00:00,  5.00it/s]"     pictures that were cut, say
    "cell_type": "code",   "Epoch 0 trained with loss: 2.5"                        the training
                           "Epoch 1 trained with loss: 1.5"
Nothing waits in a buffer from one cell to the next: rows that count epochs, with a loss in each, are the training then,
and bars that say nothing of one prepared its data, or evaluated it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...clean import clean_lines
from ...patterns import lazy_pattern
from ..base import Specificity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..base import LogFormat

_NOTEBOOK = lazy_pattern(rb'\s*\{\s*"cells": ?\[')
_CELL = lazy_pattern(r'\s*"cell_type": ?"')
_BAR = lazy_pattern(r"\d%\|.{0,4000}?\| {0,9}\d{1,9}/\d{1,9} \[\d")
_BAR_SAYS = lazy_pattern(r"(?i)train|epoch|loss|learning|optim|gradient|step|iter\b|batch|acc\b|fit")
_ROW = lazy_pattern(
    r"(?i)\s*\"\W{0,20}(?:epoch|iter(?:ation)?|step|round)\W{0,3}(\d{1,9})\b(?!\.\d).{0,200}?loss[\w ]{0,20}\W{1,5}\d{1,9}\.\d"
)
_LONGEST = 4_000
_FEWEST = 10
"""Rows that count on: more than a few results of models that were compared."""


def is_notebook(data: bytes) -> bool:
    """Does a log begin as the file of a notebook does?"""
    return _NOTEBOOK.match(data[:200]) is not None


def trains_in_another_cell(data: bytes, found: LogFormat | None) -> bool:
    """Has a notebook rows of a training in cells without a bar, and bars that say nothing of one, which were read as `found`?"""
    are_bars = found is not None and found.specificity is Specificity.COMMON
    return are_bars and is_notebook(data) and _rows_stand_apart(clean_lines(data))


def _rows_stand_apart(lines: Iterable[str]) -> bool:
    drawn = counted = False  # has a cell a bar; have rows counted on far enough
    rows, draws, newest = 0, False, -1  # of this cell
    for text in lines:
        if _CELL.match(text):
            rows, draws, newest = 0, False, -1
        elif "%|" in text and (_BAR.search(text[:_LONGEST])):
            if rows or _BAR_SAYS.search(text.replace("it/s", "")):
                return False
            drawn = draws = True
        elif "oss" in text and (found := _ROW.match(text[:_LONGEST])):
            if draws:
                return False
            rows, newest = rows + (int(found[1]) > newest), int(found[1])
            counted = counted or rows >= _FEWEST
    return drawn and counted
