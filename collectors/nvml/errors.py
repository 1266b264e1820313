"""What NVML's error codes mean for a sampler. The numbers are those of nvml.h (nvmlReturn_t)."""

from __future__ import annotations

from ..gpus.asking import DriverError

UNINITIALIZED = 1
INVALID_ARGUMENT = 2
NOT_SUPPORTED = 3
NO_PERMISSION = 4
NOT_FOUND = 6
DRIVER_NOT_LOADED = 9
TIMEOUT = 10
LIBRARY_NOT_FOUND = 12
FUNCTION_NOT_FOUND = 13
VERSION_MISMATCH = 18
ARGUMENT_VERSION_MISMATCH = 25
UNKNOWN = 999

_WORDS = {
    UNINITIALIZED: "NVML is not initialised",
    INVALID_ARGUMENT: "not known to this driver",
    NOT_SUPPORTED: "not supported here",
    NO_PERMISSION: "no permission",
    NOT_FOUND: "not found",
    DRIVER_NOT_LOADED: "the driver is not loaded",
    TIMEOUT: "timed out",
    11: "the GPU's interrupts do not arrive",
    LIBRARY_NOT_FOUND: "the library is not there",
    FUNCTION_NOT_FOUND: "this driver is too old for it",
    14: "the GPU's infoROM is corrupted",
    15: "GPU is lost: fallen off the bus, or no longer reachable",
    16: "GPU needs a reset",
    17: "blocked by the operating system",
    VERSION_MISMATCH: "the driver was upgraded underneath",
    19: "in use",
    20: "out of memory",
    21: "no data",
    22: "not supported on a vGPU",
    23: "out of resources",
    ARGUMENT_VERSION_MISMATCH: "this driver knows another version of it",
    26: "no longer in this driver",
    27: "not ready",
    28: "GPU is not there any more",
    29: "not possible in this state",
    UNKNOWN: "unknown error",
}

# Asking again cannot help: these fields stay absent until NVML is initialised anew.
PERMANENT = frozenset({NOT_SUPPORTED, NO_PERMISSION, FUNCTION_NOT_FOUND, 22, ARGUMENT_VERSION_MISMATCH, 26})
# This GPU answers nothing any more, the others do.
LOST = frozenset({15, 16, 28})
# NVML itself is gone, with every handle: shut down and initialise again.
GONE = frozenset({UNINITIALIZED, DRIVER_NOT_LOADED, LIBRARY_NOT_FOUND, VERSION_MISMATCH})

_TROUBLE = {
    LIBRARY_NOT_FOUND: "no NVIDIA driver found: libnvidia-ml.so.1 cannot be loaded",
    DRIVER_NOT_LOADED: "the NVIDIA driver is not loaded: its library is there, the kernel module does not answer",
    VERSION_MISMATCH: "the NVIDIA driver was upgraded underneath: libnvidia-ml.so.1 and the loaded kernel module "
    "differ (reload the module or reboot)",
    NO_PERMISSION: "no permission to ask the NVIDIA driver: see the modes of /dev/nvidiactl and /dev/nvidia0",
    UNKNOWN: "NVML says 'unknown error' (in a container: its access to the GPU may have been revoked; restart it)",
}


class NvmlError(DriverError):
    """A call failed. `code` is NVML's, `call` its name."""

    FOR_GOOD, LOST, GONE, NO_CALL = PERMANENT, LOST, GONE, FUNCTION_NOT_FOUND

    def __init__(self, code: int, call: str) -> None:
        super().__init__(words(code), code, call)


def words(code: int) -> str:
    """An error code as a reason: "not supported here"."""
    return _WORDS.get(code, f"NVML error {code}")


def trouble(error: NvmlError) -> str:
    """Why NVML as a whole does not answer, as a sentence for a person."""
    return _TROUBLE.get(error.code) or f"NVML does not answer: {error}"
