"""MLflow's files of metrics: one a name, a line a value (`1795363808865 2.99 1`: milliseconds, value, step)."""

from __future__ import annotations

import math
import os
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ....opening import reading

MOST_FILES = 1_000
"""A name can be anything, and a folder can hold as many as somebody likes: so many are read."""

_MOST_BYTES = 1 << 16
"""Of one file at a time: some two thousand lines."""


class Value(NamedTuple):
    """A line: Unix time, step, the metric's name and its value."""

    at_s: float
    step: int
    name: str
    value: float


class MetricFiles:
    """The lines of all files below `folder`, in the order of their times."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._offsets: dict[Path, int] = {}
        self._waiting: list[Value] = []

    def new(self) -> list[Value]:
        """What the files have more since the last call, as far as none of them has more that is as old."""
        sure_until_s = math.inf
        for file in self._files():
            lines, is_all = self._lines(file)
            self._waiting += lines
            if not is_all and lines:
                sure_until_s = min(sure_until_s, lines[-1].at_s)
        self._waiting.sort(key=lambda value: (value.at_s, value.step))
        sure = sum(1 for value in self._waiting if value.at_s <= sure_until_s)
        taken, self._waiting = self._waiting[:sure], self._waiting[sure:]
        return taken

    def _files(self) -> list[Path]:
        below = ((folder, name) for folder, _, names in os.walk(self._folder) for name in names)
        return sorted(Path(folder, name) for folder, name in islice(below, MOST_FILES))

    def _lines(self, path: Path) -> tuple[list[Value], bool]:
        """The next whole lines of a file, and whether they are all that it has."""
        begin = self._offsets.get(path, 0)
        try:
            with reading(path) as file:
                file.seek(begin)
                data = file.read(_MOST_BYTES)
        except OSError:
            return [], True
        whole, newline, _ = data.rpartition(b"\n")
        self._offsets[path] = begin + len(whole) + len(newline)
        name = str(path.relative_to(self._folder))
        values = [value for line in whole.split(b"\n") if (value := _value(name, line)) is not None]
        return values, len(data) < _MOST_BYTES or not newline


def _value(name: str, line: bytes) -> Value | None:
    """A line's value; older MLflow writes no step."""
    parts = line.split()
    try:
        return Value(float(parts[0]) / 1e3, int(parts[2]) if len(parts) > 2 else 0, name, float(parts[1]))
    except (ValueError, IndexError):
        return None
