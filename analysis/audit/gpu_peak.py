"""Which GPU a run is held against, and its peak."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...words import listed
from . import peaks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...events import Config


class GpuPeak(NamedTuple):
    """One GPU and its dense peak. `source` says where the peak comes from, or why it is not known."""

    gpu: str | None
    flops: float | None  # a second
    precision: str | None
    source: str


APPLE = "mps"
"""What PyTorch calls the GPU of a Mac."""


def on_cpu(config: Config) -> bool:
    """Does the run train on the CPU, as its settings say? A GPU that somebody names wins."""
    return config.gpu_name is None and config.extra.get("device", "").startswith("cpu")


def gpu_peak(config: Config, seen: Sequence[str]) -> GpuPeak:
    """The GPU of a run whose samples or trainer name the GPUs `seen`. A flag wins over them."""
    said = config.extra.get("gpu_names", "")  # the log names several
    names = list(dict.fromkeys(seen or (said.split(", ") if said else ())))
    if config.gpu_name is None and len(names) > 1:
        all_of_them = listed(names)
        if not seen and config.world_size == 1:
            why = f"it trains on one of several GPUs ({all_of_them}); give that one as --gpu-name"
            return GpuPeak(None, config.peak_flops, config.precision, why)
        why = f"different GPUs ({all_of_them}); give the slowest as --gpu-name"
        return GpuPeak(all_of_them, config.peak_flops, config.precision, why)
    if on_cpu(config) and config.peak_flops is None:
        why = "it trains on the CPU, whose peak is not known; give --peak-flops"
        return GpuPeak(None, None, config.precision, why)
    if config.gpu_name is None and not names and config.extra.get("device") == APPLE:
        why = "it trains on a GPU of Apple's (mps), whose peak is not known; give --peak-flops"
        return GpuPeak(None, config.peak_flops, config.precision, "given" if config.peak_flops else why)
    return _of_one(config, config.gpu_name or next(iter(names), None))


def _of_one(config: Config, name: str | None) -> GpuPeak:
    row = peaks.find(name) if name else None
    label = row.label if row else name
    if config.peak_flops is not None:
        return GpuPeak(label, config.peak_flops, config.precision, "given")
    if row is None:
        return GpuPeak(label, None, config.precision, peaks.why_unknown(name) if name else "")
    flops, precision = row.at(config.precision)
    if flops is None:
        why = f"the peak of {row.label} at {precision} is not known; give --peak-flops"
        return GpuPeak(label, None, config.precision, why)
    assumed = "" if config.precision else f"; {precision} assumed"
    return GpuPeak(label, flops, precision, f"{row.source}{assumed}")
