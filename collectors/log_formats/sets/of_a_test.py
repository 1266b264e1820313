"""A test's values beside a validation's: each goes to the set that its own words name.

`valid loss: 0.75, test loss: 0.5` has the validation's loss and another, and of `[test] loss 0.5 acc 0.75` nothing is the validation's
where the log has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..parsing.phases import validates
from ..parsing.values import as_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_TEST = lazy_pattern(
    r"(?i)(?<![a-z])test(?:s|ing)?(?![a-z])|(?<![a-zA-Z])test(?=[A-Z]|loss|acc)|[a-z]Test(?![a-z])"
)
_VALIDATION = lazy_pattern(r"(?i)(?<![a-z])(?:vali?|valid|validation|dev)(?![a-z])")

BEHIND_ALL = 10_000
"""Added to the rank of a test's loss: any validation's is the better named one."""

_OVER = lazy_pattern(
    r"(?i)\b(?:finished|completed|done with|end of) (?:the )?training\b|\btraining (?:(?:is|has|was) )?(?:finished|completed?|done|over|ended)\b"
)
_OF_A_PART = lazy_pattern(r"(?i)epoch|step|iter|batch|round")


def ends_training(text: str) -> bool:
    """Does a line say that the training is over, and not a part of it? A test behind it is no validation."""
    said = text[:200]
    return "rain" in said.lower() and _OVER.search(said) is not None and _OF_A_PART.search(said) is None


def is_of_test(name: str) -> bool:
    """Does a name say that its value is a test's, and no validation's?"""
    return "est" in name and _TEST.search(name[:80]) is not None and _VALIDATION.search(name[:80]) is None


def rank_of(field: str, name: str, rank: int) -> int:
    """How well a column fits its field: a test's loss is the validation's only where no other is."""
    return rank + BEHIND_ALL if field == "val_loss" and is_of_test(name) else rank


def as_of_test(values: dict[str, float]) -> dict[str, float]:
    """What a test found, each value by a name that says it."""
    return {name if is_of_test(name) else f"test_{name}": value for name, value in values.items()}


def loss_of_test(row: Mapping[str, object]) -> float | None:
    """The first loss in a row that is a test's."""
    return next((as_number(value) for name, value in row.items() if "oss" in name and is_of_test(name)), None)


def set_of(names: Iterable[str], first: str) -> str:
    """Whose the loss of a line is that names the set `first` in front: the validation's, where it has one."""
    return "val" if any("oss" in one and validates(one) and not is_of_test(one) for one in names) else first
