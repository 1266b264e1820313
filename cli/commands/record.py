"""`itermon record`: any run, with this machine's samples, into one file that `itermon replay` plays."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..exits import NoInputError
from ..options import machine_options, run_options
from ..printing import print_note

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    from ...collectors.run_and_machine import RunAndMachineSource
    from ...events import FAILED, encode_all, singly

    run = _open(sources, settings, machine)
    count = 0
    stop = threading.Event()
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise click.BadParameter(f"{output} is there already: it is not overwritten", param_hint="-o") from None
    except OSError as error:
        raise click.BadParameter(f"{output}: {error.strerror}", param_hint="-o") from None
    with os.fdopen(descriptor, "wb") as file:
        try:
            for batch in RunAndMachineSource(*run).batches(stop):
                if batch.state == FAILED:
                    raise NoInputError(batch.note)
                if not batch.preview:
                    events = [*singly(batch.events)]
                    file.write(encode_all(events))
                    file.flush()
                    count += len(events)
        except KeyboardInterrupt:
            stop.set()
        finally:
            if not count:
                output.unlink(missing_ok=True)  # there was nothing, and the next attempt is not to be refused
    if not count:
        print_note("nothing was recorded")
        return
    print_note(f"{count:,} events recorded. Play them: itermon replay {output}")


def _open(texts: Sequence[str], settings: list[Config], machine: Machine) -> tuple[Source, list[Source]]:
    """The run, and the samples beside it."""
    from ...collectors.settings import ConfiguredSource
    from ..runs import living_pid, open_run
    from ..sources import STANDARD_INPUT, open_sources

    text = texts[0]
    if len(texts) > 1 or text == STANDARD_INPUT or _is_file(text):
        return open_sources(texts, settings, follow=True), machine.sources(log=text)
    pid = living_pid(text)
    return ConfiguredSource(open_run(text), settings), machine.sources(pid=pid) if pid else []


def _is_file(text: str) -> bool:
    try:
        return stat.S_ISREG(os.stat(text).st_mode)  # noqa: PTH116 - a name is no path
    except OSError:
        return False
