"""The sources of what this machine does, and whose log is meant by a pipe."""

import os
import sys
from pathlib import Path

import pytest

from itermon.collectors.machine import _name, machine_sources
from itermon.collectors.sampling import SamplingSource


def test_gpus_and_host_are_sampled_with_one_trainer() -> None:
    gpus, host = machine_sources(pid=os.getpid(), interval_s=2.0)
    assert isinstance(gpus, SamplingSource)
    assert isinstance(host, SamplingSource)
    assert (gpus.title, host.title) == ("GPU sampling", "host sampling")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_a_log_is_called_as_the_kernel_calls_it() -> None:
    read, write = os.pipe()
    assert _name(None) is None
    assert _name(Path("/train.log")) == "/train.log"
    assert _name(read) == str(Path(f"/proc/self/fd/{read}").readlink())
    os.close(read)
    os.close(write)
    assert _name(read) is None
