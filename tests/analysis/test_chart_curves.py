"""Curves over a chart: scalars by position, the machine by the clock of the iterations."""

from math import nan
from types import SimpleNamespace
from typing import Any

import pytest

from itermon.analysis.chart_curves import Curve, all_curves, chart_curve, has_curve
from itermon.analysis.findings import Scalar
from itermon.analysis.run import Run
from itermon.events import GpuSample, Iteration, RunInfo

NOW_S = 1_700_000_000.0


def run_with_gpu(*, clock: bool = True, duration_s: float | None = 2.0) -> Run:
    """Twenty iterations of two seconds; the GPU idles in the one that ends at 20 s."""
    run = Run()
    run.apply([RunInfo(clock="log")])
    for n in range(20):
        end_s = NOW_S + 2 * (n + 1)
        for at_s in (end_s - 1, end_s):
            idle = n == 9
            sample = GpuSample(at_s, power_w=100.0 if idle else 700.0, utilization=0.0 if idle else 1.0)
            run.apply([sample])
        run.apply([Iteration(n, duration_s, at_s=end_s if clock else None, scalars={"reward": float(n)})])
    return run


def test_power_stands_over_the_iterations_in_whose_time_it_was_measured() -> None:
    run = run_with_gpu()
    power = run.curve("GPU power", run.chart(0, 19, 20))
    assert power.values[8] == 700.0
    assert power.values[9] == 100.0
    assert power.values[10] == 700.0
    assert run.curve("GPU utilization", run.chart(0, 19, 20)).values[9] == 0.0


def test_many_iterations_in_a_column_keep_the_dip() -> None:
    run = run_with_gpu()
    power = run.curve("GPU power", run.chart(0, 19, 2))
    assert power.values[0] == pytest.approx((17 * 700 + 2 * 100) / 19)  # the first sample speaks for no time
    assert power.lows == [100.0, 700.0]


def test_without_a_printed_time_an_iteration_begins_where_the_one_before_ended() -> None:
    power = run_with_gpu(duration_s=None).curve("GPU power", run_with_gpu().chart(0, 19, 20))
    assert power.values[9] == 100.0


def test_without_a_clock_there_is_no_curve_of_the_machine() -> None:
    run = run_with_gpu(clock=False)
    assert [one.name for one in run.curves()] == ["reward"]
    assert not run.curve("GPU power", run.chart(0, 19, 20)).known


def test_a_scalar_is_the_mean_of_its_column_and_the_names_say_what_there_is() -> None:
    run = run_with_gpu()
    assert [one.name for one in run.curves()] == [
        "reward",
        "GPU power",
        "GPU utilization",
    ]  # no memory was measured
    power = run.curves()[1]
    assert (power.newest, power.newest_at, power.least, power.most) == (700.0, 19, 100.0, 700.0)
    rewards = run.curve("reward", run.chart(0, 19, 2))
    assert rewards.values == [4.5, 14.5]
    assert rewards.lows == []


def test_the_first_iteration_of_another_process_begins_by_its_own_time() -> None:
    run = run_with_gpu()
    end_s = NOW_S + 1000
    run.apply([GpuSample(at_s, power_w=300.0) for at_s in (end_s - 500, end_s - 1, end_s)])
    run.apply([Iteration(0, 2.0, at_s=end_s)])
    run.apply([GpuSample(end_s + 1, power_w=0.0)])
    assert run.curve("GPU power", run.chart(20, 20, 1)).values == [300.0]


def clocked(
    times_s: list[float], *, starts: tuple[int, ...] = (0,), averaged: int = 1, timed_from: int = 0
) -> Any:
    """A run whose iterations of 2 s end at these times; its samples cover half of any time."""
    columns = SimpleNamespace(
        timed_from=timed_from,
        clocked=bool(times_s),
        time_at=lambda position: times_s[position],
        duration_s=[2.0] * len(times_s),
        averaged_at=lambda _: averaged,
        index=[10 * i for i in range(len(times_s))],
    )
    found = type("Sized", (SimpleNamespace,), {"__len__": lambda _: len(times_s)})(**vars(columns))
    course = type("Course", (SimpleNamespace,), {"__len__": lambda _: 7})(
        covered=lambda *_: 0.5,
        of=lambda field, begin_s, end_s: None if field == "utilization" else (begin_s, end_s),
        extremes=lambda field: (3.0, 1.0, 9.0) if field == "power_w" else None,
    )
    scalars = SimpleNamespace(has=lambda name: name == "reward", found=tuple)
    return SimpleNamespace(columns=found, starts=starts, telemetry=SimpleNamespace(course=course), scalars=scalars)


@pytest.mark.parametrize(
    ("name", "first", "last", "covered", "known"),
    [
        ("reward", 0, 0, 0.0, True),
        ("other", 0, 0, 0.0, False),
        ("GPU power", 0, 2, 0.0, True),
        ("GPU power", 1, 1, 0.0, True),
        ("GPU power", 0, 2, 0.5, True),
        ("GPU power", 0, 2, 0.6, False),
        ("GPU utilization", 0, 2, 0.0, False),
        ("GPU power", 0, 3, 0.0, False),
        ("GPU power", -1, 2, 0.0, True),  # from the first that has a time
        ("GPU power", 2, 1, 0.0, False),
    ],
)
def test_the_machine_has_a_curve_where_samples_cover_the_time(
    name: str, first: int, last: int, covered: float, known: bool
) -> None:
    assert has_curve(clocked([12.0, 14.0, 16.0]), name, first, last, covered) is known


def test_without_a_clock_that_moves_there_is_no_curve_of_the_machine() -> None:
    assert has_curve(clocked([]), "GPU power", 0, 0) is False
    assert has_curve(clocked([12.0, 12.0, 8.0]), "GPU power", 1, 1) is False
    assert has_curve(clocked([12.0, nan, 14.0], starts=(0, 2)), "GPU power", 1, 1) is False
    assert has_curve(clocked([nan, 14.0, 16.0], timed_from=1), "GPU power", 0, 1) is True
    assert has_curve(clocked([12.0, 14.0, 16.0], timed_from=-1), "GPU power", -1, 1) is False


def test_all_that_can_be_drawn_is_known_of_the_whole_run() -> None:
    assert all_curves(clocked([12.0, 14.0, 16.0])) == (Scalar("GPU power", 3.0, 20, 1.0, 9.0, 7),)
    assert all_curves(clocked([12.0])) == (Scalar("GPU power", 3.0, 0, 1.0, 9.0, 7),)


@pytest.mark.parametrize(
    ("times_s", "starts", "averaged", "begin_s"),
    [
        ([12.0, 15.0], (0,), 1, 12.0),
        ([12.0, 15.0], (0, 1), 1, 13.0),
        ([nan, 15.0], (0,), 1, 13.0),
        ([nan, 15.0], (0,), 4, 7.0),
    ],
)
def test_an_iteration_begins_where_the_one_before_it_ends_or_by_its_own_time(
    times_s: list[float], starts: tuple[int, ...], averaged: int, begin_s: float
) -> None:
    column: Any = [SimpleNamespace(first=1, last=1)]
    curve = chart_curve(clocked(times_s, starts=starts, averaged=averaged), "GPU power", column)
    assert (curve.values, curve.lows) == ([begin_s], [15.0])
    assert (curve.newest, curve.least, curve.most) == (3.0, 1.0, 9.0)
    first: Any = [SimpleNamespace(first=0, last=0)]
    assert chart_curve(clocked([12.0, 15.0], averaged=averaged), "GPU power", first).values == [
        12.0 - 2 * averaged
    ]


def test_a_column_without_a_time_has_no_value_and_one_value_makes_a_curve_known() -> None:
    column: Any = [SimpleNamespace(first=1, last=1), SimpleNamespace(first=2, last=2)]
    curve = chart_curve(clocked([12.0, nan, 14.0], starts=(0, 2)), "GPU power", column)
    assert curve.values == [None, 12.0]
    assert curve.known is True
    assert Curve([None, None], []).known is False
    same: Any = [SimpleNamespace(first=1, last=1)]
    assert chart_curve(clocked([12.0, 12.0]), "GPU power", same).values == [None]


def test_a_scalar_has_its_extremes_over_the_whole_run() -> None:
    run = run_with_gpu()
    curve = run.curve("reward", run.chart(0, 9, 5))
    assert (curve.newest, curve.least, curve.most, curve.lows) == (19.0, 0.0, 19.0, [])
