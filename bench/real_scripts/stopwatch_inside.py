"""The stopwatch inside the scripts of this folder: readings of `time.perf_counter` around the parts of a loop.

    watch = Stopwatch()                     # the training begins
    for x, y in watch.batches(loader):      # waiting for each batch is `data`
        ...; optimizer.step(); watch.iteration()
        with watch.part("evaluation"): test()
    watch.write()                           # the training is over

What one part does inside another (a save in the midst of an evaluation) is the inner one's. Torch gets one thread:
where programs share the cores, several wait for each other.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Stopwatch:
    """Counts and seconds by part: evaluation, checkpoint, data."""

    def __init__(self) -> None:
        import torch

        torch.set_num_threads(1)
        self._counts: dict[str, int] = {}
        self._seconds: dict[str, float] = {}
        self._open: list[str] = []
        self._iterations = 0
        self._begun_s = self._since_s = time.perf_counter()

    def start(self) -> None:
        """The training begins here, and not where the stopwatch was made."""
        self._begun_s = time.perf_counter()

    def begin(self, kind: str) -> None:
        """`kind` begins."""
        self._pass()
        self._open.append(kind)

    def end(self) -> None:
        """What began last is over."""
        self._pass()
        kind = self._open.pop()
        self._counts[kind] = self._counts.get(kind, 0) + 1

    @contextlib.contextmanager
    def part(self, kind: str) -> Iterator[None]:
        """A block of `kind`."""
        self.begin(kind)
        yield
        self.end()

    def batches(self, loader: Iterable[Any]) -> Iterator[Any]:
        """Those of `loader`; the time inside its `iter` and `next` is waiting for data, as imagenet's meter has it."""
        self.begin("data")
        following = iter(loader)
        self.end()
        while True:
            self.begin("data")
            try:
                batch = next(following)
            except StopIteration:
                return
            finally:
                self.end()
            yield batch

    def iteration(self) -> None:
        """An iteration has ended."""
        self._iterations += 1

    def write(self) -> None:
        """The training is over: what was measured goes to the file that `$STOPWATCH` names."""
        wall_s = time.perf_counter() - self._begun_s
        with open(os.environ["STOPWATCH"], "w", encoding="utf-8") as file:
            json.dump(
                {
                    "iterations": self._iterations,
                    "wall_s": wall_s,
                    "counts": self._counts,
                    "seconds": self._seconds,
                },
                file,
            )

    def _pass(self) -> None:
        now_s = time.perf_counter()
        if self._open:
            self._seconds[self._open[-1]] = self._seconds.get(self._open[-1], 0.0) + now_s - self._since_s
        self._since_s = now_s
