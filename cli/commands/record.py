"""`itermon record`: any run, with this machine's samples, into one file that `itermon replay` plays."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from ...words import plural
from ..exits import NoInputError
from ..options import created, machine_options, run_options
from ..printing import print_note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...collectors.source import Source
    from ...events import Config
    from ..options import Machine


@click.command(name="record")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="the file to write"
)
@machine_options
@run_options
def command(sources: tuple[str, ...], output: Path, settings: list[Config], machine: Machine) -> None:
    """Record a run until it ends, or until Ctrl-C, with the samples of this machine's GPUs and processes.

    SOURCE is a log (several are files of one run), - for standard input, or what `itermon attach` takes. The file
    is JSON Lines; `itermon replay FILE` plays it with everything the live screen had.
    """
    source = _open(sources, settings, machine)
    descriptor = created(output, "-o")
    count = 0
    with os.fdopen(descriptor, "wb") as file:
        try:
            for count in _write(source, file):  # noqa: B007 - the last count is what Ctrl-C leaves
                pass
        except KeyboardInterrupt:
            pass  # the person has seen enough: what was written is whole
        finally:
            if not count:
                output.unlink(missing_ok=True)  # there was nothing, and the next attempt is not to be refused
    if not count:
        print_note("nothing was recorded")
        return
    print_note(f"{plural(count, 'event')} recorded. To play: itermon replay {output}")


def _write(source: Source, file: IO[bytes]) -> Iterator[int]:
    """Write all events of `source`, batch after batch; yields how many were written so far."""
    from ...events import SourceState, encode_all, expand

    stop, count = threading.Event(), 0
    try:
        for batch in source.batches(stop):
            if batch.state == SourceState.FAILED:
                raise NoInputError(batch.note)
            if not batch.preview:
                events = [*expand(batch.events)]
                file.write(encode_all(events))
                file.flush()
                count += len(events)
                yield count
    finally:
        stop.set()


def _open(texts: Sequence[str], settings: list[Config], machine: Machine) -> Source:
    """The run, with this machine's samples."""
    from ...collectors.run_and_machine import RunAndMachineSource
    from ...collectors.settings import ConfiguredSource
    from ..runs import living_pid, open_run
    from ..sources import STANDARD_INPUT, OpenOptions, open_sources

    text = texts[0]
    if len(texts) > 1 or text == STANDARD_INPUT or _is_file(text):
        source = open_sources(texts, OpenOptions(settings, follow=True))
        return RunAndMachineSource(source, machine.sources(log=text))
    pid = living_pid(text)
    source = ConfiguredSource(open_run(text), settings)
    return RunAndMachineSource(source, machine.sources(pid=pid) if pid else [])


def _is_file(text: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(text).st_mode)  # noqa: PTH116 - a name is no path
    except OSError:
        return False
