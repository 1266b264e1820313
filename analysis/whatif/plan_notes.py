"""What goes with a plan: what to keep in mind, and what only a measurement can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...words import listed, si, times
from ..audit.gpu_peak import on_cpu

if TYPE_CHECKING:
    from ..findings import Findings
    from .scenario import Scenario

TRAINING_BYTES_PER_PARAMETER = 16
"""fp32 parameter, gradient and two moments: memory holds them besides activations, which grow with the batch."""


def notes(findings: Findings, now: Scenario, planned: Scenario) -> list[str]:
    """What to keep in mind, and what is missing from the numbers."""
    said = []
    before, after = now.tokens_per_iteration, planned.tokens_per_iteration
    if before and after and before != after:
        part = times(after / before)
        said.append(f"A step sees {part} the tokens: learning rate and warm-up were made for the old number.")
    if now.stop_share is not None and planned.stop_share is not None and planned.stop_share > 1.2 * now.stop_share:
        said.append("The stops return after as many iterations, so sooner: lengthen their intervals as well.")
    if planned.micro_batch_size != now.micro_batch_size and now.stop_share:
        said.append("An evaluation of as many batches takes longer with larger ones; here it costs what it did.")
    missing = [s for s in findings.eta.schedules if s.mean_s is None]
    if unseen := [s.kind for s in missing if not s.seen]:
        said.append(f"No {listed(unseen, 'or')} has been seen yet: its cost is missing here.")
    if untold := [s.kind for s in missing if s.seen]:
        said.append(f"What {listed(untold, 'or')} costs is in no time of this source: it is missing here.")
    if findings.audit.gpus is None and not on_cpu(findings.config):
        said.append("How many GPUs it uses is not known, one is assumed: give --world-size.")
    if findings.throughput.tokens_per_iteration is None:
        said.append("Tokens are not known: give --config, or the log's own header.")
    elif now.iterations is None:
        said.append("The end of the run is not in this source: give --max-iters or --tokens.")
    if findings.config.cost_per_hour is None:
        said.append("With --cost-per-hour it also says what it costs.")
    return said


def measure(findings: Findings, now: Scenario, planned: Scenario) -> list[str]:
    """What this run does not show, and how to measure it."""
    asks = []
    if planned.micro_batch_size and now.micro_batch_size and planned.micro_batch_size > now.micro_batch_size:
        asks.append(_memory(findings, planned.micro_batch_size / now.micro_batch_size))
    if planned.micro_batch_size != now.micro_batch_size:
        asks.append("Twenty iterations with the new micro-batch tell its time; only one size has been seen.")
    if planned.gpus != now.gpus:
        asks.append(
            "How much the GPUs wait for each other depends on what connects them: measure twenty iterations."
        )
    return asks


def _memory(findings: Findings, growth: float) -> str:
    gpu = next(iter(findings.gpus), None)
    n = findings.audit.parameters
    if gpu is None or gpu.memory_used_bytes is None or gpu.memory_total_bytes is None or n is None:
        return "Whether it fits is not known: there is no sample of the GPU's memory."
    fixed = min(TRAINING_BYTES_PER_PARAMETER * n, gpu.memory_used_bytes)
    guess = fixed + growth * (gpu.memory_used_bytes - fixed)
    fits = "probably fits" if guess < 0.95 * gpu.memory_total_bytes else "probably does not fit"
    return (
        f"It {fits}: about {si(guess, 'B')} of {si(gpu.memory_total_bytes, 'B')}, if activations grow with the "
        "micro-batch; torch.cuda.max_memory_allocated() tells."
    )
