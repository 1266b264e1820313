"""Whose GPUs are sampled here: NVIDIA's, or another maker's where only its driver is there."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from .. import opening

if TYPE_CHECKING:
    from .amd.sampler import AmdSampler
    from .apple.sampler import AppleSampler
    from .gpus.trainer import Trainer
    from .intel.sampler import IntelSampler
    from .nvml.sampler import NvmlSampler

_AMD, _NVIDIA = "dev/kfd", "dev/nvidiactl"
_DRAWING, _INTEL = "sys/class/drm", b"0x8086"


def gpu_sampler(
    wish: str | None = None,
    trainer: Trainer | None = None,
    *,
    root: Path = Path("/"),
    system: str = sys.platform,
) -> NvmlSampler | AmdSampler | IntelSampler | AppleSampler:
    """The sampler of this machine's GPUs. With several makers' drivers it is NVIDIA's; `root` and
    `system` are for tests.

    Intel's are asked for where nothing else is and its package is installed: most laptops have one that nobody
    trains on.
    """
    if system == "darwin":
        from .apple.sampler import AppleSampler  # noqa: PLC0415 - only one of the four is needed

        return AppleSampler(wish, trainer)
    if not (root / _NVIDIA).exists():
        if (root / _AMD).exists():
            from .amd.sampler import AmdSampler  # noqa: PLC0415

            return AmdSampler(wish, trainer)
        if _has_intel(root) and find_spec("pyzes") is not None:
            from .intel.sampler import IntelSampler  # noqa: PLC0415

            return IntelSampler(wish, trainer)
    from .nvml.sampler import NvmlSampler  # noqa: PLC0415

    return NvmlSampler(wish, trainer)


def _has_intel(root: Path) -> bool:
    """Is there a GPU that computes, of Intel?"""
    try:
        return any(
            opening.read_bytes(node / "device" / "vendor", 16).strip() == _INTEL
            for node in (root / _DRAWING).glob("renderD*")
        )
    except OSError:
        return False
