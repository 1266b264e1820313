"""What one iteration has to compute, on how many GPUs: from the model, else from the MFU that the log prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from ...words import plural
from . import flops, logged_mfu, peaks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Config, RunInfo
    from ..findings import Throughput

FROM_LOG = "the log's MFU × the peak that it assumes"

ONE_GPU = "1 GPU assumed"


class Recent(msgspec.Struct, frozen=True, gc=False):
    """The newest iterations as they were printed: nan where a line had none. Power is of all GPUs together."""

    durations_s: Sequence[float] = ()
    logged_mfu: Sequence[float] = ()
    power_w: float | None = None
    gpu_names: tuple[str, ...] = ()


class Work(NamedTuple):
    """The FLOPs of one iteration. Where the model is not known, `per_gpu` may be: from the log's MFU."""

    model: flops.Flops | None
    per_iteration: float | None  # FLOPs of all GPUs, from the model
    gpus: int | None  # that share an iteration; `None`: not known
    per_gpu: float | None
    mfu_seconds: float | None  # the log's MFU × seconds of an iteration: FLOPs over the peak that it assumes
    logged_peak_flops: float | None  # that peak

    @property
    def of_all_gpus(self) -> float | None:
        """FLOPs of an iteration, by the model or by the log; of one GPU where their number is not known."""
        if self.per_iteration:
            return self.per_iteration
        return self.per_gpu * self.gpus if self.per_gpu and self.gpus else self.per_gpu

    @property
    def convention(self) -> str:
        """How the FLOPs were counted."""
        if self.per_iteration and self.model:
            return self.model.convention
        return FROM_LOG if self.per_gpu else ""


def work_of(config: Config, info: RunInfo, throughput: Throughput, recent: Recent) -> Work:
    """What an iteration of a run computes, by all that its source says."""
    model = flops.flops(config)
    tokens = throughput.tokens_per_iteration
    per_iteration = model.per_token * tokens if model and tokens else None
    mfu_seconds = logged_mfu.mfu_seconds(recent.logged_mfu, recent.durations_s)
    logged_peak = config.logged_mfu_peak_flops
    if logged_peak is None and is_nanogpt(info):
        logged_peak = peaks.A100_PEAK_FLOPS
    gpus = throughput.world_size or _gpus_by_logged_mfu(per_iteration, mfu_seconds, logged_peak)
    per_gpu = _per_gpu(per_iteration, gpus, mfu_seconds, logged_peak)
    if logged_peak is None and per_gpu is not None and mfu_seconds is not None:
        traced = _as_the_log_counts(info, model, per_gpu) / mfu_seconds
        # Where the number of GPUs is not known, it may be the peak of eight: it counts only if a known GPU has it.
        logged_peak = traced if gpus or peaks.assumed_by(traced) else None
    return Work(model, per_iteration, gpus, per_gpu, mfu_seconds, logged_peak)


def assumptions(work: Work, throughput: Throughput) -> str:
    """What was assumed for the FLOPs of an iteration; "" where nothing was, or where they are not known."""
    if not work.per_iteration:
        return ""
    parts = [work.model.estimated] if work.model and work.model.estimated else []
    if throughput.world_size is None:
        many = f"{plural(work.gpus or 0, 'GPU')}, from the log's MFU"
        parts.append(many if work.gpus else ONE_GPU)
    return "; ".join(parts)


def is_nanogpt(info: RunInfo) -> bool:
    """Does the run come from nanoGPT's `train.py`? Its data loader and its MFU are known."""
    return f"{info.framework} {info.source_format}".casefold().lstrip().startswith("nanogpt")


def is_llm_c(info: RunInfo) -> bool:
    """Does the run come from llm.c? It counts the causal half of attention only."""
    return info.source_format.startswith("llm.c")


def _gpus_by_logged_mfu(
    per_iteration: float | None, mfu_seconds: float | None, logged_peak: float | None
) -> int | None:
    """The number of GPUs that a printed MFU (which is per GPU) implies; `None` if it is no whole number."""
    if not (per_iteration and mfu_seconds and logged_peak):
        return None
    ratio = per_iteration / (mfu_seconds * logged_peak)
    whole = round(ratio)
    return whole if whole >= 1 and abs(ratio / whole - 1) < 0.05 else None


def _per_gpu(
    per_iteration: float | None, gpus: int | None, mfu_seconds: float | None, logged_peak: float | None
) -> float | None:
    """FLOPs of one iteration on one GPU: from the model, else from what the log's own MFU says it did."""
    if per_iteration is not None:
        return per_iteration / (gpus or 1)
    return mfu_seconds * logged_peak if mfu_seconds and logged_peak else None


def _as_the_log_counts(info: RunInfo, model: flops.Flops | None, per_gpu: float) -> float:
    """FLOPs as the log's own program counts them."""
    if model is None or model.model is None or not is_llm_c(info):
        return per_gpu
    return per_gpu * model.model.flops_per_token_llm_c / model.per_token
