"""What `itermon gpus --watch` writes is what nvidia-smi writes, and comes back as it was."""

import msgspec

from itermon.collectors.gpu_logs.tables import TableReader
from itermon.collectors.gpu_logs.writing import HEADING, row
from itermon.events import GpuSample

FULL = GpuSample(
    1771135968.455, 3, name="NVIDIA H100 80GB HBM3", uuid="GPU-1", utilization=0.97, memory_used_bytes=512 << 20,
    memory_total_bytes=81559 << 20, temperature_c=61.0, power_w=688.25, power_limit_w=700.0, sm_clock_hz=1.83e9,
    sm_clock_max_hz=1.98e9, limits=("power cap", "thermal"),
)  # fmt: skip


def test_what_was_written_is_read_value_by_value() -> None:
    (found,) = TableReader().read((HEADING + row(FULL)).splitlines())
    assert msgspec.structs.replace(found, at_s=FULL.at_s) == FULL
    assert abs(found.at_s - FULL.at_s) < 0.001


def test_what_is_not_known_stays_so() -> None:
    bare = GpuSample(1771135968.0, 0, utilization=0.5, name="a, b")
    text = row(bare)
    assert text.count("[N/A]") == 9
    (found,) = TableReader().read((HEADING + text).splitlines())
    assert (found.utilization, found.power_w, found.limits, found.name) == (0.5, None, None, "a  b")
