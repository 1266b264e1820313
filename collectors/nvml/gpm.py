"""GPU performance metrics (GPM; Hopper and later): how busy the SMs, the tensor cores and the memory really are.

"Utilisation" only says that some kernel ran. These say how much of the chip worked, as the mean between two
samples that the driver keeps, without the rights that profilers need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import NvmlError

if TYPE_CHECKING:
    from ..gpus.asking import Asker
    from ..gpus.device import Device

# Field -> id (NVML_GPM_METRIC_* of nvml.h), and what one unit of NVML's is in ours.
_PERCENT = 0.01
_MIB = float(1 << 20)
METRICS: dict[str, tuple[int, float]] = {
    "sm_activity": (2, _PERCENT),
    "tensor_activity": (5, _PERCENT),
    "dram_activity": (10, _PERCENT),
    "pcie_write_bytes_per_s": (20, _MIB),
    "pcie_read_bytes_per_s": (21, _MIB),
    "nvlink_read": (60, _MIB),
    "nvlink_write": (61, _MIB),
}


class Gpm:
    """Two samples of one device, taken in turn. `close` gives them back to the driver."""

    def __init__(self, ask: Asker, device: Device) -> None:
        self._ask = ask
        self._device = device
        self._samples: list[Any] = []
        self._filled = 0
        self._request: Any = None
        self.values: dict[str, float] = {}

    def read(self) -> None:
        """Take a sample; `values` becomes what went on since the last one. Empty where there is no GPM."""
        self.values = {}
        if not self._ask.wanted("gpm"):
            self._filled = 0  # what is kept is too old to compare with
            return
        if not self._samples and not self._begin():
            return
        self._samples.reverse()  # the older one is overwritten, and is the newer one then
        if not self._take(self._samples[1]):
            self._filled = 0
            return
        self._filled += 1
        if self._filled >= 2:
            self._compute()

    def close(self) -> None:
        """Give the samples back."""
        samples, self._samples = self._samples, []
        for sample in samples:
            try:
                self._ask.library.call("nvmlGpmSampleFree", sample)
            except NvmlError:
                continue  # the driver took it with it

    def why(self, metric: str) -> str:
        """The reason that there is no value."""
        return self._ask.why("gpm") or self._ask.why(metric) or "needs two samples"

    def _begin(self) -> bool:
        device = self._device
        if device.mig is not None and device.instance_id is None:
            self._ask.never("gpm", "the MIG instance has no id")
            return False
        support = self._ask.ask("gpm", "nvmlGpmQueryDeviceSupport", device.parent or device.handle)
        if support is None:
            return False
        if not support.isSupportedDevice:
            self._ask.never("gpm", "needs a Hopper GPU or a later one")
            return False
        self._filled = 0
        for _ in range(2):
            sample = self._ask.ask("gpm", "nvmlGpmSampleAlloc")
            if sample is None:
                self.close()
                return False
            self._samples.append(sample)
        return True

    def _take(self, sample: Any) -> bool:
        device = self._device
        if device.mig is not None:
            arguments = (device.parent, device.instance_id, sample)
            return self._ask.ask("gpm", "nvmlGpmMigSampleGet", *arguments) is not None
        return self._ask.ask("gpm", "nvmlGpmSampleGet", device.handle, sample) is not None

    def _compute(self) -> None:
        request = self._request = self._request or self._new_request()
        # The struct is 19 kB: made once. Whatever the last call wrote into it is set anew.
        request.sample1, request.sample2 = self._samples
        wanted = [name for name in METRICS if self._ask.wanted(name)]
        request.numMetrics = len(wanted)
        for slot, name in enumerate(wanted):
            request.metrics[slot].metricId = METRICS[name][0]
        if not wanted or self._ask.ask("gpm", "nvmlGpmMetricsGet", request) is None:
            return
        for slot, name in enumerate(wanted):
            metric = request.metrics[slot]
            if metric.nvmlReturn:
                self._ask.refuse(name, NvmlError(metric.nvmlReturn, name))
            else:
                self.values[name] = metric.value * METRICS[name][1]

    def _new_request(self) -> Any:
        nvml = self._ask.library.module
        request = nvml.c_nvmlGpmMetricsGet_t()
        request.version = nvml.NVML_GPM_METRICS_GET_VERSION
        return request
