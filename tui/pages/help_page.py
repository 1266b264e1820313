"""The help page: the keys, the letters of the chart, and what the words on the screen mean."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...events import CAUSES
from ..drawing.lines import wrap
from ..keys import APP, HEADINGS, KEYS, WATCH
from .page import TextPage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..drawing.lines import Block, Line
    from ..drawing.theme import Theme

WORDS = {
    "clean": "the time of a normal iteration: the median of those that nothing slowed",
    "wall": "with everything that stood between: evaluations, checkpoints, stalls",
    "MFU": "the FLOPs a model needs, over what this GPU could do in that time (dense)",
    "floor": "the least time an iteration needs at the full speed of all GPUs, and how far from it the run is",
    "gap": "time between two lines of the log that their iterations do not take, and of which no cause was found",
    "jitter": "how much normal iterations differ from each other, as a share of their time",
    "row to row": "all that passed between two rows of a script's log: nobody described what else is in it",
    "between": "from the last row of one training to the first of the next",
    "not printed": "time that is in none of those that the script prints",
    "~": "estimated; or one witness only: nothing else in this source confirms that time",
    "–": "not known; the reason stands next to it, or in the report",
}


class HelpPage(TextPage):
    """The keys of the page that it was opened on."""

    def __init__(self, theme: Theme, groups: Sequence[str]) -> None:
        super().__init__(theme, "help", partial(help_text, groups))


def help_text(groups: Iterable[str], width: int) -> Block:
    """The keys of these groups, for the watch screen letters and words too; lines of at most `width` cells."""
    lines: Block = []
    wanted = {*groups, APP}
    for group in (g for g in HEADINGS if g in wanted):
        lines.append(((f" {HEADINGS[group]}", "title"),))
        for key in (k for k in KEYS if k.help and k.group == group):
            lines += _entry(key.shown, key.help, width)
    if WATCH in wanted:
        lines += _letters_and_words(width)
    return lines


def _letters_and_words(width: int) -> Block:
    lines: Block = [((" The lanes, and what stands above a spike", "title"),)]
    for cause in (c for c in CAUSES.values() if c.letter):
        lines += _entry(cause.letter, f"{cause.name}: {cause.words}", width, cause.name)
    lines += _entry("↑ ↓", "no spike: from here on the level was another one, by so much", width)
    lines.append(((" Words", "title"),))
    for word, meaning in WORDS.items():
        lines += _entry(word, meaning, width)
    return lines


def _entry(name: str, meaning: str, width: int, style: str = "key") -> list[Line]:
    indent = max(10, len(name) + 2)
    first, *rest = wrap(meaning, width - indent - 1) or [()]
    return [((f" {name:<8} ", style), *first), *(((" " * indent, ""), *line) for line in rest)]
