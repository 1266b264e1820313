"""What is known of the built-in formats before they are loaded: which words their lines need.

There are some eighty, and a log has one: to import all of them and compile their patterns takes longer than to read it.
The formats themselves say all that stands here; it is worked out when one of their files has changed, and kept in the
user's cache. Where nothing can be kept all formats are loaded.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ... import opening, private, run_files
from .base import Needs, Specificity  # noqa: TC001 - msgspec reads them
from .parsing.lines import LineParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from .base import LogFormat

ROOM = Path(__file__).parent
_MOST_BYTES = 1 << 20


class Entry(msgspec.Struct, frozen=True):
    """One format: the module or file (below this folder) that it is in, its name there, and which lines may be its own."""

    place: str
    name: str
    specificity: Specificity
    needs: Needs
    telling: Needs


class Index(msgspec.Struct, frozen=True):
    """All built-in formats in their order, as they were when the files had these `stamps`."""

    stamps: tuple[str, ...]
    entries: tuple[Entry, ...]


def entry(place: str, log_format: LogFormat) -> Entry:
    """What is kept of a format."""
    parser, needs = log_format.parser, log_format.needs
    telling = needs
    if isinstance(parser, type) and issubclass(parser, LineParser):
        needs = parser.needs(thorough=True)
        telling = parser.needs(thorough=True, distinctive=True)
    return Entry(place, log_format.name, log_format.specificity, needs, telling)


def kept(make: Callable[[], Iterable[Entry]]) -> tuple[Entry, ...] | None:
    """What is known of the formats as they are now: as it was kept, or by `make`, if that can be kept.

    `None` where it cannot: to make it takes longer than to load all formats.
    """
    path = _path()
    if path is None:
        return None
    try:
        with opening.reading(path, ours=True) as file:
            index = msgspec.json.decode(file.read(_MOST_BYTES), type=Index)
        if index.stamps == stamps():
            return index.entries
    except (OSError, msgspec.MsgspecError):
        pass
    try:
        return _keep(path, make)
    except OSError:
        return None


def _keep(path: Path, make: Callable[[], Iterable[Entry]]) -> tuple[Entry, ...]:
    """Whole or not at all."""
    written = private.make_folder(path.parent) / f".{path.name}.{os.getpid()}"
    descriptor = opening.create(written)
    try:
        index = Index(stamps(), tuple(make()))
        os.write(descriptor, msgspec.json.encode(index))
        written.replace(path)
    finally:
        os.close(descriptor)
        written.unlink(missing_ok=True)
    return index.entries


def stamps() -> tuple[str, ...]:
    """Whether these formats are those of the last time: each file, its size and when it was written."""
    return tuple(sorted(_stamps(str(ROOM))))


def _stamps(folder: str) -> Iterator[str]:
    with os.scandir(folder) as found:
        for one in found:
            if one.name.endswith((".py", ".toml")):
                seen = one.stat()
                yield f"{one.path} {seen.st_size} {seen.st_mtime_ns}"
            elif "." not in one.name and one.name != "__pycache__" and one.is_dir():
                yield from _stamps(one.path)


def _path() -> Path | None:
    """One file for each place that itermon is installed in."""
    folder = run_files.cache_dir()
    return folder / f"formats-{zlib.crc32(os.fsencode(ROOM)):08x}.json" if folder else None
