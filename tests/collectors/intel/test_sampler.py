"""All Intel GPUs: which of them are shown."""

from __future__ import annotations

import importlib.util

import pytest

from itermon.collectors.intel.library import Library
from itermon.collectors.intel.sampler import IntelSampler
from itermon.events import GpuSample, Message

from .level_zero_standin import LOST, Card, Loader, package

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pyzes") is None, reason="pyzes is not installed")


class Trainer:
    def __init__(self, affinity=None, pids=()):
        self._affinity, self._pids = affinity, pids

    def pids(self):
        return self._pids

    def missing(self):
        return ""

    def variable(self, name):
        return self._affinity if name == "ZE_AFFINITY_MASK" else None


@pytest.fixture
def sampled(monkeypatch):
    monkeypatch.setattr("itermon.collectors.gpus.passes.host_ids", lambda: True)

    def of(*cards, wish=None, trainer=None):
        package(monkeypatch, Loader(*cards))
        return IntelSampler(wish, trainer, library=Library()).sample()

    return of


def gpus(events):
    return [event.gpu for event in events if isinstance(event, GpuSample)]


def idle(**values):
    return Card(processes=[], **values)


def test_a_gpu_has_its_name_and_its_id(sampled):
    (sample,) = sampled(Card())
    assert (sample.name, sample.uuid) == ("Intel(R) Data Center GPU Max 1100", bytes(range(16)).hex())


def test_a_processor_that_is_no_gpu_is_left_out(sampled):
    assert gpus(sampled(Card(type=5), Card())) == [0]


@pytest.mark.parametrize(
    ("affinity", "shown"), [(None, [0, 1, 2]), ("", [0, 1, 2]), ("1", [1]), ("0.0,0.1,2", [0, 2])]
)
def test_those_are_shown_that_the_trainer_may_see(sampled, affinity, shown):
    assert gpus(sampled(idle(), idle(), idle(), trainer=Trainer(affinity))) == shown


def test_those_that_it_uses_come_before_those_that_it_may_see(sampled):
    assert gpus(sampled(idle(), Card(), trainer=Trainer("0,1", [4242]))) == [1]


def test_a_mask_that_hides_all_is_said(sampled):
    (message,) = sampled(idle(), trainer=Trainer("7"))
    assert isinstance(message, Message)
    assert message.text == "no GPU: ZE_AFFINITY_MASK=7 hides all of them; --gpu all shows them"


def test_one_that_cannot_be_asked_is_lost_beside_the_others(sampled):
    events = sampled(Card(refuses={"zesDeviceGetProperties": LOST}), Card(), wish="all")
    assert [event.lost != "" for event in events if isinstance(event, GpuSample)] == [True, False]
