"""From the paths that a person typed to a source, or to one line that says why there is none."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..collectors.files.watch import POLL_S
from ..opening import open_file, open_folder, open_pipe, read_bytes
from . import piped
from .command_names import COMMANDS
from .exits import NoInputError, NotALogError
from .runs import run_called, run_kept_at, source_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..collectors.log_formats.base import LogFormat
    from ..collectors.logs.text import LogText
    from ..collectors.settings import ConfiguredSource
    from ..collectors.source import Source
    from ..events import Config


STANDARD_INPUT = "-"
"""As a path: what is piped into itermon."""

_HEAD_BYTES = 1 << 12
_OF_GPUS = (b"gpu", b"power", b"util", b"temp", b"watt", b"entity")
"""One of these stands in the heading of each recording of GPUs."""


class GpuLog(NamedTuple):
    """A recording, and what is added to its times; `None`: that is found out."""

    path: Path
    offset_s: float | None = None

    def beside(self, source: Source, *, follow: bool) -> Source:
        """`source` with the samples of the recording.

        Raises `NotALogError` where the file is none; one that is still empty may become one.
        """
        from ..collectors.gpu_logs.joined import WithGpuLog
        from ..collectors.gpu_logs.recording import NotARecordingError, Recording

        recording = Recording(self.path, follow=follow)
        try:
            next(recording.new(), None)
        except NotARecordingError as error:
            raise NotALogError(f"{self.path}: {error}.") from None
        finally:
            recording.close()
        return WithGpuLog(source, self.path, offset_s=self.offset_s, follow=follow)


class OpenOptions(NamedTuple):
    """How to open a source: the same for all files of a run."""

    settings: Sequence[Config] = ()
    """What the person says of the run: it wins over what the log says."""

    formats: Sequence[LogFormat] | None = None
    """Those that a log may have; `None`: all."""

    follow: bool = False
    """Read on as the file grows, instead of to its end."""

    wait: bool = False
    """With `follow`: the file need not be there yet."""

    writer_lives: Callable[[], bool | None] = lambda: True
    """With `follow`: whether a log is still written to; once it is not, its end is the end.
    `None`: its writer is gone, and another may go on."""

    tee: int | None = None
    """Of standard input: the file that keeps what is piped in."""

    gpu_log: GpuLog | None = None
    """A recording of the run's GPUs."""

    poll_s: float = POLL_S
    """Of one log, between two looks at it: 0 where its reader comes back, see `Source.never_waits`."""

    run: str = ""
    """Of a folder or a database with several runs, the one that is called so; "" is the newest."""


def open_sources(paths: Sequence[str], options: OpenOptions) -> ConfiguredSource:
    """The run that `paths` mean: several are its output and its errors, or the recordings of its ranks.

    Args:
        paths: each a log file; or one alone, which may also be `-` (standard input), a directory (the newest log
            in it; TensorBoard's event files are one log together; the newest run of W&B, MLflow or trackio), a
            named pipe, or the name of a known run.
        options: how to open it.

    Raises:
        NoInputError: there is nothing to read; the message says why, and what to do.
    """
    from ..collectors.settings import ConfiguredSource

    source = _open_one(paths[0], options) if len(paths) == 1 else _open_several(paths, options)
    if options.gpu_log is not None:
        source = options.gpu_log.beside(source, follow=options.follow)
    return ConfiguredSource(source, options.settings)


def _open_one(path: str, options: OpenOptions) -> Source:
    from ..collectors.logs.log_source import LogSource
    from ..collectors.trackers import known as trackers

    if path == STANDARD_INPUT:
        return _open_standard_input(options)
    log = Path(path)
    is_there = os.path.lexists(path)
    if not is_there and options.wait and options.follow:
        return LogSource(log, follow=True, formats=options.formats)
    if run := run_kept_at(log) if is_there else run_called(path):
        return source_of(run, follow=options.follow)
    mode, dumps = check_readable(path), None
    if stat.S_ISDIR(mode):
        from .finding import log_in

        log = log_in(log, options.run)
        dumps = _dumps_in(log)
    elif not stat.S_ISREG(mode):
        from ..collectors.logs.stdin import StreamSource

        pipe = open_pipe(log)
        return StreamSource(pipe, title=path, formats=options.formats, read=piped.begin(pipe, same_job=False).read)
    tracked = dumps or trackers.source_of(log, follow=options.follow, formats=options.formats, named=options.run)
    if tracked is not None:
        return tracked
    if options.run:
        raise NoInputError(f"{path}: no tracker's record: --run chooses one of the runs in such a file or folder.")
    _refuse_gpus_alone(log)
    source = LogSource(
        log,
        follow=options.follow,
        formats=options.formats,
        writer_lives=options.writer_lives,
        poll_s=options.poll_s,
    )
    source.shows_end_first = options.follow
    return trackers.with_runs_beside(source, log, follow=options.follow, formats=options.formats)


def _dumps_in(folder: Path) -> Source | None:
    """The flight recorder dumps in a folder as a source; `None` if there are none."""
    from ..collectors.collective_dumps.source import DumpsSource, dumps_in

    dumps = dumps_in(folder) if folder.is_dir() else {}
    return DumpsSource(folder, dumps) if dumps else None


def _refuse_gpus_alone(path: Path) -> None:
    """Raises `NotALogError` where `path` is a recording of GPUs: it says what they did, and nothing of a run."""
    try:
        head = read_bytes(path, _HEAD_BYTES).lower()
    except OSError:
        return
    if not any(word in head for word in _OF_GPUS):  # nearly no log: what reads recordings takes 15 ms to import
        return
    from ..collectors.gpu_logs.recording import is_recording

    if is_recording(path):
        alone = f"{path}: a recording of GPUs, with no training in it."
        raise NotALogError(f"{alone} Give it beside a log: itermon train.log --gpu-log {path}")


def _open_standard_input(options: OpenOptions) -> Source:
    """What is piped into itermon. The keys then come from the terminal itself, if there is one."""
    from ..collectors.logs.stdin import StreamSource

    if os.isatty(0):
        raise NoInputError("- reads what is piped in, and here is only the keyboard: python train.py | itermon -")
    stream = os.dup(0)
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC | os.O_NOCTTY)
    except OSError:
        pass  # no terminal: there will be a report, without keys
    else:
        os.dup2(terminal, 0)
        os.close(terminal)
    piped_in = piped.begin(stream, options.tee)
    return StreamSource(stream, formats=options.formats, read=piped_in.read)


def _open_several(paths: Sequence[str], options: OpenOptions) -> Source:
    from ..collectors.logs.finding import find_log
    from ..collectors.logs.log_source import LogSource
    from ..collectors.logs.merged import MergedSource, UndecidedSource
    from ..collectors.runs.ranks import RanksSource
    from ..collectors.runs.recording import RecordingSource, is_recording

    follow, formats, lives = options.follow, options.formats, options.writer_lives
    for path in paths:
        if not (options.wait and follow) and not stat.S_ISREG(check_readable(path)):
            raise NoInputError(f"{path}: of several PATHs each has to be a file of the same run.")
    files = list(dict.fromkeys(map(Path, paths)))
    if len(files) > 1 and all(map(is_recording, files)):
        return RanksSource([RecordingSource(file, follow=follow) for file in files])

    def merged(log: Path, text: LogText | None = None) -> MergedSource:
        opened = partial(LogSource, follow=follow, formats=formats, writer_lives=lives)
        others = [opened(file, secondary=True) for file in files if file != log]
        return MergedSource(opened(log, text=text), others)

    if (found := find_log(files)) or not follow:
        return merged(found.path if found else files[0])
    return UndecidedSource(files, merged)


def check_readable(path: str) -> int:
    """Find out at once, and before a screen is drawn, whether `path` can be read. Returns its mode (`st_mode`).

    Raises:
        NoInputError: it cannot be read; the message says why.
    """
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            os.close(open_folder(Path(path)))
        elif not stat.S_ISFIFO(mode):  # to open and close a pipe would end its writer
            os.close(open_file(Path(path)))
    except FileNotFoundError:
        raise NoInputError(f"{path}: no such file.{_did_you_mean(path)}") from None
    except PermissionError:
        raise NoInputError(f"{path}: no permission to read it. Ask its owner, or: chmod +r") from None
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror or error}.") from None
    except ValueError as error:  # a zero byte in the name
        raise NoInputError(f"{path}: {error}.") from None
    return mode


def _did_you_mean(path: str) -> str:
    from difflib import get_close_matches

    folder = Path(path).parent
    names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208 - names, not paths
    command = get_close_matches(path, COMMANDS, n=1)
    if command:
        return f" Did you mean the command `itermon {command[0]}`?"
    file = get_close_matches(Path(path).name, names, n=1, cutoff=0.75)
    return f" Did you mean {folder / file[0]}?" if file else " If it will come: itermon watch --wait PATH"


def followed_log(paths: Sequence[str], options: OpenOptions) -> ConfiguredSource:
    """A log that grows, for whoever comes back: read without a thread of its own where that can be."""
    from ..collectors.host.writer import Writing

    writing = Writing(paths)
    asked = options._replace(follow=True, writer_lives=lambda: writing.lives() or None)
    source = open_sources(paths, asked._replace(poll_s=0.0))
    return source if source.never_waits else open_sources(paths, asked)  # its parts wait, each in its thread
