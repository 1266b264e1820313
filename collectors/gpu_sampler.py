"""Whose GPUs are sampled here: NVIDIA's, or another maker's where only its driver is there."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .amd.sampler import AmdSampler
    from .gpus.trainer import Trainer
    from .intel.sampler import IntelSampler
    from .nvml.sampler import NvmlSampler

_AMD, _NVIDIA = "dev/kfd", "dev/nvidiactl"
_DRAWING, _INTEL = "sys/class/drm", "0x8086"


def gpu_sampler(
    wish: str | None = None, trainer: Trainer | None = None, *, root: Path = Path("/")
) -> NvmlSampler | AmdSampler | IntelSampler:
    """The sampler of this machine's GPUs. With several makers' drivers it is NVIDIA's; `root` is for tests.

    Intel's are asked for where nothing else is and its package is installed: most laptops have one that nobody
    trains on.
    """
    if not (root / _NVIDIA).exists():
        if (root / _AMD).exists():
            from .amd.sampler import AmdSampler  # noqa: PLC0415 - few machines need it

            return AmdSampler(wish, trainer)
        if _has_intel(root) and find_spec("pyzes") is not None:
            from .intel.sampler import IntelSampler  # noqa: PLC0415 - few machines need it

            return IntelSampler(wish, trainer)
    from .nvml.sampler import NvmlSampler  # noqa: PLC0415 - only one of the three is needed

    return NvmlSampler(wish, trainer)


def _has_intel(root: Path) -> bool:
    """Is there a GPU that computes, of Intel?"""
    try:
        return any(
            (node / "device" / "vendor").read_text(encoding="ascii").strip() == _INTEL
            for node in (root / _DRAWING).glob("renderD*")
        )
    except (OSError, UnicodeDecodeError):
        return False
