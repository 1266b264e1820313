"""Which processes compute on a GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..gpus.usage import Usage

if TYPE_CHECKING:
    from ..gpus.asking import Asker

# The unversioned name raises something that is no NVMLError on an older driver.
_CALL = "nvmlDeviceGetComputeRunningProcesses_v3"
_CALL_BEFORE_510 = "nvmlDeviceGetComputeRunningProcesses_v2"


def read(ask: Asker, handle: Any) -> Usage | None:
    """Ask for the compute processes: 4.5 ms of the driver's lock on one machine, so every 10 s at most."""
    answers = ask.ask("processes", _CALL, handle, instead=_CALL_BEFORE_510)
    return None if answers is None else Usage({int(p.pid): p.usedGpuMemory for p in answers if p.pid})
