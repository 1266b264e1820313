"""What if: tokens, time and cost of this run with another batch, accumulation or cadence, calibrated on the run.

Every number carries its range. What the run cannot say (a micro-batch that it never tried, a second GPU) has an
open end, and the plan says what to measure.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...events import CHECKPOINT, EVALUATION, EVALUATION_AND_CHECKPOINT
from ...words import listed
from .other_gpu import impossible, on_other, other_gpu
from .plan_notes import asked, data_share, measure, notes
from .scenario import (
    Change,
    Plan,
    Range,
    Scenario,
)
from .target import can_reach

if TYPE_CHECKING:
    from ..findings import Findings, Schedule

ADAMW_BYTES_PER_PARAMETER = 28
"""One fp32 update reads parameter, gradient and two moments and writes back three: 7 × 4 bytes."""

SLOW_MEMORY_BYTES_PER_S = 300e9
"""The memory of a small GPU: the update of the parameters is at most this slow."""


def plan(findings: Findings, change: Change) -> Plan:
    """What `change` would make of the run of `findings`."""
    clean_s = findings.level.clean_s
    target = None if change.target_s is None else can_reach(findings.audit, change.target_s, clean_s)
    if clean_s is None:
        return Plan(target=target, notes=("No normal iteration has been seen yet: nothing to plan with.",))
    unknown = _unknown(findings, change)
    if unknown:
        why = f"Not found: {listed(unknown)}. Give the run's own settings with --config."
        return Plan(_scenario(findings, Change(tokens=change.tokens), clean_s), notes=(why,), target=target)
    why = impossible(findings.audit, clean_s)
    if why:  # there is no floor to hold a plan against
        findings = replace(findings, audit=replace(findings.audit, floor_s=None, times_floor=None))
    now = _scenario(findings, Change(tokens=change.tokens), clean_s)
    planned = _scenario(findings, change, clean_s)
    said = [*([why] if why else []), *notes(findings, now, planned), *asked(findings, change)]
    return Plan(now, planned, tuple(said), tuple(measure(findings, now, planned, change)), target)


def _unknown(findings: Findings, change: Change) -> list[str]:
    """What is to change but is not known of the run: there is nothing to scale from."""
    t = findings.throughput
    asked = (
        ("its micro-batch", change.micro_batch_size, t.micro_batch_size),
        ("its gradient accumulation", change.gradient_accumulation, t.gradient_accumulation),
    )
    return [name for name, new, old in asked if new is not None and old is None]


def _scenario(findings: Findings, change: Change, clean_s: float) -> Scenario:
    t = findings.throughput
    batch = change.micro_batch_size or t.micro_batch_size
    accumulation = change.gradient_accumulation or t.gradient_accumulation
    gpus = findings.audit.gpus or 1
    iteration_s = _iteration_s(findings, change, clean_s)
    tokens = _tokens(findings, change)
    total = change.tokens or _total_tokens(findings)
    iterations = ceil(total / tokens) if total and tokens else findings.progress.max_iterations
    stops = [(_interval(s, change), s.each_s) for s in findings.eta.schedules if s.each_s is not None]
    stop_s = sum(each_s / every for every, each_s in stops if every)
    training_s = iteration_s.scaled(iterations) if iterations else None
    whole_s = iteration_s.scaled(iterations, plus=stop_s * iterations) if iterations else None
    left = _left(findings, total, tokens, iterations)
    price = findings.config.cost_per_hour
    if price is not None and change.gpus:
        price *= change.gpus / gpus
    if change.gpu is not None:
        price = None  # of another GPU nobody said it
    return Scenario(
        micro_batch_size=batch,
        gradient_accumulation=accumulation,
        gpus=change.gpus or gpus,
        iteration_s=iteration_s,
        tokens_per_iteration=tokens,
        tokens_per_s=_rate(tokens, iteration_s),
        iterations=iterations,
        evaluation_interval=change.evaluation_interval or _returns(findings, EVALUATION),
        checkpoint_interval=change.checkpoint_interval or _returns(findings, CHECKPOINT),
        stop_share=stop_s / (stop_s + iteration_s.best) if stops else None,
        training_s=training_s,
        whole_s=whole_s,
        to_go_s=iteration_s.scaled(left, plus=stop_s * left) if left is not None else None,
        cost=whole_s.scaled(price / 3600) if whole_s and price is not None else None,
    )


def _iteration_s(findings: Findings, change: Change, clean_s: float) -> Range:
    """Micro-steps scale; the optimizer's step does not, and is bounded by the memory traffic of the update."""
    t = findings.throughput
    steps = _ratio(change.gradient_accumulation, t.gradient_accumulation)
    batch = _ratio(change.micro_batch_size, t.micro_batch_size)
    fastest, slowest = _micro_step(batch, findings.audit.times_floor)
    fixed_s = _fixed_s(findings, clean_s) if steps != 1 or batch != 1 else 0.0
    bounds = [f + (clean_s - f) * steps * m for f in (0.0, fixed_s) for m in (fastest, slowest)]
    more_gpus = change.gpus is not None and change.gpus > (findings.audit.gpus or 1)
    best = clean_s * steps * batch
    floor_s = (findings.audit.floor_s or 0.0) * steps * batch
    high = None if more_gpus else max(*bounds, best)
    found = Range(best, min(max(min(bounds), floor_s), best), high)
    if change.gpu is not None and (faster := other_gpu(findings.audit, change.gpu).faster):
        found = on_other(found, faster, floor_s or None)
    if change.faster_data and (share := data_share(findings)):
        found = Range(found.best * (1 - share), min(found.low, found.best * (1 - share)), found.high)
    return found


def _micro_step(batch: float, times_floor: float | None) -> tuple[float, float]:
    """How a micro-step's time changes with its size, at best and at worst.

    Smaller: at worst it takes as long as before. Larger: at worst in proportion, at best as long as before,
    but never below the floor.
    """
    if batch <= 1:
        return batch, 1.0
    return max(1.0, batch / times_floor if times_floor else 1.0), batch


def _fixed_s(findings: Findings, clean_s: float) -> float:
    """At most this much of an iteration does not scale with its micro-steps: the update of the parameters."""
    n = findings.audit.parameters
    return min(0.1 * clean_s, ADAMW_BYTES_PER_PARAMETER * n / SLOW_MEMORY_BYTES_PER_S) if n else 0.1 * clean_s


def _ratio(new: int | None, old: int | None) -> float:
    return new / old if new is not None and old else 1.0


def _tokens(findings: Findings, change: Change) -> int | None:
    t = findings.throughput
    if t.tokens_per_iteration is None:
        return None
    steps = _ratio(change.gradient_accumulation, t.gradient_accumulation)
    batch = _ratio(change.micro_batch_size, t.micro_batch_size)
    return round(t.tokens_per_iteration * steps * batch * _ratio(change.gpus, findings.audit.gpus or 1))


def _total_tokens(findings: Findings) -> float | None:
    tokens, most = findings.throughput.tokens_per_iteration, findings.progress.max_iterations
    return tokens * most if tokens and most else None


def _left(findings: Findings, total: float | None, tokens: int | None, iterations: int | None) -> int | None:
    """Iterations still to do from here: what is trained already counts by its tokens."""
    done, each = findings.progress.iteration, findings.throughput.tokens_per_iteration
    if done is None:
        return None
    if total and tokens and each:
        return max(0, ceil((total - (done + 1) * each) / tokens))
    return max(0, iterations - done - 1) if iterations else None


def _returns(findings: Findings, kind: str) -> int | None:
    """How often a stop returns in this run: by its configuration, else as found in its timings."""
    config = findings.config
    given = config.evaluation_interval if kind == EVALUATION else config.checkpoint_interval
    found = (s.interval for s in findings.eta.schedules if s.kind in (kind, EVALUATION_AND_CHECKPOINT))
    return given or next(found, None)


def _interval(schedule: Schedule, change: Change) -> int | None:
    new = {
        EVALUATION: change.evaluation_interval,
        CHECKPOINT: change.checkpoint_interval,
        EVALUATION_AND_CHECKPOINT: change.evaluation_interval or change.checkpoint_interval,
    }.get(schedule.kind)
    return new or schedule.interval


def _rate(tokens: int | None, iteration_s: Range) -> Range | None:
    """Tokens per second; its lowest is 0 where the slowest iteration is not known."""
    if tokens is None:
        return None
    slowest = tokens / iteration_s.high if iteration_s.high else 0.0
    return Range(tokens / iteration_s.best, slowest, tokens / iteration_s.low)
