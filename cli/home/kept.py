"""The lines of runs that stand still, kept in the user's cache: to read 80 recordings takes ten seconds and more.

A line counts while the files of its run have the sizes and times that they had, and itermon is the same.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ... import __version__, opening, private, run_files
from ...collectors.clean import clean
from ...reports.run_line import RunLine  # noqa: TC001 - msgspec reads it
from ..writing import NotWrittenError, write_whole

if TYPE_CHECKING:
    from .found import Stamp

_NAME = "runs.json"
_MOST_BYTES = 1 << 22
_MOST_LINES = 2_000  # of 400 bytes; the oldest go
_CODE = ("analysis", "collectors", "events", "reports")


class _Kept(msgspec.Struct):
    """A line, and the files that it was read from as they were."""

    stamp: tuple[tuple[int, int], ...]
    line: RunLine


class _File(msgspec.Struct):
    made_by: str
    lines: dict[str, _Kept]


class KeptLines:
    """The lines that were read once, by what their runs are called and how they were asked for."""

    def __init__(self) -> None:
        folder = run_files.cache_dir()
        self._path = folder / _NAME if folder else None
        self._made_by = f"{__version__} {_newest_code_ns()}"
        self._lines = self._read()
        self._changed = False

    def line(self, key: str, stamp: Stamp) -> RunLine | None:
        """The line of a run whose files are as `stamp` says; `None` where it was not read, or was another."""
        kept = self._lines.get(key)
        return kept.line if kept is not None and kept.stamp == stamp else None

    def keep(self, key: str, stamp: Stamp, line: RunLine) -> None:
        """Remember it; `write` makes it last."""
        self._lines.pop(key, None)
        self._lines[key] = _Kept(stamp, line)
        self._changed = True

    def write(self) -> None:
        """Put them into the file, whole. Where nothing can be kept, all are read again the next time."""
        if self._path is None or not self._changed:
            return
        self._changed = False
        newest = dict(list(self._lines.items())[-_MOST_LINES:])
        with contextlib.suppress(OSError, NotWrittenError):
            private.make_folder(self._path.parent)
            write_whole(self._path, msgspec.json.encode(_File(self._made_by, newest)).decode())

    def _read(self) -> dict[str, _Kept]:
        if self._path is None:
            return {}
        try:
            with opening.reading(self._path, ours=True) as file:
                found = msgspec.json.decode(file.read(_MOST_BYTES), type=_File)
        except (OSError, msgspec.MsgspecError, RecursionError):
            return {}
        if found.made_by != self._made_by:
            return {}
        return {key: _Kept(kept.stamp, cleaned(kept.line)) for key, kept in found.lines.items()}


def cleaned(line: RunLine) -> RunLine:
    """The line with harmless texts: a file, or another machine, gave it."""
    texts = {name: clean(value) for name in line.__struct_fields__ if type(value := getattr(line, name)) is str}
    return msgspec.structs.replace(line, **texts)


def _newest_code_ns() -> int:
    """When what makes a line was changed last: a line of older rules does not count."""
    root = Path(__file__).parents[2]
    files = (Path(folder, name) for room in _CODE for folder, _, names in os.walk(root / room) for name in names)
    return max((file.stat().st_mtime_ns for file in files if file.suffix == ".py"), default=0)
