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
    """A run in a folder: its tracker's name, the path by which it is opened, and of how many it was chosen."""

    tracker: str
    path: Path
    of: int = 1


def newest_run(folder: Path, named: str = "") -> Found | None:
    """The newest run that a tracker keeps in `folder`, or the newest that is called `named`.

    Of several trackers the first that has one, as they are listed here.
    """
    for tracker, find in _FINDERS:
        runs = find(folder)
        if chosen := next((run for run in runs if not named or named in names_of(run)), None):
            return Found(tracker, chosen, len(runs))
    return None


def names_of(run: Path) -> set[str]:
    """What a person may call the run at `run`; of a database, the runs in it."""
    from .stores import database, mlflow, trackio
    from .stores.store import StoreError

    names = {run.stem.removeprefix("run-"), run.parent.name} if run.suffix == ".wandb" else {run.name}
    if mlflow.is_run_folder(run):
        return names | {mlflow.MlflowFolderRun(run).named()}
    if not database.is_database(run):
        return names
    try:
        return names | {*trackio.runs_in(run), *mlflow.runs_in(run)}
    except StoreError:  # said when it is opened
        return names


def holds_only_runs(folder: Path) -> bool:
    """Is `folder` a tracker's own? Its other files are the tracker's, and no logs."""
    from .stores import mlflow, offline
    from .wandb import finding

    own = mlflow.is_run_folder(folder) or folder.name == "mlruns" or offline.is_session(folder)
    return own or finding.holds_runs(folder)


def source_of(path: Path, *, follow: bool, formats: Sequence[LogFormat] | None, named: str = "") -> Source | None:
    """What reads `path`, if a tracker wrote it: of a database the run that is called `named`, or the newest."""
    from .stores import database
    from .stores.mlflow import is_run_folder
    from .stores.offline import is_session
    from .tensorboard import is_event_file
    from .wandb.finding import is_run_file

    if database.is_database(path) or is_run_folder(path):
        return _store_source(path, named, follow=follow, formats=formats)
    if is_session(path):
        from .stores.offline import OfflineRun
        from .stores.source import StoreSource

        return StoreSource(OfflineRun(path), follow=follow, formats=formats)
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


def _store_source(path: Path, named: str, *, follow: bool, formats: Sequence[LogFormat] | None) -> Source | None:
    """Of a database the tables tell whose it is; `None`: nobody's that is known."""
    from .stores.mlflow import MlflowDatabaseRun, MlflowFolderRun, is_mlflow
    from .stores.source import StoreSource
    from .stores.trackio import TrackioRun, is_trackio

    if path.is_dir():
        return StoreSource(MlflowFolderRun(path), follow=follow, formats=formats)
    if is_mlflow(path):
        return StoreSource(MlflowDatabaseRun(path, named), follow=follow, formats=formats)
    return StoreSource(TrackioRun(path, named), follow=follow, formats=formats) if is_trackio(path) else None


def _event_files(folder: Path) -> list[Path]:
    from .tensorboard import newest_run as newest

    return [run] if (run := newest(folder)) else []


def _wandb(folder: Path) -> list[Path]:
    from .wandb.finding import runs_in

    return runs_in(folder)


def _mlflow(folder: Path) -> list[Path]:
    from .stores.database import databases
    from .stores.mlflow import is_mlflow, run_folders

    return run_folders(folder) or [file for file in databases(folder) if is_mlflow(file)]


def _trackio(folder: Path) -> list[Path]:
    from .stores.database import databases
    from .stores.trackio import is_trackio

    return [file for file in databases(folder) if is_trackio(file)]


def _sessions(folder: Path) -> list[Path]:
    from .stores.offline import sessions_in

    return sessions_in(folder)


def _trainer_states(folder: Path) -> list[Path]:
    """Of the checkpoints in an output folder of the Hugging Face Trainer: each has the whole history so far."""
    states = [state for state in folder.glob("checkpoint-*/trainer_state.json") if state.is_file()]
    return sorted(states, key=lambda state: (len(state.parent.name), state.parent.name), reverse=True)[:1]


_FINDERS: Sequence[tuple[str, Callable[[Path], list[Path]]]] = (
    ("TensorBoard", _event_files),
    ("W&B", _wandb),
    ("MLflow", _mlflow),
    ("trackio", _trackio),
    ("ClearML or Neptune", _sessions),
    ("Hugging Face", _trainer_states),
)
