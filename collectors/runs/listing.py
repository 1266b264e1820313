"""The runs of this user on this machine: which trainers live, which recordings there are, which one is meant.

A trainer holds a lock on its recording for as long as it lives, however it ends; so whether it lives is asked of
the kernel and of nobody else. Without a recording, its socket is tried.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import re
import stat
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ... import private, run_files
from ...events import (
    MAX_LINE_BYTES,
    End,
    EndReason,
    Iteration,
    RunInfo,
)
from ...opening import reading
from ...words import did_you_mean
from .connecting import answers
from .event_reader import EventReader
from .exit_code import end_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_NEWEST_BYTES = 1 << 14  # of a recording: the last hundred iterations or so
_RECENT = 20
_TOGETHER_S = 120.0  # between the first and the last rank of one start
_KEPT = (
    (run_files.runs_dir, run_files.RECORDING, stat.S_ISREG),
    (run_files.sockets_dir, run_files.SOCKET, stat.S_ISSOCK),
    (run_files.logs_dir, run_files.LOG, stat.S_ISREG),
    (run_files.logs_dir, run_files.EXIT, stat.S_ISREG),
)


class KnownRun(msgspec.Struct, frozen=True):
    """A run that this machine knows: alive, with a socket; or ended, with a recording; or both.

    `iteration_s` is the median time of its newest iterations, `seen_at_s` when it last wrote anything (Unix time).
    """

    run_id: str = msgspec.field(name="stem")  # so it is called in `attach --json`
    name: str
    pid: int
    alive: bool
    socket: str | None = None
    recording: str | None = None
    log: str | None = None  # its output, where `itermon run` started it
    started_as: str = ""  # the run id of the process that `itermon run` started
    rank: int | None = None
    started_at_s: float | None = None  # by the trainer's own clock; what a run id says is in its time zone
    seen_at_s: float | None = None
    iteration: int | None = None
    iteration_s: float | None = None
    ended: str = ""  # an `EndReason`; nothing while it is alive


class NoSuchRunError(ValueError):
    """No run is meant by what was given, or several are; the message says which there are."""


def known_runs(*, recent: int = _RECENT, with_newest: bool = True) -> list[KnownRun]:
    """Living runs first, then the `recent` newest recordings. Removes the sockets of dead trainers.

    `with_newest`: what the newest iterations of the living ones say, too; who follows them knows it.
    """
    kept = _kept().items()
    found = _merged([run for run_id, files in kept if (run := _known_run(run_id, files, with_newest)) is not None])
    found.sort(key=lambda run: run.seen_at_s or 0.0, reverse=True)
    ended = [run for run in found if not run.alive]
    return [run for run in found if run.alive] + ended[:recent]


def has_runs() -> bool:
    """Is any run known here, alive or not? Nothing is opened."""
    return bool(_kept())


def run_names() -> set[str]:
    """What the known runs are called. Nothing is opened: a shell asks while a person types."""
    return {parsed[0] for run_id in _kept() if (parsed := run_files.parse_run_id(run_id))}


def find_run(text: str, *, exact: bool = False) -> KnownRun:
    """The run of this name, PID or run id: the living one, else the newest. Raises `NoSuchRunError`.

    The beginning of a name will do, unless it is to be `exact`; what a name cannot hold counts as the `-` for it.
    """
    name = text if "/" in text else run_files.slug(text)
    called = [(run_id, *parsed) for run_id in _kept() if (parsed := run_files.parse_run_id(run_id))]
    if not any(
        text in (run_id, str(pid)) or name == known or (not exact and known.startswith(text))
        for run_id, known, pid in called
    ):  # by the names of files alone: nothing is read for a name that nobody has
        raise _no_such_run(text, {known for _, known, _ in called})
    runs = known_runs(recent=10_000)
    ways: list[Callable[[KnownRun], bool]] = [
        lambda run: text in (run.run_id, str(run.pid)),
        lambda run: name == run.name,
        lambda run: not run.rank and not {text, name}.isdisjoint(_launcher(run)),
        lambda run: not exact and run.name.startswith(text),
    ]
    meant = next((found for way in ways if (found := [run for run in runs if way(run)])), [])
    living = [run for run in meant if run.alive]
    if len(living) > 1:
        choices = ", ".join(str(run.pid) for run in living)
        raise NoSuchRunError(f"{len(living)} living runs are called {text!r}: name one by its PID: {choices}")
    if not meant:
        raise _no_such_run(text, {run.name for run in runs})
    return (living or meant)[0]


def _no_such_run(text: str, known: set[str]) -> NoSuchRunError:
    names = ", ".join(sorted(known)[:8]) or "none"
    closed = "".join(f". {line}" for line in closed_folders())
    near = did_you_mean(text, known)
    return NoSuchRunError(f"no run is called {text!r}{near}. Known here: {names}{closed}")


def other_ranks(run: KnownRun, among: Sequence[KnownRun] | None = None) -> list[KnownRun]:
    """The other ranks of `run` that recorded: called after it, started with it; one of them may have died.

    A launcher that starts all of them again after a fault does so within seconds. So of each rank it is the one
    that lives, or has ended, as `run` does, and began nearest to it; and none that was over when `run` began.
    They are looked for `among` the runs that are known already, or anew.
    """
    called = re.compile(rf"{re.escape(run.name)}-rank\d+")
    started_s = run_files.started_s(run.run_id)
    found: dict[str, tuple[bool, float, KnownRun]] = {}
    for other in known_runs(recent=10_000) if among is None else among:
        apart_s = abs(run_files.started_s(other.run_id) - started_s) if called.fullmatch(other.name) else math.inf
        if apart_s <= _TOGETHER_S and (other.alive or (other.seen_at_s or 0.0) >= (run.started_at_s or 0.0)):
            mine = found.get(other.name)
            if mine is None or (other.alive != run.alive, apart_s) < mine[:2]:
                found[other.name] = other.alive != run.alive, apart_s, other
    return [other for _, _, other in found.values()]


def _kept() -> dict[str, dict[str, Path]]:
    """The files of all runs, by run id and suffix. What is called like one and is of another kind is nobody's."""
    by_id: dict[str, dict[str, Path]] = {}
    for folder, suffix, is_kind in _KEPT:
        with contextlib.suppress(OSError):  # `closed_folders` says it
            for path in private.files_in(folder(), suffix, is_kind):
                run_id = path.name.removesuffix(suffix)
                if run_files.parse_run_id(run_id):
                    by_id.setdefault(run_id, {})[suffix] = path
    return {run_id: files for run_id, files in by_id.items() if files.keys() - {run_files.EXIT}}


def closed_folders() -> list[str]:
    """Why nothing is read in a folder where runs would be found, a line for each: it is not this user's."""
    found = {}
    for folder, *_ in _KEPT:
        try:
            private.check_folder(folder())
        except FileNotFoundError:
            pass
        except OSError as error:
            path = error.filename or folder()
            found[path] = f"{path}: {error.strerror}: nothing in it is read"
    return list(found.values())


def _known_run(run_id: str, files: dict[str, Path], with_newest: bool) -> KnownRun | None:  # noqa: FBT001
    parsed = run_files.parse_run_id(run_id)
    if parsed is None:
        return None
    address, recording, log = files.get(run_files.SOCKET), files.get(run_files.RECORDING), files.get(run_files.LOG)
    locked = recording or log
    alive = run_files.is_live(locked) if locked is not None else address is not None and answers(address)
    if address is not None and not alive and not answers(address):
        with contextlib.suppress(OSError):
            address.unlink()  # its trainer was killed: nobody else would ever remove it
        address = None
    if address is None and locked is None:
        return None
    name, pid = parsed
    run = KnownRun(
        run_id=run_id,
        name=name,
        pid=pid,
        alive=alive or address is not None,
        socket=str(address) if address else None,
        recording=str(recording) if recording else None,
        log=str(log) if log else None,
        seen_at_s=_modified_s(locked or address),
        ended="" if alive else (run_files.EXIT in files and _seen_end(run_id)) or "ended",
    )
    if recording is None:
        return run
    return _with_newest(run, recording) if with_newest or not run.alive else _with_first(run, recording)


def _merged(runs: list[KnownRun]) -> list[KnownRun]:
    """A training started by `itermon run` is one run: its recording and its output belong together.

    Where several trainers wrote to one output, one after another, nobody knows which of them printed what.
    """
    logs = {run.run_id: run.log for run in runs if run.log}
    recorded = Counter(run.started_as for run in runs if run.recording and not run.rank)
    return [
        msgspec.structs.replace(run, log=logs.get(run.started_as))
        if run.recording and not run.rank and recorded[run.started_as] == 1
        else run
        for run in runs
        if run.recording or not recorded[run.run_id]
    ]


def _launcher(run: KnownRun) -> tuple[str, ...]:
    """What the process that `itermon run` started is called: its run id, name and PID."""
    parsed = run_files.parse_run_id(run.started_as)
    return (run.started_as, parsed[0], str(parsed[1])) if parsed else ()


def _modified_s(path: Path | None) -> float | None:
    try:
        return path.stat().st_mtime if path is not None else None
    except OSError:
        return None


class _Newest(NamedTuple):
    """What the first line of a recording and its newest ones say."""

    info: RunInfo | None = None
    iteration: int | None = None
    iteration_s: float | None = None
    end: str = ""


_FIRSTS: dict[Path, RunInfo] = {}
_MOST_FIRSTS = 4_096


def first_of(recording: Path) -> RunInfo | None:
    """What the first line of a recording says: it never changes once it is there."""
    if recording not in _FIRSTS:
        try:
            with reading(recording, ours=True) as file:
                events = EventReader().feed(file.readline(MAX_LINE_BYTES))
        except OSError:
            return None
        info = next((event for event in events if type(event) is RunInfo), None)
        if info is None:
            return None
        if len(_FIRSTS) >= _MOST_FIRSTS:
            _FIRSTS.clear()
        _FIRSTS[recording] = info
    return _FIRSTS[recording]


@functools.lru_cache(maxsize=4_096)  # a list of runs that stands on a screen asks again and again
def _newest(recording: Path, size: int, modified_ns: int) -> _Newest | None:  # noqa: ARG001 - what it depends on
    info = first_of(recording)
    try:
        with reading(recording, ours=True) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _NEWEST_BYTES))
            events = EventReader().feed(file.read(_NEWEST_BYTES))
    except OSError:
        return None
    iterations = [event for event in events if type(event) is Iteration]
    times = [event.duration_s for event in iterations if event.duration_s is not None]
    ends = [event.reason for event in events if type(event) is End]
    newest = iterations[-1].index if iterations else None
    return _Newest(info, newest, median(times) if times else None, ends[-1] if ends else "")


def _with_newest(run: KnownRun, recording: Path) -> KnownRun:
    """`run` with what the first line of its recording and the newest ones contain."""
    try:
        about = recording.stat()
    except OSError:
        return run
    newest = _newest(recording, about.st_size, about.st_mtime_ns)
    if newest is None:
        return run
    info = newest.info
    run = msgspec.structs.replace(
        run,
        iteration=newest.iteration,
        iteration_s=newest.iteration_s,
        ended="" if run.alive else _end_of_launched(info) or newest.end or EndReason.LOST,
    )
    return _with_first(run, recording)


def _with_first(run: KnownRun, recording: Path) -> KnownRun:
    """`run` with what the first line of its recording says."""
    info = first_of(recording)
    return (
        run
        if info is None
        else msgspec.structs.replace(run, started_as=info.output, rank=info.rank, started_at_s=info.started_at_s)
    )


def _end_of_launched(info: RunInfo | None) -> str:
    return _seen_end(info.output) if info is not None and info.output else ""


def _seen_end(run_id: str) -> str:
    """How a training of `itermon run` has ended, where its exit code says more than itself."""
    end = end_of(run_id)
    return "" if end is None or end.exit_code == 0 else end.reason


def age_s(run: KnownRun, now_s: float | None = None) -> float | None:
    """Seconds since the run last wrote anything."""
    return None if run.seen_at_s is None else max(0.0, (time.time() if now_s is None else now_s) - run.seen_at_s)
