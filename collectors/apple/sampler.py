"""Apple's GPU, pass after pass: what it does and how much memory it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..clean import clean
from ..gpus.choice import Chosen
from ..gpus.device import Device, answered, no_answer
from ..gpus.passes import Passes
from .registry import Registry

if TYPE_CHECKING:
    from collections.abc import Collection

    from ...events import GpuSample
    from ..gpus.device import Answer

_ROOT_ONLY = "macOS gives it to root alone"
_SHARED = "the GPU shares the machine's memory"
_NOT_SAID = "macOS does not give it"


class Gpu:
    """The GPU that stands at `device.number` in the registry."""

    def __init__(self, registry: Registry, device: Device) -> None:
        self.device = device
        self.lost = device.lost
        self._registry = registry

    def ask_rarely(self) -> None:
        """Nothing takes long."""

    def computes(self, trainer: Collection[int]) -> bool:  # noqa: ARG002 - the registry names no process
        """Nobody says whose work it does."""
        return False

    def sample(
        self,
        at_s: float,
        trainer: Collection[int] = (),  # noqa: ARG002
        *,
        host_ids: bool = True,  # noqa: ARG002
    ) -> GpuSample:
        """All that this GPU reports now."""
        entries = self._registry.gpus()
        if self.lost or self.device.number >= len(entries):
            self.lost = self.lost or "GPU is not there any more"
            return no_answer(self.device, self.lost, at_s)
        said = entries[self.device.number].get("PerformanceStatistics")
        statistics = said if isinstance(said, dict) else {}
        sample = answered(self.device, at_s, _answers(statistics), "")
        self.lost = sample.lost
        return sample


def _answers(statistics: dict[Any, Any]) -> dict[str, Answer]:
    percent = _number(statistics, "Device Utilization %", "GPU Activity(%)")
    return {
        "utilization": (None if percent is None else percent / 100, _NOT_SAID),
        "memory_used_bytes": (_number(statistics, "In use system memory", "vramUsedBytes"), _NOT_SAID),
        "memory_total_bytes": (None, _SHARED),
        "power_w": (None, _ROOT_ONLY),
        "temperature_c": (_number(statistics, "Temperature(C)"), _ROOT_ONLY),
        "sm_clock_hz": (None, _ROOT_ONLY),
    }


def _number(statistics: dict[Any, Any], *names: str) -> float | None:
    for name in names:
        value = statistics.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return None


class AppleSampler(Passes[Gpu, Registry]):
    """`Passes` of a Mac's GPUs."""

    NAME, MAKER, PACKAGE = "ioreg", "Apple", ""
    LIBRARY = Registry

    def _open(self) -> list[Gpu]:
        return [Gpu(self.library, _device(number, said)) for number, said in enumerate(self.library.gpus())]

    def _visible(self, there: list[Device]) -> Chosen:
        return Chosen(there)


def _device(number: int, said: dict[str, Any]) -> Device:
    model = said.get("model")
    name = model.decode(errors="replace").rstrip("\0") if isinstance(model, bytes) else model
    return Device(number, number, clean(name, 200) if isinstance(name, str) else "")
