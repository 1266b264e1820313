"""A database of SQLite that somebody else writes to: read in short looks that no writer waits for.

Each look opens the file, reads, and closes it: between two looks nothing of it is held. In a database with a
write-ahead log a reader would create the log's files where there are none; then nobody writes, and the file is
read as one that does not change (`immutable`), which creates nothing.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ....opening import open_file, read_bytes
from .store import StoreError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

DATABASES = (".db", ".sqlite", ".sqlite3")
"""What the files of trackers are called."""

LONGEST_LOOK_S = 0.04
"""A reader may keep a writer from its commit: no look lasts longer."""

_MAGIC = b"SQLite format 3\0"
_HEADER = 20
_WITH_LOG = 2  # in bytes 18 and 19: changes go to a write-ahead log first
_STEPS = 10_000  # of SQLite's machine, between two looks at the clock: about a millisecond
_LONGEST_VALUE = 1 << 20
_MOST_FILES = 1_000
_RETRIES = 6  # each asks for half as much


def is_database(path: Path) -> bool:
    """Does the file begin as SQLite's do?"""
    try:
        return read_bytes(path, len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def databases(folder: Path) -> Iterator[Path]:
    """Those in `folder`, the newest first."""
    try:
        files = [file for file in folder.iterdir() if file.suffix in DATABASES and file.is_file()]
        files.sort(key=lambda file: file.stat().st_mtime, reverse=True)
    except OSError:
        return iter(())
    return filter(is_database, files[:_MOST_FILES])


def tables(path: Path) -> set[str]:
    """The names of the tables in the database at `path`; none where it cannot be read."""
    try:
        return {str(name) for (name,) in look(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    except StoreError:
        return set()


def look(path: Path, question: str, *values: object, most: int = 1_000) -> Sequence[tuple[Any, ...]]:
    """At most `most` rows that answer `question`; fewer where they would take too long.

    Raises:
        StoreError: it is locked, damaged, or none of SQLite's; it may be right at the next look.
    """
    import sqlite3  # noqa: PLC0415 - every log is asked whether it is a database, and few are

    for _ in range(_RETRIES):
        try:
            with closing(_opened(path)) as database:
                return database.execute(f"{question} LIMIT {most}", values).fetchall()
        except sqlite3.OperationalError as error:
            if "interrupted" not in str(error):
                raise StoreError(str(error)) from None
            most = max(1, most // 4)
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise StoreError(str(error)) from None
        except OSError as error:
            raise StoreError(error.strerror or str(error)) from None
    raise StoreError(f"reading it takes longer than {LONGEST_LOOK_S * 1e3:.0f} ms")


def _opened(path: Path) -> sqlite3.Connection:
    import sqlite3  # noqa: PLC0415

    os.close(open_file(path))  # a regular file: nothing that waits
    place = quote(str(path.absolute()))
    options = "mode=ro&immutable=1" if _is_still(path) else "mode=ro"
    database = sqlite3.connect(f"file:{place}?{options}", uri=True, timeout=0.0, isolation_level=None)
    until_s = time.monotonic() + LONGEST_LOOK_S
    database.set_progress_handler(lambda: time.monotonic() > until_s, _STEPS)
    if sys.version_info >= (3, 11):
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")  # what a hostile file defines is not run
    database.text_factory = _text
    return database


def _text(written: bytes) -> str:
    return written.decode("utf-8", "replace")


def _is_still(path: Path) -> bool:
    """Does nobody write to a database with a write-ahead log? Its log is there as long as somebody does."""
    with_log = _WITH_LOG in read_bytes(path, _HEADER)[18:20]
    log = Path(f"{path}-wal")
    return with_log and (not log.exists() or log.stat().st_size == 0)
