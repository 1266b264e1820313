"""What one pass over eight GPUs costs us, against the library of the tests that stands in for NVML.

    python bench/nvml_pass.py [--gpus 8] [--passes 400] [--seconds 20]

Beside it, in the same run and in turn with it: the same calls of pynvml without anything of ours (the floor).
Ours less the floor is our own code. Then the sampling as it really runs, once a second, with the host's: CPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from statistics import median

TESTS = Path(__file__).parents[1] / "tests" / "collectors" / "nvml"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gpus", type=int, default=8)
    parser.add_argument("--passes", type=int, default=400)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(measure(options.passes, options.seconds)))
        return
    sys.path.insert(0, str(TESTS))  # the library's source and its build are the tests'
    import standin

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        standin.build(folder)
        script = folder / "script"
        script.write_text(f"0 - gpus {options.gpus}\n{standin.HEALTHY}\n0 0 pid 1\n")
        command = [sys.executable, __file__, "--child", "--passes", str(options.passes)]
        done = subprocess.run(
            [*command, "--seconds", str(options.seconds)],
            env=standin.environment(folder, script), check=True, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
    found = json.loads(done.stdout)
    ours, floor = found["ours_s"], found["floor_s"]
    print(f"one pass over {options.gpus} GPUs, medians of {options.passes} passes in turn")
    print(f"  the sampler, whole         {ours * 1e3:7.2f} ms")
    print(f"  the same pynvml calls bare {floor * 1e3:7.2f} ms")
    print(f"  our own code               {(ours - floor) * 1e3:7.2f} ms   (aim: 2 ms at most)")
    print(f"  times the floor            {ours / floor:7.2f}")
    print(f"sampling GPUs and host once a second for {options.seconds:.0f} s")
    print(f"  CPU of the whole process   {found['cpu_share'] * 100:7.2f} % of a core   (aim: 0.5 % at most)")


def measure(passes: int, seconds: float) -> dict[str, float]:
    """In the child: the loader finds the stand-in."""
    from itermon.collectors.nvml.sampler import NvmlSampler

    sampler = NvmlSampler("all")
    count = len(sampler.sample())
    for sample in sampler.sample():
        assert not sample.lost
        assert set(sample.absent) <= {"xid", "trainer_memory_bytes"}, sample.absent  # both do the same work
    bare = Bare(count)
    ours, floor = [], []
    for _ in range(passes):
        began = time.perf_counter()
        sampler.sample()
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        bare.sample()
        floor.append(time.perf_counter() - began)
    sampler.close()
    return {"ours_s": median(ours), "floor_s": median(floor), "cpu_share": sampling_cpu(seconds)}


class Bare:
    """The calls that a pass of ours makes, and nothing else."""

    def __init__(self, count: int) -> None:
        import pynvml

        from itermon.collectors.nvml.counters import FIELDS
        from itermon.collectors.nvml.gpm import METRICS

        pynvml.nvmlInit()
        self.nvml, self.fields = pynvml, list(FIELDS.values())
        self.handles = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(count)]
        self.samples = [[pynvml.nvmlGpmSampleAlloc(), pynvml.nvmlGpmSampleAlloc()] for _ in self.handles]
        for handle, (_, newer) in zip(self.handles, self.samples, strict=True):
            pynvml.nvmlGpmSampleGet(handle, newer)
        self.request = pynvml.c_nvmlGpmMetricsGet_t()
        self.request.version, self.request.numMetrics = 1, len(METRICS)
        for slot, (metric, _) in enumerate(METRICS.values()):
            self.request.metrics[slot].metricId = metric
        self.events = pynvml.nvmlEventSetCreate()

    def sample(self) -> None:
        nvml, request = self.nvml, self.request
        for handle, samples in zip(self.handles, self.samples, strict=True):
            samples.reverse()
            nvml.nvmlGpmSampleGet(handle, samples[1])
            request.sample1, request.sample2 = samples
            nvml.nvmlGpmMetricsGet(request)
            nvml.nvmlDeviceGetFieldValues(handle, self.fields)
            nvml.nvmlDeviceGetEnforcedPowerLimit(handle)
            nvml.nvmlDeviceGetMemoryInfo(handle, nvml.nvmlMemory_v2)
            nvml.nvmlDeviceGetUtilizationRates(handle)
            nvml.nvmlDeviceGetTemperatureV(handle, 0)
            nvml.nvmlDeviceGetClockInfo(handle, 1)
            nvml.nvmlDeviceGetMaxClockInfo(handle, 1)
            nvml.nvmlDeviceGetCurrentClocksEventReasons(handle)
        with suppress(nvml.NVMLError_Timeout):
            nvml.nvmlEventSetWait_v2(self.events, 0)


def sampling_cpu(seconds: float) -> float:
    """The share of a core that this process takes while it samples as `itermon` does."""
    from itermon.collectors.machine import machine_sources
    from itermon.collectors.source import Feed

    feed = Feed()
    for source in machine_sources(pid=os.getpid(), gpus="all"):
        feed.add(source)
    over = threading.Event()
    over.wait(2)  # what starting costs is not the question
    feed.drain()
    wall, cpu = time.perf_counter(), time.process_time()
    while time.perf_counter() - wall < seconds:
        over.wait(1)
        feed.drain()
    share = (time.process_time() - cpu) / (time.perf_counter() - wall)
    feed.stop()
    return share


if __name__ == "__main__":
    main()
