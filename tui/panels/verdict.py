"""The verdict: what it is, the evidence, what to do next, and what cannot be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...analysis.findings import Activity
from ...events import SourceState
from ..drawing.lines import block, fit, wrap
from ..drawing.lines import width as cells_of
from .panel import Panel, Size

if TYPE_CHECKING:
    from ...analysis.findings import Findings
    from ..drawing.lines import Block, Line
    from ..scene import Scene

MORE: Line = (("  ", ""), ("v", "key"), (" more ", "label"))
"""What stands at the end of a verdict that goes on."""


class VerdictPanel(Panel):
    """As many of its sentences as fit, without a frame; where they are not all, the key that shows them."""

    name = "verdict"
    smallest = Size(40, 1)
    worth = 9
    shows_view = False
    shows_clock = True

    def is_shown(self, scene: Scene) -> bool:
        """What cannot be read has none: why, stands on top; nor has a silence before the newest has been read."""
        reading = scene.standing.state is SourceState.READING
        return not scene.cannot_be_read and not (reading and scene.found.now.activity == Activity.SILENT)

    def wanted(self, scene: Scene, space: Size) -> Size:
        """All of it, in at most a ninth of the height."""
        most = max(1, (space.rows + 3) // 9)
        return Size(space.columns, len(verdict_lines(scene.found, space.columns, most)))

    def draw(self, scene: Scene, size: Size) -> Block:
        """What fits of it."""
        return block(verdict_lines(scene.found, *size), *size)


def verdict(found: Findings, width: int) -> Block:
    """All of it: what it is, the evidence, the next step, and what cannot be known."""
    return [line for sentence in _sentences(found, width) for line in sentence]


def whole_verdict(found: Findings, width: int) -> Block:
    """How it ended, then all of the verdict: what is too long for the screen stands here."""
    ending = found.verdict.ending
    said = wrap(ending, width - 2, "value") if ending and ending != found.verdict.headline else []
    return [*(((" ", ""), *line) for line in said), *verdict(found, width)]


def verdict_lines(found: Findings, width: int, rows: int) -> Block:
    """`rows` lines of it: what it is, what to do, then what fits of the rest; and the key that shows all."""
    sentences = _sentences(found, width)
    if sum(map(len, sentences)) <= rows:
        return verdict(found, width)
    sentences = _sentences(found, width - cells_of(MORE))  # its place is kept at the end of each line
    following = 1 + len(found.verdict.evidence) if found.verdict.next_step else 0
    kept: dict[int, Block] = {}
    for number in sorted(range(len(sentences)), key=lambda i: (i != 0, i != following, i)):
        left = rows - sum(map(len, kept.values()))
        if left and (number in (0, following) or len(sentences[number]) <= left):
            kept[number] = _cut(sentences[number], left, width - cells_of(MORE))
    *lines, last = [line for number in sorted(kept) for line in kept[number]]
    return [*lines, (*fit(last, width - cells_of(MORE)), *MORE)]


def _cut(sentence: Block, rows: int, width: int) -> Block:
    """At most `rows` lines of it, the last with an ellipsis where it goes on."""
    if len(sentence) <= rows:
        return sentence
    (margin, (said, style)) = sentence[rows - 1]
    words = said if len(said) + 2 < width else said.rpartition(" ")[0]
    return [*sentence[: rows - 1], (margin, (f"{words} …", style))]


def _sentences(found: Findings, width: int) -> list[Block]:
    """Each of them, wrapped: the headline, the evidence, what to do, what is not known."""
    v = found.verdict
    said = [(v.headline or "too little known for a verdict yet", verdict_style(found))]
    said += [(evidence, "") for evidence in v.evidence]
    said += [(f"Next: {v.next_step}", "accent")] if v.next_step else []
    said += [("Not known: " + "; ".join(v.unknowable), "dim")] if v.unknowable else []
    return [[((" ", ""), *line) for line in wrap(sentence, width - 2, style)] for sentence, style in said]


def verdict_style(found: Findings) -> str:
    """Green, red, or neither."""
    return {True: "good", False: "warn", None: "value"}[found.verdict.healthy]
