"""Trainers that write logs by a clock made by hand, and what befalls them: what a guard is to tell of each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

FAILED, SILENT, NOT_FINITE = "failed", "silent", "loss-not-finite"
ROTATED, TRUNCATED, RESTARTED = "rotated", "truncated", "restarted"
EACH_S = (5.0, 10.0, 10.0, 20.0, 60.0)
FAILURE = 'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\nRuntimeError: CUDA error: no\n'
_LOST = 50  # iterations since the last checkpoint
_BAD = 64  # losses in a row
_YOUNG = 100  # lines before the first trouble


class World:
    """The clocks: `awake_s` stands still while the machine is suspended."""

    def __init__(self) -> None:
        self.wall_s, self.awake_s = 1_772_600_000.0, 0.0

    def passes(self, seconds: float, *, asleep: bool = False) -> None:
        self.wall_s += seconds
        self.awake_s += 0.0 if asleep else seconds


class Trouble(NamedTuple):
    """What befell a run, from and until when (awake seconds), and when that was by the clock."""

    kind: str
    from_s: float
    until_s: float
    wall_s: float


class Trainer:
    """One that writes `log`; every `apart_s` or so something befalls it."""

    def __init__(self, log: Path, world: World, chance: Random, apart_s: float) -> None:
        self.log, self._world, self._chance, self._apart_s = log, world, chance, apart_s
        self.each_s = chance.choice(EACH_S)
        self.troubles: list[Trouble] = []
        self.lines = 0
        self._index = self._bad = 0
        self._line_s = chance.uniform(0.0, self.each_s)
        self._trouble_s = _YOUNG * self.each_s + chance.uniform(0.0, apart_s)
        self._kinds: list[str] = []

    def lives(self) -> None:
        """Write what is due by now."""
        text = ""
        while self._line_s <= self._world.awake_s:
            at_s = self._line_s
            self._line_s += self.each_s
            text += self._line()
            if at_s >= self._trouble_s and not self._bad:
                self._write(text)
                text = self._befalls(at_s)
                self._trouble_s = (
                    self._line_s + _YOUNG * self.each_s + self._chance.uniform(0.5, 1.5) * self._apart_s
                )
        self._write(text)

    def _line(self) -> str:
        self._index += 1
        self.lines += 1
        self._bad = max(0, self._bad - 1)
        loss = "nan" if self._bad else f"{3 + self._index % 7 / 100:.4f}"
        return f"iter {self._index}: loss {loss}, time {1e3 * self.each_s + self._index % 5:.2f}ms, mfu 20.00%\n"

    def _befalls(self, at_s: float) -> str:
        if not self._kinds:
            self._kinds = [FAILED, SILENT, NOT_FINITE, ROTATED, TRUNCATED, RESTARTED]
            self._chance.shuffle(self._kinds)
        kind = self._kinds.pop()
        if kind == FAILED:
            self._line_s = at_s + self._chance.uniform(1_200.0, 3_600.0)
            self._note(kind, at_s, self._line_s)
            self._index -= _LOST
            return FAILURE
        if kind == SILENT:
            self._line_s = at_s + self._chance.uniform(3_600.0, 7_200.0)
            self._note(kind, at_s, self._line_s)
        elif kind == NOT_FINITE:
            self._bad = _BAD
            self._note(kind, at_s, at_s + (_BAD + 32) * self.each_s)
        elif kind == ROTATED:
            self.log.rename(self.log.with_suffix(".log.1"))
        elif kind == TRUNCATED:
            os.truncate(self.log, 0)
        else:
            self._index -= _LOST
        return ""

    def _note(self, kind: str, from_s: float, until_s: float) -> None:
        wall_s = self._world.wall_s - (self._world.awake_s - from_s)
        self.troubles.append(Trouble(kind, from_s, until_s, wall_s))

    def _write(self, text: str) -> None:
        if text:
            with self.log.open("a") as file:
                file.write(text)
            os.utime(self.log, (self._world.wall_s, self._world.wall_s))
