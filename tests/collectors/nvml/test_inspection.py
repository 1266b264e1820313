"""Two passes, a moment apart; of the second what is shown, of both what the driver had to say."""

from __future__ import annotations

import pytest

from itermon.collectors.nvml.errors import NvmlError
from itermon.collectors.nvml.inspection import BETWEEN_S, inspect
from itermon.collectors.nvml.sampler import NvmlSampler
from itermon.events import GpuSample, Message


class Library:
    """Knows two calls, or fails as it is told."""

    def __init__(self, error=None):
        self.under_way = None
        self.took_s = {"sample": 0.25}
        self.error = error

    def call(self, name):
        if self.error is not None:
            raise self.error
        return {"nvmlSystemGetDriverVersion": "580.65", "nvmlSystemGetNVMLVersion": "13.\x1b[2J0"}[name]


class Passes:
    """A sampler of another maker's, that gives these passes one after the other."""

    PACKAGE = "msgspec"

    def __init__(self, *passes, error=None):
        self.passes, self.library, self.closed = list(passes), Library(error), 0

    def sample(self):
        return self.passes.pop(0)

    def close(self):
        self.closed += 1


class Nvidia(Passes, NvmlSampler):
    """The same, taken for NVIDIA's."""


def gpu(at_s):
    return GpuSample(at_s, 0, power_w=at_s)


def test_what_is_a_rate_is_shown_of_the_second_pass_and_messages_of_both():
    slept = []
    sampler = Passes([gpu(1.0), Message("first")], [gpu(2.0), Message("second")])
    found = inspect(sampler=sampler, sleep=slept.append)
    assert found.gpus == (gpu(2.0),)
    assert found.messages == ("first", "second")
    assert (found.trouble, found.took_s) == ("", {"sample": 0.25})
    assert (slept, sampler.closed) == ([BETWEEN_S], 1)


@pytest.mark.parametrize(
    ("events", "trouble"), [([Message("no driver"), Message("nor another")], "no driver"), ([], "")]
)
def test_without_a_gpu_the_first_message_is_the_trouble_and_nothing_is_waited_for(events, trouble):
    slept = []
    sampler = Passes(events)
    found = inspect(sampler=sampler, sleep=slept.append)
    assert (found.trouble, found.gpus, slept, sampler.closed) == (trouble, (), [], 1)


def test_gpus_that_are_gone_in_the_second_pass_are_not_shown_as_they_were():
    found = inspect(sampler=Passes([gpu(1.0)], [Message("gone")]), sleep=lambda _: None)
    assert (found.gpus, found.trouble) == ((), "gone")


def test_the_driver_is_asked_for_its_versions_where_it_is_nvidias():
    found = inspect(sampler=Nvidia([]))
    assert found.driver == "580.65"
    assert found.nvml.startswith("13.")
    assert "\x1b" not in found.nvml
    other = inspect(sampler=Passes([]))
    assert (other.driver, other.nvml) == ("", "")


@pytest.mark.parametrize("error", [NvmlError("not loaded", 9), AttributeError("no pynvml")])
def test_versions_that_are_not_given_are_none(error):
    found = inspect(sampler=Nvidia([Message("no driver")], error=error))
    assert (found.driver, found.nvml, found.trouble) == ("", "", "no driver")


@pytest.mark.parametrize(("package", "known"), [("msgspec", True), ("", False), ("no-such-package-at-all", False)])
def test_the_makers_package_is_named_where_it_is_installed(package, known):
    sampler = Passes([])
    sampler.PACKAGE = package
    assert list(inspect(sampler=sampler).package) == ([package] if known else [])


def test_variables_that_choose_gpus_are_shown_where_they_are_set(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1\x1b[2J")
    monkeypatch.delenv("HIP_VISIBLE_DEVICES", raising=False)
    environment = inspect(sampler=Passes([])).environment
    assert environment["CUDA_VISIBLE_DEVICES"].startswith("1")
    assert "\x1b" not in environment["CUDA_VISIBLE_DEVICES"]
    assert "HIP_VISIBLE_DEVICES" not in environment
