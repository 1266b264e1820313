"""Recordings are deleted: of runs that have ended, in the folder where this user's are kept, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ... import run_files
from ...words import listed, memory, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...collectors.runs.listing import KnownRun

_MOST_NAMED = 3


class Deleting:
    """What the home screen asks before it deletes runs, and how it does it."""

    def ask(self, keys: Sequence[str]) -> tuple[str, bool]:
        """The question; or why these cannot be deleted, and `False`."""
        runs = {run.run_id: run for run in _runs()}
        for key in keys:
            if key not in runs:
                return f"{key} is no recording of itermon's: it deletes only what it has made itself", False
            if runs[key].alive:
                return f"{runs[key].name} still runs: its recording stays", False
        files = [file for key in keys for file in _files(runs[key])]
        size = memory(sum(file.stat().st_size for file in files if file.exists()))
        names = [runs[key].name for key in keys]
        said = listed(names) if len(names) <= _MOST_NAMED else plural(len(names), "run")
        return (
            f"delete {said} for good: {plural(len(files), 'file')}, {size}? y: delete; any other key: keep",
            True,
        )

    def do(self, keys: Sequence[str]) -> str:
        """Delete them; what went wrong, or ""."""
        runs = {run.run_id: run for run in _runs()}
        for key in keys:
            run = runs.get(key)
            if run is None or run.alive or run_files.is_live(Path(run.recording or run.log or "")):
                return f"{key} has begun again, or is gone: it was left as it is"
            for file in _files(run):
                try:
                    file.unlink(missing_ok=True)
                except OSError as error:
                    return f"{file}: {error.strerror}"
        return ""


def _runs() -> list[KnownRun]:
    from ...collectors.runs.listing import known_runs

    return known_runs(recent=10_000)


def _files(run: KnownRun) -> list[Path]:
    """What itermon wrote of it and of its earlier attempts: the list shows them as one run."""
    from ...collectors.attempts.same import trainings

    known = _runs()
    attempts = next((chain for chain in trainings(known) if chain[-1].run_id == run.run_id), [run])
    return [file for attempt in attempts for file in _files_of_one(attempt, known)]


def _files_of_one(run: KnownRun, known: Sequence[KnownRun]) -> list[Path]:
    """The recording, its ranks', the output that `itermon run` kept, how that ended."""
    from ...collectors.runs.listing import other_ranks

    ranks = [rank.recording for rank in other_ranks(run, known) if not rank.alive]
    log = Path(run.log) if run.log else None
    kept = [Path(path) for path in (run.recording, *ranks) if path] + (
        [log, log.with_suffix(run_files.EXIT)] if log else []
    )
    folders = (run_files.runs_dir(), run_files.logs_dir())
    return [path for path in kept if path.parent in folders and path.exists()]
