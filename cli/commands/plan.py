"""`itermon plan SOURCE --gradient-accumulation 16`: what if; calibrated on the run, with its ranges."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from ..options import COUNT, amount, run_options
from ..printing import print_json, print_text
from .completion import runs_and_files

if TYPE_CHECKING:
    from ...events import Config

_WISHES = ("micro_batch_size", "gradient_accumulation", "evaluation_interval", "checkpoint_interval")
"""Fields that are asked about here, and so are no facts of the run: those come from the log or --config."""


def _seconds(text: str) -> float:
    """Seconds of an option. Raises `click.BadParameter`."""
    from ...words import parse_duration

    try:
        return parse_duration(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _bytes(text: str) -> float:
    """A size of memory, `24GB` or `80 GiB`. Raises `click.BadParameter`."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)\s?(G|GB|GiB)", text.strip())
    if found is None or not float(found[1]):
        raise click.BadParameter(f"{text[:40]!r} is no size of a memory: 24GB.")
    return float(found[1]) * (2**30 if found[2] == "GiB" else 1e9)


@click.command(name="plan")
@click.argument("path", shell_complete=runs_and_files)
@click.option(
    "--batch-size", "micro_batch_size", type=COUNT, metavar="N", help="what if: sequences in one micro-step"
)
@click.option(
    "--gradient-accumulation", type=COUNT, metavar="N", help="what if: micro-steps of one iteration, on one GPU"
)
@click.option("--gpus", type=COUNT, metavar="N", help="what if: GPUs that train together")
@click.option(
    "--eval-interval", "evaluation_interval", type=COUNT, metavar="N", help="what if: iterations to an evaluation"
)
@click.option("--checkpoint-interval", type=COUNT, metavar="N", help="what if: iterations to a checkpoint")
@click.option("--tokens", type=amount, help="train on so many tokens in all (10e9)")
@click.option(
    "--target", "target_s", type=_seconds, metavar="TIME", help="can an iteration take so long? 1s, 300ms"
)
@click.option("--to-gpu", "gpu", help="what if: another GPU (H100); --gpu-name is the run's own")
@click.option(
    "--memory", "memory_bytes", type=_bytes, metavar="SIZE", help="does a micro-batch fit a GPU's memory? 24GB"
)
@click.option("--faster-data", is_flag=True, help="what if: more loader workers, or a faster disk")
@click.option("--json", "as_json", is_flag=True, help="print JSON")
@partial(run_options, without=_WISHES)
def command(path: str, settings: list[Config], *, as_json: bool, **wishes: Any) -> None:
    """Say what another batch, accumulation or cadence would make of a run: tokens, time, cost, with their ranges.

    PATH is a log file, or - for standard input. Nothing is guessed: what the run cannot say, the plan says how
    to measure. Settings that the log does not print come from --config.
    """
    from ...analysis.whatif.plan import plan
    from ...analysis.whatif.scenario import Change
    from ...reports.plan_text import plan_text
    from ..reading import read_to_the_end
    from ..sources import OpenOptions, open_sources

    findings = read_to_the_end(open_sources([path], OpenOptions(settings))).findings(spikes=None)
    planned = plan(findings, Change(**wishes))
    if as_json:
        print_json(planned)
    else:
        print_text(plan_text(planned).rstrip("\n"))
