"""Power that cannot be right."""

import pytest

from itermon.analysis.gpus.profile import Profile
from itermon.analysis.gpus.sensors import impossible_power
from itermon.events import GpuSample


def busy(*watts: float) -> Profile:
    one = Profile()
    for power_w in watts:
        one.add(GpuSample(0.0, utilization=1.0, power_w=power_w, power_limit_w=100.0))
    return one


@pytest.mark.parametrize(
    ("watts", "why"),
    [
        ([0.0] * 3, "0 W in 100 % of the samples in which it is busy"),
        ([0.0] * 2, ""),
        ([0.0] * 3 + [50.0] * 147, "0 W in 2 % of the samples in which it is busy"),
        ([0.0] * 3 + [50.0] * 148, ""),
        ([131.0] * 3, "131 % of its limit, all the time"),
        ([130.0] * 3, ""),
        ([131.0] * 2, ""),
        ([], ""),
    ],
)
def test_why_it_is_not_believed(watts: list[float], why: str) -> None:
    assert impossible_power(busy(*watts)) == why
