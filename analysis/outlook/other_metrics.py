"""What evaluations measure beside the loss: a model whose loss has grown may be right more often than it was."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..record.columns import Columns
    from ..record.scalars import Scalars

_OF_EVALUATION = re.compile(r"(?:^|[^a-z])(?:val|valid|validation|eval|dev)(?:[^a-z]|$)")

_THE_MORE_THE_BETTER = re.compile(
    r"(?:^|[^a-z])(?:\w*acc|\w*accuracy|f1|f1_?score|\w*auc|bleu\w*|chrf\w*|m?iou|dice\w*|map\d*|recall|precision)(?:[^a-z]|$)"
)
"""Names of what is the better the greater it is."""


def better_than_at(best_at: int | None, columns: Columns, scalars: Scalars, training: int) -> bool:
    """Does an evaluation's metric say that the newest model is better than that of the least loss?"""
    if best_at is None:
        return False
    position = bisect_left(columns.index, best_at, min(training, len(columns)))
    names = (name for name in scalars.names() if _OF_EVALUATION.search(name.lower()))
    for name in filter(lambda name: _THE_MORE_THE_BETTER.search(name.lower()), names):
        then, found = scalars.mean(name, position, position), scalars.extremes(name)
        if then is not None and found is not None and found[0] > then:
            return True
    return False
