"""From what was typed to a source, or to one line that says why there is none."""

from __future__ import annotations

import os
import stat
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from .exits import NoInputError
from .runs import run_called, source_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..collectors.log_formats.base import LogFormat
    from ..collectors.logs.text import LogText
    from ..collectors.settings import ConfiguredSource
    from ..collectors.source import Source
    from ..events import Config


STANDARD_INPUT = "-"
"""As a path: what is piped into itermon."""


def open_stream(settings: Sequence[Config], formats: Sequence[LogFormat] | None = None) -> ConfiguredSource:
    """What is piped into itermon. The keys then come from the terminal itself, if there is one."""
    from ..collectors.logs.stdin import StreamSource
    from ..collectors.settings import ConfiguredSource

    if os.isatty(0):
        raise NoInputError("- reads what is piped in, and here is only the keyboard: python train.py | itermon -")
    stream = os.dup(0)
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        pass  # no terminal: there will be a report, without keys
    else:
        os.dup2(terminal, 0)
        os.close(terminal)
    return ConfiguredSource(StreamSource(stream, formats=formats), settings)


def open_sources(
    paths: Sequence[str],
    settings: Sequence[Config],
    *,
    follow: bool,
    wait: bool = False,
    formats: Sequence[LogFormat] | None = None,
) -> ConfiguredSource:
    """The log at `paths`; several are files of one run: its output and its errors, or the recordings of its ranks.

    Raises `NoInputError`.
    """
    if len(paths) == 1:
        return open_source(paths[0], settings, follow=follow, wait=wait, formats=formats)
    from ..collectors.logs.finding import find_log
    from ..collectors.logs.log_source import LogSource
    from ..collectors.logs.merged import MergedSource, UndecidedSource
    from ..collectors.runs.ranks import RanksSource
    from ..collectors.runs.recording import RecordingSource, is_recording
    from ..collectors.settings import ConfiguredSource

    for path in paths:
        if not (wait and follow) and not stat.S_ISREG(check_readable(path)):
            raise NoInputError(f"{path}: of several PATHs each has to be a file of the same run.")
    files = list(dict.fromkeys(map(Path, paths)))
    if len(files) > 1 and all(map(is_recording, files)):
        return ConfiguredSource(RanksSource([RecordingSource(file, follow=follow) for file in files]), settings)

    def merged(log: Path, text: LogText | None = None) -> MergedSource:
        others = [LogSource(file, follow=follow, formats=formats, secondary=True) for file in files if file != log]
        return MergedSource(LogSource(log, follow=follow, formats=formats, text=text), others)

    if (found := find_log(files)) or not follow:
        return ConfiguredSource(merged(found.path if found else files[0]), settings)
    return ConfiguredSource(UndecidedSource(files, merged), settings)


def open_source(
    path: str,
    settings: Sequence[Config],
    *,
    follow: bool,
    wait: bool = False,
    formats: Sequence[LogFormat] | None = None,
) -> ConfiguredSource:
    """The log at `path`, followed or read to its end.

    `-` is standard input, a directory means the newest log in it (TensorBoard's event files are one together), a
    named pipe is read as it comes, and what is no file may be the name of a run that this machine knows. With
    `wait` and `follow` the file need not be there yet. `formats` are those that it may have, if not all. Raises
    `NoInputError`.
    """
    if path == STANDARD_INPUT:
        return open_stream(settings, formats)
    from ..collectors.settings import ConfiguredSource

    return ConfiguredSource(_source_at(path, follow=follow, wait=wait, formats=formats), settings)


def _source_at(path: str, *, follow: bool, wait: bool, formats: Sequence[LogFormat] | None) -> Source:
    from ..collectors.logs.log_source import LogSource

    log = Path(path)
    if wait and follow and not os.path.lexists(path):
        return LogSource(log, follow=True, formats=formats)
    if not os.path.lexists(path) and (run := run_called(path)):
        return source_of(run, follow=follow)
    mode = check_readable(path)
    if stat.S_ISDIR(mode):
        from .finding import log_in

        log = log_in(log)
    elif not stat.S_ISREG(mode):
        from ..collectors.logs.stdin import StreamSource

        return StreamSource(os.open(path, os.O_RDONLY), title=path, formats=formats)
    if log.is_dir() or _is_event_file(log):
        from ..collectors.trackers.tensorboard import TensorBoardSource

        return TensorBoardSource(log, follow=follow, formats=formats)
    return LogSource(log, follow=follow, formats=formats)


def _is_event_file(path: Path) -> bool:
    from ..collectors.trackers.tensorboard import is_event_file

    return is_event_file(path)


def check_readable(path: str) -> int:
    """Say at once, and before a screen is drawn, why `path` cannot be read. Returns its mode (`st_mode`).

    Raises `NoInputError`.
    """
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISREG(mode) or stat.S_ISDIR(mode):  # to open and close a pipe would end its writer
            os.close(os.open(path, os.O_RDONLY))
    except FileNotFoundError:
        raise NoInputError(f"{path}: no such file.{_did_you_mean(path)}") from None
    except PermissionError:
        raise NoInputError(f"{path}: no permission to read it. Ask its owner, or: chmod +r") from None
    except (OSError, ValueError) as error:
        raise NoInputError(f"{path}: {getattr(error, 'strerror', None) or error}.") from None
    return mode


def _did_you_mean(path: str) -> str:
    from .main import COMMANDS

    folder = Path(path).parent
    names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - names, not paths
    command = get_close_matches(path, COMMANDS, n=1)
    if command:
        return f" Did you mean the command `itermon {command[0]}`?"
    file = get_close_matches(Path(path).name, names, n=1, cutoff=0.75)
    return f" Did you mean {folder / file[0]}?" if file else " If it will come: itermon watch --wait PATH"
