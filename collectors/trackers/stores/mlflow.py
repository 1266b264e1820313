"""MLflow: a database (`mlflow.db`), or a folder of small files (`mlruns/EXPERIMENT/RUN/metrics/NAME`).

A metric is logged with its own time (milliseconds) and step, one value at a time: those of one step are one row.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from ....events import End, EndReason
from ....opening import read_bytes
from ...clean import clean
from .database import look, tables
from .metric_files import MetricFiles
from .store import MOST_AT_ONCE, Begun, Logged, Store, StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_NEWER = "SELECT rowid, run_uuid, key, value, timestamp, step, is_nan FROM metrics WHERE rowid > ? ORDER BY rowid"
_NAMED = "SELECT run_uuid FROM runs WHERE name = ? OR run_uuid = ? ORDER BY start_time DESC"
_TABLES = {"metrics", "params", "runs", "experiments"}
_LARGEST = 1.79e308
"""MLflow's database has this for infinity, and a column that says where a value is none."""

_ENDS = {"FINISHED": EndReason.FINISHED, "FAILED": EndReason.FAILED, "KILLED": EndReason.KILLED}
_STATUS = {"3": "FINISHED", "4": "FAILED", "5": "KILLED"}  # in the files it is a number
_META = "meta.yaml"
_FIELD = re.compile(r"^(\w{1,40}): *(.{0,500}?) *$", re.MULTILINE)
_MOST_BYTES = 1 << 16
_MOST_SETTINGS = 500


def is_mlflow(path: Path) -> bool:
    """Has the database at `path` the tables of MLflow?"""
    return tables(path) >= _TABLES


def is_run_folder(path: Path) -> bool:
    """Is `path` the folder of one run?"""
    return (path / _META).is_file() and (path / "metrics").is_dir()


def newest_run(folder: Path) -> Path | None:
    """The folder of the run that was written to last, in `folder`, at most two levels down; or itself."""
    return next(iter(run_folders(folder)), None)


def run_folders(folder: Path) -> list[Path]:
    """Those of all runs in `folder`, the one that was written to last first; or itself."""
    if is_run_folder(folder):
        return [folder]
    runs = [run.parent for level in ("*", "*/*", "*/*/*") for run in folder.glob(f"{level}/{_META}")]
    return sorted(filter(is_run_folder, runs), key=_written_s, reverse=True)


def runs_in(path: Path) -> list[str]:
    """The names of the runs in the database at `path`, and their numbers; none if it is no MLflow's."""
    if not is_mlflow(path):
        return []
    rows = look(path, "SELECT name, run_uuid FROM runs ORDER BY start_time DESC", most=MOST_AT_ONCE)
    return [str(name) for row in rows for name in row if name]


def _written_s(run: Path) -> float:
    return max((file.stat().st_mtime for file in (run / "metrics").glob("*")), default=0.0)


class MlflowDatabaseRun(Store):
    """The run that is called `named` in the database at `path`, or that of its newest value."""

    tracker = "MLflow"

    def __init__(self, path: Path, named: str = "") -> None:
        self.title = clean(str(path))
        self._path = path
        self._named = named
        self._run = ""
        self._last = 0

    def begun(self) -> Begun:
        """Of the run that was written to last."""
        newest = look(self._path, "SELECT run_uuid FROM metrics ORDER BY rowid DESC", most=1)
        if self._named:
            newest = look(self._path, _NAMED, self._named, self._named, most=1)
        if not newest:
            raise StoreError(f"no run {self._named!r} in it" if self._named else "nothing was logged yet")
        self.of = int(look(self._path, "SELECT COUNT(*) FROM runs", most=1)[0][0])
        self._run = str(newest[0][0])
        rows = look(self._path, "SELECT name, start_time FROM runs WHERE run_uuid = ?", self._run, most=1)
        name, start_ms = rows[0] if rows else ("", None)
        params = look(
            self._path, "SELECT key, value FROM params WHERE run_uuid = ?", self._run, most=_MOST_SETTINGS
        )
        return Begun(clean(str(name or self._run)), _seconds(start_ms), {str(k): str(v) for k, v in params})

    def new(self) -> list[Logged]:
        """The values behind the last one that are this run's."""
        found: list[Logged] = []
        while not found and (rows := look(self._path, _NEWER, self._last, most=MOST_AT_ONCE)):
            self._last = rows[-1][0]
            for _, run, name, value, at_ms, step, is_nan in rows:
                if run == self._run and isinstance(step, int) and isinstance(value, int | float):
                    number = math.nan if is_nan else _unbounded(float(value))
                    found.append(Logged(step, _seconds(at_ms), {clean(str(name)): number}))
        return found

    def end(self) -> End | None:
        """What its status says."""
        rows = look(self._path, "SELECT status, end_time FROM runs WHERE run_uuid = ?", self._run, most=1)
        return _ended(*rows[0]) if rows else None


class MlflowFolderRun(Store):
    """The run in the folder `path`."""

    tracker = "MLflow"

    def __init__(self, path: Path) -> None:
        self.title = clean(str(path))
        self._path = path
        self._metrics = MetricFiles(path / "metrics")

    def begun(self) -> Begun:
        """By its `meta.yaml` and the files of its parameters."""
        meta = self._meta()
        files = sorted((self._path / "params").glob("*"))[:_MOST_SETTINGS]
        settings = {file.name: text for file in files if (text := _text(file)) is not None}
        return Begun(clean(meta.get("run_name") or self._path.name), _seconds(meta.get("start_time")), settings)

    def named(self) -> str:
        """What its script calls it; "" where that cannot be read."""
        try:
            return self._meta().get("run_name", "")
        except StoreError:
            return ""

    def new(self) -> list[Logged]:
        """The lines that its files have more."""
        return [Logged(v.step, v.at_s, {clean(v.name): v.value}) for v in self._metrics.new()]

    def end(self) -> End | None:
        """What its status says."""
        meta = self._meta()
        return _ended(_STATUS.get(meta.get("status", "")), meta.get("end_time"))

    def _meta(self) -> Mapping[str, str]:
        text = _text(self._path / _META)
        if text is None:
            raise StoreError(f"its {_META} cannot be read")
        return {name: value.strip("'\"") for name, value in _FIELD.findall(text)}


def _text(path: Path) -> str | None:
    try:
        return read_bytes(path, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return None


def _unbounded(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) >= _LARGEST else value


def _seconds(at_ms: object) -> float | None:
    try:
        return float(str(at_ms)) / 1e3
    except ValueError:
        return None


def _ended(status: object, at_ms: object) -> End | None:
    reason = _ENDS.get(str(status))
    return End(reason, at_s=_seconds(at_ms)) if reason is not None else None
