"""Printed numbers recomputed, and the physical floor: nothing here believes a percentage that it can check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ..findings import Audit
from ..words import listed
from . import flops as model_flops
from . import logged_mfu, peaks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Config, RunInfo
    from ..findings import Throughput

DATA_BYTES_PER_TOKEN = 2
"""nanoGPT's `train.bin` holds tokens as uint16."""

COLD_DISK_IOPS = 5_000
"""Random reads a second of a network-attached boot disk: the slow end of what training data lies on."""

FROM_LOG = "the log's MFU × the peak that it assumes"

ONE_GPU = "1 GPU assumed"

PAGE_BYTES = 4_096


class Recent(msgspec.Struct, frozen=True, gc=False):
    """The newest iterations as they were printed: nan where a line had none. Power is of all GPUs together."""

    durations_s: Sequence[float] = ()
    logged_mfu: Sequence[float] = ()
    power_w: float | None = None
    gpu_names: tuple[str, ...] = ()


def audit(config: Config, info: RunInfo, clean_s: float | None, throughput: Throughput, recent: Recent) -> Audit:
    """The numbers of a run whose normal iteration takes `clean_s` seconds."""
    model = model_flops.flops(config)
    constant = logged_mfu.mfu_seconds(recent.logged_mfu, recent.durations_s)
    logged_peak = config.logged_mfu_peak_flops
    if logged_peak is None and is_nanogpt(info):
        logged_peak = peaks.A100_PEAK_FLOPS
    tokens = throughput.tokens_per_iteration
    per_iteration = model.per_token * tokens if model and tokens else None
    world = throughput.world_size or _world_size(per_iteration, constant, logged_peak)
    per_gpu = _per_gpu(per_iteration, world, constant, logged_peak)
    gpu, peak, precision, source = peak_of(config, recent.gpu_names or info.gpu_names)
    if per_gpu is not None and constant is not None and logged_peak is None:
        traced = _traced(info, model, per_gpu) / constant
        # Of GPUs that nobody counted only if it is the peak of a known one: it may be that of eight.
        logged_peak = traced if world or peaks.assumed_by(traced) else None
    achieved = per_gpu / clean_s if per_gpu and clean_s else None
    floor_s = per_gpu / peak if per_gpu and peak else None
    printed = next((m for m in reversed(recent.logged_mfu) if m == m and m > 0), None)
    wall = throughput.tokens_per_s_wall
    clean = throughput.tokens_per_s_clean
    mfu = achieved / peak if achieved and peak else None
    energy_j = recent.power_w * clean_s if recent.power_w is not None and clean_s else None
    found = Audit(
        parameters=model.parameters if model else None,
        flops_per_token=model.per_token if model else None,
        flops_per_iteration=per_iteration or (per_gpu * world if per_gpu and world else per_gpu),
        convention=model.convention if per_iteration and model else FROM_LOG if per_gpu else "",
        estimated=_estimated(model, throughput, world) if per_iteration else "",
        gpus=world,
        achieved_flops=achieved,
        gpu=gpu,
        precision=precision,
        peak_flops=peak,
        peak_source=source,
        mfu=mfu,
        mfu_causal=_as(mfu, model.model.flops_per_token_llm_c if model and model.model else None, model),
        hfu=_as(mfu, model.model.hardware_flops_per_token if model and model.model else None, model),
        mfu_wall=mfu * wall / clean if mfu and wall and clean else None,
        logged_mfu=printed,
        logged_mfu_raw=constant / clean_s if constant and clean_s else None,
        logged_peak_flops=logged_peak if printed else None,
        logged_peak_of=peaks.assumed_by(logged_peak) if printed and logged_peak else "",
        note=_note(info, printed, logged_peak, peak, gpu),
        floor_s=floor_s,
        times_floor=clean_s / floor_s if clean_s and floor_s else None,
        energy_per_iteration_j=energy_j,
        energy_per_token_j=energy_j / tokens if energy_j is not None and tokens else None,
        checkpoint_bytes=model_flops.checkpoint_bytes(model),
    )
    return _with_data(found, config.block_size, tokens, clean_s) if is_nanogpt(info) else found


def is_nanogpt(info: RunInfo) -> bool:
    """Does the run come from nanoGPT's `train.py`? Its data loader and its MFU are known."""
    return f"{info.framework} {info.source_format}".casefold().lstrip().startswith("nanogpt")


def _world_size(per_iteration: float | None, constant: float | None, logged_peak: float | None) -> int | None:
    """The number of GPUs that a printed MFU (which is per GPU) implies; `None` if it is no whole number."""
    if not (per_iteration and constant and logged_peak):
        return None
    ratio = per_iteration / (constant * logged_peak)
    whole = round(ratio)
    return whole if whole >= 1 and abs(ratio / whole - 1) < 0.05 else None


def _per_gpu(
    per_iteration: float | None, world: int | None, constant: float | None, logged_peak: float | None
) -> float | None:
    """FLOPs of one iteration on one GPU: from the model, else from what the log's own MFU says it did."""
    if per_iteration is not None:
        return per_iteration / (world or 1)
    return constant * logged_peak if constant and logged_peak else None


def _traced(info: RunInfo, model: model_flops.Flops | None, per_gpu: float) -> float:
    """FLOPs as the log's own program counts them: llm.c counts the causal half of attention."""
    if model is None or model.model is None or not info.source_format.startswith("llm.c"):
        return per_gpu
    return per_gpu * model.model.flops_per_token_llm_c / model.per_token


def _note(
    info: RunInfo, printed: float | None, logged_peak: float | None, peak: float | None, gpu: str | None
) -> str:
    if not printed or not logged_peak:
        return ""
    note = logged_mfu.explain(printed, logged_peak, peak, gpu)
    return note + ("; llm.c counts attention half" if info.source_format.startswith("llm.c") else "")


def _as(mfu: float | None, per_token: int | None, model: model_flops.Flops | None) -> float | None:
    """`mfu` with FLOPs per token counted by another convention."""
    return mfu * per_token / model.per_token if mfu and per_token and model else None


def _estimated(model: model_flops.Flops | None, throughput: Throughput, world: int | None) -> str:
    parts = [model.estimated] if model and model.estimated else []
    if throughput.world_size is None:
        parts.append(f"{world} GPU{'s' * (world > 1)}, from the log's MFU" if world else ONE_GPU)
    return "; ".join(parts)


def on_cpu(config: Config) -> bool:
    """Does the run train on the CPU, as its settings say? A GPU that somebody names wins."""
    return config.gpu_name is None and config.extra.get("device", "").startswith("cpu")


def peak_of(config: Config, seen: Sequence[str]) -> tuple[str | None, float | None, str | None, str]:
    """The GPU, its peak in FLOP/s, at which precision, and where that comes from. A flag wins over NVML."""
    names = list(dict.fromkeys(seen))
    if config.gpu_name is None and len(names) > 1:
        both = listed(names)
        return (
            both,
            config.peak_flops,
            config.precision,
            f"different GPUs ({both}): give the slowest as --gpu-name",
        )
    if on_cpu(config) and config.peak_flops is None:
        return None, None, config.precision, "it trains on the CPU, whose peak is not known: give --peak-flops"
    name = config.gpu_name or next(iter(names), None)
    row = peaks.find(name) if name else None
    label = row.label if row else name
    if config.peak_flops is not None:
        return label, config.peak_flops, config.precision, "given"
    if row is None:
        return label, None, config.precision, peaks.why_unknown(name) if name else ""
    peak, precision = row.at(config.precision)
    if peak is None:
        return (
            label,
            None,
            config.precision,
            f"the peak of {row.label} at {precision} is not known; give --peak-flops",
        )
    assumed = "" if config.precision else f"; {precision} assumed"
    return label, peak, precision, f"{row.source}{assumed}"


def _with_data(audit: Audit, block_size: int | None, tokens: int | None, clean_s: float | None) -> Audit:
    """`audit` with what nanoGPT's `get_batch` reads: a random window of block size + 1 tokens a sequence."""
    if not (tokens and block_size):
        return audit
    windows = tokens // block_size
    window_bytes = (block_size + 1) * DATA_BYTES_PER_TOKEN
    pages = 1 + window_bytes / PAGE_BYTES  # a window that begins anywhere touches this many on average
    return msgspec.structs.replace(
        audit,
        data_reads_per_iteration=windows,
        data_window_bytes=window_bytes,
        data_bytes_per_iteration=float(windows * window_bytes),
        data_bytes_per_s=windows * window_bytes / clean_s if clean_s else None,
        cold_disk_low_s=windows / COLD_DISK_IOPS,
        cold_disk_high_s=windows * pages / COLD_DISK_IOPS,
    )


def missing(audit: Audit, clean_s: float | None, config: Config) -> dict[str, str]:
    """Why a number is not known, and what would tell, by its path in the findings."""
    unknown: dict[str, str] = {}
    if clean_s is not None and audit.achieved_flops is None:
        what = "the model's size is not in this source"
        if config.parameters is None and config.trained_parameters is not None:
            what += f", only that {config.trained_parameters:,} parameters are trained (adapters are few of all)"
        unknown["audit.achieved_flops"] = f"{what}: give --config train.py, or record with hooks"
    if audit.peak_flops is None:
        unknown["audit.mfu"] = audit.peak_source or (
            'this source does not name its GPU: give --gpu-name "NVIDIA H200", or --peak-flops'
        )
    return unknown
