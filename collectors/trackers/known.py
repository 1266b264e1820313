"""The trackers whose runs can be opened: which of them wrote a path, and the newest run in a folder.

Each reader is imported once a path is its own: a log needs none of them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..log_formats.base import LogFormat
    from ..source import Source


class Found(NamedTuple):
    """A run in a folder: its tracker's name, and the path by which it is opened."""

    tracker: str
    path: Path


def newest_run(folder: Path) -> Found | None:
    """The newest run that a tracker keeps in `folder`; of several trackers the first, as they are listed here."""
    return next((Found(name, path) for name, find in _FINDERS if (path := find(folder)) is not None), None)


def holds_only_runs(folder: Path) -> bool:
    """Is `folder` a tracker's own? Its other files are the tracker's, and no logs."""
    from .stores import mlflow
    from .wandb import finding

    return finding.holds_runs(folder) or mlflow.is_run_folder(folder) or folder.name == "mlruns"


def source_of(path: Path, *, follow: bool, formats: Sequence[LogFormat] | None) -> Source | None:
    """What reads `path`, if a tracker wrote it."""
    from .stores import database
    from .stores.mlflow import is_run_folder
    from .tensorboard import is_event_file
    from .wandb.finding import is_run_file

    if database.is_database(path) or is_run_folder(path):
        return _store_source(path, follow=follow, formats=formats)
    if path.is_dir() or is_event_file(path):
        from .tensorboard import TensorBoardSource

        return TensorBoardSource(path, follow=follow, formats=formats)
    if is_run_file(path):
        from .wandb.source import WandbSource

        return WandbSource(path, follow=follow, formats=formats)
    return None


def with_runs_beside(log: Source, path: Path, *, follow: bool, formats: Sequence[LogFormat] | None) -> Source:
    """`log`, the source of the file at `path`, with what a tracker kept of the same run, if one did."""
    from .beside.finding import runs_beside

    found = runs_beside(path)
    if not found:
        return log
    from .beside.source import WithTracker

    runs = [run for one in found if (run := source_of(one, follow=follow, formats=formats)) is not None]
    return WithTracker(log, runs, written_s=path.stat().st_mtime)


def _store_source(path: Path, *, follow: bool, formats: Sequence[LogFormat] | None) -> Source | None:
    """Of a database the tables tell whose it is; `None`: nobody's that is known."""
    from .stores.mlflow import MlflowDatabaseRun, MlflowFolderRun, is_mlflow
    from .stores.source import StoreSource
    from .stores.trackio import TrackioRun, is_trackio

    if path.is_dir():
        return StoreSource(MlflowFolderRun(path), follow=follow, formats=formats)
    if is_mlflow(path):
        return StoreSource(MlflowDatabaseRun(path), follow=follow, formats=formats)
    return StoreSource(TrackioRun(path), follow=follow, formats=formats) if is_trackio(path) else None


def _event_files(folder: Path) -> Path | None:
    from .tensorboard import newest_run as newest

    return newest(folder)


def _wandb(folder: Path) -> Path | None:
    from .wandb.finding import newest_run as newest

    return newest(folder)


def _mlflow(folder: Path) -> Path | None:
    from .stores.database import databases
    from .stores.mlflow import is_mlflow
    from .stores.mlflow import newest_run as newest

    return newest(folder) or next((file for file in databases(folder) if is_mlflow(file)), None)


def _trackio(folder: Path) -> Path | None:
    from .stores.database import databases
    from .stores.trackio import is_trackio

    return next((file for file in databases(folder) if is_trackio(file)), None)


_FINDERS: Sequence[tuple[str, Callable[[Path], Path | None]]] = (
    ("TensorBoard", _event_files),
    ("W&B", _wandb),
    ("MLflow", _mlflow),
    ("trackio", _trackio),
)
