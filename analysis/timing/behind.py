"""What ran behind the newest row, before the next one would have been printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .clock import ROOM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..record.spans import Note
    from .baseline import Baseline


def unprinted_s(baseline: Baseline, apart: int, last_s: float, stops: Iterable[Note]) -> float:
    """What iterations behind the newest row, of `last_s`, may have taken up to the first line of the `stops`.

    Rows are `apart` iterations apart.
    """
    first_s = min((note.at_s for note in stops if note.at_s is not None), default=last_s)
    return min(max(0.0, first_s - last_s), ROOM * (apart - 1) * baseline.level)
