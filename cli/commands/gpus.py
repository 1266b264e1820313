"""`itermon gpus`: what the driver gives here, field by field, and what not; or over time, into a file."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from ...words import plural
from ..options import Number
from ..printing import print_json, print_note, print_text
from ..writing import created

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...collectors.sampling import Sampler


@click.command(name="gpus")
@click.option("--gpu", "gpus", metavar="LIST", help="only these: numbers as in nvidia-smi, or UUIDs")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
@click.option(
    "--watch", is_flag=True, help="write a line a GPU, again and again until Ctrl-C, as nvidia-smi does (CSV)"
)
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="with --watch: into this new file"
)
@click.option(
    "--every", type=Number(min=0.1, max=3600), metavar="SECONDS", help="with --watch: how often; 1 if not given"
)
def command(gpus: str | None, output: Path | None, every: float | None, *, as_json: bool, watch: bool) -> None:
    """Print what the driver reports about every GPU, field by field, and why a field is not there.

    For bug reports, and to see what itermon can know on this machine. It asks twice, a second apart. With --watch
    it records them for later: itermon report train.log --gpu-log gpu.csv.
    """
    if watch:
        _watch(gpus, output, every or 1.0, as_json=as_json)
        return
    if output is not None or every is not None:
        raise click.UsageError("-o and --every belong to --watch: itermon gpus --watch -o gpu.csv")
    _print(gpus, as_json=as_json)


def _print(gpus: str | None, *, as_json: bool) -> None:
    from ...collectors.gpu_sampler import gpu_sampler
    from ...collectors.nvml.inspection import inspect

    found = inspect(sampler=gpu_sampler(gpus or "all"))
    if as_json:
        import msgspec

        # Every field, absent ones as null: events leave them out.
        whole = {**msgspec.structs.asdict(found), "gpus": [msgspec.structs.asdict(gpu) for gpu in found.gpus]}
        print_json(whole)
        return
    if found.trouble:
        print_text(found.trouble)
        return
    from ...reports.gpus_text import gpus_text

    facts = {
        "driver": found.driver,
        "NVML": found.nvml,
        **found.package,
        **found.environment,
    }
    print_text(gpus_text(found.gpus, facts, found.took_s, found.messages).rstrip("\n"))


def _watch(gpus: str | None, output: Path | None, every_s: float, *, as_json: bool) -> None:
    from ...collectors.gpu_sampler import gpu_sampler

    if as_json:
        raise click.UsageError("--watch writes CSV, as nvidia-smi does; --json prints what there is now.")
    sampler = gpu_sampler(gpus or "all")
    if output is None:
        write_samples(sampler, sys.stdout, every_s)
        return
    with os.fdopen(created(output, "-o"), "w", encoding="utf-8") as file:
        rows = 0
        try:
            rows = write_samples(sampler, file, every_s)
        finally:
            if not file.tell():
                output.unlink(missing_ok=True)  # there was nothing, and the next attempt is not to be refused
    print_note(f"{output}: {plural(rows, 'sample')}. To look at them beside a log: itermon LOG --gpu-log {output}")


def write_samples(
    sampler: Sampler, file: TextIO, every_s: float, sleep: Callable[[float], object] = time.sleep
) -> int:
    """Write what `sampler` gives into `file`, pass by pass, until Ctrl-C. Returns how many samples there were.

    Raises `NoInputError` where there is no GPU: the message says why.
    """
    from ...collectors.gpu_logs.writing import HEADING, row
    from ...events import GpuSample, Message
    from ..exits import NoInputError

    rows = 0
    try:
        while True:
            events = sampler.sample()
            samples = [event for event in events if isinstance(event, GpuSample) and not event.lost]
            said = [event.text for event in events if isinstance(event, Message)]
            if not rows and not samples:
                raise NoInputError(said[0] if said else "no GPU answers.")
            for text in said:
                print_note(text)
            file.write(("" if rows else HEADING) + "".join(map(row, samples)))
            file.flush()
            rows += len(samples)
            sleep(every_s)
    except KeyboardInterrupt:
        return rows
    finally:
        sampler.close()
