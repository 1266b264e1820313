"""Conditions that last: said once they were seen twice, over once they were missed twice."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from itermon.analysis.filling.filling import DISK, MEMORY
from itermon.analysis.findings import Filling, GpuClock, GpuUse, Load, Progress
from itermon.analysis.incidents.lasting import FIRST, Lasting, next_look
from itermon.events import Severity
from tests.made_findings import facts, lost

LEAK = Filling(
    what=MEMORY,
    left_bytes=20 << 30,
    bytes_per_iteration=1 << 20,
    full_at_iteration=41_234,
    low_iteration=38_400,
    high_iteration=44_000,
    full_at_s=17_200.0,
    at_s=10_000.0,
    since_iteration=1_000,
    since_at_s=100.0,
    limit_bytes=64 << 30,
)
HOT_CLOCK = (GpuClock(0, "heat", 1.5e9, 2e9, 0.9),)
MILD_CLOCK = (GpuClock(0, "power", 1.95e9, 2e9, 0.9),)
HOT = GpuUse(samples=100, every_s=1.0, ours=(0,), limited_by="heat", gating=(0,), clocks=HOT_CLOCK)
MILD = GpuUse(samples=100, every_s=1.0, ours=(0,), limited_by="power", gating=(0,), clocks=MILD_CLOCK)


def at(iteration: int, **parts: object):
    return facts(progress=Progress(iteration=iteration, last_event_at_s=1_000.0 + iteration), **parts)


def test_the_looks_become_rare() -> None:
    assert next_look(0) == FIRST
    places = [next_look(0)]
    while places[-1] < 1_000_000:
        places.append(next_look(places[-1]))
    assert len(places) < 300


def test_what_is_seen_twice_began_at_the_first_look() -> None:
    lasting = Lasting()
    lasting.look(at(64, gpu_use=HOT), 64, 1)
    assert lasting.found == []
    lasting.look(at(128, gpu_use=HOT), 128, 1)
    ((position, one),) = lasting.found
    assert (position, one.kind, one.key, one.began_iteration) == (64, "heat-limit", "heat-limit:1:64", 64)
    assert not one.over


def test_what_is_seen_once_is_none() -> None:
    lasting = Lasting()
    for iteration in range(64, 640, 128):
        lasting.look(at(iteration, gpu_use=HOT), iteration, 1)
        lasting.look(at(iteration + 64), iteration + 64, 1)
    assert lasting.found == []


def test_it_is_over_at_the_first_of_two_looks_without_it() -> None:
    lasting = Lasting()
    for iteration in (64, 128):
        lasting.look(at(iteration, gpu_use=HOT), iteration, 1)
    lasting.look(at(192), 192, 1)
    assert not lasting.found[0][1].over
    lasting.look(at(256), 256, 1)
    assert (lasting.found[0][1].over, lasting.found[0][1].ended_iteration) == (True, 192)
    for iteration in (320, 384):
        lasting.look(at(iteration, gpu_use=HOT), iteration, 1)
    assert [one.began_iteration for _, one in lasting.found] == [64, 320]


def test_as_many_looks_begin_it_as_end_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("itermon.analysis.incidents.lasting.IN_A_ROW", 3)
    lasting = Lasting()
    stood = []
    for iteration in range(64, 448, 64):
        lasting.look(at(iteration, gpu_use=HOT) if iteration <= 192 else at(iteration), iteration, 1)
        stood.append([one.over for _, one in lasting.found])
    assert stood == [[], [], [False], [False], [False], [True]]


def test_a_power_limit_that_costs_little_is_none() -> None:
    lasting = Lasting()
    for iteration in (64, 128, 192):
        lasting.look(at(iteration, gpu_use=MILD), iteration, 1)
    assert lasting.found == []


@pytest.mark.parametrize(("what", "kind"), [(MEMORY, "memory-full"), (DISK, "disk-full")])
def test_what_will_be_full_is_one(what: str, kind: str) -> None:
    lasting = Lasting()
    for iteration in (64, 128):
        lasting.look(at(iteration, filling=(replace(LEAK, what=what),)), iteration, 1)
    ((_, one),) = lasting.found
    assert (one.kind, one.severity) == (kind, Severity.ERROR)
    assert "will be full at iteration" in one.state


def test_waiting_for_data_is_one() -> None:
    lasting = Lasting()
    for iteration in (64, 128):
        waits = {"ledger": lost("data", 0.4, 50), "load": Load(60.0, power_share=0.4)}
        lasting.look(at(iteration, **waits), iteration, 1)
    assert [one.kind for _, one in lasting.found] == ["data-bound"]
