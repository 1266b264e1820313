"""`gpustat --json`: one document after the other, each of all GPUs at one time."""

from __future__ import annotations

import json
from typing import Any

from ...events import GpuSample
from ..clean import clean
from ..gpus.bounds import plausible
from .cells import moment

MOST_DOCUMENT = 1 << 20
"""Characters: sixteen GPUs with a hundred processes each take 200,000."""

_FIELDS = {
    "power.draw": ("power_w", 1.0),
    "enforced.power.limit": ("power_limit_w", 1.0),
    "utilization.gpu": ("utilization", 0.01),
    "temperature.gpu": ("temperature_c", 1.0),
    "memory.used": ("memory_used_bytes", 2.0**20),
    "memory.total": ("memory_total_bytes", 2.0**20),
}
"""gpustat's names, and how many of ours one is."""


class DocumentReader:
    """Reads the text of such a file as it comes."""

    def __init__(self) -> None:
        self.zoned: bool | None = None
        self.problem = ""
        self._text = ""

    @property
    def fields(self) -> set[str]:
        """What it has: always the same."""
        return {field for field, _ in _FIELDS.values()}

    def read(self, lines: list[str]) -> list[GpuSample]:
        """The samples of the documents that end in `lines`."""
        samples: list[GpuSample] = []
        for line in lines:
            self._text += line + "\n"
            if line.startswith("}") or (line.startswith("{") and line.rstrip().endswith("}")):
                samples += self._document(self._text)
                self._text = ""
            elif len(self._text) > MOST_DOCUMENT:
                self._text = ""
        return samples

    def _document(self, text: str) -> list[GpuSample]:
        try:
            found = json.loads(text[text.index("{") :])
        except (ValueError, RecursionError):
            return []
        when = moment(str(found.get("query_time"))) if isinstance(found, dict) else None
        gpus = found.get("gpus") if isinstance(found, dict) else None
        if when is None or not isinstance(gpus, list):
            return []
        self.zoned = when.zoned
        return [sample for gpu in gpus[:1024] if (sample := _sample(gpu, when.at_s))]


def _sample(gpu: Any, at_s: float) -> GpuSample | None:
    index = gpu.get("index") if isinstance(gpu, dict) else None
    if not isinstance(index, int) or not 0 <= index < 1024:
        return None
    known: dict[str, Any] = {}
    for name, (field, scale) in _FIELDS.items():
        value = gpu.get(name)
        if type(value) in (int, float) and plausible(field, value * scale):
            known[field] = int(value * scale) if field.endswith("bytes") else value * scale
    if not known:
        return None
    known |= {field: clean(gpu[field], 80) for field in ("name", "uuid") if isinstance(gpu.get(field), str)}
    return GpuSample(at_s=at_s, gpu=index, **known)
