"""Which processes a driver names."""

from types import SimpleNamespace

from itermon.collectors.gpus.asking import Asker
from itermon.collectors.nvml.errors import FUNCTION_NOT_FOUND, NvmlError
from itermon.collectors.nvml.processes import read

from .made import MadeLibrary


def test_older_drivers_are_asked_by_their_name_and_no_process_has_id_0():
    processes = [SimpleNamespace(pid=5, usedGpuMemory=7), SimpleNamespace(pid=0, usedGpuMemory=1)]
    library = MadeLibrary(
        nvmlDeviceGetComputeRunningProcesses_v3=NvmlError(FUNCTION_NOT_FOUND, "any"),
        nvmlDeviceGetComputeRunningProcesses_v2=processes,
    )
    assert read(Asker(library), "handle").memory_bytes == {5: 7}
    assert read(Asker(MadeLibrary()), "handle") is None
