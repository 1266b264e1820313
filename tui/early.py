"""The first screen, before there is an app: importing Textual takes as long as reading a log and drawing it."""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from . import keys
from .drawing.cells import Painter
from .drawing.leaving import LeftAsFound, on_the_other_screen
from .drawing.lines import fit
from .layout import draw_screen
from .scene import Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..events import Batch
    from .drawing.lines import Block
    from .drawing.theme import Theme
    from .view import View
    from .watched import Watched

PATIENCE_S = 2.0
WAIT_S = 0.02
IDLE = 3
"""So many waits in which nothing was computed: the source is slow, and the app is imported meanwhile."""


class Painted(NamedTuple):
    """What stands on a terminal of `size` (columns, rows)."""

    size: tuple[int, int]
    lines: Block


@contextmanager
def early_screen(
    watched: Watched, wait: Callable[[float], Sequence[Batch]], theme: Theme, view: View
) -> Iterator[Painted | None]:
    """Within its block the first screen stands there, if the source soon has an iteration for it.

    What is typed meanwhile is neither shown nor lost. The screen is left to whoever goes on; an exception takes it
    away.

    Args:
        watched: takes in what comes.
        wait: gives the batches that come within so many seconds, as soon as there is one.
        theme: how it looks.
        view: where the reader looks at first.
    """
    if not _take_first(watched, wait):
        yield None
        return
    size = os.get_terminal_size(2)
    painted = Painted((size.columns, size.lines), _lines(watched, view, size.columns, size.lines))
    with LeftAsFound(), on_the_other_screen(Painter(theme).difference(painted.lines)):
        yield painted


def _take_first(watched: Watched, wait: Callable[[float], Sequence[Batch]]) -> bool:
    """Take in what comes, until there is an iteration, as long as something is computed for it."""
    until_s, idle = time.monotonic() + PATIENCE_S, 0
    while idle < IDLE and time.monotonic() < until_s:
        computed_s = time.process_time()
        batches = wait(WAIT_S)
        for batch in batches:
            watched.session.take(batch)
        if len(watched.session.run.columns):
            return True
        idle = idle + 1 if not batches and time.process_time() - computed_s < WAIT_S / 4 else 0
    return False


def _lines(watched: Watched, view: View, columns: int, rows: int) -> Block:
    """What the watch screen shows at first."""
    scene = Scene(watched.session.run, watched.findings, watched.standing, view)
    footer = fit(keys.footer(watched.groups, columns), columns)
    return [*draw_screen(scene, (columns, rows - 1)), footer]
