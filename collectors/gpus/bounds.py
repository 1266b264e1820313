"""What no GPU of today reaches (the largest: 1.4 kW, 288 GB, 2.9 GHz, NVLink 1.8 TB/s): a broken sensor's."""

from __future__ import annotations

MOST = {
    "power_w": 20e3,
    "power_limit_w": 20e3,
    "energy_j": 1e15,
    "memory_used_bytes": 1 << 46,
    "memory_reserved_bytes": 1 << 46,
    "memory_total_bytes": 1 << 46,
    "utilization": 1.0,
    "sm_activity": 1.0,
    "tensor_activity": 1.0,
    "dram_activity": 1.0,
    "temperature_c": 200,
    "sm_clock_hz": 1e10,
    "sm_clock_max_hz": 1e10,
    "pcie_read_bytes_per_s": 1e12,
    "pcie_write_bytes_per_s": 1e12,
    "nvlink_bytes_per_s": 1e14,
    "trainer_memory_bytes": 1 << 46,
}
"""By the field of `GpuSample`."""

LEAST = {"temperature_c": -100.0}
"""Nothing else is less than 0."""


def plausible(field: str, value: float) -> bool:
    """Can a GPU report this? What is not in the table can be anything."""
    return field not in MOST or LEAST.get(field, 0.0) <= value <= MOST[field]
