"""Conditions that last: said once they were seen twice, over once they were missed twice."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from itermon.analysis.filling.filling import DISK, MEMORY
from itermon.analysis.findings import Filling, GpuClock, GpuUse, Incident, Load, Progress, Straggler, Throughput
from itermon.analysis.incidents.lasting import Lasting, next_look
from itermon.analysis.run import Run
from itermon.events import Iteration, RunInfo, Severity
from tests.made_findings import facts, lost

# The bounds as numbers of its own: from the code, a test would move with them.
FIRST = 64

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


def said_twice(**parts: object) -> list[Incident]:
    lasting = Lasting()
    for iteration in (64, 128):
        lasting.look(at(iteration, **parts), iteration, 1)
    return [one for _, one in lasting.found]


@pytest.mark.parametrize(
    ("by", "share", "gating", "kind", "help_"),
    [
        ("power", 0.95, (0,), "power-limit", "Better airflow or a higher limit helps."),
        ("power", 0.951, (0,), "", ""),
        ("heat", 0.95, (0,), "heat-limit", "Better airflow helps."),
        ("heat", 0.95, (1,), "", ""),  # another GPU is the one that all wait for
    ],
)
def test_a_limit_that_takes_a_twentieth_of_the_clock_is_one(
    by: str, share: float, gating: tuple[int, ...], kind: str, help_: str
) -> None:
    clocks = (GpuClock(0, by, share * 2e9, 2e9, share), GpuClock(1, "", 2e9, 2e9, 1.0))
    use = GpuUse(samples=100, every_s=1.0, ours=(0, 1), limited_by=by, gating=gating, clocks=clocks)
    assert [(one.kind, one.action) for one in said_twice(gpu_use=use)] == ([(kind, help_)] if kind else [])


def test_what_is_said_of_it_is_of_the_newest_look() -> None:
    lasting = Lasting()
    for iteration, clock in ((64, 1.5e9), (128, 1.5e9), (192, 1.4e9)):
        hot = replace(HOT, clocks=(replace(HOT_CLOCK[0], clock_hz=clock),))
        lasting.look(at(iteration, gpu_use=hot), iteration, 1)
    ((position, one),) = lasting.found
    assert (position, one.began_iteration, one.began_at_s) == (64, 64, 1_064.0)
    assert "1,400" in one.state


@pytest.mark.parametrize(("share", "rank"), [(0.5, 3), (0.49, None)])
def test_a_rank_that_is_late_in_half_of_the_iterations_is_the_one(share: float, rank: int | None) -> None:
    late = Straggler(rank=3, share=share, local_s=0.5, others_s=0.1)
    (one,) = said_twice(straggler=late, ledger=lost("straggler", 0.4, 50))
    assert (one.kind, one.rank) == ("straggler", rank)


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


@pytest.mark.parametrize(("newest", "found"), [(0.5, 1), (0.02, 0)])
def test_waiting_for_data_is_told_of_the_newest_iterations_alone(newest: float, found: int) -> None:
    lasting = Lasting()
    for iteration in (64, 128):
        waits = {"ledger": lost("data", 0.4, 50), "throughput": Throughput(data_wait_share=newest)}
        lasting.look(at(iteration, **waits), iteration, 1)
    assert len(lasting.found) == found
    assert not any("wall time" in said for _, one in lasting.found for said in (one.state, *one.evidence))


@pytest.mark.parametrize(
    ("unseen", "shares", "began"),
    [
        (50, (0.15, 0.15), 64),
        (51, (0.15, 0.15, 0.15), None),
        (51, (0.15, 0.2, 0.05, 0.2), None),
        (51, (0.05, 0.15, 0.2, 0.2), 128),
    ],
)
def test_where_most_iterations_have_no_row_a_wait_has_to_be_long_to_be_no_chance(
    unseen: int, shares: tuple[float, ...], began: int | None
) -> None:
    """... and began where it was first seen."""
    lasting = Lasting()
    for n, share in enumerate(shares, 1):
        progress = Progress(iteration=64 * n, iterations_seen=100, iterations_unseen=unseen)
        lasting.look(facts(progress=progress, throughput=Throughput(data_wait_share=share)), 64 * n, 1)
    assert [one.began_iteration for _, one in lasting.found] == [began] * (began is not None)


def test_what_a_look_measured_of_the_newest_is_no_figure_of_a_wait_that_is_over() -> None:
    lasting, waits = Lasting(), Throughput(data_wait_share=0.3, data_wait_of_s=2.0)
    for iteration in (64, 128):
        lasting.look(at(iteration, throughput=waits), iteration, 1)
    ((_, one),) = lasting.found
    assert one.kind == "data-bound"
    assert "measured" in one.evidence[0]
    for iteration in (192, 256):
        lasting.look(at(iteration), iteration, 1)
    ((_, one),) = lasting.found
    assert (one.over, one.evidence) == (True, ())


def test_the_figures_of_a_wait_are_those_of_where_it_was_seen() -> None:
    run = Run()
    run.apply([RunInfo()])
    for index in range(2_000):
        wait_s = 0.5 if index < 200 else 0.9
        run.apply([Iteration(index, 2.0, 1.0, data_wait_s=wait_s, at_s=100.0 + 2 * index)])
    said = [one.evidence for one in run.findings().incidents if one.kind == "data-bound"]
    assert said
    assert "500 ms" in " ".join(said[0])
    assert "newest" not in " ".join(said[0])
