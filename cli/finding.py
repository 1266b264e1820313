"""The log that is meant, where no file is named: the newest of a directory, or what a process writes."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .exits import NoInputError
from .printing import print_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..collectors.trackers.known import Found

LOG_SUFFIXES = (".log", ".txt", ".out", ".err", ".jsonl", ".csv", ".gz", ".zst", ".xz")
"""What logs are called."""

_AIM = "What the script prints can be watched: python train.py 2>&1 | tee train.log"
_READABLE = "itermon run -- COMMAND starts it watched; python train.py 2>&1 | tee train.log leaves a log."


def logs_of(paths: Sequence[str], pid: int | None, run: str = "") -> list[str]:
    """The files that are meant by `paths`, or without any by the process `pid`. In a folder, `run` of a tracker.

    Says in one line (standard error) what was chosen. Raises `NoInputError`, and `click.UsageError` for neither.
    """
    if paths:
        # os.path.isdir says no where Path.is_dir raises: what is wrong with a path is reported where it is opened.
        return [str(log_in(Path(path), run)) if os.path.isdir(path) else path for path in paths]  # noqa: PTH112
    if pid is None:
        raise click.UsageError("Which log? Name its PATH, or with --pid the process that writes it.")
    return list(map(str, logs_of_process(pid)))


def log_in(folder: Path, run: str = "") -> Path:
    """The log in `folder` that was written last: known by its content, else called like a log. Else any file.

    Where there is none, it is the folder itself if it holds a flight recorder's dumps, or what a tracker keeps
    there: the folder of TensorBoard's event files, the newest run of W&B, MLflow or trackio. What else lies in a
    tracker's own folder is no log. With a `run`, only the one that a tracker calls so is meant.
    """
    from ..collectors.collective_dumps.source import dumps_in
    from ..collectors.logs.finding import MOST_FILES, find_log
    from ..collectors.trackers import known as trackers

    if run:
        if (meant := trackers.newest_run(folder, run)) is None:
            raise NoInputError(f"{folder}: no run {run!r} of a tracker in it.")
        return _chosen(folder, meant, run)
    if trackers.holds_only_runs(folder) and (newest := trackers.newest_run(folder)):
        return _chosen(folder, newest)
    try:
        files = [file for file in folder.iterdir() if file.is_file() and not file.name.startswith(".")]
        files.sort(key=lambda file: file.stat().st_mtime, reverse=True)
    except OSError as error:
        raise NoInputError(f"{folder}: {error.strerror or error}") from None
    if found := find_log(files[:MOST_FILES]):
        print_note(f"{folder}: the newest log in it is {found.path.name} ({found.recognition.label})")
        return found.path
    if dumps_in(folder):
        return folder  # of torch's flight recorder: together they are one run
    if newest := trackers.newest_run(folder):
        return _chosen(folder, newest)
    if (folder / ".aim").is_dir() or folder.name == ".aim":
        raise NoInputError(f"{folder}: Aim's own database, which only aim reads. {_AIM}")
    if not files:
        raise NoInputError(f"{folder}: a directory without a file in it. Name the log.")
    named = next((file for file in files if file.suffix in LOG_SUFFIXES), files[0])
    print_note(f"{folder}: no known log in it; {named.name} is the newest that may become one")
    return named


def _chosen(folder: Path, run: Found, named: str = "") -> Path:
    if run.path != folder:
        which = f"the run {named!r}" if named else "the newest run"
        others = f", one of {run.of}; another: --run NAME" if run.of > 1 and not named else ""
        print_note(f"{folder}: {which} of {run.tracker} in it is {run.path.relative_to(folder)}{others}")
    return run.path


def log_files(folder: Path) -> list[Path]:
    """The files in `folder` that are called like logs, the newest first; none where it cannot be read."""
    try:
        files = [file for file in folder.iterdir() if file.suffix in LOG_SUFFIXES and file.is_file()]
        return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)
    except OSError:
        return []


def logs_of_process(pid: int) -> list[Path]:
    """The log that process `pid` writes: its output if that is a file, else a log it has open.

    Behind it the other files that its output and its errors go to.
    """
    from ..collectors.host.writer import outputs_of
    from ..collectors.logs.finding import find_log

    if not sys.platform.startswith("linux"):
        raise NoInputError("--pid without PATH needs Linux's /proc. Name the log.")
    try:
        targets = outputs_of(pid)
    except PermissionError:
        raise NoInputError(
            f"process {pid}: no permission to see its files. Ask its owner, or name the log."
        ) from None
    except OSError:
        raise NoInputError(
            f"process {pid}: there is none. pgrep -af python lists those that may be meant."
        ) from None
    files = [Path(target) for target in targets if _is_file(target)]
    outputs = [file for file in files if str(file) in targets[:2]]
    found = find_log(files)
    logs = list(dict.fromkeys([found.path, *outputs] if found else outputs))
    if not logs:
        raise NoInputError(f"process {pid}: {_why_not(targets)}. {_READABLE}")
    others = "".join(f", and next to it {file}" for file in logs[1:])
    print_note(
        f"process {pid} writes {logs[0]} ({found.recognition.label if found else 'no known log yet'}){others}"
    )
    return logs


def _is_file(target: str) -> bool:
    try:
        return target.startswith("/") and stat.S_ISREG(Path(target).stat().st_mode)
    except OSError:
        return False


def _why_not(targets: Sequence[str]) -> str:
    """Where the output goes instead of into a file."""
    first = targets[0] if targets else ""
    if first.startswith(("/dev/pts/", "/dev/tty")):
        return f"its output is a terminal ({first}), which nobody else can read"
    if first.startswith(("pipe:", "socket:")):
        return f"its output goes into another process ({first.partition(':')[0]}), which nobody else can read"
    if first.endswith(" (deleted)"):
        return f"its output is a file that was deleted ({first.removesuffix(' (deleted)')})"
    return f"its output is {first or 'closed'}, and no log is open"
