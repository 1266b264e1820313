"""`itermon compare A B`: two runs side by side, on their normal iterations."""

from __future__ import annotations

import click

from ..printing import harmless, print_json, print_text


@click.command(name="compare")
@click.argument("a")
@click.argument("b")
@click.option(
    "--gpu-name",
    metavar="NAME",
    type=harmless,
    help='GPU of both runs, if they come from another machine: "NVIDIA H200"',
)
@click.option("--json", "as_json", is_flag=True, help="print JSON")
def command(a: str, b: str, *, gpu_name: str | None, as_json: bool) -> None:
    """Compare two runs: time per iteration and token, MFU, each cause of slowness, loss at equal tokens.

    A is the run before and B the run after: every ratio is B over A. Both are log files. Medians of normal
    iterations are compared, so that an evaluation does not count, and the interval says how sure the ratio is.
    """
    from ...analysis.whatif.compare import compare
    from ...events import Config
    from ..reading import read_to_the_end
    from ..sources import OpenOptions, open_sources

    options = OpenOptions([Config(origin="--gpu-name", gpu_name=gpu_name)] if gpu_name else [])
    found = compare(*(read_to_the_end(open_sources([path], options)) for path in (a, b)))
    if as_json:
        print_json(found)
    else:
        from ...reports.compare_text import compare_text

        print_text(compare_text(found).rstrip("\n"))
