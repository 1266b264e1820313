"""What all makers' GPUs share: what is gone and found again, chosen again, said once."""

import pytest

from itermon.collectors.gpus.asking import DriverError
from itermon.collectors.gpus.choice import Chosen
from itermon.collectors.gpus.device import Device
from itermon.collectors.gpus.passes import LOOK_S, RETRY_S, Passes
from itermon.events import GpuSample, Message


class GoneError(DriverError):
    """The whole library is."""


class MadeLibrary:
    under_way = None

    def __init__(self):
        self.now_s = 0.0
        self.opened = self.closed = 0

    def clock(self):
        return self.now_s

    def close(self):
        self.closed += 1


class MadeGpu:
    def __init__(self, number):
        self.device, self.lost, self.trainer, self.rarely = Device(number, "handle"), "", (), 0

    def ask_rarely(self):
        self.rarely += 1

    def computes(self, trainer):
        return any(pid in self.trainer for pid in trainer)

    def sample(self, at_s, trainer=(), *, host_ids=True):
        if self.lost == "all":
            raise GoneError("the driver is not loaded")
        return GpuSample(at_s, self.device.number, power_w=100.0, lost=self.lost)


class MadePasses(Passes[MadeGpu, MadeLibrary]):
    NAME, MAKER, PACKAGE = "MADE", "Maker's", "made"

    def __init__(self, library, gpus, wish=None, trainer=None):
        super().__init__(wish, trainer, library=library, wall=lambda: 1_000.0)
        self.there = gpus

    def _open(self):
        self.library.opened += 1
        return self.there

    def _visible(self, there):
        return Chosen(there[:1], "only the first is visible")


class Trainer:
    def __init__(self, pids=(), missing=""):
        self._pids, self._missing = pids, missing

    def pids(self):
        return self._pids

    def missing(self):
        return self._missing

    def variable(self, name):
        return None


def said(events):
    return [e.text for e in events if isinstance(e, Message)]


def sampled(events):
    return [e.gpu for e in events if isinstance(e, GpuSample)]


@pytest.fixture
def gpus(monkeypatch):
    monkeypatch.setattr("itermon.collectors.gpus.passes.host_ids", lambda: True)
    return [MadeGpu(0), MadeGpu(1), MadeGpu(2)]


def test_those_are_chosen_that_are_asked_for_or_compute_or_are_visible(gpus):
    assert sampled(MadePasses(MadeLibrary(), gpus, wish="1,2").sample()) == [1, 2]
    first = MadePasses(MadeLibrary(), gpus, trainer=Trainer([7])).sample()
    assert (sampled(first), said(first)) == ([0], ["only the first is visible"])
    gpus[2].trainer = (7,)
    assert sampled(MadePasses(MadeLibrary(), gpus, trainer=Trainer([7])).sample()) == [2]
    assert said(MadePasses(MadeLibrary(), []).sample()) == ["no GPU: the Maker's driver is there, but shows none"]


def test_process_ids_of_another_namespace_choose_nothing(gpus, monkeypatch):
    monkeypatch.setattr("itermon.collectors.gpus.passes.host_ids", lambda: False)
    gpus[2].trainer = (7,)
    assert sampled(MadePasses(MadeLibrary(), gpus, trainer=Trainer([7])).sample()) == [0]


def test_the_choice_is_looked_at_again_every_ten_seconds(gpus):
    passes = MadePasses(library := MadeLibrary(), gpus, trainer=Trainer([7]))
    passes.sample()
    gpus[2].trainer = (7,)
    library.now_s = LOOK_S - 0.1
    assert (sampled(passes.sample()), gpus[0].rarely) == ([0], 1)
    library.now_s = LOOK_S
    assert (sampled(passes.sample()), gpus[0].rarely) == ([2], 2)


def test_a_library_that_is_gone_is_said_once_and_opened_again_later(gpus):
    passes = MadePasses(library := MadeLibrary(), gpus, wish="all")
    passes.sample()
    gpus[1].lost = "all"
    gone = passes.sample()
    assert said(gone) == ["the driver is not loaded"]
    assert [e.lost for e in gone if isinstance(e, GpuSample)] == ["the driver is not loaded"] * 3
    library.now_s = RETRY_S - 0.1
    assert (said(passes.sample()), library.opened) == ([], 1)
    gpus[1].lost = ""
    library.now_s = RETRY_S
    assert ([e.lost for e in passes.sample()], library.opened) == ([""] * 3, 2)


def test_one_gpu_that_is_lost_is_looked_for_again_and_told_when_back(gpus):
    passes = MadePasses(library := MadeLibrary(), gpus, wish="all")
    gpus[1].lost = "needs a reset"
    assert said(passes.sample()) == ["GPU 1: needs a reset"]
    assert (said(passes.sample()), library.opened) == ([], 1)
    gpus[1].lost, library.now_s = "", RETRY_S
    assert (said(passes.sample()), library.opened) == (["GPU 1: it answers again"], 2)


def test_the_gpus_here_are_not_those_of_a_trainer_that_is_not_here(gpus):
    trainer = Trainer(missing="no process of yours writes this log here")
    passes = MadePasses(library := MadeLibrary(), gpus, trainer=trainer)
    assert said(passes.sample()) == ["no process of yours writes this log here"]
    assert (passes.sample(), library.opened) == ([], 0)
    assert sampled(MadePasses(library, gpus, "1", trainer).sample()) == [1]


def test_a_call_that_does_not_come_back_is_said_of_each_chosen_gpu(gpus):
    passes = MadePasses(library := MadeLibrary(), gpus, wish="1")
    library.under_way, library.now_s = ("ask", 0.0), 5.0
    assert said(passes.hung(2.0)) == ["the driver hangs: ask does not come back"]
    library.under_way = None
    passes.sample()
    assert passes.hung(2.0) == []
    library.under_way = ("ask", 4.0)
    assert passes.hung(2.0) == []
    library.now_s = 7.0
    assert [e.lost for e in passes.hung(2.0)] == ["the driver hangs: ask has not come back for 3 s"]


def test_closing_shuts_the_library_down(gpus):
    passes = MadePasses(library := MadeLibrary(), gpus)
    passes.sample()
    before = library.closed
    passes.close()
    assert library.closed == before + 1
