"""Which logs are attempts of one training: a job that was queued again writes a log of its own each time.

Four witnesses are asked for, and where one is missing each log is its own. They lie in one folder under one name
but for its numbers, written one after another; format and settings are the same; the later one says that it goes
on from a checkpoint; and its iterations begin above the earlier one's first, and no later than right behind its
last. Where several earlier ones may be meant, none is.
"""

from __future__ import annotations

import re
import threading
from functools import lru_cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...events import Config, Iteration, Iterations, RunInfo
from ...opening import reading
from ..logs.log_source import LogSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...events import Event

_NUMBERS = re.compile(r"\d+")
_GOES_ON = re.compile(
    rb"\b(?:resum|continu|restor|load)\w*\b[^\n]{0,80}(?:checkpoint|ckpt|\.pth?\b|\bstep|\bepoch|\biter)",
    re.IGNORECASE,
)
_HEAD_BYTES = 1 << 16  # in which a trainer says what it has loaded
_OF_THE_MACHINE = ("origin", "gpu_name", "peak_flops", "logged_mfu_peak_flops", "extra", "max_iterations")
"""What may be another one in the next attempt: it runs where there is room, and perhaps for longer."""

_MOST_ALIKE = 20
_MOST_BATCHES = 8  # of 256 KiB, the first a preview: what says more before its first iteration is not read on


class LogFile(NamedTuple):
    """A log as it lies there."""

    path: Path
    inode: int
    size: int
    written_s: float
    lives: bool = False


def log_file(path: Path, *, lives: bool = False) -> LogFile:
    """The log at `path`. Raises `OSError`."""
    about = path.stat()
    return LogFile(path, about.st_ino, about.st_size, about.st_mtime, lives)


class _Begin(NamedTuple):
    first: int
    each: int
    """From one printed iteration to the next."""

    goes_on: bool
    format: str
    settings: tuple[tuple[str, object], ...]


def trainings_of_logs(logs: Iterable[LogFile]) -> list[list[LogFile]]:
    """The logs of each training that has several, oldest first; those that stand alone are left out."""
    alike: dict[tuple[Path, str], list[LogFile]] = {}
    for log in logs:
        if _NUMBERS.search(log.path.name):
            alike.setdefault((log.path.parent, _NUMBERS.sub("#", log.path.name)), []).append(log)
    chains = [
        chain for group in alike.values() if 1 < len(group) <= _MOST_ALIKE for chain in _chains(_in_order(group))
    ]
    return [chain for chain in chains if len(chain) > 1]


def _in_order(group: Iterable[LogFile]) -> list[LogFile]:
    return sorted(group, key=lambda log: [int(number[:18]) for number in _NUMBERS.findall(log.path.name)])


def _chains(logs: Sequence[LogFile]) -> list[list[LogFile]]:
    chains: list[list[LogFile]] = []
    for log in logs:
        meant = [chain for chain in chains if _goes_on(log, chain)]
        if len(meant) == 1:
            meant[0].append(log)
        else:
            chains.append([log])
    return chains


def _goes_on(log: LogFile, chain: Sequence[LogFile]) -> bool:
    before = chain[-1]
    if before.lives or before.written_s > log.written_s:
        return False
    try:
        now = _begin_of(log.path)
        if not now.goes_on:
            return False
        begun, then = _begin_of(chain[0].path), _begin_of(before.path)
        last = _last(before)
    except (LookupError, OSError):
        return False
    follows = begun.first + 1 < now.first <= last + max(now.each, then.each)
    return follows and now.format == then.format and _agree(now.settings, then.settings)


def _agree(one: tuple[tuple[str, object], ...], other: tuple[tuple[str, object], ...]) -> bool:
    """Is any setting known of both, and none of them another?"""
    known, theirs = dict(one), dict(other)
    both = known.keys() & theirs.keys()
    return bool(both) and all(known[name] == theirs[name] for name in both)


def _begin_of(path: Path) -> _Begin:
    """What the first part of the log says. Raises `LookupError` where that is too little yet, and `OSError`."""
    with reading(path) as file:
        head = file.read(_HEAD_BYTES)
    begin = _begin(path, sha256(head).digest())  # a file that is written anew may be the same to the disk
    return begin._replace(goes_on=True) if _GOES_ON.search(head) else begin


@lru_cache(maxsize=1_024)  # what raises is not kept
def _begin(path: Path, head: bytes) -> _Begin:  # noqa: ARG001 - what it depends on
    events, indices = _part(path, newest=False)
    if len(indices) < 2:
        raise LookupError(f"{path}: too few iterations yet")
    settings: dict[str, object] = {}
    for event in events:
        if type(event) is Config:
            names = (name for name in Config.__struct_fields__ if name not in _OF_THE_MACHINE)
            settings |= {name: value for name in names if (value := getattr(event, name)) is not None}
    infos = [event for event in events if type(event) is RunInfo]
    format_ = infos[-1].source_format if infos else ""
    goes_on = any(info.resumed for info in infos)
    return _Begin(indices[0], indices[1] - indices[0], goes_on, format_, tuple(settings.items()))


@lru_cache(maxsize=1_024)
def _last(log: LogFile) -> int:
    return _part(log.path, newest=True)[1][-1]


def _part(path: Path, *, newest: bool) -> tuple[list[Event], list[int]]:
    """The events of the beginning, or of the `newest` lines, and the numbers of the iterations among them."""
    events: list[Event] = []
    for batch in islice(LogSource(path, follow=False).batches(threading.Event()), _MOST_BATCHES):
        if batch.preview and not newest:
            continue
        events += batch.events
        if batch.preview or (not newest and len(_numbers(events)) > 1):
            break
    return events, _numbers(events)


def _numbers(events: Iterable[Event]) -> list[int]:
    found: list[int] = []
    for event in events:
        if isinstance(event, Iterations):
            found.extend(event.index)
        elif isinstance(event, Iteration):
            found.append(event.index)
    return found
