"""A Mac's GPU: its use and its memory, and why there is no more."""

import plistlib

from itermon.collectors.apple.registry import Registry
from itermon.collectors.apple.sampler import AppleSampler
from itermon.events import GpuSample, Message


class Mac:
    def __init__(self, *entries):
        self.entries = list(entries)

    def __call__(self, command, longest_s, most_bytes):
        return plistlib.dumps(self.entries), ""


def m3(**statistics):
    usual = {"Device Utilization %": 87, "In use system memory": 9 << 30, "Alloc system memory": 20 << 30}
    return {"model": b"Apple M3 Pro\0", "gpu-core-count": 18, "PerformanceStatistics": {**usual, **statistics}}


def sampler(mac, wish=None):
    return AppleSampler(wish, library=Registry(lambda: 0.0, mac), wall=lambda: 50.0)


def test_use_and_memory_are_known_and_the_rest_has_its_reason():
    (said,) = sampler(Mac(m3())).sample()
    assert (said.name, said.at_s, said.utilization, said.memory_used_bytes) == (
        "Apple M3 Pro",
        50.0,
        0.87,
        9 << 30,
    )
    assert said.absent["power_w"] == said.absent["sm_clock_hz"] == "macOS gives it to root alone"
    assert said.absent["memory_total_bytes"] == "the GPU shares the machine's memory"


def test_a_figure_that_cannot_be_is_none():
    said = sampler(Mac(m3(**{"Device Utilization %": 870, "In use system memory": "much"}))).sample()[-1]
    assert said.lost.startswith("answers nothing")
    (said,) = sampler(Mac(m3(**{"Device Utilization %": True}))).sample()
    assert (said.utilization, said.memory_used_bytes) == (None, 9 << 30)


def test_a_gpu_that_vanishes_is_lost_and_one_without_statistics_answers_nothing():
    mac = Mac(m3(), m3())
    watched = sampler(mac)
    assert [s.lost for s in watched.sample() if isinstance(s, GpuSample)] == ["", ""]
    mac.entries = [m3()]
    lost = [s.lost for s in watched.sample() if isinstance(s, GpuSample)]
    assert lost == ["", "GPU is not there any more"]
    (said,) = sampler(Mac({"model": 7})).sample()[-1:]
    assert (said.name, said.lost.startswith("answers nothing")) == ("", True)


def test_a_machine_without_a_gpu_says_so():
    (message,) = sampler(Mac()).sample()
    assert isinstance(message, Message)
    assert message.text == "no GPU: the Apple driver is there, but shows none"
