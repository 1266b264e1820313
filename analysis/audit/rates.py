"""From times to rates: tokens, FLOPs and money a second, of findings whose level and progress are known."""

from __future__ import annotations

from math import nan
from statistics import fmean
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ..timing import alike
from . import audit as auditing
from . import throughput as tokens
from .stopwatch import wall_over_logged
from .work import Recent

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...events import Iteration, RunInfo
    from ..findings import Eta, Findings, Level


def add_rates(findings: Findings, info: RunInfo, newest: Collection[Iteration]) -> Findings:
    """`findings` with its throughput and audit, and why one of them is not known.

    Args:
        findings: with configuration, level, progress and samples.
        info: the source, and what is known of its clock.
        newest: the newest iterations of this process, oldest first.
    """
    clean_s = _usual_s(findings.level, newest)
    since = at_this_level(findings.level, newest)
    throughput = tokens.measure(findings.config, clean_s, findings.progress, newest, since)
    if findings.level.between is not None:  # a mean of unlike rows is no step's time
        throughput = replace(throughput, micro_step_s=None)
    recent = Recent(
        durations_s=[nan if i.duration_s is None else i.duration_s for i in newest],
        logged_mfu=[nan if i.mfu is None else i.mfu for i in newest],
        power_w=findings.load.power_w if findings.load else None,
        gpu_names=tuple(gpu.name for gpu in findings.gpus if gpu.name),
    )
    audit = replace(
        auditing.audit(findings.config, info, clean_s, throughput, recent),
        wall_over_logged=wall_over_logged(info, newest),
        energy_run_j=findings.audit.energy_run_j,
        energy_span_s=findings.audit.energy_span_s,
    )
    unknown = {
        **tokens.missing(throughput, findings.config, findings.progress),
        **auditing.missing(audit, clean_s, findings.config),
        **findings.unknown,
    }
    return replace(findings, throughput=throughput, audit=audit, unknown=unknown)


def at_this_level(level: Level, newest: Collection[Iteration]) -> Collection[Iteration]:
    """Those since the level moved, which is of them: the share of the others' time says nothing of it."""
    held = level.shifts[-1].held if level.shifts and not level.creeps else 0
    return [*newest][-held:] if held else newest


def _usual_s(level: Level, newest: Collection[Iteration]) -> float | None:
    """Of times of which no one is usual, the mean of the newest: their median is no iteration's.

    Of the rows that their range is told of, no others: a figure of older ones would contradict it.
    """
    if level.between is None or level.mostly_s is not None:
        return level.clean_s if level.between is None else level.mostly_s
    least_s, most_s, _ = level.between
    told_of = [*newest][-alike.NEWEST :]
    known = [i.duration_s for i in told_of if i.duration_s is not None and least_s <= i.duration_s <= most_s]
    return fmean(known) if known else None


def priced(eta: Eta, findings: Findings) -> Eta:
    """The ETA with what the run has cost and will cost, where an hour has a price."""
    price = findings.config.cost_per_hour
    if price is None:
        return eta
    spent_s, left_s = findings.progress.wall_s, eta.remaining_s
    return replace(
        eta,
        cost_so_far=None if spent_s is None else spent_s / 3_600 * price,
        cost_to_go=None if left_s is None else left_s / 3_600 * price,
    )
