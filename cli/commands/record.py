"""`itermon record`: any run, with this machine's samples, into one file that `itermon replay` plays."""

from __future__ import annotations

import os
import stat
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..exits import NoInputError, NotALogError
from ..options import machine_options, run_options
from ..printing import print_note
from ..writing import created
from .completion import runs_and_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...collectors.host.writer import Writing
    from ...collectors.source import Source
    from ...events import Config
    from ..options import Machine

_SILENT_S = 600.0  # a checkpoint of a large model takes minutes


@click.command(name="record")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", shell_complete=runs_and_files)
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="the file to write"
)
@click.option("--follow-forever", is_flag=True, help="go on when nobody writes the log any more")
@machine_options
@run_options
def command(
    sources: tuple[str, ...], output: Path, settings: list[Config], machine: Machine, *, follow_forever: bool
) -> None:
    """Record a run until it ends, or until Ctrl-C, with the samples of this machine's GPUs and processes.

    SOURCE is a log (several are files of one run), - for standard input, or what `itermon attach` takes. A log
    ends when the process that wrote it has, and nothing more came; one that no process here is seen to write, when
    it was silent for ten minutes. The file is JSON Lines; `itermon replay FILE` plays it with everything the live
    screen had.
    """
    from ..recorder import Recorder

    logs = list(sources) if len(sources) > 1 or _is_file(sources[0]) else []
    writing = _writing(logs, follow_forever=follow_forever)
    source, samplers = _open(sources, logs, settings, machine, writing)
    descriptor = created(output, "-o")
    with os.fdopen(descriptor, "wb") as file:
        recorder = Recorder(source, file, partial(_unwritten, writing))
        try:
            why = recorder.record(samplers)
        finally:
            if not recorder.count:
                output.unlink(missing_ok=True)  # there was nothing, and the next attempt is not to be refused
    if not recorder.count and recorder.failed:
        raise NoInputError(recorder.failed)
    if not recorder.count:
        print_note(f"nothing was recorded: {why}")
        return
    print_note(f"{why}: {recorder.summary()}. To play: itermon replay {output}")
    if recorder.failed:
        raise NotALogError(f"{recorder.failed}. Recorded is what came before.")


def _open(
    texts: Sequence[str], logs: Sequence[str], settings: list[Config], machine: Machine, writing: Writing | None
) -> tuple[Source, Sequence[Source]]:
    """The run, and this machine's samples of it."""
    from ...collectors.settings import ConfiguredSource
    from ..runs import living_pid, open_run
    from ..sources import STANDARD_INPUT, OpenOptions, open_sources

    text = texts[0]
    if logs or text == STANDARD_INPUT:
        options = OpenOptions(settings, follow=True)
        if writing:
            options = options._replace(writer_lives=writing.lives)
        return open_sources(texts, options), machine.sources(log=text)
    pid = living_pid(text)
    return ConfiguredSource(open_run(text), settings), machine.sources(pid=pid) if pid else []


def _writing(logs: Sequence[str], *, follow_forever: bool) -> Writing | None:
    """Who writes the logs, where that is to count."""
    from ...collectors.host.writer import Writing

    return Writing(logs) if logs and not follow_forever else None


def _unwritten(writing: Writing | None) -> str:
    """Why no more is to be expected of a log whose writer nobody has seen."""
    if writing is None or not writing.lives() or writing.is_seen or writing.silent_s < _SILENT_S:
        return ""
    return "nobody here is seen to write it, and nothing came for ten minutes (--follow-forever waits on)"


def _is_file(text: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(text).st_mode)  # noqa: PTH116 - a name is no path
    except OSError:
        return False
