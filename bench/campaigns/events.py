"""Random streams of valid and nearly valid events, through findings, JSON, text and screen.

Asked of each: nothing raises, nothing but printable text comes out, every row of the screen has its width.
"""

from __future__ import annotations

import traceback
from random import Random
from typing import TYPE_CHECKING

import msgspec
from rich.cells import cell_len

from itermon.analysis.run import Run
from itermon.collectors.runs.event_reader import EventReader
from itermon.events import SourceState
from itermon.reports.report_text import report
from itermon.tui.layout import draw_screen
from itermon.tui.scene import Scene, Standing
from itermon.tui.view import View

from .odd_events import Maker
from .tally import Tally, rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = ((120, 36), (80, 24), (80, 40), (100, 30), (40, 12), (200, 50), (41, 11), (20, 5))


def run(seconds: float | None, seed: int, *, most: int | None = None) -> Tally:
    """Streams until `seconds` have passed, or `most` of them."""
    tally = Tally("events")
    for number in rounds(seconds, most):
        rng = Random(f"{seed} {number}")
        try:
            _one_stream(rng, tally)
        except Exception as error:  # noqa: BLE001 - counted: that is what a campaign is for
            tally.exceptions += 1
            where = traceback.extract_tb(error.__traceback__)[-1]
            tally.note(f"stream {number}: {type(error).__name__}: {error} ({where.filename[-40:]}:{where.lineno})")
    return tally


def _one_stream(rng: Random, tally: Tally) -> None:
    maker, reader, watched = Maker(rng), EventReader(), Run()
    for _ in range(rng.randrange(1, 12)):
        lines = [maker.line() for _ in range(rng.choice((1, 5, 40, 200)))]
        tally.operations += len(lines)
        watched.apply(reader.feed(b"".join(lines)))
        _look(rng, tally, watched)


def _look(rng: Random, tally: Tally, watched: Run) -> None:
    now_s = rng.choice((None, 0.0, 1.7e9, 1e11, -1.0))
    found = watched.findings(now_s, spikes=rng.choice((None, 5)))
    msgspec.json.encode(found)
    _check_text(tally, report(found, title="x").split("\n"))
    total = len(watched.columns)
    spike = watched.next_spike(None, -1)
    cursor = rng.choice((None, spike.position if spike else None, rng.randrange(total) if total else None))
    view = View(span=rng.choice((None, 16, 300)), cursor=cursor)
    scene = Scene(watched, found, _standing(rng), view)
    for size in rng.sample(SIZES, 2):
        rows = ["".join(text for text, _ in line) for line in draw_screen(scene, size)]
        _check_text(tally, rows)
        for row in rows:
            if cell_len(row) != size[0]:
                tally.exceptions += 1
                tally.note(f"a row of {cell_len(row)} cells at {size}: {row!r}")
        if len(rows) != size[1]:
            tally.exceptions += 1
            tally.note(f"{len(rows)} rows at {size}")
    if total:
        first = rng.randrange(total)
        watched.ledger(first, rng.randrange(first, total))
        watched.chart(first, total - 1, 80)
        watched.spike(first)


def _standing(rng: Random) -> Standing:
    return Standing(state=rng.choice(list(SourceState)), now_s=rng.choice((0.0, 1.7e9, 1e11)))


def _check_text(tally: Tally, rows: list[str]) -> None:
    for bad in _unprintable(rows):
        tally.leaked += 1
        tally.note(f"unprintable {bad!r}")


def _unprintable(rows: list[str]) -> Iterator[str]:
    for row in rows:
        if not row.isprintable():
            yield from (c for c in row if not c.isprintable())
