"""Bars that only the line before them names as an evaluation's: they count no training."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...patterns import lazy_pattern
from ..parsing.grammar import LONGEST, PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_SHORT = 60
_ANNOUNCES = lazy_pattern(
    r"(?i)\W*(?:test(?:ing)?|eval(?:uat(?:ing|ion|e))?|validat(?:ing|ion|e))(?: (?:on|of|at|in|for|after)? ?(?:the )?(?:model|epoch ?\d{0,9}))?\W*"
)
"""`Test on Epoch 1`, alone on the line before a bar: what the bar counts is no training."""


def without_announced(texts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Without the bars of evaluations that only the line before them names."""
    announced = False
    for number, text in texts:
        is_bar = "it/s" in text or "s/it" in text
        if not is_bar:
            said = PREFIX.sub("", text[:LONGEST], count=1)
            announced = len(said) < _SHORT and _ANNOUNCES.fullmatch(said) is not None
        if not is_bar or not announced:
            yield number, text
