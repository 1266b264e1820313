"""The epoch of a checkpoint that a run goes on from: `=> loaded checkpoint 'last.pth' (epoch 12)`. Were 12 done, or 11?"""

from __future__ import annotations

from typing import NamedTuple

from ...patterns import lazy_pattern
from .lengths import BEGINNING

_LOADED = lazy_pattern(
    r"(?i)\b(?:re)?(?:load|stor|sum)(?:ed|ing)\b.{0,200}\bcheckpoint\b.{0,200}\bepoch\W{1,4}(\d{1,6})\b(?!\.\d)"
)


def loaded_epoch(text: str) -> float | None:
    """The epoch that a line which tells of a loaded checkpoint names; `None` for any other line."""
    found = _LOADED.search(text[:600])
    return float(found[1]) if found else None


class Begun(NamedTuple):
    """The place of a log's first row: its epoch, its step of so many in that, and whether it says of how many epochs."""

    epoch: float
    step: float
    length: float
    of_all: bool


def from_zero(row: Begun, loaded: float | None) -> bool:
    """Do epochs count from 0? So many were done before the first row, or its steps count from there, too.

    `Epoch 8/300, step 0/85` is for people, who count from 1.
    """
    if loaded is not None:
        return row.epoch == loaded and row.step <= max(1.0, BEGINNING * row.length)
    return row.epoch > 1 and not row.step and not row.of_all
