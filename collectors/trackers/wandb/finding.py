"""Which run of W&B is meant by a path: its file, its folder, or the folder of all runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....opening import read_bytes
from .blocks import MAGIC

if TYPE_CHECKING:
    from pathlib import Path

_RUN = re.compile(r"(?:offline-)?run-(\d{8}_\d{6})-.+")
_MOST = 100_000  # entries of a folder


def is_run_file(path: Path) -> bool:
    """Does the file begin as a run's does? Its name does not matter, unless it is still empty."""
    try:
        head = read_bytes(path, len(MAGIC))
    except OSError:
        return False
    return head.startswith(MAGIC[:4]) or (not head and path.suffix == ".wandb")


def newest_run(folder: Path) -> Path | None:
    """The file of the run that began last, in `folder` (`run-…`, `latest-run`, `wandb`) or its folder `wandb`.

    A run's folder is called by its time, which a copy keeps; without such a name the file's own time counts.
    """
    return next(iter(runs_in(folder)), None)


def runs_in(folder: Path) -> list[Path]:
    """The files of all runs in `folder`, or in its folder `wandb`, the one that began last first."""
    for place in (folder, folder / "wandb"):
        files = _run_files(place) or [file for run in _entries(place) if _is_run(run) for file in _run_files(run)]
        if files:
            return sorted(files, key=_begun, reverse=True)
    return []


def begun_at(file: Path) -> str:
    """When the run of `file` began, as its folder is called: `20231212_124659`, in its machine's zone; or ""."""
    named = _RUN.fullmatch(file.parent.name)
    return named[1] if named else ""


def holds_runs(folder: Path) -> bool:
    """Is `folder` W&B's own: a run's, or that of all runs? Its other files are W&B's, and no logs."""
    return bool(_run_files(folder)) or any(_is_run(entry) for entry in _entries(folder))


def _is_run(folder: Path) -> bool:
    return _RUN.fullmatch(folder.name) is not None and not folder.is_symlink()


def _begun(file: Path) -> tuple[str, float]:
    try:
        return begun_at(file), file.stat().st_mtime
    except OSError:
        return "", 0.0


def _run_files(folder: Path) -> list[Path]:
    return [file for file in _entries(folder) if file.suffix == ".wandb" and file.is_file()]


def _entries(folder: Path) -> list[Path]:
    try:
        return [entry for entry, _ in zip(folder.iterdir(), range(_MOST), strict=False)]
    except OSError:
        return []
