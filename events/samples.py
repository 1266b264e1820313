"""What was measured of the GPUs and of the machine at one time."""

from __future__ import annotations

from .event import Celsius, Event, Index, Quantity, Seconds, Share, UnixTime

# Why a GPU's clock is held down (`GpuSample.limits`): the ones that are normal in training.
NORMAL_LIMITS = frozenset({"idle", "power cap", "application clocks", "sync boost", "display clocks"})
# ... and the ones that cost speed for a reason outside the run: cooling or power supply.
THROTTLING_LIMITS = frozenset({"thermal", "hardware thermal", "power brake", "hardware slowdown"})


class GpuSample(Event, frozen=True, tag="gpu"):
    """What NVML said of one GPU, or of one MIG instance of it, at one time. Fractions are 0..1.

    `gpu` counts in NVML's order (by PCI bus), `mig` the instances of one GPU. Energy counts from the driver's
    load. `limits` are those of the whole interval since the last sample. PCIe reads are bytes into the GPU.
    `ecc_errors` are the uncorrected ones since the driver's load, `xid` the newest since the sampling began.
    `absent` maps each field that this GPU does not give to the reason.
    """

    at_s: UnixTime
    gpu: Index = 0
    mig: Index | None = None
    name: str = ""
    uuid: str = ""
    power_w: Quantity | None = None
    power_method: str = ""  # "energy" (mean between two samples) or "sensor"
    power_limit_w: Quantity | None = None
    energy_j: Quantity | None = None
    memory_used_bytes: Index | None = None
    memory_reserved_bytes: Index | None = None
    memory_total_bytes: Index | None = None
    utilization: Share | None = None
    sm_activity: Share | None = None
    tensor_activity: Share | None = None
    dram_activity: Share | None = None
    temperature_c: Celsius | None = None
    sm_clock_hz: Quantity | None = None
    sm_clock_max_hz: Quantity | None = None
    limits: tuple[str, ...] | None = None  # clock-event reasons in words: "power cap", "thermal", ...
    pcie_read_bytes_per_s: Quantity | None = None
    pcie_write_bytes_per_s: Quantity | None = None
    nvlink_bytes_per_s: Quantity | None = None
    ecc_errors: Index | None = None
    xid: Index | None = None
    lost: str = ""  # why there is no answer from this GPU right now
    trainer_memory_bytes: Index | None = None
    absent: dict[str, str] = {}


class HostSample(Event, frozen=True, tag="host"):
    """What the operating system said of the trainer's process tree and of the machine. CPU in cores.

    `trainer_cpu` and `resident_bytes` are the ranks' alone: without compile and loader workers, whose memory is
    mostly the ranks' own, shared. Reads, writes and faults are the whole tree's. `read_ahead_bytes` is what the
    kernel reads ahead on the disk of the checkpoint directory: one cold page of a mapped file costs that much.
    `absent` says why a field is `None`; where `trainer_pid` is absent, so is all that is the trainer's.
    """

    at_s: UnixTime
    interval_s: Seconds | None = None
    trainer_cpu: Quantity | None = None
    compile_workers: Index | None = None
    compile_workers_cpu: Quantity | None = None
    loader_workers: Index | None = None
    loader_workers_cpu: Quantity | None = None
    resident_bytes: Index | None = None
    trainer_pid: Index | None = None  # the root of the tree
    trainer_processes: Index | None = None
    read_bytes: Index | None = None  # since the last sample; page-ins of mapped files included
    write_bytes: Index | None = None
    major_faults: Index | None = None
    io_pressure: Share | None = None  # share of the last interval in which something waited for I/O
    cpu_pressure: Share | None = None
    memory_pressure: Share | None = None
    memory_charged_bytes: Index | None = None  # to the trainer's control group, without what the kernel can drop
    memory_limit_bytes: Index | None = None  # of that group, or of the one above it that has less left
    shared_used_bytes: Index | None = None  # of /dev/shm, as the trainer sees it
    shared_total_bytes: Index | None = None
    disk_free_bytes: Index | None = None  # of the checkpoint directory
    read_ahead_bytes: Index | None = None
    machine_cpu: Quantity | None = None
    machine_cores: Index | None = None
    memory_available_bytes: Index | None = None
    memory_total_bytes: Index | None = None
    absent: dict[str, str] = {}
