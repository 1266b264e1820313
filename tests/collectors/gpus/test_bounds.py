"""A broken sensor's values are none, and a GPU's largest are some."""

import pytest

from itermon.collectors.gpus.bounds import plausible


@pytest.mark.parametrize(
    ("field", "largest", "beyond"),
    [
        ("power_w", 20_000, 20_000.5),
        ("utilization", 1.0, 1.001),
        ("temperature_c", 200, 201),
        ("memory_used_bytes", 64 << 40, (64 << 40) + 1),
        ("sm_clock_hz", 10e9, 10e9 + 1),
    ],
)
def test_the_bound_itself_is_plausible_and_more_is_not(field: str, largest: float, beyond: float) -> None:
    assert plausible(field, largest)
    assert not plausible(field, beyond)


def test_only_a_temperature_may_be_below_zero() -> None:
    assert plausible("power_w", 0)
    assert not plausible("power_w", -0.1)
    assert plausible("temperature_c", -100)
    assert not plausible("temperature_c", -100.5)


def test_a_field_without_a_bound_can_be_anything() -> None:
    assert plausible("xid", -1e30)
