"""One look through a recording: its times, how often it was sampled, when its GPUs were busy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from itermon.collectors.gpu_logs import survey as module
from itermon.collectors.gpu_logs.survey import Survey, survey
from itermon.events import GpuSample


class Recorded:
    """A recording that holds these samples, in these parts."""

    zoned = True

    def __init__(self, *parts: list[GpuSample]) -> None:
        self._parts = parts

    def new(self) -> Iterator[list[GpuSample]]:
        yield from self._parts


def surveyed(*samples: GpuSample) -> Survey:
    found = survey(cast("Any", Recorded(list(samples))))
    assert found is not None
    return found


def one(at_s: float, gpu: int = 0, *, busy: float | None = None, power_w: float | None = None) -> GpuSample:
    return GpuSample(at_s=at_s, gpu=gpu, utilization=busy, power_w=power_w)


def test_nothing_is_no_survey() -> None:
    assert survey(cast("Any", Recorded([]))) is None


def test_a_pass_is_the_mean_of_its_gpus_at_the_time_of_its_first() -> None:
    found = surveyed(one(10, 0, busy=0.2), one(10.5, 1, busy=0.6), one(12, 0, busy=1.0), one(12.5, 1, busy=0.5))
    assert found.busy == [(10, pytest.approx(0.4)), (12, pytest.approx(0.75))]
    assert (found.first_s, found.last_s, found.every_s, found.zoned) == (10, 12, 2, True)


def test_the_interval_is_the_median_of_the_gaps_and_a_clock_set_back_is_no_gap() -> None:
    found = surveyed(*[one(at_s, busy=1) for at_s in (10, 11, 14, 5, 5, 15)])
    assert (found.first_s, found.last_s, found.every_s) == (5, 15, 3)  # of 1, 3 and 10
    found = surveyed(one(10, busy=1))
    assert (found.first_s, found.last_s, found.every_s) == (10, 10, 0)


def test_power_stands_in_where_no_gpu_says_its_utilization() -> None:
    assert surveyed(one(10, power_w=300), one(10, 1, power_w=100)).busy == [(10, 200)]
    assert surveyed(one(10, power_w=300), one(10, 1, busy=0.5)).busy == [(10, 0.5)]
    assert surveyed(one(10)).busy == []


def test_the_gpus_worked_from_a_quarter_of_their_most_on() -> None:
    found = Survey(0, 9, 1, None, [(1, 0.19), (2, 0.2), (3, 0.8), (4, 0.1), (5, 0.21), (6, 0.0)])
    assert found.worked == (2, 5)
    assert Survey(0, 9, 1, None, []).worked == (0, 9)


def test_a_long_course_is_kept_in_half_as_many_points_of_twice_the_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_POINTS", 4)
    found = surveyed(*[one(at_s, busy=at_s / 8) for at_s in range(6)])
    assert found.busy == [(0.5, 0.5 / 8), (2.5, 2.5 / 8), (4.5, 4.5 / 8)]
    found = surveyed(*[one(at_s, busy=at_s / 8) for at_s in range(7)])  # its last part is a short one
    assert found.busy == [(1.5, 1.5 / 8), (5.25, 5.25 / 8)]


def test_who_asks_is_given_the_samples() -> None:
    kept: list[list[GpuSample]] = []
    first, second = [one(1, busy=1)], [one(2, busy=1)]
    survey(cast("Any", Recorded(first, second)), kept.append)
    assert kept == [first, second]
