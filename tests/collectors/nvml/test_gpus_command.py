"""`itermon gpus`, as a person runs it: with the library that stands in for NVML, and with none."""

from __future__ import annotations

import json
import subprocess
import sys
import threading

from itermon.collectors.nvml import inspection
from itermon.collectors.nvml.library import Library
from itermon.events import GpuSample
from itermon.reports.gpus_text import gpus_text

from .standin import HEALTHY, environment


def run(folder, script, *options):
    """The command in a process of its own: the loader reads LD_LIBRARY_PATH only when one starts."""
    (folder / "command").write_text(script)
    done = subprocess.run(
        [sys.executable, "-m", "itermon", "gpus", *options],
        env=environment(folder, folder / "command"), capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert done.stderr == ""
    return done.stdout


def test_gpus_are_printed_as_json_for_a_bug_report(library_folder):
    found = json.loads(run(library_folder, "0 - gpus 2\n0 - driver 580.65\n" + HEALTHY, "--json"))
    assert found["driver"] == "580.65"
    assert [gpu["gpu"] for gpu in found["gpus"]] == [0, 1]
    assert found["gpus"][0]["power_method"] == "energy"
    assert 600 < found["gpus"][0]["power_w"] < 800
    assert found["took_s"]["nvmlDeviceGetMemoryInfo"] > 0


def test_every_field_has_a_row_with_its_value_or_the_reason(library_folder):
    lines = run(library_folder, HEALTHY + "0 0 fail:nvmlDeviceGetUtilizationRates 4\n").splitlines()
    row = {line.split()[0]: line for line in lines if line.startswith("  ")}
    assert "energy counter" in row["power_w"]
    assert row["utilization"].split(maxsplit=1)[1] == "–               no permission"
    assert "96.5" in row["sm_activity"]
    assert "power cap" in row["limits"]


def test_without_a_driver_it_is_one_sentence(library_folder):
    out = run(library_folder, "0 - fail:nvmlInitWithFlags 9\n")
    assert out == "the NVIDIA driver is not loaded: its library is there, the kernel module does not answer\n"


class Hanging:
    """A sampler whose driver does not answer until the test is over."""

    PACKAGE = "nvidia-ml-py"
    released = threading.Event()

    def __init__(self, wish):
        self.library = Library()
        self.library.under_way = ("nvmlInit", 0.0)

    def sample(self):
        self.released.wait(10)
        return []

    def close(self):
        pass


def test_a_driver_that_hangs_is_said_with_the_call(monkeypatch):
    monkeypatch.setattr(inspection, "NvmlSampler", Hanging)
    found = inspection.inspect(patience_s=0.01)
    Hanging.released.set()
    assert found.trouble == "the driver hangs: nvmlInit has not come back for < 1 s"


def test_a_lost_gpu_is_a_line():
    assert gpus_text([GpuSample(0.0, 3, lost="needs a reset")], {}, {}) == "GPU 3\n  no answer: needs a reset\n"
