"""Which runs of trackers may be that of a log: those that lie beside it and began before it was last written to.

Every log is asked, and few have one: what reads the runs is imported once a name says that there is one.
"""

from __future__ import annotations

import os
import time
from itertools import islice
from typing import TYPE_CHECKING

from ..stores.database import DATABASES, databases

if TYPE_CHECKING:
    from pathlib import Path

MOST_RUNS = 3
"""So many are read to find the one: half a second each, where they are long."""

_MOST_NAMES = 10_000
_EVENT_FOLDERS = ("runs", "logs", "tensorboard", "tb")
_EARLY_S = 60.0  # clocks of a file system and of the machine differ


def runs_beside(log: Path) -> list[Path]:
    """Those that may be the run of `log`, each by what opens it, the likeliest first."""
    folder = log.parent
    try:
        written_s = log.stat().st_mtime
        with os.scandir(folder) as entries:
            names = {entry.name for entry in islice(entries, _MOST_NAMES)}
    except OSError:
        return []
    found: list[Path] = []
    if "wandb" in names or folder.name == "files" or any(name.endswith(".wandb") for name in names):
        found += _wandb(folder, written_s)
    if "mlruns" in names or any(name.endswith(DATABASES) for name in names):
        found += _stores(folder)
    if not names.isdisjoint(_EVENT_FOLDERS) or any("tfevents" in name for name in names):
        found += _event_files(folder)
    return found[:MOST_RUNS]


def _wandb(folder: Path, written_s: float) -> list[Path]:
    """W&B keeps what was printed beside its own file, in `run-…/files/output.log`."""
    from ..wandb import finding

    if folder.name == "files" and (own := finding.newest_run(folder.parent)):
        return [own]
    runs = finding.runs_in(folder)
    before = [run for run in runs if (begun_s := _begun_s(run)) is None or begun_s <= written_s + _EARLY_S]
    # Sorted by one thing alone, so that the newest stays first among equals: a copy gives all files one time.
    return sorted(before or runs, key=lambda run: not _written_together(run, written_s))[:MOST_RUNS]


def _written_together(run: Path, written_s: float) -> bool:
    """Were log and run written to at about the same time, the last time?"""
    try:
        return abs(run.stat().st_mtime - written_s) <= _EARLY_S
    except OSError:
        return False


def _begun_s(run: Path) -> float | None:
    """By the name of its folder, in the zone of the machine."""
    from ..wandb.finding import begun_at

    try:
        return time.mktime(time.strptime(begun_at(run), "%Y%m%d_%H%M%S"))
    except (ValueError, OverflowError):
        return None


def _stores(folder: Path) -> list[Path]:
    from ..stores import mlflow, trackio

    files = [newest] if (newest := mlflow.newest_run(folder / "mlruns")) else []
    return files + [file for file in databases(folder) if mlflow.is_mlflow(file) or trackio.is_trackio(file)]


def _event_files(folder: Path) -> list[Path]:
    from .. import tensorboard

    if any(map(tensorboard.is_event_file, folder.glob("*tfevents*"))):
        return [folder]
    runs = (tensorboard.newest_run(folder / name) for name in _EVENT_FOLDERS if (folder / name).is_dir())
    return [run for run in runs if run is not None]
