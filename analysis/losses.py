"""Losses: the newest, smoothed, of evaluations, and since when one is no number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings import Losses
from .pyramid import known

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .columns import Columns

SMOOTHED_OVER = 64
"""nanoGPT prints the loss of a single micro-batch: one alone says little."""


def losses(columns: Columns, validations: Sequence[tuple[int, float]], best: tuple[int, float] | None) -> Losses:
    """The finding; a newest loss that is no finite number is `None`."""
    newest = columns.loss[-1] if len(columns) else None
    recent = known(columns.loss[-SMOOTHED_OVER:])
    return Losses(
        train=newest if newest is not None and newest == newest else None,
        train_smooth=sum(recent) / len(recent) if recent else None,
        validation=validations[-1][1] if validations else None,
        validation_at=validations[-1][0] if validations else None,
        best_validation=best[1] if best else None,
        best_validation_at=best[0] if best else None,
        not_finite=columns.not_finite,
        first_not_finite=columns.first_not_finite,
    )
