"""The sources of what the machine does: its GPUs, and the trainer's processes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .gpu_sampler import gpu_sampler
from .host.sampler import HostSampler
from .host.trainer import Trainer
from .sampling import SamplingSource

if TYPE_CHECKING:
    from collections.abc import Callable

    from .source import Source


def machine_sources(
    *,
    pid: int | None = None,
    log: Path | int | None = None,
    gpus: str | None = None,
    checkpoints: Callable[[], str | None] = lambda: None,
    interval_s: float = 1.0,
) -> list[Source]:
    """Sources for this machine. Their batches have no state, so that they can join any other source.

    `pid` is the trainer's process. Without it, the trainer is who has `log` open for writing: a file's path, or
    the file descriptor of a pipe that is read. `gpus` is `--gpu`; `None` means those that the trainer uses.
    `checkpoints` gives the directory whose disk is watched, once it is known; until then the trainer's own.
    """
    trainer = Trainer(pid, _name(log))
    return [
        SamplingSource("GPU sampling", gpu_sampler(gpus, trainer), interval_s=interval_s),
        SamplingSource("host sampling", HostSampler(trainer, checkpoints), interval_s=interval_s),
    ]


def _name(log: Path | int | None) -> str | None:
    """As /proc/PID/fd names it."""
    if not isinstance(log, int):
        return None if log is None else str(log)
    try:
        return str(Path(f"/proc/self/fd/{log}").readlink())
    except OSError:
        return None
