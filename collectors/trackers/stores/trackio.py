"""trackio, Hugging Face's tracker: a project is a database, `~/.cache/huggingface/trackio/PROJECT.db`.

A row of `metrics` is one call of `trackio.log`, as JSON; trackio counts the steps where the script gives none.
"""

from __future__ import annotations

import math
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import msgspec

from ...clean import clean
from .database import look, tables
from .store import MOST_AT_ONCE, Begun, Logged, Store, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from ....events import End

_TABLES = {"metrics", "configs"}
_RUNS = "SELECT run_name FROM metrics GROUP BY run_name ORDER BY MAX(id) DESC"
_NEWER = "SELECT id, run_name, timestamp, step, metrics FROM metrics WHERE id > ? ORDER BY id"
_NEWER_SYSTEM = "SELECT id, run_name, timestamp, NULL, metrics FROM system_metrics WHERE id > ? ORDER BY id"
_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def is_trackio(path: Path) -> bool:
    """Has the database at `path` the tables of trackio?"""
    found = tables(path)
    return found >= _TABLES and "runs" not in found


def runs_in(path: Path) -> list[str]:
    """The names of the runs in the project at `path`, the newest first; none if it is no trackio's."""
    if not is_trackio(path):
        return []
    return [str(name) for (name,) in look(path, _RUNS, most=MOST_AT_ONCE)]


class TrackioRun(Store):
    """The run that is called `named` in the project at `path`, or that of its newest row."""

    tracker = "trackio"

    def __init__(self, path: Path, named: str = "") -> None:
        self.title = clean(str(path))
        self._path = path
        self._named = named
        self._run = ""
        self._measures = False  # older projects have no such table
        self._last = {_NEWER: 0, _NEWER_SYSTEM: 0}

    def begun(self) -> Begun:
        """Of the run that is meant."""
        newest = look(self._path, "SELECT run_name FROM metrics ORDER BY id DESC", most=1)
        if self._named:
            newest = look(self._path, "SELECT run_name FROM metrics WHERE run_name = ?", self._named, most=1)
        if not newest:
            raise StoreError(f"no run {self._named!r} in it" if self._named else "nothing was logged yet")
        self._run = str(newest[0][0])
        with suppress(StoreError):  # a large project takes too long to count
            self.of = len(runs_in(self._path))
        self._measures = "system_metrics" in tables(self._path)
        rows = look(self._path, "SELECT config, created_at FROM configs WHERE run_name = ?", self._run, most=1)
        config, at = rows[0] if rows else (b"{}", None)
        settings = _decoded(config)
        return Begun(self._run, _unix(at), {k: v for k, v in settings.items() if not k.startswith("_")})

    def new(self) -> list[Logged]:
        """The rows behind the last one that are this run's; then what was measured of the machine."""
        found = self._new(_NEWER)
        return found or (self._new(_NEWER_SYSTEM) if self._measures else [])

    def _new(self, question: str) -> list[Logged]:
        found: list[Logged] = []
        while not found and (rows := look(self._path, question, self._last[question], most=MOST_AT_ONCE)):
            self._last[question] = rows[-1][0]
            for _, run, at, step, metrics in rows:
                is_ours = run == self._run and isinstance(step, int | None)
                if is_ours and (values := _numbers(_decoded(metrics))):
                    found.append(Logged(step, _unix(at), values))
        return found

    def end(self) -> End | None:
        """It does not say."""
        return None


def _decoded(text: object) -> dict[str, Any]:
    if not isinstance(text, str | bytes):
        return {}
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _numbers(values: dict[str, Any]) -> dict[str, float]:
    return {clean(name): number for name, value in values.items() if (number := _number(value)) is not None}


def _number(value: object) -> float | None:
    """What JSON has no number for is a word in trackio."""
    if isinstance(value, str):
        return _WORDS.get(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:  # a whole number beyond every float
        return None


def _unix(at: object) -> float | None:
    try:
        moment = datetime.fromisoformat(str(at))
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
