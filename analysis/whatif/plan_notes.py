"""What goes with a plan: what to keep in mind, and what only a measurement can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...events import CAUSES, DATA, EVALUATION_AND_CHECKPOINT, TRAINING
from ...words import listed, percent, times
from ..audit.gpu_peak import on_cpu
from ..ratios import ratio
from .memory import fits
from .other_gpu import other_gpu

if TYPE_CHECKING:
    from ..findings import Findings
    from .scenario import Change, Scenario

LEAST_DATA_SHARE = 0.01
"""Of the time: what an iteration waits for data below this is no news."""


def notes(findings: Findings, now: Scenario, planned: Scenario) -> list[str]:
    """What to keep in mind, and what is missing from the numbers."""
    said = []
    before, after = now.tokens_per_iteration, planned.tokens_per_iteration
    if before and after and before != after:
        part = times(after / before)
        said.append(f"A step sees {part} the tokens: adapt its learning rate and warm-up.")
    if now.stop_share is not None and planned.stop_share is not None and planned.stop_share > 1.2 * now.stop_share:
        said.append("Evaluations and checkpoints take a larger share then: lengthen their intervals too.")
    if planned.micro_batch_size != now.micro_batch_size and now.stop_share:
        said.append("Evaluations take longer with larger batches; here they are counted at their old cost.")
    if uneven := [CAUSES[s.kind].many for s in findings.eta.schedules if s.uneven]:
        said.append(f"How long {listed(uneven)} take differs too much: their cost is missing here.")
    missing = [s for s in findings.eta.schedules if s.mean_s is None and not s.uneven]
    if unseen := [s.kind for s in missing if not s.seen]:
        said.append(f"No {listed(unseen, 'or')} has been seen yet: its cost is missing here.")
    if untold := [CAUSES[s.kind].many for s in missing if s.seen]:
        said.append(f"This log does not time {listed(untold)}: their cost is missing here.")
    if findings.audit.gpus is None and not on_cpu(findings.config):
        said.append("The number of GPUs is not known, 1 is assumed: give --world-size.")
    if findings.throughput.tokens_per_iteration is None:
        said.append("Tokens are not known: give --config, or the log's own header.")
    elif now.iterations is None:
        said.append("The number of iterations is not known: give --max-iters or --tokens.")
    if findings.config.cost_per_hour is None:
        said.append("Give --cost-per-hour to see what it costs.")
    return said


def asked(findings: Findings, change: Change) -> list[str]:
    """What is said only because it was asked for: another GPU, a memory size, faster data, one cadence of two."""
    said = []
    if change.gpu is not None:
        said.append(other_gpu(findings.audit, change.gpu).note)
    if change.memory_bytes is not None:
        now = findings.throughput.micro_batch_size
        said.append(fits(findings, change.micro_batch_size or now, now, change.memory_bytes))
    if change.faster_data:
        said.append(_faster_data(findings))
    one_of_two = (change.evaluation_interval is None) != (change.checkpoint_interval is None)
    if one_of_two and any(s.kind == EVALUATION_AND_CHECKPOINT for s in findings.eta.schedules):
        said.append("Evaluating and saving have one price here, not one each: both return as often.")
    return said


def data_share(findings: Findings) -> float | None:
    """The share of an iteration that waits for data, as hooks or the log tell it; `None`: nothing shows one."""
    seconds = {row.cause: row.seconds for row in findings.ledger if not (row.cause == DATA and row.estimated)}
    waited_s = seconds.get(DATA, 0.0)
    share = findings.throughput.data_wait_share or ratio(waited_s, waited_s + seconds.get(TRAINING, 0.0)) or 0.0
    return share if share >= LEAST_DATA_SHARE else None


def _faster_data(findings: Findings) -> str:
    share = data_share(findings)
    if share is None:
        return "No wait for data was found: nothing says that more workers or a faster disk would win."
    return (
        f"An iteration waits for data {percent(share)} of its time: more loader workers or a faster disk win that "
        "at most; only a trial shows which of the two."
    )


def measure(findings: Findings, now: Scenario, planned: Scenario, change: Change | None = None) -> list[str]:
    """What this run does not show, and how to measure it."""
    asks = []
    memory_bytes = change.memory_bytes if change else None
    grows = planned.micro_batch_size and now.micro_batch_size and planned.micro_batch_size > now.micro_batch_size
    if grows and memory_bytes is None:
        asks.append(fits(findings, planned.micro_batch_size, now.micro_batch_size))
    if planned.micro_batch_size != now.micro_batch_size:
        asks.append("Run twenty iterations with the new micro-batch to measure its time: only one was seen.")
    if change and change.gpu is not None:
        asks.append("Run twenty iterations on that GPU to measure their time: the peaks alone do not show it.")
    if planned.gpus != now.gpus:
        asks.append(
            "How much the GPUs wait for each other depends on what connects them: measure twenty iterations."
        )
    return asks
