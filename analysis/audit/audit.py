"""Printed numbers recomputed, and the physical floor: nothing here believes a percentage that it can check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ...words import si
from ..findings import Audit
from . import logged_mfu, peaks
from .data_reads import with_data_reads
from .flops import checkpoint_bytes
from .gpu_peak import gpu_peak
from .work import assumptions, is_llm_c, is_nanogpt, work_of

if TYPE_CHECKING:
    from ...events import Config, RunInfo
    from ..findings import Throughput
    from .work import Recent, Work


def audit(config: Config, info: RunInfo, clean_s: float | None, throughput: Throughput, recent: Recent) -> Audit:
    """The numbers of a run whose normal iteration takes `clean_s` seconds.

    Args:
        config: the run's settings.
        info: the source: what its program is known to print.
        clean_s: seconds of a normal iteration; `None` before there is a level.
        throughput: tokens and GPUs of an iteration.
        recent: what the newest iterations printed, and the GPUs' power.
    """
    gpu = gpu_peak(config, recent.gpu_names or info.gpu_names)
    work = work_of(config, info, throughput, recent)
    floor_s = _ratio(work.per_gpu, gpu.flops)
    found = Audit(
        gpu=gpu.gpu,
        precision=gpu.precision,
        peak_flops=gpu.flops,
        peak_source=gpu.source,
        achieved_flops=_ratio(work.per_gpu, clean_s),
        floor_s=floor_s,
        times_floor=_ratio(clean_s, floor_s),
        checkpoint_bytes=checkpoint_bytes(work.model),
    )
    found = _with_flops(found, work, throughput)
    found = _with_mfu(found, work, throughput)
    found = _with_logged_mfu(found, info, work, clean_s, recent)
    found = _with_energy(found, recent.power_w, clean_s, throughput.tokens_per_iteration)
    if is_nanogpt(info):
        return with_data_reads(found, config.block_size, throughput.tokens_per_iteration, clean_s)
    return found


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above and below else None


def _with_flops(audit: Audit, work: Work, throughput: Throughput) -> Audit:
    """... with the FLOPs of an iteration, how they were counted and what was assumed for them."""
    return replace(
        audit,
        parameters=work.model.parameters if work.model else None,
        flops_per_token=work.model.per_token if work.model else None,
        flops_per_iteration=work.of_all_gpus,
        convention=work.convention,
        estimated=assumptions(work, throughput),
        gpus=work.gpus,
    )


def _with_mfu(audit: Audit, work: Work, throughput: Throughput) -> Audit:
    """... with the MFU of the GPU's own peak: clean, by the wall clock, and by other ways to count FLOPs."""
    mfu = _ratio(audit.achieved_flops, audit.peak_flops)
    if not mfu:
        return audit
    wall, clean = throughput.tokens_per_s_wall, throughput.tokens_per_s_clean
    flops, model = work.model, work.model.model if work.model else None
    return replace(
        audit,
        mfu=mfu,
        mfu_wall=mfu * wall / clean if wall and clean else None,
        mfu_causal=mfu * model.flops_per_token_llm_c / flops.per_token if flops and model else None,
        hfu=mfu * model.hardware_flops_per_token / flops.per_token if flops and model else None,
    )


def _with_logged_mfu(audit: Audit, info: RunInfo, work: Work, clean_s: float | None, recent: Recent) -> Audit:
    """... with the newest MFU that the log printed, and whose peak it is of."""
    audit = replace(audit, logged_mfu_raw=_ratio(work.mfu_seconds, clean_s))
    printed = next((m for m in reversed(recent.logged_mfu) if m == m and m > 0), None)
    if printed is None:
        return audit
    if not work.logged_peak_flops:
        return replace(audit, logged_mfu=printed)
    note = logged_mfu.explain(printed, work.logged_peak_flops, audit.peak_flops, audit.gpu)
    return replace(
        audit,
        logged_mfu=printed,
        logged_peak_flops=work.logged_peak_flops,
        logged_peak_of=peaks.assumed_by(work.logged_peak_flops),
        note=note + ("; llm.c counts attention half" if is_llm_c(info) else ""),
    )


def _with_energy(audit: Audit, power_w: float | None, clean_s: float | None, tokens: int | None) -> Audit:
    """... with the energy of a normal iteration, where the GPUs' power was sampled."""
    if power_w is None or not clean_s:
        return audit
    energy_j = power_w * clean_s
    return replace(
        audit, energy_per_iteration_j=energy_j, energy_per_token_j=energy_j / tokens if tokens else None
    )


def missing(audit: Audit, clean_s: float | None, config: Config) -> dict[str, str]:
    """Why a number is not known, and how to provide it, by its path in the findings."""
    unknown: dict[str, str] = {}
    if clean_s is not None and audit.achieved_flops is None:
        unknown["audit.achieved_flops"] = _why_no_flops(audit, config)
    if audit.peak_flops is None:
        unknown["audit.mfu"] = audit.peak_source or (
            'no GPU name that itermon can read; give --gpu-name "NVIDIA H200" or --peak-flops'
        )
    return unknown


def _why_no_flops(audit: Audit, config: Config) -> str:
    if audit.flops_per_token is not None:  # a figure a token would mean nothing where none may be read
        return "the tokens of an iteration were not found"
    what = "no size of the model that itermon can read"
    if config.parameters is None and config.trained_parameters is not None:
        what += f", only that {si(config.trained_parameters)} parameters are trained (adapters are few of all)"
    return f"{what}: give --config train.py, or record with hooks"
