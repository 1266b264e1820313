"""Lines with which programs come to a bad end, and such as go on."""

from __future__ import annotations

import pytest

from itermon.collectors.logs.fatal.words import WORDS
from itermon.collectors.logs.troubles import Troubles, hinted
from itermon.events import EndReason


@pytest.mark.parametrize(
    "line",
    [
        "F0102 10:00:00.000001  77 memory.cpp:9] Check failed: status == cudaSuccess (2 vs. 0)  out of memory",
        "2024-01-02 10:00:00.000001: F tensorflow/stream/driver.cc:9] Check failed: ok (1 vs. 0)",
        "F tensorflow/kernels/bias.cu.cc:9] Non-OK-status: Launch(kernel) status: Internal: no kernel",
        "CUDA Error: out of memory: File exists",
        "[2021-05-01 10:00:00] Error: CUDA error 2 'out of memory' - /src/device.cu:9: cudaMalloc(&data_, size)",
        "[2021-05-01 10:00:00] Error: Aborted from void marian::Device::reserve() in /src/device.cu:9",
        "RuntimeError: HIP out of memory. Tried to allocate 2.00 GiB",
        "Memory access fault by GPU node-2 on address 0x7f0000000000. Reason: Unknown.",
        "W tensorflow/framework/op.cc:9] OP_REQUIRES failed: OOM when allocating tensor with shape[8,9]",
        "RESOURCE_EXHAUSTED: Out of memory allocating 1073741824 bytes.",
        "Out of memory error on GPU 0. Cannot allocate 2.5GB memory on GPU 0",
        "[ERROR] DEVICE(9): Memory pool: Device(id:0) memory isn't enough and alloc failed",
        "ncclUnhandledCudaError: Call to CUDA function failed.",
        "*** stack smashing detected ***: terminated",
        "slurmstepd: error: Exceeded job memory limit",
        "=>> PBS: job killed: walltime 3605 exceeded limit 3600",
        "    reason: OOMKilled",
        "mpirun noticed that process rank 3 with PID 9 on node a exited on signal 9 (Killed).",
    ],
)
def test_it_is_the_end_if_nothing_follows(line: str) -> None:
    message = Troubles().line(line, 3)
    assert message is not None
    assert (message.level, message.ending) == ("error", EndReason.FAILED)


@pytest.mark.parametrize(
    "line",
    [
        "failed to allocate 7.50G (8053063680 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        "Health check failed: 3 of 9 shards are cold",
        "the cache is out of memory budget: 3 entries dropped",
    ],
)
def test_what_is_tried_again_is_no_end(line: str) -> None:
    assert Troubles().line(line, 3) is None


def test_each_word_is_looked_for() -> None:
    assert all(map(hinted, WORDS))
