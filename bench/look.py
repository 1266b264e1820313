"""From a key to the screen: milliseconds to compute, draw and write what the key changes, over a long run.

python bench/look.py [--iterations 1000000] [--presses 60]

A watched run with an evaluation every 500 iterations and stalls of two to five times the usual time in 2.5 % and
in 20 % of them. The keys are pressed at windows anywhere in it, as in a search: pan, zoom, find spike, scale.
Beside them the same frame drawn again without a key. Target: p99 at most 50 ms.
"""

from __future__ import annotations

import argparse
from array import array
from math import log2
from random import Random
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from itermon.events import EVALUATION, Batch, Config, Event, Iterations, RunInfo, SourceState, SpanEnd
from itermon.tui.drawing.cells import Painter
from itermon.tui.drawing.theme import theme_for
from itermon.tui.view import FEWEST, View
from itermon.tui.watch_screen import WatchScreen
from itermon.tui.watched import Watched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZES = ((120, 36), (200, 50))
SHARES = (0.025, 0.2)
EVERY = 500
KEYS: dict[str, Callable[[WatchScreen], None]] = {
    "pan": lambda screen: screen.action_pan(-1),
    "zoom in": lambda screen: screen.action_zoom(0.5),
    "zoom out": lambda screen: screen.action_zoom(2.0),
    "find spike": lambda screen: screen.action_find_spike(-1),
    "scale": lambda screen: screen.action_scale(),
    "(no key)": lambda _: None,
}


class Undrawn(WatchScreen):
    """Without a terminal: who presses its keys asks for its lines."""

    def draw(self) -> None:
        """Nothing."""


def batches(count: int, share: float) -> Iterator[Batch]:
    """A run of `count` iterations, a share of them stalls."""
    dice = Random(5)
    info = RunInfo(name="look", source_format="nanoGPT log", time_includes=(EVALUATION,))
    yield Batch([info, Config(origin="log", max_iterations=2 * count, evaluation_interval=EVERY)])
    for start in range(0, count, EVERY):
        durations = [0.1 * dice.gauss(1, 0.02) for _ in range(min(EVERY, count - start))]
        for n in range(len(durations)):
            if dice.random() < share:
                durations[n] *= dice.uniform(2, 5)
        durations[0] += 3.0
        numbers = array("q", range(start, start + len(durations)))
        flat = array("d", [0.5]) * len(durations)
        events: list[Event] = [SpanEnd(EVALUATION, iteration=start, values={"val_loss": 3.0})]
        yield Batch([*events, Iterations(numbers, array("d", durations), flat, flat)], state=SourceState.LIVE)


def anywhere(dice: Random, total: int) -> View:
    """A window somewhere, of any width."""
    span = min(total, round(2 ** dice.uniform(log2(FEWEST), log2(total) + 0.5)))
    return View(None if span >= total else span, None if span >= total else dice.randrange(span, total))


def press(screen: Undrawn, key: str, size: tuple[int, int], presses: int) -> tuple[float, float, float]:
    """Milliseconds from the key to what is written for it: p50, p99, and CPU p99."""
    dice = Random(9)
    painter = Painter(theme_for(1 << 24))
    times = []
    for _ in range(presses):
        screen.view = anywhere(dice, screen._total)
        painter.difference(screen.lines(size))
        began_s, began_cpu_s = perf_counter(), process_time()
        KEYS[key](screen)
        painter.difference(screen.lines(size))
        times.append((1e3 * (perf_counter() - began_s), 1e3 * (process_time() - began_cpu_s)))
    wall, cpu = (sorted(column) for column in zip(*times, strict=True))
    return wall[len(wall) // 2], wall[len(wall) * 99 // 100], cpu[len(cpu) * 99 // 100]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=1_000_000)
    parser.add_argument("--presses", type=int, default=60)
    given = parser.parse_args()
    print(f"{'stalls':>8}{'size':>10}  {'key':<12}{'p50 ms':>8}{'p99 ms':>8}{'CPU p99':>9}")
    for share in SHARES:
        watched = Watched("look.log", clock=lambda: 0.0)
        for batch in batches(given.iterations, share):
            watched.session.take(batch)
        screen = Undrawn(watched, theme_for(1 << 24))
        for size in SIZES:
            for key in KEYS:
                middle, most, cpu = press(screen, key, size, given.presses)
                where = f"{share:>8.1%}{f'{size[0]}×{size[1]}':>10}"
                print(f"{where}  {key:<12}{middle:>8.1f}{most:>8.1f}{cpu:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
