"""Words of other languages than English in lines that name their values.

Only words that count: what is a validation's loss in such a language and what the training's, nobody here would tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..patterns import lazy_pattern

if TYPE_CHECKING:
    import re

_ENGLISH = {
    "epoch": ("эпоха", "époque", "época", "epoca", "epoche", "エポック", "에포크", "에폭", "轮次", "轮数"),
    "iteration": ("итерация", "iteración", "itération", "迭代", "イテレーション"),
    "step": ("шаг", "ステップ", "스텝", "步数"),
}
COUNTING = {word: english for english, words in _ENGLISH.items() for word in words}
"""Words that count, in lower case, and what each is called in English."""

_ORDINAL = {
    "轮次": "epoch",
    "轮": "epoch",
    "周期": "epoch",
    "epoch": "epoch",
    "步": "step",
    "step": "step",
    "次迭代": "iteration",
    "批次": "batch",
    "批": "batch",
    "batch": "batch",
    "回合": "episode",
}
ORDINAL = rf"第 {{0,2}}(?=\d{{1,9}}(?: ?/ ?\d{{1,9}})? ?(?:个 ?)?(?:{'|'.join(_ORDINAL)}))"
"""`第3/10轮`, `第 20 步`: the word stands behind its number; this is what stands in front of that."""
_WHOLE = lazy_pattern(rf"第 {{0,2}}(\d{{1,9}}(?: ?/ ?\d{{1,9}})?) ?(?:个 ?)?({'|'.join(_ORDINAL)})(?![A-Za-z])")


_CURRENT = lazy_pattern(r"(?<![^\W\d_])(?:当前|目前)的? ?(?=[^\W\d_])")
"""`当前Batch：10/60 | 当前损失值：2.5`: the current one; the name is behind it."""


def in_english(text: str) -> str:
    """A line whose words that count stand around their number, with these in English and in front of it; without "current" before a name."""
    if "前" in text:
        text = _CURRENT.sub("", text)
    return _WHOLE.sub(_spelt, text) if "第" in text else text


def _spelt(found: re.Match[str]) -> str:
    return f" {_ORDINAL[found[2]]} {found[1]}, "
