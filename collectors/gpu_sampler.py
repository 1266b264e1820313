"""Whose GPUs are sampled here: NVIDIA's, or AMD's where only its driver is there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .amd.sampler import AmdSampler
    from .gpus.trainer import Trainer
    from .nvml.sampler import NvmlSampler

_AMD, _NVIDIA = "/dev/kfd", "/dev/nvidiactl"


def gpu_sampler(
    wish: str | None = None, trainer: Trainer | None = None, *, root: Path = Path("/")
) -> NvmlSampler | AmdSampler:
    """The sampler of this machine's GPUs. With both makers' drivers it is NVIDIA's; `root` is for tests."""
    if (root / _AMD.lstrip("/")).exists() and not (root / _NVIDIA.lstrip("/")).exists():
        from .amd.sampler import AmdSampler  # noqa: PLC0415 - few machines need it

        return AmdSampler(wish, trainer)
    from .nvml.sampler import NvmlSampler  # noqa: PLC0415 - the other one of the two

    return NvmlSampler(wish, trainer)
