"""Words that stand in lines of a bad end, whoever writes them.

What is tried again is none: TensorFlow's `failed to allocate ...: CUDA_ERROR_OUT_OF_MEMORY`.
"""

from __future__ import annotations

from ....events import Severity

CHECKED = "] Check failed: "
"""Of glog and TensorFlow, whose programs abort then: `F0102 10:00:00.000001  77 memory.cpp:9] Check failed: 2`."""

_WARNED = ("NCCL WARN",)
_GPU = (
    *(
        "CUDA out of memory",
        "OutOfMemoryError",
        "CUDA error: ",
        "CUDA Error: ",
        "CUDA error(",
        "CUDA driver error: ",
    ),
    "cuda runtime error (",  # of Torch and of PyTorch before 1.5
    *("cudaErrorMemoryAllocation", "cudaErrorIllegalAddress", "cudaErrorLaunchFailure"),
    *("cudaMalloc failed: ", "cudaMalloc retry failed: ", "THCudaCheck FAIL", "cuDNN Error: "),
    *("CUDA_ERROR_ILLEGAL_ADDRESS", "CUDA_ERROR_LAUNCH_FAILED", "CUDA_ERROR_ECC_UNCORRECTABLE"),
    *("an illegal memory access was encountered", "device-side assert triggered"),
    *("HIP out of memory", "HIP error: ", "hipErrorOutOfMemory", "Memory access fault by GPU"),
    *("HSA_STATUS_ERROR", "NPU out of memory", "XPU out of memory", "MPS backend out of memory"),
)
_COLLECTIVES = (
    *("Watchdog caught collective operation timeout", "ncclSystemError", "ncclRemoteError"),
    *("ncclUnhandledCudaError", "ncclInternalError", "ncclInvalidUsage", "NCCL error(", "HCCL error"),
    *("Some NCCL operations have failed or timed out", "NCCL communicator was aborted"),
    *("MPI_ABORT was invoked", "mpirun noticed that process", "BAD TERMINATION OF ONE OF YOUR"),
    "mpirun detected that one or more processes exited with non-zero status",
)
_LIBRARIES = (
    *("/luajit: ", CHECKED, "Non-OK-status: ", "OOM when allocating tensor"),  # of Torch, glog, TensorFlow
    *("Error: Aborted from ", "Error: CUDA error "),  # of Marian, which ends with the first
    *("RESOURCE_EXHAUSTED: Out of memory", "Out of memory while trying to allocate"),  # of XLA
    *("Out of memory error on GPU", "Out of memory error on CPU"),  # of Paddle
    *("memory isn't enough and alloc failed", "EE9999: Inner Error"),  # of MindSpore and Ascend
    *("DefaultCPUAllocator: not enough memory", "DefaultCPUAllocator: can't allocate memory"),
)
_SYSTEM = (
    *("Segmentation fault", "Bus error", "(core dumped)", "Fatal Python error", "terminate called after throwing"),
    *("double free or corruption", "*** stack smashing detected", "free(): invalid ", "malloc(): "),
    *("Terminated by signal", "(SIGKILL)", "(SIGABRT)", "(SIGSEGV)", "(SIGBUS)"),
    *("oom-kill", "oom_kill", "Out of memory: Killed process", "No space left on device", "Disk quota exceeded"),
)
_QUEUES = (
    *("DUE TO TIME LIMIT", "srun: error: ", "Exceeded job memory limit", "Exceeded step memory limit"),
    *("PBS: job killed: ", "TERM_RUNLIMIT: ", "TERM_MEMLIMIT: ", "OOMKilled", "The node was low on resource"),
)

WORDS = {
    **dict.fromkeys(_WARNED, Severity.WARNING),
    **dict.fromkeys((*_GPU, *_COLLECTIVES, *_LIBRARIES, *_SYSTEM, *_QUEUES), Severity.ERROR),
}
