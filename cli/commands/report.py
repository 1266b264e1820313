"""`itermon report PATH`: what the screen would say, as text or as JSON. Never imports the screen."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import click

from ..exits import UNHEALTHY, NotALogError
from ..options import column_option, run_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...analysis.run import Run
    from ...collectors.log_formats.base import LogFormat
    from ...collectors.source import Source
    from ...events import Config


@click.command(name="report")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--pid", type=click.IntRange(min=1), metavar="PID", help="without PATH: the process whose log is meant"
)
@click.option(
    "--json", "as_json", is_flag=True, help="print JSON; its schema_version grows when a field changes its meaning"
)
@click.option("--check", is_flag=True, help=f"exit with {UNHEALTHY} if the run is not healthy")
@column_option
@run_options
def command(
    paths: tuple[str, ...],
    settings: list[Config],
    formats: Sequence[LogFormat] | None,
    *,
    pid: int | None,
    as_json: bool,
    check: bool,
) -> None:
    """Print what is known of a run: its speed, where the time went, each slow iteration and why, the verdict.

    PATH is a log file, a directory (the newest log in it), the name of a run that `itermon attach` lists, or - for
    standard input, which is read to its end; without PATH, --pid finds the log that a process writes. Several are
    of one run: its output and its errors, or the recordings of its ranks.
    """
    from ..finding import logs_of
    from ..sources import open_sources

    source = open_sources(logs_of(paths, pid), settings, follow=False, formats=formats)
    print_report(source, as_json=as_json, check=check)


def print_report(source: Source, *, as_json: bool, check: bool) -> None:
    """Read `source` to its end and print the findings. Exits with `UNHEALTHY` if asked to `check`."""
    findings = read_to_the_end(source).findings(spikes=None)
    if as_json:
        import msgspec

        click.echo(msgspec.json.format(msgspec.json.encode(findings), indent=2))
    else:
        from ...reports.report_text import report

        click.echo(report(findings, title=source.title), nl=False)
    if check and findings.verdict.healthy is False:
        raise SystemExit(UNHEALTHY)


def read_to_the_end(source: Source) -> Run:
    """The run of which `source` tells. Raises `NotALogError` where there was no iteration in it."""
    from ...analysis.run import Run
    from ...events import FAILED

    run = Run()
    note = ""
    for batch in source.batches(threading.Event()):
        if not batch.preview:
            run.apply(batch.events)
        note = batch.note or note
        if batch.state == FAILED:
            break
    if not len(run.columns):
        verdict = run.findings().verdict
        why = " ".join((verdict.headline, *verdict.evidence)) if verdict.kind == "failed" else ""
        raise NotALogError(f"{note or f'{source.title}: no iteration in it.'} {why}".rstrip())
    return run
