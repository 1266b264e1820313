"""What the older SDKs say of the machine beside the run's file: `files/wandb-metadata.json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ....opening import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

_MOST_BYTES = 1 << 20
_MOST_GPUS = 1 << 10


class Metadata(NamedTuple):
    """The machine of a run: each GPU's name and memory in bytes (0: not said), and the cores of its CPU."""

    gpus: tuple[tuple[str, int], ...] = ()
    cores: int = 0


def metadata_of(run: Path) -> Metadata:
    """What is said beside the `.wandb` file `run`; nothing where nothing is there, or it is none."""
    try:
        said = msgspec.json.decode(read_bytes(run.parent / "files" / "wandb-metadata.json", _MOST_BYTES))
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Metadata()
    if not isinstance(said, dict):
        return Metadata()
    cores = said.get("cpu_count_logical")
    return Metadata(_gpus(said), cores if isinstance(cores, int) and 0 < cores < 1 << 16 else 0)


def _gpus(said: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    listed = said.get("gpu_nvidia") or said.get("gpu_devices")
    if isinstance(listed, list) and all(isinstance(gpu, dict) for gpu in listed):
        sizes = [gpu.get("memoryTotal", gpu.get("memory_total", 0)) for gpu in listed[:_MOST_GPUS]]
        return tuple((str(gpu.get("name", "")), _whole(size)) for gpu, size in zip(listed, sizes, strict=False))
    name, count = said.get("gpu"), said.get("gpu_count")
    if isinstance(name, str) and isinstance(count, int) and 0 < count <= _MOST_GPUS:
        return ((name, 0),) * count
    return ()


def _whole(size: object) -> int:
    """The newer SDKs write it as a text."""
    if isinstance(size, str) and size.isascii() and size.isdigit() and len(size) < 16:
        size = int(size)
    return size if isinstance(size, int) and 0 < size < 1 << 50 else 0
