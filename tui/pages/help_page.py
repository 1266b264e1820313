"""The help page: the keys, the letters of the chart, and what the words on the screen mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import CAUSES
from ..drawing.lines import wrap
from ..keys import GROUPS, KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..drawing.lines import Block, Line

WORDS = {
    "clean": "the time of a normal iteration: the median of those that nothing slowed",
    "wall": "with everything that stood between: evaluations, checkpoints, stalls",
    "MFU": "the FLOPs a model needs, over what this GPU could do in that time (dense)",
    "floor": "those FLOPs over the peak of all GPUs: no iteration can be faster",
    "~": "estimated; or one witness only: nothing else in this source confirms that time",
    "–": "not known; the reason stands next to it, or in the report",
}


def help_text(groups: Iterable[str], width: int) -> Block:
    """All of it, in lines of at most `width` cells."""
    lines: Block = []
    for group in (g for g in GROUPS if g in groups):
        lines.append(((f" {GROUPS[group]}", "title"),))
        for key in (k for k in KEYS if k.help and k.group == group):
            lines += _entry(key.shown, key.help, width)
    lines.append(((" Above a spike", "title"),))
    for cause in (c for c in CAUSES.values() if c.letter):
        lines += _entry(cause.letter, f"{cause.name}: {cause.words}", width, cause.name)
    lines += _entry("↑ ↓", "no spike: from here on the level was another one, by so much", width)
    lines.append(((" Words", "title"),))
    for word, meaning in WORDS.items():
        lines += _entry(word, meaning, width)
    return lines


def _entry(name: str, meaning: str, width: int, style: str = "key") -> list[Line]:
    first, *rest = wrap(meaning, width - 11) or [()]
    return [((f" {name:<8} ", style), *first), *(((" " * 10, ""), *line) for line in rest)]
