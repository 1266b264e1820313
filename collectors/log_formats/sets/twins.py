"""A row of an evaluation that only its first name says: `Val mask loss: 0.5, box loss: 0.75` behind `Train mask loss: ...`.

The other names are those of the training's row, and its place, too: read alone it would be one more row of the training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..parsing.phases import validates

if TYPE_CHECKING:
    from collections.abc import Mapping

_SET = r"(?:train(?:ing)?|tr|vali?|valid|validation|eval|evaluation|test|testing|dev)"
_IN_NAME = lazy_pattern(rf"(?i)^{_SET}[ _/.-]{{1,3}}|[ _/.-]{{1,3}}{_SET}$")
_PLACES = ("epoch", "step", "iteration")


def is_twin(row: Mapping[str, object], trained: Mapping[str, object]) -> bool:
    """Has `row` the names and the place of the row that was `trained` before it, with another set in some of them?"""
    if len(row) != len(trained):
        return False
    other = 0
    for (name, value), (own, before) in zip(row.items(), trained.items(), strict=True):
        if name == own:
            if name in _PLACES and value != before:
                return False
        elif validates(name) and not validates(own) and _IN_NAME.sub("", name) == _IN_NAME.sub("", own) != own:
            other += 1
        else:
            return False
    return other > 0
