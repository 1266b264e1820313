"""`itermon report PATH`: what the screen would show, as text or as JSON. Never imports the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..exits import UNHEALTHY
from ..options import WholeNumber, read_options
from .completion import runs_and_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...collectors.settings import ConfiguredSource
    from ..sources import OpenOptions


@click.command(name="report")
@click.argument("paths", nargs=-1, metavar="[PATH]...", shell_complete=runs_and_files)
@click.option("--pid", type=WholeNumber(min=1), metavar="PID", help="without PATH: the process whose log is meant")
@click.option(
    "--json", "as_json", is_flag=True, help="print JSON; its schema_version grows when a field changes its meaning"
)
@click.option(
    "--markdown",
    "as_markdown",
    is_flag=True,
    help="print Markdown for a comment on GitHub, of at most 65,536 characters",
)
@click.option(
    "--html",
    "html",
    metavar="FILE",
    help="write a page for a browser into FILE: one file, at most 300 kB, that loads nothing; what is there is"
    " replaced only if it is such a page",
)
@click.option(
    "--check",
    is_flag=True,
    help=f"exit with {UNHEALTHY} if the run is not healthy: it failed or ends before its last iteration, its"
    " loss is nan, exactly 0 or far above its best, it is slower than it could be, or an incident of severity"
    " error lasts: it is said on standard error",
)
@click.option(
    "--attempts", is_flag=True, help="of all attempts of the training that the run PATH is one of, as one run"
)
@read_options
def command(
    paths: tuple[str, ...],
    options: OpenOptions,
    *,
    pid: int | None,
    as_json: bool,
    as_markdown: bool,
    html: str | None,
    check: bool,
    attempts: bool,
) -> None:
    """Print what is known of a run: its speed, where the time went, each slow iteration and why, the verdict.

    --json and --markdown print it in another form, --html writes a page with a chart to zoom. What is made to be
    shown to others holds what the log says of names and settings: look before you paste.

    PATH is a log file, a directory (the newest log in it), the name of a run that `itermon attach` lists, or - for
    standard input, which is read to its end; without PATH, --pid finds the log that a process writes. Several are
    of one run: its output and its errors, or the recordings of its ranks.
    """
    from ..finding import logs_of
    from ..reading import print_report
    from ..sources import open_sources
    from ..writing import place_for

    if as_json and as_markdown:
        raise click.UsageError("--json or --markdown, not both.")
    place = place_for(html) if html is not None else None
    if not paths and pid is None:
        from ..picking import choose_run

        chosen = choose_run("a report of which run?", "itermon report RUN", logs=True)
        paths = () if chosen is None else (chosen,)
    known = _of_attempts(paths, options) if attempts else None
    source = known or open_sources(logs_of(paths, pid, options.run), options)
    form = "json" if as_json else "markdown" if as_markdown else ""
    print_report(source, form, html=place, check=check)


def _of_attempts(paths: Sequence[str], options: OpenOptions) -> ConfiguredSource:
    from ...collectors.settings import ConfiguredSource
    from ..runs import all_attempts

    if len(paths) != 1:
        raise click.UsageError("--attempts goes with the name of one run.")
    return ConfiguredSource(all_attempts(paths[0]), options.settings)
