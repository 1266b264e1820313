"""GPU performance metrics: two samples in turn, each in its unit, and nothing asked where there are none."""

from types import SimpleNamespace

import pytest

from itermon.collectors.gpus.asking import Asker
from itermon.collectors.gpus.device import Device
from itermon.collectors.nvml.errors import NOT_SUPPORTED, NvmlError
from itermon.collectors.nvml.gpm import METRICS, Gpm

from .made import MadeLibrary

MIB = 1024.0 * 1024.0
# By NVML's number of the metric (nvml.h): the field, and what the value 50 is in ours.
MEANT = {
    2: ("sm_activity", 0.5), 5: ("tensor_activity", 0.5), 10: ("dram_activity", 0.5),
    20: ("pcie_write_bytes_per_s", 50 * MIB), 21: ("pcie_read_bytes_per_s", 50 * MIB),
    60: ("nvlink_read", 50 * MIB), 61: ("nvlink_write", 50 * MIB),
}  # fmt: skip


class Driver:
    """Keeps what it was asked; `refused` are metrics that it does not measure."""

    def __init__(self, *refused, supported=1, **answers):
        self.taken, self.freed, self.requests = [], [], []
        self.library = MadeLibrary(
            **{
                "nvmlGpmQueryDeviceSupport": SimpleNamespace(isSupportedDevice=supported),
                "nvmlGpmSampleAlloc": lambda: f"sample {len(self.library.asked)}",
                "nvmlGpmSampleGet": lambda *arguments: self.taken.append(arguments) or "taken",
                "nvmlGpmMigSampleGet": lambda *arguments: self.taken.append(arguments) or "taken",
                "nvmlGpmSampleFree": self.freed.append,
                "nvmlGpmMetricsGet": self.measure,
                **answers,
            }
        )
        self.library.module = SimpleNamespace(
            c_nvmlGpmMetricsGet_t=lambda: SimpleNamespace(metrics=[SimpleNamespace() for _ in range(99)]),
            NVML_GPM_METRICS_GET_VERSION=1,
        )
        self.refused = refused

    def measure(self, request):
        self.requests.append((request.sample1, request.sample2))
        for metric in request.metrics[: request.numMetrics]:
            metric.nvmlReturn = NOT_SUPPORTED if metric.metricId in self.refused else 0
            metric.value = 50.0
        return request

    def gpm(self, **device):
        return Gpm(Asker(self.library), Device(0, "handle", **device))


def test_each_metric_is_asked_by_its_number_and_made_si():
    driver = Driver()
    gpm = driver.gpm()
    gpm.read()
    assert (gpm.values, gpm.why("sm_activity")) == ({}, "needs two samples")
    gpm.read()
    assert gpm.values == dict(MEANT.values())
    assert {number: name for name, (number, _) in METRICS.items()} == {n: name for n, (name, _) in MEANT.items()}


def test_the_older_sample_comes_first_and_is_overwritten_next():
    driver = Driver()
    gpm = driver.gpm()
    for _ in range(4):
        gpm.read()
    taken = [sample for _, sample in driver.taken]
    assert taken[0] != taken[1]
    assert taken == taken[:2] * 2
    assert driver.requests == [(taken[0], taken[1]), (taken[1], taken[0]), (taken[0], taken[1])]
    gpm.close()
    assert set(driver.freed) == set(taken)
    gpm.close()
    assert len(driver.freed) == 2


def test_a_metric_that_the_driver_refuses_is_not_asked_again_and_has_its_reason():
    driver = Driver(5)
    gpm = driver.gpm()
    for _ in range(3):
        gpm.read()
    assert gpm.values == dict(pair for number, pair in MEANT.items() if number != 5)
    assert gpm.why("tensor_activity") == "not supported here"


def test_after_a_sample_that_was_not_taken_two_more_are_needed():
    driver = Driver()
    gpm = driver.gpm()
    gpm.read()
    good = driver.library.answers["nvmlGpmSampleGet"]
    driver.library.answers["nvmlGpmSampleGet"] = NvmlError(10, "timeout")
    gpm.read()
    driver.library.answers["nvmlGpmSampleGet"] = good
    found = []
    for _ in range(4):
        driver.library.now_s += 31.0
        gpm.read()
        found.append(bool(gpm.values))
    assert found == [False, True, True, True]


def test_an_instance_is_sampled_by_its_parent_and_number():
    driver = Driver()
    gpm = driver.gpm(mig=1, parent="parent", instance_id=7)
    gpm.read()
    assert [(parent, number) for parent, number, _ in driver.taken] == [("parent", 7)]
    nameless = Driver().gpm(mig=1, parent="parent")
    nameless.read()
    assert nameless.why("sm_activity") == "the MIG instance has no id"


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ({"supported": 0}, "needs a Hopper GPU or a later one"),
        ({"nvmlGpmQueryDeviceSupport": NvmlError(NOT_SUPPORTED, "any")}, "not supported here"),
        ({"nvmlGpmSampleAlloc": NvmlError(NOT_SUPPORTED, "any")}, "not supported here"),
    ],
)
def test_where_there_are_no_metrics_there_is_the_reason(answers, why):
    driver = Driver(**answers)
    gpm = driver.gpm()
    for _ in range(3):
        gpm.read()
    assert (gpm.values, gpm.why("sm_activity"), driver.taken) == ({}, why, [])


def test_a_sample_is_given_back_where_the_second_is_refused():
    driver = Driver()
    samples = iter(["first", NvmlError(NOT_SUPPORTED, "any")])

    def allocate():
        sample = next(samples)
        if isinstance(sample, NvmlError):
            raise sample
        return sample

    driver.library.answers["nvmlGpmSampleAlloc"] = allocate
    driver.gpm().read()
    assert driver.freed == ["first"]
