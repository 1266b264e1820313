"""What the key `y` copies: the evidence while it is open, else the verdict, each with the run that it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .. import words
from .drawing.lines import text
from .panels.evidence import evidence, title
from .panels.verdict import verdict

if TYPE_CHECKING:
    from .scene import Scene

_CELLS = 100  # of a line, where it is pasted
_MOST_LINES = 200


class Copied(NamedTuple):
    """What is copied, in words and in full."""

    name: str
    text: str


def to_copy(scene: Scene) -> Copied:
    """The evidence or the verdict, whole, however much of it the screen shows."""
    progress = scene.found.progress
    of = f" of {progress.max_iterations:,}" if progress.max_iterations else ""
    head = f"{scene.standing.title}, iteration {words.count(progress.iteration)}{of}"
    if scene.opened is not None:
        name, lines = title(scene.opened), evidence(scene.opened, _CELLS, _MOST_LINES)
        what = f"the evidence: {name}"
    else:
        name, lines = "", verdict(scene.found, _CELLS)
        what = "the verdict"
    parts = [head, name, *(text(line).rstrip().removeprefix(" ") for line in lines)]
    return Copied(what, "\n".join(part for part in parts if part))
