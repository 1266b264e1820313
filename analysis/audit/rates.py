"""From times to rates: tokens, FLOPs and money a second, of findings whose level and progress are known."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from msgspec.structs import replace

from . import audit as auditing
from . import throughput as tokens
from .stopwatch import wall_over_logged
from .work import Recent

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...events import Iteration, RunInfo
    from ..findings import Audit, Eta, Findings, Throughput


def add_rates(findings: Findings, info: RunInfo, newest: Collection[Iteration]) -> Findings:
    """`findings` with its throughput and audit, and why one of them is not known.

    Args:
        findings: with configuration, level, progress and samples.
        info: the source, and what is known of its clock.
        newest: the newest iterations of this process, oldest first.
    """
    unlike = findings.level.between is not None
    clean_s = None if unlike else findings.level.clean_s  # of unlike times the median is no iteration's
    throughput = tokens.measure(findings.config, clean_s, findings.progress, newest)
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
        **(_unlike(throughput, audit) if unlike else {}),
        **findings.unknown,
    }
    return replace(findings, throughput=throughput, audit=audit, unknown=unknown)


NO_ONE_TIME = "no one iteration time is usual: only what passed in all tells"


def _unlike(throughput: Throughput, audit: Audit) -> dict[str, str]:
    """Why nothing is known at a normal iteration's speed, where no one time is normal."""
    known = {
        "throughput.tokens_per_s_clean": throughput.tokens_per_iteration,
        "audit.achieved_flops": audit.flops_per_iteration,
        "audit.mfu": audit.floor_s,
    }
    return {path: NO_ONE_TIME for path, needed in known.items() if needed is not None}


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
