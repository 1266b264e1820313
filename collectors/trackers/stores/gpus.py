"""What trackers write of the GPUs: MLflow among the metrics (`system/gpu_0_power_usage_watts`), trackio in a table
of its own (`gpu/0/power`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ....events import GpuSample
from ...gpus.bounds import plausible

if TYPE_CHECKING:
    from collections.abc import Mapping

SYSTEM = "system/"
"""How all that MLflow measures of the machine begins: it is no metric of the training."""

_NAME = re.compile(r"(?:system/gpu_|gpu/)(\d{1,4})[_/](\w+)")
_FIELDS = {
    "utilization_percentage": ("utilization", 0.01),
    "memory_usage_megabytes": ("memory_used_bytes", 1e6),
    "power_usage_watts": ("power_w", 1.0),
    "utilization": ("utilization", 0.01),
    "allocated_memory": ("memory_used_bytes", 2.0**30),
    "total_memory": ("memory_total_bytes", 2.0**30),
    "power": ("power_w", 1.0),
    "power_limit": ("power_limit_w", 1.0),
    "temp": ("temperature_c", 1.0),
    "sm_clock": ("sm_clock_hz", 1e6),
}
"""The field of a sample that a name means, and how much one of its unit is (MB of MLflow; GiB, MHz of trackio)."""


class Gauges:
    """Gathers what is logged of the GPUs at one moment, value by value."""

    def __init__(self) -> None:
        self._at_s: float | None = None
        self._values: dict[str, float] = {}

    def add(self, at_s: float | None, values: Mapping[str, float]) -> list[GpuSample]:
        """Take in `values` of Unix time `at_s`. Returns the samples of a moment that is over."""
        over = self.finish() if at_s != self._at_s else []
        self._at_s = at_s
        self._values |= values
        return over

    def finish(self) -> list[GpuSample]:
        """The samples of the newest moment."""
        values, self._values = self._values, {}
        return samples(self._at_s, values) if self._at_s is not None else []


def samples(at_s: float, values: Mapping[str, float]) -> list[GpuSample]:
    """What `values`, all of one moment, say of each GPU: what no GPU can have is left out."""
    found: dict[int, dict[str, float]] = {}
    for name, value in values.items():
        named = _NAME.fullmatch(name)
        meant = _FIELDS.get(named[2]) if named else None
        if named is None or meant is None:
            continue
        field, amount = meant[0], value * meant[1]
        if plausible(field, amount):
            found.setdefault(int(named[1]), {})[field] = round(amount) if field.endswith("_bytes") else amount
    return [GpuSample(at_s, gpu=gpu, **fields) for gpu, fields in sorted(found.items())]  # type: ignore[arg-type]
