"""Old recordings make room: by age, then by size. Only when a run begins, never one that is alive."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ... import private, run_files

if TYPE_CHECKING:
    from pathlib import Path

MOST_AGE_S = 60 * 86_400.0
"""Two months: long enough to compare with the last good run."""

MOST_BYTES = 4 << 30
"""Of all recordings together; a million iterations take 0.1 GB."""


def prune(
    folder: Path, now_s: float, *, most_age_s: float = MOST_AGE_S, most_bytes: int = MOST_BYTES
) -> list[Path]:
    """Delete what is older than `most_age_s`, then the oldest until the rest fits. Returns what was deleted."""
    kept_bytes = 0
    deleted = []
    for modified_s, size, path in sorted(_recordings(folder), reverse=True):
        kept_bytes += size
        if (kept_bytes <= most_bytes and now_s - modified_s <= most_age_s) or run_files.is_live(path):
            continue
        kept_bytes -= size
        with contextlib.suppress(OSError):
            path.unlink()
            deleted.append(path)
    return deleted


def _recordings(folder: Path) -> list[tuple[float, int, Path]]:
    found = []
    with contextlib.suppress(OSError):
        for path in private.files_in(folder, run_files.RECORDING):
            if run_files.parse_run_id(path.stem):
                about = path.lstat()
                found.append((about.st_mtime, about.st_size, path))
    return found
