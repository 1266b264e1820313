"""DCGM's series are joined by UUID; where one side has none by host and index, and only where these decide it."""

from __future__ import annotations

import pytest

from itermon.collectors.prometheus.answers import Series
from itermon.collectors.prometheus.questions import OfRun
from itermon.collectors.prometheus.rank_gpus import rank_gpus
from itermon.events.fleet import BY_PLACE, BY_UUID, RankGpu

KEY = ("0", "h1:9464")


def ours(uuid: str = "", gpu: str = "3") -> Series:
    labels = {"__name__": "itermon_gpu_clock_hertz", "rank": "0", "instance": "h1:9464", "gpu": gpu, "UUID": uuid}
    return Series({name: value for name, value in labels.items() if value}, [(0.0, 1.7e9)])


def dcgm(uuid: str = "", host: str = "h1", instance: str = "h1:9400", name: str = "GPU_TEMP") -> Series:
    labels = {"__name__": f"DCGM_FI_DEV_{name}", "Hostname": host, "gpu": "3", "instance": instance, "UUID": uuid}
    return Series({name: value for name, value in labels.items() if value}, [(0.0, 61.0)])


def found(mine: list[Series], theirs: list[Series], host: str = "h1") -> RankGpu:
    def ask(question: str) -> list[Series]:
        if "DCGM" not in question:
            return mine
        if "Hostname=~" in question:
            return theirs
        return [one for one in theirs if one.labels.get("UUID", "-") in question]

    return rank_gpus(ask, OfRun("gpt2"), {KEY: host})[KEY]


def how(gpu: RankGpu) -> tuple[str, float | None]:
    return gpu.joined, gpu.temperature_c


def test_by_uuid_where_both_sides_have_it() -> None:
    assert how(found([ours("GPU-1")], [dcgm("GPU-1")])) == (BY_UUID, 61.0)


@pytest.mark.parametrize(("mine", "theirs"), [("", "GPU-1"), ("GPU-1", ""), ("", "")])
def test_by_host_and_index_where_a_side_has_none(mine: str, theirs: str) -> None:
    gpu = found([ours(mine)], [dcgm(theirs), dcgm(theirs, name="XID_ERRORS")])
    assert (how(gpu), gpu.xid) == ((BY_PLACE, 61.0), 61)


@pytest.mark.parametrize(
    ("mine", "theirs", "host"),
    [
        ([ours("GPU-1")], [dcgm("GPU-2")], "h1"),  # another GPU, by its own word
        ([ours()], [dcgm("GPU-1"), dcgm("GPU-2")], "h1"),  # two GPUs of one index: a card was changed
        ([ours()], [dcgm(), dcgm(instance="h1:9401")], "h1"),  # two exporters: one may be of another host h1
        ([ours(), ours(gpu="4")], [dcgm()], "h1"),  # the rank has two
        ([ours(gpu="3/1")], [dcgm()], "h1"),  # a part of one
        ([ours()], [dcgm(host="h2")], "h1"),
        ([ours()], [dcgm()], ""),  # nobody says where it is
    ],
)
def test_what_does_not_decide_it_joins_nothing(mine: list[Series], theirs: list[Series], host: str) -> None:
    assert how(found(mine, theirs, host)) == ("", None)


def test_a_rank_without_a_gpu_of_its_own_gets_none() -> None:
    """Which of its host's it computes on is not known: its number is no index."""
    assert rank_gpus(lambda asked: [dcgm()] if "DCGM" in asked else [], OfRun("gpt2"), {KEY: "h1"}) == {}
