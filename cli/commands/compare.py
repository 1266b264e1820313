"""`itermon compare A B`: two runs side by side, on their normal iterations."""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..printing import harmless, print_json, print_text
from .completion import runs_and_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..sources import GpuLog


def _gpu_logs_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--gpu-log`. The command gets what is beside each run as `gpu_logs`."""

    @wraps(command)
    def with_gpu_logs(gpu_log: tuple[Path, ...], **arguments: Any) -> Any:
        if len(gpu_log) > 2:
            raise click.BadParameter("A and B have one recording each, or one together.", param_hint="--gpu-log")
        from ..sources import GpuLog

        logs: list[GpuLog | None] = [GpuLog(path) for path in gpu_log] or [None]
        return command(gpu_logs=(logs[0], logs[-1]), **arguments)

    return click.option(
        "--gpu-log",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        multiple=True,
        help="a recording of the GPUs beside A and B: one that holds both, or A's and then B's",
    )(with_gpu_logs)


@click.command(name="compare")
@click.argument("a", required=False, shell_complete=runs_and_files)
@click.argument("b", required=False, shell_complete=runs_and_files)
@click.option(
    "--gpu-name",
    metavar="NAME",
    type=harmless,
    help='GPU of both runs, if they come from another machine: "NVIDIA H200"',
)
@click.option("--json", "as_json", is_flag=True, help="print JSON")
@click.option("--markdown", "as_markdown", is_flag=True, help="print Markdown, for a comment on a pull request")
@_gpu_logs_option
def command(
    a: str | None,
    b: str | None,
    gpu_logs: tuple[GpuLog | None, GpuLog | None],
    *,
    gpu_name: str | None,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Compare two runs: time per iteration and token, MFU, each cause of slowness, loss at equal tokens.

    A is the run before and B the run after: every ratio is B over A. Both are log files, or names of runs; on a
    terminal, those that are not named are chosen from a list. Medians of normal
    iterations are compared, so that an evaluation does not count, and the interval says how sure the ratio is.
    """
    from ...analysis.whatif.compare import compare
    from ...events import Config
    from ..picking import choose_run
    from ..reading import read_to_the_end
    from ..sources import OpenOptions, open_sources

    if as_json and as_markdown:
        raise click.UsageError("--json or --markdown, not both.")
    usage = "itermon compare A B"
    a = a or choose_run("compare: which run is A, the one before?", usage, logs=True)
    b = b or (a and choose_run(f"compare {a}: with which run B, the one after?", usage, logs=True))
    if not (a and b):
        raise click.UsageError(f"Which two runs? {usage}")
    options = OpenOptions([Config(origin="--gpu-name", gpu_name=gpu_name)] if gpu_name else [])
    pairs = zip((a, b), gpu_logs, strict=True)
    found = compare(*(read_to_the_end(open_sources([path], options._replace(gpu_log=log))) for path, log in pairs))
    if as_json:
        print_json(found)
    elif as_markdown:
        from ...reports.markdown.compare_markdown import compare_markdown

        print_text(compare_markdown(found).rstrip("\n"))
    else:
        from ...reports.compare_text import compare_text

        print_text(compare_text(found).rstrip("\n"))
